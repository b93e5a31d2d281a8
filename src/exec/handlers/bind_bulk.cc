// cp.async.bulk: a lane copies a range of bytes. The bytes are moved when the instruction executes; under
// timing the mbarrier hears of them when the memory system has delivered them (CtaStream::copied).
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "exec/handlers/bind.h"
#include "exec/handlers/memory_operands.h"
#include "exec/image/kernel_image.h"
#include "exec/memory/logged_access.h"
#include "exec/memory/memory_access.h"
#include "exec/warp/kernel_fault.h"
#include "exec/warp/mbarrier.h"

namespace heddle::exec {
namespace {

using ptx::BulkCopy;
using ptx::Instr;
using ptx::Op;
using ptx::Space;
using ptx::Type;

constexpr std::uint32_t kUnit = 16;  // sizes and addresses are multiples of it
// Code::aux, beside MemoryFlag: which address registers have 4-byte lanes.
constexpr std::uint32_t kSource32 = 1u << 10, kMbarrier32 = 1u << 11;

std::uint64_t lane_address(Warp& w, Place p, bool narrow, int lane, std::int64_t offset) {
  if (narrow) return w.in<std::uint32_t>(p)[lane] + static_cast<std::uint32_t>(offset);
  return w.in<std::uint64_t>(p)[lane] + static_cast<std::uint64_t>(offset);
}

struct LaneCopy {
  std::uint64_t to = 0, from = 0, mbarrier = 0;
  std::uint32_t bytes = 0;
};

LaneCopy copy_of(Warp& w, const Code& c, int lane) {
  const Instr& in = *c.instr;
  LaneCopy copy;
  copy.to = lane_address(w, c.a, (c.aux() & kAddress32) != 0, lane, c.imm);
  copy.from = lane_address(w, c.b, (c.aux() & kSource32) != 0, lane, in.offset2);
  copy.bytes = w.in<std::uint32_t>(c.c)[lane];
  if (in.bulk != BulkCopy::SharedToGlobal)
    copy.mbarrier = lane_address(w, c.extra(), (c.aux() & kMbarrier32) != 0, lane, in.offset3);
  return copy;
}

Space source_space(const Instr& in) {
  return in.bulk == BulkCopy::GlobalToShared ? Space::Global : Space::Shared;
}

// Every 16 bytes of [at, at + bytes), as loads or stores of that size.
void check_range(Warp& w, const Code& c, int lane, Space space, bool write, std::uint64_t at,
                 std::uint32_t bytes) {
  Access& access = w.access();
  access.space = space;
  access.write = write;
  access.atomic = false;
  access.bytes = kUnit;
  if (at % kUnit != 0) fault(w, c, lane, at, "misaligned");
  if (bytes == 0) return;
  if (space == Space::Shared) {
    const std::uint64_t size = w.cta().shared.size();
    if (at >= size || bytes > size - at)
      fault(w, c, lane, std::max(at, size / kUnit * kUnit), "out-of-bounds");
    return;
  }
  Bounds& bounds = bounds_of(w, c);
  const std::uint64_t last = at + bytes - kUnit;
  if (last < at) fault(w, c, lane, at, "out-of-bounds");  // around the end of the address space
  for (std::uint64_t unit = at; unit <= last && !within(bounds, unit, last); unit += kUnit) {
    access.address[static_cast<unsigned>(lane)] = unit;
    check_global_lanes(w, c, 1u << lane, bounds);
  }
}

void check_copy(Warp& w, const Code& c, int lane, const LaneCopy& copy) {
  const Instr& in = *c.instr;
  const auto pc = static_cast<std::uint32_t>(&c - w.image().code.data());
  if (copy.bytes % kUnit != 0)
    throw KernelFault(FaultKind::Misaligned, w.image().place(pc),
                      fmt::format("cp.async.bulk of {} bytes by warp {} lane {} in kernel '{}'", copy.bytes,
                                  w.index(), lane, w.image().name),
                      "The size must be a multiple of 16.");
  check_range(w, c, lane, source_space(in), false, copy.from, copy.bytes);
  check_range(w, c, lane, in.space, true, copy.to, copy.bytes);
  if (in.bulk == BulkCopy::SharedToGlobal) return;
  w.access().bytes = sizeof(std::uint64_t);
  if (copy.mbarrier % sizeof(std::uint64_t) != 0) fault(w, c, lane, copy.mbarrier, "misaligned");
  const std::vector<std::byte>& shared = w.cta().shared;
  if (copy.mbarrier >= shared.size() || shared.size() - copy.mbarrier < sizeof(std::uint64_t))
    fault(w, c, lane, copy.mbarrier, "out-of-bounds");
  std::uint64_t word = 0;
  std::memcpy(&word, shared.data() + copy.mbarrier, sizeof word);
  if (!Mbarrier::from(word).valid)
    wrong_mbarrier_use(w, pc, lane, "use of an mbarrier that was not initialised");
}

// Runs f for [at, at + bytes) in parts as a whole warp would access them: up to 32 lanes of `unit` bytes, in
// warp.access().
template <class F>
void for_each_part(Warp& w, std::uint64_t at, std::uint32_t bytes, std::uint32_t unit, F&& f) {
  Access& access = w.access();
  access.bytes = unit;
  const std::uint64_t end = at + bytes;
  while (at < end) {
    access.mask = 0;
    for (unsigned i = 0; i < kLanes && at < end; ++i) {
      access.address[i] = at;
      access.mask |= 1u << i;
      at = (at / unit + 1) * unit;
      if (at % (kLanes * unit) == 0) break;  // whole lines stay together
    }
    fill_inactive(access.address.data(), access.mask);
    f(access.mask);
  }
}

bool range_must_wait(Warp& w, std::uint64_t at, std::uint32_t bytes) {
  const AtomicRecords& atomics = *w.context().atomics;
  if (!atomics.any()) return false;
  bool waits = false;
  for_each_part(w, at, bytes, 128, [&](Mask lanes) { waits |= awaits_atomic(w, lanes); });
  return waits;
}

void count_range(Warp& w, const Code& c, Space space, bool write, std::uint64_t at, std::uint32_t bytes) {
  w.access().space = space;
  w.access().write = write;
  w.access().atomic = false;
  for_each_part(w, at, bytes, kUnit,
                [&](Mask lanes) { count_access(w, c, shape_of(w.access().address.data(), lanes, kUnit)); });
}

void move_bytes(Warp& w, const Code& c, const LaneCopy& copy) {
  const Instr& in = *c.instr;
  ExecContext& context = w.context();
  std::vector<std::byte> data(copy.bytes);
  if (source_space(in) == Space::Global) {
    std::memcpy(data.data(), reinterpret_cast<const void*>(context.global + copy.from), copy.bytes);
    if (context.log != nullptr) context.log->overlay(copy.from, data.data(), copy.bytes);
  } else {
    std::memcpy(data.data(), w.cta().shared.data() + copy.from, copy.bytes);
  }
  if (in.space == Space::Shared)
    std::memcpy(w.cta().shared.data() + copy.to, data.data(), copy.bytes);
  else if (context.log != nullptr)
    context.log->append(copy.to, data.data(), copy.bytes);
  else
    std::memcpy(reinterpret_cast<void*>(context.global + copy.to), data.data(), copy.bytes);
  if (!context.count_accesses) return;
  count_range(w, c, source_space(in), false, copy.from, copy.bytes);
  count_range(w, c, in.space, true, copy.to, copy.bytes);
}

// The access that the timing side sees: the range in global memory, or the source where both are shared.
// Its second part holds the sizes.
void describe_access(Warp& w, const Instr& in, const std::array<LaneCopy, kLanes>& copies, Mask active,
                     std::uint16_t ticket) {
  const bool to_global = in.bulk == BulkCopy::SharedToGlobal;
  Access range, sizes;
  range.space = to_global ? Space::Global : source_space(in);
  range.write = to_global;
  range.bytes = kUnit;
  range.mask = active;
  range.payload = ticket;
  for (unsigned i = 0; i < kLanes; ++i) {
    range.address[i] = to_global ? copies[i].to : copies[i].from;
    sizes.address[i] = copies[i].bytes;
  }
  w.access() = range;
  w.add_part(range);
  w.add_part(sizes);
}

void copy_bulk(Warp& w, const Code& c, Mask active) {
  const Instr& in = *c.instr;
  const bool timed = w.context().log != nullptr, tells = in.bulk != BulkCopy::SharedToGlobal;
  std::array<LaneCopy, kLanes> copies{};
  for (Mask m = active; m != 0; m &= m - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(m));
    copies[i] = copy_of(w, c, static_cast<int>(i));
    check_copy(w, c, static_cast<int>(i), copies[i]);
  }
  if (timed && in.bulk != BulkCopy::SharedToShared) {
    bool waits = false;
    for (const LaneCopy& copy : copies)
      waits |= copy.bytes != 0 && range_must_wait(w, tells ? copy.from : copy.to, copy.bytes);
    if (waits) {
      w.retry(active);
      return;
    }
  }
  std::vector<CopyArrival> arrivals;
  const auto pc = static_cast<std::uint32_t>(&c - w.image().code.data());
  for (Mask m = active; m != 0; m &= m - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(m));
    if (copies[i].bytes == 0) continue;
    move_bytes(w, c, copies[i]);
    if (tells)
      arrivals.push_back({static_cast<std::uint32_t>(copies[i].mbarrier), copies[i].bytes, pc,
                          static_cast<std::uint16_t>(w.index()), static_cast<std::uint16_t>(i)});
  }
  if (timed)
    describe_access(w, in, copies, active, tells ? w.cta().copies.add(arrivals) : std::uint16_t{0});
  else
    for (const CopyArrival& a : arrivals) arrive(w, a);
}

}  // namespace

bool bind_bulk(const Instr& in, Binder& b, Code& c) {
  if (in.op != Op::CpAsyncBulk) return false;
  Space space = in.space;
  bool kernel_param = false;
  c.set_aux(0);
  bind_address_operand(in, b, c, space, kernel_param);
  const auto address = [&](const ptx::Operand& o, std::uint32_t narrow_flag) {
    const bool narrow = o.kind == ptx::Operand::Kind::Reg && ptx::bits(b.register_type(o)) <= 32;
    if (narrow) c.set_aux(c.aux() | narrow_flag);
    return b.place(o, narrow ? Type::U32 : Type::U64);
  };
  c.b = address(in.src[0], kSource32);
  c.c = b.place(in.src[1], Type::U32);
  if (in.bulk != BulkCopy::SharedToGlobal) c.set_extra(address(in.src[2], kMbarrier32));
  c.handler = copy_bulk;
  return true;
}

}  // namespace heddle::exec
