"""Latency and bandwidth of the memory levels of a real card; configs/h200.toml holds the results for an H200.

python3 memory.py (needs CuPy). Latencies are cycles of a chase through a random permutation, second round."""
import cupy as cp
import numpy as np

KERNEL = 'extern "C" __global__ void '


def chase_kernel(name, load):
    return KERNEL + name + """(const unsigned* next, int steps, long long* cycles, unsigned* out) {
  unsigned at = *out;
  for (int round = 0; round < 2; ++round) {
    long long from = clock64();
    for (int i = 0; i < steps; ++i) at = """ + load + """(next + at);
    *cycles = clock64() - from;
  }
  *out = at;
}
"""


SOURCE = chase_kernel("all_caches", "__ldca") + chase_kernel("l2_only", "__ldcg") + KERNEL + """
shared_chase(int steps, long long* cycles, unsigned* out) {
  __shared__ unsigned next[1024];
  for (int i = 0; i < 1024; ++i) next[i] = (i + 33) % 1024;
  unsigned at = 0;
  long long from = clock64();
  for (int i = 0; i < steps; ++i) at = next[at];
  *cycles = clock64() - from;
  *out = at;
}
""" + KERNEL + """
barriers(int steps, long long* cycles) {
  __syncthreads();
  long long from = clock64();
  for (int i = 0; i < steps; ++i) __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - from;
}
""" + KERNEL + """
read_all(const uint4* data, long long n, int rounds, unsigned* out) {
  unsigned sum = 0;
  for (int r = 0; r < rounds; ++r)
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) {
      uint4 v = __ldcg(data + i);
      sum += v.x ^ v.y ^ v.z ^ v.w;
    }
  if (sum == 12345) *out = sum;
}
"""
kernel = cp.RawModule(code=SOURCE).get_function
cycles = cp.zeros(1, "i8")
out = cp.zeros(1, "u4")


def chase(name, size, stride, steps):
    order = np.random.default_rng(1).permutation(size // stride).astype("u4")
    words = np.zeros(size // 4, "u4")
    words[order * (stride // 4)] = np.roll(order, -1) * (stride // 4)
    kernel(name)((1,), (1,), (cp.asarray(words), np.int32(steps), cycles, cp.zeros(1, "u4")))
    print(f"{name} {size >> 10} KiB stride {stride}: {int(cycles[0]) / steps:.1f} cycles")


def bandwidth(size, rounds):
    data = cp.ones(size // 4, "u4")
    times = []
    for _ in range(3):
        start, stop = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        kernel("read_all")((264,), (1024,), (data, np.int64(size // 16), np.int32(rounds), out))
        stop.record()
        stop.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, stop))
    print(f"read {size >> 20} MiB: {size * rounds / min(times) / 1e6:.0f} GB/s")


kernel("shared_chase")((1,), (1,), (np.int32(4096), cycles, out))
print(f"shared: {int(cycles[0]) / 4096:.2f} cycles")
for warps in (1, 8, 32):
    kernel("barriers")((1,), (32 * warps,), (np.int32(1000), cycles))
    print(f"barrier of {warps} warps: {int(cycles[0]) / 1000:.1f} cycles")
chase("all_caches", 1 << 14, 128, 4096)
chase("l2_only", 1 << 20, 128, 16384)
chase("l2_only", 1 << 24, 128, 262144)
chase("l2_only", 1 << 29, 128, 131072)
chase("l2_only", 1 << 31, 4096, 65536)
for size, rounds in ((1 << 23, 400), (1 << 24, 200), (1 << 25, 100), (1 << 32, 2)):
    bandwidth(size, rounds)
