// arch: 89
// The 8-bit floating-point types of cuda_fp8.h: conversions by hardware against the header's own for the
// host, for every 8-bit and every 16-bit value and for f32 values about every boundary; vectors of two and
// four; a dot product.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.h"
#include "device_array.h"

namespace {

constexpr __nv_fp8_interpretation_t kKinds[] = {__NV_E4M3, __NV_E5M2};

__global__ void widen(const __nv_fp8_storage_t* in, unsigned short* out, int n,
                      __nv_fp8_interpretation_t kind) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __half_raw(__nv_cvt_fp8_to_halfraw(in[i], kind)).x;
}

__global__ void narrow_half(__nv_fp8_storage_t* out, __nv_saturation_t sat, __nv_fp8_interpretation_t kind) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __half_raw h;
  h.x = static_cast<unsigned short>(i);
  out[i] = __nv_cvt_halfraw_to_fp8(h, sat, kind);
}

__global__ void narrow_bfloat(__nv_fp8_storage_t* out, __nv_saturation_t sat,
                              __nv_fp8_interpretation_t kind) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __nv_bfloat16_raw h;
  h.x = static_cast<unsigned short>(i);
  out[i] = __nv_cvt_bfloat16raw_to_fp8(h, sat, kind);
}

__global__ void narrow_float(const float* in, __nv_fp8_storage_t* out, int n, __nv_saturation_t sat,
                             __nv_fp8_interpretation_t kind) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __nv_cvt_float_to_fp8(in[i], sat, kind);
}

template <class T4>
__global__ void vectors(const float4* in, T4* out, float4* back, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = T4(in[i]);
  back[i] = static_cast<float4>(out[i]);
}

template <class T>
__global__ void dot(const T* a, const T* b, float* sum, int n) {
  float mine = 0;
  for (int i = threadIdx.x; i < n; i += 32) mine += static_cast<float>(a[i]) * static_cast<float>(b[i]);
  for (int step = 16; step > 0; step /= 2) mine += __shfl_xor_sync(~0u, mine, step);
  if (threadIdx.x == 0) *sum = mine;
}

float from_bits(std::uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}
std::uint32_t to_bits(float f) {
  std::uint32_t bits;
  std::memcpy(&bits, &f, sizeof bits);
  return bits;
}

// All 8-bit values, the middle of neighbours, and what lies beside them.
std::vector<float> boundaries() {
  std::vector<float> values;
  for (const auto kind : kKinds) {
    for (int v = 0; v < 0x7e; ++v) {
      const float low =
          __half2float(__half(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(v), kind)));
      const float high =
          __half2float(__half(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(v + 1), kind)));
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      const std::uint32_t middle = to_bits((low + high) / 2);
      for (const std::uint32_t bits : {to_bits(low), middle - 1, middle, middle + 1}) {
        values.push_back(from_bits(bits & 0x7fffffffu));
        values.push_back(from_bits(bits | 0x80000000u));
      }
    }
  }
  for (const float large :
       {448.0f, 464.0f, 465.0f, 480.0f, 57344.0f, 61439.0f, 61440.0f, 65536.0f, 1e30f, INFINITY}) {
    values.push_back(large);
    values.push_back(-large);
  }
  values.push_back(from_bits(0x7fc00000));
  while (values.size() % 4 != 0) values.push_back(0.0f);
  return values;
}

std::uint32_t digest(const std::vector<__nv_fp8_storage_t>& bytes) {
  std::uint32_t h = 2166136261u;
  for (const auto b : bytes) h = (h ^ b) * 16777619u;
  return h;
}

// The header's conversions for the host give NaNs the sign of their source or none; the cards have their own
// way.
bool same(__nv_fp8_storage_t device, __nv_fp8_storage_t host, __nv_fp8_interpretation_t kind) {
  const auto nan = [&](int v) { return kind == __NV_E4M3 ? (v & 0x7f) == 0x7f : (v & 0x7f) > 0x7c; };
  return device == host || (nan(device) && nan(host));
}

void widening(Checks& checks, __nv_fp8_interpretation_t kind) {
  std::vector<__nv_fp8_storage_t> all(256);
  for (int i = 0; i < 256; ++i) all[i] = static_cast<__nv_fp8_storage_t>(i);
  const Device<__nv_fp8_storage_t> in(all);
  const Device<unsigned short> out(256);
  widen<<<2, 128>>>(in.get(), out.get(), 256, kind);
  bool good = true;
  const std::vector<unsigned short> got = out.read();
  for (int i = 0; i < 256; ++i) {
    const unsigned short want = __half_raw(__nv_cvt_fp8_to_halfraw(all[i], kind)).x;
    good = good && (got[i] == want || ((got[i] & 0x7fff) > 0x7c00 && (want & 0x7fff) > 0x7c00));
  }
  checks.expect(good, "to half");
}

