// Passes over a tree of PTX text, one after another.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "ptx/rewrite/tree.h"

namespace heddle::ptx::tree {

// Why a pass does not change a module. A pass that is not sure that its result does the same as the original
// refuses: nobody looks at rewritten code again.
struct Refusal {
  std::string rule;         // one or two words, the same for the same cause: "early exit"
  std::string reason;       // a clause: "a thread may leave while others wait at a barrier"
  std::string function;     // empty: the whole module
  std::string instruction;  // as written; empty: no single one
  Spot at;                  // line 0: nowhere in the text
  std::string pass = {};    // set by run_passes
};

Refusal refuse(std::string rule, std::string reason, const std::string& function, const Statement* where);

struct Pass {
  std::string name;
  // Changes the module, or says why not; what it has changed by then is thrown away.
  std::function<std::optional<Refusal>(Module&)> apply;
};

// All passes in their order, or none: when one refuses, the module is as before.
std::optional<Refusal> run_passes(Module& module, std::span<const Pass> passes);

// With file, line and instruction, for those who cannot go on without.
Error error_of(const Refusal& refusal, const Module& module);

}  // namespace heddle::ptx::tree
