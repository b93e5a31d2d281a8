// Slot: which CTA goes to which SM, and when.
//
// The dispatcher calls next() whenever contexts are free; the scheduler may look only at what it is told
// here. Schedulers hold no time: the dispatcher limits launches to one per cluster and cycle.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cta {

struct Machine {
  std::uint32_t clusters = 1;
  std::uint32_t sms_per_cluster = 1;
  std::uint32_t sms() const { return clusters * sms_per_cluster; }
};

// An SM's free contexts for this kernel: how many more CTAs it could take now, of at most `contexts`.
struct Dispatch {
  std::uint32_t sm = 0;     // cluster * sms_per_cluster + index
  std::uint64_t first = 0;  // CTA ids first .. first + count - 1, launched together
  std::uint32_t count = 1;
};

class CtaScheduler {
 public:
  virtual ~CtaScheduler() = default;
  // A new kernel of `ctas` CTAs; at most `contexts` of them fit on an SM at once. Pools are split anew.
  virtual void start(std::uint64_t ctas, std::uint32_t contexts, const Machine& machine) = 0;
  // One decision: `free[sm]` contexts are free now. nullopt: nothing can be launched now. The caller updates
  // `free` and asks again.
  virtual std::optional<Dispatch> next(std::span<const std::uint32_t> free) = 0;
  // A CTA of the kernel has ended on `sm` (its context is in `free` at the next call).
  virtual void ended(std::uint32_t sm, std::uint64_t cta) = 0;
  virtual std::uint64_t left() const = 0;  // CTAs not yet given out
};

// two_level_rr, global_rr, greedy, block, distributed, distributed_block
struct SchedulerEntry {
  std::string_view name, description;
  std::unique_ptr<CtaScheduler> (*make)();
};
std::span<const SchedulerEntry> schedulers();
std::unique_ptr<CtaScheduler> make_scheduler(std::string_view name);  // throws Error with the nearest name

}  // namespace heddle::cta
