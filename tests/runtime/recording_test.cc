#include "runtime/recording/recording.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/temporary.h"
#include "exec/functional/functional_device.h"
#include "runtime/recording/recorder.h"
#include "runtime/recording/recording_frames.h"
#include "runtime/recording/texture_encoding.h"

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
  RecordingTest() : folder_("heddle-recording-test"), file_(folder_.path() / "program.hdl") {}

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
      recorder.launched(device.memory(), 9);
    };
    run();
    const std::uint32_t own = 100;
    device.memory().write(at + 12, &own, 4);  // the host, without telling anybody
    run();
    return device.download<std::uint32_t>(p, 64);
  }

  TemporaryFolder folder_;
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
  EXPECT_EQ(encode_texture(*got), encode_texture(t));
  std::vector<std::uint64_t> words = encode_texture(t);
  words[5] = 7;  // bits of a channel
  EXPECT_FALSE(decode_texture(words));
  words.pop_back();
  EXPECT_FALSE(decode_texture(words));
}

TEST_F(RecordingTest, AllocationsMustLieWhereTheyLay) {
  record();
  exec::FunctionalDevice device;
  device.allocate(8, "in the way");
  EXPECT_THROW(open_recording(file_)->run(device, {}), Error);
}

TEST_F(RecordingTest, DamagedFilesAreRefused) {
  std::ofstream(file_) << "not a recording";
  EXPECT_THROW(open_recording(file_), Error);
  EXPECT_THROW(open_recording(file_.string() + ".missing"), Error);
}

std::string contents_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

bool is_whole(const std::string& recording) {
  std::istringstream in(recording);
  try {
    FrameReader(in, "x.hdl").check_rest();
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST_F(RecordingTest, NoPartOfOneIsTakenForTheWhole) {
  record();
  const std::string whole = contents_of(file_);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(is_whole(whole.substr(0, length))) << length << " of " << whole.size();
  }
  EXPECT_TRUE(is_whole(whole));
  EXPECT_FALSE(is_whole(whole + '\0')) << "something behind its end";
  std::filesystem::resize_file(file_, whole.size() - 1);
  EXPECT_THROW(open_recording(file_), Error) << "told before anything runs";
}

TEST_F(RecordingTest, EveryBitCounts) {
  record();
  const std::string whole = contents_of(file_);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    EXPECT_FALSE(is_whole(flipped)) << "bit " << bit;
  }
}

TEST_F(RecordingTest, AProgramThatIsKilledLeavesWhatItHadLaunched) {
  exec::FunctionalDevice device;
  Recorder recorder(file_.string());
  recorder.load(kAdd, "add");
  const auto at = static_cast<mem::Address>(device.allocate(256, "words"));
  recorder.allocate(at, 256, "words", false);
  workload::Launch launch{.kernel = "add",
                          .grid = {},
                          .block = {64},
                          .dynamic_shared = 0,
                          .args = workload::args(workload::DevicePtr{at}, std::uint32_t{2})};
  recorder.launch(launch, device.memory());
  recorder.fill(at, 0, 256);  // in no file yet
  exec::FunctionalDevice other;
  EXPECT_TRUE(open_recording(file_)->run(other, {}).ok);
  EXPECT_EQ(other.launches().size(), 1u);
}

// What the program did between the launches that are held is there as what it changed: a variable of a module
// that a kernel wrote, a copy, a fill, what the host wrote itself, an allocation in the place of another.
TEST_F(RecordingTest, LaunchesMayBeLeftOut) {
  constexpr const char* kCount = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .global .u32 total = 7;
.visible .entry count(.param .u64 p) {
  .reg .b64 %rd<2>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [total]; add.u32 %r2, %r1, 1; st.global.u32 [total], %r2;
  ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, %r2; st.global.u32 [%rd1], %r3; ret;
}
)";
  constexpr std::uint64_t kBytes = 3 * 4096 + 100;
  exec::FunctionalDevice device;
  Recorder recorder(file_.string(), RecordedLaunches::Chosen);
  device.load_module(kCount, "count");
  recorder.load(kCount, "count");
  std::uint64_t size = 0;
  const auto total = static_cast<mem::Address>(device.symbol("total", &size));
  recorder.share(total, size);
  const auto allocate = [&] {
    const auto a = static_cast<mem::Address>(device.allocate(kBytes, "words"));
    recorder.allocate(a, kBytes, "words", false);
    return a;
  };
  const auto launch = [&](mem::Address p, bool held) {
    const workload::Launch l{.kernel = "count",
                             .grid = {},
                             .block = {1},
                             .dynamic_shared = 0,
                             .args = workload::args(workload::DevicePtr{p})};
    if (held) recorder.launch(l, device.memory());
    device.launch(l);
    if (held)
      recorder.launched(device.memory(), 9);
    else
      recorder.pass(l, 9);
  };
  const mem::Address gone = allocate();
  device.fill(workload::DevicePtr{gone}, 0xff, kBytes);
  recorder.fill(gone, 0xff, kBytes);
  launch(gone, true);
  device.release(workload::DevicePtr{gone});
  recorder.release(gone);
  const mem::Address p = allocate();  // all zero again, where there were ones
  EXPECT_EQ(p, gone);
  for (int i = 0; i < 5; ++i) launch(p, false);
  const std::uint32_t own = 100;
  device.memory().write(p + kBytes - 4, &own, 4);
  launch(p, true);
  launch(p, false);

  exec::FunctionalDevice other;
  const auto recording = open_recording(file_);
  EXPECT_EQ(recording->info().summary, "What a CUDA program gave to its device, 2 of its 8 launches");
  const LaunchesHeld& launches = *launches_held(*recording);
  EXPECT_EQ(launches.kernels.at("count").held.warp_instructions, 18u);
  EXPECT_EQ(launches.kernels.at("count").left_out.warp_instructions, 45u + 9u);
  EXPECT_EQ(recording->run(other, {}).detail, "2 launches of 8 repeated; nothing to compare with");
  std::vector<std::byte> got(kBytes), want(kBytes);
  other.copy_out(got.data(), workload::DevicePtr{p}, kBytes);
  // As it was after the last launch that is held.
  std::uint32_t sum = 0;
  for (std::uint32_t i = 9; i <= 14; ++i) sum += i;
  std::memcpy(want.data(), &sum, 4);
  std::memcpy(want.data() + kBytes - 4, &own, 4);
  EXPECT_EQ(got, want);
  EXPECT_EQ(other.download<std::uint32_t>(other.symbol("total", nullptr), 1)[0], 14u);
}

TEST_F(RecordingTest, WhatCannotBeRepeatedLeavesNoFile) {
  Recorder recorder(file_.string());
  EXPECT_THROW(recorder.refuse("this"), Error);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

}  // namespace
}  // namespace heddle::runtime
