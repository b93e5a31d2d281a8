#include "exec/memory/memory_access.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/error.h"
#include "exec/image/kernel_image.h"
#include "exec/warp/kernel_fault.h"

namespace heddle::exec {
namespace {

using ptx::Space;

const char* verb(const Access& a) {
  return a.atomic ? "atomic access" : a.write ? "store" : "load";
}

std::string near_text(const mem::DeviceMemory& memory, std::uint64_t address) {
  if (address < 4096) return "The address is null or nearly so: was the pointer passed to the kernel?";
  return memory.describe(address);
}

// A card's memory is protected by pages: reads and writes a little past the end of an allocation, or before
// its beginning, of which many programs have some, go unnoticed. Inside a program that shares its memory with
// the device Heddle does the same. In front of a program's first allocation a card has memory of the driver.
bool passes_as_on_a_card(const mem::DeviceMemory& memory, std::uint64_t address) {
  constexpr std::uint64_t kPage = mem::DeviceMemory::kCardPage;
  if (reinterpret_cast<std::uintptr_t>(memory.host(mem::kDeviceBase)) != mem::kDeviceBase) return false;
  if (!memory.is_backed(address)) return false;
  if (address < mem::kDeviceBase) return true;
  const std::uint64_t page = address / kPage * kPage;
  const auto& all = memory.allocations();
  const auto next = all.upper_bound(address);
  return (next != all.end() && next->first < page + kPage) ||
         (next != all.begin() && std::prev(next)->second.end > page);
}

std::uint64_t space_limit(Warp& warp, Space space) {
  switch (space) {
    case Space::Shared:
      return warp.cta().shared.size();
    case Space::Local:
      return warp.local_bytes();
    case Space::Param:
      return warp.context().params.size();
    default:
      return 0;
  }
}

// Distinct 128-byte lines with the 32-byte sectors touched in each: an open hash table with room for twice
// what is ever added.
template <unsigned Slots>
class LineSet {
 public:
  void add(std::uint64_t address) {
    const std::uint64_t line = address >> 7;
    const auto sector = static_cast<std::uint8_t>(1u << (address >> 5 & 3));
    auto i = static_cast<unsigned>((line * 0x9e3779b97f4a7c15ull) >> 32) % Slots;
    for (;; i = (i + 1) % Slots) {
      std::uint64_t& used = used_[i / 64];
      if ((used >> (i % 64) & 1) == 0) {
        used |= std::uint64_t{1} << (i % 64);
        line_[i] = line;
        sectors_[i] = 0;
        ++lines_;
      } else if (line_[i] != line) {
        continue;
      }
      count_ += (sectors_[i] & sector) == 0;
      sectors_[i] |= sector;
      return;
    }
  }
  unsigned lines() const { return lines_; }
  unsigned sectors() const { return count_; }

