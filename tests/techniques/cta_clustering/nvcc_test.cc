// Kernels that nvcc has compiled (CUDA 13.0), with launches of the usual shapes.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "ptx/ir/signature.h"
#include "ptx/parse/parse_module.h"
#include "techniques/cta_clustering/framework/static_report.h"

namespace heddle::cta_clustering {
namespace {

using workload::Dim3;

struct Case {
  const char* file;
  const char* kernel;
  Dim3 grid, block;
  Category category;
  Order order;
};

class Nvcc : public testing::TestWithParam<Case> {};

TEST_P(Nvcc, Category) {
  const Case& c = GetParam();
  const std::string path =
      std::string(HEDDLE_TESTS_DIR) + "/techniques/cta_clustering/nvcc/" + c.file + ".ptx";
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  const ptx::Module module = ptx::parse_module(text.str(), path);
  const ptx::Function& kernel = ptx::find_kernel(module, c.kernel, {});
  Circumstances known;
  known.grid = c.grid;
  known.block = c.block;
  for (const ptx::Variable& p : kernel.params)
    if (p.size == 4) known.parameters[static_cast<std::uint32_t>(p.offset)] = 1024;
  const StaticReport r = static_report(module, kernel, known);
  std::string all;
  for (const std::string& line : lines(r)) all += line + "\n";
  EXPECT_EQ(r.found.category, c.category) << all;
  EXPECT_EQ(r.found.partition.order, c.order) << all;
  for (const ptx::GlobalAccess& a : ptx::find_addresses(module, kernel, known_launch(known)).accesses)
    EXPECT_TRUE(a.understood) << "line " << a.line;
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Nvcc,
    testing::Values(
        Case{"matmul_tiled", "matmul_tiled", {64, 64, 1}, {16, 16, 1}, Category::Algorithm, Order::Row},
        Case{"matmul_tiled", "matmul_tiled", {64, 8, 1}, {16, 16, 1}, Category::Algorithm, Order::Column},
        Case{"matmul_naive", "matmul_naive", {64, 64, 1}, {16, 16, 1}, Category::Algorithm, Order::Row},
        Case{"matmul_naive", "matmul_naive", {32, 128, 1}, {32, 8, 1}, Category::Algorithm, Order::Column},
        Case{"atax", "atax_k1", {4, 1, 1}, {256, 1, 1}, Category::CacheLine, Order::Column},
        Case{"atax", "atax_k2", {4, 1, 1}, {256, 1, 1}, Category::Streaming, Order::Column},
        Case{"stencil", "stencil", {32, 128, 1}, {32, 8, 1}, Category::CacheLine, Order::Row},
        Case{"bfs", "bfs_k1", {64, 1, 1}, {256, 1, 1}, Category::Data, Order::Column},
        Case{"nbody", "nbody", {8, 1, 1}, {128, 1, 1}, Category::Streaming, Order::Column},
        Case{"reduce", "reduce", {64, 1, 1}, {256, 1, 1}, Category::Streaming, Order::Column},
        Case{"vecadd", "vecadd", {64, 1, 1}, {256, 1, 1}, Category::Streaming, Order::Column}),
    [](const auto& i) { return std::string(i.param.kernel) + "_" + std::to_string(i.index); });

}  // namespace
}  // namespace heddle::cta_clustering
