// Branches on which the lanes of a warp differ.
#include "training.cuh"

// Lower and upper half of a warp do different work.
KERNEL half_warp(const float* in, float* out, int n, int rounds) {
  const int i = global_id();
  if (i >= n) return;
  float x = in[i], y = 0.5f;
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x & 16) {
      y = y * 0.75f + x, x = fminf(x * x * 0.125f + y, 4.0f);
      y = fminf(y, 2.0f) * 0.5f, x = x - 0.25f * y * y;
      x = fmaxf(x, 0.01f) + __expf(-x);
    } else {
      y += __fdividef(1.0f, 1.5f + x * x), x = 0.5f * (x + y) - 0.1f;
      y = y * 0.3f + x * 0.2f + x * y * 0.1f;
      x = fabsf(x) * 0.9f + 0.05f * y;
    }
  }
  out[i] = x + y;
}

// Odd lanes filter one signal, even lanes another, with loads inside the branches.
KERNEL odd_even(const float* a, const float* b, float* out, int n, int taps) {
  const int i = global_id();
  if (i + taps >= n) return;
  float s = 0;
  if (i & 1) {
    for (int t = 0; t < taps; ++t) s += a[i + t] * (t + 1);
  } else {
    for (int t = 0; t < taps; ++t) s = s * 0.5f + b[i + taps - t];
  }
  out[i] = s;
}

// Lower triangular matrix times vector: the number of rounds grows with the lane.
KERNEL triangular(const float* l, const float* x, float* y, int n) {
  const int row = global_id(), within = row % n;
  const float* m = l + (row / n) * n * n;
  float s = 0;
  for (int k = 0; k <= within; ++k) s += m[k * n + within] * x[k];
  y[row] = s;
}

// Rounds per lane from data (0 to 63).
KERNEL random_trips(const int* trips, const float* in, float* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  float x = in[i], s = 0;
  for (int k = trips[i]; k > 0; --k) {
    s += x * k;
    x = x * 0.99f + 0.003f;
    if (s > 100) s -= 100;
  }
  out[i] = s;
}

KERNEL collatz(int* steps, int n, int first) {
  const int i = global_id();
  if (i >= n) return;
  unsigned v = first + i * 3;
  int k = 0;
  while (v != 1 && k < 200) {
    v = v & 1 ? 3 * v + 1 : v / 2;
    ++k;
  }
  steps[i] = k;
}

// A decision tree as code: ifs nested four deep.
KERNEL decision_code(const float* features, int* label, int n) {
  const int i = global_id();
  if (i >= n) return;
  int votes = 0;
  for (int round = 0; round < 6; ++round) {
    const float a = features[i + round * n], b = features[i + ((round + 1) % 6) * n];
    if (a < 0.5f) {
      if (b < 0.3f) {
        if (a + b < 0.4f) {
          if (a * b > 0.02f)
            votes += 1;
          else
            votes += __float2int_rn(a * 7 + sqrtf(b));
        } else {
          votes ^= __float2int_rn(b * 31);
        }
      } else if (b < 0.6f) {
        votes += 2 + __float2int_rn(sqrtf(a * 100));
        if (votes & 1) votes += __float2int_rn(__logf(b + 1) * 10);
      } else {
        votes = votes * 3 + 1;
      }
    } else {
      if (b > 0.8f) {
        votes -= 3;
        if (a > 0.9f && b > 0.95f) votes += __float2int_rn(__expf(a) * 4);
      } else if (a - b > 0.25f) {
        if (b < 0.1f)
          votes += __float2int_rn(a / (b + 0.01f));
        else
          votes += 5;
      }
    }
  }
  label[i] = votes;
}

// A forest in memory: lanes walk down until a leaf, which lies at different depths.
KERNEL forest_walk(const float* threshold, const int* child, const float* features, float* out, int n,
                   int trees, int nodes) {
  const int i = global_id();
  if (i >= n) return;
  float sum = 0;
  for (int t = 0; t < trees; ++t) {
    int node = 0;
    while (true) {
      const int c = child[t * nodes + node];
      if (c == 0) break;
      node = c + (features[i + (node & 7) * n] > threshold[t * nodes + node]);
    }
    sum += threshold[t * nodes + node];
  }
  out[i] = sum;
}

