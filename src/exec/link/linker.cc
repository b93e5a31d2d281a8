#include "exec/link/linker.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "exec/alu/bind_alu.h"
#include "exec/builtins/builtins.h"
#include "exec/handlers/bind.h"
#include "exec/image/binder.h"
#include "exec/link/call_graph.h"
#include "exec/link/fixed_access.h"
#include "exec/link/frame_layout.h"
#include "exec/link/in_step.h"
#include "exec/link/loop_branches.h"
#include "exec/link/operand_banks.h"
#include "exec/link/separate_ctas.h"
#include "exec/link/shared_layout.h"
#include "exec/link/static_code.h"
#include "exec/texture/bind.h"
#include "ptx/analysis/control_flow.h"

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

// Those of the call graph's functions.
std::vector<FrameLayout> lay_out_frames(const Module& module, const CallGraph& graph) {
  std::vector<FrameLayout> frames;
  for (const std::uint32_t f : graph.functions) {
    frames.emplace_back(module.functions[f]);
    frames.back().check(module, module.functions[f]);
  }
  return frames;
}

class Linker final : public Binder {
 public:
  Linker(const Module& module, std::uint32_t kernel, const VariableAddresses& variables, KernelImage& image)
      : module_(module),
        variables_(variables),
        image_(image),
        graph_(build_call_graph(module, kernel)),
        frames_(lay_out_frames(module, graph_)),
        shared_(module, graph_),
        specials_(image) {}

  void link();

  Place place(const Operand& o, Type element) override;
  PredSlot predicate(const Operand& o) override;
  Type register_type(const Operand& o) const override { return function().registers[o.index].type; }
  Place constant32(std::uint32_t v) override { return constants_.add(v, false); }
  Place constant64(std::uint64_t v) override { return constants_.add(v, true); }
  std::int64_t add_places(std::span<const Place> places) override {
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
  void add_functions();
  void bind_function(std::uint32_t index);
  void bind_instruction(const Instr& in, Code& code, const ptx::ControlFlow& cf, std::uint32_t at);
  bool bind_arithmetic(const Instr& in, Code& code);
  void bind_predicate_logic(const Instr& in, Code& code);
  Place lanes(const Operand& o, unsigned bits);
  void bind_call(const Instr& in, Code& code);
  void bind_branch(const Instr& in, Code& code, const ptx::ControlFlow& cf, std::uint32_t at);
  std::uint32_t frame_offset(const Symbol& s) const;
  void measure_stack();

  const Module& module_;
  const VariableAddresses& variables_;
  KernelImage& image_;
  const CallGraph graph_;
  const std::vector<FrameLayout> frames_;  // by function
  const SharedLayout shared_;
  ConstantBank constants_;
  SpecialBank specials_;
  std::uint32_t current_ = 0;  // function
  const Instr* instr_ = nullptr;
};

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
      return specials_.add(static_cast<ptx::Sreg>(o.index), ptx::bits(element) == 64);
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
  const FrameLayout& layout = frames_[graph_.index_of.at(s.function)];
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
      if (v.space == Space::Shared) return {Resolved::Kind::Fixed, shared_.of_module.at(s.index) + o.value};
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
        return {Resolved::Kind::Fixed, shared_.of_function.at({s.function, s.index}) + o.value};
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
  layout.check(module_, callee);
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
    info.function = graph_.index_of.at(site.callee);
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
  bind_loop_branches(f, cf, fi.entry_pc, image_);
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

void Linker::add_functions() {
  for (std::uint32_t i = 0; i < graph_.functions.size(); ++i) {
    FunctionImage& f = image_.functions.emplace_back();
    f.source = &module_.functions[graph_.functions[i]];
    f.module_index = graph_.functions[i];
    f.frame_bytes = static_cast<std::uint32_t>(frames_[i].bytes);
  }
}

void Linker::measure_stack() {
  std::vector<std::uint32_t> frame_bytes;
  for (const FunctionImage& f : image_.functions) frame_bytes.push_back(f.frame_bytes);
  const StackNeed need = deepest_stack(graph_, frame_bytes);
  image_.local_bytes = need.bytes;
  image_.recursive = need.recursive;
  if (image_.local_bytes > kMostLocalBytes)
    throw Error(module_.place(image_.functions[0].source->line),
                fmt::format("kernel '{}' and the functions it calls need {} bytes of local memory for each "
                            "thread; no card gives more than {}",
                            image_.name, image_.local_bytes, kMostLocalBytes));
}

void Linker::link() {
  add_functions();
  image_.static_shared = shared_.bytes;
  image_.param_bytes = image_.functions[0].source->param_bytes;
  for (std::uint32_t i = 0; i < image_.functions.size(); ++i) bind_function(i);
  measure_stack();
  constants_.finish(image_);
  image_.registers_per_thread =
      ptx::registers_per_thread(*image_.functions[0].source, image_.functions[0].registers);
}

}  // namespace

std::unique_ptr<KernelImage> make_kernel_image(const Module& module, std::uint32_t kernel,
                                               const VariableAddresses& variables) {
  auto image = std::make_unique<KernelImage>();
  image->name = module.functions[kernel].name;
  image->module = &module;
  Linker(module, kernel, variables, *image).link();
  decode_statics(*image);
  image->separate_ctas = has_separate_ctas(*image);
  mark_in_step(*image);
  return image;
}

}  // namespace heddle::exec
