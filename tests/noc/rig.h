// A network in an engine of its own, between channels that a test fills and drains.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/reader.h"
#include "noc/topology.h"

namespace heddle::noc {

struct Delivery {
  sim::Cycle sent;  // when the network handed the packet over
  std::uint16_t source, destination;
  std::uint64_t serial;  // request.line
  friend bool operator==(const Delivery&, const Delivery&) = default;
};

// A network as `toml` describes it; what it does not give has its default.
inline NetworkSpec spec_of(const std::string& toml, std::span<const TopologyKind> kinds = topologies(),
                           std::span<const PacketMergerKind> mergers = {}) {
  config::Config config = config::Config::parse(toml, "network.toml");
  NetworkSpec spec;
  config::Reader reader(&config, nullptr);
  NetworkSection{spec, kinds, mergers}.fields(reader);
  config.check_all_read();
  return spec;
}

// Clusters at one side, slices at the other, by the direction.
inline NetworkPlace place_of(std::uint32_t inputs, std::uint32_t outputs, const mem::AddressMap& map,
                             sim::Clock clock = {}, Direction direction = Direction::Request) {
  const auto sites = [](Site::Kind kind, std::uint32_t n) {
    std::vector<Site> all;
    for (std::uint32_t i = 0; i < n; ++i) all.push_back({kind, i, kind == Site::Kind::Slice ? i : 0});
    return all;
  };
  const bool request = direction == Direction::Request;
  return {"network",
          direction,
          sites(request ? Site::Kind::Cluster : Site::Kind::Slice, inputs),
          sites(request ? Site::Kind::Slice : Site::Kind::Cluster, outputs),
          1400_MHz,
          clock,
          map};
}

struct RigOptions {
  std::uint32_t inputs = 4, outputs = 4;
  NetworkSpec spec = spec_of("");
  sim::Clock clock = {};
  sim::Cycle window = 4;            // latency of all channels at the ports
  std::uint32_t out_capacity = 64;  // of an output's channel
  bool every_cycle = false;         // the engine's slow mode
  Direction direction = Direction::Request;
  bool direct_links = false;
};

class Rig {
 public:
  using Feed = std::function<void(sim::Cycle)>;

  explicit Rig(const RigOptions& options)
      : options_(options),
        map_(mem::AddressMapSpec{}),
        engine_(sim::EngineOptions{.every_cycle = options.every_cycle}),
        feeder_(*this),
        taker_(*this),
        drain_(options.outputs, true) {
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
    const sim::UnitId feeder = engine_.add(feeder_), taker = engine_.add(taker_);
    NetworkPlace place = place_of(options.inputs, options.outputs, map_, options.clock, options.direction);
    place.direct_links = options.direct_links;
    network = make_network(options.spec, place, ports, engine_);
    for (std::uint32_t i = 0; i < options.inputs; ++i) engine_.connect(*in_[i], feeder, network->reader(i));
    for (std::uint32_t o = 0; o < options.outputs; ++o) engine_.connect(*out_[o], network->writer(o), taker);
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  // Sends at `cycle`, which is the one that feed() is called for; arrives a window later.
  bool send(sim::Cycle cycle, std::uint32_t input, std::uint32_t output, std::uint16_t flits = 1) {
    mem::Request request;
    request.op = mem::Op::Write;  // that no merger holds
    request.line = sent + 1;
    return send(cycle, input, output, flits, request);
  }
  bool send(sim::Cycle cycle, std::uint32_t input, std::uint32_t output, std::uint16_t flits,
            const mem::Request& request) {
    Packet p;
    p.vc = mem::virtual_channel(output, options_.spec.virtual_channels);
    const std::uint32_t places = options_.spec.packet.places(flits);
    if (!in_[input]->can_send(cycle, p.vc, places)) return false;
    ++sent;
    p.request = request;
    p.source = static_cast<std::uint16_t>(input);
    p.destination = static_cast<std::uint16_t>(output);
    p.flits = flits;
    in_[input]->send(cycle, p, p.vc, places);
    return true;
  }
  // Between two calls of run(); within one, `open` says when an output is taken from.
  void drain(std::uint32_t output, bool on) { drain_[output] = on; }
  std::function<bool(std::uint32_t output, sim::Cycle now)> open;

  // Runs until `end`, or until the end of the engine's window that holds it; feed(cycle) is called for every
  // cycle.
  void run(sim::Cycle end, Feed feed = nullptr) {
    feed_ = std::move(feed);
    engine_.run([] { return false; }, {.until = end});
  }
  std::string report() const { return engine_.report(); }

  std::unique_ptr<Network> network;
  std::vector<Delivery> delivered;
  std::uint64_t sent = 0;

 private:
  // Both always run, so that a test may send and open outputs when it likes.
  struct Feeder final : sim::Unit {
    explicit Feeder(Rig& r) : rig(r) {}
    sim::Cycle run(sim::Cycle from, sim::Cycle until) override {
      for (; from < until; ++from)
        if (rig.feed_) rig.feed_(from);
      return until;
    }
    std::string name() const override { return "feeder"; }
    std::string waits() const override { return {}; }
    Rig& rig;
  };
  struct Taker final : sim::Unit {
    explicit Taker(Rig& r) : rig(r) {}
    sim::Cycle run(sim::Cycle from, sim::Cycle until) override {
      for (; from < until; ++from) rig.take(from);
      return until;
    }
    std::string name() const override { return "taker"; }
    std::string waits() const override { return {}; }
    Rig& rig;
  };

  void take(sim::Cycle now) {
    for (std::uint32_t o = 0; o < out_.size(); ++o) {
      PacketChannel& ch = *out_[o];
      if (!drain_[o] || (open && !open(o, now))) continue;
      while (ch.ready(now)) {
        const Packet& p = ch.front();
        delivered.push_back({ch.next_arrival() - ch.latency(), p.source, p.destination, p.request.line});
        ch.pop(now);
      }
    }
  }

  RigOptions options_;
  mem::AddressMap map_;
  sim::Engine engine_;
  Feeder feeder_;
  Taker taker_;
  Feed feed_;
  std::vector<std::unique_ptr<PacketChannel>> in_, out_;
  std::vector<bool> drain_;
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
