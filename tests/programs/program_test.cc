// The eight programs of tests/data/ptx, as nvcc compiled them: each main() of the .cu files over again, with
// the same inputs, sizes and checks.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "exec/functional_device.h"
#include "exec/profile.h"
#include "tests/programs/csv.h"

namespace heddle::exec {
namespace {

using workload::args;
using workload::DevicePtr;
using workload::Dim3;
using workload::KernelArgs;

class Program : public testing::Test {
 protected:
  std::uint32_t lcg() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 8;
  }
  float frand() { return static_cast<float>(lcg() & 0xffff) / 65536.0f; }
  std::vector<float> frand(std::size_t n) {
    std::vector<float> v(n);
    for (float& x : v) x = frand();
    return v;
  }
  template <class T>
  DevicePtr up(const std::vector<T>& v) {
    const DevicePtr p = device_.allocate(v.size() * sizeof(T), "input");
    device_.copy_in(p, v.data(), v.size() * sizeof(T));
    return p;
  }
  template <class T>
  std::vector<T> down(DevicePtr p, std::size_t n) {
    std::vector<T> v(n);
    device_.copy_out(v.data(), p, n * sizeof(T));
    return v;
  }
  static bool close(float a, float b) { return std::fabs(a - b) <= 1e-3f * (1.f + std::fabs(b)); }

