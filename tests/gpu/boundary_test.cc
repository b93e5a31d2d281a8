// Every parameter of a machine at its documented least and greatest value, every choice, every flag: the
// machine runs a kernel that uses everything, the same on one and two threads, or its description is refused
// and says by which parameter. With HEDDLE_TEST_ALL=1 in the environment workloads at their smallest as well:
// each with one of these values in eight, each value with one workload in eight.
#include <optional>

#include "base/error.h"
#include "everything.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

// What stands in the reference: "1 to 64, a power of two".
std::vector<std::string> boundaries(const config::Param& p) {
  std::vector<std::string> values;
  for (const config::NamedChoice& c : p.choices) values.push_back(c.name);
  if (p.kind == "true or false") return {"true", "false"};
  const std::string text = p.limits.substr(0, p.limits.find(','));
  if (const std::size_t to = text.find(" to "); to != std::string::npos)
    values = {text.substr(0, to), text.substr(to + 4)};
  return values;
}

struct Case {
  std::string path, value;
  std::string setting() const { return path + "=" + value; }
};
std::vector<Case> cases() {
  std::vector<Case> all;
  const config::ParamTable table = config::describe<GpuSpec>();
  for (const config::Param& p : table.params())
    for (const std::string& v : boundaries(p)) all.push_back({p.path, v});
  return all;
}

// A machine with the value, or the sentence that refuses it.
std::optional<GpuSpec> machine(std::string_view base, const Settings& settings, std::string& refused) {
  try {
    return spec_of(base, settings);
  } catch (const Error& e) {
    refused = e.what();
    return {};
  }
}
bool names_a_parameter(const std::string& text) {
  const config::ParamTable table = config::describe<GpuSpec>();
  for (const config::Param& p : table.params())
    if (text.find(p.path) != std::string::npos) return true;
  return false;
}

TEST(Boundary, EveryParameterAtItsLeastAndGreatest) {
  const std::vector<Case> all = cases();
  EXPECT_GT(all.size(), 500u);
  std::size_t ran = 0;
  for (const Case& c : all) {
    SCOPED_TRACE(c.setting());
    std::string refused;
    // A small machine with more than one of everything; a lock needs some fairness of schedulers.
    const auto spec = machine(
        kLab,
        {"gpu.clusters=2", "gpu.sms_per_cluster=2", "memory.partitions=2", "sm.active_warps=8", c.setting()},
        refused);
    if (!spec) {
      EXPECT_TRUE(names_a_parameter(refused)) << refused;
      continue;
    }
    try {
      EXPECT_EQ(run_everything(*spec, 2), run_everything(*spec, 1));
      ++ran;
    } catch (const Error& e) {  // a kernel larger than the machine
      EXPECT_NE(std::string(e.what()).find("a CTA of this kernel needs"), std::string::npos) << e.what();
    }
  }
  EXPECT_GT(ran, all.size() * 9 / 10);
}

// Counters of all launches; none when a CTA is larger than an SM.
Counters run_workload(const workload::Workload& w, const GpuSpec& spec, std::uint32_t threads) {
  TimingOptions options;
  options.machine.threads = threads;
  TimingDevice device(spec, options);
  Counters all;
  try {
    const workload::Verification v = w.run(device, {workload::Scale::Tiny, 1});
    EXPECT_TRUE(v.ok) << v.detail;
    for (const LaunchResult& l : device.launches())
      for (const auto& counter : counters(l.stats)) all.push_back(counter);
  } catch (const Error& e) {
    // Or computes longer than the least patience.
    const std::string text = e.what();
    EXPECT_TRUE(text.find("a CTA of this kernel needs") != std::string::npos ||
                (spec.gpu.patience == 1000 && text.find("(gpu.patience)") != std::string::npos))
        << text;
  }
  return all;
}

class WorkloadAtBoundaries : public testing::TestWithParam<std::size_t> {};  // a workload's number

TEST_P(WorkloadAtBoundaries, GivesItsResultOnAnyThreads) {
  if (!all_wanted()) GTEST_SKIP() << "HEDDLE_TEST_ALL=1 runs it";
  const workload::Workload& w = *workloads::all_workloads()[GetParam()];
  const std::vector<Case> all = cases();
  std::size_t n = 0;
  for (std::size_t i = GetParam() % 8; i < all.size(); i += 8) {
    SCOPED_TRACE(all[i].setting());
    std::string refused;
    const auto spec = machine("clustered60", {all[i].setting()}, refused);
    if (!spec) continue;
    const Counters one = run_workload(w, *spec, 1);
    if (n++ % 8 != 0) continue;  // threads take turns where cores are few
    EXPECT_EQ(run_workload(w, *spec, 2), one);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, WorkloadAtBoundaries,
                         testing::Range<std::size_t>(0, workloads::all_workloads().size()));

}  // namespace
}  // namespace heddle::gpu
