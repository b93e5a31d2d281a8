/* The host part in plain C: it sees the runtime's C functions and a wrapper of the kernel. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "wrapper.h"

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000, i, bad = 0;
  unsigned *host = malloc(n * sizeof *host), *device = NULL;
  struct settings settings = {3, 17, 1000003};
  for (i = 0; i < n; ++i) host[i] = i;
  if (cudaMalloc((void **)&device, n * sizeof *host) != cudaSuccess) return 2;
  if (cudaMemcpy(device, host, n * sizeof *host, cudaMemcpyHostToDevice) != cudaSuccess) return 2;
  if (scramble(device, n, settings) != cudaSuccess) return 2;
  if (cudaMemcpy(host, device, n * sizeof *host, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  for (i = 0; i < n; ++i) bad += host[i] != (unsigned)((long long)i * i * 3 + 17) % 1000003u;
  printf("%d elements, %d wrong, last %u\n", n, bad, host[n - 1]);
  cudaFree(device);
  free(host);
  puts(bad == 0 ? "PASSED" : "FAILED");
  return bad != 0;
}
