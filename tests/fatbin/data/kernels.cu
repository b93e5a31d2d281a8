// What the files beside this one were made of (make.sh).
extern "C" __global__ void scale(float* a, float f) {
  a[blockIdx.x * blockDim.x + threadIdx.x] *= f;
}

extern "C" __global__ void rotate(double* a, int n) {
  double s[8];
  for (int k = 0; k < 8; ++k) s[k] = a[k * n + threadIdx.x];
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < 8; ++k) s[k] = s[k] * s[(k + 3) % 8] + a[j];
  for (int k = 0; k < 8; ++k) a[k * n + threadIdx.x] = s[k];
}

#ifdef PROGRAM
int main() {
  scale<<<1, 1>>>(nullptr, 2.0f);
}
#endif
