#include "exec/stream/atomic_executor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "exec/memory/atomic_ops.h"

namespace heddle::exec {
namespace {

constexpr mem::Address kLine = 128;

// True: memory holds something else now.
template <class Memory, class Lane>
bool apply_lane(AtomicRecord& r, unsigned lane, std::byte* cell) {
  Memory old;
  std::memcpy(&old, cell, sizeof old);
  const auto next = static_cast<Memory>(
      apply_atomic(*r.instr, static_cast<Lane>(old), static_cast<Lane>(static_cast<Memory>(r.b[lane])),
                   static_cast<Lane>(static_cast<Memory>(r.c[lane])), true));
  std::memcpy(cell, &next, sizeof next);
  r.old[lane] = old;
  return next != old;
}

}  // namespace

AtomicExecutor::AtomicExecutor(const mem::DeviceMemory& memory, std::vector<AtomicRecords*> records,
                               std::vector<mem::StoreLog*> logs)
    : memory_(memory), records_(std::move(records)), logs_(std::move(logs)), changes_(logs_.size()) {}

std::uint64_t AtomicExecutor::changes() const {
  std::uint64_t sum = 0;
  for (const Changes& c : changes_) sum += c.count;
  return sum;
}

// Of a compare-and-swap, two operands come in: twice the passes where a sector has several lanes.
mem::AtomicWork AtomicExecutor::work(const mem::Request& request) const {
  constexpr std::uint32_t kWords = mem::kSectorBytes / 4;
  struct Sector {
    std::uint32_t lanes = 0;
    std::array<std::uint8_t, kWords> of_word{};
  };
  std::array<Sector, kLine / mem::kSectorBytes> sectors;
  const AtomicRecord& r = (*records_[request.owner])[request.payload];
  if (r.instr->combined) return {0, 1, 1, false};
  const std::uint32_t words = std::max(1, r.bytes / 4);
  for (Mask m = request.words & r.mask; m != 0; m &= m - 1) {
    const std::uint64_t first = r.address[static_cast<unsigned>(std::countr_zero(m))] % kLine / 4;
    Sector& s = sectors[first / kWords];
    ++s.lanes;
    for (std::uint32_t w = 0; w < words; ++w) ++s.of_word[first % kWords + w];
  }
  mem::AtomicWork work;
  for (const Sector& s : sectors) {
    const auto [least, most] = std::minmax_element(s.of_word.begin(), s.of_word.end());
    const std::uint32_t times = r.instr->atom == ptx::AtomOp::Cas && s.lanes > 1 ? 2 : 1;
    work.whole += *least * times;
    work.part += static_cast<std::uint32_t>(*most - *least) * times;
    work.deepest = std::max<std::uint32_t>(work.deepest, *most);
  }
  work.floating = ptx::is_float(r.instr->type) && r.instr->atom == ptx::AtomOp::Add;
  return work;
}

// A line at a time: read once, changed lane by lane, logged once. The bytes between the lanes' cells are
// logged as they are: at the window's end the slices' logs are committed before those of the SMs, so no store
// is lost.
void AtomicExecutor::execute(const mem::Request& request) {
  AtomicRecord& r = (*records_[request.owner])[request.payload];
  mem::StoreLog& log = *logs_[request.slice];
  std::uint64_t& changed = changes_[request.slice].count;
  for (Mask left = request.words & r.mask; left != 0;) {
    const mem::Address line = r.address[static_cast<unsigned>(std::countr_zero(left))] / kLine * kLine;
    alignas(64) std::byte data[kLine];
    std::memcpy(data, memory_.host(line), kLine);
    if (log.may_touch(line, kLine)) log.overlay(line, data, kLine);
    mem::Address first = kLine, last = 0;
    for (Mask m = left; m != 0; m &= m - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(m));
      const mem::Address at = r.address[lane] - line;
      if (at >= kLine) continue;
      left &= ~(1u << lane);
      first = std::min(first, at);
      last = std::max(last, at + r.bytes);
      switch (r.bytes) {
        case 2:
          changed += apply_lane<std::uint16_t, std::uint32_t>(r, lane, data + at);
          break;
        case 4:
          changed += apply_lane<std::uint32_t, std::uint32_t>(r, lane, data + at);
          break;
        default:
          changed += apply_lane<std::uint64_t, std::uint64_t>(r, lane, data + at);
      }
    }
    log.append(line + first, data + first, static_cast<std::uint32_t>(last - first));
  }
}

}  // namespace heddle::exec
