#include "gpu/course.h"

#include <algorithm>

namespace heddle::gpu {

using sim::Cycle;

std::string_view name(Course c) {
  constexpr std::array<std::string_view, kCourses> kNames = {
      "sm.instructions",     "sm.issuing_cycles", "sm.stall_memory",  "sm.stall_dependency",
      "sm.stall_unit",       "sm.stall_lsu",      "sm.stall_barrier", "sm.stall_drain",
      "sm.requests_sent",    "l1.reads_in",       "l1.reads_hits",    "l1.mshr_cycles",
      "merger.offered",      "merger.merged",     "merger.held",      "request_network.flits",
      "reply_network.flits", "l2.reads",          "l2.read_hits",     "l2.port_cycles",
      "dram.busy_ticks",     "dram.read_bytes",   "dram.write_bytes", "dram.row_hits",
      "dram.row_misses",     "dram.row_conflicts"};
  return kNames[static_cast<std::size_t>(c)];
}

// A unit that sleeps says what it will write down if it wakes as it is; rarely it then writes less. What was
// told too much is made up for by the samples that follow.
void CourseRecorder::take(Cycle now) {
  const CourseCounts read = read_(now);
  CourseSample& s = samples_.emplace_back();
  s.from = last_;
  s.until = now;
  for (std::size_t i = 0; i < kCourses; ++i) {
    const std::uint64_t all = std::max(told_.count[i], carried_.count[i] + read.count[i]);
    s.in.count[i] = all - told_.count[i];
    told_.count[i] = all;
  }
  last_ = now;
  if (samples_.size() == kMostSamples) halve();
  due_ = (now / interval_ + 1) * interval_;
}

void CourseRecorder::halve() {
  for (std::size_t i = 0; i < kMostSamples / 2; ++i) {
    CourseSample both = samples_[2 * i];
    const CourseSample& second = samples_[2 * i + 1];
    both.until = second.until;
    for (std::size_t k = 0; k < kCourses; ++k) both.in.count[k] += second.in.count[k];
    samples_[i] = both;
  }
  samples_.resize(kMostSamples / 2);
  interval_ *= 2;
}

void CourseRecorder::launch_end(Cycle now) {
  const CourseCounts read = read_(now);
  for (std::size_t i = 0; i < kCourses; ++i) carried_.count[i] += read.count[i];
  ended_ = now;
}

std::vector<CourseSample> CourseRecorder::samples() const {
  std::vector<CourseSample> all = samples_;
  if (ended_ > last_) all.push_back({last_, ended_, {}});
  if (all.empty()) return all;
  for (std::size_t i = 0; i < kCourses; ++i) {
    if (carried_.count[i] >= told_.count[i]) {
      all.back().in.count[i] += carried_.count[i] - told_.count[i];
      continue;
    }
    std::uint64_t too_much = told_.count[i] - carried_.count[i];
    for (auto s = all.rbegin(); too_much != 0; ++s) {
      const std::uint64_t part = std::min(too_much, s->in.count[i]);
      s->in.count[i] -= part;
      too_much -= part;
    }
  }
  return all;
}

}  // namespace heddle::gpu
