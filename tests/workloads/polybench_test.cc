// The kernels of the PolyBench family access memory as the published ones do: sums that stay in memory, and
// lanes that are a row or an element apart. A compiler that kept the sums in registers would change what is
// studied.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "exec/functional/functional_device.h"
#include "exec/functional/profile.h"
#include "workloads/polybench/polybench.h"
#include "workloads/registry.h"

namespace heddle::workloads {
namespace {

using workload::Scale;

exec::FunctionalStats statistics(std::string_view workload, std::string_view kernel) {
  exec::FunctionalDevice device;
  find_workload(workload)->run(device, {.scale = Scale::Tiny});
  const std::vector<exec::KernelStats> all = exec::by_kernel(device.launches());
  const auto k =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.kernel == kernel; });
  return k == all.end() ? exec::FunctionalStats{} : k->stats;
}

enum class Lanes {
  ElementApart,
  RowApart
};  // in one matrix; what else the loop loads is the same for all lanes

struct Pattern {
  const char* workload;
  const char* kernel;
  double loads_per_store;  // in the loop
  Lanes lanes;
};

std::ostream& operator<<(std::ostream& out, const Pattern& p) {
  return out << p.kernel;
}

class PolyBenchKernel : public testing::TestWithParam<Pattern> {};

TEST_P(PolyBenchKernel, AccessesMemoryAsPublished) {
  const Pattern& p = GetParam();
  const exec::FunctionalStats s = statistics(p.workload, p.kernel);
  ASSERT_GT(s.global_store.accesses, 0u);
  const auto loads = static_cast<double>(s.global_load.accesses);
  EXPECT_NEAR(loads / static_cast<double>(s.global_store.accesses), p.loads_per_store,
              0.1 * p.loads_per_store);
  const double lines = static_cast<double>(s.global_load.lines) / loads;
  if (p.lanes == Lanes::RowApart) {
    EXPECT_GT(lines, 10);  // every second or third load has a line for each lane; the last warp is not full
  } else {
    EXPECT_LT(lines, 2);
  }
}

constexpr Pattern patterns[] = {
    {"gemm", "gemm_kernel", 2, Lanes::ElementApart},
    {"2mm", "mm2_kernel1", 2, Lanes::ElementApart},
    {"2mm", "mm2_kernel2", 2, Lanes::ElementApart},
    {"3mm", "mm3_kernel1", 2, Lanes::ElementApart},
    {"3mm", "mm3_kernel2", 2, Lanes::ElementApart},
    {"3mm", "mm3_kernel3", 2, Lanes::ElementApart},
    {"atax", "atax_kernel1", 2, Lanes::RowApart},
    {"atax", "atax_kernel2", 2, Lanes::ElementApart},
    {"bicg", "bicg_kernel1", 2, Lanes::ElementApart},
    {"bicg", "bicg_kernel2", 2, Lanes::RowApart},
    {"mvt", "mvt_kernel1", 2, Lanes::RowApart},
    {"mvt", "mvt_kernel2", 2, Lanes::ElementApart},
    {"gesummv", "gesummv_kernel", 3, Lanes::RowApart},  // a store to one sum may be one to the other
    {"syrk", "syrk_kernel", 2, Lanes::RowApart},
    {"syr2k", "syr2k_kernel", 4, Lanes::RowApart},
    {"corr", "corr_mean", 1, Lanes::ElementApart},
    {"corr", "corr_deviation", 2, Lanes::ElementApart},
    {"corr", "corr_kernel", 2, Lanes::ElementApart},
    {"covar", "covar_mean", 1, Lanes::ElementApart},
    {"covar", "covar_kernel", 2, Lanes::ElementApart},
    {"gramschmidt", "gramschmidt_kernel3", 2.5, Lanes::ElementApart},  // loops with two and three loads
};

INSTANTIATE_TEST_SUITE_P(Each, PolyBenchKernel, testing::ValuesIn(patterns),
                         [](const auto& test) { return std::string(test.param.kernel); });

TEST(PolyBench, ProductOfTilesAndRests) {
  // More than a tile in both directions of B; element (i, j) is the sum over k of (i + 1) (k + j).
  const std::size_t rows = 3, inner = 70, columns = 530;
  polybench::Doubles a(rows * inner), b(inner * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < inner; ++k) a[i * inner + k] = static_cast<double>(i + 1);
  for (std::size_t k = 0; k < inner; ++k)
    for (std::size_t j = 0; j < columns; ++j) b[k * columns + j] = static_cast<double>(k + j);
  const polybench::Doubles c = polybench::product(a, b, rows, inner, columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      ASSERT_EQ(c[i * columns + j], static_cast<double>((i + 1) * (inner * (inner - 1) / 2 + inner * j)));
}

}  // namespace
}  // namespace heddle::workloads
