// WarpPool: loads of different warps share requests before they reach the L1. warppool.md, section (b).
//
//   issue -> instruction queues -> intra-warp coalescers -+- loads -> inter-warp queues -> selector -> L1
//                                                         +- stores -----------------------------^
//   L1 -> MSHR metadata -> writeback buffer -> registers
//
// Stages of a cycle, from the back to the front, so that what moves in one is seen by the next a cycle later:
// writeback, selector, insertion into the inter-warp queues, dispatch to the coalescers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/ring_queue.h"
#include "sm/load_fronts.h"
#include "techniques/warppool/inter_warp_queues.h"
#include "techniques/warppool/request_selector.h"
#include "techniques/warppool/warppool_spec.h"
#include "techniques/warppool/writeback_buffer.h"

namespace heddle::warppool {

class WarpPool final : public sm::LoadFront {
 public:
  WarpPool(const WarpPoolSpec& spec, const sm::FrontPlace& place);

  void connect(const sm::FrontL1& l1) override { l1_ = l1; }
  void accept(sim::Cycle now, const sm::FrontAccess& access) override;
  bool step(sim::Cycle now, bool port) override;
  sim::Cycle next(sim::Cycle now) const override;
  void unblock() override { load_blocked_until_ = store_blocked_until_ = 0; }
  void reply(sim::Cycle now, const mem::Request& reply) override;
  bool takes_replies() const override { return !writeback_.full(); }
  bool idle() const override;
  std::uint32_t waiting() const override;
  std::string waits() const override;
  std::vector<mem::Storage> storage() const override { return spec_.storage(); }
  Hardware hardware() const override { return spec_.hardware(); }
  void clear_statistics() override;
  void collect(stats::Groups& all) const override { all.add("warppool", own_); }
  std::vector<mem::Identity> identities(const stats::Groups& s) const override;

 private:
  // An instruction, and its line requests in a queue beside: in an instruction queue without addresses, in a
  // coalescer with them.
  struct Instruction {
    std::uint8_t warp = 0;
    bool load = false;
    std::uint32_t lines = 0;  // left
    sim::Cycle at = 0;        // accepted; in a coalescer: when its first line can leave
  };
  struct Line {
    mem::Request request;
    Mapping mapping = Mapping::Single;
    std::uint8_t waited = 0;  // bit per reason that was counted
  };
  struct Queue {
    RingQueue<Instruction> instructions;
    RingQueue<Line> lines;
    explicit Queue(std::uint32_t capacity) : instructions(capacity), lines(4 * capacity) {}
  };
  using Coalescer = Queue;

  void write_back(sim::Cycle now);
  bool select(sim::Cycle now);
  bool send_load(sim::Cycle now);
  bool send_store(sim::Cycle now);
  void insert(sim::Cycle now);
  void dispatch(sim::Cycle now);
  void finish_line(Coalescer& c);
  // The one of its first instruction that can leave now; nullptr: none.
  static Line* ready_line(Coalescer& c, sim::Cycle now);
  std::uint32_t queue_of(unsigned warp) const { return warp * spec_.queues / warps_; }
  void hold(unsigned warp);
  void wait(Line& line, std::uint32_t reason, std::uint64_t& count);
  std::uint32_t free_token();

  WarpPoolSpec spec_;
  std::uint16_t sm_;
  std::uint32_t warps_;
  sm::L1Sender* port_;
  sm::FrontL1 l1_;
  WarpPoolStats own_;

  std::vector<Queue> queues_;
  std::uint64_t filled_ = 0;  // instruction queues that are not empty: bit per queue
  std::vector<Coalescer> coalescers_;
  std::vector<std::uint32_t> inserted_;  // inter-warp queues used in this cycle
  InterWarpQueues window_;
  RequestSelector selector_;
  WritebackBuffer writeback_;

  // MSHR metadata: the loads of requests in the L1, by token.
  std::vector<Loads> in_l1_;
  std::vector<std::uint32_t> free_tokens_;
  std::uint32_t metadata_ = 0, maps_ = 0;  // in use
  std::uint32_t unwritten_ = 0;            // loads whose requests the L1 has taken

  // Consistency (rule 11): requests of each warp that have not reached the L1.
  std::array<std::uint32_t, sm::kMaxWarps> loads_{}, stores_{};
  sm::WarpMask loads_after_store_ = 0;  // wait for a store of theirs
  sm::WarpMask queue_full_ = 0;

  std::uint32_t blocked_tag_ = InterWarpQueues::kNone;
  sim::Cycle load_blocked_until_ = 0, store_blocked_until_ = 0;
  std::uint64_t blocked_order_ = 0;
  bool moved_ = false, metadata_counted_ = false;
};

extern const sm::LoadFrontKind kWarpPool;

}  // namespace heddle::warppool
