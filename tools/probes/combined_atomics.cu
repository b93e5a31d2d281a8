// Which atomics of a warp ptxas lets one lane send for all: those with VOTE or REDUX before them.
//   nvcc -O3 -arch=sm_90 -cubin tools/probes/combined_atomics.cu -o c.cubin && cuobjdump -sass c.cubin
#define KERNEL(name, ...)                                                                                                    \
  extern "C" __global__ void name(unsigned* p, int* q, float* f, double* d, unsigned long long* u, unsigned* in, unsigned* out, int n) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
    __VA_ARGS__;                                                                                                             \
  }
KERNEL(add_one, atomicAdd(p, 1u))
KERNEL(add_one_if, if (in[i] > 5) atomicAdd(p, 1u))
KERNEL(add_value, atomicAdd(p, in[i]))
KERNEL(add_value_if, if (in[i] > 5) atomicAdd(p, in[i]))
KERNEL(add_returns, out[i] = atomicAdd(p, 1u))
KERNEL(add_value_returns, out[i] = atomicAdd(p, in[i]))
KERNEL(add_if_returns, if (in[i] > 5) out[atomicAdd(p, 1u)] = i)
KERNEL(max_value, atomicMax(q, (int)in[i]))
KERNEL(max_unsigned, atomicMax(p, in[i]))
KERNEL(or_value, atomicOr(p, in[i]))
KERNEL(xor_value, atomicXor(p, in[i]))
KERNEL(add_float, atomicAdd(f, (float)in[i]))
KERNEL(add_float_one, atomicAdd(f, 1.f))
KERNEL(add_double, atomicAdd(d, (double)in[i]))
KERNEL(add_u64_one, atomicAdd(u, 1ull))
KERNEL(add_u64_value, atomicAdd(u, (unsigned long long)in[i]))
KERNEL(max_u64, atomicMax(u, (unsigned long long)in[i]))
KERNEL(exch, atomicExch(p, in[i]))
KERNEL(inc, atomicInc(p, 100u))
KERNEL(cas, atomicCAS(p, 0u, in[i]))
KERNEL(sub, atomicSub(p, in[i]))
KERNEL(by_cta, atomicAdd(p + blockIdx.x, in[i]))
KERNEL(by_warp, atomicAdd(p + threadIdx.x / 32, in[i]))
KERNEL(by_loaded, atomicAdd(p + in[0], in[i]))
KERNEL(by_loop, for (int k = 0; k < n; ++k) atomicAdd(p + k, in[i + k]))
KERNEL(by_lane, atomicAdd(p + (i & 3), 1u))
KERNEL(shared_one, __shared__ unsigned s; if (threadIdx.x == 0) s = 0; __syncthreads(); atomicAdd(&s, 1u); __syncthreads(); out[i] = s)
KERNEL(shared_value, __shared__ unsigned s; if (threadIdx.x == 0) s = 0; __syncthreads(); atomicAdd(&s, in[i]); __syncthreads(); out[i] = s)
KERNEL(shared_float, __shared__ float s; if (threadIdx.x == 0) s = 0; __syncthreads(); atomicAdd(&s, (float)in[i]); __syncthreads(); f[i] = s)
