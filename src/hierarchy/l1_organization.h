// Slot: where the L1s of a machine stand, who uses which, and what connects them.
//
//   SMs -> (an organization's own networks) -> L1s -> ports, mergers -> memory networks -> L2 slices
//
// `private` is the usual one: every SM has its L1 beside it, as one unit, and the L1s of a cluster share a
// port of the memory networks. Another organization may take the L1s out of the SMs, have several SMs use
// one, spread lines over them, and build networks of its own between both.
//
// An organization is made from its parameters; it then answers for any machine (L1Setting) how many L1s there
// are, what one is like and who shares a port, and builds all of them: units, channels between them, and the
// SMs. What it answers for:
// - Every request that an SM's load/store unit hands over (mem/l1_port.h) reaches one L1 and is answered
//   once, with its own SM and token. What an L1 sends on carries its lane's number as `sm` (its own, unless
//   L1Layout says otherwise), and of an atomic the SM that has its operands as `owner`.
// - All accesses of an SM to one line go to one L1 and stay in order; so L1Port's rules on what may be a hit
//   hold as they do for an L1 beside the SM.
// - L1 n sends to slices that its port's part of the memory networks reaches (L1Layout::parts).
// - Back-pressure: what has no room waits where it is, by the places of channels.
// Tests of whole machines (conservation, random kernels on random machines, the oracle, determinism) take
// every organization from the catalog and find out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/l1_cache.h"
#include "config/reader.h"
#include "hierarchy/core.h"
#include "mem/address_map.h"
#include "noc/network_stage.h"
#include "sim/channel.h"
#include "sim/engine.h"

namespace heddle::hierarchy {

// The machine that L1s are arranged in.
struct L1Setting {
  std::vector<std::uint32_t> first_sm;  // of each cluster; one more at the end: the number of SMs
  cache::L1Spec l1;                     // as the description has it: of an SM
  Bytes unified{};                      // it shares so much with shared memory; 0: it does not
  Frequency core{};
  const mem::AddressMap& map;
  const noc::NetworkSpec &request, &reply;  // the memory networks

  std::uint32_t sms() const { return first_sm.back(); }
  std::uint32_t clusters() const { return static_cast<std::uint32_t>(first_sm.size() - 1); }
};

struct L1Layout {
  std::uint32_t l1s = 0;
  // The lanes behind each port of the memory networks: by them L1s send and receive, L1 n by lane n. An
  // organization may have more lanes than L1s.
  std::vector<std::vector<std::uint32_t>> ports;
  std::uint32_t lanes() const {
    std::size_t n = 0;
    for (const auto& port : ports) n += port.size();
    return static_cast<std::uint32_t>(n);
  }
  // Places where answers wait for the L1 of a lane, beside those that keep the wire from its port busy; 0: it
  // takes every answer as it comes.
  std::uint32_t answers = 0;
  // The memory networks fall into so many, each between as many of the ports and of the slices, in order.
  std::uint32_t parts = 1;
};

// What is built, and the machine's hold on it.
class L1Level {
 public:
  using Requests = sim::Channel<mem::Request>;
  using Cores = std::vector<std::unique_ptr<Core>>;
  virtual ~L1Level() = default;

  const Cores& cores() const { return cores_; }
  sim::UnitId core_unit(std::uint32_t sm) const { return core_units_[sm]; }
  // That sends and receives by a lane.
  virtual sim::UnitId lane_unit(std::uint32_t lane) const = 0;
  virtual cache::L1Cache& l1(std::uint32_t l1) = 0;
  // Between its cores and L1s; nullptr: there are none.
  virtual noc::Network* request_network() { return nullptr; }
  virtual noc::Network* reply_network() { return nullptr; }

  // A kernel divides unified memory so that an SM's L1 is like this. Only while idle.
  virtual void configure(const cache::L1Spec&) {}
  // What could have been merged before the L1s and among their misses, within `window` cycles. Once, at
  // first.
  virtual void measure(sim::Cycle window) = 0;
  // Writes down which lines come to and leave an L1. Once, at first.
  virtual void watch(std::uint32_t l1, mem::ReplicaLog& log) { this->l1(l1).watch(&log); }
  // Nothing under way between its units, and nothing in them but in SMs and L1s.
  virtual bool idle() const { return true; }

 protected:
  Cores cores_;
  std::vector<sim::UnitId> core_units_;
};

class L1Organization {
 public:
  virtual ~L1Organization() = default;

  // Why it cannot be built in a machine; nothing: it can.
  struct Obstacle {
    std::string key;  // of the parameter: "l1.decoupled.nodes"
    std::string message, advice;
  };
  virtual std::optional<Obstacle> obstacle(const L1Setting&) const { return {}; }

  // All below only where there is no obstacle.
  virtual L1Layout layout(const L1Setting& setting) const = 0;
  // One of its L1s.
  virtual cache::L1Spec l1(const L1Setting& setting) const { return setting.l1; }
  // What the picture says of L1s beside; empty: nothing.
  virtual std::string place(const L1Setting&) const { return {}; }
  // Its own networks, as they are described; nothing: there are none.
  struct CoreNetworks {
    noc::NetworkStage::Described request, reply;
    mem::Picture::Wires wires;
  };
  virtual std::optional<CoreNetworks> networks(const L1Setting&) const { return {}; }
  // Bytes of read hits per core cycle that its networks carry at most; 0: they set no limit.
  virtual double peak_hits(const L1Setting&) const { return 0; }
  // Core cycles that its networks add to a read of so many bytes in an empty machine.
  virtual double unloaded(const L1Setting&, std::uint64_t /*bytes*/) const { return 0; }

  // What is already there: channels between L1s and their ports, by lane.
  struct Surroundings {
    const sm::SmSpec& sm;
    std::vector<L1Level::Requests*> to_port, from_port;
    sm::CtaObserver* observer = nullptr;
  };
  // References outlive what is built. The machine connects the channels of `around`.
  virtual std::unique_ptr<L1Level> build(const L1Setting& setting, const Surroundings& around,
                                         sim::Engine& engine) const = 0;
};

struct OrganizationKind {
  std::string_view name, description;
  // Reads (or only describes) the parameters of its own section.
  std::shared_ptr<const L1Organization> (*read)(config::Reader& section);
};

// Those that come with a machine; techniques add theirs in gpu/catalog.cc.
std::span<const OrganizationKind> l1_organizations();

}  // namespace heddle::hierarchy
