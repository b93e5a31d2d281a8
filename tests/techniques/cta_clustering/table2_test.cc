// The categories and partitions of the paper's Table 2 beside those found from the texts of the bundled
// versions of its programs. Of several kernels the one with the most requests speaks for the program.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "recorded_launches.h"
#include "techniques/cta_clustering/framework/static_report.h"
#include "workloads/registry.h"

namespace heddle::cta_clustering {
namespace {

struct Row {
  const char* workload;
  Category printed;
  Order partition;
  Category expected;  // what the rules find here
  const char* why;    // where that is another
};

using enum Category;
constexpr Order X = Order::Column, Y = Order::Row;

constexpr Row kTable[] = {
    {"kmeans", Algorithm, X, CacheLine,
     "CTAs read points of their own, a row per lane; only constant memory is shared"},
    {"matrixmul", Algorithm, Y, Algorithm, ""},
    {"nn", Algorithm, Y, Algorithm, ""},
    {"imagedenoising", Algorithm, Y, Algorithm, ""},
    {"backprop", Algorithm, X, CacheLine, "weights are a CTA's own; rows of 17 floats cross lines"},
    {"dct8x8", Algorithm, X, CacheLine, "blocks are a CTA's own; rows of 32 bytes share lines"},
    {"sgemm", Algorithm, X, Algorithm, ""},
    {"hotspot", Algorithm, Y, Algorithm, ""},
    {"syrk", CacheLine, X, CacheLine, ""},
    {"syr2k", CacheLine, X, CacheLine, ""},
    {"atax", CacheLine, X, CacheLine, ""},
    {"mvt", CacheLine, X, CacheLine, ""},
    {"nbody", CacheLine, Y, Streaming, "all CTAs read all bodies, in whole lines; a grid of one dimension"},
    {"3dconv", CacheLine, Y, CacheLine, ""},
    {"bicg", CacheLine, X, CacheLine, ""},
    {"histogram", Data, X, Streaming, "only addresses in shared memory depend on data"},
    {"b+tree", Data, X, Data, ""},
    {"nw", Write, X, Write, ""},
    {"bfs", Data, X, Data, ""},
    {"montecarlo", Streaming, X, Streaming, ""},
    {"dxtc", Streaming, X, Streaming, ""},
    {"sad", Streaming, X, Algorithm, "search windows of neighbouring blocks overlap"},
    {"blackscholes", Streaming, X, Streaming, ""},
};

// The program's heaviest kernel.
StaticReport heaviest(const workload::Workload& w, std::vector<StaticReport>& all) {
  exec::FunctionalDevice device;
  LaunchRecorder recorder(device);
  record_launches(w, recorder, workload::Scale::Paper);
  double most = -1;
  StaticReport result;
  for (const std::string& kernel : recorder.order) {
    const ptx::Module& m = recorder.module_of(kernel);
    const ptx::Function& f = *m.find_function(kernel);
    StaticReport r = static_report(m, f, circumstances(m, f, recorder.launches[kernel]));
    const double requests = r.found.requests * static_cast<double>(recorder.count[kernel]);
    if (requests > most) {
      most = requests;
      result = r;
    }
    all.push_back(std::move(r));
  }
  return result;
}

std::string_view letter(Order o) {
  return o == Order::Column ? "X" : "Y";
}

TEST(Table2, CategoriesAndPartitions) {
  int categories = 0, partitions = 0;
  std::printf("%-15s %-10s %-10s  printed found\n", "program", "printed", "found");
  for (const Row& row : kTable) {
    SCOPED_TRACE(row.workload);
    const workload::Workload* w = workloads::find_workload(row.workload);
    ASSERT_NE(w, nullptr);
    std::vector<StaticReport> kernels;
    const StaticClass c = heaviest(*w, kernels).found;
    EXPECT_EQ(c.category, row.expected) << name(c.category);
    EXPECT_EQ(row.printed == row.expected, std::string(row.why).empty());
    categories += c.category == row.printed;
    partitions += c.partition.order == row.partition;
    std::printf("%-15s %-10s %-10s  %s-P %s-P  %s\n", row.workload, std::string(name(row.printed)).c_str(),
                std::string(name(c.category)).c_str(), std::string(letter(row.partition)).c_str(),
                std::string(letter(c.partition.order)).c_str(), row.why);
  }
  EXPECT_EQ(categories, 17);  // of 23
  EXPECT_EQ(partitions, 21);
}

// "Data & writing".
TEST(Table2, SearchAlsoWrites) {
  std::vector<StaticReport> kernels;
  const StaticClass c = heaviest(*workloads::find_workload("bfs"), kernels).found;
  ASSERT_FALSE(c.also.empty());
  EXPECT_EQ(c.also[0], Write);
}

// Every kernel of every workload gets an answer, most by their texts alone.
TEST(Table2, AllKernelsAreUnderstood) {
  std::size_t kernels = 0, unknown = 0, accesses = 0, followed = 0;
  for (const workload::EmbeddedPtx& ptx : workloads::all_embedded_ptx()) {
    const ptx::Module m = ptx::parse_module(std::string(ptx.text), std::string(ptx.file));
    for (const ptx::Function& f : m.functions) {
      if (!f.entry) continue;
      ++kernels;
      const ptx::KernelAddresses found = ptx::find_addresses(m, f);
      for (const ptx::GlobalAccess& a : found.accesses) {
        ++accesses;
        followed += a.understood;
      }
      unknown += classify(found, {}).category == Unknown;
    }
  }
  std::printf("%zu kernels, %zu of unknown category; %zu of %zu accesses followed\n", kernels, unknown,
              followed, accesses);
  EXPECT_GE(kernels, 140u);
  EXPECT_EQ(followed, accesses);
  EXPECT_LE(unknown, kernels / 20);
}

}  // namespace
}  // namespace heddle::cta_clustering
