// The programs of GPGPU-Sim's set of 2009: known by the names of its paper, and launched at `paper` with its
// grids and CTAs (its Table 1).
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "workloads/registry.h"

namespace heddle::workloads {
namespace {

using workload::DevicePtr;
using workload::Dim3;
using workload::Launch;

// Takes launches down and executes nothing; what is read back is zero.
class Recorder final : public workload::Device {
 public:
  DevicePtr allocate(std::uint64_t bytes, std::string_view) override {
    const DevicePtr p{next_};
    next_ += (bytes + 511) / 512 * 512;
    return p;
  }
  void release(DevicePtr) override {}
  void copy_in(DevicePtr, const void*, std::uint64_t) override {}
  void copy_out(void* to, DevicePtr, std::uint64_t bytes) override { std::memset(to, 0, bytes); }
  void fill(DevicePtr, std::uint8_t, std::uint64_t) override {}
  void load_module(std::string_view, std::string_view) override {}
  DevicePtr symbol(std::string_view, std::uint64_t*) override { return DevicePtr{512}; }
  std::uint64_t texture(const workload::TextureView&) override { return 1; }
  void launch(const Launch& l) override { launches.push_back(l); }

  std::vector<Launch> launches;

 private:
  std::uint64_t next_ = 1 << 20;
};

struct Shape {
  const char* paper;
  const char* workload;
  std::size_t launches;
  Dim3 grid, block;  // of every launch
};

std::ostream& operator<<(std::ostream& out, const Shape& s) {
  return out << s.paper;
}

class Published : public testing::TestWithParam<Shape> {};

TEST_P(Published, GridAndCta) {
  const Shape& want = GetParam();
  const workload::Workload* w = find_workload(want.paper);
  ASSERT_NE(w, nullptr);
  EXPECT_EQ(w->info().name, want.workload);
  Recorder device;
  w->run(device, {.scale = workload::Scale::Paper});
  EXPECT_EQ(device.launches.size(), want.launches);
  for (const Launch& l : device.launches) {
    EXPECT_EQ(l.grid, want.grid) << l.kernel;
    EXPECT_EQ(l.block, want.block) << l.kernel;
  }
}

constexpr Shape shapes[] = {
    {"AES", "aes", 1, {257}, {256}},
    {"CP", "cp", 1, {8, 32}, {16, 8}},
    {"LPS", "lps", 1, {4, 25}, {32, 4}},
    {"LIB", "lib", 2, {64}, {64}},
    {"MUM", "mum", 1, {782}, {64}},
    {"NQU", "nqu", 1, {223}, {96}},
    {"STO", "sto", 1, {384}, {128}},
    {"WP", "wp", 10, {9, 8}, {8, 8}},
    {"RAY", "raytrace", 4, {16, 32}, {16, 8}},  // frames of the published size, which is one
};

INSTANTIATE_TEST_SUITE_P(ByName, Published, testing::ValuesIn(shapes),
                         [](const auto& test) { return std::string(test.param.paper); });

TEST(PublishedNames, OfTheOthers) {
  EXPECT_EQ(find_workload("NN"), find_workload("nn"));
  EXPECT_EQ(find_workload("BFS"), find_workload("bfs"));
  EXPECT_EQ(find_workload("BlackScholes"), find_workload("blackscholes"));
  EXPECT_NE(find_workload("BlackScholes"), nullptr);
}

}  // namespace
}  // namespace heddle::workloads
