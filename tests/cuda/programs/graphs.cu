// A graph captured from streams and launched several times.
#include "check.h"

__global__ void add(int* p, int n, int value) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] += value;
}
__global__ void multiply(int* p, int n, int value) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] *= value;
}

int main() {
  Checks checks;
  const int n = 200;
  int *p, host[n];
  CHECK(cudaMalloc(&p, sizeof host));
  cudaStream_t stream, side;
  cudaEvent_t fork, join;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&side));
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CHECK(cudaMemsetAsync(p, 0, sizeof host, stream));
  CHECK(cudaStreamSynchronize(stream));

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 64, 0, stream>>>(p, n, 1);
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(side, fork, 0));
  multiply<<<1, 64, 0, side>>>(p, n, 3);
  CHECK(cudaEventRecord(join, side));
  CHECK(cudaStreamWaitEvent(stream, join, 0));
  add<<<1, 64, 0, stream>>>(p, n, 2);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  checks.expect(host[0] == 0 && host[n - 1] == 0, "nothing runs while it is captured");
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  checks.expect(nodes == 3, "three nodes");
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", host[0], host[n - 1]);
  checks.expect(host[0] == 65 && host[n - 1] == 65, "three launches, each in order");
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(p));
  return checks.finish();
}
