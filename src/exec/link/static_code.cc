#include "exec/link/static_code.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "exec/image/kernel_image.h"
#include "exec/link/machine_form.h"
#include "exec/link/result_barriers.h"
#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/liveness.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::MemOrder;
using ptx::Op;
using ptx::Operand;
using ptx::Space;
using workload::InstrClass;
using workload::RegisterId;
using workload::StaticInstr;
using workload::WarpAccess;

// RegisterNumbers of a function's registers.
class RegisterNumbers {
 public:
  explicit RegisterNumbers(const FunctionImage& f) : f_(f) {}

  bool wide(const Operand& o) const {
    return o.kind == Operand::Kind::Reg && ptx::bits(f_.source->registers[o.index].type) > 32;
  }
  std::uint32_t number(const Operand& o) const {
    const std::uint32_t slot = f_.registers.slot[o.index];
    if (o.kind == Operand::Kind::Pred) return f_.registers.slots32 + f_.registers.slots64 + slot;
    return wide(o) ? f_.registers.slots32 + slot : slot;
  }
  std::uint32_t condition_code() const {
    return f_.registers.slots32 + f_.registers.slots64 + f_.registers.predicates;
  }

 private:
  const FunctionImage& f_;
};

class Decoder {
 public:
  Decoder(const KernelImage& image, const FunctionImage& f)
      : image_(image), function_(f), numbers_(f), read_(f.source->registers.size()) {
    for (const Instr& in : f.source->instrs)
      ptx::for_each_use(*f.source, in, [&](std::uint32_t r) { read_.insert(r); });
  }

  StaticInstr decode(const Instr& in);
  // The registers of fragments: into `s` what has room there, the others as records of their own.
  std::vector<StaticInstr> add_fragments(const Instr& in, StaticInstr& s);
  WarpAccess access_template(const Instr& in) const;
  std::uint32_t registers() const { return registers_; }

 private:
  void classify_access(const Instr& in, StaticInstr& s) const;
  static void use_machine_form(const Instr& in, StaticInstr& s);
  void add_control_flags(const Instr& in, StaticInstr& s) const;
  bool kernel_parameter(const Instr& in) const;
  void read(StaticInstr& s, const Operand& o);
  void write(StaticInstr& s, const Operand& o);
  void read(StaticInstr& s, std::uint32_t number, bool wide);
  void write(StaticInstr& s, std::uint32_t number, bool wide);
  RegisterId use(std::uint32_t number);

  const KernelImage& image_;
  const FunctionImage& function_;
  RegisterNumbers numbers_;
  ptx::RegSet read_;  // by anybody
  std::uint32_t registers_ = 0;
};

bool is_register(const Operand& o) {
  return o.kind == Operand::Kind::Reg || o.kind == Operand::Kind::Pred;
}

// Whoever else looks at memory must see what the warp did before.
bool releases(const Instr& in) {
  return in.order == MemOrder::Release || in.order == MemOrder::AcqRel || in.order == MemOrder::SeqCst;
}

// What follows must see what others outside the CTA did before (tools/probes/fences.cu).
bool acquires(const Instr& in) {
  const bool orders =
      in.order == MemOrder::Acquire || in.order == MemOrder::AcqRel || in.order == MemOrder::SeqCst;
  const bool beyond_cta =
      in.scope == ptx::Scope::Cluster || in.scope == ptx::Scope::Gpu || in.scope == ptx::Scope::Sys;
  return orders && beyond_cta;
}

StaticInstr::Copies copy_groups(const Instr& in) {
  return in.bulk == ptx::BulkCopy::Group ? StaticInstr::Copies::Bulk : StaticInstr::Copies::Lanes;
}

// Must not be served by an L1, which may hold an old value.
bool passes_l1(const Instr& in) {
  if (in.cache == ptx::CacheHint::Cg || in.cache == ptx::CacheHint::Cv) return true;
  return in.order == MemOrder::Volatile || (in.order != MemOrder::Weak && in.scope != ptx::Scope::Cta);
}

RegisterId Decoder::use(std::uint32_t number) {
  registers_ = std::max(registers_, number + 1);
  if (registers_ > 0xffff)
    throw Error(image_.module->place(function_.source->line),
                fmt::format("'{}' needs more than 65535 registers", function_.source->name));
  return static_cast<RegisterId>(number);
}

