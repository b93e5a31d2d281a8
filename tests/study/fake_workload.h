// Host programs of a few lines, and points of them: for tests in which simulating is not the point.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "study/batch/batch.h"
#include "study/run/point.h"

namespace heddle::study {

// What a fake workload does besides adding numbers in `seed` CTAs of a tiny kernel.
enum class Behaviour { Well, WrongResult, Throw, Crash, NeverEnd };

class FakeWorkload final : public workload::Workload {
 public:
  FakeWorkload(std::string name, Behaviour behaviour) : behaviour_(behaviour) {
    info_.name = std::move(name);
  }
  const workload::WorkloadInfo& info() const override { return info_; }
  workload::Parameters parameters(const workload::RunOptions& options) const override;
  workload::Verification run(workload::Device& device, const workload::RunOptions& options) const override;
  // From now on every run adds a line "NAME SEED PID" to this file when it starts.
  void log_to(std::filesystem::path file) { log_ = std::move(file); }
  // Host time that a run takes at least.
  void take_milliseconds(int n) { milliseconds_ = n; }

 private:
  workload::WorkloadInfo info_;
  Behaviour behaviour_;
  std::filesystem::path log_;
  int milliseconds_ = 0;
};

// "adds", "wrong", "throws", "crashes", "never_ends".
class FakeWorkloads {
 public:
  FakeWorkloads();
  FindWorkload find() const;
  std::vector<FakeWorkload>& all() { return all_; }

 private:
  std::vector<FakeWorkload> all_;
};

// A machine of one SM: fast to build.
const std::string& small_machine();
Point fake_point(const std::string& workload, std::uint64_t seed);
// A record without what it cost the host: the rest must not change.
std::string without_host(const std::string& record);

// A folder that goes away with the test.
class InFolder : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

struct NoProgress final : BatchProgress {
  void start(std::size_t, std::size_t) override {}
  void tick(std::size_t, std::size_t, double, std::span<const std::string>) override {}
  void finished(const Job&, const std::string&) override {}
  void warn(const std::string&) override {}
  void end() override {}
};

}  // namespace heddle::study
