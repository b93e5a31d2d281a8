// Samples at given points, for the comparison of all texture formats and modes (texture_test.cc).
extern "C" __global__ void sample(cudaTextureObject_t t, const float2* at, float* out, int dimensions) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = dimensions == 1 ? tex1D<float>(t, at[i].x) : tex2D<float>(t, at[i].x, at[i].y);
}