void Decoder::read(StaticInstr& s, std::uint32_t number, bool wide) {
  const RegisterId id = use(number);
  if (std::find(s.src.begin(), s.src.begin() + s.n_src, id) != s.src.begin() + s.n_src) return;
  // The coordinates of some texture and surface instructions do not fit; those execute only when no result is
  // under way to the warp (texture_operands.h), so only the time at which they issue depends on it.
  if (s.n_src == s.src.size()) return;
  if (wide) s.wide_src |= static_cast<std::uint8_t>(1u << s.n_src);
  s.src.at(s.n_src++) = id;
}
void Decoder::write(StaticInstr& s, std::uint32_t number, bool wide) {
  if (wide) s.wide_dst |= static_cast<std::uint8_t>(1u << s.n_dst);
  s.dst.at(s.n_dst++) = use(number);
}
void Decoder::read(StaticInstr& s, const Operand& o) {
  if (is_register(o)) read(s, numbers_.number(o), numbers_.wide(o));
}
void Decoder::write(StaticInstr& s, const Operand& o) {
  if (is_register(o)) write(s, numbers_.number(o), numbers_.wide(o));
}

// ld.param of the launch's arguments; other parameters belong to calls.
bool Decoder::kernel_parameter(const Instr& in) const {
  if (in.address.kind != Operand::Kind::Symbol) return function_.source->entry;
  const ptx::Symbol& s = image_.module->symbols[in.address.index];
  return s.kind == ptx::Symbol::Kind::Formal && image_.module->functions[s.function].entry;
}

// A comparison and a guarded copy for each; one alone is nothing but a name.
void choose_register(const Instr& in, StaticInstr& s) {
  s.flags &= static_cast<std::uint8_t>(~StaticInstr::kMemory);
  s.cls = in.elements == 1 ? InstrClass::Move : InstrClass::IntMinMax;
  if (in.elements == 1) return;
  s.repeat = static_cast<std::uint8_t>(2 * in.elements);
  s.set_extra(2 * in.elements - 1u, 0);
}

void Decoder::classify_access(const Instr& in, StaticInstr& s) const {
  const bool load = ptx::is_load(in.op);
  const bool atomic = in.op == Op::Atom || in.op == Op::Red;
  s.flags |= StaticInstr::kMemory;
  switch (in.space) {
    case Space::Param:
      s.cls = kernel_parameter(in) ? InstrClass::LoadParam : InstrClass::Move;
      // At a fixed place the value is the instruction's own; hardware passes arguments of calls in registers.
      if (s.cls == InstrClass::Move || in.address.kind == Operand::Kind::Symbol)
        s.flags &= static_cast<std::uint8_t>(~StaticInstr::kMemory);
      break;
    case Space::Local:
      s.cls = load ? InstrClass::Load : InstrClass::Store;
      if (in.elements != 0) choose_register(in, s);
      break;
    case Space::Const:
      s.cls = InstrClass::LoadConst;
      break;
    case Space::Shared:
      s.cls = atomic ? InstrClass::AtomicShared : load ? InstrClass::LoadShared : InstrClass::StoreShared;
      break;
    default:
      s.cls = atomic ? InstrClass::Atomic : load ? InstrClass::Load : InstrClass::Store;
      if (atomic) s.flags |= StaticInstr::kDeferred;
  }
  if (releases(in)) s.flags |= StaticInstr::kFence;
  if (acquires(in)) s.wide_dst |= StaticInstr::kAcquires;
}

void Decoder::use_machine_form(const Instr& in, StaticInstr& s) {
  const MachineForm form = machine_form(in);
  s.cls = form.cls;
  s.repeat = form.repeat;
  s.set_extra(form.slots, form.latency);
}

