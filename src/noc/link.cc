#include "noc/link.h"

#include <algorithm>

namespace heddle::noc {
namespace {

using sim::Cycle;
using sim::kNever;

class Link final : public sim::Unit, public Network {
 public:
  Link(const NetworkSpec& spec, sim::Clock clock, PacketChannel& in, PacketChannel& out, std::string name,
       sim::Engine& engine)
      : in_flits_(spec.packet.buffers == mem::BufferUnit::Flits),
        clock_(clock),
        in_(in),
        out_(out),
        name_(std::move(name)),
        id_(engine.add(*this)) {}

  Cycle run(Cycle from, Cycle until) override {
    for (std::uint64_t t = clock_.tick_from(from);;) {
      const Cycle cycle = clock_.cycle_of(t);
      if (cycle >= until) return cycle;
      if (busy_ && t == done_) hand_over(cycle);
      if (!busy_ && in_.ready(cycle) && out_.can_send(cycle)) begin(t, cycle);
      t = following(t);
      if (t == kNever) return kNever;
    }
  }
  std::string name() const override { return name_; }
  std::string waits() const override { return busy_ ? "a packet on the link\n" : ""; }
  sim::UnitId reader(std::uint32_t /*input*/) const override { return id_; }
  sim::UnitId writer(std::uint32_t /*output*/) const override { return id_; }
  NetworkStats statistics() const override { return stats_; }
  void clear_statistics() override { stats_ = {}; }
  std::uint64_t in_flight() const override { return busy_ ? 1 : 0; }

 private:
  void begin(std::uint64_t t, Cycle cycle) {
    packet_ = in_.front();
    entered_ = clock_.tick_from(in_.next_arrival());
    in_.take();
    for (std::uint32_t k = 0; k < (in_flits_ ? packet_.flits : 1u); ++k)
      in_.give_back(k == 0 ? cycle : clock_.cycle_of(t + k), packet_.vc);
    ++stats_.injected;
    stats_.flits += packet_.flits;
    stats_.busiest_flits += packet_.flits;
    stats_.input_stalls += t - std::max(entered_, done_);  // beside the flits of the one before
    busy_ = true;
    done_ = t + packet_.flits;
  }
  void hand_over(Cycle cycle) {
    out_.send(cycle, packet_);
    ++stats_.ejected;
    stats_.latency_sum += done_ - entered_;
    busy_ = false;
  }
  // The first tick after `t` in which something can happen; kNever when only a message or room can tell.
  std::uint64_t following(std::uint64_t t) const {
    if (busy_) return done_;
    const Cycle at = std::max(in_.next_arrival(), out_.room_at());
    return at == kNever ? kNever : std::max(t + 1, clock_.tick_from(at));
  }

  const bool in_flits_;
  const sim::Clock clock_;
  PacketChannel &in_, &out_;
  const std::string name_;
  const sim::UnitId id_;
  NetworkStats stats_;
  Packet packet_;              // under way, while busy_
  std::uint64_t entered_ = 0;  // when it came to the link
  std::uint64_t done_ = 0;     // when its last flit has passed
  bool busy_ = false;
};

}  // namespace

std::unique_ptr<Network> make_link(const NetworkSpec& spec, sim::Clock clock, PacketChannel& in,
                                   PacketChannel& out, std::string name, sim::Engine& engine) {
  return std::make_unique<Link>(spec, clock, in, out, std::move(name), engine);
}

}  // namespace heddle::noc
