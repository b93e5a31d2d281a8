// The functional contents of the device's memory: allocations in one fixed address window.
//
// Device addresses are the same in every run and on every host; timing uses offsets in this window. Between
// allocations lies an unused gap, so that an access past the end of one does not land in the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "mem/gap_index.h"

namespace heddle::mem {

using Address = std::uint64_t;

// The generic address space: windows of the other spaces lie above the device's memory.
inline constexpr Address kDeviceBase = 0x0010'0000'0000;
inline constexpr Address kWindowBytes = 0x0100'0000'0000;
inline constexpr Address kSharedWindow = 0x7000'0000'0000;
inline constexpr Address kLocalWindow = 0x7100'0000'0000;
inline constexpr Address kParamWindow = 0x7200'0000'0000;
inline constexpr Address kFunctionWindow = 0x7300'0000'0000;

struct Allocation {
  Address begin = 0;
  Address end = 0;       // one past the last byte
  bool writable = true;  // .const variables are not
  std::string label;
};

// Where the host keeps the window.
enum class Placement : std::uint8_t {
  Anywhere,
  SameAddress  // at kDeviceBase itself: a device address is a host pointer, so that both sides can use it
};

class DeviceMemory {
 public:
  // `capacity`: bytes of address space; host pages are used only where touched. `offset`: each allocation
  // starts so many bytes further behind the one before, the first behind kDeviceBase; a multiple of 256.
  explicit DeviceMemory(std::uint64_t capacity = kCapacity, std::uint64_t offset = 0,
                        Placement placement = Placement::Anywhere);
  static constexpr std::uint64_t kCapacity = std::uint64_t{64} << 30;
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Zero-filled. Alignment is at least 256. Throws Error when the window is full.
  Address allocate(std::uint64_t bytes, std::string_view label, std::uint64_t align = 256,
                   bool writable = true);
  // Whether allocate() would succeed.
  bool has_room(std::uint64_t bytes, std::uint64_t align = 256) const { return find_gap(bytes, align).found; }
  // Throws Error when `begin` is not the start of an allocation.
  void release(Address begin);
  // With Placement::SameAddress: memory of the host itself becomes an allocation, until disown(). Throws
  // Error when it overlaps another allocation.
  void adopt(void* begin, std::uint64_t bytes, std::string_view label);
  void disown(void* begin);
  // Bytes of all allocations.
  std::uint64_t used() const { return used_; }
  std::uint64_t capacity() const { return capacity_; }

  // The allocation that contains `a`, or nullptr.
  const Allocation* find(Address a) const;
  // The allocation nearest to `a`, to explain a bad access; nullptr when there is none.
  const Allocation* nearest(Address a) const;
  // Which allocation an access to `a` misses, and by how much: "It is 8 bytes past the end of ...".
  std::string describe(Address a) const;

  // Host copies; throw Error when [a, a + bytes) is not inside one allocation.
  void write(Address a, const void* from, std::uint64_t bytes);
  void read(void* to, Address a, std::uint64_t bytes) const;
  void fill(Address a, std::uint8_t value, std::uint64_t bytes);
  // Before the host writes so much of an allocation: throws HostMemoryError when the pages that were never
  // touched do not fit in the host's memory. What kernels touch is watched by who runs them.
  void require_pages(Address a, std::uint64_t bytes) const;

  // Unchecked: only for addresses inside an allocation.
  std::byte* host(Address a) { return base_ + (a - kDeviceBase); }
  const std::byte* host(Address a) const { return base_ + (a - kDeviceBase); }
  // Whether host(a) may be touched at all. With Placement::SameAddress there is a page in front of the first
  // allocation, as a card's driver keeps memory of its own there.
  bool is_backed(Address a) const { return a - (kDeviceBase - front_) < capacity_ + front_; }
  static constexpr std::uint64_t kCardPage = std::uint64_t{2} << 20;  // what a card protects as one

  using Allocations = std::map<Address, Allocation>;  // by begin
  const Allocations& allocations() const { return allocations_; }

 private:
  struct Gap {
    bool found = false;
    Address at = 0;
  };
  Gap find_gap(std::uint64_t bytes, std::uint64_t align) const;
  bool in_window(Address a) const { return a - kDeviceBase < capacity_; }
  // The first address behind those in front of `next` that may be allocated.
  Address free_before(Allocations::const_iterator next) const;
  // The gap in front of `next` comes into gaps_, or goes from there.
  void note_gap(Allocations::const_iterator next);
  void forget_gap(Allocations::const_iterator next);
  void add(Address begin, Address end, bool writable, std::string_view label);
  void remove(Allocations::const_iterator it);
  void check_range(Address a, std::uint64_t bytes, const char* what) const;

  std::byte* base_ = nullptr;
  std::uint64_t capacity_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t front_ = 0;  // bytes in front of base_
  std::uint64_t used_ = 0;
  Allocations allocations_;
  // Between allocations in the window: from the first address that may be allocated, what fits there. That
  // behind the last one is not among them.
  GapIndex gaps_;
};

}  // namespace heddle::mem