void Decoder::add_control_flags(const Instr& in, StaticInstr& s) const {
  switch (in.op) {
    case Op::Call:
    case Op::Ret:
      s.flags |= StaticInstr::kBranch | StaticInstr::kCall;
      break;
    case Op::Exit:
      s.flags |= StaticInstr::kBranch | StaticInstr::kExit;
      break;
    case Op::Bra:
    case Op::BrxIdx:
      s.flags |= StaticInstr::kBranch;
      break;
    case Op::BarSync:
    case Op::BarArrive:
    case Op::BarRed:
      s.flags |= StaticInstr::kBarrier;
      break;
    case Op::Membar:
      // Nothing of shared memory is under way.
      if (in.space != Space::Shared) s.flags |= StaticInstr::kFence;
      if (in.scope == ptx::Scope::Cta) s.set_cta_scope();
      if (acquires(in)) s.wide_dst |= StaticInstr::kAcquires;
      break;
    case Op::CpAsyncCommit:
      s.flags |= StaticInstr::kCopies;
      s.set_copies(copy_groups(in), 0);
      break;
    case Op::CpAsyncWait:
      s.flags |= StaticInstr::kCopies | StaticInstr::kFence;
      s.set_copies(copy_groups(in), in.n_src == 0 ? StaticInstr::kAllCopies : in.src[0].value);
      break;
    case Op::Tex:
    case Op::Tld4:
    case Op::Suld:
    case Op::Sust:
    case Op::CpAsync:
    case Op::CpAsyncBulk:
      s.flags |= StaticInstr::kMemory;
      break;
    case Op::Sured:
      s.flags |= StaticInstr::kMemory | StaticInstr::kDeferred;
      break;
    case Op::Mbarrier:
      if (in.mbarrier != ptx::MbarrierOp::PendingCount) s.flags |= StaticInstr::kMemory;
      // The copies of the warp arrive before it does.
      if (in.mbarrier == ptx::MbarrierOp::CopyArrive) {
        s.flags |= StaticInstr::kFence | StaticInstr::kCopies;
        s.set_copies(StaticInstr::Copies::Lanes, StaticInstr::kAllCopies);
      }
      break;
    default:
      break;
  }
  // The entry's return is its exit.
  if (in.op == Op::Ret && function_.source->entry)
    s.flags = static_cast<std::uint8_t>((s.flags & ~StaticInstr::kCall) | StaticInstr::kExit);
}

StaticInstr Decoder::decode(const Instr& in) {
  StaticInstr s;
  const bool access = ptx::is_load(in.op) || ptx::is_store(in.op) || in.op == Op::Atom || in.op == Op::Red;
  if (access) {
    classify_access(in, s);
  } else {
    s.cls = instruction_class(in);
    s.repeat =
        in.op == Op::Mma ? matrix_passes(function_.source->matrices[in.matrix]) : instruction_repeat(in);
    if (function_.source->machine_code && in.matrix == ptx::kNoTarget) use_machine_form(in, s);
    add_control_flags(in, s);
    if (ptx::prefetches_lines(in)) {
      s.cls = InstrClass::Load;
      s.flags |= StaticInstr::kMemory;
    }
  }
  read(s, in.guard);
  if (s.n_src != 0) s.wide_src |= StaticInstr::kGuarded;
  read(s, in.address);
  for (unsigned i = 0; i < in.n_src; ++i) read(s, in.src[i]);
  if (in.op == Op::Call) read(s, function_.source->calls[in.call].pointer);
  if (in.carry_in) read(s, numbers_.condition_code(), false);
  // Some lanes keep what the register has: it must be there. Code as written does not wait for it.
  if (in.guard.kind == Operand::Kind::Pred && !in.fresh && function_.source->assembled_registers)
    for (unsigned i = 0; i < in.n_dst && s.n_src < StaticInstr::kSourcesBeforeRest; ++i) read(s, in.dst[i]);
  // Components of a texel that nobody reads are not fetched: they share a register with others of the kind.
  const bool texel = in.op == Op::Tex || in.op == Op::Tld4;
  if (texel && in.tex != ptx::TexGeometry::T1d) s.wide_dst |= StaticInstr::kPlane;
  for (unsigned i = 0; i < in.n_dst; ++i)
    if (!texel || i == 0 || !is_register(in.dst[i]) || read_.contains(in.dst[i].index)) write(s, in.dst[i]);
  if (in.carry_out) write(s, numbers_.condition_code(), false);
  return s;
}

std::vector<StaticInstr> Decoder::add_fragments(const Instr& in, StaticInstr& first) {
  std::vector<StaticInstr> records;
  if (in.matrix == ptx::kNoTarget) return records;
  const ptx::MatrixInstr& m = function_.source->matrices[in.matrix];
  std::vector<Operand> sources, results;
  for (const ptx::Fragment* f : {&m.a, &m.b, &m.c})
    std::copy_if(f->reg.begin(), f->reg.begin() + f->count, std::back_inserter(sources), is_register);
  std::copy_if(m.d.reg.begin(), m.d.reg.begin() + m.d.count, std::back_inserter(results), is_register);
  std::size_t s = 0, d = 0;
  while (s < sources.size() && first.n_src < StaticInstr::kSourcesBeforeRest) read(first, sources[s++]);
  while (d < results.size() && first.n_dst < first.dst.size()) write(first, results[d++]);
  while (s < sources.size() || d < results.size()) {
    StaticInstr& r = records.emplace_back();
    while (s < sources.size() && r.n_src < r.src.size()) read(r, sources[s++]);
    while (d < results.size() && r.n_dst < r.dst.size()) write(r, results[d++]);
  }
  return records;
}

