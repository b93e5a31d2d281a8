// Instructions that look across lanes: shuffles, votes, match, reductions.
#include <algorithm>
#include <bit>

#include "exec/handlers/bind.h"
#include "exec/warp/lanes.h"
#include "exec/warp/warp.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::Op;
using ptx::Type;

// The membermask operand is in `a` for vote, match, redux (after their data in `b`) and, for shuffles, in
// the place that `imm` holds. kAllLanes when the instruction has none.
Mask required_lanes(Warp& w, Place mask, Mask active) {
  const std::uint32_t* m = w.in<std::uint32_t>(mask);
  Mask all = 0;
  for (Mask l = active; l != 0; l &= l - 1) all |= m[std::countr_zero(l)];
  return all;
}

Mask join_group(Warp& w, const Code& c, Place mask, Mask active) {
  return c.instr->sync_mask ? w.gather(active, required_lanes(w, mask, active), c) : active;
}

// PTX manual, shfl: lane i reads lane j; out of the segment: its own value and predicate false.
void shuffle(Warp& w, const Code& c, Mask active) {
  const Mask group = join_group(w, c, Place::from_bits(static_cast<std::uint32_t>(c.imm)), active);
  if (group == 0) return;
  std::uint32_t value[kLanes];
  std::copy_n(w.in<std::uint32_t>(c.a), kLanes, value);
  std::uint32_t b[kLanes], clamp[kLanes];
  std::copy_n(w.in<std::uint32_t>(c.b), kLanes, b);
  std::copy_n(w.in<std::uint32_t>(c.c), kLanes, clamp);
  std::uint32_t* d = w.out<std::uint32_t>(c.d);
  Mask valid = 0;
  for (Mask m = group; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const int bound = static_cast<int>(clamp[lane] & 31);
    const int segment = static_cast<int>(clamp[lane] >> 8 & 31);
    const int offset = static_cast<int>(b[lane] & 31);
    const int min_lane = lane & segment;
    const int max_lane = min_lane | (bound & ~segment);
    int j = 0;
    bool p = false;
    switch (c.instr->shfl) {
      case ptx::ShflMode::Up:
        j = lane - offset;
        p = j >= max_lane;
        break;
      case ptx::ShflMode::Down:
        j = lane + offset;
        p = j <= max_lane;
        break;
      case ptx::ShflMode::Bfly:
        j = lane ^ offset;
        p = j <= max_lane;
        break;
      case ptx::ShflMode::Idx:
        j = min_lane | (offset & ~segment);
        p = j <= max_lane;
        break;
    }
    if (!p) j = lane;
    d[lane] = value[j];
    if (p) valid |= 1u << lane;
  }
  w.set_predicate(c.pd, valid, group);
}

void vote(Warp& w, const Code& c, Mask active) {
  const Mask group = join_group(w, c, c.a, active);
  if (group == 0) return;
  const Mask yes = w.predicate(c.p, c.p_flip) & group;
  // Lanes with different membermasks vote among themselves.
  const std::uint32_t* members = c.instr->sync_mask ? w.in<std::uint32_t>(c.a) : nullptr;
  for (Mask m = group; m != 0;) {
    const Mask mine = members != nullptr ? members[std::countr_zero(m)] & group : group;
    Mask same = 0;
    for (Mask l = m; l != 0; l &= l - 1) {
      const int lane = std::countr_zero(l);
      if (members == nullptr || (members[lane] & group) == mine) same |= 1u << lane;
    }
    const Mask votes = yes & mine;
    bool result = false;
    switch (c.instr->vote) {
      case ptx::VoteMode::All:
        result = votes == mine;
        break;
      case ptx::VoteMode::Any:
        result = votes != 0;
        break;
      case ptx::VoteMode::Uni:
        result = votes == 0 || votes == mine;
        break;
      case ptx::VoteMode::Ballot: {
        std::uint32_t* d = w.out<std::uint32_t>(c.d);
        for (Mask l = same; l != 0; l &= l - 1) d[std::countr_zero(l)] = votes;
        break;
      }
    }
    if (c.instr->vote != ptx::VoteMode::Ballot) w.set_predicate(c.pd, result ? kAllLanes : 0, same);
    m &= ~same;
  }
}

template <class T>
void match(Warp& w, const Code& c, Mask active) {
  const Mask group = join_group(w, c, c.a, active);
  if (group == 0) return;
  T value[kLanes];
  std::copy_n(w.in<T>(c.b), kLanes, value);
  const std::uint32_t* members = w.in<std::uint32_t>(c.a);
  std::uint32_t* d = w.out<std::uint32_t>(c.d);
  Mask result[kLanes] = {};
  Mask all_equal = 0, first_of_value = 0;
  for (Mask m = group; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const Mask mine = members[lane] & group;
    Mask equal = 0;
    for (Mask l = mine; l != 0; l &= l - 1)
      if (value[std::countr_zero(l)] == value[lane]) equal |= l & -l;
    first_of_value |= equal & (~equal + 1);
    const bool all = equal == mine;
    if (all) all_equal |= 1u << lane;
    result[lane] = c.instr->match == ptx::MatchMode::Any || all ? equal : 0;
  }
  for (Mask m = group; m != 0; m &= m - 1) d[std::countr_zero(m)] = result[std::countr_zero(m)];
  w.set_predicate(c.pd, all_equal, group);
  w.context().matched_values =
      c.instr->match == ptx::MatchMode::Any ? static_cast<std::uint32_t>(std::popcount(first_of_value)) : 1;
}

