// Bundled workloads leave the same memory and the same counts on any number of host threads.
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "base/hash.h"
#include "exec/functional/functional_device.h"
#include "exec/image/kernel_image.h"
#include "workloads/registry.h"

namespace heddle::exec {
namespace {

using workload::Workload;

struct GridOutcome {
  std::uint64_t memory = 0;
  std::vector<std::uint64_t> counts;
  bool shared = false;  // some launch had several threads
};

GridOutcome run_on(const Workload& w, std::uint32_t threads) {
  FunctionalDevice device({.threads = threads, .worth_threads = 0});
  const workload::Verification v = w.run(device, {.scale = workload::Scale::Tiny, .seed = 1});
  EXPECT_TRUE(v.ok) << v.detail;
  Hasher memory;
  for (const auto& [begin, a] : device.memory().allocations()) {
    memory.add(a.begin);
    memory.add(device.memory().host(a.begin), a.end - a.begin);
  }
  GridOutcome o;
  o.memory = memory.value();
  for (const LaunchProfile& l : device.launches()) {
    o.shared |= l.host_threads > 1;
    EXPECT_TRUE(l.host_threads == 1 || l.image->separate_ctas);
    for (const PcCount& c : l.counts) o.counts.insert(o.counts.end(), {c.issued, c.lanes, c.divergent});
    for (const AccessCount& a : l.accesses)
      o.counts.insert(o.counts.end(),
                      {a.accesses, a.bytes, a.lines, a.sectors, a.shared_accesses, a.shared_bytes, a.passes});
  }
  return o;
}

class GridWorkloads : public testing::TestWithParam<const Workload*> {};

TEST_P(GridWorkloads, SameMemoryAndCounts) {
  const GridOutcome one = run_on(*GetParam(), 1);
  for (const std::uint32_t threads : {2u, 3u}) {
    const GridOutcome several = run_on(*GetParam(), threads);
    EXPECT_TRUE(several.shared);
    EXPECT_EQ(several.memory, one.memory) << threads << " threads";
    EXPECT_EQ(several.counts, one.counts) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(All, GridWorkloads,
                         testing::ValuesIn(workloads::all_workloads().begin(),
                                           workloads::all_workloads().end()),
                         [](const testing::TestParamInfo<const Workload*>& test) {
                           std::string name;
                           for (const char c : test.param->info().name)
                             name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace heddle::exec
