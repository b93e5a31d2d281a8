#include "dram/channel.h"

#include <algorithm>
#include <cassert>

#include "dram/pseudo_channel.h"

namespace heddle::dram {

struct Channel::State {
  explicit State(const DramSpec& s) : spec(s) {
    for (std::uint32_t i = 0; i < s.pseudo_channels; ++i)
      parts.push_back(std::make_unique<PseudoChannel>(spec, stats, queued));
  }
  // The part whose finished transfer is next; parts in order where ends are the same.
  PseudoChannel* next_finished(Tick until) const {
    PseudoChannel* best = nullptr;
    for (const auto& p : parts)
      if (p->any_finished() && p->finished().at <= until &&
          (best == nullptr || p->finished().at < best->finished().at))
        best = p.get();
    return best;
  }
  std::uint32_t placed() const {  // at their banks
    std::uint32_t n = 0;
    for (const auto& p : parts) n += p->placed();
    return n;
  }

  DramSpec spec;
  DramStats stats;
  std::unique_ptr<BankCounts> banks;
  std::vector<std::unique_ptr<PseudoChannel>> parts;
  Tick now = 0;
  std::uint32_t queued = 0;
};

Channel::Channel(const DramSpec& spec) : state_(std::make_unique<State>(spec)) {}
Channel::~Channel() = default;
Channel::Channel(Channel&&) noexcept = default;

bool Channel::can_accept(std::uint32_t bank) const {
  const State& s = *state_;
  if (s.spec.bank_queue != 0) [[unlikely]] {
    const auto parts = static_cast<std::uint32_t>(s.parts.size());
    return s.parts[bank % parts]->waiting_at(bank / parts) < s.spec.bank_queue;
  }
  if (s.queued < s.spec.queue) return true;
  return s.spec.bank_places && s.queued - s.placed() < s.spec.queue;
}

void Channel::push(Tick now, const Transfer& transfer) {
  State& s = *state_;
  assert(now >= s.now && transfer.bank < s.spec.banks);
  s.now = now;
  for (auto& p : s.parts) p->advance(now);
  // Neighbouring banks lie in different parts, so that a stream uses all of them at once.
  const auto parts = static_cast<std::uint32_t>(s.parts.size());
  s.parts[transfer.bank % parts]->push(now, transfer, transfer.bank / parts);
  s.stats.most_waiting = std::max<std::uint64_t>(s.stats.most_waiting, s.queued);
}

Tick Channel::run(Tick from, Tick until, std::vector<Finished>& finished) {
  State& s = *state_;
  s.now = std::max({s.now, from, until});
  Tick next = kNever;
  for (auto& p : s.parts) {
    p->advance(until);
    next = std::min(next, p->next());
  }
  while (PseudoChannel* p = s.next_finished(until)) {
    finished.push_back(p->finished());
    p->pop_finished();
  }
  for (const auto& p : s.parts)
    if (p->any_finished()) next = std::min(next, p->finished().at);
  return next;
}

Tick Channel::next_answer() const {
  const DramSpec& spec = state_->spec;
  const Tick after = std::min(spec.tCL, spec.tWL) + spec.burst_ticks() + spec.minimum_latency;
  Tick next = kNever;
  for (const auto& p : state_->parts) {
    if (p->any_finished())
      next = std::min(next, p->finished().at);
    else if (p->next() != kNever)
      next = std::min(next, p->next_column() + after);
  }
  return next;
}

std::uint32_t Channel::waiting() const {
  std::uint32_t n = 0;
  for (const auto& p : state_->parts) n += p->waiting() + p->finished_count();
  return n;
}

const DramStats& Channel::statistics() const {
  return state_->stats;
}
void Channel::clear_statistics() {
  state_->stats = {};
}
void Channel::count_banks() {
  State& s = *state_;
  s.banks = std::make_unique<BankCounts>();
  s.banks->hits.resize(s.spec.banks);
  s.banks->accesses.resize(s.spec.banks);
  for (std::uint32_t i = 0; i < s.parts.size(); ++i) s.parts[i]->count_banks(s.banks.get(), i);
}
const BankCounts* Channel::banks() const {
  return state_->banks.get();
}
const DramSpec& Channel::spec() const {
  return state_->spec;
}

std::string Channel::waits() const {
  std::string out;
  for (const auto& p : state_->parts) {
    const std::string one = p->waits();
    if (!one.empty()) out += (out.empty() ? "" : "; ") + one;
  }
  if (out.empty() && waiting() != 0) out = "data on the way";
  return out;
}

}  // namespace heddle::dram
