// Memory instructions of an SM that are under way: what each still waits for, and who is told when it is
// over.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "mem/request.h"
#include "sim/time.h"
#include "sm/sm_stats.h"
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
  std::uint8_t parts = 0;  // accesses of shared and constant memory, and ranges of bulk copies, to be done
  Copy copy = Copy::None;
  std::uint16_t payload = 0;      // Atomic, Reduce, Copy::Bulk
  std::uint32_t outstanding = 0;  // lines without an answer, also those that have not been asked for yet
  bool memory = false;            // went past the SM: counts in the mean latency
  std::uint16_t texture = 0;  // Textures: further cycles of the data
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

// Who waits for a request's answer, as its token says. A store's answer needs no record: its token is the
// warp and which of those in its context.
class Waiter {
 public:
  static constexpr std::uint32_t kLaunches = 1u << 23;  // numbers of launches, counted round
  static constexpr std::uint32_t store(unsigned warp, std::uint32_t launch) {
    return kStore | launch << 8 | warp;
  }
  static constexpr bool is_store(std::uint32_t token) { return (token & kStore) != 0; }
  static constexpr unsigned warp(std::uint32_t token) { return token & 0xff; }
  static constexpr std::uint32_t launch(std::uint32_t token) { return (token & ~kStore) >> 8; }
  // Tokens that a load front makes for itself, from a number of its own.
  static constexpr std::uint32_t of_front(std::uint32_t number) { return kFront | number; }
  static constexpr bool is_front(std::uint32_t token) { return (token & (kStore | kFront)) == kFront; }
  static constexpr std::uint32_t front_number(std::uint32_t token) { return token & ~kFront; }
  // Fetches of the texture cache.
  static constexpr std::uint32_t of_texture(std::uint32_t entry) { return kTexture | entry; }
  static constexpr bool is_texture(std::uint32_t token) {
    return (token & (kStore | kFront | kTexture)) == kTexture;
  }
  static constexpr std::uint32_t texture_entry(std::uint32_t token) { return token & ~kTexture; }

 private:
  static constexpr std::uint32_t kStore = 0x8000'0000u, kFront = 0x4000'0000u, kTexture = 0x2000'0000u;
};

class MemoryRecords {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  MemoryRecords(std::uint32_t count, LsuClient& client, SmStats& stats)
      : client_(client), stats_(stats), records_(count), next_free_(count) {
    for (std::uint32_t i = count; i-- > 0;) {
      next_free_[i] = free_;
      free_ = i;
    }
  }

  bool full() const { return free_ == kNone; }
  std::uint32_t in_flight() const { return in_flight_; }
  std::uint32_t take() {
    const std::uint32_t r = free_;
    free_ = next_free_[r];
    ++in_flight_;
    return r;
  }
  InFlight& operator[](std::uint32_t index) { return records_[index]; }
  const std::vector<InFlight>& all() const { return records_; }

  // A part of the record is done, its data there at `ready`.
  void part_done(sim::Cycle now, std::uint32_t record, sim::Cycle ready) {
    InFlight& r = records_[record];
    r.ready = std::max(r.ready, ready);
    --r.parts;
    look(now, record);
  }
  // The one who waits by `token` has the data of one line at `at`; for a store: it is acknowledged now.
  void answered(sim::Cycle now, std::uint32_t token, sim::Cycle at) {
    if (Waiter::is_store(token)) {
      client_.acknowledged(Waiter::warp(token), Waiter::launch(token), now);
      return;
    }
    InFlight& r = records_[token];
    r.ready = std::max(r.ready, at);
    --r.outstanding;
    look(now, token);
  }

  // Copies whose last byte lands at a cycle that is known.
  void land(sim::Cycle at, std::uint32_t record) { landing_.push_back({at, record}); }
  bool nothing_lands() const { return landing_.empty(); }
  sim::Cycle next_landing() const {
    sim::Cycle at = sim::kNever;
    for (const Landing& l : landing_) at = std::min(at, l.at);
    return at;
  }
  // Ends those that have landed by now.
  void landed(sim::Cycle now);

 private:
  struct Landing {
    sim::Cycle at = 0;
    std::uint32_t record = 0;
  };
  // Copies are complete when the last byte is there: others may look for it. Registers have a time.
  void look(sim::Cycle now, std::uint32_t record) {
    const InFlight& r = records_[record];
    if (r.parts != 0 || r.outstanding != 0) return;
    if (r.copy != Copy::None && r.ready > now)
      land(r.ready, record);
    else
      finish(record);
  }
  void finish(std::uint32_t record);

  LsuClient& client_;
  SmStats& stats_;
  std::vector<InFlight> records_;
  std::vector<std::uint32_t> next_free_;
  std::uint32_t free_ = kNone, in_flight_ = 0;
  std::vector<Landing> landing_;
};

}  // namespace heddle::sm
