#include "runtime/recording.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/error.h"
#include "exec/functional_device.h"
#include "runtime/recorder.h"
#include "runtime/texture_words.h"

namespace heddle::runtime {
namespace {

constexpr const char* kAdd = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 v) {
  .reg .b64 %rd<4>; .reg .b32 %r<5>;
  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r3, [%rd3]; add.u32 %r4, %r3, %r1; st.global.u32 [%rd3], %r4; ret;
}
)";

class RecordingTest : public ::testing::Test {
 protected:
  RecordingTest() : file_(std::filesystem::temp_directory_path() / "heddle_recording_test.hdl") {}
  ~RecordingTest() override { std::filesystem::remove(file_); }

  // A program that the device shares its memory with: copies in, launches, writes some words itself,
  // launches.
  std::vector<std::uint32_t> record() {
    exec::FunctionalDevice device;
    Recorder recorder(file_.string());
    device.load_module(kAdd, "add");
    recorder.load(kAdd, "add");
    const auto p = device.allocate(64 * 4, "words");
    const auto at = static_cast<mem::Address>(p);
    recorder.allocate(at, 64 * 4, "words", true);
    std::vector<std::uint32_t> words(64, 5);
    device.copy_in(p, words.data(), 256);
    recorder.write(at, words.data(), 256);
    workload::Launch launch{.kernel = "add",
                            .grid = {},
                            .block = {64},
                            .dynamic_shared = 0,
                            .args = workload::args(p, std::uint32_t{2})};
    auto run = [&] {
      recorder.launch(launch, device.memory());
      device.launch(launch);
      recorder.launched(device.memory());
    };
    run();
    const std::uint32_t own = 100;
    device.memory().write(at + 12, &own, 4);  // the host, without telling anybody
    run();
    return device.download<std::uint32_t>(p, 64);
  }

  std::filesystem::path file_;
};

TEST_F(RecordingTest, GivesADeviceWhatTheProgramGaveToItsOwn) {
  const std::vector<std::uint32_t> want = record();
  EXPECT_EQ(want[3], 102u);
  exec::FunctionalDevice device;
  const auto recording = open_recording(file_);
  EXPECT_TRUE(recording->run(device, {}).ok);
  ASSERT_EQ(device.launches().size(), 2u);
  const mem::Allocation& a = device.memory().allocations().begin()->second;
  EXPECT_EQ(a.label, "words");
  EXPECT_EQ(device.download<std::uint32_t>(workload::DevicePtr{a.begin}, 64), want);
}

TEST_F(RecordingTest, TexturesComeBackAsTheyWere) {
  exec::Texture t;
  t.address = 0x1000;
  t.width = 8;
  t.height = 4;
  t.depth = 12;
  t.slice = 512;
  t.layered = t.cube = true;
  t.address_w = exec::TexAddress::Mirror;
  t.border = {1, 2, 3, 4};
  t.levels = 3;
  t.mip_bias = -0.5f;
  {
    Recorder recorder(file_.string());
    exec::TextureTable table;
    recorder.create_texture(t, table.create(t));
  }
  exec::FunctionalDevice device;
  EXPECT_TRUE(open_recording(file_)->run(device, {}).ok);
  exec::TextureTable numbering;
  const exec::Texture* got = device.textures().find(numbering.create(t));
  ASSERT_NE(got, nullptr);
  EXPECT_EQ(texture_words(*got), texture_words(t));
  std::vector<std::uint64_t> words = texture_words(t);
  words[5] = 7;  // bits of a channel
  EXPECT_FALSE(texture_of(words));
  words.pop_back();
  EXPECT_FALSE(texture_of(words));
}

TEST_F(RecordingTest, AllocationsMustLieWhereTheyLay) {
  record();
  exec::FunctionalDevice device;
  device.allocate(8, "in the way");
  EXPECT_THROW(open_recording(file_)->run(device, {}), Error);
}

TEST_F(RecordingTest, DamagedFilesAreRefused) {
  record();
  const auto size = std::filesystem::file_size(file_);
  std::filesystem::resize_file(file_, size - 3);
  exec::FunctionalDevice device;
  EXPECT_THROW(open_recording(file_)->run(device, {}), Error);
  std::ofstream(file_) << "not a recording";
  EXPECT_THROW(open_recording(file_), Error);
  EXPECT_THROW(open_recording(file_.string() + ".missing"), Error);
}

TEST_F(RecordingTest, WhatCannotBeRepeatedLeavesNoFile) {
  Recorder recorder(file_.string());
  EXPECT_THROW(recorder.refuse("this"), Error);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

}  // namespace
}  // namespace heddle::runtime
