#include "ptx/rewrite/edit.h"

#include <algorithm>
#include <functional>

namespace heddle::ptx::tree {
namespace {

void collect(std::vector<Statement>& statements, std::vector<Statement*>& to) {
  for (Statement& s : statements) {
    if (s.as<Instruction>() != nullptr) to.push_back(&s);
    if (Block* b = s.as<Block>()) collect(b->statements, to);
  }
}

// `%ctaid` `.x` at `i`.
bool special_at(const Pieces& pieces, std::size_t i, std::string_view special, std::string_view element) {
  if (pieces[i].kind != Tok::Name || !pieces[i].is(special)) return false;
  const bool has_element = i + 1 < pieces.size() && pieces[i + 1].kind == Tok::Dot;
  return element.empty() ? !has_element : has_element && pieces[i + 1].is(element);
}

}  // namespace

Function* find_function(Module& module, std::string_view name) {
  Function* found = nullptr;
  for (Statement& s : module.statements) {
    Function* f = s.as<Function>();
    if (f == nullptr || !f->name.is(name)) continue;
    if (f->body) return f;
    found = f;
  }
  return found;
}

std::vector<Statement*> instructions(Block& body) {
  std::vector<Statement*> all;
  collect(body.statements, all);
  return all;
}

Names::Names(const Module& module) {
  add(module.statements);
}

void Names::add(const Pieces& pieces) {
  for (const Piece& p : pieces)
    if (p.kind == Tok::Name) used_.insert(p.text);
}

void Names::add(const std::vector<Statement>& statements) {
  for (const Statement& s : statements) {
    if (const auto* d = s.as<Directive>()) add(d->pieces);
    if (const auto* d = s.as<Declaration>()) add(d->pieces);
    if (const auto* l = s.as<Label>()) used_.insert(l->name.text);
    if (const auto* b = s.as<Block>()) add(b->statements);
    if (const auto* i = s.as<Instruction>()) {
      add(i->guard);
      for (const Pieces& operand : i->operands) add(operand);
    }
    if (const auto* f = s.as<Function>()) {
      used_.insert(f->name.text);
      for (const auto* list : {&f->returns, &f->params})
        if (*list)
          for (const Pieces& p : **list) add(p);
      if (f->body) add(f->body->statements);
    }
  }
}

bool Names::any_begins_with(const std::string& prefix) const {
  const auto it = used_.lower_bound(prefix);
  return it != used_.end() && it->starts_with(prefix);
}

std::string Names::fresh_prefix(std::string_view wish) const {
  std::string prefix(wish);
  while (any_begins_with(prefix + "_") || any_begins_with("%" + prefix + "_")) prefix += '_';
  return prefix;
}

std::string parameter_name(const Pieces& parameter) {
  std::string name;
  for (const Piece& p : parameter) {
    if (p.is("[")) break;
    if (p.kind == Tok::Name) name = p.text;
  }
  return name;
}

bool reads_special(const Pieces& pieces, std::string_view special, std::string_view element) {
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (special_at(pieces, i, special, element)) return true;
  return false;
}

void replace_special(Pieces& pieces, std::string_view special, std::string_view element,
                     const std::string& by) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!special_at(pieces, i, special, element)) continue;
    pieces[i].text = by;
    if (!element.empty()) pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

bool has_modifier(const Instruction& instruction, std::string_view modifier) {
  return std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                     [&](const Piece& p) { return p.is(modifier); });
}

}  // namespace heddle::ptx::tree
