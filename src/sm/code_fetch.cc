#include "sm/code_fetch.h"

#include <algorithm>

namespace heddle::sm {

using sim::Cycle;

namespace {

// Lines of different kernels are different ones.
std::uint64_t key_of(std::uint64_t code, std::uint32_t line) {
  return (code << 24) + line;
}

}  // namespace

CodeFetch::CodeFetch(const SmSpec& spec)
    : ahead_(spec.icache_prefetch),
      latency_(spec.icache_miss_latency),
      interval_(spec.icache_miss_interval),
      cold_latency_(std::max(spec.icache_miss_latency, spec.icache_cold_latency)),
      lines_(spec.icache.count()) {}

CodeFetch::Answer CodeFetch::read(Cycle now, std::uint64_t code, std::uint32_t line, std::uint32_t last) {
  const std::uint64_t key = key_of(code, line);
  if (lines_.access(key * SmallCache::kLine)) return {interval_ == 0 ? now : under_way(now, key)};
  const bool follows = ahead_ && last != kNothing && line == last + 1;
  if (interval_ == 0 && follows) return {now};
  return missing(now, code, line, follows);
}

CodeFetch::Answer CodeFetch::missing(Cycle now, std::uint64_t code, std::uint32_t line, bool follows) {
  const std::uint32_t latency = first_of(code) ? cold_latency_ : latency_;
  if (interval_ == 0) return {now + latency, true};
  const std::uint64_t key = key_of(code, line);
  // Asked for when the line before it came, or with a jump.
  Cycle there = std::max(now + latency, last_there_ + interval_);
  if (key == next_ && ahead_)
    there = std::max(now, last_there_ + interval_);
  else if (follows)
    there = std::max(now, last_there_) + interval_;
  last_there_ = there;
  next_ = key + 1;
  recent_[fetches_++ % kRecent] = {key, there};
  return {there, there > now};
}

Cycle CodeFetch::under_way(Cycle now, std::uint64_t key) const {
  if (last_there_ <= now) return now;
  Cycle there = now;
  for (const Fetch& f : recent_)
    if (f.key == key) there = std::max(there, f.there);
  return there;
}

bool CodeFetch::first_of(std::uint64_t code) {
  if (std::find(codes_.begin(), codes_.end(), code) != codes_.end()) return false;
  codes_.push_back(code);
  return true;
}

void CodeFetch::flush() {
  lines_.flush();
  codes_.clear();
  recent_ = {};
  next_ = kNoKey;
}

}  // namespace heddle::sm
