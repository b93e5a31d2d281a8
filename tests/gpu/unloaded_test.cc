// Latencies that the description implies are those that a pointer chase finds, on every preset.
#include <gtest/gtest.h>

#include <string>

#include "config/reader.h"
#include "gpu/presets.h"
#include "gpu/timing_device.h"
#include "gpu/unloaded.h"

namespace heddle::gpu {
namespace {

// One thread loads `count` times, `stride` bytes apart, each address depending on the value before (0).
constexpr const char* kChase = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry chase(.param .u64 base, .param .u32 stride, .param .u32 count)
{
.reg .b64 %rd<6>; .reg .b32 %r<8>; .reg .pred %p<2>;
ld.param.u64 %rd1, [base];
ld.param.u32 %r1, [stride];
ld.param.u32 %r2, [count];
mov.u32 %r3, 0;
mov.u32 %r4, 0;
LOOP:
mul.lo.u32 %r5, %r3, %r1;
add.u32 %r6, %r5, %r4;
cvt.u64.u32 %rd2, %r6;
add.u64 %rd3, %rd1, %rd2;
ld.global.u32 %r4, [%rd3];
add.u32 %r3, %r3, 1;
setp.lt.u32 %p1, %r3, %r2;
@%p1 bra LOOP;
ret;
}
)";

MachineStats chase(const GpuSpec& spec, std::uint32_t stride, std::uint32_t count) {
  TimingDevice device(spec, {});
  device.load_module(kChase, "chase.ptx");
  const workload::DevicePtr base = device.allocate(std::uint64_t{stride} * count + 256, "data");
  workload::Launch launch;
  launch.kernel = "chase";
  launch.grid = {1, 1, 1};
  launch.block = {1, 1, 1};
  launch.args.add(base);
  launch.args.add(stride);
  launch.args.add(count);
  device.launch(launch);
  return device.total();
}

// Mean of the loads after the first one.
double repeated(const GpuSpec& spec) {
  const std::uint64_t first = chase(spec, 0, 1).sm().load_latency_sum;
  return static_cast<double>(chase(spec, 0, 101).sm().load_latency_sum - first) / 100;
}

class Unloaded : public testing::TestWithParam<std::string> {
 protected:
  GpuSpec spec(const std::vector<std::string>& sets = {}) {
    config::Config c = load_config(GetParam());
    for (const std::string& s : sets) c.set(s);
    c.set("dram.tREFI=0");
    c.set("l2.sides=1");
    c.set("gpu.code_order=as_written");  // every load waits for the one before
    c.set("gpu.launch_reads=0B");
    c.set("gpu.instruction_bytes=0B");
    return config::read<GpuSpec>(c);
  }
};

TEST_P(Unloaded, L1Hit) {
  const GpuSpec s = spec();
  const double expected = unloaded_latency(s).l1_hit;
  if (expected == 0) {
    EXPECT_TRUE(!s.l1.enabled || s.l1.bypass_global);
    return;
  }
  EXPECT_DOUBLE_EQ(repeated(s), expected);
}

TEST_P(Unloaded, L2Hit) {
  const GpuSpec s = spec({"l1.enabled=false"});
  const double expected = unloaded_latency(s).l2_hit;
  if (expected == 0) {
    EXPECT_FALSE(s.l2().enabled);
    return;
  }
  EXPECT_NEAR(repeated(s), expected, 1);
}

TEST_P(Unloaded, Dram) {
  const GpuSpec s = spec();
  const UnloadedLatency u = unloaded_latency(s);
  const MachineStats m = chase(s, (1 << 20) + 256, 100);
  ASSERT_EQ(m.dram().reads, 100u);
  const double expected = (static_cast<double>(m.dram().row_hits) * u.dram_row_hit +
                           static_cast<double>(m.dram().row_misses) * u.dram_closed +
                           static_cast<double>(m.dram().row_conflicts) * u.dram_conflict) /
                          100;
  EXPECT_NEAR(static_cast<double>(m.sm().load_latency_sum) / 100, expected, 2);
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& p : presets()) names.emplace_back(p.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Presets, Unloaded, testing::ValuesIn(preset_names()), [](const auto& test) {
  std::string name = test.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

// What people measured on these cards, in cycles of the core: Andersch (the GTX 570's of its hot clock,
// halved), Jia.
TEST(StatedLatency, OfAnL2Hit) {
  for (const auto& [preset, cycles] :
       {std::pair{"gtx570", 155.0}, {"k40", 200.0}, {"gtx980", 207.0}, {"gtx1080", 216.0}}) {
    SCOPED_TRACE(preset);
    config::Config c = load_config(preset);
    EXPECT_DOUBLE_EQ(unloaded_latency(config::read<GpuSpec>(c)).l2_hit, cycles);
  }
}

}  // namespace
}  // namespace heddle::gpu
