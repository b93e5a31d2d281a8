// Division, roots and transcendental functions, single and double precision.
#include "training.cuh"

KERNEL div_f32_chain(const float* a, float* out, int n, int rounds) {
  const int i = global_id();
  if (i >= n) return;
  float x = a[i] + 1, y = a[i] * 0.5f + 1;
  for (int r = 0; r < rounds; ++r) {
    x = y / x + 0.5f;
    y = y * 0.999f + 0.001f;
  }
  out[i] = x;
}

// Streams with divisions between them: loads are not moved across a division.
KERNEL div_f32_stream(const float* a, const float* b, float* out, int n, int stride) {
  for (int i = global_id(); i < n; i += stride) out[i] = a[i] / (b[i] + 1.0f);
}

// Vectors to length one, three arrays.
KERNEL normalise3(float* x, float* y, float* z, int n) {
  const int i = global_id();
  if (i >= n) return;
  const float a = x[i], b = y[i], c = z[i], r = rsqrtf(a * a + b * b + c * c + 1e-6f);
  x[i] = a * r, y[i] = b * r, z[i] = c * r;
}

// Quadratic equations: a square root, two divisions, a branch.
KERNEL quadratic(const float* pa, const float* pb, const float* pc, float2* root, int n) {
  const int i = global_id();
  if (i >= n) return;
  const float a = pa[i] + 0.1f, b = pb[i] * 4 - 2, c = pc[i] - 0.5f, d = b * b - 4 * a * c;
  float2 r = make_float2(0, 0);
  if (d >= 0) {
    const float q = -0.5f * (b + copysignf(sqrtf(d), b));
    r.x = q / a;
    r.y = fabsf(q) > 1e-12f ? c / q : 0;
  }
  root[i] = r;
}

// Log-sum-exp over short rows.
KERNEL log_sum_exp(const float* in, float* out, int n, int terms) {
  const int i = global_id();
  if (i >= n) return;
  float most = -1e30f, s = 0;
  for (int k = 0; k < terms; ++k) most = fmaxf(most, in[k * n + i]);
  for (int k = 0; k < terms; ++k) s += expf(in[k * n + i] - most);
  out[i] = most + logf(s);
}

// Waves: sinf and cosf with small arguments.
KERNEL wave_sum(const float* phase, float* out, int n, int waves) {
  const int i = global_id();
  if (i >= n) return;
  const float p = phase[i];
  float s = 0;
  for (int k = 1; k <= waves; ++k) s += sinf(p * k) * 0.5f + cosf(p * (k + 0.5f));
  out[i] = s;
}

// sinf with arguments that need the long reduction, in some lanes.
KERNEL sine_large(const float* in, float* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  float x = in[i] * 400000.0f, s = 0;
  for (int k = 0; k < 4; ++k) {
    s += sinf(x);
    x *= 0.4f;
  }
  out[i] = s;
}

KERNEL gamma_correct(const float4* in, float4* out, int n, float gamma) {
  const int i = global_id();
  if (i >= n) return;
  const float4 v = in[i];
  out[i] = make_float4(powf(v.x + 0.01f, gamma), powf(v.y + 0.01f, gamma), powf(v.z + 0.01f, gamma), v.w);
}

// Activations of neural networks.
KERNEL gelu(const float* in, float* out, int n) {
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) {
    const float x = in[i] * 6 - 3;
    out[i] = 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
  }
}
KERNEL silu_gate(const float4* a, const float4* b, float4* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  auto silu = [](float x) { return x / (1 + __expf(-x)); };
  const float4 x = a[i], g = b[i];
  out[i] = make_float4(silu(x.x) * g.x, silu(x.y) * g.y, silu(x.z) * g.z, silu(x.w) * g.w);
}

// Normal distribution function by erfcf.
KERNEL option_delta(const float* price, const float* strike, float* delta, int n) {
  const int i = global_id();
  if (i >= n) return;
  float s = 0;
  for (int k = 1; k <= 3; ++k) {
    const float t = 0.25f * k,
                d = (logf((price[i] + 0.5f) / (strike[i] + 0.5f)) + (0.02f + 0.045f) * t) / (0.3f * sqrtf(t));
    s += 0.5f * erfcf(-0.70710678f * d);
  }
  delta[i] = s;
}

