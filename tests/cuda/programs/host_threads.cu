// Several threads of the host, each with its own default stream and its own last error.
// nvcc: --default-stream per-thread -Xcompiler -pthread
#include <thread>
#include <vector>

#include "check.h"

__global__ void fill(int* p, int n, int value) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = value + i;
}

static int work(int which) {
  const int n = 500;
  int* p = nullptr;
  std::vector<int> host(n);
  if (cudaMalloc(&p, n * sizeof(int)) != cudaSuccess) return 1;
  if (which == 2 && (cudaFree(&host) == cudaSuccess || cudaPeekAtLastError() == cudaSuccess))
    return 2;  // a mistake of this thread alone
  if (which != 2 && cudaGetLastError() != cudaSuccess) return 3;
  for (int turn = 0; turn < 3; ++turn) fill<<<1, 64>>>(p, n, which * 1000 + turn);
  if (cudaMemcpyAsync(host.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 4;
  if (cudaStreamSynchronize(0) != cudaSuccess) return 5;
  for (int i = 0; i < n; ++i)
    if (host[i] != which * 1000 + 2 + i) return 6;
  return cudaFree(p) == cudaSuccess ? 0 : 7;
}

int main() {
  Checks checks;
  int status[4] = {-1, -1, -1, -1};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&status, i] { status[i] = work(i); });
  for (auto& t : threads) t.join();
  for (int i = 0; i < 4; ++i) checks.expect(status[i] == 0, "a thread");
  checks.expect(cudaGetLastError() == cudaSuccess, "the main thread has no error");
  return checks.finish();
}
