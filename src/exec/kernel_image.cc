#include "exec/kernel_image.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include <fmt/format.h>

#include "exec/bind.h"
#include "exec/bind_alu.h"
#include "exec/builtins.h"
#include "exec/fixed_access.h"
#include "exec/in_step.h"
#include "exec/separate_ctas.h"
#include "exec/static_code.h"

namespace heddle::exec {
namespace {

using ptx::Function;
using ptx::Instr;
using ptx::Module;
using ptx::Op;
using ptx::Operand;
using ptx::Space;
using ptx::Symbol;
using ptx::Type;
using ptx::Variable;

// Of every compute capability (CUDA C++ Programming Guide, technical specifications).
constexpr std::uint64_t kMostLocalBytes = 512u << 10;

std::uint64_t align_up(std::uint64_t v, std::uint64_t a) {
  return a <= 1 ? v : (v + a - 1) / a * a;
}

// Where a function's formals and variables lie in its frame. Formals first and in order, so that a caller
// that only has the prototype knows their places.
struct FrameLayout {
  std::vector<std::uint32_t> returns, params, variables;
  std::uint64_t bytes = 0;

  explicit FrameLayout(const Function& f) {
    std::uint64_t at = 0;
    std::uint64_t frame_align = 16;
    auto put = [&](const Variable& v) {
      at = align_up(at, v.align);
      frame_align = std::max<std::uint64_t>(frame_align, v.align);
      const auto offset = static_cast<std::uint32_t>(at);
      at += v.size;
      return offset;
    };
    if (!f.entry) {
      for (const Variable& v : f.returns) returns.push_back(put(v));
      for (const Variable& v : f.params) params.push_back(put(v));
    }
    for (const Variable& v : f.variables)
      variables.push_back(v.space == Space::Local || v.space == Space::Param ? put(v) : 0);
    // A call takes room for its return address: recursion without anything else on the stack ends, too.
    if (!f.entry) at = std::max<std::uint64_t>(at, 16);
    bytes = align_up(at, frame_align);
  }
};

class Linker final : public Binder {
 public:
  Linker(const Module& module, const VariableAddresses& variables, KernelImage& image)
      : module_(module), variables_(variables), image_(image) {}

  void link(std::uint32_t entry);

  Place place(const Operand& o, Type element) override;
  PredSlot predicate(const Operand& o) override;
  Type register_type(const Operand& o) const override { return function().registers[o.index].type; }
  Place constant32(std::uint32_t v) override { return constant(v, false); }
  Place constant64(std::uint64_t v) override { return constant(v, true); }
  std::int64_t keep(std::span<const Place> places) override {
    const auto first = static_cast<std::int64_t>(image_.places.size());
    image_.places.insert(image_.places.end(), places.begin(), places.end());
    return first;
  }
  void unsupported(const std::string& why) override;
  Resolved resolve(const Operand& o) override;
  bool in_entry() const override { return function().entry; }
  const ptx::MatrixInstr& matrix(const Instr& in) const override { return function().matrices[in.matrix]; }
  std::uint32_t add_matrix(MatrixCode code) override {
    image_.matrices.push_back(std::move(code));
    return static_cast<std::uint32_t>(image_.matrices.size() - 1);
  }

 private:
  const Function& function() const { return *image_.functions[current_].source; }
  std::uint32_t add_function(std::uint32_t module_index);
  void collect_functions(std::uint32_t entry);
  void collect_shared();
  bool asks_for_reserved_shared() const;
  void bind_function(std::uint32_t index);
  void bind_instruction(const Instr& in, Code& code, const ptx::ControlFlow& cf, std::uint32_t at);
  bool bind_arithmetic(const Instr& in, Code& code);
  void bind_predicate_logic(const Instr& in, Code& code);
  Place lanes(const Operand& o, unsigned bits);
  void bind_call(const Instr& in, Code& code);
  void bind_branch(const Instr& in, Code& code, const ptx::ControlFlow& cf, std::uint32_t at);
  std::uint32_t frame_offset(const Symbol& s) const;
  void check_frame(const Function& f, std::uint64_t bytes) const;
  void measure_stack();
  std::uint32_t deepest(std::uint32_t f, std::vector<std::uint8_t>& state, std::vector<std::uint32_t>& depth);
  Place constant(std::uint64_t v, bool wide);
  Place special(ptx::Sreg r, bool wide);
  void finish_constants();

