#include "validation/programs.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace heddle::validation {
namespace {

using workload::args;
using workload::Device;
using workload::DevicePtr;
using workload::Verification;

// The programs' own generator.
class Lcg {
 public:
  std::uint32_t next() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 8;
  }
  float uniform() { return static_cast<float>(next() & 0xffff) / 65536.0f; }
  std::vector<float> uniform(std::size_t n) {
    std::vector<float> v(n);
    for (float& x : v) x = uniform();
    return v;
  }

 private:
  std::uint32_t state_ = 12345;
};

// Agreement of the results, as the programs check it: |got - want| <= 1e-3 (1 + |want|).
class Check {
 public:
  void close(double got, double want, std::size_t at) {
    note(std::fabs(got - want) / (1 + std::fabs(want)), at, got, want);
  }
  void equal(std::int64_t got, std::int64_t want, std::size_t at) {
    note(got == want ? 0 : 1, at, static_cast<double>(got), static_cast<double>(want));
  }
  Verification result() const { return v_; }

 private:
  void note(double error, std::size_t at, double got, double want) {
    ++v_.compared;
    if (!(error <= v_.max_error)) v_.max_error = error;
    if (error <= 1e-3 || !v_.ok) return;
    v_.ok = false;
    v_.detail = fmt::format("element {}: got {}, expected {}", at, got, want);
  }
  Verification v_{
      .ok = true, .compared = 0, .max_error = 0, .tolerance = "1e-3 of 1 + |value|", .detail = {}};
};

Verification vecadd(Device& device) {
  Lcg random;
  const int n = 262144;
  std::vector<float> a(n), b(n);
  for (unsigned i = 0; i < n; ++i) a[i] = random.uniform(), b[i] = random.uniform();
  const DevicePtr da = device.upload(a, "a"), db = device.upload(b, "b"),
                  dc = device.upload(std::vector<float>(n), "c");
  device.launch({"_Z6vecaddPKfS0_Pfi", {(n + 255) / 256}, {256}, 0, args(da, db, dc, n)});
  const auto c = device.download<float>(dc, n);
  Check check;
  for (unsigned i = 0; i < n; ++i) check.close(c[i], a[i] + b[i], i);
  return check.result();
}

Verification reduce(Device& device) {
  Lcg random;
  const int n = 524288;
  const auto a = random.uniform(n);
  DevicePtr now = device.upload(a, "input");
  for (int m = n; m > 1;) {
    const int blocks = (m + 511) / 512;
    const DevicePtr out = device.allocate(4u * static_cast<unsigned>(blocks), "partial sums");
    device.launch({"_Z6reducePKfPfi", {static_cast<unsigned>(blocks)}, {256}, 0, args(now, out, m)});
    now = out;
    m = blocks;
  }
  double sum = 0;
  for (const float v : a) sum += v;
  Check check;
  check.close(device.download<float>(now, 1)[0], sum, 0);
  return check.result();
}

Verification matmul(Device& device, const char* kernel) {
  Lcg random;
  const unsigned n = 256;
  const auto a = random.uniform(n * n), b = random.uniform(n * n);
  const DevicePtr da = device.upload(a, "a"), db = device.upload(b, "b"),
                  dc = device.upload(std::vector<float>(n * n), "c");
  device.launch({kernel, {n / 16, n / 16}, {16, 16}, 0, args(da, db, dc, static_cast<int>(n))});
  const auto c = device.download<float>(dc, n * n);
  Check check;
  for (unsigned r = 0; r < n; ++r)
    for (unsigned j = 0; j < n; ++j) {
      float s = 0;
      for (unsigned k = 0; k < n; ++k) s += a[r * n + k] * b[k * n + j];
      check.close(c[r * n + j], s, r * n + j);
    }
  return check.result();
}
Verification matmul_naive(Device& device) {
  return matmul(device, "_Z12matmul_naivePKfS0_Pfi");
}
Verification matmul_tiled(Device& device) {
  return matmul(device, "_Z12matmul_tiledPKfS0_Pfi");
}

Verification atax(Device& device) {
  Lcg random;
  const unsigned n = 1024;
  const auto a = random.uniform(n * n), x = random.uniform(n);
  const DevicePtr da = device.upload(a, "a"), dx = device.upload(x, "x"),
                  dt = device.upload(std::vector<float>(n), "tmp"),
                  dy = device.upload(std::vector<float>(n), "y");
  device.launch({"_Z7atax_k1PKfS0_Pfi", {n / 256}, {256}, 0, args(da, dx, dt, static_cast<int>(n))});
  device.launch({"_Z7atax_k2PKfS0_Pfi", {n / 256}, {256}, 0, args(da, dt, dy, static_cast<int>(n))});
  const auto y = device.download<float>(dy, n);
  std::vector<float> t(n), r(n);
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j) t[i] += a[i * n + j] * x[j];
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j) r[j] += a[i * n + j] * t[i];
  Check check;
  for (unsigned i = 0; i < n; ++i) check.close(y[i], r[i], i);
  return check.result();
}

