// What happens before main(): in a process of its own, because it is about the first calls.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "tests/runtime/program.h"

namespace {
std::atomic<std::uint64_t> freed{0};
}

// The libraries find these in place of libstdc++'s (the executable exports its symbols).
void* operator new(std::size_t bytes) {
  if (void* p = std::malloc(bytes != 0 ? bytes : 1)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept {
  freed += p != nullptr;
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  operator delete(p);
}

namespace heddle::runtime_test {
namespace {

constexpr const char* kText = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .global .u32 a_variable_with_a_long_name;
.visible .entry a_kernel_with_a_name_that_takes_memory(.param .u64 p) {
  .reg .b64 %rd<2>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [p]; mov.u32 %r1, 7; st.global.u32 [%rd1], %r1; ret;
}
)";
constexpr const char* kKernel = "a_kernel_with_a_name_that_takes_memory";

// Programs exist whose first malloc()s must be zero, as they are on a machine with a card: nothing that was
// used and freed may lie on the heap when main() begins.
TEST(RegistrationTest, FreesNothing) {
  const std::string text = kText, name = kKernel;
  const std::uint64_t before = freed;
  Program program(text);
  const void* kernel = nullptr;
  for (int i = 0; i < 100; ++i) {
    kernel = program.kernel(name);
    auto* variable = new char;
    __cudaRegisterVar(program.handle(), variable, variable, "a_variable_with_a_long_name", 0, 4, 0, 0);
  }
  EXPECT_EQ(freed - before, 0u);

  void* p = nullptr;
  ASSERT_EQ(cudaMalloc(&p, 4), cudaSuccess);
  ASSERT_EQ(launch(kernel, {1}, {1}, {&p}), cudaSuccess);
  EXPECT_EQ(words(p, 1)[0], 7u);
  EXPECT_GT(freed - before, 0u) << "this test does not see what the libraries free";
}

// As a library does that is unloaded before one of its kernels was used: its memory is gone.
TEST(RegistrationTest, WhatWasTakenAwayIsNotRead) {
  alignas(8) unsigned char garbage[256];
  std::memset(garbage, 0xee, sizeof garbage);
  const void* container = garbage;
  FatBinaryWrapper wrapper{0x466243b1, 1, container, nullptr};
  void** const handle = __cudaRegisterFatBinary(&wrapper);
  static char host;
  __cudaRegisterFunction(handle, &host, &host, kKernel, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  wrapper.data = nullptr;
  std::memset(garbage, 0, sizeof garbage);
  __cudaUnregisterFatBinary(handle);

  constexpr int kMajor = 75;
  int major = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&major, kMajor, 0), cudaSuccess);
  EXPECT_EQ(major, 7);
  void* p = nullptr;
  EXPECT_EQ(launch(&host, {1}, {1}, {&p}), cudaErrorNoKernelImageForDevice);
}

}  // namespace
}  // namespace heddle::runtime_test
