// The load/store unit: memory instructions enter in order, become line requests, and leave one line per
// cycle. What stands behind a blocked request waits, whatever its space.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/ring_queue.h"
#include "mem/l1_port.h"
#include "mem/potential_meter.h"
#include "sm/bulk_copies.h"
#include "sm/coalescer.h"
#include "sm/sm_spec.h"
#include "sm/sm_stats.h"
#include "sm/small_cache.h"
#include "workload/warp_stream.h"

namespace heddle::sm {

// An asynchronous copy: of lanes (cp.async), in bulk to shared memory (told to an mbarrier), in bulk from it.
enum class Copy : std::uint8_t { None, Lanes, Bulk, BulkStore };

// A memory instruction under way.
struct InFlight {
  static constexpr std::uint32_t kMaxTargets = 8;
  workload::WarpAccess::Kind kind = workload::WarpAccess::Kind::Load;
  std::uint8_t warp = 0;
  std::uint8_t n_dst = 0;
  std::uint8_t parts = 0;  // accesses not yet sent completely
  Copy copy = Copy::None;
  std::uint16_t payload = 0;      // Atomic, Reduce, Copy::Bulk
  std::uint32_t outstanding = 0;  // requests without an answer
  bool memory = false;            // went past the SM: counts in the mean latency
  sim::Cycle issued = 0;
  sim::Cycle ready = 0;  // the latest answer so far
  std::array<workload::RegisterId, kMaxTargets> dst{};
  bool atomic() const {  // in global memory
    return memory && kind != workload::WarpAccess::Kind::Load && copy == Copy::None;
  }
};

class LsuClient {
 public:
  // All data of `record` are there at cycle `at` (now or later). The record is free after the call.
  virtual void completed(const InFlight& record, std::uint32_t index, sim::Cycle at) = 0;
  // A store of `warp` was acknowledged; `launch` as it was given with the store.
  virtual void acknowledged(unsigned warp, std::uint32_t launch, sim::Cycle now) = 0;

 protected:
  ~LsuClient() = default;
};

class LoadStoreUnit final : public mem::L1Client {
 public:
  LoadStoreUnit(const SmSpec& spec, std::uint32_t sm, std::uint32_t line_bytes, LsuClient& client,
                SmStats& stats);
  void connect(mem::L1Port& port, std::uint32_t line_bytes);

  // Looks at every line request of a global load; nullptr: nobody does.
  void measure(mem::PotentialMeter* meter) { meter_ = meter; }
  mem::PotentialMeter* meter() const { return meter_; }

  // Room for one more instruction with up to `accesses` parts.
  bool can_accept() const { return queue_.size() < spec_.lsu_queue && free_records_ != kNone; }
  // Takes an instruction. Returns the record whose completion makes its registers ready; kNone for stores.
  // `acknowledgements`: how many will come. `launch` tells the warps that use a slot one after another apart.
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::uint32_t kLaunches = 1u << 23;  // numbers of launches, counted round
  std::uint32_t issue(sim::Cycle now, unsigned warp, std::uint32_t launch, const workload::StaticInstr& instr,
                      std::span<const workload::WarpAccess> accesses, std::uint32_t& acknowledgements);
  // A register that will hold a copy of what `record` loads. False: no room to note it.
  bool add_target(std::uint32_t record, workload::RegisterId reg);
  InFlight& record(std::uint32_t index) { return records_[index]; }

  void step(sim::Cycle now);
  // When step() next has something to do; kNever when only a reply can help.
  sim::Cycle next(sim::Cycle now) const;
  void unblock() {
    blocked_until_ = 0;
    bulk_.unblock();
  }

  void reply(sim::Cycle now, const mem::Request& request) override;

  bool idle() const { return queue_.empty() && in_flight_ == 0; }
  // Instructions (parts of them) in the queue that have lines to send, for who looks on.
  std::uint32_t waiting() const {
    std::uint32_t n = 0;
    for (std::uint32_t i = 0; i < queue_.size(); ++i) n += queue_[i].part == Part::Requests ? 1 : 0;
    return n;
  }
  sim::Cycle oldest_atomic() const;
  void kernel_end() { constants_.flush(); }
  std::string waits() const;

 private:
  enum class Part : std::uint8_t { Requests, Shared, Constant };
  struct Entry {
    Part part = Part::Requests;
    std::uint8_t warp = 0;
    std::uint16_t passes = 1;
    std::uint32_t record = kNone;
    std::uint32_t launch = 0;
    std::uint32_t requests = 0;  // left to send
    std::uint32_t latency = 0;   // Shared, Constant
  };
  void add_part(sim::Cycle now, unsigned warp, std::uint32_t launch, std::uint32_t record,
                const workload::WarpAccess& access, std::uint32_t& acknowledgements);
  void add_requests(sim::Cycle now, Entry& entry, const workload::WarpAccess& access, std::uint32_t token);
  void add_constant(Entry& entry, const workload::WarpAccess& access);
  void add_bulk(sim::Cycle now, std::uint32_t record, const workload::WarpAccess& access);
  void step_queue(sim::Cycle now, std::uint32_t lines);
  void step_both(sim::Cycle now);
  bool send_head(sim::Cycle now, Entry& head);
  void send_bulk(sim::Cycle now);
  void part_sent(sim::Cycle now, std::uint32_t record, sim::Cycle ready);
  void arrived(sim::Cycle now, std::uint32_t record);
  void finish(std::uint32_t record);
  AccessStats& stats_of(const workload::WarpAccess& access);
  std::uint32_t take_record();

  const SmSpec& spec_;
  std::uint32_t sm_, line_bytes_;
  mem::L1Port* port_ = nullptr;
  mem::PotentialMeter* meter_ = nullptr;
  LsuClient& client_;
  SmStats& stats_;
  SmallCache constants_;

  RingQueue<Entry> queue_;
  RingQueue<mem::Request> requests_;
  std::vector<InFlight> records_;
  std::vector<std::uint32_t> next_free_;
  std::uint32_t free_records_ = kNone, in_flight_ = 0;
  sim::Cycle busy_until_ = 0, blocked_until_ = 0;
  LineList lines_;
  BulkCopies bulk_;
  bool bulk_turn_ = false;
};

}  // namespace heddle::sm
