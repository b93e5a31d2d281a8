// Events: recorded, waited for, asked, and the time between them.
#include "check.h"

__global__ void work(float* data, int turns) {
  float x = data[threadIdx.x];
  for (int i = 0; i < turns; ++i) x = x * 0.5f + 1.0f;
  data[threadIdx.x] = x;
}

int main() {
  Checks checks;
  float* data;
  CHECK(cudaMalloc(&data, 256 * sizeof(float)));
  CHECK(cudaMemset(data, 0, 256 * sizeof(float)));
  cudaEvent_t a, b, c, without_time;
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreate(&b));
  CHECK(cudaEventCreate(&c));
  CHECK(cudaEventCreateWithFlags(&without_time, cudaEventDisableTiming));
  checks.expect(cudaEventQuery(a) == cudaSuccess, "an event that was never recorded is complete");
  float ms = -1;
  checks.expect(cudaEventElapsedTime(&ms, a, b) == cudaErrorInvalidResourceHandle, "but has no time");

  work<<<1, 64>>>(data, 10);
  CHECK(cudaEventRecord(a));
  work<<<1, 64>>>(data, 200);
  CHECK(cudaEventRecord(b));
  work<<<1, 64>>>(data, 6000);
  CHECK(cudaEventRecord(c));
  CHECK(cudaEventSynchronize(c));
  checks.expect(cudaEventQuery(c) == cudaSuccess, "a synchronised event is complete");
  float short_ms = -1, long_ms = -1, both_ms = -1;
  CHECK(cudaEventElapsedTime(&short_ms, a, b));
  CHECK(cudaEventElapsedTime(&long_ms, b, c));
  CHECK(cudaEventElapsedTime(&both_ms, a, c));
  checks.expect(short_ms > 0 && long_ms > 0, "kernels take time");
  checks.expect(long_ms > short_ms, "30 times the work takes longer");
  checks.expect(both_ms > long_ms && both_ms < (short_ms + long_ms) * 1.01f + 0.01f, "times add up");
  CHECK(cudaEventRecord(without_time, cudaStreamPerThread));
  CHECK(cudaEventSynchronize(without_time));
  checks.expect(cudaEventElapsedTime(&ms, a, without_time) == cudaErrorInvalidResourceHandle,
                "an event without timing has no time");
  cudaGetLastError();
  float result[2];
  CHECK(cudaMemcpy(result, data, sizeof result, cudaMemcpyDeviceToHost));
  checks.expect(result[0] == 2.0f || (result[0] > 1.999f && result[0] < 2.001f),
                "the kernels did their work");
  CHECK(cudaEventDestroy(a));
  CHECK(cudaEventDestroy(b));
  CHECK(cudaEventDestroy(c));
  CHECK(cudaEventDestroy(without_time));
  CHECK(cudaFree(data));
  return checks.finish();
}
