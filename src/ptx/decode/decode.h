// From an opcode with its modifiers and operands as written to an Instr.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ptx/ir/module.h"
#include "ptx/text/lexer.h"
#include "ptx/text/modifiers.h"
#include "ptx/text/operand.h"
#include "ptx/text/symbol_table.h"

namespace heddle::ptx {

// A set of types, for "add takes these".
class TypeSet {
 public:
  constexpr TypeSet() = default;
  constexpr TypeSet(std::initializer_list<Type> types) {
    for (const Type t : types) bits_ |= 1u << static_cast<unsigned>(t);
  }
  constexpr bool has(Type t) const { return (bits_ >> static_cast<unsigned>(t) & 1u) != 0; }
  constexpr TypeSet operator|(TypeSet other) const {
    TypeSet s;
    s.bits_ = bits_ | other.bits_;
    return s;
  }

 private:
  std::uint32_t bits_ = 0;
};

// Which modifiers a root takes that mean the same everywhere.
// clang-format off
enum Allow : std::uint32_t {
  kRound = 1u << 0, kFtz = 1u << 1, kSat = 1u << 2, kRelu = 1u << 3, kApprox = 1u << 4, kFull = 1u << 5,
  kNaN = 1u << 6, kXorsign = 1u << 7, kCc = 1u << 8, kHalf = 1u << 9,
};
// clang-format on

class Decoder;

// One row of the table of roots.
struct Root {
  std::string_view name;
  Op op = Op::Nop;
  void (*decode)(Decoder& d, const Root& root) = nullptr;
  TypeSet types;
  std::uint8_t sources = 0;
  std::uint32_t allow = 0;
};
// nullptr when there is no such instruction.
const Root* find_root(std::string_view name);
// The known root closest to a misspelt one; empty when none is close.
std::string_view closest_root(std::string_view name);

template <class E>
struct Choice {
  Mod mod;
  E value;
};

struct Refusal {
  std::string instruction;
  std::string reason;
};

class Decoder {
 public:
  Decoder(const Source& source, SymbolTable& symbols, const Module& module)
      : source_(source), symbols_(symbols), module_(module) {}

  // Fills `instr`. What Heddle does not support is an Error, or with `collect` a Refusal.
  std::optional<Refusal> decode(Instr& instr, const Token& root, Modifiers& mods, const RawOperands& operands,
                                Function& function, bool collect);

  // For guards and initialisers, outside of an instruction.
  Operand predicate(const RawOperand& raw, const Function& function, std::string_view what);
  std::uint64_t constant(const RawOperand& raw, Type type, std::string_view what) const;

  // ---- for the decode functions of the table ----
  Instr& in() { return *instr_; }
  bool take(Mod m) { return mods_->take(m); }
  bool has(Mod m) const { return mods_->has(m); }
  Type take_type() { return mods_->take_type(); }
  std::string_view take_shape() { return mods_->take_shape(); }
  // Refuses the instruction for a modifier that nothing took: before operands whose number depends on it.
  void refuse_unused();
  void add_matrix(const MatrixInstr& m);
  // The next type of the opcode, which must be in `allowed`.
  Type type(TypeSet allowed);
  void flags(std::uint32_t allow);
  void half(bool required);
  void space();  // .global and its like; Generic when none is written
  void scope();
  void vector_width();

  template <class E, std::size_t N>
  bool pick(const Choice<E> (&table)[N], E& out) {
    bool found = false;
    for (const Choice<E>& c : table) {
      if (!mods_->has(c.mod)) continue;
      if (found) fail(fmt_opcode() + " has two modifiers of one kind");
      mods_->take(c.mod);
      out = c.value;
      found = true;
    }
    return found;
  }
  template <class E, std::size_t N>
  void pick_required(const Choice<E> (&table)[N], E& out, std::string_view what) {
    if (!pick(table, out)) fail_missing(what);
  }

  std::size_t left() const { return operands_->list.size() - next_; }
  const RawOperand& peek() const { return operands_->list[next_]; }
  const RawOperand& next(std::string_view what);
  std::span<const RawOperand> children(const RawOperand& o) const { return operands_->children(o); }
  bool has_pair(const RawOperand& o) const { return o.pair != 0; }
  const RawOperand& pair(const RawOperand& o) const { return operands_->pool[o.pair - 1u]; }

  // How a register's width may differ from the instruction's type.
  enum class Width : std::uint8_t { Exact, Wider };
  void dst(Type t, Width width = Width::Exact);       // next operand, a register or _
  void dst_pair(Type t, Type second, bool required);  // d|p
  void src(Type t, Width width = Width::Exact);       // next operand: register or constant
  void add_dst(const RawOperand& raw, Type t, Width width = Width::Exact);
  void add_src(const RawOperand& raw, Type t, Width width = Width::Exact, bool special = false);
  void src_at(std::size_t index, Type t);
  void address();  // [a+offset] into address and offset
  Operand address_operand(const RawOperand& raw, std::int64_t& offset, Space& space);
  std::uint64_t immediate(std::string_view what);  // an integer constant
  void label(std::string_view what);
  Operand symbol_operand(const RawOperand& raw, std::uint32_t symbol) const;
  std::optional<NameEntry> find(const RawOperand& raw) { return symbols_.find(raw.text); }
  Operand source_operand(const RawOperand& raw, Type t, Width width, bool special, const std::string& what);
  std::string source_place(std::size_t n) const;
  std::uint32_t instruction_index() const { return static_cast<std::uint32_t>(function_->instrs.size() - 1); }
  SymbolTable& symbols() { return symbols_; }
  const Module& module() const { return module_; }