  const Module& module_;
  const VariableAddresses& variables_;
  KernelImage& image_;
  std::uint32_t current_ = 0;
  const Instr* instr_ = nullptr;
  std::map<std::uint32_t, std::uint32_t> image_index_;      // by module function
  std::vector<FrameLayout> frames_;                         // by image function
  std::vector<std::vector<std::uint32_t>> callees_;         // by image function
  std::vector<std::uint32_t> address_taken_;                // image indices
  std::map<std::uint32_t, std::uint32_t> shared_variable_;  // module variable -> offset
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
      shared_local_;  // (module function, variable)
  std::map<std::pair<std::uint64_t, bool>, std::uint32_t> constant_at_;
  std::map<std::pair<ptx::Sreg, bool>, std::uint32_t> special_at_;
  std::uint32_t constant_bytes_ = 0;
};

template <class F>
void for_each_symbol(const Instr& in, F&& f) {
  auto visit = [&](const Operand& o) {
    if (o.kind == Operand::Kind::Symbol) f(o.index);
  };
  visit(in.address);
  for (unsigned i = 0; i < in.n_src; ++i) visit(in.src[i]);
}

void Linker::check_frame(const Function& f, std::uint64_t bytes) const {
  if (bytes <= kMostLocalBytes) return;
  const Variable* largest = nullptr;
  for (const auto* list : {&f.variables, &f.params, &f.returns})
    for (const Variable& v : *list)
      if ((v.space == Space::Local || v.space == Space::Param) &&
          (largest == nullptr || v.size > largest->size))
        largest = &v;
  throw Error(module_.place(largest != nullptr ? largest->line : f.line),
              fmt::format("'{}' needs {} bytes of local memory for each thread; no card gives more than {}",
                          f.name, bytes, kMostLocalBytes),
              largest == nullptr
                  ? ""
                  : fmt::format("Its largest variable is '{}' with {} bytes.", largest->name, largest->size));
}

std::uint32_t Linker::add_function(std::uint32_t module_index) {
  if (auto it = image_index_.find(module_index); it != image_index_.end()) return it->second;
  const Function& f = module_.functions[module_index];
  const auto index = static_cast<std::uint32_t>(image_.functions.size());
  image_index_[module_index] = index;
  image_.functions.emplace_back();
  image_.functions.back().source = &f;
  image_.functions.back().module_index = module_index;
  frames_.emplace_back(f);
  callees_.emplace_back();
  check_frame(f, frames_.back().bytes);
  image_.functions.back().frame_bytes = static_cast<std::uint32_t>(frames_.back().bytes);
  return index;
}

// The entry and everything it can reach. A function whose address is taken anywhere in the module may be
// reached through any indirect call.
void Linker::collect_functions(std::uint32_t entry) {
  add_function(entry);
  bool indirect = false;
  auto scan = [&](std::uint32_t index) {
    const Function& f = *image_.functions[index].source;
    for (const Instr& in : f.instrs) {
      for_each_symbol(in, [&](std::uint32_t s) {
        // The address of a kernel is for launching it.
        if (module_.symbols[s].kind == Symbol::Kind::Function &&
            !module_.functions[module_.symbols[s].index].entry)
          address_taken_.push_back(add_function(module_.symbols[s].index));
      });
      if (in.op != Op::Call) continue;
      image_.calls_anything = true;
      const ptx::CallSite& site = f.calls[in.call];
      if (site.callee == ~0u)
        indirect = true;
      else if (!module_.functions[site.callee].external) {
        const std::uint32_t callee = add_function(site.callee);  // may move callees_
        callees_[index].push_back(callee);
      }
    }
  };
  std::uint32_t done = 0;
  for (; done < image_.functions.size(); ++done) scan(done);
  if (!indirect) return;
  // Another kernel may have stored the pointer.
  for (const Function& f : module_.functions)
    for (const Instr& in : f.instrs)
      for_each_symbol(in, [&](std::uint32_t s) {
        if (module_.symbols[s].kind == Symbol::Kind::Function &&
            !module_.functions[module_.symbols[s].index].external &&
            !module_.functions[module_.symbols[s].index].entry)
          address_taken_.push_back(add_function(module_.symbols[s].index));
      });
  for (const Variable& v : module_.variables)
    for (const ptx::Relocation& r : v.relocations)
      if (module_.symbols[r.symbol].kind == Symbol::Kind::Function &&
          !module_.functions[module_.symbols[r.symbol].index].external &&
          !module_.functions[module_.symbols[r.symbol].index].entry)
        address_taken_.push_back(add_function(module_.symbols[r.symbol].index));
  for (; done < image_.functions.size(); ++done) scan(done);
}

bool Linker::asks_for_reserved_shared() const {
  for (const FunctionImage& f : image_.functions)
    for (const Instr& in : f.source->instrs)
      for (unsigned i = 0; i < in.n_src; ++i) {
        const auto reg = static_cast<ptx::Sreg>(in.src[i].index);
        if (in.src[i].kind == Operand::Kind::Sreg && reg >= ptx::Sreg::ReservedSmemBegin &&
            reg <= ptx::Sreg::ReservedSmem1)
          return true;
      }
  return false;
}

// Static shared variables in the order of first use, then `extern .shared` behind them all.
void Linker::collect_shared() {
  std::uint64_t at = asks_for_reserved_shared() ? kReservedShared : 0;
  std::vector<std::uint32_t> dynamic;
  auto put = [&](const Variable& v) {
    at = align_up(at, v.align);
    const auto offset = static_cast<std::uint32_t>(at);
    at += v.size;
    return offset;
  };
  for (const FunctionImage& fi : image_.functions) {
    const Function& f = *fi.source;
    for (std::uint32_t i = 0; i < f.variables.size(); ++i)
      if (f.variables[i].space == Space::Shared) shared_local_[{fi.module_index, i}] = put(f.variables[i]);
    for (const Instr& in : f.instrs)
      for_each_symbol(in, [&](std::uint32_t s) {
        const Symbol& symbol = module_.symbols[s];
        if (symbol.kind != Symbol::Kind::Variable || shared_variable_.contains(symbol.index)) return;
        const Variable& v = module_.variables[symbol.index];
        if (v.space != Space::Shared) return;
        if (v.external && v.size == 0)
          dynamic.push_back(symbol.index);
        else
          shared_variable_[symbol.index] = put(v);
      });
  }
  for (std::uint32_t v : dynamic) at = align_up(at, std::max(16u, module_.variables[v].align));
  for (std::uint32_t v : dynamic) shared_variable_[v] = static_cast<std::uint32_t>(at);
  if (at > (1u << 30))
    throw Error(module_.place(image_.functions[0].source->line),
                fmt::format("kernel '{}' declares {} bytes of shared memory", image_.name, at));
  image_.static_shared = static_cast<std::uint32_t>(at);
}

Place Linker::constant(std::uint64_t v, bool wide) {
  auto [it, added] = constant_at_.try_emplace({v, wide}, constant_bytes_);
  if (added) constant_bytes_ += static_cast<std::uint32_t>(wide ? 2 * kSlotBytes : kSlotBytes);
  return Place(Place::Constants, it->second);
}

void Linker::finish_constants() {
  image_.constants.assign(constant_bytes_ / 8 + 8, 0);
  auto start = reinterpret_cast<std::uintptr_t>(image_.constants.data());
  image_.constant_bank = reinterpret_cast<std::byte*>(align_up(start, 64));
  for (const auto& [key, offset] : constant_at_) {
    std::byte* const p = image_.constant_bank + offset;
    const auto narrow = static_cast<std::uint32_t>(key.first);
    for (int i = 0; i < kLanes; ++i) {
      if (key.second)
        std::memcpy(p + 8 * i, &key.first, 8);
      else
        std::memcpy(p + 4 * i, &narrow, 4);
    }
  }
}

Place Linker::special(ptx::Sreg r, bool wide) {
  auto [it, added] = special_at_.try_emplace({r, wide}, image_.special_bytes);
  if (added) {
    image_.specials.push_back({r, wide, image_.special_bytes});
    image_.special_bytes += static_cast<std::uint32_t>(wide ? 2 * kSlotBytes : kSlotBytes);
  }
  return Place(Place::Specials, it->second);
}

Place Linker::place(const Operand& o, Type element) {
  const ptx::RegisterAllocation& registers = image_.functions[current_].registers;
  const auto slots64_bytes = static_cast<std::uint32_t>(registers.slots64 * 2 * kSlotBytes);
  switch (o.kind) {
    case Operand::Kind::None:
      return {};
    case Operand::Kind::Reg: {
      const std::uint32_t slot = registers.slot[o.index];
      if (ptx::bits(register_type(o)) > 32)
        return Place(Place::Registers, static_cast<std::uint32_t>(slot * 2 * kSlotBytes));
      return Place(Place::Registers, slots64_bytes + static_cast<std::uint32_t>(slot * kSlotBytes));
    }
    case Operand::Kind::Imm:
      if (ptx::bits(element) == 64) return constant64(o.value);
      return constant32(static_cast<std::uint32_t>(ptx::bits(element) == 16 ? o.value & 0xffff : o.value));
    case Operand::Kind::Sreg:
      return special(static_cast<ptx::Sreg>(o.index), ptx::bits(element) == 64);
    case Operand::Kind::Symbol: {
      const Resolved r = resolve(o);
      if (r.kind == Resolved::Kind::FrameRelative)
        unsupported("the address of a local variable as an operand");
      return ptx::bits(element) == 64 ? constant64(r.value) : constant32(static_cast<std::uint32_t>(r.value));
    }
    case Operand::Kind::Sink:
    case Operand::Kind::Pred:  // scratch behind the registers
      return Place(Place::Registers,
                   static_cast<std::uint32_t>(image_.functions[current_].register_bytes() - 2 * kSlotBytes));
  }
  return {};
}

PredSlot Linker::predicate(const Operand& o) {
  if (o.kind == Operand::Kind::Pred)
    return static_cast<PredSlot>(image_.functions[current_].registers.slot[o.index] + 2);
  if (o.kind == Operand::Kind::Imm) return o.value != 0 ? kPredTrue : kPredFalse;
  return kPredFalse;
}

void Linker::unsupported(const std::string& why) {
  throw Error(module_.place(instr_->line, instr_->column),
              fmt::format("'{}' in '{}' is not supported: {}", std::string(ptx::name(instr_->op)),
                          function().name, why),
              "See docs/limits.md for what Heddle executes.");
}

std::uint32_t Linker::frame_offset(const Symbol& s) const {
  const FrameLayout& layout = frames_[image_index_.at(s.function)];
  switch (s.kind) {
    case Symbol::Kind::FunctionVariable:
      return layout.variables[s.index];
    case Symbol::Kind::Formal:
      return layout.params[s.index];
    case Symbol::Kind::ReturnFormal:
      return layout.returns[s.index];
    default:
      return 0;
  }
}

Binder::Resolved Linker::resolve(const Operand& o) {
  const Symbol& s = module_.symbols[o.index];
  switch (s.kind) {
    case Symbol::Kind::Function:
      return {Resolved::Kind::Fixed, function_address(s.index) + o.value};
    case Symbol::Kind::Variable: {
      const Variable& v = module_.variables[s.index];
      if (v.texture) unsupported(fmt::format("'{}' is a texture reference; use texture objects", v.name));
      if (v.space == Space::Shared) return {Resolved::Kind::Fixed, shared_variable_.at(s.index) + o.value};
      if (variables_[s.index] == 0)
        unsupported(fmt::format("'{}' is declared but defined in no loaded module", v.name));
      return {Resolved::Kind::Fixed, variables_[s.index] + o.value};
    }
    case Symbol::Kind::Formal:
      if (module_.functions[s.function].entry)
        return {Resolved::Kind::EntryParam, module_.functions[s.function].params[s.index].offset + o.value};
      break;
    case Symbol::Kind::FunctionVariable:
      if (module_.functions[s.function].variables[s.index].space == Space::Shared)
        return {Resolved::Kind::Fixed, shared_local_.at({s.function, s.index}) + o.value};
      break;
    case Symbol::Kind::ReturnFormal:
      break;
  }
  return {Resolved::Kind::FrameRelative, frame_offset(s) + o.value};
}

// Operands as bind_alu.h lays them out.
bool Linker::bind_arithmetic(const Instr& in, Code& c) {
  c.handler = bind_alu(in);
  if (c.handler == nullptr) return false;
  if (in.type == Type::Pred && in.op != Op::Setp) {
    bind_predicate_logic(in, c);
    return true;
  }
  unsigned next = 0;
  Place* const slots[3] = {&c.a, &c.b, &c.c};
  for (unsigned i = 0; i < in.n_src; ++i) {
    const Operand& o = in.src[i];
    const bool predicate_operand =
        o.kind == Operand::Kind::Pred || (i == 2 && (in.op == Op::Selp || in.bool_op != ptx::BoolOp::None));
    if (predicate_operand) {
      c.p = predicate(o);
      c.p_flip = o.negated ? kAllLanes : 0;
      continue;
    }
    const Place p = lanes(o, alu_source_bits(in, i));
    if (next < 3)
      *slots[next] = p;
    else
      c.imm = p.bits();
    ++next;
  }
  if (in.op == Op::Setp || in.op == Op::Testp) {
    c.pd = predicate(in.dst[0]);
    if (in.n_dst > 1) c.pq = predicate(in.dst[1]);
  } else {
    c.d = lanes(in.dst[0], alu_result_bits(in));
    if (in.op == Op::Unpack) {
      if (in.n_dst > 1) c.b = lanes(in.dst[1], alu_result_bits(in));
      if (in.n_dst > 2) c.c = lanes(in.dst[2], alu_result_bits(in));
      if (in.n_dst > 3) c.imm = lanes(in.dst[3], alu_result_bits(in)).bits();
    }
  }
  return true;
}

void Linker::bind_predicate_logic(const Instr& in, Code& c) {
  c.pd = predicate(in.dst[0]);
  c.p = predicate(in.src[0]);
  c.p_flip = in.src[0].negated ? kAllLanes : 0;
  if (in.n_src > 1) c.imm = predicate(in.src[1]) | (in.src[1].negated ? 1 << 16 : 0);
}

// A lane vector of the width the handler expects; PTX lets some registers be wider than the instruction.
Place Linker::lanes(const Operand& o, unsigned bits) {
  if (o.kind == Operand::Kind::Reg && (ptx::bits(register_type(o)) == 64) != (bits == 64))
    unsupported(fmt::format("{} is a .{} register where {} bits are used", function().registers[o.index].name,
                            std::string(ptx::name(register_type(o))), bits));
  return place(o, bits == 64 ? Type::B64 : bits == 16 ? Type::B16 : Type::B32);
}

void Linker::bind_call(const Instr& in, Code& c) {
  const Function& f = function();
  const ptx::CallSite& site = f.calls[in.call];
  const std::uint32_t signature = site.callee != ~0u ? site.callee : site.prototype;
  CallInfo info;
  if (signature == ~0u) unsupported("an indirect call without a prototype");
  const Function& callee = module_.functions[signature];
  const FrameLayout layout(callee);
  check_frame(callee, layout.bytes);
  if (site.callee != ~0u && callee.external) {
    info.builtin = find_builtin(callee.name);
    image_.uses_heap |= needs_heap(info.builtin);
    image_.launches |= launches(info.builtin);
    if (info.builtin == Builtin::None)
      unsupported(callee.name.starts_with("__cudaCDP")
                      ? fmt::format("'{}' belongs to a part of dynamic parallelism that Heddle does not have",
                                    callee.name)
                      : fmt::format("'{}' is declared but defined in no loaded module", callee.name));
  } else if (site.callee != ~0u) {
    info.function = image_index_.at(site.callee);
  }
  if (site.arguments.size() != callee.params.size() || site.returns.size() > callee.returns.size())
    unsupported(fmt::format("'{}' takes {} parameters, the call gives {}", callee.name, callee.params.size(),
                            site.arguments.size()));
  const auto copy = [&](std::uint32_t symbol, std::uint32_t to, std::uint64_t size) {
    const auto bytes = static_cast<std::uint32_t>(size);
    info.callee_bytes = std::max(info.callee_bytes, to + bytes);
    return ParamCopy{frame_offset(module_.symbols[symbol]), to, bytes};
  };
  for (std::size_t i = 0; i < site.arguments.size(); ++i)
    info.arguments.push_back(copy(site.arguments[i], layout.params[i], callee.params[i].size));
  for (std::size_t i = 0; i < site.returns.size(); ++i)
    info.results.push_back(copy(site.returns[i], layout.returns[i], callee.returns[i].size));
  c.a = site.callee != ~0u ? Place::from_bits(kNone) : place(site.pointer, Type::U64);
  c.imm = static_cast<std::int64_t>(image_.calls.size());
  image_.calls.push_back(std::move(info));
}

void Linker::bind_branch(const Instr& in, Code& c, const ptx::ControlFlow& cf, std::uint32_t at) {
  const std::uint32_t base = image_.functions[current_].entry_pc;
  std::uint32_t meet = cf.reconvergence(cf.block_of[at]);
  if (meet != kNone) meet += base;
  std::uint32_t target;
  if (in.op == Op::Bra) {
    target = base + in.target;
  } else {
    target = static_cast<std::uint32_t>(image_.branch_tables.size());
    std::vector<std::uint32_t> table = function().branch_tables[in.target];
    for (std::uint32_t& t : table) t += base;
    image_.branch_tables.push_back(std::move(table));
  }
  c.imm = static_cast<std::int64_t>(std::uint64_t{meet} << 32 | target);
}

void Linker::bind_instruction(const Instr& in, Code& c, const ptx::ControlFlow& cf, std::uint32_t at) {
  instr_ = &in;
  c.instr = &in;
  if (in.guard.kind != Operand::Kind::None) {
    c.guard = predicate(in.guard);
    c.guard_flip = in.guard.negated ? kAllLanes : 0;
  }
  if (in.op == Op::Call) bind_call(in, c);
  if (in.op == Op::Bra || in.op == Op::BrxIdx) bind_branch(in, c, cf, at);
  const bool bound = bind_control(in, *this, c) || bind_memory(in, *this, c) || bind_copy(in, *this, c) ||
                     bind_atomic(in, *this, c) || bind_texture(in, *this, c) || bind_surface(in, *this, c) ||
                     bind_address(in, *this, c) || bind_collective(in, *this, c) ||
                     bind_barrier(in, *this, c) || bind_mbarrier(in, *this, c) || bind_bulk(in, *this, c) ||
                     bind_mma(in, *this, c) || bind_fragment(in, *this, c) || bind_matrix(in, *this, c) ||
                     bind_wide_convert(in, *this, c) || bind_arithmetic(in, c);
  if (!bound || c.handler == nullptr) unsupported("this combination of types and modifiers");
  if (const auto wrong = outside_access(module_, function(), in)) {
    if (always_executed(function(), cf, at))
      throw Error(module_.place(in.line, in.column),
                  fmt::format("{}, in '{}'", wrong->message, function().name), wrong->advice);
    c.handler = fault_outside;
  }
}

void Linker::bind_function(std::uint32_t index) {
  current_ = index;
  const Function& f = function();
  const ptx::ControlFlow cf = ptx::build_control_flow(f);
  FunctionImage& fi = image_.functions[index];
  fi.registers = ptx::allocate_registers(f, cf);
  if (fi.registers.predicates + 2 > 0xffff)
    throw Error(module_.place(f.line), fmt::format("'{}' has too many predicates", f.name));
  fi.entry_pc = static_cast<std::uint32_t>(image_.code.size());
  image_.code.resize(image_.code.size() + f.instrs.size() + 1);
  for (std::uint32_t i = 0; i < f.instrs.size(); ++i)
    bind_instruction(f.instrs[i], image_.code[fi.entry_pc + i], cf, i);
  // Falling off the end returns.
  static const Instr implicit_return = [] {
    Instr in;
    in.op = Op::Ret;
    return in;
  }();
  instr_ = &implicit_return;
  Code& last = image_.code.back();
  last.instr = &implicit_return;
  bind_control(implicit_return, *this, last);
  fi.end_pc = static_cast<std::uint32_t>(image_.code.size());
}

std::uint32_t Linker::deepest(std::uint32_t f, std::vector<std::uint8_t>& state,
                              std::vector<std::uint32_t>& depth) {
  if (state[f] == 2) return depth[f];
  if (state[f] == 1) {
    image_.recursive = true;
    return 0;
  }
  state[f] = 1;
  std::uint32_t below = 0;
  for (std::uint32_t c : callees_[f]) below = std::max(below, deepest(c, state, depth));
  state[f] = 2;
  // What is too much stays too much.
  return depth[f] = static_cast<std::uint32_t>(
             std::min<std::uint64_t>(std::uint64_t{image_.functions[f].frame_bytes} + below, UINT32_MAX));
}

void Linker::measure_stack() {
  // Indirect calls may reach every function whose address is taken.
  for (std::uint32_t i = 0; i < image_.functions.size(); ++i)
    for (const ptx::CallSite& site : image_.functions[i].source->calls)
      if (site.callee == ~0u)
        callees_[i].insert(callees_[i].end(), address_taken_.begin(), address_taken_.end());
  std::vector<std::uint8_t> state(image_.functions.size(), 0);
  std::vector<std::uint32_t> depth(image_.functions.size(), 0);
  image_.local_bytes = deepest(0, state, depth);
  if (image_.local_bytes > kMostLocalBytes)
    throw Error(module_.place(image_.functions[0].source->line),
                fmt::format("kernel '{}' and the functions it calls need {} bytes of local memory for each "
                            "thread; no card gives more than {}",
                            image_.name, image_.local_bytes, kMostLocalBytes));
}

void Linker::link(std::uint32_t entry) {
  collect_functions(entry);
  collect_shared();
  image_.param_bytes = module_.functions[entry].param_bytes;
  for (std::uint32_t i = 0; i < image_.functions.size(); ++i) bind_function(i);
  measure_stack();
  finish_constants();
  image_.registers_per_thread =
      ptx::registers_per_thread(*image_.functions[0].source, image_.functions[0].registers);
}

}  // namespace

std::uint32_t KernelImage::function_of(std::uint32_t pc) const {
  for (std::uint32_t i = 0; i < functions.size(); ++i)
    if (pc >= functions[i].entry_pc && pc < functions[i].end_pc) return i;
  return 0;
}

SourcePlace KernelImage::place(std::uint32_t pc) const {
  const ptx::Instr* in = code[std::min<std::size_t>(pc, code.size() - 1)].instr;
  return module->place(in->line, in->column);
}

std::uint32_t KernelImage::function_at(std::uint64_t address) const {
  for (std::uint32_t i = 0; i < functions.size(); ++i)
    if (function_address(functions[i].module_index) == address) return i;
  return kNone;
}

std::unique_ptr<KernelImage> make_kernel_image(const Module& module, std::uint32_t entry,
                                               const VariableAddresses& variables) {
  auto image = std::make_unique<KernelImage>();
  image->name = module.functions[entry].name;
  image->module = &module;
  Linker(module, variables, *image).link(entry);
  decode_statics(*image);
  image->separate_ctas = has_separate_ctas(*image);
  mark_in_step(*image);
  return image;
}

}  // namespace heddle::exec
