#include "tests/runtime/program.h"

namespace heddle::runtime_test {
namespace {

class GraphTest : public RuntimeTest {};

TEST_F(GraphTest, ACapturedStreamRunsWhenItsGraphIsLaunched) {
  cudaStream_t s = nullptr, side = nullptr;
  cudaEvent_t fork = nullptr;
  ASSERT_EQ(cudaStreamCreate(&s), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&side), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&fork), cudaSuccess);
  std::uint32_t *p = allocate(32), *q = allocate(32), one = 1;
  const void* add = common().kernel("add");
  ASSERT_EQ(cudaStreamBeginCapture(s, 0), cudaSuccess);
  ASSERT_EQ(launch(add, {1}, {32}, {&p, &one}, 0, s), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(fork, s), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(side, fork, 0), cudaSuccess);
  ASSERT_EQ(launch(add, {1}, {32}, {&q, &one}, 0, side), cudaSuccess) << "a part of the capture, too";
  EXPECT_EQ(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(s, &graph), cudaSuccess);
  EXPECT_EQ(words(p, 1)[0], 0u) << "nothing has run yet";
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(cudaGraphLaunch(exec, s), cudaSuccess);
  EXPECT_EQ(words(p, 1)[0], 3u);
  EXPECT_EQ(words(q, 1)[0], 3u);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec, s), cudaErrorInvalidValue);
}

TEST_F(GraphTest, NodesRunAfterThoseTheyDependOn) {
  std::uint32_t *p = allocate(1), four = 4, five = 5;
  std::vector<std::uint32_t> host(1);
  void *first_args[] = {&p, &four}, *second_args[] = {&p, &five};
  cudaKernelNodeParams first{}, second{};
  first.func = const_cast<void*>(common().kernel("fill"));
  first.kernelParams = first_args;
  second.func = const_cast<void*>(common().kernel("add"));
  second.kernelParams = second_args;
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  // Added backwards, ordered by their dependencies.
  cudaGraphNode_t copy = nullptr, adding = nullptr, filling = nullptr;
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, host.data(), p, 4, kToHost), cudaSuccess);
  ASSERT_EQ(cudaGraphAddKernelNode(&adding, graph, nullptr, 0, &second), cudaSuccess);
  ASSERT_EQ(cudaGraphAddKernelNode(&filling, graph, nullptr, 0, &first), cudaSuccess);
  const cudaGraphNode_t from[] = {filling, adding}, to[] = {adding, copy};
  ASSERT_EQ(cudaGraphAddDependencies(graph, from, to, nullptr, 2), cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec, nullptr), cudaSuccess);
  EXPECT_EQ(host[0], 9u);
  five = 50;
  ASSERT_EQ(cudaGraphExecKernelNodeSetParams(exec, adding, &second), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec, nullptr), cudaSuccess);
  EXPECT_EQ(host[0], 54u);
  const cudaGraphNode_t back[] = {copy}, again[] = {filling};
  ASSERT_EQ(cudaGraphAddDependencies(graph, back, again, nullptr, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue) << "in a circle";
}

TEST_F(GraphTest, MemoryOfAGraphComesWithEveryLaunch) {
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaMemAllocNodeParams p{};
  p.bytesize = 4096;
  std::uint64_t used = 7;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &p), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaFree(p.dptr), cudaErrorInvalidValue) << "there is none before the launch";
  cudaGetLastError();
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(cudaGraphLaunch(exec, nullptr), cudaSuccess);
    ASSERT_EQ(cudaDeviceGetGraphMemAttribute(0, 0, &used), cudaSuccess);
    EXPECT_EQ(used, 4096u);
    EXPECT_EQ(cudaMemset(p.dptr, 1, 4096), cudaSuccess);
    EXPECT_EQ(cudaFree(p.dptr), cudaSuccess);
  }
  ASSERT_EQ(cudaDeviceGetGraphMemAttribute(0, 2, &used), cudaSuccess);
  EXPECT_EQ(used, 4096u) << "reserved until it is trimmed";
  ASSERT_EQ(cudaDeviceGraphMemTrim(0), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetGraphMemAttribute(0, 2, &used), cudaSuccess);
  EXPECT_EQ(used, 0u);
}

}  // namespace
}  // namespace heddle::runtime_test