// Distances from node 0.
std::vector<int> breadth_first(const std::vector<int>& row, const std::vector<int>& col) {
  std::vector<int> queue{0}, distance(row.size() - 1, -1);
  distance[0] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const auto u = static_cast<unsigned>(queue[head]);
    for (int e = row[u]; e < row[u + 1]; ++e) {
      const auto v = static_cast<unsigned>(col[static_cast<unsigned>(e)]);
      if (distance[v] >= 0) continue;
      distance[v] = distance[u] + 1;
      queue.push_back(static_cast<int>(v));
    }
  }
  return distance;
}

Verification bfs(Device& device) {
  Lcg random;
  const int n = 65536;
  std::vector<int> row(n + 1), col;
  for (unsigned i = 0; i < n; ++i) {
    row[i] = static_cast<int>(col.size());
    const unsigned degree = 2 + random.next() % 11;
    for (unsigned k = 0; k < degree; ++k) col.push_back(static_cast<int>(random.next() % n));
  }
  row[n] = static_cast<int>(col.size());
  std::vector<int> mask(n, 0), updated(n, 0), visited(n, 0), cost(n, -1);
  mask[0] = visited[0] = 1;
  cost[0] = 0;
  const DevicePtr dr = device.upload(row, "rows"), dc = device.upload(col, "columns"),
                  dm = device.upload(mask, "mask"), du = device.upload(updated, "updated"),
                  dv = device.upload(visited, "visited"), dk = device.upload(cost, "cost"),
                  over = device.upload(std::vector<int>(1), "over");
  do {
    device.copy_in(over, std::vector<int>(1).data(), 4);
    device.launch({"_Z6bfs_k1PKiS0_PiS1_S0_S1_i", {n / 256}, {256}, 0, args(dr, dc, dm, du, dv, dk, n)});
    device.launch({"_Z6bfs_k2PiS_S_S_i", {n / 256}, {256}, 0, args(dm, du, dv, over, n)});
  } while (device.download<int>(over, 1)[0] != 0);
  const auto c = device.download<int>(dk, n);
  const auto want = breadth_first(row, col);
  Check check;
  for (unsigned i = 0; i < n; ++i) check.equal(c[i], want[i], i);
  return check.result();
}

Verification nbody(Device& device) {
  struct alignas(16) Float4 {
    float x, y, z, w;
  };
  Lcg random;
  const unsigned n = 1024;
  std::vector<Float4> p(n);
  for (Float4& q : p)
    q.x = random.uniform(), q.y = random.uniform(), q.z = random.uniform(), q.w = random.uniform();
  const DevicePtr dp = device.upload(p, "bodies"), df = device.upload(std::vector<Float4>(n), "forces");
  device.launch({"_Z5nbodyPK6float4PS_i", {n / 128}, {128}, 0, args(dp, df, static_cast<int>(n))});
  const auto f = device.download<Float4>(df, n);
  Check check;
  for (unsigned i = 0; i < n; ++i) {
    double ax = 0;
    for (unsigned k = 0; k < n; ++k) {
      const double dx = p[k].x - p[i].x, dy = p[k].y - p[i].y, dz = p[k].z - p[i].z;
      const double r = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01);
      ax += dx * p[k].w * r * r * r;
    }
    check.close(f[i].x, ax, i);
  }
  return check.result();
}

Verification stencil(Device& device) {
  Lcg random;
  const unsigned n = 512;
  const auto t = random.uniform(n * n), p = random.uniform(n * n);
  DevicePtr dt = device.upload(t, "temperature"), dz = device.upload(std::vector<float>(n * n), "next");
  const DevicePtr dp = device.upload(p, "power");
  std::vector<float> a = t, b(n * n);
  for (int step = 0; step < 2; ++step) {
    device.launch(
        {"_Z7stencilPKfS0_Pfi", {n / 16, n / 16}, {16, 16}, 0, args(dt, dp, dz, static_cast<int>(n))});
    std::swap(dt, dz);
    for (unsigned y = 0; y < n; ++y)
      for (unsigned x = 0; x < n; ++x) {
        const unsigned i = y * n + x;
        const float c = a[i];
        const float north = y > 0 ? a[i - n] : c, south = y < n - 1 ? a[i + n] : c;
        const float west = x > 0 ? a[i - 1] : c, east = x < n - 1 ? a[i + 1] : c;
        b[i] = c + 0.1f * (north + south - 2.f * c) + 0.1f * (west + east - 2.f * c) + 0.05f * p[i];
      }
    a.swap(b);
  }
  const auto r = device.download<float>(dt, n * n);
  Check check;
  for (unsigned i = 0; i < n * n; ++i) check.close(r[i], a[i], i);
  return check.result();
}

constexpr std::array<Program, 8> kPrograms{{{"atax", atax},
                                            {"bfs", bfs},
                                            {"matmul_naive", matmul_naive},
                                            {"matmul_tiled", matmul_tiled},
                                            {"nbody", nbody},
                                            {"reduce", reduce},
                                            {"stencil", stencil},
                                            {"vecadd", vecadd}}};

}  // namespace

std::span<const Program> programs() {
  return kPrograms;
}

}  // namespace heddle::validation
