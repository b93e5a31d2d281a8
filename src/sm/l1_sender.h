// The way from an SM's load/store unit to its L1: what goes over it is counted here, and who waits is told.
#pragma once

#include "mem/l1_port.h"
#include "mem/potential_meter.h"
#include "sm/memory_records.h"
#include "sm/sm_stats.h"
#include "sm/texture_cache.h"

namespace heddle::sm {

class L1Sender {
 public:
  L1Sender(MemoryRecords& records, SmStats& stats) : records_(records), stats_(stats) {}
  void connect(mem::L1Port& port) { port_ = &port; }
  // Looks at every line request of a global load; nullptr: nobody does.
  void measure(mem::PotentialMeter* meter) { meter_ = meter; }
  mem::PotentialMeter* meter() const { return meter_; }
  // Stands between the unit and the L1 for textures; nullptr: they use the L1.
  void put_before(TextureCache* textures) { textures_ = textures; }

  // Offers a request. After Hit the one who waits by its token has been told, unless the token is a front's
  // own.
  mem::L1Port::Answer send(sim::Cycle now, const mem::Request& r) {
    if (textures_ != nullptr) [[unlikely]] {
      if (r.space == mem::Space::Texture && r.op == mem::Op::Read) return send_texture(now, r);
      textures_->passes_by(r);
    }
    const mem::L1Port::Answer answer = port_->access(now, r);
    if (answer.outcome == mem::L1Port::Outcome::Blocked) return answer;
    if (meter_ != nullptr && mem::is_global_read(r))
      meter_->request(now, r.line, answer.outcome == mem::L1Port::Outcome::Pending);
    ++stats_.requests_sent;
    if (answer.outcome == mem::L1Port::Outcome::Hit) {
      ++stats_.hits_at_once;
      if (!Waiter::is_front(r.token)) records_.answered(now, r.token, answer.ready);
    }
    return answer;
  }
  // After Blocked: when to try again (mem::L1Port::retry_at).
  sim::Cycle retry_at(sim::Cycle now) const {
    return textures_ != nullptr && textures_->full() ? sim::kNever : port_->retry_at(now);
  }

  void forget_clean(sim::Cycle now) { port_->forget_clean(now); }

  // A line of the load with this record, which a front has asked for in its own way, is there at `at`.
  void answered(sim::Cycle now, std::uint32_t record, sim::Cycle at) { records_.answered(now, record, at); }
  // An answer of the L1 has come. True: the token is a front's own, which must tell those who wait.
  bool received(sim::Cycle now, const mem::Request& r) {
    ++stats_.replies_received;
    if (meter_ != nullptr && mem::is_global_read(r)) meter_->answer(r.line);
    if (Waiter::is_front(r.token)) return true;
    if (textures_ != nullptr && Waiter::is_texture(r.token)) [[unlikely]] {
      textures_->reply(Waiter::texture_entry(r.token), r,
                       [&](std::uint32_t token) { records_.answered(now, token, now); });
      return false;
    }
    records_.answered(now, r.token, now);
    return false;
  }

 private:
  mem::L1Port::Answer send_texture(sim::Cycle now, const mem::Request& r) {
    const mem::L1Port::Answer answer = textures_->access(now, r, *port_, Waiter::of_texture);
    if (answer.outcome == mem::L1Port::Outcome::Hit) records_.answered(now, r.token, answer.ready);
    stats_.requests_sent += answer.outcome == mem::L1Port::Outcome::Pending && !answer.joined ? 1 : 0;
    return answer;
  }

  MemoryRecords& records_;
  SmStats& stats_;
  mem::L1Port* port_ = nullptr;
  mem::PotentialMeter* meter_ = nullptr;
  TextureCache* textures_ = nullptr;
};

}  // namespace heddle::sm