  std::string fmt_opcode() const;
  [[noreturn]] void fail(std::string message, std::string advice = {}) const;
  [[noreturn]] void fail_at(const RawOperand& raw, std::string message, std::string advice = {}) const;
  [[noreturn]] void fail_missing(std::string_view what) const;
  [[noreturn]] void refuse(std::string reason, std::string advice = {});

 private:
  Operand register_operand(const RawOperand& raw, std::uint32_t index, Type t, Width width,
                           const std::string& what) const;
  [[noreturn]] void fail_name(const RawOperand& raw, const std::string& what) const;
  void finish();

  const Source& source_;
  SymbolTable& symbols_;
  const Module& module_;
  Instr* instr_ = nullptr;
  Modifiers* mods_ = nullptr;
  const RawOperands* operands_ = nullptr;
  const Function* function_ = nullptr;
  std::vector<MatrixInstr>* matrices_ = nullptr;  // of the same function
  Token root_;
  std::size_t next_ = 0;
  bool refused_ = false;
  std::string refusal_;
};

// The special register of a name such as "%tid.x".
std::optional<Sreg> find_sreg(std::string_view name);
unsigned sreg_bits(Sreg s);

// Decode functions, by subject.
void decode_arith(Decoder& d, const Root& r);
void decode_refused(Decoder& d, const Root& r);

void decode_mul(Decoder& d, const Root& r);
void decode_div(Decoder& d, const Root& r);
void decode_special_function(Decoder& d, const Root& r);
void decode_testp(Decoder& d, const Root& r);
void decode_dot_product(Decoder& d, const Root& r);
void decode_vabsdiff(Decoder& d, const Root& r);

void decode_logic(Decoder& d, const Root& r);
void decode_shift(Decoder& d, const Root& r);
void decode_count(Decoder& d, const Root& r);
void decode_bit_field(Decoder& d, const Root& r);
void decode_funnel_shift(Decoder& d, const Root& r);
void decode_lop3(Decoder& d, const Root& r);
void decode_prmt(Decoder& d, const Root& r);
void decode_bmsk(Decoder& d, const Root& r);
void decode_fns(Decoder& d, const Root& r);

void decode_setp(Decoder& d, const Root& r);
void decode_set(Decoder& d, const Root& r);
void decode_selp(Decoder& d, const Root& r);
void decode_slct(Decoder& d, const Root& r);
void decode_mov(Decoder& d, const Root& r);
void decode_cvt(Decoder& d, const Root& r);
void decode_cvta(Decoder& d, const Root& r);
void decode_isspacep(Decoder& d, const Root& r);

void decode_ld(Decoder& d, const Root& r);
void decode_st(Decoder& d, const Root& r);
void decode_atom(Decoder& d, const Root& r);
void decode_prefetch(Decoder& d, const Root& r);
void decode_cp(Decoder& d, const Root& r);
void decode_mbarrier(Decoder& d, const Root& r);
void decode_copy_arrival(Decoder& d);
void decode_bulk_copy(Decoder& d);
void drop_cache_policy(Decoder& d);
void second_address(Decoder& d, Space space, std::int64_t& offset, std::string_view what);
void decode_tex(Decoder& d, const Root& r);
void decode_tld4(Decoder& d, const Root& r);
void decode_txq(Decoder& d, const Root& r);
void decode_surface(Decoder& d, const Root& r);

void decode_wmma(Decoder& d, const Root& r);
void decode_mma(Decoder& d, const Root& r);
void decode_ldmatrix(Decoder& d, const Root& r);
void decode_stmatrix(Decoder& d, const Root& r);
void decode_movmatrix(Decoder& d, const Root& r);

void decode_bra(Decoder& d, const Root& r);
void decode_brx(Decoder& d, const Root& r);
void decode_plain(Decoder& d, const Root& r);
void decode_ignored(Decoder& d, const Root& r);
void decode_bar(Decoder& d, const Root& r);
void decode_membar(Decoder& d, const Root& r);
void decode_nanosleep(Decoder& d, const Root& r);
void decode_shfl(Decoder& d, const Root& r);
void decode_vote(Decoder& d, const Root& r);
void decode_match(Decoder& d, const Root& r);
void decode_activemask(Decoder& d, const Root& r);
void decode_redux(Decoder& d, const Root& r);
void decode_elect(Decoder& d, const Root& r);

}  // namespace heddle::ptx
