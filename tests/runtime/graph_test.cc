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

// decide(p, handle): the condition becomes p[0], which is then one less.
constexpr const char* kDecide = R"(
.version 8.0
.target sm_75
.address_size 64
.extern .func cudaGraphSetConditional (.param .b64 h, .param .b32 v);
.visible .entry decide(.param .u64 p, .param .u64 handle) {
  .reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .pred %p1;
  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [handle]; ld.global.u32 %r1, [%rd1];
  { .param .b64 h; .param .b32 v; st.param.b64 [h], %rd2; st.param.b32 [v], %r1;
    call cudaGraphSetConditional, (h, v); }
  setp.eq.u32 %p1, %r1, 0; sub.u32 %r2, %r1, 1; @!%p1 st.global.u32 [%rd1], %r2; ret;
}
)";

class ConditionTest : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    ASSERT_EQ(cudaGraphCreate(&graph_, 0), cudaSuccess);
    p_ = allocate(1);
    count_ = allocate(4);
  }
  // A node of `graph` behind `after`.
  cudaGraphNode_t kernel(cudaGraph_t graph, cudaGraphNode_t after, const void* function,
                         std::vector<void*> arguments) {
    cudaGraphNodeParams p{};
    p.kernel = {};
    p.kernel.func = const_cast<void*>(function);
    p.kernel.kernelParams = arguments.data();
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddNode(&node, graph, &after, nullptr, after != nullptr ? 1 : 0, &p), cudaSuccess);
    return node;
  }
  cudaGraph_t* conditional(cudaGraphNode_t after, int type, unsigned size, unsigned long long handle) {
    cudaGraphNodeParams p{};
    p.type = 13;
    p.conditional = {handle, type, size, nullptr};
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddNode(&node, graph_, &after, nullptr, after != nullptr ? 1 : 0, &p), cudaSuccess);
    return p.conditional.phGraph_out;
  }
  // What the counters are after the graph has run with p[0] = value.
  std::vector<std::uint32_t> run(std::uint32_t value) {
    const std::uint32_t zeros[4] = {};
    EXPECT_EQ(cudaMemcpy(p_, &value, 4, kToDevice), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(count_, zeros, 16, kToDevice), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(exec_, nullptr), cudaSuccess);
    return words(count_, 4);
  }
  // The program may destroy its graph then.
  void instantiate() {
    ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
  }
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  std::uint32_t *p_ = nullptr, *count_ = nullptr, one_ = 1;
  const void* decide_ = [] {
    static Program& program = *new Program(kDecide);
    return program.kernel("decide");
  }();
};

TEST_F(ConditionTest, IfAndElse) {
  unsigned long long handle = 0;
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&handle, graph_, 0, 0), cudaSuccess);
  cudaGraph_t* bodies = conditional(kernel(graph_, nullptr, decide_, {&p_, &handle}), 0, 2, handle);
  std::uint32_t* second = count_ + 1;
  kernel(bodies[0], nullptr, common().kernel("add"), {&count_, &one_});
  kernel(bodies[1], nullptr, common().kernel("add"), {&second, &one_});
  instantiate();
  EXPECT_EQ(run(3), (std::vector<std::uint32_t>{1, 0, 0, 0}));
  EXPECT_EQ(run(0), (std::vector<std::uint32_t>{0, 1, 0, 0}));
}

TEST_F(ConditionTest, WhileWithACapturedBodyAndADefault) {
  unsigned long long handle = 0;
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&handle, graph_, 1, 1), cudaSuccess);
  cudaGraph_t* bodies = conditional(nullptr, 1, 1, handle);
  cudaStream_t s = nullptr;
  ASSERT_EQ(cudaStreamCreate(&s), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCaptureToGraph(s, bodies[0], nullptr, nullptr, 0, 0), cudaSuccess);
  ASSERT_EQ(launch(common().kernel("add"), {1}, {1}, {&count_, &one_}, 0, s), cudaSuccess);
  ASSERT_EQ(launch(decide_, {1}, {1}, {&p_, &handle}, 0, s), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(s, nullptr), cudaSuccess) << "the program has the graph already";
  instantiate();
  EXPECT_EQ(run(4)[0], 5u) << "once by default, then while p[0] was not zero";
  EXPECT_EQ(run(0)[0], 1u) << "every launch begins with the default";
}

TEST_F(ConditionTest, SwitchChoosesOneBodyOrNone) {
  unsigned long long handle = 0;
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&handle, graph_, 0, 0), cudaSuccess);
  cudaGraph_t* bodies = conditional(kernel(graph_, nullptr, decide_, {&p_, &handle}), 2, 3, handle);
  for (unsigned i = 0; i < 3; ++i) {
    std::uint32_t* counter = count_ + i;
    kernel(bodies[i], nullptr, common().kernel("add"), {&counter, &one_});
  }
  cudaGraph_t clone = nullptr;
  ASSERT_EQ(cudaGraphClone(&clone, graph_), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
  graph_ = clone;
  instantiate();
  EXPECT_EQ(run(0), (std::vector<std::uint32_t>{1, 0, 0, 0}));
  EXPECT_EQ(run(2), (std::vector<std::uint32_t>{0, 0, 1, 0}));
  EXPECT_EQ(run(3), (std::vector<std::uint32_t>{0, 0, 0, 0}));
}

TEST_F(ConditionTest, WhatIsNoCondition) {
  cudaGraphNodeParams p{};
  p.type = 13;
  p.conditional = {0, 0, 1, nullptr};
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaGraphAddNode(&node, graph_, nullptr, nullptr, 0, &p), cudaErrorInvalidValue) << "no handle";
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&p.conditional.handle, graph_, 0, 0), cudaSuccess);
  p.conditional.type = 1;
  p.conditional.size = 2;
  EXPECT_EQ(cudaGraphAddNode(&node, graph_, nullptr, nullptr, 0, &p), cudaErrorInvalidValue) << "two bodies";
  p.conditional.type = 3;
  EXPECT_EQ(cudaGraphAddNode(&node, graph_, nullptr, nullptr, 0, &p), cudaErrorInvalidValue) << "no type";
}

}  // namespace
}  // namespace heddle::runtime_test
