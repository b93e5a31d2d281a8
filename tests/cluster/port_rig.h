// A cluster's port between channels that a test fills and empties.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "cluster/cluster_port.h"
#include "cluster/plain_merger.h"

namespace heddle::cluster {

using mem::Packet;
using mem::Request;
using sim::Cycle;
using sim::kNever;

inline constexpr Cycle kWindow = 4;

struct Sent {
  Cycle at;
  std::uint32_t sm;
  std::uint64_t line;
  friend bool operator==(const Sent&, const Sent&) = default;
};
inline void PrintTo(const Sent& s, std::ostream* os) {
  *os << "{cycle " << s.at << ", SM " << s.sm << ", line " << s.line << "}";
}

struct Options {
  ClusterSpec spec = {};
  std::uint32_t sms = 4;
  std::uint32_t network_capacity = 64, sm_capacity = 64;
  bool step = false;  // call run() for every cycle
};

// Drives a port as the engine would. The network's side echoes nothing by itself: tests send replies.
class Rig {
 public:
  explicit Rig(const Options& o, std::unique_ptr<MissMerger> merger = std::make_unique<PlainMerger>())
      : options_(o),
        to_network_(kWindow, o.network_capacity),
        from_network_(kWindow, o.spec.response_places(merger->delay())),
        drain_sm(o.sms, true) {
    ClusterWiring w;
    w.cluster = 7;
    w.packet = {Bytes{32}, Bytes{8}};
    for (std::uint32_t i = 0; i < o.sms; ++i) {
      w.sms.push_back(static_cast<std::uint16_t>(sm(i)));
      w.requests.push_back(
          requests_.emplace_back(std::make_unique<RequestChannel>(kWindow, o.spec.request_buffer)).get());
      w.replies.push_back(
          replies_.emplace_back(std::make_unique<RequestChannel>(kWindow, o.sm_capacity)).get());
    }
    w.to_network = &to_network_;
    w.from_network = &from_network_;
    port = std::make_unique<ClusterPort>(o.spec, w, std::move(merger), "cluster 7");
  }
  // GPU-wide numbers of a cluster's SMs need not follow each other.
  static std::uint32_t sm(std::uint32_t i) { return 16 * (i / 2) + i % 2; }

  bool ask(Cycle at, std::uint32_t i, std::uint64_t line, std::uint16_t slice = 0) {
    if (!requests_[i]->can_send(at)) return false;
    Request r;
    r.line = line;
    r.sm = static_cast<std::uint16_t>(sm(i));
    r.slice = slice;
    requests_[i]->send(at, r);
    return true;
  }
  bool answer(Cycle at, Request r) {
    if (!from_network_.can_send(at)) return false;
    r.reply = true;
    Packet p;
    p.request = r;
    from_network_.send(at, p);
    return true;
  }
  void answer_sm(Cycle at, std::uint32_t i, std::uint64_t line) {
    Request r;
    r.line = line;
    r.sm = static_cast<std::uint16_t>(sm(i));
    answer(at, r);
  }

  void run(
      Cycle end, const std::function<void(Cycle)>& feed = [](Cycle) {}) {
    for (; now_ < end; now_ += kWindow) {
      const Cycle until = now_ + kWindow;
      for (Cycle c = now_; c < until; ++c) feed(c);
      if (options_.step)
        for (Cycle c = now_; c < until; ++c) port->run(c, c + 1);
      else if (wake < until)
        wake = port->run(std::max(wake, now_), until);
      collect(until - 1);
      publish();
    }
  }

  std::unique_ptr<ClusterPort> port;
  std::vector<Sent> injected;   // handed to the network
  std::vector<Packet> packets;  // the same
  std::vector<Sent> delivered;  // handed to SMs; sm: index in the cluster
  bool drain_network = true;
  Cycle wake = 0;

 private:
  void collect(Cycle last) {
    for (; drain_network && to_network_.ready(last);
         to_network_.pop(std::max(now_, to_network_.next_arrival()))) {
      const Packet& p = to_network_.front();
      injected.push_back({to_network_.next_arrival() - kWindow, p.request.sm, p.request.line});
      packets.push_back(p);
    }
    for (std::uint32_t i = 0; i < replies_.size(); ++i)
      for (RequestChannel& ch = *replies_[i]; drain_sm[i] && ch.ready(last);
           ch.pop(std::max(now_, ch.next_arrival())))
        delivered.push_back({ch.next_arrival() - kWindow, i, ch.front().line});
  }
  void publish() {
    const auto room = [&](sim::ChannelBase& ch) { wake = std::min(wake, ch.publish().writer_from); };
    for (auto& ch : requests_) wake = std::min(wake, ch->publish().reader_from);
    wake = std::min(wake, from_network_.publish().reader_from);
    for (auto& ch : replies_) room(*ch);
    room(to_network_);
  }

  Options options_;
  std::vector<std::unique_ptr<RequestChannel>> requests_, replies_;
  PacketChannel to_network_, from_network_;
  Cycle now_ = 0;

 public:
  std::vector<bool> drain_sm;
};

}  // namespace heddle::cluster