// Shared memory adds, compares and exchanges integers of 32 bits, and exchanges 64.
bool loops_around_swap(const Instr& in) {
  if (in.op != Op::Atom && in.op != Op::Red) return false;
  return ptx::is_float(in.type) || (ptx::bits(in.type) == 64 && in.atom != ptx::AtomOp::Exch);
}

WarpAccess::Manner manner(const Instr& in) {
  using Manner = WarpAccess::Manner;
  if ((in.op == Op::Tex || in.op == Op::Tld4) && in.tex != ptx::TexGeometry::T1d) return Manner::Plane;
  if (in.one_address) return Manner::Uniform;
  if (in.op == Op::Atom && in.atom == ptx::AtomOp::Cas) return Manner::Swap;
  return loops_around_swap(in) ? Manner::Loop : Manner::Plain;
}

WarpAccess Decoder::access_template(const Instr& in) const {
  WarpAccess a;
  if (in.op == Op::Tex || in.op == Op::Tld4 || in.op == Op::Suld) a.space = WarpAccess::Space::Texture;
  a.manner = manner(in);
  if (in.op == Op::Sured) a.kind = WarpAccess::Kind::Reduce;
  if (ptx::is_store(in.op) || in.op == Op::Sust || in.bulk == ptx::BulkCopy::SharedToGlobal)
    a.kind = WarpAccess::Kind::Store;
  const bool changes_barrier = in.op == Op::Mbarrier && in.mbarrier != ptx::MbarrierOp::TestWait;
  if (in.op == Op::Atom || in.op == Op::Red || changes_barrier)
    a.kind = in.n_dst > 0 && in.dst[0].kind == Operand::Kind::Reg ? WarpAccess::Kind::Atomic
                                                                  : WarpAccess::Kind::Reduce;
  if (passes_l1(in)) a.cache = WarpAccess::Cache::L2Only;
  return a;
}

// What an entry of machine code begins with: the stack's address, and where global memory is accessed, its
// descriptor.
void add_prologue(const ptx::Function& f, StaticInstr& first) {
  const bool global = std::any_of(f.instrs.begin(), f.instrs.end(), [](const Instr& in) {
    return (ptx::is_load(in.op) || ptx::is_store(in.op) || in.op == Op::Atom || in.op == Op::Red) &&
           in.space != Space::Shared && in.space != Space::Param && in.space != Space::Const;
  });
  first.set_extra(first.extra_slots() + (global ? 2 : 1), first.extra_latency());
}

void find_shared_barriers(KernelImage& image, const FunctionImage& f) {
  std::vector<bool> starts(f.end_pc - f.entry_pc);
  for (const ptx::Block& b : ptx::build_control_flow(*f.source).blocks)
    if (b.first < starts.size()) starts[b.first] = true;
  share_result_barriers(std::span(image.statics).subspan(f.entry_pc, starts.size()), starts);
}

}  // namespace

void decode_statics(KernelImage& image) {
  image.statics.resize(image.code.size());
  image.access_templates.resize(image.code.size());
  image.static_registers = 0;
  for (const FunctionImage& f : image.functions) {
    Decoder decoder(image, f);
    PipeBalance balance;
    for (std::uint32_t pc = f.entry_pc; pc < f.end_pc; ++pc) {
      image.statics[pc] = decoder.decode(*image.code[pc].instr);
      if (f.source->machine_code) balance.add(*image.code[pc].instr, image.statics[pc]);
      image.code[pc].flags = image.statics[pc].flags;
      image.access_templates[pc] = decoder.access_template(*image.code[pc].instr);
      const std::vector<StaticInstr> rest = decoder.add_fragments(*image.code[pc].instr, image.statics[pc]);
      if (rest.empty()) continue;
      image.statics[pc].more = static_cast<std::uint8_t>(rest.size());
      image.statics[pc].set_rest(static_cast<std::uint32_t>(image.statics.size()));
      image.statics.insert(image.statics.end(), rest.begin(), rest.end());
    }
    if (f.source->machine_code && f.source->entry && f.entry_pc < f.end_pc)
      add_prologue(*f.source, image.statics[f.entry_pc]);
    if (f.source->machine_code) find_shared_barriers(image, f);
    image.static_registers = std::max(image.static_registers, decoder.registers());
  }
}

}  // namespace heddle::exec
