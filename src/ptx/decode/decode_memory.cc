// Loads, stores, atomics, asynchronous copies.
#include <fmt/format.h>

#include "ptx/decode/decode.h"

namespace heddle::ptx {
namespace {

constexpr Choice<CacheHint> kLoadHints[] = {{Mod::Ca, CacheHint::Ca},
                                            {Mod::Cg, CacheHint::Cg},
                                            {Mod::Cs, CacheHint::Cs},
                                            {Mod::Lu, CacheHint::Lu},
                                            {Mod::Cv, CacheHint::Cv}};
constexpr Choice<CacheHint> kStoreHints[] = {
    {Mod::Wb, CacheHint::Wb}, {Mod::Cg, CacheHint::Cg}, {Mod::Cs, CacheHint::Cs}, {Mod::Wt, CacheHint::Wt}};
constexpr Choice<MemOrder> kOrders[] = {
    {Mod::Weak, MemOrder::Weak},       {Mod::Volatile, MemOrder::Volatile}, {Mod::Relaxed, MemOrder::Relaxed},
    {Mod::Acquire, MemOrder::Acquire}, {Mod::Release, MemOrder::Release},   {Mod::AcqRel, MemOrder::AcqRel}};
constexpr Choice<AtomOp> kAtomOps[] = {
    {Mod::Add, AtomOp::Add}, {Mod::And, AtomOp::And},   {Mod::Or, AtomOp::Or},   {Mod::Xor, AtomOp::Xor},
    {Mod::Cas, AtomOp::Cas}, {Mod::Exch, AtomOp::Exch}, {Mod::Inc, AtomOp::Inc}, {Mod::Dec, AtomOp::Dec},
    {Mod::Min, AtomOp::Min}, {Mod::Max, AtomOp::Max}};

constexpr TypeSet kAtomTypes = {Type::B16,    Type::B32, Type::B64, Type::U32,   Type::U64,
                                Type::S32,    Type::S64, Type::F16, Type::F16x2, Type::BF16,
                                Type::BF16x2, Type::F32, Type::F64};

void memory_modifiers(Decoder& d) {
  d.space();
  d.scope();
  d.pick(kOrders, d.in().order);
  d.take(Mod::Harmless);  // eviction priorities and prefetch sizes change no value
  d.vector_width();
}

std::span<const RawOperand> elements(Decoder& d, const RawOperand& raw) {
  const unsigned n = d.in().vector;
  if (n == 1) {
    // {%r1} is accepted for a scalar.
    if (raw.kind == RawOperand::Kind::Vector && raw.count == 1) return d.children(raw);
    return {&raw, 1};
  }
  if (raw.kind != RawOperand::Kind::Vector || raw.count != n)
    d.fail_at(raw, fmt::format("expected a vector of {} elements as operand of {}", n, d.fmt_opcode()));
  return d.children(raw);
}

void check_vector_size(Decoder& d) {
  if (bytes(d.in().type) * d.in().vector > 16) d.refuse("vectors of more than 16 bytes are not supported");
}

// Ordered and volatile accesses make sense only where other threads look.
void check_order(Decoder& d) {
  const Instr& i = d.in();
  const bool shared_by_threads =
      i.space == Space::Generic || i.space == Space::Global || i.space == Space::Shared;
  if (i.order != MemOrder::Weak && !shared_by_threads)
    d.fail(fmt::format("{}: only weak accesses reach .{} memory", d.fmt_opcode(), name(i.space)));
}

void check_atom_type(Decoder& d) {
  const Instr& i = d.in();
  const bool is_bit_type = i.type == Type::B16 || i.type == Type::B32 || i.type == Type::B64;
  bool ok = true;
  switch (i.atom) {
    case AtomOp::Add:
      ok = !is_bit_type;
      break;
    case AtomOp::And:
    case AtomOp::Or:
    case AtomOp::Xor:
      ok = is_bit_type && bits(i.type) >= 32;
      break;
    case AtomOp::Inc:
    case AtomOp::Dec:
      ok = i.type == Type::U32;
      break;
    case AtomOp::Min:
    case AtomOp::Max:
      ok = !is_bit_type && !is_float(i.type);
      break;
    case AtomOp::Exch:
      ok = is_bit_type && bits(i.type) >= 32;
      break;
    default:
      ok = is_bit_type;
      break;
  }
  if (!ok) d.refuse(fmt::format("this atomic operation does not take the type .{}", name(i.type)));
}

}  // namespace

// The policy operand of .L2::cache_hint changes no value either.
void drop_cache_policy(Decoder& d) {
  if (d.take(Mod::CacheHint)) d.next("a cache policy");
}

// A further address in [ ], as the next source.
void second_address(Decoder& d, Space space, std::int64_t& offset, std::string_view what) {
  const RawOperand& raw = d.next(what);
  if (raw.kind != RawOperand::Kind::Address || raw.count != 1)
    d.fail_at(raw, fmt::format("expected {} of {} in [ ], found '{}'", what, d.fmt_opcode(), raw.text));
  Instr& i = d.in();
  i.src[i.n_src++] = d.address_operand(raw, offset, space);
}

void decode_ld(Decoder& d, const Root& r) {
  Instr& i = d.in();
  memory_modifiers(d);
  d.pick(kLoadHints, i.cache);
  check_order(d);
  if (d.take(Mod::Nc) || r.name == "ldu") {
    if (i.space != Space::Global && r.name != "ldu")
      d.fail(fmt::format("{}: .nc loads are of .global memory", d.fmt_opcode()));
    i.cache = CacheHint::Nc;
  }
  i.type = d.type(r.types);
  check_vector_size(d);
  const RawOperand& to = d.next("a destination");
  for (const RawOperand& e : elements(d, to)) d.add_dst(e, i.type, Decoder::Width::Wider);
  d.address();
  drop_cache_policy(d);
}

void decode_st(Decoder& d, const Root& r) {
  Instr& i = d.in();
  memory_modifiers(d);
  d.pick(kStoreHints, i.cache);
  if (d.has(Mod::Async)) d.refuse("asynchronous stores to clusters are not supported");
  check_order(d);
  i.type = d.type(r.types);
  check_vector_size(d);
  d.address();
  if (i.space == Space::Const) d.fail(fmt::format("{}: .const memory cannot be written", d.fmt_opcode()));
  if (i.address.kind == Operand::Kind::Symbol &&
      d.module().symbols[i.address.index].kind == Symbol::Kind::Formal)
    d.fail(fmt::format("{}: '{}' is a parameter of this function: it can only be read", d.fmt_opcode(),
                       d.module().symbols[i.address.index].name));
  const RawOperand& from = d.next("a value to store");
  for (const RawOperand& e : elements(d, from)) d.add_src(e, i.type, Decoder::Width::Wider);
  drop_cache_policy(d);
}

// atom d, [a], b{, c} and red [a], b
void decode_atom(Decoder& d, const Root& r) {
  Instr& i = d.in();
  if (d.has(Mod::Async)) d.refuse("asynchronous reductions in clusters are not supported");
  if (d.has(Mod::V2) || d.has(Mod::V4)) d.refuse("vector atomics are not supported");
  memory_modifiers(d);
  d.take(Mod::Noftz);
  d.pick_required(kAtomOps, i.atom, "an operation such as .add");
  i.type = d.type(kAtomTypes);
  check_atom_type(d);
  if (r.op == Op::Atom) d.dst(i.type);
  d.address();
  if (i.space == Space::Const || i.space == Space::Param || i.space == Space::Local)
    d.fail(fmt::format("{}: atomics work on .global and .shared memory", d.fmt_opcode()));
  d.src(i.type);
  if (i.atom == AtomOp::Cas) d.src(i.type);
  drop_cache_policy(d);
}

void decode_prefetch(Decoder& d, const Root&) {
  Instr& i = d.in();
  d.space();
  d.take(Mod::L1);
  d.take(Mod::L2);
  d.take(Mod::Harmless);
  if (d.has(Mod::Tensor)) d.refuse("tensor-map prefetch (TMA) is not supported");
  i.cache = d.has(Mod::L1) ? CacheHint::Ca : CacheHint::Cg;
  d.address();
}

// cp.async [dst], [src], size{, src-size}, cp.async.commit_group, cp.async.wait_group N, cp.async.wait_all,
// cp.async.mbarrier.arrive [addr]
void decode_cp(Decoder& d, const Root&) {
  Instr& i = d.in();
  if (d.has(Mod::ReduceMod))
    d.refuse("reductions by bulk copies are not supported", "use red or atom, or compile for compute_80");
  if (!d.take(Mod::Async)) d.fail_missing(".async");
  if (d.take(Mod::Bulk)) return decode_bulk_copy(d);
  if (d.take(Mod::Mbarrier)) return decode_copy_arrival(d);
  if (d.take(Mod::CommitGroup)) {
    i.op = Op::CpAsyncCommit;
    return;
  }
  if (d.take(Mod::WaitAll)) {
    i.op = Op::CpAsyncWait;  // no source: every copy, also those of no group
    return;
  }
  if (d.take(Mod::WaitGroup)) {
    i.op = Op::CpAsyncWait;
    i.type = Type::U32;
    i.src[i.n_src++] = {Operand::Kind::Imm, false, 0,
                        d.immediate("the number of groups that may be pending")};
    return;
  }
  static constexpr Choice<CacheHint> kHints[] = {{Mod::Ca, CacheHint::Ca}, {Mod::Cg, CacheHint::Cg}};
  d.pick_required(kHints, i.cache, "one of .ca and .cg");
  if (!d.take(Mod::Shared) || !d.take(Mod::Global)) d.fail_missing(".shared.global");
  d.take(Mod::Harmless);
  i.space = Space::Shared;
  d.address();
  second_address(d, Space::Global, i.offset2, "a source address");
  const std::uint64_t size = d.immediate("the number of bytes");
  if (size != 4 && size != 8 && size != 16)
    d.fail(fmt::format("cp.async copies 4, 8 or 16 bytes, found {}", size));
  if (i.cache == CacheHint::Cg && size != 16) d.fail("cp.async.cg copies 16 bytes");
  i.cp_size = static_cast<std::uint8_t>(size);
  const bool policy = d.take(Mod::CacheHint);
  if (d.left() > (policy ? 1u : 0u)) d.src(Type::U32);
  if (policy) d.next("a cache policy");
}

}  // namespace heddle::ptx