// if (a && b) with work behind it.
KERNEL and_condition(const float* a, const float* b, float* out, int n, float s, float t) {
  const int i = global_id();
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 16; ++k) {
    const int j = (i + k * 4099) & (n - 1);
    if (a[j] > s && b[j] > t) {
      const float d = a[j] - b[j];
      sum += __fsqrt_rn(d * d + 0.01f) * k;
    }
  }
  out[i] = sum;
}

// Border handling: if (x < 0 || y < 0 || ...) continue, window of 5 x 5.
KERNEL or_border(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float s = 0;
  int count = 0;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      const int u = x + dx, v = y + dy;
      if (u < 0 || v < 0 || u >= w || v >= h) continue;
      const float p = in[v * w + u];
      if (p < 0.05f || p > 0.95f) continue;
      s += p, ++count;
    }
  out[y * w + x] = count ? s / count : 0;
}

// A small machine: the opcode decides per lane, or per warp, by what is in code.
KERNEL interpreter(const unsigned* code, const int* in, int* out, int n, int steps) {
  const int i = global_id();
  if (i >= n) return;
  int a = in[i], b = i, c = 1;
  for (int s = 0; s < steps; ++s) {
    const unsigned op = code[s * n + i];
    switch (op & 7) {
      case 0:
        a += b;
        break;
      case 1:
        b = a ^ (b << 3);
        break;
      case 2:
        c = a * b + c;
        break;
      case 3:
        if (a > b) {
          const int t = a;
          a = b, b = t;
        }
        break;
      case 4:
        a = __popc(a) + c;
        break;
      case 5:
        b = __clz(b | 1) * a;
        break;
      case 6:
        a = (a >> 2) + (b >> 1) - c;
        break;
      default:
        c = min(a, b) + max(b, c);
        break;
    }
  }
  out[i] = a + b + c;
}

// A dense switch with 16 cases of several instructions: a jump table.
KERNEL switch16(const unsigned* op, const float* in, float* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  float x = in[i] + 0.5f, y = in[n - 1 - i];
  for (int r = 0; r < 4; ++r) {
    switch ((op[i] >> (4 * r)) & 15) {
      case 0:
        x = sqrtf(fabsf(x + y));
        break;
      case 1:
        x = x * y + 1;
        y = x * 0.5f;
        break;
      case 2:
        x = __expf(-fabsf(x));
        break;
      case 3:
        x = __logf(fabsf(x) + 1);
        break;
      case 4:
        y = y * y * 0.3f;
        x += y;
        break;
      case 5:
        x = fmaxf(x, y) * 0.7f;
        break;
      case 6:
        x = fminf(x, y) + 0.2f;
        break;
      case 7:
        x = __sinf(x);
        break;
      case 8:
        y = __cosf(y);
        break;
      case 9:
        x = x / (fabsf(y) + 1.5f);
        break;
      case 10:
        x = rsqrtf(fabsf(x) + 2);
        break;
      case 11:
        y += fminf(x * x, 1.0f);
        break;
      case 12:
        x = fabsf(x - y);
        y *= 0.9f;
        break;
      case 13:
        x = floorf(x * 8) * 0.125f;
        break;
      case 14:
        x = y, y = 0.25f;
        break;
      default:
        x += 0.125f;
        break;
    }
  }
  out[i] = x + y;
}

// Most threads leave at once; those that stay work on.
KERNEL early_exit(const unsigned* key, const float* in, float* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  if (key[i] & 7) return;
  float x = in[i];
  for (int k = 0; k < 48; ++k) {
    x += in[(i + k * 257) & (n - 1)];
    if (x > 40) return;
    x = x * 0.98f;
  }
  out[i] = x;
}

KERNEL binary_search(const unsigned* sorted, const unsigned* wanted, int* place, int size, int n) {
  const int i = global_id();
  if (i >= n) return;
  const unsigned key = wanted[i];
  int low = 0, high = size;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  place[i] = low;
}

KERNEL burning_ship(int* out, int w, int h, int limit) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float cr = -1.8f + x * 0.15f / w, ci = -0.08f + y * 0.12f / h;
  float a = 0, b = 0;
  int k = 0;
  for (; k < limit; ++k) {
    const float aa = a * a, bb = b * b;
    if (aa + bb > 16) break;
    b = fabsf(2 * a * b) + ci;
    a = aa - bb + cr;
  }
  out[y * w + x] = k;
}

