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

std::vector<std::string> functions(const Workload& w) {
  std::vector<std::string> names;
  for (const workload::KernelInfo& k : w.info().kernels) names.push_back(k.function);
  return names;
}

// Kernels as launched, each once.
std::vector<std::string> launched(const exec::FunctionalDevice& device) {
  std::vector<std::string> names;
  for (const exec::LaunchProfile& launch : device.launches())
    if (std::find(names.begin(), names.end(), launch.image->name) == names.end())
      names.push_back(launch.image->name);
  return names;
}

TEST_P(Execution, LaunchesTheKernelsThatItSays) {
  exec::FunctionalDevice device;
  GetParam()->run(device, {.scale = Scale::Tiny});
  EXPECT_EQ(functions(*GetParam()), launched(device));
}

TEST_P(Execution, EachKernelAloneCountsItsOwnInstructionsAndTheResultIsRight) {
  exec::FunctionalDevice whole;
  GetParam()->run(whole, {.scale = Scale::Tiny});
  std::uint64_t sum = 0;
  for (std::size_t k = 1; k <= GetParam()->info().kernels.size(); ++k) {
    const Workload* one = find_workload(GetParam()->info().name + "." + std::to_string(k));
    ASSERT_NE(one, nullptr);
    SCOPED_TRACE(one->info().name);
    exec::FunctionalDevice device;
    const Verification v = one->run(device, {.scale = Scale::Tiny});
    EXPECT_TRUE(v.ok) << v.detail;
    EXPECT_EQ(launched(device), functions(*one));
    EXPECT_EQ(device.input_hash(), whole.input_hash());
    sum += warp_instructions(device);
  }
  EXPECT_EQ(sum, warp_instructions(whole));
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
