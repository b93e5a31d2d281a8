#include "noc/crossbar.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>

#include "base/error.h"
#include "noc/crossbar_ports.h"
#include "noc/packet_pool.h"
#include "noc/port_set.h"

namespace heddle::noc {
namespace {

using sim::Cycle;
using sim::kNever;
using Tick = std::uint64_t;
using Index = PacketPool::Index;
using Queue = PacketPool::Queue;

// Onward: its outputs lead into other crossbars.
template <unsigned Words, bool Onward>
class Crossbar final : public sim::Unit, public Network {  // the unit first: run() is called often
 public:
  Crossbar(const CrossbarSpec& own, const NetworkSpec& spec, sim::Clock clock, const Ports& ports,
           const CrossbarOutputs& outputs, std::string name, sim::Engine& engine);

  Cycle run(Cycle from, Cycle until) override;
  std::string name() const override { return name_; }
  std::string waits() const override;
  sim::UnitId reader(std::uint32_t /*input*/) const override { return id_; }
  sim::UnitId writer(std::uint32_t /*output*/) const override { return id_; }
  NetworkStats statistics() const override { return stats_; }
  void clear_statistics() override {
    stats_ = {};
    for (auto& out : outputs_) out.crossed = 0;
  }
  std::uint64_t in_flight() const override { return in_flight_; }

 private:
  using Set = PortSet<Words>;
  static constexpr Tick kWheel = 64;  // slots; longer packets go round

  void look_at_inputs();
  void step(Tick t, Cycle cycle);
  void complete_crossings(Tick t);
  void eject(Tick t, Cycle cycle);
  void allocate(Tick t, Cycle cycle);
  bool fits(Index input, Index output) const;
  void cross(Index input, Index output, Tick t, Cycle cycle);
  void give_back(Index input, std::uint32_t vc, std::uint32_t flits, Tick t, Cycle cycle);
  void read(Tick t, Cycle cycle);
  Tick following(Tick t) const;

  Queue& queue(Index input, std::uint32_t vc) {
    return virtual_channels_[input * spec_.virtual_channels + vc];
  }
  const Queue& queue(Index input, std::uint32_t vc) const {
    return virtual_channels_[input * spec_.virtual_channels + vc];
  }
  Index output_of(const Packet& packet) const {
    const Index output = packet.destination - first_output_;
    return Onward ? output / each_ : output;
  }
  // The queue of an input that holds packets for it. Where an output leads to one destination, that is the
  // virtual channel that they came in.
  std::uint32_t queue_of(Index output) const {
    return mem::virtual_channel(output + first_output_, spec_.virtual_channels);
  }
  void request(Index input, Index output) {
    outputs_[output].requests.set(input);
    wanted_.set(output);
  }

  const NetworkSpec spec_;
  const CrossbarSpec own_;
  const std::uint32_t first_output_, each_;  // CrossbarOutputs
  const bool in_flits_;                      // places of buffers
  sim::Clock clock_;
  std::string name_;
  sim::UnitId id_;
  NetworkStats stats_;
  std::uint64_t in_flight_ = 0;
  bool busy_ = false;  // this tick moved something, so the next one may, too

  std::vector<CrossbarInput<Words>> inputs_;
  std::vector<Queue> virtual_channels_;  // [input][virtual channel]
  Set news_;                             // inputs whose channel has brought packets since the last look
  Set waiting_;                          // inputs whose channel holds a known packet
  Set free_inputs_;

  std::vector<CrossbarOutput<Words>> outputs_;
  Set wanted_;  // outputs with requests
  Set free_outputs_, room_;
  Set ejecting_;              // outputs with complete packets
  Set blocked_;               // outputs whose channel is full
  Cycle unblocked_ = kNever;  // when the first of them has room, as far as it is known

  // Crossings under way: outputs by the tick at which they complete, modulo kWheel.
  Set wheel_[kWheel];
  std::uint64_t wheel_used_ = 0;

