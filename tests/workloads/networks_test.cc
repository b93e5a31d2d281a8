// The networks launch what Tango launches: a CTA per map with a thread per neuron, or a CTA per column;
// one-thread CTAs for fully connected layers; and layers that are not in the sample are executed in no time.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/functional/functional_device.h"
#include "workload/forwarding_device.h"
#include "workloads/networks/networks.h"
#include "workloads/registry.h"

namespace heddle::workloads {
namespace {

using testing::ElementsAre;
using workload::Launch;
using workload::Scale;

class Recorder final : public workload::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  void launch(const Launch& launch) override {
    launches.push_back(launch);
    to_.launch(launch);
  }
  std::vector<Launch> launches;
};

std::vector<Launch> launches_of(std::string_view workload) {
  exec::FunctionalDevice device;
  Recorder recorder(device);
  EXPECT_TRUE(find_workload(workload)->run(recorder, {.scale = Scale::Tiny}).ok);
  return recorder.launches;
}

std::vector<std::string> described(const std::vector<Launch>& launches) {
  std::vector<std::string> all;
  for (const Launch& l : launches)
    all.push_back(
        fmt::format("{} {}: {}x{}", l.kernel.substr(l.kernel.find('_') + 1), l.grid.x, l.block.x, l.block.y));
  return all;
}

TEST(Networks, AlexNetHasACtaPerMapAndSplitsItsFirstPlanes) {
  EXPECT_THAT(described(launches_of("alexnet")),
              ElementsAre("conv1 8: 8x8", "conv1 8: 8x7", "conv1 8: 7x8", "conv1 8: 7x7",  //
                          "lrn_split 8: 8x8", "lrn_split 8: 8x7", "lrn_split 8: 7x8", "lrn_split 8: 7x7",
                          "pool 8: 7x7", "conv 8: 7x7", "conv_group2 8: 7x7", "lrn 16: 7x7", "pool 16: 3x3",
                          "conv 24: 3x3", "conv 12: 3x3", "conv_group2 12: 3x3", "conv 8: 3x3",
                          "conv_group2 8: 3x3", "pool 16: 1x1", "fc 24: 1x1", "fc 24: 1x1", "fc 10: 1x1"));
}

TEST(Networks, ResNetHasThreadsOfSeveralNeuronsWherePlanesAreLarger) {
  const std::vector<Launch> launches = launches_of("resnet");
  ASSERT_FALSE(launches.empty());
  std::size_t split = 0;
  for (const Launch& l : launches) {
    SCOPED_TRACE(l.kernel);
    const bool large =
        l.kernel.ends_with("_split") || l.kernel == "resnet_conv1" || l.kernel == "resnet_pool";
    EXPECT_EQ(l.block.x, l.block.y);
    if (large) {
      ++split;
      EXPECT_EQ(l.block.x, 4u);
    }
    if (l.kernel == "resnet_average" || l.kernel == "resnet_fc") {
      EXPECT_EQ(l.block.x, 1u);
    }
  }
  EXPECT_GT(split, 0u);
  EXPECT_LT(split, launches.size());
  const std::vector<std::string> all = described(launches);
  // The first block of a stage begins with the shortcut's convolution, of four times the maps.
  EXPECT_THAT(std::vector<std::string>(all.begin(), all.begin() + 9),
              ElementsAre("conv1 3: 4x4", "norm_split 3: 4x4", "scale_split 3: 4x4", "relu_split 3: 4x4",
                          "pool 3: 4x4", "conv_split 12: 4x4", "norm_split 12: 4x4", "scale_split 12: 4x4",
                          "conv_split 3: 4x4"));
}

TEST(Networks, SqueezeNetHasACtaPerColumn) {
  const std::vector<Launch> launches = launches_of("squeezenet");
  ASSERT_EQ(launches.size(), 1u + 3 + 8 * 3 + 2);
  for (std::size_t i = 0; i + 1 < launches.size(); ++i) {
    SCOPED_TRACE(launches[i].kernel);
    EXPECT_EQ(launches[i].grid.x, launches[i].block.x);
    EXPECT_EQ(launches[i].block.y, 1u);
  }
  EXPECT_EQ(launches.back().grid.x, 1u);
}

TEST(Networks, LayersOutsideOfTheSampleAreExecutedAndNotCounted) {
  exec::FunctionalDevice device;
  load_embedded(device, "resnet");
  networks::Runner runner(device, 1);
  networks::Maps maps = runner.allocate(2, 1, "maps");
  const std::vector<float> values{-1, 1};
  device.copy_in(maps.data, values.data(), sizeof(float) * values.size());
  maps.want = {0, 1};
  runner.simulate(false);
  runner.launch({.kernel = "resnet_relu", .grid = {2}, .block = {1}, .args = workload::args(maps.data)});
  EXPECT_TRUE(device.launches().empty());
  runner.check(maps, "maps");
  EXPECT_TRUE(runner.verification().ok) << runner.verification().detail;
  runner.simulate(true);
  runner.launch({.kernel = "resnet_relu", .grid = {2}, .block = {1}, .args = workload::args(maps.data)});
  EXPECT_EQ(device.launches().size(), 1u);
}

TEST(Networks, ADifferenceInOneLayerStays) {
  exec::FunctionalDevice device;
  networks::Runner runner(device, 1);
  runner.check({1}, {1.001}, "first layer");
  runner.check({1}, {1}, "second layer");
  EXPECT_FALSE(runner.verification().ok);
  EXPECT_THAT(runner.verification().detail, testing::HasSubstr("first layer"));
}

}  // namespace
}  // namespace heddle::workloads
