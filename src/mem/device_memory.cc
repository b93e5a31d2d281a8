#include "mem/device_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

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
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kWorthCounting = std::uint64_t{64} << 20;  // bytes; less does not end a host
constexpr std::uint64_t kPagesAtOnce = 1u << 16;

std::uint64_t align_up(std::uint64_t v, std::uint64_t a) {
  return (v + a - 1) / a * a;
}

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

// First fit: between two allocations, or after the last.
DeviceMemory::Gap DeviceMemory::find_gap(std::uint64_t bytes, std::uint64_t align) const {
  align = std::max<std::uint64_t>(align, 256);
  const std::uint64_t size = std::max<std::uint64_t>(bytes, 1);
  Gap gap{.at = align_up(kDeviceBase + offset_, align)};
  if (size > capacity_) return gap;
  for (; gap.index < allocations_.size(); ++gap.index) {
    if (allocations_[gap.index].begin < kDeviceBase) continue;  // adopted, below the window
    if (gap.at + size + kGap <= allocations_[gap.index].begin) break;
    gap.at = align_up(allocations_[gap.index].end + kGap, align);
  }
  gap.found = gap.at - kDeviceBase <= capacity_ - size;
  return gap;
}

Address DeviceMemory::allocate(std::uint64_t bytes, std::string_view label, std::uint64_t align,
                               bool writable) {
  const Gap gap = find_gap(bytes, align);
  if (!gap.found)
    throw Error(fmt::format("the device's memory is full: {} bytes for '{}' do not fit in {} bytes", bytes,
                            label, capacity_));
  allocations_.insert(allocations_.begin() + static_cast<std::ptrdiff_t>(gap.index),
                      {gap.at, gap.at + bytes, writable, std::string(label)});
  return gap.at;
}

void DeviceMemory::release(Address begin) {
  auto it = std::find_if(allocations_.begin(), allocations_.end(),
                         [&](const Allocation& a) { return a.begin == begin; });
  if (it == allocations_.end())
    throw Error(fmt::format("{:#x} is not the start of an allocation of the device", begin));
  // New allocations are zero: give whole pages back to the host, clear the rest.
  std::byte* const from = host(it->begin);
  std::byte* const to = host(it->end);
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
  allocations_.erase(it);
}

void DeviceMemory::adopt(void* begin, std::uint64_t bytes, std::string_view label) {
  const auto first = reinterpret_cast<Address>(begin);
  auto it = std::upper_bound(allocations_.begin(), allocations_.end(), first,
                             [](Address v, const Allocation& x) { return v < x.begin; });
  const bool overlaps = (it != allocations_.end() && it->begin < first + bytes) ||
                        (it != allocations_.begin() && std::prev(it)->end > first);
  if (overlaps || reinterpret_cast<Address>(base_) != kDeviceBase)
    throw Error(
        fmt::format("{} bytes of the host at {:#x} cannot become memory of the device", bytes, first));
  allocations_.insert(it, {first, first + bytes, true, std::string(label)});
}

void DeviceMemory::disown(void* begin) {
  const auto first = reinterpret_cast<Address>(begin);
  std::erase_if(allocations_, [&](const Allocation& a) { return a.begin == first; });
}

std::uint64_t DeviceMemory::used() const {
  std::uint64_t sum = 0;
  for (const Allocation& a : allocations_) sum += a.end - a.begin;
  return sum;
}

const Allocation* DeviceMemory::find(Address a) const {
  auto it = std::upper_bound(allocations_.begin(), allocations_.end(), a,
                             [](Address v, const Allocation& x) { return v < x.begin; });
  if (it == allocations_.begin()) return nullptr;
  --it;
  return a < it->end ? &*it : nullptr;
}

const Allocation* DeviceMemory::nearest(Address a) const {
  const Allocation* best = nullptr;
  std::uint64_t distance = ~std::uint64_t{0};
  for (const Allocation& x : allocations_) {
    const std::uint64_t d = a < x.begin ? x.begin - a : a >= x.end ? a - x.end : 0;
    if (d < distance) {
      distance = d;
      best = &x;
    }
  }
  return best;
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
