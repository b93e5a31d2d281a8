// Moves every element one place to the left. The bug: the last thread reads one element too far.
__global__ void shift(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i + 1];
}
