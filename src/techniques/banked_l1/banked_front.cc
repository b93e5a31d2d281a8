#include "techniques/banked_l1/banked_front.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle::banked_l1 {

using config::range;
using sim::Cycle;
using Outcome = mem::L1Port::Outcome;

namespace {

sm::LoadFrontFactory read(config::Reader& section) {
  BankedSpec spec;
  spec.fields(section);
  return [spec](const sm::FrontPlace& place) { return std::make_unique<BankedFront>(spec, place); };
}

}  // namespace

constinit const sm::LoadFrontKind kBanked{"banked",
                                          "one line of the active load per bank of the L1 and cycle", read};

void BankedSpec::fields(config::Reader& r) {
  r.field("banks", banks, range(1u, 64u), "Banks of the L1; sets are divided among them in turn");
}

void BankedStats::statistics(stats::Visitor& v) {
  v.counter("cycles", cycles, {"cycles", "In which lines of loads went to the L1, over all SMs"});
  v.histogram("lines", lines, {"cycles", "Such cycles by how many lines went"});
}

BankedFront::BankedFront(const BankedSpec& spec, const sm::FrontPlace& place)
    : spec_(spec), sm_(place.sm), port_(place.l1), in_(place.queue) {}

std::optional<sm::LoadFront::Obstacle> BankedFront::apart_obstacle() const {
  return Obstacle{
      "sm.load_front",
      "banks are those of an L1 beside the SM; to one behind a network a link leads, a request at "
      "a time",
      "choose another load front"};
}

void BankedFront::accept(Cycle now, const sm::FrontAccess& access) {
  in_.add(now, sm_, access);
  if (access.op == mem::Op::Read && access.space == mem::Space::Global) stats_.offered += access.lines.size();
  open_.add(access.warp, static_cast<std::uint32_t>(access.lines.size()));
  moved_ = true;
  hold();
}

// Instructions are served one after another: only a barrier has to wait.
void BankedFront::hold() {
  holds_.loads = holds_.stores = in_.full() ? ~sm::WarpMask{0} : 0;
  holds_.drain = open_.warps();
}

bool BankedFront::step(Cycle now, bool port) {
  moved_ = !port;
  if (active_.empty()) activate();
  if (!port || active_.empty() || blocked_until_ > now) {
    hold();
    return false;
  }
  const bool used = active_.front().op == mem::Op::Read ? send_loads(now) : send_one(now);
  hold();
  return used;
}

void BankedFront::activate() {
  if (in_.empty()) return;
  warp_ = in_.first().warp;
  do active_.push_back(in_.line());
  while (!in_.pop_line());
}

// Every bank takes the first line that is its own. Lines that the L1 refuses stay.
bool BankedFront::send_loads(Cycle now) {
  std::uint64_t banks = 0;
  std::uint32_t sent = 0;
  Cycle retry = sim::kNever;
  for (std::size_t i = 0; i < active_.size();) {
    const std::uint64_t bank = std::uint64_t{1} << l1_.part(active_[i].line, spec_.banks);
    if ((banks & bank) != 0) {
      ++i;
      continue;
    }
    banks |= bank;
    const mem::Request r = active_[i];
    if (port_->send(now, r).outcome == Outcome::Blocked) {
      retry = std::min(retry, port_->retry_at(now));
      ++i;
      continue;
    }
    ++sent;
    stats_.sent += r.space == mem::Space::Global;
    open_.remove(warp_);
    active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (sent != 0) {
    moved_ = true;
    ++own_.cycles;
    own_.lines.add(sent);
  } else {
    blocked_until_ = retry;
  }
  return true;
}

// A store or atomic: one line per cycle.
bool BankedFront::send_one(Cycle now) {
  if (port_->send(now, active_.front()).outcome == Outcome::Blocked) {
    blocked_until_ = port_->retry_at(now);
    return true;
  }
  moved_ = true;
  open_.remove(warp_);
  active_.erase(active_.begin());
  return true;
}

Cycle BankedFront::next(Cycle now) const {
  if (moved_) return now + 1;
  return idle() ? sim::kNever : std::max(now + 1, blocked_until_);
}

std::string BankedFront::waits() const {
  if (idle()) return {};
  return fmt::format("banked front: {} instructions behind one of warp {} with {} lines left", in_.size(),
                     warp_, active_.size());
}

void BankedFront::clear_statistics() {
  LoadFront::clear_statistics();
  own_ = {};
}

}  // namespace heddle::banked_l1