 private:
  std::array<std::uint64_t, Slots / 64> used_{};
  std::array<std::uint64_t, Slots> line_;
  std::array<std::uint8_t, Slots> sectors_;
  unsigned lines_ = 0, count_ = 0;
};

// Local memory is interleaved: word w of lane l lies at byte 128 w + 4 l, so that lanes which use the same
// variable share a line.
void count_local(const Access& access, AccessCount& n) {
  const unsigned words = std::max(1u, access.bytes / 4);
  LineSet<256> set;
  for (Mask m = access.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    for (unsigned w = 0; w < words; ++w) set.add((access.address[lane] / 4 + w) * 128 + lane * 4);
  }
  n.lines += set.lines();
  n.sectors += set.sectors();
}

// Passes over the 32 four-byte banks: distinct words in the fullest bank. Lanes of 8 or 16 bytes are served
// in halves or quarters of the warp.
unsigned bank_passes(const Access& access) {
  const unsigned words = std::max(1u, access.bytes / 4);
  const unsigned group = kLanes / std::min(4u, words);
  unsigned passes = 0;
  for (unsigned first = 0; first < kLanes; first += group) {
    std::array<std::uint8_t, 32> used{};
    std::array<std::array<std::uint32_t, 32>, 32> seen;
    unsigned most = 0;
    for (unsigned lane = first; lane < first + group; ++lane) {
      if ((access.mask >> lane & 1) == 0) continue;
      for (unsigned w = 0; w < words; ++w) {
        const auto word = static_cast<std::uint32_t>(access.address[lane] / 4 + w);
        auto& bank = seen[word % 32];
        auto& n = used[word % 32];
        if (std::find(bank.begin(), bank.begin() + n, word) != bank.begin() + n) continue;
        bank[n++] = word;
        most = std::max<unsigned>(most, n);
      }
    }
    passes += most;
  }
  return passes;
}

unsigned shared_passes(const Access& access, const Shape& shape) {
  // Words that lie within 32 of each other are in different banks.
  if (access.bytes <= 4 && shape.highest / 4 - shape.lowest / 4 < 32) return 1;
  if (shape.uniform()) return 1;
  if (shape.contiguous) return access.bytes / 4;
  return bank_passes(access);
}

void count_global(const Access& access, const Shape& shape, AccessCount& n) {
  const std::uint64_t first_line = shape.lowest >> 7;
  if (shape.uniform()) {
    n.lines += 1;
    n.sectors += 1;
  } else if (shape.contiguous) {
    const std::uint64_t last = shape.highest + access.bytes - 1;
    n.lines += (last >> 7) - first_line + 1;
    n.sectors += (last >> 5) - (shape.lowest >> 5) + 1;
  } else if ((shape.highest >> 7) - first_line < 16) {
    // Few enough lines for one bit per sector.
    const std::uint64_t base = first_line * 4;
    std::uint64_t sectors = 0;
    HEDDLE_LANE_LOOP
    for (int i = 0; i < kLanes; ++i)
      sectors |= std::uint64_t{1} << ((access.address[static_cast<unsigned>(i)] >> 5) - base);
    n.sectors += static_cast<unsigned>(std::popcount(sectors));
    const std::uint64_t pairs = sectors | sectors >> 1;
    n.lines += static_cast<unsigned>(std::popcount((pairs | pairs >> 2) & 0x1111111111111111ull));
  } else {
    LineSet<64> set;
    for (Mask m = access.mask; m != 0; m &= m - 1)
      set.add(access.address[static_cast<unsigned>(std::countr_zero(m))]);
    n.lines += set.lines();
    n.sectors += set.sectors();
  }
}

}  // namespace

std::string describe_thread(Warp& warp, int lane) {
  const auto& block = warp.context().block;
  const std::uint32_t t = warp.index() * kLanes + static_cast<std::uint32_t>(lane);
  const workload::Dim3 thread{t % block.x, t / block.x % block.y, t / block.x / block.y};
  const workload::Dim3 cta = warp.cta().id;
  return fmt::format("thread ({},{},{}) of CTA ({},{},{}), warp {} lane {}, in kernel '{}'", thread.x,
                     thread.y, thread.z, cta.x, cta.y, cta.z, warp.index(), lane, warp.image().name);
}

void fault(Warp& warp, const Code& code, int lane, std::uint64_t address, const char* what) {
  const Access& access = warp.access();
  const auto pc = static_cast<std::uint32_t>(&code - warp.image().code.data());
  const std::string where = fmt::format("{} of {} bytes at {} address {:#x}", verb(access), access.bytes,
                                        std::string(ptx::name(access.space)), address);
  std::string advice;
  if (std::string_view(what) == "misaligned")
    advice = fmt::format("The address must be a multiple of {}.", access.bytes);
  else if (std::string_view(what) == "read-only")
    advice = "Constant memory cannot be written by a kernel.";
  else if (access.space == Space::Global || access.space == Space::Const)
    advice = near_text(warp.context().memory, address);
  else
    advice =
        fmt::format("This {} has {} bytes of {} memory.", access.space == Space::Shared ? "CTA" : "thread",
                    space_limit(warp, access.space), std::string(ptx::name(access.space)));
  const FaultKind kind =
      std::string_view(what) == "misaligned" ? FaultKind::Misaligned : FaultKind::IllegalAddress;
  throw KernelFault(kind, warp.image().place(pc),
                    fmt::format("{} {} by {}", what, where, describe_thread(warp, lane)), advice);
}

void check_global_lanes(Warp& warp, const Code& code, Mask active, Bounds& bounds) {
  const Access& access = warp.access();
  const std::uint64_t low_bits = access.bytes - 1;
  for (Mask m = active; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const std::uint64_t a = access.address[static_cast<unsigned>(lane)];
    if ((a & low_bits) != 0) fault(warp, code, lane, a, "misaligned");
    if (a - bounds.begin < bounds.span) continue;
    const mem::Allocation* found = warp.context().memory.find(a);
    if (found == nullptr || found->end - a < access.bytes) {
      if (passes_as_on_a_card(warp.context().memory, a)) continue;
      fault(warp, code, lane, a, "out-of-bounds");
    }
    if (access.write && !found->writable) fault(warp, code, lane, a, "read-only");
    bounds.begin = found->begin;
    bounds.span = found->end - found->begin - access.bytes + 1;
  }
}

void report_small_space(Warp& warp, const Code& code, Mask active, std::uint64_t span) {
  const Access& access = warp.access();
  const std::uint64_t low_bits = access.bytes - 1;
  for (Mask m = active; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const std::uint64_t a = access.address[static_cast<unsigned>(lane)];
    if ((a & low_bits) != 0) fault(warp, code, lane, a, "misaligned");
    if (a >= span) fault(warp, code, lane, a, "out-of-bounds");
  }
  fault(warp, code, std::countr_zero(active), 0, "inconsistent");
}

void count_access(Warp& warp, const Code& code, const Shape& shape) {
  const Access& access = warp.access();
  if (access.space == Space::Param) return;
  if (warp.context().observer != nullptr) warp.context().observer->accessed(warp.cta().linear, access);
  AccessCount& n = warp.context().accesses[static_cast<std::size_t>(&code - warp.image().code.data())];
  const std::uint64_t bytes = std::uint64_t{access.bytes} * static_cast<unsigned>(std::popcount(access.mask));
  if (access.space == Space::Shared) {
    n.shared_accesses += 1;
    n.shared_bytes += bytes;
    n.passes += shared_passes(access, shape);
    return;
  }
  n.accesses += 1;
  n.bytes += bytes;
  if (access.space == Space::Local)
    count_local(access, n);
  else
    count_global(access, shape, n);
}

}  // namespace heddle::exec
