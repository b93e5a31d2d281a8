// The load/store unit: memory instructions become accesses to one space each, those become line requests, and
// the answers complete the instructions.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "mem/l1_port.h"
#include "mem/potential_meter.h"
#include "sm/access_pressure.h"
#include "sm/bulk_copies.h"
#include "sm/coalescer.h"
#include "sm/cold_constants.h"
#include "sm/in_order_pipe.h"
#include "sm/l1_sender.h"
#include "sm/load_front.h"
#include "sm/memory_records.h"
#include "sm/sm_spec.h"
#include "sm/sm_stats.h"
#include "sm/small_cache.h"
#include "sm/texture_cache.h"
#include "sm/uniform_constants.h"
#include "sm/warp_states.h"
#include "workload/warp_stream.h"

namespace heddle::sm {

class LoadStoreUnit final : public mem::L1Client {
 public:
  LoadStoreUnit(const SmSpec& spec, std::uint32_t sm, LsuClient& client, SmStats& stats);
  void connect(mem::L1Port& port, const FrontL1& l1);

  // Looks at every line request of a global load; nullptr: nobody does.
  void measure(mem::PotentialMeter* meter) { l1_.measure(meter); }
  mem::PotentialMeter* meter() const { return l1_.meter(); }
  // Is told of every line request as it is issued; nullptr: nobody is.
  void watch(AccessPressure* pressure) { pressure_ = pressure; }
  // Is told of constants that their cache does not hold; nullptr: nobody is.
  void watch(WarpStates* states) { states_ = states; }
  // nullptr: instructions stay in order.
  LoadFront* front() { return front_.get(); }
  const LoadFront* front() const { return front_.get(); }
  // nullptr: textures use the L1.
  const TextureCache* textures() const { return textures_ ? &*textures_ : nullptr; }
  void clear_statistics() {
    if (textures_) textures_->clear_statistics();
  }
  // Where the local memory of the warp in this context lies, from now on.
  void place_local(unsigned warp, const LocalPlace& place) { local_[warp] = place; }
  // The warp in this context is one of the CTA in that one, from now on.
  void place_cta(unsigned warp, std::uint32_t context) {
    part_[warp] = static_cast<std::uint8_t>(context % cta_parts_);
  }

  // When the kernel's parameters are in the SM, for a warp that reads one now.
  sim::Cycle parameters_there(sim::Cycle now, unsigned warp);
  void forget_clean(sim::Cycle now) { l1_.forget_clean(now); }

  // Room for one more instruction with up to `accesses` parts; a front may want to wait all the same.
  bool can_accept() const { return !pipe_.full() && !records_.full(); }
  // From when on the pipeline of the SM goes on behind what has been issued so far (sm.lsu_stalls_issue):
  // kNever while the first instruction has requests to send.
  sim::Cycle stalls_until() const { return pipe_.empty() ? pipe_.passes_end() : sim::kNever; }
  // Takes an instruction. Returns the record whose completion makes its registers ready; kNone for stores,
  // unless their warp waits until they have left (sm.warp_overlap).
  // `acknowledgements`: how many will come. `launch` tells the warps that use a context one after
  // another apart.
  static constexpr std::uint32_t kNone = MemoryRecords::kNone;
  std::uint32_t issue(sim::Cycle now, unsigned warp, std::uint32_t launch, const workload::StaticInstr& instr,
                      std::span<const workload::WarpAccess> accesses, std::uint32_t& acknowledgements);
  // A register that will hold a copy of what `record` loads. False: no room to note it.
  bool add_target(std::uint32_t record, workload::RegisterId reg);
  InFlight& record(std::uint32_t index) { return records_[index]; }

  void step(sim::Cycle now);
  // When step() next has something to do; kNever when only a reply can help.
  sim::Cycle next(sim::Cycle now) const;
  void unblock() {
    pipe_.unblock();
    bulk_.unblock();
    if (front_ != nullptr) front_->unblock();
  }

  void reply(sim::Cycle now, const mem::Request& request) override {
    if (l1_.received(now, request)) front_->reply(now, request);
  }
  bool takes_replies() const override { return front_ == nullptr || front_->takes_replies(); }

  bool idle() const {
    return pipe_.empty() && records_.in_flight() == 0 && (front_ == nullptr || front_->idle());
  }
  // Instructions (parts of them) that have lines to send, for who looks on.
  std::uint32_t waiting() const {
    return pipe_.waiting_requests() + (front_ == nullptr ? 0 : front_->waiting());
  }
  sim::Cycle oldest_atomic() const;
  void kernel_end() {
    constants_.flush();
    uniform_.flush();
    cold_constants_.flush();
    cold_parameters_.flush();
    if (textures_) textures_->flush();
  }
  std::string waits() const;

 private:
  // Who waits for a part of an instruction: `token` for answers, `record` (or none) for the part's end.
  struct PartOf {
    unsigned warp;
    std::uint32_t token, record;
    // Texels of a filter are parts of an instruction: which this is, of how many.
    std::uint32_t texel = 0, texels = 1;
  };
  void add_part(sim::Cycle now, const PartOf& of, const workload::WarpAccess& access,
                std::uint32_t& acknowledgements);
  void add_lines(sim::Cycle now, const PartOf& of, const workload::WarpAccess& access);
  void count_lines(const workload::WarpAccess& access);
  std::uint32_t data_passes(const PartOf& of, const workload::WarpAccess& access) const;
  void keep_texture_misses(sim::Cycle now, const FrontAccess& all);
  void add_constant(sim::Cycle now, unsigned warp, std::uint32_t record, const workload::WarpAccess& access);
  void add_uniform(sim::Cycle now, unsigned warp, std::uint32_t record, const workload::WarpAccess& access);
  void add_shared(unsigned warp, std::uint32_t record, const workload::WarpAccess& access);
  std::uint32_t texture_latency(std::span<const workload::WarpAccess> parts) const;
  void add_bulk(sim::Cycle now, std::uint32_t record, const workload::WarpAccess& access);
  void step_all(sim::Cycle now);
  void step_both(sim::Cycle now, std::uint32_t lines);
  void send_bulk(sim::Cycle now);
  AccessStats& stats_of(const workload::WarpAccess& access);

  const SmSpec& spec_;
  std::uint32_t sm_, line_bytes_ = 128, cta_parts_ = 1;
  SmStats& stats_;
  AccessPressure* pressure_ = nullptr;
  WarpStates* states_ = nullptr;
  MemoryRecords records_;
  L1Sender l1_;
  InOrderPipe pipe_;
  std::unique_ptr<LoadFront> front_;
  SmallCache constants_;
  UniformConstants uniform_;
  ColdConstants cold_constants_, cold_parameters_;
  sim::Cycle constants_free_ = 0;  // for the next line from behind it
  std::optional<TextureCache> textures_;
  std::array<LocalPlace, kMaxWarps> local_;
  std::array<std::uint8_t, kMaxWarps> part_{};  // of the L1, by warp
  LineList lines_;
  BulkCopies bulk_;
  bool bulk_turn_ = false, front_turn_ = true;
};

}  // namespace heddle::sm
