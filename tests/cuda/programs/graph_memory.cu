// Graphs that allocate, nodes for symbols and events, and what a graph tells about itself.
#include <vector>

#include "check.h"

__constant__ float factors[4];

__global__ void square(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] * from[i];
}
__global__ void scale(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factors[i % 4];
}

int main() {
  Checks checks;
  const int n = 1000;
  int calls = 0;
  std::vector<float> in(n), out(n, -1);
  for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i);
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  // Captured: allocated and freed inside, launched several times.
  cudaGraph_t captured;
  cudaGraphExec_t executable;
  float *a, *b;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(&a, n * sizeof(float), stream));
  CHECK(cudaMallocAsync(&b, n * sizeof(float), stream));
  CHECK(cudaMemcpyAsync(a, in.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream));
  square<<<4, 256, 0, stream>>>(a, b, n);
  CHECK(cudaFreeAsync(a, stream));
  CHECK(cudaMemcpyAsync(out.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(b, stream));
  CHECK(cudaStreamEndCapture(stream, &captured));
  CHECK(cudaGraphInstantiate(&executable, captured, 0));
  bool good = true;
  for (int turn = 0; turn < 3; ++turn) {
    in[5] = static_cast<float>(turn);
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    good = good && out[5] == turn * turn && out[9] == 81;
  }
  checks.expect(good, "a captured graph with memory of its own");
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(captured));

  // Built: its memory is freed outside of it, and comes again with the next launch.
  cudaGraph_t graph, clone;
  cudaGraphNode_t allocate, symbol, copy, kernel, host, event_node, twin;
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams memory = {};
  memory.bytesize = n * sizeof(float);
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  CHECK(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &memory));
  float* data = static_cast<float*>(memory.dptr);
  const float values[4] = {1, 2, 3, 4};
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&symbol, graph, &allocate, 1, factors, values, sizeof values, 0,
                                       cudaMemcpyHostToDevice));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &symbol, 1, data, in.data(), n * sizeof(float),
                                 cudaMemcpyHostToDevice));
  int count = n;
  void* arguments[] = {&data, &count};
  cudaKernelNodeParams launch = {};
  launch.func = reinterpret_cast<void*>(scale);
  launch.gridDim = 4;
  launch.blockDim = 256;
  launch.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &copy, 1, &launch));
  cudaHostNodeParams call = {[](void* p) { ++*static_cast<int*>(p); }, &calls};
  CHECK(cudaGraphAddHostNode(&host, graph, &kernel, 1, &call));
  CHECK(cudaGraphAddEventRecordNode(&event_node, graph, &host, 1, event));
  size_t nodes = 0, roots = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  checks.expect(nodes == 6 && roots == 1, "six nodes, one root");
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int turn = 0; turn < 2; ++turn) {
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaMemcpyAsync(out.data(), data, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(data, stream));
    CHECK(cudaStreamSynchronize(stream));
    checks.expect(out[6] == 18 && out[7] == 28 && calls == turn + 1, "a launch after its memory was freed");
  }
  CHECK(cudaEventSynchronize(event));
  cudaHostNodeParams told = {};
  CHECK(cudaGraphHostNodeGetParams(host, &told));
  checks.expect(told.userData == &calls, "what a node was given");
  CHECK(cudaGraphExecDestroy(executable));

  // Graphs with memory cannot be cloned.
  cudaGraph_t plain;
  CHECK(cudaGraphCreate(&plain, 0));
  CHECK(cudaGraphAddEmptyNode(&copy, plain, nullptr, 0));
  CHECK(cudaGraphAddHostNode(&host, plain, &copy, 1, &call));
  CHECK(cudaGraphClone(&clone, plain));
  CHECK(cudaGraphNodeFindInClone(&twin, host, clone));
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(twin, &type));
  checks.expect(type == cudaGraphNodeTypeHost && twin != host, "the node of a clone");
  return checks.finish();
}
