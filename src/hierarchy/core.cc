#include "hierarchy/core.h"

#include <algorithm>

#include <fmt/format.h>

#ifdef __clang__
#define HEDDLE_ONE_COPY [[gnu::noinline]]
#else
#define HEDDLE_ONE_COPY [[gnu::noclone, gnu::noinline]]
#endif

namespace heddle::hierarchy {

Core::Core(const sm::SmSpec& spec, std::uint32_t sm, std::uint32_t sms, Frequency clock)
    : id_(sm), sm_(spec, sm, sms, clock) {}

void Core::measure(sim::Cycle window) {
  line_requests_ = std::make_unique<mem::PotentialMeter>(window);
  sm_.measure(line_requests_.get());
}

void Core::measure_pressure() {
  pressure_ = std::make_unique<sm::AccessPressure>();
  sm_.watch(pressure_.get());
}

void Core::measure_available() {
  available_ = std::make_unique<sm::AvailableWarps>();
  sm_.watch(available_.get());
}

void Core::measure_warp_states() {
  states_ = std::make_unique<sm::WarpStates>();
  sm_.watch(states_.get());
}

// One copy: then what is called here is called once, and the compiler makes one piece of it.
HEDDLE_ONE_COPY sim::Cycle Core::run(sim::Cycle from, sim::Cycle until) {
  // In fewer cycles only a few of an SM's warps issue: fetching all ahead costs more than it brings.
  constexpr sim::Cycle kWorthFetching = 32;
  sim::Cycle now = from;
  if (until - from >= kWorthFetching) sm_.prefetch();  // other units have run since the last time
  while (now < until) {
    if (const sim::Cycle decided = decided_until(); now >= decided) return decided;
    sm_.begin(now);
    if (l1_ == nullptr) {
      receive(now);
    } else if (replies_->ready(now) && sm_.takes_replies()) {
      do {
        l1_->reply(now, replies_->front());
        replies_->pop(now);
      } while (replies_->ready(now) && sm_.takes_replies());
      sm_.unblock();
    }
    sm_.step(now);
    sim::Cycle next = sim::kNever;
    if (l1_ == nullptr) {
      next = next_answer(now);
    } else {
      l1_->send(now);
      next = std::min(replies_->next_arrival(), l1_->next_send(now));
    }
    now = std::max(now + 1, std::min(sm_.next(now), next));
  }
  return std::min(now, decided_until());
}

std::string Core::name() const {
  return fmt::format("SM {}", id_);
}

}  // namespace heddle::hierarchy
