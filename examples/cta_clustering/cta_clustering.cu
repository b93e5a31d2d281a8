// Four kernels with the CTA clustering library: as they are (BSL), redirected (RD), by agents (CLU), by
// fewer agents (CLU+TOT), with streaming loads (BPS). Prints the time of each and checks every result.
//
//   nvcc -std=c++14 -O3 -arch=native -I ../../cuda cta_clustering.cu -o cta_clustering
//   ./cta_clustering [--small] [--csv] [--repeat N]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <heddle/cta_clustering.cuh>
#include <string>
#include <vector>

namespace hc = heddle::clustering;

namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s; %s\n", what, cudaGetErrorString(status), hc::last_message());
  std::exit(2);
}
#define CHECK(call) check((call), #call)

// Matrix multiplication without shared memory: CTAs of a row of the grid read the same rows of A, those of a
// column the same columns of B.
HEDDLE_CLUSTERED_KERNEL(matmul, const float* __restrict__ a, const float* __restrict__ b, float* c, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

// Nearest centre of each point; points lie row by row, so that a warp's lines serve it for many features. All
// CTAs read the same centres; few lines of points are in use at a time only when few CTAs run.
HEDDLE_CLUSTERED_KERNEL(kmeans, const float* __restrict__ points, const float* __restrict__ centres,
                        int* nearest, int count, int features, int k) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= count) return;
  int best = 0;
  float least = 3.4e38F;
  for (int centre = 0; centre < k; ++centre) {
    float distance = 0;
    for (int f = 0; f < features; ++f) {
      const float d = points[static_cast<std::size_t>(point) * features + f] - centres[centre * features + f];
      distance += d * d;
    }
    if (distance < least) {
      least = distance;
      best = centre;
    }
  }
  nearest[point] = best;
}

// Distances of coded vectors to queries (product quantisation): for each of `parts` bytes of a code a look-up
// in the query's table. A column of the grid uses one table; a row reads the same codes, which come from
// memory once so.
template <bool streaming>
struct Quantised : hc::Kernel {
  __device__ void run(const float* __restrict__ tables, const unsigned* __restrict__ codes, float* distances,
                      int count, int parts) {
    const int vector = blockIdx.y * blockDim.x + threadIdx.x;
    if (vector >= count) return;
    const float* table = tables + static_cast<std::size_t>(blockIdx.x) * parts * 256;
    float sum = 0;
    for (int four = 0; four < parts / 4; ++four) {
      const unsigned* at = codes + static_cast<std::size_t>(four) * count + vector;
      unsigned code = streaming ? hc::load_streaming(at) : *at;
      for (int part = 4 * four; part < 4 * four + 4; ++part, code >>= 8)
        sum += table[part * 256 + (code & 255)];
    }
    distances[static_cast<std::size_t>(blockIdx.x) * count + vector] = sum;
  }
};

// A small layer per head: every token's vector (in shared memory) times the matrix of its head. A column of
// the grid uses one matrix.
constexpr int kWidth = 128;
HEDDLE_CLUSTERED_KERNEL(heads, const float* __restrict__ matrices, const float* __restrict__ tokens,
                        float* out) {
  __shared__ float token[kWidth], half[kWidth];
  const std::size_t here = (static_cast<std::size_t>(blockIdx.y) * gridDim.x + blockIdx.x) * kWidth;
  const int column = threadIdx.x % kWidth, begin = threadIdx.x / kWidth * (kWidth / 2);
  if (begin == 0) token[column] = tokens[here + column];
  __syncthreads();
  const float* matrix = matrices + static_cast<std::size_t>(blockIdx.x) * kWidth * kWidth;
  float sum = 0;
  for (int row = begin; row < begin + kWidth / 2; ++row) sum += token[row] * matrix[row * kWidth + column];
  if (begin != 0) half[column] = sum;
  __syncthreads();
  if (begin == 0) out[here + column] = sum + half[column];
}

