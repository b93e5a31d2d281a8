// The design `banked` in a whole machine: its L1 serves as many hits per cycle as it has banks.
#include "bench.h"
#include "study/design/design_catalog.h"
#include "techniques/banked_l1/banked_front.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

TEST(BankedDesign, ServesSeveralHitsPerCycle) {
  Settings settings;
  for (const study::Assignment& a : study::design_catalog().find("banked")->sets) settings.push_back(a.text);
  TimingDevice device(spec_of("gtx480", settings), {});
  const workload::Verification v =
      workloads::find_workload("transpose")->run(device, {workload::Scale::Tiny, 1});
  EXPECT_TRUE(v.ok) << v.detail;
  const MachineStats& s = device.total();
  const auto& lines = s.groups.get<banked_l1::BankedStats>("banked_l1").lines;
  std::uint64_t several = 0;  // in a cycle with a miss there are hits of other banks as well
  for (std::size_t n = 3; n <= 8; ++n) several += lines.bins[n];
  EXPECT_GT(several, 0u);
  for (std::size_t n = 9; n < lines.bins.size(); ++n) EXPECT_EQ(lines.bins[n], 0u);
}

}  // namespace
}  // namespace heddle::gpu
