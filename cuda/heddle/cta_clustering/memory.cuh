// CTA clustering: loads and prefetches that tell a cache what to keep.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace heddle {
namespace clustering {
namespace detail {

// ld.global.cg by size. Volatile, and with memory as an operand, so that it stays where it is between stores.
template <std::size_t bytes>
struct LoadCg {
  static_assert(bytes == 0, "load_streaming takes types of 1, 2, 4, 8 or 16 bytes");
};
template <>
struct LoadCg<1> {
  using Bits = std::uint8_t;
  static __device__ __forceinline__ Bits load(const void* from) {
    std::uint32_t bits;
    asm volatile("ld.global.cg.u8 %0, [%1];" : "=r"(bits) : "l"(from) : "memory");
    return static_cast<Bits>(bits);
  }
};
template <>
struct LoadCg<2> {
  using Bits = std::uint16_t;
  static __device__ __forceinline__ Bits load(const void* from) {
    Bits bits;
    asm volatile("ld.global.cg.u16 %0, [%1];" : "=h"(bits) : "l"(from) : "memory");
    return bits;
  }
};
template <>
struct LoadCg<4> {
  using Bits = std::uint32_t;
  static __device__ __forceinline__ Bits load(const void* from) {
    Bits bits;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(bits) : "l"(from) : "memory");
    return bits;
  }
};
template <>
struct LoadCg<8> {
  using Bits = std::uint64_t;
  static __device__ __forceinline__ Bits load(const void* from) {
    unsigned long long bits;
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(bits) : "l"(from) : "memory");
    return bits;
  }
};
template <>
struct LoadCg<16> {
  using Bits = uint4;
  static __device__ __forceinline__ Bits load(const void* from) {
    Bits bits;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
                 : "l"(from)
                 : "memory");
    return bits;
  }
};

}  // namespace detail

// Bypass (BPS): reads global memory past the L1, for data that no other CTA of the cluster reads. `from` must
// be global memory, aligned to the size of T.
template <class T>
__device__ __forceinline__ T load_streaming(const T* from) {
  static_assert(std::is_trivially_copyable<T>::value,
                "load_streaming takes types that can be copied as bytes");
  const typename detail::LoadCg<sizeof(T)>::Bits bits = detail::LoadCg<sizeof(T)>::load(from);
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// For prefetch hooks: brings the 32 bytes at `from` (global memory) near. Only Kepler has an instruction that
// fills the L1; the same one ends in L2 on later cards. There it is a copy of a word into shared memory that
// nobody reads, and before CC 8.0 a load, for which the thread waits. A kernel that ends soon after has to
// end_prefetches().
__device__ __forceinline__ void prefetch_l1(const void* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  __shared__ std::uint32_t unread;
  const unsigned long long word = reinterpret_cast<unsigned long long>(from) & ~3ull;
  asm volatile("{ .reg .u64 to; cvta.to.shared.u64 to, %0; cp.async.ca.shared.global [to], [%1], 4; }"
               :
               : "l"(&unread), "l"(word));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 500
  // The fence is for nothing: without a use of its value the compiler drops the load.
  asm volatile(
      "{ .reg .pred p; .reg .u32 value; ld.global.ca.u8 value, [%0]; setp.eq.u32 p, value, 77; @p "
      "membar.cta; }"
      :
      : "l"(from));
#else
  asm volatile("prefetch.global.L1 [%0];" : : "l"(from));
#endif
}
__device__ __forceinline__ void end_prefetches() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}
__device__ __forceinline__ void prefetch_l2(const void* from) {
  asm volatile("prefetch.global.L2 [%0];" : : "l"(from));
}

}  // namespace clustering
}  // namespace heddle
