// Machines with parameters drawn at random, most of them as small as they may be: whatever the sizes, a
// kernel that uses everything ends, with the right result, and the counts add up.
#include "random_machine.h"
#include "base/error.h"
#include "everything.h"

namespace heddle::gpu {
namespace {

class RandomMachine : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomMachine, RunsAKernelThatUsesEverything) {
  const Settings settings = random_machine(GetParam());
  std::string text;
  for (const std::string& s : settings) text += s + " ";
  SCOPED_TRACE(text);
  try {
    const GpuSpec spec = lab(settings);
    const Counters one = run_everything(spec);
    if (GetParam() % 10 == 0) {
      EXPECT_EQ(run_everything(spec, 2), one);
    }
  } catch (const Error& e) {
    FAIL() << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMachine, testing::Range<std::uint64_t>(1, 61));

}  // namespace
}  // namespace heddle::gpu