// Newton iterations until each lane has converged.
KERNEL newton_roots(const float* target, float* root, int n) {
  const int i = global_id();
  if (i >= n) return;
  const float t = target[i] * 900;
  float x = 1;
  for (int k = 0; k < 40; ++k) {
    const float f = x * x * x + x - t, d = 3 * x * x + 1, step = f / d;
    x -= step;
    if (fabsf(step) < 1e-6f * fabsf(x)) break;
  }
  root[i] = x;
}

// break and continue in one loop.
KERNEL break_continue(const int* in, int* out, int n, int length) {
  const int i = global_id();
  if (i >= n) return;
  int run = 0, best = 0;
  for (int k = 0; k < length; ++k) {
    const int v = in[(i + k * n / length) & (n - 1)];
    if (v < 0) continue;
    if (v % 97 == 0) break;
    if (v & 1) {
      ++run;
      continue;
    }
    best = max(best, run * (v & 15));
    run = 0;
  }
  out[i] = best;
}

// One lane in 64 takes a long way.
KERNEL rare_path(const unsigned* key, const float* in, float* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  float x = in[i];
  for (int k = 0; k < 8; ++k) {
    const unsigned h = mix(key[i] + k);
    if ((h & 63) == 0) {
      float s = x;
      for (int j = 0; j < 24; ++j) s = s * 0.97f + __fdividef(x, s + 1.0f);
      x = s;
    } else {
      x = x * 1.01f + 0.001f;
    }
  }
  out[i] = x;
}

// Nested loops, the inner one of unknown length: lists of events per bin.
KERNEL nested_lists(const int* begin, const int* item, const float* weight, float* out, int bins) {
  const int b = global_id();
  if (b >= bins) return;
  float total = 0;
  for (int j = begin[b]; j < begin[b + 1]; ++j) {
    const int count = item[j] & 15;
    float s = weight[j];
    for (int k = 0; k < count; ++k) s = s * 0.5f + k;
    total += s;
  }
  out[b] = total;
}

// Ray casting: the edges of a polygon against each point.
KERNEL point_in_polygon(const float2* vertex, int vertices, const float* px, const float* py,
                        unsigned* inside, int n) {
  const int i = global_id();
  if (i >= n) return;
  const float x = px[i], y = py[i];
  unsigned in = 0;
  for (int k = 0, j = vertices - 1; k < vertices; j = k++) {
    const float2 a = vertex[k], b = vertex[j];
    if ((a.y > y) != (b.y > y) && x < (b.x - a.x) * (y - a.y) / (b.y - a.y) + a.x) in ^= 1;
  }
  inside[i] = in;
}

// Cohen and Sutherland's clipping of lines to a window.
KERNEL clip_lines(const float4* line, float* length, int n) {
  const int i = global_id();
  if (i >= n) return;
  float4 l = line[i];
  const float lo = 0.3f, hi = 0.7f;
  auto code = [&](float x, float y) { return (x < lo ? 1 : x > hi ? 2 : 0) | (y < lo ? 4 : y > hi ? 8 : 0); };
  int a = code(l.x, l.y), b = code(l.z, l.w);
  bool accepted = false;
  for (int round = 0; round < 8; ++round) {
    if ((a | b) == 0) {
      accepted = true;
      break;
    }
    if (a & b) break;
    const int c = a ? a : b;
    float x, y;
    if (c & 8)
      x = l.x + (l.z - l.x) * (hi - l.y) / (l.w - l.y), y = hi;
    else if (c & 4)
      x = l.x + (l.z - l.x) * (lo - l.y) / (l.w - l.y), y = lo;
    else if (c & 2)
      y = l.y + (l.w - l.y) * (hi - l.x) / (l.z - l.x), x = hi;
    else
      y = l.y + (l.w - l.y) * (lo - l.x) / (l.z - l.x), x = lo;
    if (c == a)
      l.x = x, l.y = y, a = code(x, y);
    else
      l.z = x, l.w = y, b = code(x, y);
  }
  length[i] = accepted ? (l.z - l.x) * (l.z - l.x) + (l.w - l.y) * (l.w - l.y) : 0;
}
