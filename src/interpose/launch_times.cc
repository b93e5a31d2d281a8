#include "interpose/launch_times.h"

#include "interpose/driver.h"
#include "interpose/log.h"
#include "interpose/session.h"

namespace heddle::interpose {
namespace {

constexpr std::size_t kOften = 256;   // launches between two looks at what has ended
constexpr std::size_t kMost = 16384;  // launches under way; more wait

}  // namespace

LaunchTimes& LaunchTimes::get() {
  static LaunchTimes* const all = new LaunchTimes;
  return *all;
}

CUevent LaunchTimes::take(CUcontext context) {
  std::vector<CUevent>& free = free_[context];
  if (!free.empty()) {
    CUevent event = free.back();
    free.pop_back();
    return event;
  }
  CUevent event = nullptr;
  return call(driver().cuEventCreate, &event, 0u) == kSuccess ? event : nullptr;
}

LaunchTimes::Stamp LaunchTimes::start(CUstream stream) {
  const std::lock_guard guard(lock_);
  if (pending_.size() % kOften == kOften - 1) collect(kMost);
  Stamp s{current_context(), nullptr, nullptr};
  s.start = take(s.context);
  s.end = take(s.context);
  if (s.start == nullptr || s.end == nullptr || call(driver().cuEventRecord, s.start, stream) != kSuccess)
    return {};
  return s;
}

void LaunchTimes::end(const Stamp& stamp, CUstream stream, std::size_t number) {
  if (!stamp.good()) return;
  const CUresult code = call(driver().cuEventRecord, stamp.end, stream);
  if (code != kSuccess) return give_up(stamp);
  const std::lock_guard guard(lock_);
  pending_.push_back({stamp, number});
}

void LaunchTimes::give_up(const Stamp& stamp) {
  if (!stamp.good()) return;
  const std::lock_guard guard(lock_);
  free_[stamp.context].push_back(stamp.start);
  free_[stamp.context].push_back(stamp.end);
}

void LaunchTimes::finish(const Pending& pending) {
  float ms = 0;
  const CUresult code = call(driver().cuEventElapsedTime, &ms, pending.stamp.start, pending.stamp.end);
  if (code == kSuccess)
    Session::get().add_time(pending.number, ms);
  else
    log("a launch without a time: {}", name_of(code));
  free_[pending.stamp.context].push_back(pending.stamp.start);
  free_[pending.stamp.context].push_back(pending.stamp.end);
}

// In the order of launches: what has ended, and what makes more than `most_left` of the rest.
void LaunchTimes::collect(std::size_t most_left) {
  while (!pending_.empty()) {
    const Pending first = pending_.front();
    if (pending_.size() > most_left)
      call(driver().cuEventSynchronize, first.stamp.end);
    else if (call(driver().cuEventQuery, first.stamp.end) == kNotReady)
      return;
    pending_.pop_front();
    finish(first);
  }
}

void LaunchTimes::collect_all() {
  const std::lock_guard guard(lock_);
  if (pending_.empty()) return;
  const RelaxedCapture relaxed;
  collect(0);
}

void LaunchTimes::forget(CUcontext context) {
  collect_all();
  const std::lock_guard guard(lock_);
  free_.erase(context);
}

}  // namespace heddle::interpose
