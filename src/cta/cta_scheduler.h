// Slot: which CTA goes to which SM, and when.
//
// The dispatcher calls next() whenever contexts are free; the scheduler may look only at what it is told
// here. Schedulers hold no time: the dispatcher limits the pace of launches, by launching
// later what was decided here, never by hiding free contexts (that would change who gets which CTA).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/reader.h"

namespace heddle::cta {

// How the SMs lie in clusters.
struct SmLayout {
  std::uint32_t clusters = 1;
  std::uint32_t sms_per_cluster = 1;
  std::uint32_t present = 0;  // SMs in all when the last cluster is not full (132 of 8 x 17); 0: every one
  std::uint32_t sms_per_tpc = 1;
  std::uint32_t sms() const { return present != 0 ? present : clusters * sms_per_cluster; }
};

struct Dispatch {
  std::uint32_t sm = 0;     // cluster * sms_per_cluster + index
  std::uint64_t first = 0;  // CTA ids first .. first + count - 1, launched together
  std::uint32_t count = 1;
};

class CtaScheduler {
 public:
  virtual ~CtaScheduler() = default;
  // A new kernel of `ctas` CTAs; at most `contexts` of them fit on an SM at once. Pools are split anew.
  // Throws std::invalid_argument for no contexts, no SMs, or a cluster without an SM.
  virtual void start(std::uint64_t ctas, std::uint32_t contexts, const SmLayout& layout) = 0;
  // One decision: `free[sm]` of an SM's contexts are free now. nullopt: nothing can be launched now. The
  // caller lowers `free[sm]` by `count` and asks again. Between start() and start(), `free[sm]` may rise only
  // with a call of ended(sm): a scheduler need not look again at an SM that it found full, so that a call
  // costs O(1), amortised over launches and ends.
  virtual std::optional<Dispatch> next(std::span<const std::uint32_t> free) = 0;
  // A CTA has ended on `sm`, of this kernel or of another one beside it; `free` has what that makes room for.
  virtual void ended(std::uint32_t sm, std::uint64_t cta) = 0;
  virtual std::uint64_t left() const = 0;  // CTAs not yet given out
};

using SchedulerFactory = std::function<std::unique_ptr<CtaScheduler>()>;

struct SchedulerKind {
  std::string_view name, description;
  // Reads (or only describes) the parameters of its own section, cta.NAME.*; what it returns makes one
  // scheduler per kernel.
  SchedulerFactory (*read)(config::Reader& section);
};
// Those that come with cta/ (icc.md B1): two_level_rr, global_rr, greedy, block, distributed,
// distributed_block; balanced; and random. Techniques bring theirs in the same form; the catalog (gpu/catalog.h) has
// them all.
std::span<const SchedulerKind> schedulers();
// One of these; throws Error with the nearest name.
std::unique_ptr<CtaScheduler> make_scheduler(std::string_view name);

}  // namespace heddle::cta
