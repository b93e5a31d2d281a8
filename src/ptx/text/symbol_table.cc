#include "ptx/text/symbol_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace heddle::ptx {
namespace {

// Splits "%r12" into "%r" and 12. Names a family cannot have made ("%r", "%r012") give no number.
std::optional<std::uint32_t> split_number(std::string_view name, std::string_view& prefix) {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  const std::size_t n = name.size() - digits;
  if (n == 0 || n > 9 || digits == 0 || (n > 1 && name[digits] == '0')) return std::nullopt;
  std::uint32_t number = 0;
  for (std::size_t i = digits; i < name.size(); ++i)
    number = number * 10 + static_cast<std::uint32_t>(name[i] - '0');
  prefix = name.substr(0, digits);
  return number;
}

constexpr std::size_t kMaxCompared = 64;  // longer names are not worth a suggestion

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::array<std::size_t, kMaxCompared + 1> row{};
  std::iota(row.begin(), row.begin() + b.size() + 1, std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

ClosestName::ClosestName(std::string_view wanted)
    : wanted_(wanted), distance_(std::min<std::size_t>(3, 1 + wanted.size() / 4)) {}

void ClosestName::offer(std::string_view candidate) {
  if (wanted_.size() > kMaxCompared || candidate.size() > kMaxCompared) return;
  const auto [shorter, longer] = std::minmax({wanted_.size(), candidate.size()});
  if (longer - shorter >= distance_ + (best_.empty() ? 1 : 0)) return;
  const std::size_t d = edit_distance(wanted_, candidate);
  // Equal distances: the name that sorts first, so that messages do not depend on hash order.
  if (d < distance_ || (d == distance_ && (best_.empty() || candidate < best_))) {
    best_ = candidate;
    distance_ = d;
  }
}

void SymbolTable::check_new(const Scope& scope, std::string_view name, Spot at) const {
  if (const auto it = scope.names.find(name); it != scope.names.end())
    source_.fail(at,
                 fmt::format("'{}' is already declared in this scope, on line {}", name, it->second.at.line));
  std::string_view prefix;
  const auto number = split_number(name, prefix);
  if (!number) return;
  for (const Family& f : scope.families)
    if (f.prefix == prefix && *number < f.count)
      source_.fail(at,
                   fmt::format("'{}' is already declared in this scope, by {}<{}>", name, prefix, f.count));
}

void SymbolTable::add_name(std::string_view name, NameEntry entry) {
  if (scopes_.empty()) {
    const auto [it, added] = globals_.try_emplace(name, entry);
    if (!added)
      source_.fail(entry.at, fmt::format("'{}' is already declared, on line {}", name, it->second.at.line));
    return;
  }
  check_new(scopes_.back(), name, entry.at);
  scopes_.back().names.emplace(name, entry);
}

std::uint32_t SymbolTable::add_symbol(std::string_view name, Symbol symbol, Spot at) {
  const auto index = static_cast<std::uint32_t>(module_.symbols.size());
  add_name(name, {NameEntry::Kind::Symbol, index, at});
  symbol.name = std::string(name);
  module_.symbols.push_back(std::move(symbol));
  return index;
}

const NameEntry* SymbolTable::find_global(std::string_view name) const {
  const auto it = globals_.find(name);
  return it == globals_.end() ? nullptr : &it->second;
}

void SymbolTable::begin_function(Function& function) {
  function_ = &function;
  declared_registers_ = 0;
  scopes_.clear();
  scope_parent_.clear();
  labels_.clear();
  label_uses_.clear();
  last_label_ = kNoTarget;
}

void SymbolTable::push_scope(Spot at) {
  if (scopes_.size() >= limits_.max_nesting)
    source_.fail(at, fmt::format("blocks are nested more than {} deep", limits_.max_nesting));
  const auto id = static_cast<std::uint32_t>(scope_parent_.size());
  scope_parent_.push_back(scopes_.empty() ? kNoTarget : scopes_.back().id);
  scopes_.emplace_back().id = id;
}

std::uint32_t SymbolTable::new_register(std::string_view name, Type type) {
  function_->registers.push_back({std::string(name), type});
  return static_cast<std::uint32_t>(function_->registers.size() - 1);
}

void SymbolTable::add_register(std::string_view name, Type type, Spot at) {
  if (++declared_registers_ > limits_.max_registers_per_function)
    source_.fail(at,
                 fmt::format("more than {} registers in one function", limits_.max_registers_per_function));
  check_new(scopes_.back(), name, at);
  scopes_.back().names.emplace(name, NameEntry{NameEntry::Kind::Register, new_register(name, type), at});
}

void SymbolTable::add_register_family(std::string_view prefix, std::uint64_t count, Type type, Spot at) {
  if (count > limits_.max_registers_per_function ||
      (declared_registers_ += count) > limits_.max_registers_per_function)
    source_.fail(at, fmt::format("{}<{}> makes more than {} registers in one function", prefix, count,
                                 limits_.max_registers_per_function));
  Scope& scope = scopes_.back();
  constexpr std::size_t kMaxFamilies = 1024;  // they are searched one by one; real code has about ten
  if (scope.families.size() >= kMaxFamilies)
    source_.fail(at, "too many numbered register declarations in one scope");
  for (const Family& f : scope.families)
    if (f.prefix == prefix)
      source_.fail(at,
                   fmt::format("the registers {}<{}> are already declared in this scope", prefix, f.count));
  for (const auto& [name, entry] : scope.names) {
    std::string_view p;
    const auto number = split_number(name, p);
    if (number && p == prefix && *number < count)
      source_.fail(at, fmt::format("{}<{}> declares '{}' again, first declared on line {}", prefix, count,
                                   name, entry.at.line));
  }
  scope.families.push_back({prefix, static_cast<std::uint32_t>(count), type, {}});
}

std::optional<std::uint32_t> SymbolTable::find_in_family(Scope& scope, std::string_view name,
                                                         std::string_view prefix, std::uint32_t number) {
  for (Family& f : scope.families) {
    if (number >= f.count || f.prefix != prefix) continue;
    if (number >= f.index.size()) f.index.resize(std::min(f.count, number + number / 2 + 16));
    std::uint32_t& slot = f.index[number];
    if (slot == 0) slot = new_register(name, f.type) + 1;
    return slot - 1;
  }
  return std::nullopt;
}

std::optional<NameEntry> SymbolTable::find(std::string_view name) {
  std::string_view prefix;
  const auto number = split_number(name, prefix);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (number) {
      if (const auto reg = find_in_family(*scope, name, prefix, *number))
        return NameEntry{NameEntry::Kind::Register, *reg, {}};
    }
    if (scope->names.empty()) continue;
    if (const auto it = scope->names.find(name); it != scope->names.end()) return it->second;
  }
  if (const NameEntry* e = find_global(name)) return *e;
  return std::nullopt;
}

void SymbolTable::define_label(std::string_view name, std::uint32_t instruction, Spot at) {
  const std::uint32_t scope = scopes_.back().id;
  const auto [it, added] = labels_.try_emplace({name, scope}, Label{instruction, at});
  if (!added)
    source_.fail(
        at, fmt::format("label '{}' is already defined in this scope, on line {}", name, it->second.at.line));
  last_label_ = instruction;
}

void SymbolTable::use_label(std::string_view name, std::uint32_t instruction, Spot at) {
  label_uses_.push_back({name, scopes_.back().id, instruction, kNoTarget, at});
}

void SymbolTable::use_label_in_table(std::string_view name, std::uint32_t table, std::uint32_t entry,
                                     Spot at) {
  label_uses_.push_back({name, scopes_.back().id, entry, table, at});
}

bool SymbolTable::has_label_at(std::uint32_t instruction) const {
  return last_label_ == instruction;
}

std::uint32_t SymbolTable::resolve(const LabelUse& use) const {
  for (std::uint32_t scope = use.scope; scope != kNoTarget; scope = scope_parent_[scope])
    if (const auto it = labels_.find({use.name, scope}); it != labels_.end()) return it->second.instruction;
  ClosestName closest(use.name);
  for (const auto& [key, label] : labels_) closest.offer(key.name);
  source_.fail(use.at, fmt::format("label '{}' is not defined in this function", use.name),
               closest.best().empty() ? std::string{} : fmt::format("did you mean '{}'?", closest.best()));
}

void SymbolTable::end_function() {
  for (const LabelUse& use : label_uses_) {
    const std::uint32_t target = resolve(use);
    if (use.table == kNoTarget) {
      function_->instrs[use.instruction].target = target;
    } else {
      function_->branch_tables[use.table][use.instruction] = target;
    }
  }
  scopes_.clear();
  function_ = nullptr;
}

std::string SymbolTable::suggest(std::string_view name) const {
  ClosestName closest(name);
  for (const Scope& scope : scopes_)
    for (const auto& [candidate, entry] : scope.names) closest.offer(candidate);
  for (const auto& [candidate, entry] : globals_) closest.offer(candidate);
  std::string_view prefix;
  if (split_number(name, prefix)) {
    for (const Scope& scope : scopes_)
      for (const Family& f : scope.families)
        if (f.prefix == prefix)
          return fmt::format("{}<{}> declares {}0 to {}{}", prefix, f.count, prefix, prefix,
                             f.count == 0 ? 0 : f.count - 1);
  }
  return closest.best().empty() ? std::string{} : fmt::format("did you mean '{}'?", closest.best());
}

}  // namespace heddle::ptx
