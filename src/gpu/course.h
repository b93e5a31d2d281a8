// The course of a run: a few counters of the whole machine over time, in at most so many samples however long
// the run is.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "sim/unit.h"

namespace heddle::gpu {

// What is kept over time. Each is the statistic of its name, and samples add up to it; mshr_cycles alone is
// no statistic.
enum class Course : std::uint8_t {
  Instructions,
  Issuing,
  StallMemory,
  StallDependency,
  StallUnit,
  StallLsu,
  StallBarrier,
  StallDrain,
  L1Requests,
  L1Reads,
  L1ReadHits,
  MshrCycles,  // MSHRs in use, summed over cycles
  Offered,
  Merged,
  Held,
  RequestFlits,
  ReplyFlits,
  L2Reads,
  L2ReadHits,
  L2PortCycles,
  DramBusy,
  DramReadBytes,
  DramWriteBytes,
  RowHits,
  RowMisses,
  RowConflicts,
};
inline constexpr std::size_t kCourses = 26;
std::string_view name(Course c);  // "sm.stall_memory"

// Indexed by Course.
struct CourseCounts {
  std::array<std::uint64_t, kCourses> count = {};
  std::uint64_t& operator[](Course c) { return count[static_cast<std::size_t>(c)]; }
  std::uint64_t operator[](Course c) const { return count[static_cast<std::size_t>(c)]; }
};

struct CourseSample {
  sim::Cycle from = 0, until = 0;
  CourseCounts in;  // what happened in [from, until)
};

// Reads the counters at the first window's end at or after every multiple of an interval. When there are
// kMostSamples, neighbours become one and the interval doubles. Launches follow each other without a gap, and
// a sample may span several.
class CourseRecorder final : public sim::Between {
 public:
  static constexpr std::size_t kMostSamples = 256;
  static constexpr sim::Cycle kFirstInterval = 256;

  // Counters since the launch began; `now`: also what has not been written down yet by units that sleep.
  using Read = std::function<CourseCounts(sim::Cycle now)>;
  explicit CourseRecorder(Read read) : read_(std::move(read)) {}

  sim::Cycle window_end(sim::Cycle now) override {
    if (now >= due_) take(now);
    return sim::kNever;
  }
  // A launch has ended at `now`, and its counters are final; they will be cleared for the next one.
  void launch_end(sim::Cycle now);
  // Between launches: all samples. They add up to the counters of all launches, and end with the last one.
  std::vector<CourseSample> samples() const;

 private:
  void take(sim::Cycle now);
  void halve();

  Read read_;
  sim::Cycle interval_ = kFirstInterval, due_ = kFirstInterval;
  sim::Cycle last_ = 0, ended_ = 0;  // the last sample; the last launch
  CourseCounts carried_;             // of launches that have ended
  CourseCounts told_;                // what the samples add up to
  std::vector<CourseSample> samples_;
};

}  // namespace heddle::gpu
