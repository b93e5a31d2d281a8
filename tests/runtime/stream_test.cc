#include "tests/runtime/program.h"

namespace heddle::runtime_test {
namespace {

class StreamTest : public RuntimeTest {};

TEST_F(StreamTest, EventsTellSimulatedTime) {
  const void* add = common().kernel("add");
  std::uint32_t *p = allocate(1 << 16), one = 1;
  cudaEvent_t e[3] = {};
  for (cudaEvent_t& event : e) ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  float ms = -1;
  EXPECT_EQ(cudaEventElapsedTime(&ms, e[0], e[1]), cudaErrorInvalidResourceHandle) << "not recorded yet";
  ASSERT_EQ(cudaEventRecord(e[0], nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(e[1], nullptr), cudaSuccess);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(launch(add, {256}, {256}, {&p, &one}), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(e[2], nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, e[0], e[1]), cudaSuccess);
  EXPECT_EQ(ms, 0.0f) << "nothing happened between them";
  EXPECT_EQ(cudaEventElapsedTime(&ms, e[1], e[2]), cudaSuccess);
  EXPECT_GT(ms, 0.0f);
  EXPECT_LT(ms, 1.0f) << "microseconds of the card, not the time of the host";
  for (cudaEvent_t event : e) EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(e[0], nullptr), cudaErrorInvalidResourceHandle);
}

TEST_F(StreamTest, EventsWithoutTiming) {
  constexpr unsigned kNoTiming = 2;
  cudaEvent_t a = nullptr, b = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&a, kNoTiming), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&b), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(a, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(b, nullptr), cudaSuccess);
  float ms = 0;
  EXPECT_EQ(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
}

TEST_F(StreamTest, WorkOfAStreamKeepsItsOrder) {
  cudaStream_t s = nullptr;
  ASSERT_EQ(cudaStreamCreate(&s), cudaSuccess);
  std::uint32_t *p = allocate(32), two = 2, three = 3;
  std::vector<std::uint32_t> host(32, 10);
  ASSERT_EQ(cudaMemcpyAsync(p, host.data(), 128, kToDevice, s), cudaSuccess);
  ASSERT_EQ(launch(common().kernel("add"), {1}, {32}, {&p, &two}, 0, s), cudaSuccess);
  ASSERT_EQ(launch(common().kernel("add"), {1}, {32}, {&p, &three}, 0, s), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(host.data(), p, 128, kToHost, s), cudaSuccess);
  static std::uint32_t seen;
  ASSERT_EQ(cudaLaunchHostFunc(
                s, [](void* data) { seen = *static_cast<std::uint32_t*>(data); }, host.data()),
            cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(s), cudaSuccess);
  EXPECT_EQ(seen, 15u);
  EXPECT_EQ(cudaStreamQuery(s), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(s), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(s), cudaErrorInvalidResourceHandle);
}

}  // namespace
}  // namespace heddle::runtime_test
