#include "exec/memory_access.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/error.h"
#include "exec/kernel_image.h"

namespace heddle::exec {
namespace {

using ptx::Space;

const char* verb(const Access& a) { return a.atomic ? "atomic access" : a.write ? "store" : "load"; }

std::string near_text(const mem::DeviceMemory& memory, std::uint64_t address) {
  if (address < 4096) return "The address is null or nearly so: was the pointer passed to the kernel?";
  if (const mem::Allocation* a = memory.find(address))
    return fmt::format("It begins inside '{}' ({} bytes from {:#x}) and runs past its end.", a->label, a->end - a->begin, a->begin);
  const mem::Allocation* a = memory.nearest(address);
  if (a == nullptr) return "The device has no allocation at all.";
  if (address >= a->end)
    return fmt::format("It is {} bytes past the end of '{}' ({} bytes from {:#x}).", address - a->end, a->label, a->end - a->begin, a->begin);
  return fmt::format("It is {} bytes before '{}' ({} bytes from {:#x}).", a->begin - address, a->label, a->end - a->begin, a->begin);
}

std::uint64_t space_limit(Warp& warp, Space space) {
  switch (space) {
    case Space::Shared: return warp.cta().shared.size();
    case Space::Local: return warp.local_bytes();
    case Space::Param: return warp.context().params.size();
    default: return 0;
  }
}

// Global and constant memory: through the instruction's remembered allocation.
void check_global(Warp& warp, const Code& code, Mask active, Pattern pattern) {
  ExecContext& context = warp.context();
  const Access& access = warp.access();
  Bounds& bounds = context.bounds[static_cast<std::size_t>(&code - warp.image().code.data())];
  const auto& a = access.address;
  const std::uint64_t low_bits = access.bytes - 1;
  if (pattern != Pattern::Scattered) {
    if (a[0] - bounds.begin < bounds.span && a[kLanes - 1] - bounds.begin < bounds.span && (a[0] & low_bits) == 0) return;
  } else {
    std::uint64_t bad = 0;
    HEDDLE_LANE_LOOP
    for (int i = 0; i < kLanes; ++i) {
      const bool wrong = (a[i] - bounds.begin >= bounds.span) | ((a[i] & low_bits) != 0);
      bad |= static_cast<std::uint64_t>(wrong) << i;
    }
    if ((bad & active) == 0) return;
  }
  for (Mask m = active; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    if ((a[lane] & low_bits) != 0) fault(warp, code, lane, a[lane], "misaligned");
    if (a[lane] - bounds.begin < bounds.span) continue;
    const mem::Allocation* found = context.memory.find(a[lane]);
    if (found == nullptr || found->end - a[lane] < access.bytes) fault(warp, code, lane, a[lane], "out-of-bounds");
    if (access.write && !found->writable) fault(warp, code, lane, a[lane], "read-only");
    bounds.begin = found->begin;
    bounds.span = found->end - found->begin - access.bytes + 1;
  }
}

void check_small_space(Warp& warp, const Code& code, Mask active) {
  const Access& access = warp.access();
  const std::uint64_t limit = space_limit(warp, access.space);
  const std::uint64_t span = limit >= access.bytes ? limit - access.bytes + 1 : 0;
  const std::uint64_t low_bits = access.bytes - 1;
  std::uint64_t bad = 0;
  HEDDLE_LANE_LOOP
  for (int i = 0; i < kLanes; ++i) {
    const bool wrong = (access.address[i] >= span) | ((access.address[i] & low_bits) != 0);
    bad |= static_cast<std::uint64_t>(wrong) << i;
  }
  bad &= active;
  if (bad == 0) return;
  const int lane = std::countr_zero(bad);
  fault(warp, code, lane, access.address[lane], (access.address[lane] & low_bits) != 0 ? "misaligned" : "out-of-bounds");
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

}  // namespace

void fault(Warp& warp, const Code& code, int lane, std::uint64_t address, const char* what) {
  const Access& access = warp.access();
  const auto pc = static_cast<std::uint32_t>(&code - warp.image().code.data());
  const auto& block = warp.context().block;
  const std::uint32_t t = warp.index() * kLanes + static_cast<std::uint32_t>(lane);
  const workload::Dim3 thread{t % block.x, t / block.x % block.y, t / block.x / block.y};
  const workload::Dim3 cta = warp.cta().id;
  const std::string who = fmt::format("thread ({},{},{}) of CTA ({},{},{}), warp {} lane {}, in kernel '{}'", thread.x, thread.y,
                                      thread.z, cta.x, cta.y, cta.z, warp.index(), lane, warp.image().name);
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
    advice = fmt::format("This {} has {} bytes of {} memory.", access.space == Space::Shared ? "CTA" : "thread",
                         space_limit(warp, access.space), std::string(ptx::name(access.space)));
  throw Error(warp.image().place(pc), fmt::format("{} {} by {}", what, where, who), advice);
}

Region check_access(Warp& warp, const Code& code, Mask active, Pattern pattern) {
  switch (warp.access().space) {
    case Space::Global:
    case Space::Const: check_global(warp, code, active, pattern); return {warp.context().global, 0};
    case Space::Shared:
      check_small_space(warp, code, active);
      return {reinterpret_cast<std::uintptr_t>(warp.cta().shared.data()), 0};
    case Space::Local:
      check_small_space(warp, code, active);
      return {reinterpret_cast<std::uintptr_t>(warp.local(0)), warp.local_bytes()};
    case Space::Param:
      check_small_space(warp, code, active);
      return {reinterpret_cast<std::uintptr_t>(warp.context().params.data()), 0};
    default: fault(warp, code, std::countr_zero(active), 0, "unexpected");
  }
}

void count_access(Warp& warp, const Code& code, Pattern pattern) {
  const Access& access = warp.access();
  if (access.space == Space::Param) return;
  AccessCount& n = warp.context().accesses[static_cast<std::size_t>(&code - warp.image().code.data())];
  const std::uint64_t bytes = std::uint64_t{access.bytes} * static_cast<unsigned>(std::popcount(access.mask));
  if (access.space == Space::Shared) {
    n.shared_accesses += 1;
    n.shared_bytes += bytes;
    n.passes += pattern == Pattern::Uniform                           ? 1
                : pattern == Pattern::Contiguous && access.bytes >= 4 ? access.bytes / 4
                                                                      : bank_passes(access);
    return;
  }
  n.accesses += 1;
  n.bytes += bytes;
  if (access.space == Space::Local) {
    count_local(access, n);
  } else if (pattern == Pattern::Uniform) {
    n.lines += 1;
    n.sectors += 1;
  } else if (pattern == Pattern::Contiguous) {
    const std::uint64_t first = access.address[0], last = access.address[kLanes - 1] + access.bytes - 1;
    n.lines += (last >> 7) - (first >> 7) + 1;
    n.sectors += (last >> 5) - (first >> 5) + 1;
  } else {
    LineSet<64> set;
    for (Mask m = access.mask; m != 0; m &= m - 1) set.add(access.address[static_cast<unsigned>(std::countr_zero(m))]);
    n.lines += set.lines();
    n.sectors += set.sectors();
  }
}

}  // namespace heddle::exec
