/* The first program of every course, in the style of C. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static void stop_on_error(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "cannot %s: %s\n", what, cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}

int main(void) {
  int n = 5000, i;
  size_t bytes = n * sizeof(float);
  float *h_a = (float*)malloc(bytes), *h_b = (float*)malloc(bytes), *h_c = (float*)malloc(bytes);
  float *d_a = NULL, *d_b = NULL, *d_c = NULL;
  int threads = 256, blocks = (n + threads - 1) / threads;

  printf("[Vector addition of %d elements]\n", n);
  srand(1);
  for (i = 0; i < n; ++i) {
    h_a[i] = rand() / (float)RAND_MAX;
    h_b[i] = rand() / (float)RAND_MAX;
  }
  stop_on_error(cudaMalloc((void**)&d_a, bytes), "allocate A");
  stop_on_error(cudaMalloc((void**)&d_b, bytes), "allocate B");
  stop_on_error(cudaMalloc((void**)&d_c, bytes), "allocate C");
  printf("Copy input data from the host memory to the device\n");
  stop_on_error(cudaMemcpy(d_a, h_a, bytes, cudaMemcpyHostToDevice), "copy A");
  stop_on_error(cudaMemcpy(d_b, h_b, bytes, cudaMemcpyHostToDevice), "copy B");
  printf("Kernel launch with %d blocks of %d threads\n", blocks, threads);
  vector_add<<<blocks, threads>>>(d_a, d_b, d_c, n);
  stop_on_error(cudaGetLastError(), "launch the kernel");
  printf("Copy output data from the device to the host memory\n");
  stop_on_error(cudaMemcpy(h_c, d_c, bytes, cudaMemcpyDeviceToHost), "copy C");
  for (i = 0; i < n; ++i) {
    if (fabs(h_a[i] + h_b[i] - h_c[i]) > 1e-5) {
      fprintf(stderr, "wrong result at element %d\n", i);
      exit(EXIT_FAILURE);
    }
  }
  printf("Test PASSED\n");
  stop_on_error(cudaFree(d_a), "free A");
  stop_on_error(cudaFree(d_b), "free B");
  stop_on_error(cudaFree(d_c), "free C");
  free(h_a);
  free(h_b);
  free(h_c);
  printf("Done\n");
  return 0;
}
