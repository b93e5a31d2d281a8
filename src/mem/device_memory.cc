#include "mem/device_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/align.h"
#include "base/error.h"
#include "base/host_memory.h"

namespace heddle::mem {
namespace {

#if defined(__SANITIZE_ADDRESS__)
// The address sanitizer clears its own record of the whole reservation at every start: seconds for a large
// one.
constexpr std::uint64_t kLargestCapacity = std::uint64_t{1} << 30;
#else
constexpr std::uint64_t kLargestCapacity = std::uint64_t{1} << 40;
#endif
constexpr std::uint64_t kGap = 256;  // the least distance between two allocations
constexpr std::uint64_t kLeastAlign = 256;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kWorthCounting = std::uint64_t{64} << 20;  // bytes; less does not end a host
constexpr std::uint64_t kPagesAtOnce = 1u << 16;

}  // namespace

DeviceMemory::DeviceMemory(std::uint64_t capacity, std::uint64_t offset, Placement placement)
    : capacity_(std::min(capacity, kLargestCapacity)), offset_(offset) {
  const bool same = placement == Placement::SameAddress;
  front_ = same ? kCardPage : 0;
  void* const wanted = same ? reinterpret_cast<void*>(kDeviceBase - front_) : nullptr;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (same ? MAP_FIXED_NOREPLACE : 0);
  // Machines that do not overcommit refuse a large reservation: halve until one is granted.
  for (; capacity_ >= (std::uint64_t{64} << 20); capacity_ /= 2) {
    void* p = mmap(wanted, capacity_ + front_, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (p == MAP_FAILED) continue;
    // Kernels before 4.17 take the address as a wish.
    if (same && p != wanted) {
      munmap(p, capacity_ + front_);
      continue;
    }
    base_ = static_cast<std::byte*>(p) + front_;
    return;
  }
  throw Error("cannot reserve address space for the device's memory",
              "Raise the process's limit: ulimit -v unlimited");
}

DeviceMemory::~DeviceMemory() {
  if (base_ != nullptr) munmap(base_ - front_, capacity_ + front_);
}

Address DeviceMemory::free_before(Allocations::const_iterator next) const {
  const bool first = next == allocations_.begin() || !in_window(std::prev(next)->first);
  return align_up((first ? kDeviceBase : std::prev(next)->second.end + kGap) + offset_, kLeastAlign);
}

void DeviceMemory::note_gap(Allocations::const_iterator next) {
  if (next == allocations_.end() || !in_window(next->first)) return;
  const Address begin = free_before(next);
  if (begin + kGap < next->first) gaps_.insert(begin, next->first - kGap - begin);
}

void DeviceMemory::forget_gap(Allocations::const_iterator next) {
  if (next != allocations_.end() && in_window(next->first)) gaps_.erase(free_before(next));
}

void DeviceMemory::add(Address begin, Address end, bool writable, std::string_view label) {
  const auto next = allocations_.upper_bound(begin);
  forget_gap(next);
  const auto added =
      allocations_.emplace_hint(next, begin, Allocation{begin, end, writable, std::string(label)});
  note_gap(added);
  note_gap(next);
  used_ += end - begin;
}

void DeviceMemory::remove(Allocations::const_iterator it) {
  const auto next = std::next(it);
  forget_gap(it);
  forget_gap(next);
  used_ -= it->second.end - it->second.begin;
  allocations_.erase(it);
  note_gap(next);
}

// First fit: between two allocations, or after the last.
DeviceMemory::Gap DeviceMemory::find_gap(std::uint64_t bytes, std::uint64_t align) const {
  align = std::max(align, kLeastAlign);
  const std::uint64_t size = std::max<std::uint64_t>(bytes, 1);
  if (size > capacity_) return {};
  auto fits = [&](Address at) { return at - kDeviceBase <= capacity_ - size; };
  // Of a wider alignment a gap that is large enough may hold no address.
  for (GapIndex::Gap gap = gaps_.first(size); gap.bytes != 0; gap = gaps_.first(size, gap.begin + 1))
    if (const Address at = align_up(gap.begin, align); at + size <= gap.begin + gap.bytes)
      return {fits(at), at};
  const auto behind = allocations_.lower_bound(kDeviceBase + capacity_);  // adopted, above the window
  const Address at = align_up(free_before(behind), align);
  return {fits(at) && (behind == allocations_.end() || at + size + kGap <= behind->first), at};
}

Address DeviceMemory::allocate(std::uint64_t bytes, std::string_view label, std::uint64_t align,
                               bool writable) {
  const Gap gap = find_gap(bytes, align);
  if (!gap.found)
    throw Error(fmt::format("the device's memory is full: {} bytes for '{}' do not fit in {} bytes", bytes,
                            label, capacity_));
  add(gap.at, gap.at + bytes, writable, label);
  return gap.at;
}

void DeviceMemory::release(Address begin) {
  const auto it = allocations_.find(begin);
  if (it == allocations_.end())
    throw Error(fmt::format("{:#x} is not the start of an allocation of the device", begin));
  // New allocations are zero: give whole pages back to the host, clear the rest.
  std::byte* const from = host(begin);
  std::byte* const to = host(it->second.end);
  auto* const first_page =
      reinterpret_cast<std::byte*>(align_up(reinterpret_cast<std::uintptr_t>(from), kPage));
  auto* const last_page = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(to) / kPage * kPage);
  if (first_page < last_page &&
      madvise(first_page, static_cast<std::size_t>(last_page - first_page), MADV_DONTNEED) == 0) {
    std::memset(from, 0, static_cast<std::size_t>(first_page - from));
    std::memset(last_page, 0, static_cast<std::size_t>(to - last_page));
  } else {
    std::memset(from, 0, static_cast<std::size_t>(to - from));
  }
  remove(it);
}

void DeviceMemory::adopt(void* begin, std::uint64_t bytes, std::string_view label) {
  const auto first = reinterpret_cast<Address>(begin);
  const auto it = allocations_.lower_bound(first);
  const bool overlaps = (it != allocations_.end() && (it->first < first + bytes || it->first == first)) ||
                        (it != allocations_.begin() && std::prev(it)->second.end > first);
  if (overlaps || reinterpret_cast<Address>(base_) != kDeviceBase)
    throw Error(
        fmt::format("{} bytes of the host at {:#x} cannot become memory of the device", bytes, first));
  add(first, first + bytes, true, label);
}

void DeviceMemory::disown(void* begin) {
  const auto it = allocations_.find(reinterpret_cast<Address>(begin));
  if (it != allocations_.end()) remove(it);
}

const Allocation* DeviceMemory::find(Address a) const {
  auto it = allocations_.upper_bound(a);
  if (it == allocations_.begin()) return nullptr;
  --it;
  return a < it->second.end ? &it->second : nullptr;
}

// Allocations do not overlap: it is the last that begins up to there, or the one behind it.
const Allocation* DeviceMemory::nearest(Address a) const {
  const auto after = allocations_.upper_bound(a);
  if (after == allocations_.begin()) return after != allocations_.end() ? &after->second : nullptr;
  const Allocation& before = std::prev(after)->second;
  if (after == allocations_.end() || a < before.end || a - before.end <= after->first - a) return &before;
  return &after->second;
}

std::string DeviceMemory::describe(Address address) const {
  if (const Allocation* a = find(address))
    return fmt::format("It begins inside '{}' ({} bytes from {:#x}) and runs past its end.", a->label,
                       a->end - a->begin, a->begin);
  const Allocation* a = nearest(address);
  if (a == nullptr) return "The device has no allocation at all.";
  if (address == a->end)
    return fmt::format("It is the first byte past the end of '{}' ({} bytes from {:#x}).", a->label,
                       a->end - a->begin, a->begin);
  if (address > a->end)
    return fmt::format("It is {} bytes past the end of '{}' ({} bytes from {:#x}).", address - a->end,
                       a->label, a->end - a->begin, a->begin);
  return fmt::format("It is {} bytes before '{}' ({} bytes from {:#x}).", a->begin - address, a->label,
                     a->end - a->begin, a->begin);
}

void DeviceMemory::check_range(Address a, std::uint64_t bytes, const char* what) const {
  if (bytes == 0) return;
  const Allocation* x = find(a);
  if (x != nullptr && bytes <= x->end - a) return;
  if (x != nullptr)
    throw Error(fmt::format("{} of {} bytes at {:#x} runs past the end of '{}' ({} bytes from {:#x})", what,
                            bytes, a, x->label, x->end - x->begin, x->begin));
  throw Error(
      fmt::format("{} of {} bytes at {:#x}: no allocation of the device holds this address", what, bytes, a));
}

void DeviceMemory::require_pages(Address a, std::uint64_t bytes) const {
  if (bytes < kWorthCounting) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(host(a));
  const std::uint64_t end = begin + bytes;
  std::vector<unsigned char> resident(static_cast<std::size_t>(kPagesAtOnce));
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::uint64_t missing = 0;
  for (std::uint64_t at = begin / page * page; at < end; at += kPagesAtOnce * page) {
    const std::uint64_t size = std::min(end - at, kPagesAtOnce * page);
    if (mincore(reinterpret_cast<void*>(at), size, resident.data()) != 0) return;
    const auto pages = static_cast<std::ptrdiff_t>((size + page - 1) / page);
    missing += static_cast<std::uint64_t>(std::count_if(resident.begin(), resident.begin() + pages,
                                                        [](unsigned char r) { return (r & 1) == 0; }));
  }
  const Allocation* x = find(a);
  require_host_memory(missing * page, fmt::format("'{}' of the device", x != nullptr ? x->label : "memory"));
}

void DeviceMemory::write(Address a, const void* from, std::uint64_t bytes) {
  check_range(a, bytes, "copy to the device");
  require_pages(a, bytes);
  if (bytes != 0) std::memcpy(host(a), from, bytes);
}

void DeviceMemory::read(void* to, Address a, std::uint64_t bytes) const {
  check_range(a, bytes, "copy from the device");
  if (bytes != 0) std::memcpy(to, host(a), bytes);
}

void DeviceMemory::fill(Address a, std::uint8_t value, std::uint64_t bytes) {
  check_range(a, bytes, "fill");
  require_pages(a, bytes);
  if (bytes != 0) std::memset(host(a), value, bytes);
}

}  // namespace heddle::mem