void narrowing(Checks& checks, __nv_fp8_interpretation_t kind) {
  for (const auto sat : {__NV_SATFINITE, __NV_NOSAT}) {
    const Device<__nv_fp8_storage_t> out(65536);
    narrow_half<<<512, 128>>>(out.get(), sat, kind);
    std::vector<__nv_fp8_storage_t> got = out.read();
    bool good = true;
    for (int i = 0; i < 65536; ++i) {
      __half_raw h;
      h.x = static_cast<unsigned short>(i);
      good = good && same(got[i], __nv_cvt_halfraw_to_fp8(h, sat, kind), kind);
    }
    checks.expect(good, "from every half");
    std::printf("     %08x\n", digest(got));

    narrow_bfloat<<<512, 128>>>(out.get(), sat, kind);
    got = out.read();
    good = true;
    for (int i = 0; i < 65536; ++i) {
      __nv_bfloat16_raw h;
      h.x = static_cast<unsigned short>(i);
      good = good && same(got[i], __nv_cvt_bfloat16raw_to_fp8(h, sat, kind), kind);
    }
    checks.expect(good, "from every bfloat16");
    std::printf("     %08x\n", digest(got));

    const std::vector<float> values = boundaries();
    const int n = static_cast<int>(values.size());
    const Device<float> in(values);
    const Device<__nv_fp8_storage_t> bytes(values.size());
    narrow_float<<<(n + 127) / 128, 128>>>(in.get(), bytes.get(), n, sat, kind);
    got = bytes.read();
    good = true;
    for (int i = 0; i < n; ++i)
      good = good && same(got[i], __nv_cvt_float_to_fp8(values[i], sat, kind), kind);
    checks.expect(good, "from float, at the boundaries");
    std::printf("     %08x\n", digest(got));
  }
}

template <class T4>
void vectors_of_four(Checks& checks, __nv_fp8_interpretation_t kind) {
  const std::vector<float> values = boundaries();
  const int n = static_cast<int>(values.size() / 4);
  std::vector<float4> fours(n);
  std::memcpy(fours.data(), values.data(), n * sizeof(float4));
  const Device<float4> in(fours), back(n);
  const Device<T4> out(n);
  vectors<<<(n + 127) / 128, 128>>>(in.get(), out.get(), back.get(), n);
  const std::vector<T4> packed = out.read();
  const std::vector<float4> wide = back.read();
  bool good = true;
  for (int i = 0; i < n; ++i) {
    const float w[4] = {wide[i].x, wide[i].y, wide[i].z, wide[i].w};
    for (int k = 0; k < 4; ++k) {
      const auto byte = static_cast<__nv_fp8_storage_t>(packed[i].__x >> 8 * k);
      const float want = __half2float(__half(__nv_cvt_fp8_to_halfraw(byte, kind)));
      good = good && same(byte, __nv_cvt_float_to_fp8(values[i * 4 + k], __NV_SATFINITE, kind), kind) &&
             (w[k] == want || (std::isnan(w[k]) && std::isnan(want)));
    }
  }
  checks.expect(good, "vectors of four, and back");
}

template <class T>
void dot_product(Checks& checks) {
  const int n = 1024;
  std::vector<T> a, b;
  float want = 0;
  for (int i = 0; i < n; ++i) {
    a.push_back(T(static_cast<float>(i % 13 - 6)));
    b.push_back(T(static_cast<float>(i % 7) * 0.25f));
    want += static_cast<float>(a.back()) * static_cast<float>(b.back());
  }
  const Device<T> da(a), db(b);
  const Device<float> sum(1);
  dot<<<1, 32>>>(da.get(), db.get(), sum.get(), n);
  checks.expect(sum.read()[0] == want, "dot product");
}

}  // namespace

int main() {
  Checks checks;
  for (const auto kind : kKinds) {
    std::puts(kind == __NV_E4M3 ? "e4m3" : "e5m2");
    widening(checks, kind);
    narrowing(checks, kind);
  }
  vectors_of_four<__nv_fp8x4_e4m3>(checks, __NV_E4M3);
  vectors_of_four<__nv_fp8x4_e5m2>(checks, __NV_E5M2);
  dot_product<__nv_fp8_e4m3>(checks);
  dot_product<__nv_fp8_e5m2>(checks);
  return checks.finish();
}
