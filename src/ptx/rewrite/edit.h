// What passes look for in a tree, and what they change in it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/rewrite/tree.h"

namespace heddle::ptx::tree {

// The function of this name with a body, or without when there is only a declaration; nullptr: there is none.
Function* find_function(Module& module, std::string_view name);

// All instructions of a body in the order of the text: statement n is Function::instrs[n] of the decoded
// module. (The decoded function may have a `ret` more, at its end.)
std::vector<Statement*> instructions(Block& body);

// The names of a module.
class Names {
 public:
  explicit Names(const Module& module);
  // A beginning for names that no name of the module has, with or without '%' before it: "hd" when there is no
  // name that begins with "hd_" or "%hd_", otherwise "hd" with underscores behind it.
  std::string fresh_prefix(std::string_view wish) const;

 private:
  void add(const std::vector<Statement>& statements);
  void add(const Pieces& pieces);
  bool any_begins_with(const std::string& prefix) const;
  std::set<std::string, std::less<>> used_;
};

// The name that a parameter declares: "n" of `.param .u64 .ptr .global .align 8 n[4]`.
std::string parameter_name(const Pieces& parameter);

// Whether `%ctaid.x` is among the pieces: special "%ctaid", element ".x". With an empty element the special
// register without one.
bool reads_special(const Pieces& pieces, std::string_view special, std::string_view element);
// Puts the register `by` in its place, everywhere.
void replace_special(Pieces& pieces, std::string_view special, std::string_view element,
                     const std::string& by);

// Whether one of the modifiers is this one: ".global".
bool has_modifier(const Instruction& instruction, std::string_view modifier);

}  // namespace heddle::ptx::tree
