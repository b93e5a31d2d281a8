/* y = A'(A x), in the style of PolyBench/GPU: macros for sizes, a comparison in percent. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#define NX 192
#define NY 160
#define DIM_THREAD_BLOCK_X 64
#define PERCENT_DIFF_ERROR_THRESHOLD 0.5

typedef float DATA_TYPE;

static double rtclock(void) {
  struct timeval time;
  gettimeofday(&time, NULL);
  return time.tv_sec + time.tv_usec * 1.0e-6;
}

static float percent_diff(double a, double b) {
  if (fabs(a) < 0.01 && fabs(b) < 0.01) return 0.0f;
  return 100.0f * (float)fabs(fabs(a - b) / fabs(a + 1e-8));
}

static void init(DATA_TYPE* x, DATA_TYPE* a) {
  int i, j;
  for (i = 0; i < NX; i++) {
    for (j = 0; j < NY; j++) a[i * NY + j] = ((DATA_TYPE)i * (j)) / NX;
  }
  for (j = 0; j < NY; j++) x[j] = j * (DATA_TYPE)M_PI;
}

__global__ void atax_kernel1(DATA_TYPE* a, DATA_TYPE* x, DATA_TYPE* tmp) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < NX) {
    tmp[i] = 0;
    for (int j = 0; j < NY; j++) tmp[i] += a[i * NY + j] * x[j];
  }
}

__global__ void atax_kernel2(DATA_TYPE* a, DATA_TYPE* y, DATA_TYPE* tmp) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < NY) {
    y[j] = 0;
    for (int i = 0; i < NX; i++) y[j] += a[i * NY + j] * tmp[i];
  }
}

static void atax_cpu(DATA_TYPE* a, DATA_TYPE* x, DATA_TYPE* y, DATA_TYPE* tmp) {
  int i, j;
  for (i = 0; i < NY; i++) y[i] = 0;
  for (i = 0; i < NX; i++) {
    tmp[i] = 0;
    for (j = 0; j < NY; j++) tmp[i] = tmp[i] + a[i * NY + j] * x[j];
    for (j = 0; j < NY; j++) y[j] = y[j] + a[i * NY + j] * tmp[i];
  }
}

int main(void) {
  double start, end;
  int i, fail = 0;
  DATA_TYPE* a = (DATA_TYPE*)malloc(NX * NY * sizeof(DATA_TYPE));
  DATA_TYPE *x = (DATA_TYPE*)malloc(NY * sizeof(DATA_TYPE)), *y = (DATA_TYPE*)malloc(NY * sizeof(DATA_TYPE));
  DATA_TYPE *y_gpu = (DATA_TYPE*)malloc(NY * sizeof(DATA_TYPE)),
            *tmp = (DATA_TYPE*)malloc(NX * sizeof(DATA_TYPE));
  DATA_TYPE *d_a, *d_x, *d_y, *d_tmp;
  dim3 block(DIM_THREAD_BLOCK_X, 1);
  dim3 grid1((size_t)(ceil(((float)NX) / ((float)block.x))), 1),
      grid2((size_t)(ceil(((float)NY) / ((float)block.x))), 1);

  init(x, a);
  cudaSetDevice(0);
  cudaMalloc((void**)&d_a, sizeof(DATA_TYPE) * NX * NY);
  cudaMalloc((void**)&d_x, sizeof(DATA_TYPE) * NY);
  cudaMalloc((void**)&d_y, sizeof(DATA_TYPE) * NY);
  cudaMalloc((void**)&d_tmp, sizeof(DATA_TYPE) * NX);
  cudaMemcpy(d_a, a, sizeof(DATA_TYPE) * NX * NY, cudaMemcpyHostToDevice);
  cudaMemcpy(d_x, x, sizeof(DATA_TYPE) * NY, cudaMemcpyHostToDevice);
  start = rtclock();
  atax_kernel1<<<grid1, block>>>(d_a, d_x, d_tmp);
  cudaDeviceSynchronize();
  atax_kernel2<<<grid2, block>>>(d_a, d_y, d_tmp);
  cudaDeviceSynchronize();
  end = rtclock();
  fprintf(stderr, "GPU Runtime: %0.6lfs\n", end - start);
  cudaMemcpy(y_gpu, d_y, sizeof(DATA_TYPE) * NY, cudaMemcpyDeviceToHost);
  atax_cpu(a, x, y, tmp);
  for (i = 0; i < NY; i++) {
    if (percent_diff(y[i], y_gpu[i]) > PERCENT_DIFF_ERROR_THRESHOLD) fail++;
  }
  printf("Non-Matching CPU-GPU Outputs Beyond Error Threshold of %4.2f Percent: %d\n",
         PERCENT_DIFF_ERROR_THRESHOLD, fail);
  printf("y[%d] = %.3e\n", NY - 1, y_gpu[NY - 1]);
  cudaFree(d_a);
  cudaFree(d_x);
  cudaFree(d_y);
  cudaFree(d_tmp);
  free(a);
  free(x);
  free(y);
  free(y_gpu);
  free(tmp);
  return fail != 0;
}
