#include "noc/crossbar.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>

#include "base/error.h"
#include "noc/port_set.h"

namespace heddle::noc {
namespace {

using sim::Cycle;
using sim::kNever;
using Tick = std::uint64_t;
using Index = std::uint32_t;
constexpr Index kNone = ~0u;

// A packet inside. Ticks are kept modulo 2^32: only differences are used.
struct Slot {
  Packet packet;
  std::uint32_t entered = 0;   // read from the input's channel
  std::uint32_t complete = 0;  // its last flit is in the output
};

// Packets in order, linked through the slots. They are written once when read and copied once when ejected.
struct Queue {
  Index head = kNone, tail = kNone;
  std::uint32_t count = 0;
  std::uint32_t since = 0;     // virtual channel: the head could be allocated from the tick after this
  std::uint32_t complete = 0;  // output: packets of `count` that are wholly there
};

template <unsigned Words>
class Crossbar final : public Network {
 public:
  Crossbar(const NetworkSpec& spec, sim::Clock clock, const Ports& ports, std::string name);

  Cycle run(Cycle from, Cycle until) override;
  std::string name() const override { return name_; }
  std::string waits() const override;
  const NetworkStats& statistics() const override { return stats_; }
  void clear_statistics() override { stats_ = {}; }
  std::uint64_t in_flight() const override { return in_flight_; }

 private:
  using Set = PortSet<Words>;
  static constexpr Tick kWheel = 64;  // slots; longer packets go round

  void look_at_inputs();
  void step(Tick t, Cycle cycle);
  void complete_crossings(Tick t);
  void eject(Tick t, Cycle cycle);
  void allocate(Tick t);
  void cross(Index input, Index output, Tick t);
  void read(Tick t, Cycle cycle);
  Tick following(Tick t) const;

  Index take_slot();
  void append(Queue& q, Index slot);
  Index remove_head(Queue& q);
  Queue& channel(Index input, Index output) {
    return channels_[input * spec_.virtual_channels + vc_of_[output]];
  }
  void request(Index input, Index output) {
    requests_[output].set(input);
    wanted_.set(output);
  }

  NetworkSpec spec_;
  sim::Clock clock_;
  Ports ports_;
  std::string name_;
  NetworkStats stats_;
  std::uint64_t in_flight_ = 0;
  bool busy_ = false;  // this tick moved something, so the next one may, too

