#include "exec/warp/mbarrier.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "exec/image/kernel_image.h"
#include "exec/warp/cta.h"
#include "exec/warp/kernel_fault.h"
#include "exec/warp/warp.h"

namespace heddle::exec {

const char* Mbarrier::advance(std::uint64_t arrivals, std::int64_t more_bytes) {
  if (!valid) return "use of an mbarrier that was not initialised";
  if (arrivals > pending) return "more arrivals than an mbarrier expects in one phase";
  bytes += more_bytes;
  if (bytes > kMostBytes || bytes < -kMostBytes) return "an mbarrier that expects more than 1048575 bytes";
  pending -= arrivals;
  if ((arrivals != 0 || more_bytes != 0) && pending == 0 && bytes == 0) {
    odd = !odd;
    pending = expected;
  }
  return nullptr;
}

void wrong_mbarrier_use(Warp& w, std::uint32_t pc, int lane, const char* what) {
  throw KernelFault(
      FaultKind::Other, w.image().place(pc),
      fmt::format("{} by warp {} lane {} in kernel '{}'", what, w.index(), lane, w.image().name),
      "An mbarrier lies in shared memory, is initialised by one thread before others use it, and "
      "takes as many arrivals per phase as that says.");
}

void arrive(Warp& w, const CopyArrival& a) {
  std::byte* const cell = w.cta().shared.data() + a.mbarrier;
  std::uint64_t word = 0;
  std::memcpy(&word, cell, sizeof word);
  Mbarrier barrier = Mbarrier::from(word);
  if (const char* wrong = barrier.advance(0, -std::int64_t{a.bytes}); wrong != nullptr)
    wrong_mbarrier_use(w, a.pc, a.lane, wrong);
  word = barrier.word();
  std::memcpy(cell, &word, sizeof word);
}

void CopyArrivals::clear() {
  by_ticket_.clear();
  free_.clear();
}

std::uint16_t CopyArrivals::add(std::span<const CopyArrival> arrivals) {
  if (free_.empty()) {
    if (by_ticket_.size() > 0xffff) throw Error("more than 65536 bulk copies of a CTA are under way");
    free_.push_back(static_cast<std::uint16_t>(by_ticket_.size()));
    by_ticket_.emplace_back();
  }
  const std::uint16_t ticket = free_.back();
  free_.pop_back();
  by_ticket_[ticket].assign(arrivals.begin(), arrivals.end());
  return ticket;
}

std::vector<CopyArrival> CopyArrivals::take(std::uint16_t ticket) {
  free_.push_back(ticket);
  return std::exchange(by_ticket_.at(ticket), {});
}

}  // namespace heddle::exec
