// A kernel and the functions that it can reach: as trees, which passes change, and decoded, which tells what
// their instructions do.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ir/module.h"
#include "ptx/parse/parse_module.h"
#include "ptx/rewrite/pass.h"
#include "ptx/rewrite/tree.h"

namespace heddle::cta_clustering {

struct FunctionCode {
  ptx::tree::Statement* statement = nullptr;  // of module level
  const ptx::Function* decoded = nullptr;
  std::vector<ptx::tree::Statement*> instructions;  // of the tree; n is decoded->instrs[n]

  ptx::tree::Function& tree() const { return *statement->as<ptx::tree::Function>(); }
  const std::string& name() const { return decoded->name; }
};

struct KernelCode {
  ptx::Module decoded;
  std::vector<FunctionCode> functions;  // the kernel first; those with a body
  std::vector<std::string> externals;   // called, without a body in the module
  bool calls_pointers = false;
  std::set<std::string> address_taken;  // functions

  const FunctionCode& kernel() const { return functions.front(); }
  const FunctionCode* find(std::string_view name) const;
};

// Refuses what cannot be decoded: nobody knows what it does. Pointers are into `module`.
std::optional<ptx::tree::Refusal> read_kernel(ptx::tree::Module& module, const std::string& kernel,
                                              KernelCode& code);

// Whether the statement is an instruction that names this special register, with any element or none.
bool names_special(const ptx::tree::Statement& statement, std::string_view special);

}  // namespace heddle::cta_clustering
