// Registers PTX text as nvcc's code registers a fat binary before main().
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/runtime/cudart.h"

namespace heddle::runtime_test {

inline constexpr auto kToDevice = cudaMemcpyHostToDevice;
inline constexpr auto kToHost = cudaMemcpyDeviceToHost;

// A program's device code; lives as long as the process, as real ones do.
class Program {
 public:
  explicit Program(const std::string& ptx);
  // The host's function that means kernel `name`.
  const void* kernel(const std::string& name);
  void** handle() const { return handle_; }

 private:
  std::vector<std::byte>* container_;
  FatBinaryWrapper* wrapper_;
  void** handle_;
};

// Kernels that most tests use: fill(p, value), add(p, value), shared(p), fault(p), where p is an array of
// 32-bit words with one word per thread.
Program& common();

cudaError_t launch(const void* function, dim3 grid, dim3 block, std::vector<void*> arguments,
                   std::size_t shared = 0, cudaStream_t stream = nullptr);

// Words of the device, as the host reads them.
std::vector<std::uint32_t> words(const void* device, std::size_t count);

// Every test begins with a fresh device.
class RuntimeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
    cudaGetLastError();
  }
  static std::uint32_t* allocate(std::size_t count);
};

}  // namespace heddle::runtime_test
