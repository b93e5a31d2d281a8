// Machines with parameters drawn at random, most of them as small as they may be: whatever the sizes, a
// kernel that uses everything ends, with the right result, and the counts add up.
#include "random_machine.h"

#include <algorithm>

#include "base/error.h"
#include "everything.h"
#include "slot_cases.h"

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

// Of all slots; one stays out, with its reason.
TEST(RandomMachines, HaveEveryImplementation) {
  Settings drawn;
  for (std::uint64_t seed = 1; seed < 61; ++seed)
    for (const std::string& s : random_machine(seed)) drawn.push_back(s);
  for (const SlotCase& c : every_implementation())
    if (!c.name.ends_with(" pseudo_lru")) {
      EXPECT_THAT(drawn, testing::Contains(c.settings.front()));
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMachine, testing::Range<std::uint64_t>(1, 61));

}  // namespace
}  // namespace heddle::gpu
