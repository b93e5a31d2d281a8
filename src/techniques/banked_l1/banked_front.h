// The load front of a banked L1: each bank takes one line per cycle of the load that is active. WarpPool's
// rival (warppool.md, variants): eight banks of eight sets, eight hits but one miss per cycle (l1.
// misses_per_cycle), one load at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/reader.h"
#include "sm/instruction_queue.h"
#include "sm/load_fronts.h"

namespace heddle::banked_l1 {

struct BankedSpec {
  std::uint32_t banks = 8;
  void fields(config::Reader& r);
};

struct BankedStats {
  std::uint64_t cycles = 0;    // in which lines of loads went to the L1
  stats::Histogram<65> lines;  // in such a cycle
  void statistics(stats::Visitor& v);
};

class BankedFront final : public sm::LoadFront {
 public:
  BankedFront(const BankedSpec& spec, const sm::FrontPlace& place);

  void connect(const sm::FrontL1& l1) override { l1_ = l1; }
  void accept(sim::Cycle now, const sm::FrontAccess& access) override;
  bool step(sim::Cycle now, bool port) override;
  sim::Cycle next(sim::Cycle now) const override;
  void unblock() override { blocked_until_ = 0; }
  bool idle() const override { return in_.empty() && active_.empty(); }
  std::uint32_t waiting() const override { return in_.size() + (active_.empty() ? 0 : 1); }
  std::string waits() const override;
  std::optional<Obstacle> apart_obstacle() const override;
  void clear_statistics() override;
  void collect(stats::Groups& all) const override { all.add("banked_l1", own_); }

 private:
  void activate();
  bool send_loads(sim::Cycle now);
  bool send_one(sim::Cycle now);
  void hold();

  BankedSpec spec_;
  std::uint16_t sm_;
  sm::L1Sender* port_;
  sm::FrontL1 l1_;
  sm::InstructionQueue in_;
  std::vector<mem::Request> active_;  // lines of the active instruction that are left, in order
  std::uint8_t warp_ = 0;             // its warp
  sm::OpenRequests open_;
  sim::Cycle blocked_until_ = 0;
  bool moved_ = false;
  BankedStats own_;
};

extern const sm::LoadFrontKind kBanked;

}  // namespace heddle::banked_l1
