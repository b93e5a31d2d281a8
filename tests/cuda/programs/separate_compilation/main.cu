#include "../check.h"
#include "physics.h"

__global__ void simulate(Particle* particles, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle p = particles[i];
  for (int s = 0; s < steps; ++s) move(p, 0.25f);
  particles[i] = p;
}

int main() {
  Checks checks;
  const int n = 100, steps = 8;
  Particle host[n], *device;
  for (int i = 0; i < n; ++i) host[i] = {static_cast<float>(i), 16.0f};
  CHECK(cudaMalloc(&device, sizeof host));
  CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  simulate<<<2, 64>>>(device, n, steps);
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  bool good = true;
  for (int i = 0; i < n; ++i) good = good && host[i].speed == 0.0f && host[i].position == i + 14.0f;
  checks.expect(good, "a function of another file");
  int done = 0;
  CHECK(cudaMemcpyFromSymbol(&done, steps_done, sizeof done));
  checks.expect(done == n * steps, "a variable of another file");
  return checks.finish();
}