std::uint32_t combine(const Instr& in, std::uint32_t a, std::uint32_t b) {
  const bool is_signed = ptx::is_signed(in.type);
  const auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
  switch (in.redux) {
    case ptx::ReduxOp::Add:
      return a + b;
    case ptx::ReduxOp::Min:
      return is_signed ? static_cast<std::uint32_t>(std::min(sa, sb)) : std::min(a, b);
    case ptx::ReduxOp::Max:
      return is_signed ? static_cast<std::uint32_t>(std::max(sa, sb)) : std::max(a, b);
    case ptx::ReduxOp::And:
      return a & b;
    case ptx::ReduxOp::Or:
      return a | b;
    case ptx::ReduxOp::Xor:
      return a ^ b;
  }
  return a;
}

void redux(Warp& w, const Code& c, Mask active) {
  const Mask group = join_group(w, c, c.a, active);
  if (group == 0) return;
  w.context().matched_values = 1;
  std::uint32_t value[kLanes], result[kLanes];
  std::copy_n(w.in<std::uint32_t>(c.b), kLanes, value);
  const std::uint32_t* members = w.in<std::uint32_t>(c.a);
  for (Mask m = group; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    Mask mine = (members[lane] | 1u << lane) & group;
    std::uint32_t r = value[std::countr_zero(mine)];
    for (mine &= mine - 1; mine != 0; mine &= mine - 1)
      r = combine(*c.instr, r, value[std::countr_zero(mine)]);
    result[lane] = r;
  }
  std::uint32_t* d = w.out<std::uint32_t>(c.d);
  for (Mask m = group; m != 0; m &= m - 1) d[std::countr_zero(m)] = result[std::countr_zero(m)];
}

void activemask(Warp& w, const Code& c, Mask active) {
  write_lanes(w.out<std::uint32_t>(c.d), active, [&](int) { return active; });
}

void elect(Warp& w, const Code& c, Mask active) {
  const Mask group = join_group(w, c, c.a, active);
  if (group == 0) return;
  const std::uint32_t leader = static_cast<std::uint32_t>(std::countr_zero(group));
  write_lanes(w.out<std::uint32_t>(c.d), group, [&](int) { return leader; });
  w.set_predicate(c.pd, 1u << leader, group);
}

void warp_barrier(Warp& w, const Code& c, Mask active) {
  w.gather(active, required_lanes(w, c.a, active), c);
}

}  // namespace

bool bind_collective(const Instr& in, Binder& b, Code& c) {
  auto mask_operand = [&](unsigned index) {
    return in.sync_mask || in.op == Op::BarWarp ? b.place(in.src[index], Type::B32) : b.constant32(kAllLanes);
  };
  switch (in.op) {
    case Op::Shfl:
      c.d = b.place(in.dst[0], Type::B32);
      if (in.n_dst > 1) c.pd = b.predicate(in.dst[1]);
      c.a = b.place(in.src[0], Type::B32);
      c.b = b.place(in.src[1], Type::B32);
      c.c = b.place(in.src[2], Type::B32);
      c.imm = mask_operand(3).bits();
      c.handler = shuffle;
      return true;
    case Op::Vote:
      if (in.vote == ptx::VoteMode::Ballot)
        c.d = b.place(in.dst[0], Type::B32);
      else
        c.pd = b.predicate(in.dst[0]);
      c.p = b.predicate(in.src[0]);
      c.p_flip = in.src[0].negated ? kAllLanes : 0;
      c.a = mask_operand(1);
      c.handler = vote;
      return true;
    case Op::Match:
      c.d = b.place(in.dst[0], Type::B32);
      if (in.n_dst > 1) c.pd = b.predicate(in.dst[1]);
      c.b = b.place(in.src[0], in.type);
      c.a = mask_operand(1);
      c.handler = ptx::bits(in.type) == 64 ? match<std::uint64_t> : match<std::uint32_t>;
      return true;
    case Op::Redux:
      c.d = b.place(in.dst[0], Type::B32);
      c.b = b.place(in.src[0], Type::B32);
      c.a = mask_operand(1);
      c.handler = redux;
      return true;
    case Op::Elect:
      c.d = b.place(in.dst[0], Type::B32);
      if (in.n_dst > 1) c.pd = b.predicate(in.dst[1]);
      c.a = mask_operand(0);
      c.handler = elect;
      return true;
    case Op::Activemask:
      c.d = b.place(in.dst[0], Type::B32);
      c.handler = activemask;
      return true;
    case Op::BarWarp:
      c.a = mask_operand(0);
      c.handler = warp_barrier;
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::exec
