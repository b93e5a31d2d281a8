// A unit alone in an engine, between ends that send, stall and answer at random, and a log of all that it
// does.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mem/address_map.h"
#include "mem/packet.h"
#include "stats/snapshot.h"
#include "tests/sim/ends.h"
#include "workload/random.h"

namespace heddle::gpu {

using mem::Packet;
using mem::Request;
using sim::Cycle;
using sim::UnitId;

inline constexpr Cycle kMost = 40'000'000;

// Everything that a run can be told from another by.
class Log {
 public:
  void add(std::string what, std::uint64_t value) { values_.emplace_back(std::move(what), value); }
  void add(Cycle at, std::uint64_t end, const Request& r) {
    add(fmt::format("cycle of token {}", r.token), at);
    add("end", end);
    add("line", r.line);
    add("sectors", r.sectors);
  }
  template <class S>
  void statistics(const S& s) {
    stats::Snapshot snapshot;
    snapshot.add("", s);
    for (const stats::Statistic& one : snapshot.all())
      if (const auto* value = std::get_if<std::uint64_t>(&one.reading)) add(one.info.name, *value);
  }
  std::size_t size() const { return values_.size(); }
  // What is first different in the other; empty when nothing is.
  std::string difference(const Log& other) const {
    for (std::size_t i = 0; i < std::min(size(), other.size()); ++i)
      if (values_[i] != other.values_[i])
        return fmt::format("entry {}: {} {}, not {} {}", i, values_[i].first, values_[i].second,
                           other.values_[i].first, other.values_[i].second);
    return size() == other.size() ? "" : fmt::format("{} entries, not {}", size(), other.size());
  }

 private:
  std::vector<std::pair<std::string, std::uint64_t>> values_;
};

// An engine, the channels and ends that a test makes, and dice that fall the same in every run.
class UnitRig {
 public:
  UnitRig(std::uint64_t seed, const sim::EngineOptions& options) : random(seed * 7919), engine(options) {}

  template <class T>
  sim::Channel<T>& channel(std::uint32_t virtual_channels = 1) {
    return channel_of<T>(1 + random.below(std::array{1u, 4u, 64u}[random.below(3)]), virtual_channels);
  }
  template <class T>
  sim::Channel<T>& channel_of(std::uint32_t places, std::uint32_t virtual_channels = 1) {
    const std::uint32_t latency = 1 + random.below(std::array{3u, 30u, 200u}[random.below(3)]);
    auto made = std::make_shared<sim::Channel<T>>(latency, places, virtual_channels);
    owned_.push_back(made);
    return *made;
  }
  sim::Opening opening() {
    const Cycle period = 1 + random.below(300);
    return random.below(2) == 0 ? sim::Opening{} : sim::Opening{period, random.below(period)};
  }
  template <class U, class... A>
  UnitId end(A&&... arguments) {
    auto made = std::make_shared<U>(std::forward<A>(arguments)...);
    owned_.push_back(made);
    return engine.add(*made);
  }
  template <class T>
  void sink(sim::Channel<T>& from, UnitId writer, std::uint64_t number, sim::Places<T> places = {}) {
    const auto seen = [this, number](Cycle at, const T& message) {
      if constexpr (std::is_same_v<T, Packet>)
        log_of(number).add(at, message.source, message.request);
      else
        log_of(number).add(at, number, message);
    };
    engine.connect(from, writer, end<sim::Sink<T>>(from, opening(), seen, std::move(places)));
  }
  template <class T>
  UnitId echo(sim::Channel<T>& in, sim::Channel<T>& out, typename sim::Echo<T>::Reply reply,
              typename sim::Echo<T>::Delay delay, sim::Places<T> places = {}) {
    const sim::Opening open = opening();
    return end<sim::Echo<T>>(in, out, open, 1 + random.below(64), std::move(reply), std::move(delay),
                             std::move(places));
  }
  // Between a unit and a network whose buffers hold packets of up to `longest` flits, if they count flits.
  sim::Channel<Packet>& packet_channel(const mem::PacketFormat& format, std::uint32_t longest,
                                       std::uint32_t virtual_channels) {
    if (format.buffers == mem::BufferUnit::Packets) return channel<Packet>(virtual_channels);
    return channel_of<Packet>(longest + random.below(40), virtual_channels);
  }
  static sim::Places<Packet> places_in(const mem::PacketFormat& format) {
    return {[format](const Packet& p) { return format.places(p.flits); }};
  }
  Request request(const mem::AddressMap& map, std::uint32_t lines) {
    Request r;
    r.line = mem::kDeviceBase + std::uint64_t{random.below(lines)} * 128;
    r.token = tokens_++;
    r.sectors = static_cast<mem::SectorMask>(1 + random.below(15));
    r.op = std::array{mem::Op::Read, mem::Op::Read, mem::Op::Read, mem::Op::Write,
                      mem::Op::Atomic}[random.below(5)];
    r.partial_write = r.op == mem::Op::Write && random.below(2) == 0;
    r.slice = static_cast<std::uint16_t>(map.slice(r.line));
    return r;
  }
  // When the next of a series of messages is sent: bursts, and pauses between them.
  Cycle later(Cycle at) { return at + random.below(random.below(20) == 0 ? 2000 : 4); }

  // Ends run on different threads: each has its own.
  Log& log_of(std::uint64_t number) { return logs_[number]; }
  void prepare(std::uint64_t ends) {
    for (std::uint64_t i = 0; i < ends; ++i) logs_[i];
  }
  void run() {
    const sim::EndReason end = engine.run([] { return false; }, {.until = kMost});
    EXPECT_EQ(end, sim::EndReason::Stuck) << engine.report();  // all is done
    EXPECT_EQ(engine.report(), "");
  }
  std::vector<Log> logs() const {
    std::vector<Log> all;
    for (const auto& [number, log] : logs_) all.push_back(log);
    return all;
  }

  workload::Random random;
  sim::Engine engine;

 private:
  std::uint32_t tokens_ = 0;
  std::map<std::uint64_t, Log> logs_;
  std::vector<std::shared_ptr<void>> owned_;
};

}  // namespace heddle::gpu
