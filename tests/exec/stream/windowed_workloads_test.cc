// Bundled workloads in windows give their reference's result, and what functional execution counted; as the
// assembler makes their code they give it as well.
#include <gtest/gtest.h>

#include <cctype>
#include <string>

#include "exec/functional/functional_device.h"
#include "windowed_device.h"
#include "workloads/registry.h"

namespace heddle::exec {
namespace {

using workload::Scale;
using workload::Workload;

class WindowedWorkloads : public testing::TestWithParam<const Workload*> {};

TEST_P(WindowedWorkloads, AgreeWithTheReferenceAndWithFunctionalExecution) {
  const workload::RunOptions options{.scale = Scale::Tiny, .seed = 1};
  FunctionalDevice functional;
  ASSERT_TRUE(GetParam()->run(functional, options).ok);
  WindowedDevice windowed({.ctas_per_sm = 4, .issues = 16});
  const workload::Verification v = GetParam()->run(windowed, options);
  EXPECT_TRUE(v.ok) << v.detail;
  EXPECT_EQ(windowed.input_hash(), functional.input_hash());
  if (GetParam()->info().order_sensitive) return;
  const std::vector<PcCount>& want = functional.launches().back().counts;
  const std::vector<PcCount> counts = windowed.counts();
  ASSERT_GE(counts.size(), want.size());
  for (std::size_t pc = 0; pc < want.size(); ++pc) {
    EXPECT_EQ(counts[pc].issued, want[pc].issued) << pc;
    EXPECT_EQ(counts[pc].lanes, want[pc].lanes) << pc;
  }
}

TEST_P(WindowedWorkloads, AgreeWithTheReferenceAsAssembled) {
  FunctionalDevice device({.code_order = CodeOrder::AsAssembled});
  const workload::Verification v = GetParam()->run(device, {.scale = Scale::Tiny, .seed = 1});
  EXPECT_TRUE(v.ok) << v.detail;
}

INSTANTIATE_TEST_SUITE_P(All, WindowedWorkloads,
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
