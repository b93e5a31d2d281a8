// What names denote while a module is being read: module scope, the scopes of the function at hand, its
// registers and its labels.
#pragma once

#include <cstdint>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/ir/module.h"
#include "ptx/text/lexer.h"
#include "ptx/text/parse_limits.h"

namespace heddle::ptx {

struct NameEntry {
  enum class Kind : std::uint8_t {
    Register,     // index: Function::registers
    Symbol,       // index: Module::symbols
    Prototype,    // index: Module::functions (.callprototype, .calltargets)
    BranchTable,  // index: Function::branch_tables
  };
  Kind kind = Kind::Symbol;
  std::uint32_t index = 0;
  Spot at;
};

class SymbolTable {
 public:
  SymbolTable(const Source& source, Module& module, const ParseLimits& limits)
      : source_(source), module_(module), limits_(limits) {}

  // `name` must be a view of the text: it is the key. Goes into the innermost scope.
  std::uint32_t add_symbol(std::string_view name, Symbol symbol, Spot at);
  const NameEntry* find_global(std::string_view name) const;

  // Scopes of one function body.
  void begin_function(Function& function);
  void rebind_function(Function& function) { function_ = &function; }  // Module::functions has grown
  void end_function();                                                 // resolves labels
  void push_scope(Spot at);
  void pop_scope() { scopes_.pop_back(); }
  std::size_t depth() const { return scopes_.size(); }

  void add_name(std::string_view name, NameEntry entry);  // into the innermost scope
  void add_register(std::string_view name, Type type, Spot at);
  void add_register_family(std::string_view prefix, std::uint64_t count, Type type, Spot at);

  // Innermost meaning of a name, or nothing. Registers of a family come to life when first named.
  std::optional<NameEntry> find(std::string_view name);

  // Labels may be used before they are defined: uses are resolved at the end of the function.
  void define_label(std::string_view name, std::uint32_t instruction, Spot at);
  void use_label(std::string_view name, std::uint32_t instruction, Spot at);
  void use_label_in_table(std::string_view name, std::uint32_t table, std::uint32_t entry, Spot at);
  bool has_label_at(std::uint32_t instruction) const;

  // A copy of `name` that lives as long as this table: for keys that are not views of the text.
  std::string_view keep_copy(std::string_view name) { return kept_.emplace_front(name); }

  // "did you mean %r12?" or nothing.
  std::string suggest(std::string_view name) const;

 private:
  struct Family {
    std::string_view prefix;
    std::uint32_t count = 0;
    Type type = Type::None;
    std::vector<std::uint32_t> index;  // number -> register + 1, as far as named
  };
  struct Scope {
    std::uint32_t id = 0;
    std::unordered_map<std::string_view, NameEntry> names;
    std::vector<Family> families;
  };
  // Inline assembly repeats labels: `{ LOOP: ... bra LOOP; }` any number of times.
  struct LabelKey {
    std::string_view name;
    std::uint32_t scope = 0;
    bool operator==(const LabelKey&) const = default;
  };
  struct LabelHash {
    std::size_t operator()(const LabelKey& k) const {
      return std::hash<std::string_view>{}(k.name) ^ k.scope * 0x9e3779b97f4a7c15ull;
    }
  };
  struct Label {
    std::uint32_t instruction = 0;
    Spot at;
  };
  struct LabelUse {
    std::string_view name;
    std::uint32_t scope = 0;
    std::uint32_t instruction = 0;  // or entry of a table
    std::uint32_t table = kNoTarget;
    Spot at;
  };

  void check_new(const Scope& scope, std::string_view name, Spot at) const;
  std::uint32_t resolve(const LabelUse& use) const;
  std::uint32_t new_register(std::string_view name, Type type);
  std::optional<std::uint32_t> find_in_family(Scope& scope, std::string_view name, std::string_view prefix,
                                              std::uint32_t number);

  const Source& source_;
  Module& module_;
  const ParseLimits& limits_;
  std::unordered_map<std::string_view, NameEntry> globals_;
  std::forward_list<std::string> kept_;
  Function* function_ = nullptr;
  std::uint64_t declared_registers_ = 0;
  std::vector<Scope> scopes_;
  std::vector<std::uint32_t> scope_parent_;  // of every scope of the function, also closed ones
  std::unordered_map<LabelKey, Label, LabelHash> labels_;
  std::vector<LabelUse> label_uses_;
  std::uint32_t last_label_ = kNoTarget;
};

// The closest of `candidates` so far to `name`, by edit distance; feed candidates one by one.
class ClosestName {
 public:
  explicit ClosestName(std::string_view wanted);
  void offer(std::string_view candidate);
  std::string_view best() const { return best_; }  // empty when none is close

 private:
  std::string_view wanted_;
  std::string_view best_;
  std::size_t distance_;
};

}  // namespace heddle::ptx
