// MRPB, the memory request prioritization buffer: line requests wait in a queue per group of warps before the
// L1, and leave in an order that keeps a warp's requests together. WarpPool's rival (warppool.md, variants).
//
//   issue -> coalescer -> queue by warp -> drain, lowest warps first -> L1
//
// A store waits until the buffer is empty and goes straight to the L1. With bypassing, a load whose set has
// no way to reserve passes the L1 by instead of waiting.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ring_queue.h"
#include "config/reader.h"
#include "sm/instruction_queue.h"
#include "sm/load_fronts.h"

namespace heddle::mrpb {

enum class Drain : std::uint8_t {
  Fixed,       // the first queue that is not empty
  RoundRobin,  // the next one after the last
  Longest      // the one with the most requests
};

struct MrpbSpec {
  std::uint32_t queues = 48, entries = 16;
  Drain drain = Drain::Fixed;
  bool bypass = false;
  void fields(config::Reader& r);
};

struct MrpbStats {
  std::uint64_t waited = 0;    // line requests that found their queue full
  std::uint64_t flushes = 0;   // stores that had to wait for the buffer to empty
  std::uint64_t bypassed = 0;  // loads that passed the L1 by
  std::uint64_t peak = 0;
  void statistics(stats::Visitor& v);
};

class Mrpb final : public sm::LoadFront {
 public:
  Mrpb(const MrpbSpec& spec, const sm::FrontPlace& place);

  void connect(const sm::FrontL1&) override {}
  void accept(sim::Cycle now, const sm::FrontAccess& access) override;
  bool step(sim::Cycle now, bool port) override;
  sim::Cycle next(sim::Cycle now) const override;
  void unblock() override { blocked_until_ = 0; }
  bool idle() const override { return in_.empty() && waiting_ == 0; }
  std::uint32_t waiting() const override { return in_.size() + waiting_; }
  std::string waits() const override;
  std::optional<Obstacle> apart_obstacle() const override;
  void clear_statistics() override;
  void collect(stats::Groups& all) const override { all.add("mrpb", own_); }

 private:
  std::uint32_t queue_of(unsigned warp) const { return warp * spec_.queues / warps_; }
  std::uint32_t chosen() const;
  bool drain(sim::Cycle now);
  bool send_store(sim::Cycle now);
  void coalesce();
  void hold();

  MrpbSpec spec_;
  std::uint16_t sm_;
  std::uint32_t warps_, lines_per_cycle_;
  sm::L1Sender* l1_;
  sm::InstructionQueue in_;
  struct Waiting {
    mem::Request request;
    std::uint8_t warp = 0;
  };
  std::vector<RingQueue<Waiting>> queues_;
  std::uint64_t filled_ = 0;  // bit per queue
  std::uint32_t waiting_ = 0, last_ = 0;
  sm::OpenRequests open_;
  sim::Cycle blocked_until_ = 0;
  std::uint32_t blocked_queue_ = ~0u;
  bool moved_ = false, head_counted_ = false;
  MrpbStats own_;
};

extern const sm::LoadFrontKind kMrpb;

}  // namespace heddle::mrpb
