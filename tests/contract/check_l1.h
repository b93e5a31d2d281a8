// What mem/l1_port.h asks of every first level that holds lines, on random requests of an SM and replies in
// random order: every request gets one answer, and what the L1 answers of itself is fresh.
#pragma once

#include <functional>
#include <memory>

#include "cache/l1_cache.h"
#include "mem/l1_port.h"
#include "sim/channel.h"
#include "tests/contract/findings.h"

namespace heddle::contract {

// A first level, with what its SM does beside offering requests.
class L1UnderCheck {
 public:
  virtual ~L1UnderCheck() = default;
  virtual mem::L1Port::Answer access(sim::Cycle now, const mem::Request& r) = 0;
  virtual void send(sim::Cycle now) = 0;  // once per cycle: what waits goes into the channel
  virtual void reply(sim::Cycle now, const mem::Request& r) = 0;
  virtual void forget_clean(sim::Cycle now) = 0;
  virtual void kernel_end() = 0;
  virtual bool idle() const = 0;
  virtual std::uint64_t stale_merges() const = 0;  // reads that joined a fetch older than a store
};
using L1Factory =
    std::function<std::unique_ptr<L1UnderCheck>(mem::L1Client& client, sim::Channel<mem::Request>& out)>;

// What the L1 keeps of a store, by its description; more than that is what it held before the store.
enum class Keeps {
  Nothing,  // it drops what it held
  Held,     // it updates what it held
  Whole     // that, and sectors that are written as a whole
};
struct StorePolicy {
  Keeps global = Keeps::Nothing, local = Keeps::Held;
  bool local_always = true;  // local memory is cached also where the instruction says not to
};

struct L1Report {
  Findings findings;
  std::uint64_t hits = 0;  // of reads
};
L1Report check_l1(const L1Factory& make, const StorePolicy& policy);

// An L1Cache of the machine, and what it promises.
L1Factory l1_cache(const cache::L1Spec& spec);
StorePolicy store_policy(const cache::L1Spec& spec);

}  // namespace heddle::contract
