// A network between channels that a test fills and drains, driven window by window as the engine does it.
#pragma once

#include <functional>
#include <memory>
#include <tuple>
#include <vector>

#include "noc/topology.h"

namespace heddle::noc {

struct Delivery {
  sim::Cycle sent;  // when the network handed the packet over
  std::uint16_t source, destination;
  std::uint64_t serial;  // request.line
  friend bool operator==(const Delivery&, const Delivery&) = default;
};

enum class Pace { Skip, EveryWindow, EveryCycle };  // how often run() is called

struct RigOptions {
  std::uint32_t inputs = 4, outputs = 4;
  NetworkSpec spec = {};
  sim::Clock clock = {};
  sim::Cycle window = 4;
  std::uint32_t out_capacity = 64;  // of an output's channel
  Pace pace = Pace::Skip;
};

class Rig {
 public:
  using Feed = std::function<void(sim::Cycle)>;

  explicit Rig(const RigOptions& options) : options_(options), drain_(options.outputs, true) {
    Ports ports;
    for (std::uint32_t i = 0; i < options.inputs; ++i) {
      in_.push_back(std::make_unique<PacketChannel>(options.window, options.spec.input_buffer,
                                                    options.spec.virtual_channels));
      ports.in.push_back(in_.back().get());
    }
    for (std::uint32_t o = 0; o < options.outputs; ++o) {
      out_.push_back(std::make_unique<PacketChannel>(options.window, options.out_capacity));
      ports.out.push_back(out_.back().get());
    }
    network = make_network(options.spec, options.clock, ports, "network");
  }

  // Sends at `cycle`, which lies in the window that feed() is called for; arrives a window later.
  bool send(sim::Cycle cycle, std::uint32_t input, std::uint32_t output, std::uint16_t flits = 1) {
    Packet p;
    p.vc = mem::virtual_channel(output, options_.spec.virtual_channels);
    if (!in_[input]->can_send(cycle, p.vc)) return false;
    p.request.line = ++sent;
    p.source = static_cast<std::uint16_t>(input);
    p.destination = static_cast<std::uint16_t>(output);
    p.flits = flits;
    in_[input]->send(cycle, p, p.vc);
    return true;
  }
  void drain(std::uint32_t output, bool on) { drain_[output] = on; }

  // Runs whole windows until `end`; feed(cycle) is called for every cycle.
  void run(
      sim::Cycle end, const Feed& feed = [](sim::Cycle) {}) {
    for (; now_ < end; now_ += options_.window) {
      for (sim::Cycle c = now_; c < now_ + options_.window; ++c) feed(c);
      run_network();
      take();
      publish();
    }
  }

  std::unique_ptr<Network> network;
  std::vector<Delivery> delivered;
  std::uint64_t sent = 0;
  std::uint64_t calls = 0;  // of Unit::run
  sim::Cycle wake = 0;

 private:
  void run_network() {
    const sim::Cycle until = now_ + options_.window;
    if (options_.pace == Pace::Skip) {
      if (wake >= until) return;
      wake = network->run(std::max(wake, now_), until);
      ++calls;
    } else if (options_.pace == Pace::EveryWindow) {
      network->run(now_, until);
    } else {
      for (sim::Cycle c = now_; c < until; ++c) network->run(c, c + 1);
    }
  }
  void take() {
    for (std::uint32_t o = 0; o < out_.size(); ++o) {
      PacketChannel& ch = *out_[o];
      while (drain_[o] && ch.ready(now_ + options_.window - 1)) {
        const Packet& p = ch.front();
        delivered.push_back({ch.next_arrival() - ch.latency(), p.source, p.destination, p.request.line});
        ch.pop(std::max(now_, ch.next_arrival()));
      }
    }
  }
  void publish() {
    for (auto& ch : in_) wake = std::min(wake, ch->publish().reader_from);
    for (auto& ch : out_) wake = std::min(wake, ch->publish().writer_from);
  }

  RigOptions options_;
  std::vector<std::unique_ptr<PacketChannel>> in_, out_;
  std::vector<bool> drain_;
  sim::Cycle now_ = 0;
};

// The same numbers on every host.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>((state_ >> 33) % n);
  }

 private:
  std::uint64_t state_;
};

}  // namespace heddle::noc
