#include "sm/warp_scheduler.h"

#include <bit>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::sm {
namespace {

unsigned oldest(WarpMask m, const WarpAges& ages) {
  unsigned best = first(m);
  for (m &= m - 1; m != 0; m &= m - 1)
    if (ages.launched[first(m)] < ages.launched[best]) best = first(m);
  return best;
}

// The next candidate after `last`, cyclically.
unsigned next_after(WarpMask m, unsigned last) {
  const WarpMask above = last >= 63 ? 0 : m & ~(bit(last + 1) - 1);
  return first(above != 0 ? above : m);
}

class LooseRoundRobin final : public WarpScheduler {
 public:
  unsigned pick(WarpMask candidates, WarpMask) override { return last_ = next_after(candidates, last_); }

 private:
  unsigned last_ = 63;
};

class OldestFirst final : public WarpScheduler {
 public:
  explicit OldestFirst(const WarpAges& ages) : ages_(ages) {}
  unsigned pick(WarpMask candidates, WarpMask) override { return oldest(candidates, ages_); }

 private:
  const WarpAges& ages_;
};

class GreedyThenOldest : public WarpScheduler {
 public:
  explicit GreedyThenOldest(const WarpAges& ages) : ages_(ages) {}
  unsigned pick(WarpMask candidates, WarpMask) override {
    if (last_ >= 64 || (candidates & bit(last_)) == 0) last_ = oldest(candidates, ages_);
    return last_;
  }
  void ended(unsigned warp) override {
    if (warp == last_) last_ = 64;
  }

 protected:
  const WarpAges& ages_;
  unsigned last_ = 64;
};

// Static warp limiting (Rogers et al., Cache-Conscious Wavefront Scheduling, MICRO 2012), as GPGPU-Sim 3.2.2
// has it: greedy, then oldest, among the `most` oldest warps. Warps that wait for others do not count, so
// that the next one takes their place: those whom they wait for come to issue. The one that issued last may
// go on, even when an older one has come back.
class StaticWarpLimit final : public GreedyThenOldest {
 public:
  StaticWarpLimit(const WarpAges& ages, std::uint32_t most) : GreedyThenOldest(ages), most_(most) {}
  void ended(unsigned warp) override {
    GreedyThenOldest::ended(warp);
    counted_ = younger_ = 0;  // another one of another age may run in its context
  }
  bool limits() const override { return true; }
  WarpMask admitted(WarpMask running, WarpMask waiting) const override {
    if (const WarpMask counted = running & ~waiting; counted != counted_) {
      counted_ = younger_ = counted;
      for (std::uint32_t n = 0; n < most_ && younger_ != 0; ++n) younger_ &= ~bit(oldest(younger_, ages_));
    }
    const WarpMask greedy = last_ < 64 ? bit(last_) : 0;
    return running & (~younger_ | greedy);
  }

 private:
  std::uint32_t most_;
  mutable WarpMask counted_ = 0;  // of the last question
  mutable WarpMask younger_ = 0;  // of these, all but the oldest
};

// Round-robin among a few active warps; one that waits for memory or at a barrier gives its place to the
// next ready one.
class TwoLevel final : public WarpScheduler {
 public:
  explicit TwoLevel(std::uint32_t size) : size_(size) {}
  unsigned pick(WarpMask candidates, WarpMask stalled) override {
    active_ &= ~stalled;
    WarpMask waiting = candidates & ~active_;
    while (waiting != 0 && static_cast<std::uint32_t>(std::popcount(active_)) < size_) {
      const unsigned w = next_after(waiting, promoted_);
      promoted_ = w;
      active_ |= bit(w);
      waiting &= ~bit(w);
    }
    WarpMask now = candidates & active_;
    if (now == 0) {  // every active warp waits for its operands: another takes the place of one
      const unsigned w = next_after(waiting, promoted_);
      active_ = (active_ & (active_ - 1)) | bit(w);
      promoted_ = w;
      now = bit(w);
    }
    return last_ = next_after(now, last_);
  }
  void ended(unsigned warp) override { active_ &= ~bit(warp); }

 private:
  std::uint32_t size_;
  WarpMask active_ = 0;
  unsigned last_ = 63, promoted_ = 63;
};

using Made = std::unique_ptr<WarpScheduler>;

// A kind without parameters of its own.
template <Made (*make)(const WarpAges&, const SchedulerParams&)>
WarpSchedulerFactory plain(config::Reader&) {
  return make;
}

WarpSchedulerFactory read_limit(config::Reader& section) {
  std::uint32_t warps = 8;
  section.field("warps", warps, config::range(1u, 64u), "Warps of a scheduler that may issue, the oldest");
  return [warps](const WarpAges& a, const SchedulerParams&) {
    return std::make_unique<StaticWarpLimit>(a, warps);
  };
}

constexpr std::array<WarpSchedulerKind, 5> kSchedulers{{
    {"lrr", "loose round-robin over ready warps",
     plain<[](const WarpAges&, const SchedulerParams&) { return Made(new LooseRoundRobin); }>},
    {"gto", "greedy, then oldest: the same warp while it is ready, else the oldest",
     plain<[](const WarpAges& a, const SchedulerParams&) { return Made(new GreedyThenOldest(a)); }>},
    {"two_level", "round-robin among a few active warps; stalled ones are exchanged",
     plain<[](const WarpAges&, const SchedulerParams& p) { return Made(new TwoLevel(p.active_warps)); }>},
    {"oldest", "the oldest ready warp",
     plain<[](const WarpAges& a, const SchedulerParams&) { return Made(new OldestFirst(a)); }>},
    {"swl", "greedy, then oldest, among the oldest few: static warp limiting", read_limit},
}};

}  // namespace

std::span<const WarpSchedulerKind> warp_schedulers() {
  return kSchedulers;
}

std::unique_ptr<WarpScheduler> make_warp_scheduler(std::string_view name, const WarpAges& ages,
                                                   const SchedulerParams& params) {
  for (const auto& s : kSchedulers)
    if (s.name == name) {
      config::Reader defaults(nullptr, nullptr);
      return s.read(defaults)(ages, params);
    }
  throw Error(fmt::format("no warp scheduler is called '{}'", name));
}

}  // namespace heddle::sm
