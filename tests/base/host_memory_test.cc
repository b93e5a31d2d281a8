// What is left of the host's memory, read from the files of a host that is made up.
#include "base/host_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t kMiB = 1u << 20;

class FakeHost : public testing::Test {
 protected:
  FakeHost() {
    root_ = std::filesystem::path(testing::TempDir()) /
            testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(root_);
    put("proc/meminfo",
        "MemTotal:       8388608 kB\nMemFree: 1 kB\nMemAvailable:   4194304 kB\nSwapFree:  1024 kB\n");
  }
  ~FakeHost() override {
    std::filesystem::remove_all(root_);
    unsetenv("HEDDLE_HOST_MEMORY");
  }
  void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  HostMemory memory() const { return host_memory(root_.string()); }

  std::filesystem::path root_;
};

TEST_F(FakeHost, SystemAlone) {
  EXPECT_EQ(memory().available, 4097 * kMiB);
  EXPECT_EQ(memory().total, 8192 * kMiB);
}

TEST_F(FakeHost, NothingIsKnown) {
  std::filesystem::remove_all(root_);
  EXPECT_EQ(memory().available, ~std::uint64_t{0});
}

TEST_F(FakeHost, TheTightestControlGroupDecides) {
  put("proc/self/cgroup", "0::/outer/inner\n");
  put("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  put("sys/fs/cgroup/outer/inner/memory.current", "1000\n");
  put("sys/fs/cgroup/outer/memory.max", std::to_string(2048 * kMiB));
  put("sys/fs/cgroup/outer/memory.current", std::to_string(1536 * kMiB));
  EXPECT_EQ(memory().available, 512 * kMiB);
  EXPECT_EQ(memory().total, 2048 * kMiB);
  // What is cached of files can be had.
  put("sys/fs/cgroup/outer/memory.stat",
      "anon 5\nactive_file 1048576\ninactive_file " + std::to_string(255 * kMiB));
  EXPECT_EQ(memory().available, 768 * kMiB);
}

TEST_F(FakeHost, ControlGroupsOfTheFirstVersion) {
  put("proc/self/cgroup", "7:cpu,cpuacct:/a\n5:memory:/box\n1:name=systemd:/\n");
  put("sys/fs/cgroup/memory/box/memory.limit_in_bytes", std::to_string(64 * kMiB));
  put("sys/fs/cgroup/memory/box/memory.usage_in_bytes", std::to_string(65 * kMiB));
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "4096");
  EXPECT_EQ(memory().available, 0u);
  EXPECT_EQ(memory().total, 64 * kMiB);
}

TEST_F(FakeHost, TheUsersOwnLimit) {
  put("proc/self/statm", "1000000 0 3 4 5 6 7\n");
  setenv("HEDDLE_HOST_MEMORY", "100MiB", 1);
  EXPECT_EQ(memory().available, 100 * kMiB);
  setenv("HEDDLE_HOST_MEMORY", "much", 1);
  EXPECT_THROW(memory(), Error);
}

TEST(HostMemory, WhatDoesNotFitIsRefusedWithTheNumbers) {
  EXPECT_NO_THROW(require_host_memory(1, "a byte"));
  if (host_memory().available == ~std::uint64_t{0}) GTEST_SKIP() << "this host tells nothing";
  try {
    require_host_memory(std::uint64_t{1} << 60, "buffer 'a'");
    ADD_FAILURE() << "no error";
  } catch (const HostMemoryError& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("buffer 'a': 1152921504606846976 bytes do not fit"),
                                HasSubstr(" bytes left")));
  }
  EXPECT_THROW(count_host_memory(std::uint64_t{1} << 60, "pieces"), HostMemoryError);
  setenv("HEDDLE_HOST_MEMORY", "1MiB", 1);  // this process has more
  EXPECT_THROW(require_host_memory(1, "a byte"), HostMemoryError);
  unsetenv("HEDDLE_HOST_MEMORY");
}

}  // namespace
}  // namespace heddle
