// One step of heat spreading over an n x n plate, with a heat source per cell; nvcc made stencil.ptx of this:
//   nvcc -ptx -arch=sm_75 stencil.cu
__global__ void stencil(const float* t, const float* p, float* o, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  int i = y * n + x;
  float c = t[i];
  float N = y > 0 ? t[i - n] : c, S = y < n - 1 ? t[i + n] : c;
  float W = x > 0 ? t[i - 1] : c, E = x < n - 1 ? t[i + 1] : c;
  o[i] = c + 0.1f * (N + S - 2.f * c) + 0.1f * (W + E - 2.f * c) + 0.05f * p[i];
}
