#include <cstdlib>

#include "tests/runtime/program.h"

namespace heddle::runtime_test {
namespace {

class MemoryTest : public RuntimeTest {};

TEST_F(MemoryTest, FreeTakesOnlyWhatMallocGave) {
  std::uint32_t* p = allocate(64);
  EXPECT_EQ(cudaFree(p + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(p), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
}

TEST_F(MemoryTest, MoreThanTheCardHasIsRefused) {
  std::size_t available = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&available, &total), cudaSuccess);
  void* p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, total + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&p, std::size_t{1} << 62), cudaErrorMemoryAllocation);
  ASSERT_EQ(cudaMalloc(&p, 1 << 20), cudaSuccess);
  std::size_t left = 0;
  ASSERT_EQ(cudaMemGetInfo(&left, &total), cudaSuccess);
  EXPECT_EQ(available - left, std::size_t{1} << 20);
}

TEST_F(MemoryTest, WhatTheHostCannotHoldIsRefusedWhenWritten) {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  void *p = nullptr, *q = nullptr;
  ASSERT_EQ(cudaMalloc(&p, kBytes), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&q, kBytes), cudaSuccess);
  setenv("HEDDLE_HOST_MEMORY", "512MiB", 1);
  EXPECT_EQ(cudaMemset(p, 1, kBytes), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMemcpy(q, p, kBytes, cudaMemcpyDeviceToDevice), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMemset(p, 1, 4096), cudaSuccess);
  unsetenv("HEDDLE_HOST_MEMORY");
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

// Minutes if a call looked at all the other allocations.
TEST_F(MemoryTest, ManySmallAllocationsComeAndGoInAnyOrder) {
  std::vector<void*> all(200'000);
  for (void*& p : all) ASSERT_EQ(cudaMalloc(&p, 256), cudaSuccess);
  for (const std::size_t odd : {1, 0})
    for (std::size_t i = odd; i < all.size(); i += 2) ASSERT_EQ(cudaFree(all[i]), cudaSuccess);
  std::uint32_t* const again = allocate(64);
  EXPECT_EQ(again, all[0]);
}

TEST_F(MemoryTest, HostAndKernelsShareManagedMemory) {
  std::uint32_t* p = nullptr;
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&p), 4 * 64, 1), cudaSuccess);
  for (std::uint32_t i = 0; i < 64; ++i) p[i] = i;
  std::uint32_t seven = 7;
  ASSERT_EQ(launch(common().kernel("add"), {2}, {32}, {&p, &seven}), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(p[i], i + 7);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
}

TEST_F(MemoryTest, PinnedMemoryIsMapped) {
  std::uint32_t *host = nullptr, *device = nullptr, value = 5;
  ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&host), 4 * 32), cudaSuccess);
  ASSERT_EQ(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device), host, 0), cudaSuccess);
  ASSERT_EQ(launch(common().kernel("fill"), {1}, {32}, {&device, &value}), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(host[31], 5u);
  EXPECT_EQ(cudaFree(host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
}

TEST_F(MemoryTest, MemoryOfTheHostCanBeRegistered) {
  auto* host = static_cast<std::uint32_t*>(std::aligned_alloc(4096, 4096));
  std::uint32_t value = 9;
  EXPECT_EQ(cudaHostUnregister(host), cudaErrorHostMemoryNotRegistered);
  ASSERT_EQ(cudaHostRegister(host, 4096, 0), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(host, 4096, 0), cudaErrorHostMemoryAlreadyRegistered);
  ASSERT_EQ(launch(common().kernel("fill"), {32}, {32}, {&host, &value}), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(host[1023], 9u);
  EXPECT_EQ(cudaHostUnregister(host), cudaSuccess);
  std::free(host);
}

TEST_F(MemoryTest, APointerTellsWhatItIs) {
  cudaPointerAttributes a{};
  int local = 0;
  ASSERT_EQ(cudaPointerGetAttributes(&a, &local), cudaSuccess);
  EXPECT_EQ(a.type, cudaMemoryTypeUnregistered);
  ASSERT_EQ(cudaPointerGetAttributes(&a, allocate(8) + 3), cudaSuccess);
  EXPECT_EQ(a.type, cudaMemoryTypeDevice);
  EXPECT_EQ(a.hostPointer, nullptr);
  void* managed = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, 16, 1), cudaSuccess);
  ASSERT_EQ(cudaPointerGetAttributes(&a, managed), cudaSuccess);
  EXPECT_EQ(a.type, cudaMemoryTypeManaged);
  EXPECT_EQ(a.hostPointer, managed);
}

TEST_F(MemoryTest, ALittlePastTheEndPassesAsOnACard) {
  std::uint32_t *p = allocate(4), one = 1;
  ASSERT_EQ(launch(common().kernel("add"), {1}, {8}, {&p, &one}), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "the same page";
  EXPECT_EQ(words(p, 4), std::vector<std::uint32_t>(4, 1));
  std::uint32_t* far = p + (std::size_t{1} << 28);
  testing::internal::CaptureStderr();
  ASSERT_EQ(launch(common().kernel("add"), {1}, {8}, {&far, &one}), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  testing::internal::GetCapturedStderr();
}

// Stencils read in front of their array before they look whether they are at its border.
TEST_F(MemoryTest, ALittleBeforeTheFirstAllocationPassesAsOnACard) {
  const std::size_t words_of_a_page = (2 << 20) / sizeof(std::uint32_t);
  std::uint32_t *p = allocate(8 * words_of_a_page), one = 1;
  std::uint32_t *before = p - 8192, *farther = p - 2 * words_of_a_page;
  ASSERT_EQ(launch(common().kernel("add"), {1}, {8}, {&before, &one}), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  testing::internal::CaptureStderr();
  ASSERT_EQ(launch(common().kernel("add"), {1}, {8}, {&farther, &one}), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  testing::internal::GetCapturedStderr();
}

TEST_F(MemoryTest, StreamOrderedAllocations) {
  void* p = nullptr;
  ASSERT_EQ(cudaMallocAsync(&p, 256, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemset(p, 1, 256), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(p, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(p, nullptr), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace heddle::runtime_test
