// What it takes to start a kernel: grid, block, arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace heddle::workload {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

// An address in the simulated device's memory. Never a host pointer.
enum class DevicePtr : std::uint64_t { Null = 0 };
constexpr DevicePtr operator+(DevicePtr p, std::uint64_t bytes) {
  return DevicePtr{static_cast<std::uint64_t>(p) + bytes};
}

// The parameter block of a kernel, packed with C alignment as PTX lays it out.
class KernelArgs {
 public:
  template <class T>
  KernelArgs& add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return add_bytes(&value, sizeof(T), alignof(T));
  }
  KernelArgs& add_bytes(const void* data, std::size_t size, std::size_t align) {
    const std::size_t at = (block_.size() + align - 1) / align * align;
    block_.resize(at + size);
    std::memcpy(block_.data() + at, data, size);
    return *this;
  }
  const std::vector<std::byte>& block() const { return block_; }

 private:
  std::vector<std::byte> block_;
};

template <class... Ts>
KernelArgs args(const Ts&... values) {
  KernelArgs a;
  (a.add(values), ...);
  return a;
}

struct Launch {
  std::string kernel;  // entry name in its module
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared = 0;  // bytes
  KernelArgs args;
  // Modules by the order in which they were loaded, for kernels whose name several have; kAnyModule: the
  // first that has one of this name.
  static constexpr std::uint32_t kAnyModule = ~0u;
  std::uint32_t module = kAnyModule;
  std::uint32_t registers = 0;  // per thread, where the estimate from PTX is not wanted; 0: it is
};

}  // namespace heddle::workload
