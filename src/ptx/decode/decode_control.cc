// Control flow, synchronisation, and what passes between the lanes of a warp.
#include <fmt/format.h>

#include "ptx/decode/decode.h"

namespace heddle::ptx {

void decode_bra(Decoder& d, const Root&) {
  d.in().uniform = d.take(Mod::Uni);
  d.label("a label");
}

void decode_brx(Decoder& d, const Root&) {
  Instr& i = d.in();
  if (!d.take(Mod::Idx)) d.fail_missing(".idx");
  i.uniform = d.take(Mod::Uni);
  i.type = Type::U32;
  d.src(Type::U32);
  const RawOperand& list = d.next("the name of a .branchtargets list");
  const auto entry = d.find(list);
  if (!entry || entry->kind != NameEntry::Kind::BranchTable)
    d.fail_at(list, fmt::format("expected the name of a .branchtargets list, found '{}'", list.text),
              d.symbols().suggest(list.text));
  i.target = entry->index;
}

// ret, exit, trap, brkpt
void decode_plain(Decoder& d, const Root& r) {
  if (r.op == Op::Ret) d.in().uniform = d.take(Mod::Uni);
}

// Hints to hardware that Heddle need not model: whatever they say, they change no result.
void decode_ignored(Decoder& d, const Root&) {
  Instr& i = d.in();
  for (const Mod m : {Mod::Wait, Mod::LaunchDependents, Mod::Global, Mod::L2, Mod::Harmless, Mod::Inc,
                      Mod::Dec, Mod::Sync, Mod::Aligned})
    d.take(m);
  while (d.take_type() != Type::None) {
  }
  while (d.left() > 0) d.next("");
  i.type = Type::None;
}

namespace {

void barrier_reduction(Decoder& d) {
  static constexpr Choice<BarRedOp> kOps[] = {
      {Mod::Popc, BarRedOp::Popc}, {Mod::And, BarRedOp::And}, {Mod::Or, BarRedOp::Or}};
  Instr& i = d.in();
  i.op = Op::BarRed;
  d.pick_required(kOps, i.bar_red, "one of .popc, .and and .or");
  i.type = d.type({Type::U32, Type::Pred});
  if ((i.bar_red == BarRedOp::Popc) != (i.type == Type::U32))
    d.fail("bar.red.popc gives .u32, .and and .or .pred");
  d.dst(i.type);
  d.src_at(0, Type::U32);
  if (d.left() > 1) d.src_at(1, Type::U32);
  d.src_at(2, Type::Pred);
}

}  // namespace

// bar and barrier; bar is barrier.aligned.
void decode_bar(Decoder& d, const Root& r) {
  Instr& i = d.in();
  if (d.has(Mod::Cluster)) d.refuse("clusters are not supported", "compile for compute_80");
  d.take(Mod::Cta);
  i.aligned = d.take(Mod::Aligned) || r.name == "bar";
  if (d.take(Mod::Warp)) {
    if (!d.take(Mod::Sync)) d.fail_missing(".sync");
    i.op = Op::BarWarp;
    i.sync_mask = true;
    i.aligned = true;
    return d.src(Type::B32);
  }
  if (d.take(Mod::Red)) return barrier_reduction(d);
  if (d.take(Mod::Arrive)) {
    i.op = Op::BarArrive;
    d.src(Type::U32);
    return d.src(Type::U32);
  }
  if (!d.take(Mod::Sync)) d.fail_missing("one of .sync, .arrive and .red");
  d.src(Type::U32);
  if (d.left() > 0) d.src(Type::U32);
}

// fence.proxy.async and fence.proxy.alias. There is one way to memory here, so only the order of what the
// thread did before is left; where they name .shared memory, not even that.
static void decode_proxy_fence(Decoder& d) {
  if (!d.take(Mod::Async) && !d.take(Mod::Alias))
    d.refuse("fences of this memory proxy are not supported", "fence.proxy.async and .alias are");
  d.space();
}

// membar.{cta,gl,sys} is fence.sc of that scope.
void decode_membar(Decoder& d, const Root&) {
  Instr& i = d.in();
  if (d.take(Mod::Proxy)) return decode_proxy_fence(d);
  if (d.take(Mod::MbarrierInit)) {
    // fence.mbarrier_init.release.cluster: an init is seen at once by all who can ask.
    if (!d.take(Mod::Release) || !d.take(Mod::Cluster)) d.fail_missing(".release.cluster");
    i.space = Space::Shared;
    return;
  }
  static constexpr Choice<MemOrder> kOrders[] = {{Mod::Sc, MemOrder::SeqCst},
                                                 {Mod::AcqRel, MemOrder::AcqRel},
                                                 {Mod::Acquire, MemOrder::Acquire},
                                                 {Mod::Release, MemOrder::Release}};
  static constexpr Choice<Scope> kFenceScopes[] = {{Mod::Cta, Scope::Cta},
                                                   {Mod::Cluster, Scope::Cluster},
                                                   {Mod::Gpu, Scope::Gpu},
                                                   {Mod::Gl, Scope::Gpu},
                                                   {Mod::Sys, Scope::Sys}};
  i.order = MemOrder::SeqCst;
  if (!d.pick(kOrders, i.order) && d.fmt_opcode().starts_with("fence")) i.order = MemOrder::AcqRel;
  d.pick_required(kFenceScopes, i.scope, "a scope such as .gpu");
}

void decode_nanosleep(Decoder& d, const Root&) {
  d.in().type = d.type({Type::U32});
  d.src(Type::U32);
}

void decode_shfl(Decoder& d, const Root&) {
  static constexpr Choice<ShflMode> kModes[] = {{Mod::Up, ShflMode::Up},
                                                {Mod::Down, ShflMode::Down},
                                                {Mod::Bfly, ShflMode::Bfly},
                                                {Mod::Idx, ShflMode::Idx}};
  Instr& i = d.in();
  i.sync_mask = d.take(Mod::Sync);
  d.pick_required(kModes, i.shfl, "one of .up, .down, .bfly and .idx");
  i.type = d.type({Type::B32});
  d.dst_pair(i.type, Type::Pred, false);
  d.src(i.type);
  d.src(Type::B32);
  d.src(Type::B32);
  if (i.sync_mask) d.src(Type::B32);
}

void decode_vote(Decoder& d, const Root&) {
  static constexpr Choice<VoteMode> kModes[] = {{Mod::All, VoteMode::All},
                                                {Mod::Any, VoteMode::Any},
                                                {Mod::Uni, VoteMode::Uni},
                                                {Mod::Ballot, VoteMode::Ballot}};
  Instr& i = d.in();
  i.sync_mask = d.take(Mod::Sync);
  d.pick_required(kModes, i.vote, "one of .all, .any, .uni and .ballot");
  i.type = d.type({Type::Pred, Type::B32});
  if ((i.vote == VoteMode::Ballot) != (i.type == Type::B32))
    d.fail("vote.ballot gives .b32, the other votes .pred");
  d.dst(i.type);
  d.src(Type::Pred);
  if (i.sync_mask) d.src(Type::B32);
}

void decode_match(Decoder& d, const Root&) {
  static constexpr Choice<MatchMode> kModes[] = {{Mod::Any, MatchMode::Any}, {Mod::All, MatchMode::All}};
  Instr& i = d.in();
  i.sync_mask = d.take(Mod::Sync);
  if (!i.sync_mask) d.fail_missing(".sync");
  d.pick_required(kModes, i.match, "one of .any and .all");
  i.type = d.type({Type::B32, Type::B64});
  if (i.match == MatchMode::All) {
    d.dst_pair(Type::B32, Type::Pred, false);
  } else {
    d.dst(Type::B32);
  }
  d.src(i.type);
  d.src(Type::B32);
}

void decode_activemask(Decoder& d, const Root&) {
  d.in().type = d.type({Type::B32});
  d.dst(Type::B32);
}

void decode_redux(Decoder& d, const Root&) {
  static constexpr Choice<ReduxOp> kOps[] = {{Mod::Add, ReduxOp::Add}, {Mod::Min, ReduxOp::Min},
                                             {Mod::Max, ReduxOp::Max}, {Mod::And, ReduxOp::And},
                                             {Mod::Or, ReduxOp::Or},   {Mod::Xor, ReduxOp::Xor}};
  Instr& i = d.in();
  i.sync_mask = d.take(Mod::Sync);
  if (!i.sync_mask) d.fail_missing(".sync");
  d.pick_required(kOps, i.redux, "an operation such as .add");
  i.type = d.type({Type::U32, Type::S32, Type::B32});
  d.dst(i.type);
  d.src(i.type);
  d.src(Type::B32);
}

void decode_elect(Decoder& d, const Root&) {
  Instr& i = d.in();
  i.sync_mask = d.take(Mod::Sync);
  if (!i.sync_mask) d.fail_missing(".sync");
  i.type = Type::B32;
  d.dst_pair(Type::B32, Type::Pred, true);
  d.src(Type::B32);
}

}  // namespace heddle::ptx