// Distances on a sphere: sine, cosine, arc sine.
KERNEL haversine(const float* lat, const float* lon, float* out, int n, float lat0, float lon0) {
  const int i = global_id();
  if (i >= n) return;
  const float a = sinf((lat[i] - lat0) * 0.5f), b = sinf((lon[i] - lon0) * 0.5f);
  const float h = a * a + cosf(lat[i]) * cosf(lat0) * b * b;
  out[i] = 12742.0f * asinf(sqrtf(fminf(h, 1.0f)));
}

KERNEL phase_unwrap(const float2* z, float* phase, int n) {
  const int i = global_id();
  if (i >= n) return;
  const float2 a = z[i], b = z[i + 1 < n ? i + 1 : 0];
  float d = atan2f(b.y - 0.5f, b.x - 0.5f) - atan2f(a.y - 0.5f, a.x - 0.5f);
  if (d > 3.14159265f) d -= 6.2831853f;
  if (d < -3.14159265f) d += 6.2831853f;
  phase[i] = d;
}

// The fast forms only: special function unit.
KERNEL fast_functions(const float* in, float* out, int n, int rounds) {
  const int i = global_id();
  if (i >= n) return;
  float x = in[i];
  for (int r = 0; r < rounds; ++r) {
    x = __sinf(x) + __expf(-x);
    x = __logf(x + 2) + __cosf(x);
    x = __fdividef(x, 1.5f + x * x) + rsqrtf(x * x + 1);
  }
  out[i] = x;
}

// Polynomials: multiply-adds alone, independent in fours.
KERNEL horner(const float4* in, float4* out, int n, int degree) {
  const int i = global_id();
  if (i >= n) return;
  const float4 x = in[i];
  float4 s = make_float4(0.5f, 0.25f, 0.125f, 1);
  for (int k = 0; k < degree; ++k) {
    s.x = s.x * x.x + 0.3f, s.y = s.y * x.y + 0.4f, s.z = s.z * x.z - 0.2f, s.w = s.w * x.w + 0.1f;
  }
  out[i] = s;
}

KERNEL div_f64(const double* a, const double* b, double* out, int n, int rounds) {
  const int i = global_id();
  if (i >= n) return;
  double x = a[i] + 1, s = 0;
  for (int r = 0; r < rounds; ++r) {
    s += x / (b[i] + 1 + r);
    x = x * 0.75 + s * 0.125;
  }
  out[i] = s;
}

KERNEL roots_f64(const double* a, double* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  const double x = a[i] + 0.25;
  out[i] = sqrt(x) + sqrt(x * x + 3) * rsqrt(x + 2) + cbrt(x);
}

KERNEL exp_log_f64(const double* a, double* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  const double x = a[i] + 0.5;
  out[i] = exp(-x) * log(x + 1) + exp(log(x) * 1.5);
}

KERNEL sincos_f64(const double* a, double* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  double s, c;
  sincos(a[i] * 6.0, &s, &c);
  out[i] = s * s * 0.5 + c;
}

// Multiply-adds in double precision, eight independent sums.
KERNEL horner_f64(const double* in, double* out, int n, int degree) {
  const int i = global_id();
  if (i >= n) return;
  double x = in[i], s[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) s[k] = k;
  for (int d = 0; d < degree; ++d)
#pragma unroll
    for (int k = 0; k < 8; ++k) s[k] = s[k] * x + 0.25;
  double sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += s[k];
  out[i] = sum;
}

// Single precision in, double precision sums: conversions.
KERNEL mixed_dot(const float* a, const float* b, double* out, int n, int terms) {
  const int i = global_id();
  if (i >= n) return;
  double s = 0;
  for (int k = 0; k < terms; ++k) s += (double)a[k * n + i] * b[k * n + i];
  out[i] = s;
}

// Quantisation: float to integer and back, rounding and clamping.
KERNEL quantise(const float* in, int* out, float* back, int n, float scale) {
  const int i = global_id();
  if (i >= n) return;
  const float v = in[i] * 2 - 1;
  int q = __float2int_rn(v / scale);
  q = max(-127, min(127, q));
  out[i] = q;
  back[i] = q * scale;
}