  // What a program asks memory for does not depend on the machine: requests and sectors of every launch are the
  // card's own, to 2%.
  void TearDown() override {
    static const std::vector<Row> recorded = read_csv("tests/data/h200_counters.csv");
    for (std::size_t i = 0; i < device_.launches().size(); ++i) {
      const auto row = std::find_if(recorded.begin(), recorded.end(), [&](const Row& r) {
        return r.at("program") == name_ && r.at("launch") == std::to_string(i);
      });
      if (row == recorded.end()) continue;
      ++compared_;
      FunctionalStats s;
      add_launch(s, device_.launches()[i]);
      expect_near(*row, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", s.global_load.accesses, i);
      expect_near(*row, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", s.global_load.sectors, i);
      expect_near(*row, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", s.global_store.accesses, i);
      expect_near(*row, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", s.global_store.sectors, i);
    }
    EXPECT_GT(compared_, 0) << "no recorded launch of " << name_;
  }
  void expect_near(const Row& row, const std::string& counter, std::uint64_t got, std::size_t launch) const {
    const double want = std::stod(row.at(counter));
    EXPECT_NEAR(static_cast<double>(got), want, 0.02 * want) << name_ << " launch " << launch << ": " << counter;
  }

  void load(const std::string& name) {
    name_ = name;
    const std::string file = "tests/data/ptx/" + name + ".ptx";
    device_.load_module(read_file(HEDDLE_SOURCE_DIR "/" + file), file);
  }
  // Kernels of these programs have mangled names that contain the plain one.
  void launch(const std::string& name, Dim3 grid, Dim3 block, const KernelArgs& a) {
    for (const auto& kernel : device_.modules().at(0)->kernels())
      if (kernel->name.find(name) != std::string::npos)
        return device_.launch({kernel->name, grid, block, 0, a});
    FAIL() << "no kernel " << name;
  }

  FunctionalDevice device_;

 private:
  std::string name_;
  int compared_ = 0;
  std::uint32_t state_ = 12345;
};

TEST_F(Program, Vecadd) {
  load("vecadd");
  const int n = 262144;
  std::vector<float> a(n), b(n);
  for (unsigned i = 0; i < n; ++i) a[i] = frand(), b[i] = frand();
  const DevicePtr da = up(a), db = up(b), dc = up(std::vector<float>(n));
  launch("vecadd", {(n + 255) / 256, 1, 1}, {256, 1, 1}, args(da, db, dc, n));
  const auto c = down<float>(dc, n);
  for (unsigned i = 0; i < n; ++i) ASSERT_EQ(c[i], a[i] + b[i]) << i;
}

TEST_F(Program, Reduce) {
  load("reduce");
  const int n = 524288;
  const auto a = frand(n);
  DevicePtr now = up(a);
  for (int m = n; m > 1;) {
    const int blocks = (m + 511) / 512;
    const DevicePtr out = device_.allocate(4u * static_cast<unsigned>(blocks), "partial sums");
    launch("reduce", {static_cast<unsigned>(blocks), 1, 1}, {256, 1, 1}, args(now, out, m));
    now = out;
    m = blocks;
  }
  double sum = 0;
  for (const float v : a) sum += v;
  EXPECT_TRUE(close(down<float>(now, 1)[0], static_cast<float>(sum)));
}

class MatrixProduct : public Program {
 protected:
  void run(const std::string& name) {
    load(name);
    const unsigned n = 256;
    const auto a = frand(n * n), b = frand(n * n);
    const DevicePtr da = up(a), db = up(b), dc = up(std::vector<float>(n * n));
    launch(name, {n / 16, n / 16, 1}, {16, 16, 1}, args(da, db, dc, static_cast<int>(n)));
    const auto c = down<float>(dc, n * n);
    for (unsigned r = 0; r < n; ++r)
      for (unsigned j = 0; j < n; ++j) {
        float s = 0;
        for (unsigned k = 0; k < n; ++k) s += a[r * n + k] * b[k * n + j];
        ASSERT_TRUE(close(c[r * n + j], s)) << r << ", " << j;
      }
  }
};
TEST_F(MatrixProduct, Naive) {
  run("matmul_naive");
}
TEST_F(MatrixProduct, Tiled) {
  run("matmul_tiled");
}

TEST_F(Program, Atax) {
  load("atax");
  const unsigned n = 1024;
  const auto a = frand(n * n), x = frand(n);
  const DevicePtr da = up(a), dx = up(x), dt = up(std::vector<float>(n)), dy = up(std::vector<float>(n));
  launch("atax_k1", {n / 256, 1, 1}, {256, 1, 1}, args(da, dx, dt, static_cast<int>(n)));
  launch("atax_k2", {n / 256, 1, 1}, {256, 1, 1}, args(da, dt, dy, static_cast<int>(n)));
  const auto y = down<float>(dy, n);
  std::vector<float> t(n), r(n);
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j) t[i] += a[i * n + j] * x[j];
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j) r[j] += a[i * n + j] * t[i];
  for (unsigned i = 0; i < n; ++i) ASSERT_TRUE(close(y[i], r[i])) << i;
}

TEST_F(Program, Bfs) {
  load("bfs");
  const int n = 65536;
  std::vector<int> row(n + 1), col;
  for (unsigned i = 0; i < n; ++i) {
    row[i] = static_cast<int>(col.size());
    const unsigned degree = 2 + lcg() % 11;
    for (unsigned k = 0; k < degree; ++k) col.push_back(static_cast<int>(lcg() % n));
  }
  row[n] = static_cast<int>(col.size());
  std::vector<int> mask(n, 0), updated(n, 0), visited(n, 0), cost(n, -1);
  mask[0] = visited[0] = 1;
  cost[0] = 0;
  const DevicePtr dr = up(row), dc = up(col), dm = up(mask), du = up(updated), dv = up(visited),
                  dk = up(cost), over = up(std::vector<int>(1));
  int levels = 0;
  do {
    device_.fill(over, 0, 4);
    launch("bfs_k1", {n / 256, 1, 1}, {256, 1, 1}, args(dr, dc, dm, du, dv, dk, n));
    launch("bfs_k2", {n / 256, 1, 1}, {256, 1, 1}, args(dm, du, dv, over, n));
    ++levels;
  } while (down<int>(over, 1)[0] != 0);
  const auto c = down<int>(dk, n);
  std::vector<int> queue{0}, reference(n, -1);
  reference[0] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const auto u = static_cast<unsigned>(queue[head]);
    for (int e = row[u]; e < row[u + 1]; ++e) {
      const auto v = static_cast<unsigned>(col[static_cast<unsigned>(e)]);
      if (reference[v] >= 0) continue;
      reference[v] = reference[u] + 1;
      queue.push_back(static_cast<int>(v));
    }
  }
  EXPECT_EQ(c, reference);
  EXPECT_EQ(levels, 10);  // as on the H200
}

TEST_F(Program, Nbody) {
  load("nbody");
  struct alignas(16) Float4 {
    float x, y, z, w;
  };
  const unsigned n = 1024;
  std::vector<Float4> p(n);
  for (Float4& q : p) q.x = frand(), q.y = frand(), q.z = frand(), q.w = frand();
  const DevicePtr dp = up(p), df = up(std::vector<Float4>(n));
  launch("nbody", {n / 128, 1, 1}, {128, 1, 1}, args(dp, df, static_cast<int>(n)));
  const auto f = down<Float4>(df, n);
  for (unsigned i = 0; i < n; ++i) {
    double ax = 0;
    for (unsigned k = 0; k < n; ++k) {
      const double dx = p[k].x - p[i].x, dy = p[k].y - p[i].y, dz = p[k].z - p[i].z;
      const double r = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01);
      ax += dx * p[k].w * r * r * r;
    }
    ASSERT_LE(std::fabs(f[i].x - ax), 1e-3 * (1 + std::fabs(ax))) << i;
  }
}

TEST_F(Program, Stencil) {
  load("stencil");
  const unsigned n = 512;
  const auto t = frand(n * n), p = frand(n * n);
  DevicePtr dt = up(t), dz = up(std::vector<float>(n * n));
  const DevicePtr dp = up(p);
  std::vector<float> a = t, b(n * n);
  for (int step = 0; step < 2; ++step) {
    launch("stencil", {n / 16, n / 16, 1}, {16, 16, 1}, args(dt, dp, dz, static_cast<int>(n)));
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
  const auto r = down<float>(dt, n * n);
  for (unsigned i = 0; i < n * n; ++i) ASSERT_TRUE(close(r[i], a[i])) << i;
}

}  // namespace
}  // namespace heddle::exec