  // Inputs.
  std::vector<Queue> channels_;   // [input][virtual channel]
  std::vector<Cycle> arrival_;    // of the next packet in the channel, where `waiting_`
  std::vector<Index> accept_at_;  // round-robin pointer over outputs
  std::vector<Set> grants_;       // outputs that granted in this iteration
  Set waiting_;                   // inputs whose channel holds a known packet
  Set full_;                      // of these, no room in its virtual channel until the input sends
  Set free_inputs_;
  // Outputs.
  std::vector<Queue> outputs_;
  std::vector<std::uint16_t> vc_of_;  // virtual channel of a destination
  std::vector<Set> requests_;         // inputs with a packet for the output at the head of a virtual channel
  std::vector<Index> grant_at_;       // round-robin pointer over inputs
  std::vector<Index> sender_;         // input that crosses to it now
  std::vector<Tick> free_at_;
  Set wanted_;  // outputs with requests
  Set free_outputs_, room_;
  Set ejecting_;  // outputs with complete packets
  Set blocked_;   // outputs whose channel is full for the rest of this window
  // Crossings under way: outputs by the tick at which they complete, modulo kWheel.
  Set wheel_[kWheel];
  std::uint64_t wheel_used_ = 0;
  // Packets. The most recently freed slot is used first: few cache lines at low load.
  std::vector<Slot> slots_;
  std::vector<Index> next_;  // in the packet's queue, or in the list of free slots
  Index free_slot_ = kNone;
};

template <unsigned Words>
Crossbar<Words>::Crossbar(const NetworkSpec& spec, sim::Clock clock, const Ports& ports, std::string name)
    : spec_(spec),
      clock_(clock),
      ports_(ports),
      name_(std::move(name)),
      channels_(ports.in.size() * spec.virtual_channels),
      arrival_(ports.in.size(), kNever),
      accept_at_(ports.in.size(), 0),
      grants_(ports.in.size()),
      outputs_(ports.out.size()),
      vc_of_(ports.out.size()),
      requests_(ports.out.size()),
      grant_at_(ports.out.size(), 0),
      sender_(ports.out.size(), kNone),
      free_at_(ports.out.size(), 0) {
  for (Index i = 0; i < ports_.in.size(); ++i) free_inputs_.set(i);
  for (Index o = 0; o < ports_.out.size(); ++o) {
    free_outputs_.set(o);
    room_.set(o);
    vc_of_[o] = static_cast<std::uint16_t>(o % spec_.virtual_channels);
  }
}

template <unsigned Words>
Cycle Crossbar<Words>::run(Cycle from, Cycle until) {
  // Channels change their other ends only between windows.
  blocked_.clear();
  look_at_inputs();
  for (Tick t = clock_.tick_from(from);;) {
    const Cycle cycle = clock_.cycle_of(t);
    if (cycle >= until) return cycle;
    step(t, cycle);
    t = following(t);
    if (t == kNever) return kNever;
  }
}

template <unsigned Words>
void Crossbar<Words>::look_at_inputs() {
  for (Index i = 0; i < ports_.in.size(); ++i) {
    if (waiting_.has(i)) continue;
    arrival_[i] = ports_.in[i]->next_arrival();
    if (arrival_[i] != kNever) waiting_.set(i);
  }
}

template <unsigned Words>
void Crossbar<Words>::step(Tick t, Cycle cycle) {
  busy_ = false;
  complete_crossings(t);
  eject(t, cycle);
  allocate(t);
  read(t, cycle);
}

// The first tick after `t` at which step() could do something; kNever when only a message or room can.
template <unsigned Words>
Tick Crossbar<Words>::following(Tick t) const {
  if (busy_ || ejecting_.without(blocked_).any()) return t + 1;
  Tick next = kNever;
  if (wheel_used_ != 0)
    next = t + 1 +
           static_cast<Tick>(std::countr_zero(std::rotr(wheel_used_, static_cast<int>((t + 1) % kWheel))));
  Cycle arrival = kNever;
  waiting_.without(full_).each([&](Index i) { arrival = std::min(arrival, arrival_[i]); });
  if (arrival != kNever) next = std::min(next, std::max(t + 1, clock_.tick_from(arrival)));
  return next;
}

template <unsigned Words>
void Crossbar<Words>::complete_crossings(Tick t) {
  if (((wheel_used_ >> (t % kWheel)) & 1) == 0) return;
  Set& due = wheel_[t % kWheel];
  const Set candidates = due;
  candidates.each([&](Index o) {
    if (free_at_[o] != t) return;  // a later round's
    due.reset(o);
    free_outputs_.set(o);
    free_inputs_.set(sender_[o]);
    ++outputs_[o].complete;
    ejecting_.set(o);
  });
  if (!due.any()) wheel_used_ &= ~(std::uint64_t{1} << (t % kWheel));
}

template <unsigned Words>
void Crossbar<Words>::eject(Tick t, Cycle cycle) {
  ejecting_.without(blocked_).each([&](Index o) {
    PacketChannel& out = *ports_.out[o];
    Queue& q = outputs_[o];
    for (std::uint32_t n = 0; n < spec_.ejection && q.complete > 0; ++n) {
      if (!out.can_send()) {
        blocked_.set(o);
        break;
      }
      const Index s = remove_head(q);
      const Slot& slot = slots_[s];
      out.send(cycle, slot.packet);
      --q.complete;
      stats_.latency_sum += static_cast<std::uint32_t>(t) - slot.entered;
      stats_.output_stalls += static_cast<std::uint32_t>(t) - slot.complete;
      ++stats_.ejected;
      --in_flight_;
      room_.set(o);
      next_[s] = free_slot_;
      free_slot_ = s;
    }
    if (q.complete == 0) ejecting_.reset(o);
  });
}

template <unsigned Words>
void Crossbar<Words>::allocate(Tick t) {
  Set open = wanted_ & free_outputs_ & room_;
  for (std::uint32_t k = 0; k < spec_.allocator_iterations && open.any(); ++k) {
    Set granted;
    open.each([&](Index o) {
      const Set candidates = requests_[o] & free_inputs_;
      if (!candidates.any()) return;
      const Index i = candidates.next(grant_at_[o]);
      grants_[i].set(o);
      granted.set(i);
    });
    if (!granted.any()) return;
    busy_ = true;
    granted.each([&](Index i) {
      const Index o = grants_[i].next(accept_at_[i]);
      grants_[i].clear();
      open.reset(o);
      if (k == 0) {  // later iterations leave the pointers alone, or an input could be starved
        grant_at_[o] = i + 1 == ports_.in.size() ? 0 : i + 1;
        accept_at_[i] = o + 1 == ports_.out.size() ? 0 : o + 1;
      }
      cross(i, o, t);
    });
  }
}

template <unsigned Words>
void Crossbar<Words>::cross(Index input, Index output, Tick t) {
  Queue& from = channel(input, output);
  const Index s = remove_head(from);
  const Tick flits = slots_[s].packet.flits;
  const Tick complete = t + flits;
  stats_.flits += flits;
  stats_.input_stalls += static_cast<std::uint32_t>(t) - from.since - 1;
  // Destinations of different virtual channels differ: no other head of this input requests the output.
  requests_[output].reset(input);
  if (from.count > 0) {
    from.since = static_cast<std::uint32_t>(complete - 1);
    request(input, slots_[from.head].packet.destination);
  }
  if (!requests_[output].any()) wanted_.reset(output);

  Queue& to = outputs_[output];
  slots_[s].complete = static_cast<std::uint32_t>(complete);
  append(to, s);
  if (to.count == spec_.output_buffer) room_.reset(output);
  free_inputs_.reset(input);
  free_outputs_.reset(output);
  full_.reset(input);
  sender_[output] = input;
  free_at_[output] = complete;
  wheel_[complete % kWheel].set(output);
  wheel_used_ |= std::uint64_t{1} << (complete % kWheel);
}

template <unsigned Words>
void Crossbar<Words>::read(Tick t, Cycle cycle) {
  waiting_.without(full_).each([&](Index i) {
    if (arrival_[i] > cycle) return;
    PacketChannel& in = *ports_.in[i];
    const Packet& packet = in.front();
    assert(packet.destination < ports_.out.size() && packet.flits > 0);
    Queue& q = channel(i, packet.destination);
    if (q.count == spec_.input_buffer) {
      full_.set(i);
      return;
    }
    const Index s = take_slot();
    slots_[s].packet = packet;
    slots_[s].entered = static_cast<std::uint32_t>(t);
    append(q, s);
    if (q.count == 1) {
      q.since = static_cast<std::uint32_t>(t);
      request(i, packet.destination);
    }
    ++stats_.injected;
    ++in_flight_;
    busy_ = true;
    in.pop();
    arrival_[i] = in.next_arrival();
    if (arrival_[i] == kNever) waiting_.reset(i);
  });
}

template <unsigned Words>
Index Crossbar<Words>::take_slot() {
  if (free_slot_ == kNone) {
    slots_.emplace_back();
    next_.push_back(kNone);
    return static_cast<Index>(slots_.size() - 1);
  }
  const Index s = free_slot_;
  free_slot_ = next_[s];
  return s;
}

template <unsigned Words>
void Crossbar<Words>::append(Queue& q, Index slot) {
  next_[slot] = kNone;
  if (q.count++ == 0)
    q.head = slot;
  else
    next_[q.tail] = slot;
  q.tail = slot;
}

template <unsigned Words>
Index Crossbar<Words>::remove_head(Queue& q) {
  const Index s = q.head;
  q.head = next_[s];
  --q.count;
  return s;
}

template <unsigned Words>
std::string Crossbar<Words>::waits() const {
  std::string text;
  for (Index i = 0; i < ports_.in.size(); ++i)
    for (std::uint32_t v = 0; v < spec_.virtual_channels; ++v) {
      const Queue& q = channels_[i * spec_.virtual_channels + v];
      if (q.count == 0) continue;
      text += fmt::format("input {}, virtual channel {}: {} packets, the first for output {}\n", i, v,
                          q.count, slots_[q.head].packet.destination);
    }
  for (Index o = 0; o < ports_.out.size(); ++o)
    if (const Queue& q = outputs_[o]; q.count > 0)
      text +=
          fmt::format("output {}: {} packets, {} of them ready for its channel\n", o, q.count, q.complete);
  return text;
}

}  // namespace

std::unique_ptr<Network> make_crossbar(const NetworkSpec& spec, sim::Clock clock, const Ports& ports,
                                       std::string unit_name) {
  const std::size_t most = std::max(ports.in.size(), ports.out.size());
  if (ports.in.empty() || ports.out.empty() || most > kCrossbarPorts)
    throw Error(fmt::format("a crossbar has 1 to {} inputs and outputs; {} would have {} x {}",
                            kCrossbarPorts, unit_name, ports.in.size(), ports.out.size()),
                "let several SMs share a cluster's port, or several memory channels a partition's");
  if (most <= 64) return std::make_unique<Crossbar<1>>(spec, clock, ports, std::move(unit_name));
  if (most <= 128) return std::make_unique<Crossbar<2>>(spec, clock, ports, std::move(unit_name));
  return std::make_unique<Crossbar<4>>(spec, clock, ports, std::move(unit_name));
}

}  // namespace heddle::noc
