// Every bundled workload gives its reference's result in the functional executor.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/functional/functional_device.h"
#include "exec/functional/profile.h"
#include "workloads/registry.h"

namespace heddle::workloads {
namespace {

using workload::RunOptions;
using workload::Scale;
using workload::Verification;
using workload::Workload;

class Execution : public testing::TestWithParam<const Workload*> {};

std::uint64_t warp_instructions(const exec::FunctionalDevice& device) {
  std::uint64_t sum = 0;
  for (const exec::LaunchProfile& launch : device.launches())
    for (const exec::PcCount& count : launch.counts) sum += count.issued;
  return sum;
}

TEST_P(Execution, AgreesWithTheReference) {
  for (const std::uint64_t seed : {1, 2}) {
    exec::FunctionalDevice device;
    const Verification v = GetParam()->run(device, {.scale = Scale::Tiny, .seed = seed});
    EXPECT_TRUE(v.ok) << v.detail;
    EXPECT_GT(v.compared, 0u);
    EXPECT_FALSE(v.tolerance.empty());
    // Tests run everything at this scale, under sanitizers too.
    EXPECT_LT(warp_instructions(device), 1'000'000u);
  }
}

TEST_P(Execution, LaunchesTheKernelsThatItNames) {
  std::vector<std::string> named, launched;
  for (const workload::KernelInfo& k : GetParam()->info().kernels) named.push_back(k.function);
  if (named.empty()) GTEST_SKIP() << "names none";
  exec::FunctionalDevice device;
  GetParam()->run(device, {.scale = Scale::Tiny});
  for (const exec::KernelStats& k : exec::by_kernel(device.launches())) launched.push_back(k.kernel);
  EXPECT_THAT(launched, testing::ElementsAreArray(named));  // in the order of first launch
}

INSTANTIATE_TEST_SUITE_P(All, Execution, testing::ValuesIn(all_workloads().begin(), all_workloads().end()),
                         [](const testing::TestParamInfo<const Workload*>& test) {
                           std::string name;
                           for (const char c : test.param->info().name)
                             name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace heddle::workloads