// For the token after the present one.
struct NextToken {
  __device__ void operator()(const hc::Cta& cta, const float*, const float* tokens, float*) const {
    const std::size_t there =
        (static_cast<std::size_t>(cta.blockIdx.y) * cta.gridDim.x + cta.blockIdx.x) * kWidth;
    if (threadIdx.x < kWidth / 8) hc::prefetch_l1(tokens + there + 8 * threadIdx.x);
  }
};

// An order of our own: columns, each begun at another place, so that SMs do not all ask for the same rows at
// once.
struct Staggered {
  __device__ hc::Index3 operator()(unsigned task, const hc::Index3& grid) const {
    hc::Index3 cta = hc::ColumnMajor()(task, grid);
    cta.y = (cta.y + cta.x * 61) % grid.y;
    return cta;
  }
};

template <class T>
class Array {
 public:
  explicit Array(std::size_t count) : host(count) { CHECK(cudaMalloc(&device_, count * sizeof(T))); }
  ~Array() { cudaFree(device_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* device() const { return device_; }
  void send() { CHECK(cudaMemcpy(device_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice)); }
  void clear() { CHECK(cudaMemset(device_, 0xff, host.size() * sizeof(T))); }
  void fetch() { CHECK(cudaMemcpy(host.data(), device_, host.size() * sizeof(T), cudaMemcpyDeviceToHost)); }
  std::vector<T> host;

 private:
  T* device_ = nullptr;
};

struct Options {
  bool small = false, csv = false;
  int repeat = 15;
};

// Times of one kernel launched in several ways; each result must be that of the first, bit for bit.
template <class T>
class Table {
 public:
  Table(const char* kernel, const Options& options, Array<T>& output)
      : kernel_(kernel), options_(options), output_(output) {}

  void add(const std::string& way, const std::function<cudaError_t()>& launch) {
    output_.clear();
    CHECK(launch());  // also a warm-up
    output_.fetch();
    if (first_.empty()) first_ = output_.host;
    const bool equal = std::memcmp(first_.data(), output_.host.data(), first_.size() * sizeof(T)) == 0;
    good_ = good_ && equal;
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<float> times;
    for (int i = 0; i < options_.repeat; ++i) {
      CHECK(cudaEventRecord(begin));
      CHECK(launch());
      CHECK(cudaEventRecord(end));
      CHECK(cudaEventSynchronize(end));
      float time = 0;
      CHECK(cudaEventElapsedTime(&time, begin, end));
      times.push_back(time);
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    std::sort(times.begin(), times.end());
    const float median = times[times.size() / 2];
    if (base_ == 0) base_ = median;
    std::printf(options_.csv ? "%s,%s,%.4f,%.4f,%.4f,%.3f,%s\n" : "%-10s %-28s %9.4f %9.4f %9.4f %8.3f  %s\n",
                kernel_, way.c_str(), median, times.front(), times.back(), base_ / median,
                equal ? "ok" : "DIFFERS");
  }

  // BSL, then RD and CLU in each order, then CLU+TOT with fewer and fewer agents.
  template <class Body, class Order, class... Args>
  void add_clustered(const hc::Workspace& workspace, const char* name, const hc::Launch& how,
                     const Order& order, const Body& body, Args... args) {
    add(std::string("RD ") + name, [=] { return hc::launch_redirected(how, order, body, args...); });
    hc::Launch limited = how;
    CHECK(hc::max_agents(limited.max_agents, how, order, body, args...));
    const hc::Workspace* const space = &workspace;
    add(std::string("CLU ") + name, [=] { return hc::launch(limited, *space, order, body, args...); });
    for (unsigned active = limited.max_agents / 2; active >= 1; active /= 2) {
      limited.active_agents = active;
      const std::string way = "CLU+TOT " + std::to_string(active) + "/" + std::to_string(limited.max_agents);
      add(way + " " + name, [=] { return hc::launch(limited, *space, order, body, args...); });
    }
  }

  const std::vector<T>& result() const { return first_; }
  bool good() const { return good_; }

 private:
  const char* kernel_;
  Options options_;
  Array<T>& output_;
  std::vector<T> first_;
  float base_ = 0;
  bool good_ = true;
};

float noise(std::size_t i) {
  return static_cast<float>((i * 2654435761u >> 8) % 1000) / 1000;
}

bool finish(const char* kernel, bool same, bool right) {
  if (!same) std::fprintf(stderr, "%s: a result differs from that of the plain launch\n", kernel);
  if (!right) std::fprintf(stderr, "%s: the plain launch differs from the CPU\n", kernel);
  return same && right;
}

bool run_matmul(const Options& options, const hc::Workspace& workspace) {
  const int n = options.small ? 100 : 2048;
  Array<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) {
    a.host[i] = noise(i);
    b.host[i] = noise(i + 77);
  }
  a.send();
  b.send();
  const hc::Launch how(dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16));
  const float *da = a.device(), *db = b.device();
  Table<float> table("matmul", options, c);
  table.add("BSL", [&] { return hc::launch_plain(how, matmul(), da, db, c.device(), n); });
  table.add_clustered(workspace, "rows", how, hc::RowMajor(), matmul(), da, db, c.device(), n);
  table.add_clustered(workspace, "columns", how, hc::ColumnMajor(), matmul(), da, db, c.device(), n);
  table.add_clustered(workspace, "tiles 4x2", how, hc::Tiles(4, 2), matmul(), da, db, c.device(), n);
  bool right = true;
  for (int i = 0; i < n * n; i += n * n / 97 + 1) {
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += static_cast<double>(a.host[i / n * n + k]) * b.host[k * n + i % n];
    right = right && std::fabs(sum - table.result()[i]) <= 1e-4 * sum;
  }
  return finish("matmul", table.good(), right);
}

bool run_kmeans(const Options& options, const hc::Workspace& workspace) {
  const int count = options.small ? 5000 : 1 << 21, features = options.small ? 8 : 64, k = 8;
  Array<float> points(static_cast<std::size_t>(count) * features), centres(k * features);
  Array<int> nearest(count);
  for (std::size_t i = 0; i < points.host.size(); ++i) points.host[i] = noise(i);
  for (std::size_t i = 0; i < centres.host.size(); ++i) centres.host[i] = noise(i * 31 + 5);
  points.send();
  centres.send();
  const hc::Launch how((count + 255) / 256, 256);
  const float *dp = points.device(), *dc = centres.device();
  Table<int> table("kmeans", options, nearest);
  table.add("BSL",
            [&] { return hc::launch_plain(how, kmeans(), dp, dc, nearest.device(), count, features, k); });
  table.add_clustered(workspace, "1D", how, hc::ColumnMajor(), kmeans(), dp, dc, nearest.device(), count,
                      features, k);
  bool right = true;
  for (int i = 0; i < count; i += count / 997 + 1) {
    std::vector<double> distances(k);
    for (int j = 0; j < k; ++j) {
      for (int f = 0; f < features; ++f) {
        const double d = static_cast<double>(points.host[static_cast<std::size_t>(i) * features + f]) -
                         centres.host[j * features + f];
        distances[j] += d * d;
      }
    }
    const double least = *std::min_element(distances.begin(), distances.end());
    right = right && distances[table.result()[i]] <= least * (1 + 1e-5);
  }
  return finish("kmeans", table.good(), right);
}

bool run_quantised(const Options& options, const hc::Workspace& workspace) {
  const int count = options.small ? 1000 : 1 << 16, queries = options.small ? 3 : 264,
            parts = options.small ? 8 : 64;
  Array<float> tables(static_cast<std::size_t>(queries) * parts * 256),
      distances(static_cast<std::size_t>(queries) * count);
  Array<unsigned> codes(static_cast<std::size_t>(parts / 4) * count);
  for (std::size_t i = 0; i < tables.host.size(); ++i) tables.host[i] = noise(i);
  for (std::size_t i = 0; i < codes.host.size(); ++i)
    codes.host[i] = static_cast<unsigned>(i * 2246822519u ^ (i >> 7) * 3266489917u);
  tables.send();
  codes.send();
  const hc::Launch how(dim3(queries, (count + 255) / 256), 256);
  const float* dt = tables.device();
  const unsigned* dc = codes.device();
  Table<float> table("quantised", options, distances);
  table.add("BSL", [&] {
    return hc::launch_plain(how, Quantised<false>(), dt, dc, distances.device(), count, parts);
  });
  table.add("BSL+BPS", [&] {
    return hc::launch_plain(how, Quantised<true>(), dt, dc, distances.device(), count, parts);
  });
  table.add_clustered(workspace, "columns", how, hc::ColumnMajor(), Quantised<false>(), dt, dc,
                      distances.device(), count, parts);
  table.add_clustered(workspace, "staggered", how, Staggered(), Quantised<false>(), dt, dc,
                      distances.device(), count, parts);
  table.add_clustered(workspace, "staggered+BPS", how, Staggered(), Quantised<true>(), dt, dc,
                      distances.device(), count, parts);
  bool right = true;
  for (std::size_t i = 0; i < distances.host.size(); i += distances.host.size() / 997 + 1) {
    double sum = 0;
    for (int part = 0; part < parts; ++part) {
      const unsigned code =
          codes.host[static_cast<std::size_t>(part / 4) * count + i % count] >> part % 4 * 8 & 255;
      sum += tables.host[(i / count * parts + part) * 256 + code];
    }
    right = right && std::fabs(sum - table.result()[i]) <= 1e-4 * sum;
  }
  return finish("quantised", table.good(), right);
}

bool run_heads(const Options& options, const hc::Workspace& workspace) {
  const int count = options.small ? 5 : 64, tokens = options.small ? 30 : 4096;
  Array<float> matrices(static_cast<std::size_t>(count) * kWidth * kWidth);
  Array<float> vectors(static_cast<std::size_t>(tokens) * count * kWidth), out(vectors.host.size());
  for (std::size_t i = 0; i < matrices.host.size(); ++i) matrices.host[i] = noise(i);
  for (std::size_t i = 0; i < vectors.host.size(); ++i) vectors.host[i] = noise(i * 3 + 1);
  matrices.send();
  vectors.send();
  const hc::Launch how(dim3(count, tokens), 2 * kWidth);
  const float *dm = matrices.device(), *dv = vectors.device();
  Table<float> table("heads", options, out);
  table.add("BSL", [&] { return hc::launch_plain(how, heads(), dm, dv, out.device()); });
  table.add_clustered(workspace, "columns", how, hc::ColumnMajor(), heads(), dm, dv, out.device());
  table.add("CLU+PFH columns", [&] {
    const auto both = hc::with_prefetch(heads(), NextToken());
    return hc::launch(how, workspace, hc::ColumnMajor(), both, dm, dv, out.device());
  });
  bool right = true;
  for (std::size_t i = 0; i < out.host.size(); i += out.host.size() / 997 + 1) {
    const std::size_t cta = i / kWidth;
    double sum = 0;
    for (int row = 0; row < kWidth; ++row) {
      sum += static_cast<double>(vectors.host[cta * kWidth + row]) *
             matrices.host[(cta % count * kWidth + row) * kWidth + i % kWidth];
    }
    right = right && std::fabs(sum - table.result()[i]) <= 1e-4 * sum;
  }
  return finish("heads", table.good(), right);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--small") == 0) {
      options.small = true;
    } else if (std::strcmp(argv[i], "--csv") == 0) {
      options.csv = true;
    } else if (std::strcmp(argv[i], "--repeat") == 0 && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      options.repeat = std::atoi(argv[++i]);
    } else {
      std::fprintf(stderr, "unknown option %s; usage: cta_clustering [--small] [--csv] [--repeat N]\n",
                   argv[i]);
      return 2;
    }
  }
  const hc::Workspace workspace;
  CHECK(workspace.status());
  std::printf(options.csv ? "%s,%s,%s,%s,%s,%s,%s\n" : "%-10s %-28s %9s %9s %9s %8s  %s\n", "kernel", "way",
              "median_ms", "least_ms", "most_ms", "speed-up", "result");
  bool good = run_matmul(options, workspace);
  good = run_kmeans(options, workspace) && good;
  good = run_quantised(options, workspace) && good;
  good = run_heads(options, workspace) && good;
  if (!options.csv) std::puts(good ? "All results verified." : "Some results are WRONG.");
  return good ? 0 : 1;
}