  PacketPool pool_;
};

template <unsigned Words, bool Onward>
Crossbar<Words, Onward>::Crossbar(const CrossbarSpec& own, const NetworkSpec& spec, sim::Clock clock,
                                  const Ports& ports, const CrossbarOutputs& outputs, std::string name,
                                  sim::Engine& engine)
    : spec_(spec),
      own_(own),
      first_output_(outputs.first),
      each_(outputs.each),
      in_flits_(spec.packet.buffers == mem::BufferUnit::Flits),
      clock_(clock),
      name_(std::move(name)),
      id_(engine.add(*this)),
      inputs_(ports.in.size()),
      virtual_channels_(ports.in.size() * spec.virtual_channels),
      outputs_(ports.out.size()) {
  for (Index i = 0; i < inputs_.size(); ++i) {
    assert(ports.in[i]->virtual_channels() == spec.virtual_channels);
    inputs_[i].channel = ports.in[i];
    ports.in[i]->announce(news_.w[i / 64], i % 64);
    free_inputs_.set(i);
  }
  for (Index o = 0; o < outputs_.size(); ++o) {
    outputs_[o].channel = ports.out[o];
    free_outputs_.set(o);
    room_.set(o);
  }
}

template <unsigned Words, bool Onward>
Cycle Crossbar<Words, Onward>::run(Cycle from, Cycle until) {
  // Channels change their other ends only between windows.
  blocked_.clear();
  unblocked_ = kNever;
  look_at_inputs();
  Tick t = clock_.tick_from(from);
  if (clock_.cycle_of(t) >= until) t = following(t - 1);  // none of its ticks is in this stretch
  for (; t != kNever; t = following(t)) {
    const Cycle cycle = clock_.cycle_of(t);
    if (cycle >= until) return cycle;
    step(t, cycle);
  }
  return kNever;
}

template <unsigned Words, bool Onward>
void Crossbar<Words, Onward>::look_at_inputs() {
  news_.without(waiting_).each([&](Index i) {
    inputs_[i].arrival = inputs_[i].channel->next_arrival();
    waiting_.set(i);
  });
  news_.clear();
}

template <unsigned Words, bool Onward>
void Crossbar<Words, Onward>::step(Tick t, Cycle cycle) {
  busy_ = false;
  complete_crossings(t);
  eject(t, cycle);
  allocate(t, cycle);
  read(t, cycle);
}

// The first tick after `t` at which step() could do something; kNever when only a message or room can.
template <unsigned Words, bool Onward>
Tick Crossbar<Words, Onward>::following(Tick t) const {
  if (busy_ || ejecting_.without(blocked_).any()) return t + 1;
  Tick next = kNever;
  if (wheel_used_ != 0)
    next = t + 1 +
           static_cast<Tick>(std::countr_zero(std::rotr(wheel_used_, static_cast<int>((t + 1) % kWheel))));
  Cycle arrival = unblocked_;
  waiting_.each([&](Index i) { arrival = std::min(arrival, inputs_[i].arrival); });
  if (arrival != kNever) next = std::min(next, std::max(t + 1, clock_.tick_from(arrival)));
  return next;
}

template <unsigned Words, bool Onward>
void Crossbar<Words, Onward>::complete_crossings(Tick t) {
  const std::uint64_t slot = std::uint64_t{1} << (t % kWheel);
  if ((wheel_used_ & slot) == 0) return;
  const Set due = wheel_[t % kWheel];
  Set later;
  due.each([&](Index o) {
    CrossbarOutput<Words>& out = outputs_[o];
    if (out.free_at != t) {  // a later round's
      later.set(o);
      return;
    }
    free_inputs_.set(out.sender);
    ++out.complete;
  });
  const Set done = due.without(later);
  free_outputs_.add(done);
  ejecting_.add(done);
  wheel_[t % kWheel] = later;
  if (!later.any()) wheel_used_ &= ~slot;
}

template <unsigned Words, bool Onward>
void Crossbar<Words, Onward>::eject(Tick t, Cycle cycle) {
  if (unblocked_ <= cycle) {
    blocked_.clear();
    unblocked_ = kNever;
  }
  const Set outputs = ejecting_.without(blocked_);
  if (!outputs.any()) return;
  Set drained, blocked;
  NetworkStats sum;
  outputs.each([&](Index o) {
    CrossbarOutput<Words>& out = outputs_[o];
    for (std::uint32_t n = 0; n < spec_.ejection && out.complete > 0; ++n) {
      const Index p = out.queue.head;
      const std::uint32_t vc = Onward ? pool_.packet(p).vc : 0;
      const std::uint32_t size = Onward ? spec_.packet.places(pool_.link(p).flits) : 1;
      if (const Cycle room = out.channel->room_at(vc, size); room > cycle) {
        blocked.set(o);
        unblocked_ = std::min(unblocked_, room);
        return;
      }
      pool_.remove_head(out.queue);
      const PacketPool::Link& link = pool_.link(p);
      out.channel->send(cycle, pool_.packet(p), vc, size);
      --out.complete;
      if (in_flits_) out.flits -= link.flits;
      sum.latency_sum += static_cast<std::uint32_t>(t) - link.entered;
      sum.output_stalls += static_cast<std::uint32_t>(t) - link.complete;
      ++sum.ejected;
      pool_.give_back(p);
    }
    if (out.complete == 0) drained.set(o);
  });
  stats_.latency_sum += sum.latency_sum;
  stats_.output_stalls += sum.output_stalls;
  stats_.ejected += sum.ejected;
  in_flight_ -= sum.ejected;
  // One that was blocked at its second packet has room, too.
  room_.add(outputs.without(blocked));
  blocked.each([&](Index o) {
    if (outputs_[o].places(in_flits_) < spec_.output_buffer) room_.set(o);
  });
  ejecting_ = ejecting_.without(drained);
  blocked_.add(blocked);
}

template <unsigned Words, bool Onward>
void Crossbar<Words, Onward>::allocate(Tick t, Cycle cycle) {
  Set open = wanted_ & free_outputs_ & room_;
  for (std::uint32_t k = 0; k < spec_.allocator_iterations && open.any(); ++k) {
    Set granted, accepted;
    const Set free_inputs = free_inputs_;
    open.each([&](Index o) {
      const CrossbarOutput<Words>& out = outputs_[o];
      const Set candidates = out.requests & free_inputs;
      if (!candidates.any()) return;
      const Index i = candidates.next(out.grant_at);
      if (in_flits_ && !fits(i, o)) return;
      inputs_[i].grants.set(o);
      granted.set(i);
    });
    if (!granted.any()) return;
    busy_ = true;
    granted.each([&](Index i) {
      CrossbarInput<Words>& in = inputs_[i];
      const Index o = in.grants.next(in.accept_at);
      in.grants.clear();
      accepted.set(o);
      if (k == 0) {  // later iterations leave the pointers alone, or an input could be starved
        outputs_[o].grant_at = i + 1 == inputs_.size() ? 0 : i + 1;
        in.accept_at = o + 1 == outputs_.size() ? 0 : o + 1;
      }
      cross(i, o, t, cycle);
    });
    free_inputs_ = free_inputs_.without(granted);
    free_outputs_ = free_outputs_.without(accepted);
    open = open.without(accepted);
  }
}

// Whether the output buffer has room for all of the input's packet.
template <unsigned Words, bool Onward>
bool Crossbar<Words, Onward>::fits(Index input, Index output) const {
  const Queue& from = queue(input, queue_of(output));
  return outputs_[output].flits + pool_.link(from.head).flits <= spec_.output_buffer;
}

// The places of a packet whose flits cross from `t` on; allocated in `cycle`.
template <unsigned Words, bool Onward>
void Crossbar<Words, Onward>::give_back(Index input, std::uint32_t vc, std::uint32_t flits, Tick t,
                                        Cycle cycle) {
  PacketChannel& channel = *inputs_[input].channel;
  if (!in_flits_) return channel.give_back(cycle, vc);
  for (std::uint32_t k = 0; k < flits; ++k) channel.give_back(clock_.cycle_of(t + k), vc);
}

template <unsigned Words, bool Onward>
void Crossbar<Words, Onward>::cross(Index input, Index output, Tick t, Cycle cycle) {
  const std::uint32_t number = queue_of(output);
  Queue& from = queue(input, number);
  CrossbarOutput<Words>& out = outputs_[output];
  const Index p = pool_.remove_head(from);
  PacketPool::Link& link = pool_.link(p);
  const Tick first = t + own_.setup_left(static_cast<std::uint32_t>(t) - link.entered - 1);
  give_back(input, Onward ? pool_.packet(p).vc : number, link.flits, first, cycle);
  const Tick complete = first + link.flits;
  stats_.flits += link.flits;
  out.crossed += link.flits;
  stats_.busiest_flits = std::max(stats_.busiest_flits, out.crossed);
  stats_.input_stalls += static_cast<std::uint32_t>(t) - from.since - 1;
  // Outputs of different queues differ: no other head of this input requests the output.
  out.requests.reset(input);
  if (from.count > 0) {
    from.since = static_cast<std::uint32_t>(complete - 1);
    request(input, pool_.link(from.head).destination);
  }
  if (!out.requests.any()) wanted_.reset(output);

  link.complete = static_cast<std::uint32_t>(complete);
  pool_.append(out.queue, p);
  if (in_flits_) out.flits += link.flits;
  if (out.places(in_flits_) == spec_.output_buffer) room_.reset(output);
  out.sender = static_cast<std::uint16_t>(input);
  out.free_at = complete;
  wheel_[complete % kWheel].set(output);
  wheel_used_ |= std::uint64_t{1} << (complete % kWheel);
}

template <unsigned Words, bool Onward>
void Crossbar<Words, Onward>::read(Tick t, Cycle cycle) {
  std::uint64_t injected = 0;
  waiting_.each([&](Index i) {
    CrossbarInput<Words>& in = inputs_[i];
    if (in.arrival > cycle) return;
    const Packet& packet = in.channel->front();
    const Index output = output_of(packet);
    assert(output < outputs_.size() && packet.flits > 0);
    assert(packet.vc == mem::virtual_channel(packet.destination, spec_.virtual_channels));
    Queue& q = queue(i, Onward ? queue_of(output) : packet.vc);
    const Index p = pool_.take(packet, static_cast<std::uint32_t>(t));
    pool_.link(p).destination = static_cast<std::uint16_t>(output);
    if (q.count == 0) {
      q.since = static_cast<std::uint32_t>(t);
      request(i, output);
    }
    pool_.append(q, p);
    ++injected;
    in.channel->take();
    in.arrival = in.channel->next_arrival();
    if (in.arrival == kNever) waiting_.reset(i);
  });
  stats_.injected += injected;
  in_flight_ += injected;
  busy_ |= injected != 0;
}

template <unsigned Words, bool Onward>
std::string Crossbar<Words, Onward>::waits() const {
  std::string text;
  for (Index i = 0; i < inputs_.size(); ++i)
    for (std::uint32_t v = 0; v < spec_.virtual_channels; ++v) {
      const Queue& q = virtual_channels_[i * spec_.virtual_channels + v];
      if (q.count == 0) continue;
      text += fmt::format("input {}, virtual channel {}: {} packets, the first for output {}\n", i, v,
                          q.count, pool_.link(q.head).destination);
    }
  for (Index o = 0; o < outputs_.size(); ++o)
    if (const CrossbarOutput<Words>& out = outputs_[o]; out.queue.count > 0)
      text += fmt::format("output {}: {} packets, {} of them ready for its channel\n", o, out.queue.count,
                          out.complete);
  return text;
}

}  // namespace

std::unique_ptr<Network> make_crossbar(const CrossbarSpec& own, const NetworkSpec& spec, sim::Clock clock,
                                       const Ports& ports, const CrossbarOutputs& outputs, std::string name,
                                       sim::Engine& engine) {
  const std::size_t most = std::max(ports.in.size(), ports.out.size());
  if (most > kCrossbarPorts)
    throw Error(fmt::format("a crossbar has 1 to {} inputs and outputs; {} would have {} x {}",
                            kCrossbarPorts, name, ports.in.size(), ports.out.size()),
                "let several SMs share a cluster's port, or several memory channels a partition's");
  const auto make = [&]<unsigned Words>() -> std::unique_ptr<Network> {
    if (outputs.onward)
      return std::make_unique<Crossbar<Words, true>>(own, spec, clock, ports, outputs, std::move(name),
                                                     engine);
    return std::make_unique<Crossbar<Words, false>>(own, spec, clock, ports, outputs, std::move(name),
                                                    engine);
  };
  if (most <= 64) return make.operator()<1>();
  if (most <= 128) return make.operator()<2>();
  return make.operator()<4>();
}

}  // namespace heddle::noc
