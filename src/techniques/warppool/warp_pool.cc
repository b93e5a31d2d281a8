#include "techniques/warppool/warp_pool.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "techniques/warppool/mapping.h"

namespace heddle::warppool {

using sim::Cycle;
using Outcome = mem::L1Port::Outcome;

namespace {

enum Reason : std::uint32_t { kTags, kQueue, kMap, kStorePort };

sm::LoadFrontFactory read(config::Reader& section) {
  WarpPoolSpec spec;
  spec.fields(section);
  return [spec](const sm::FrontPlace& place) { return std::make_unique<WarpPool>(spec, place); };
}

}  // namespace

constinit const sm::LoadFrontKind kWarpPool{
    "warppool", "WarpPool: loads of different warps share requests to the L1", read, "inter-warp queues"};

WarpPool::WarpPool(const WarpPoolSpec& spec, const sm::FrontPlace& place)
    : spec_(spec),
      sm_(place.sm),
      warps_(std::max(place.warps, spec.queues)),
      port_(place.l1),
      queues_(spec.queues, Queue(spec.queue_entries + 1)),
      coalescers_(spec.coalescers, Queue(spec.stages - 2)),
      window_(spec_),
      selector_(spec_, own_),
      writeback_(spec_) {}

// ---- issue ----------------------------------------------------------------------------------------------

void WarpPool::accept(Cycle now, const sm::FrontAccess& access) {
  const std::uint32_t q = queue_of(access.warp);
  Queue& queue = queues_[q];
  const auto lines = static_cast<std::uint32_t>(access.lines.size());
  const bool load = access.op == mem::Op::Read;
  queue.instructions.reserve(queue.instructions.size() + 1);
  queue.instructions.push({static_cast<std::uint8_t>(access.warp), load, lines, now});
  queue.lines.reserve(queue.lines.size() + lines);
  for (const sm::LineAccess& l : access.lines) {
    Line& line = queue.lines.push();
    line.request = access.request(now, sm_, l);
    line.waited = 0;
    if (!load) continue;
    line.mapping = classify(access.lanes, l);
    ++own_.mapping[static_cast<std::size_t>(line.mapping)];
    stats_.offered += access.space == mem::Space::Global;
  }
  (load ? loads_ : stores_)[access.warp] += lines;
  filled_ |= std::uint64_t{1} << q;
  if (queue.instructions.size() >= spec_.queue_entries)
    for (unsigned w = 0; w < warps_ && w < sm::kMaxWarps; ++w)
      if (queue_of(w) == q) queue_full_ |= sm::bit(w);
  hold(access.warp);
  moved_ = true;
}

// Rule 11. A load may follow loads; a store waits until the warp's loads and stores have reached the L1, a
// load until its stores have.
void WarpPool::hold(unsigned warp) {
  const auto put = [&](sm::WarpMask& mask, bool is) {
    mask = is ? mask | sm::bit(warp) : mask & ~sm::bit(warp);
  };
  put(holds_.drain, loads_[warp] + stores_[warp] != 0);
  holds_.stores = holds_.drain | queue_full_;
  put(loads_after_store_, stores_[warp] != 0);
  holds_.loads = loads_after_store_ | queue_full_;
}

// ---- a cycle --------------------------------------------------------------------------------------------

bool WarpPool::step(Cycle now, bool port) {
  moved_ = false;
  write_back(now);
  const bool used = port && select(now);
  if (!port) moved_ = true;  // it may be the next cycle's turn
  insert(now);
  dispatch(now);
  return used;
}

void WarpPool::write_back(Cycle now) {
  own_.writeback_full += writeback_.step(now, [&](const Load& load) {
    moved_ = true;
    --unwritten_;
    maps_ -= load.mapped;
    ++own_.written_back;
    port_->answered(now, load.record, now);
  });
}

// Loads go first; a store uses a cycle that no load can.
bool WarpPool::select(Cycle now) {
  if (writeback_.full()) return false;  // the L1 stalls
  if (!send_load(now)) return send_store(now);
  for (Coalescer& c : coalescers_)
    if (Line* line = ready_line(c, now); line != nullptr && !c.instructions.front().load)
      wait(*line, kStorePort, own_.waited_store_port);
  return true;
}

bool WarpPool::send_load(Cycle now) {
  if (window_.empty()) return false;
  selector_.pass(now);
  const std::uint32_t t = selector_.by_warp() ? window_.lowest_warp() : window_.oldest();
  const InterWarpQueues::Tag& tag = window_.tag(t);
  // What was refused once is refused until an answer comes; another request may fare better.
  if (t == blocked_tag_ && tag.order == blocked_order_ && load_blocked_until_ > now)
    return !spec_.stores_pass_blocked_loads;
  if (metadata_ + tag.loads.count > spec_.metadata_entries) {
    own_.waited_metadata += !metadata_counted_;
    metadata_counted_ = true;
    return !spec_.stores_pass_blocked_loads;
  }
  metadata_counted_ = false;
  mem::Request r = tag.request;
  const std::uint32_t token = free_token();
  r.token = sm::Waiter::of_front(token);
  const mem::L1Port::Answer answer = port_->send(now, r);
  if (answer.outcome == Outcome::Blocked) {
    blocked_tag_ = t;
    blocked_order_ = tag.order;
    load_blocked_until_ = port_->retry_at(now);
    return !spec_.stores_pass_blocked_loads;
  }
  moved_ = true;
  blocked_tag_ = InterWarpQueues::kNone;
  if (!l1_.apart) selector_.count(answer.outcome == Outcome::Hit, answer.joined);
  const Loads& loads = tag.loads;
  unwritten_ += loads.count;
  own_.loads.add(loads.count);
  for (std::uint32_t i = 0; i < loads.count; ++i) {
    const Load& load = loads.load[i];
    if (load.global) ++(i == 0 ? stats_.sent : stats_.merged);
    --loads_[load.warp];
    hold(load.warp);
  }
  if (answer.outcome == Outcome::Hit) {
    writeback_.hit(answer.ready, loads);
  } else {
    free_tokens_.pop_back();
    in_l1_[token] = loads;
    metadata_ += loads.count;
  }
  window_.free(t);
  return true;
}

// The one that has waited longest: warps that try a lock again and again must not keep its holder's store
// back.
bool WarpPool::send_store(Cycle now) {
  Coalescer* first = nullptr;
  for (Coalescer& c : coalescers_)
    if (ready_line(c, now) != nullptr && !c.instructions.front().load &&
        (first == nullptr || c.instructions.front().at < first->instructions.front().at))
      first = &c;
  if (first == nullptr || store_blocked_until_ > now) return false;
  if (port_->send(now, first->lines.front().request).outcome == Outcome::Blocked) {
    store_blocked_until_ = port_->retry_at(now);
    return true;
  }
  moved_ = true;
  ++own_.store_requests;
  const unsigned warp = first->instructions.front().warp;
  --stores_[warp];
  hold(warp);
  finish_line(*first);
  return true;
}

WarpPool::Line* WarpPool::ready_line(Coalescer& c, Cycle now) {
  if (c.instructions.empty() || c.instructions.front().at > now) return nullptr;
  return &c.lines.front();
}

void WarpPool::finish_line(Coalescer& c) {
  c.lines.pop();
  if (--c.instructions.front().lines == 0) c.instructions.pop();
}

// ---- coalescers -----------------------------------------------------------------------------------------

// A line of each coalescer per cycle; two that want the same inter-warp queue wait for each other (rule 4).
void WarpPool::insert(Cycle now) {
  inserted_.clear();
  for (Coalescer& c : coalescers_) {
    Line* line = ready_line(c, now);
    if (line == nullptr) continue;
    if (!c.instructions.front().load) continue;  // the selector's
    const std::uint32_t queue = l1_.part(line->request.line, spec_.window_queues);
    if (std::find(inserted_.begin(), inserted_.end(), queue) != inserted_.end()) {
      wait(*line, kQueue, own_.waited_queue);
      moved_ = true;  // free again in the next cycle
      continue;
    }
    const bool mapped = line->mapping == Mapping::Random;
    if (mapped && maps_ == spec_.map_entries) {
      wait(*line, kMap, own_.waited_map);
      continue;
    }
    const Instruction& i = c.instructions.front();
    const Load load{line->request.token, i.warp, mapped, line->request.space == mem::Space::Global};
    if (!window_.insert(queue, line->request, load)) {
      wait(*line, kTags, own_.waited_tags);
      continue;
    }
    moved_ = true;
    inserted_.push_back(queue);
    maps_ += mapped;
    own_.maps_peak = std::max<std::uint64_t>(own_.maps_peak, maps_);
    own_.tags_peak = std::max<std::uint64_t>(own_.tags_peak, window_.used());
    finish_line(c);
  }
}

void WarpPool::wait(Line& line, std::uint32_t reason, std::uint64_t& count) {
  const auto mark = static_cast<std::uint8_t>(1u << reason);
  if ((line.waited & mark) != 0) return;
  line.waited |= mark;
  ++count;
}

// A free coalescer takes the first instruction of the filled queue with the highest priority (rule 2). It
// holds one instruction (Table 1: 256 bytes of addresses and data) and makes a line per cycle of it; in the
// stages behind it are lines. So it is free when only they are left, which a full window may delay.
void WarpPool::dispatch(Cycle now) {
  const std::uint32_t behind = spec_.stages - 3;
  for (Coalescer& c : coalescers_) {
    if (c.lines.size() > behind || filled_ == 0) continue;
    const auto q = static_cast<std::uint32_t>(std::countr_zero(filled_));
    Queue& queue = queues_[q];
    Instruction i = queue.instructions.front();
    queue.instructions.pop();
    i.at = now + spec_.stages - 2;
    c.instructions.push(i);
    c.lines.reserve(c.lines.size() + i.lines);
    for (std::uint32_t n = 0; n < i.lines; ++n, queue.lines.pop()) c.lines.push(queue.lines.front());
    if (queue.instructions.empty()) filled_ &= filled_ - 1;
    if (queue.instructions.size() < spec_.queue_entries) {
      for (unsigned w = 0; w < warps_ && w < sm::kMaxWarps; ++w)
        if (queue_of(w) == q) queue_full_ &= ~sm::bit(w);
      hold(i.warp);
    }
    moved_ = true;
  }
}

// ---- answers --------------------------------------------------------------------------------------------

// The next one that a request of the L1 will have; free until then.
std::uint32_t WarpPool::free_token() {
  if (free_tokens_.empty()) {
    free_tokens_.push_back(static_cast<std::uint32_t>(in_l1_.size()));
    in_l1_.emplace_back();
  }
  return free_tokens_.back();
}

void WarpPool::reply(Cycle now, const mem::Request& reply) {
  const std::uint32_t token = sm::Waiter::front_number(reply.token);
  if (l1_.apart) {
    selector_.pass(now);
    selector_.count(reply.hit, reply.joined);
  }
  writeback_.fill(now, in_l1_[token]);
  metadata_ -= in_l1_[token].count;
  free_tokens_.push_back(token);
  moved_ = true;
}

Cycle WarpPool::next(Cycle now) const {
  if (moved_) return now + 1;
  Cycle at = writeback_.next(now);
  if (!window_.empty()) {
    at = std::min(at, selector_.changes_at());
    if (blocked_tag_ != InterWarpQueues::kNone) at = std::min(at, std::max(now + 1, load_blocked_until_));
  }
  for (const Coalescer& c : coalescers_) {
    if (!c.instructions.empty()) {
      const Instruction& i = c.instructions.front();
      if (i.at > now) at = std::min(at, i.at);
      if (!i.load && i.at <= now) at = std::min(at, std::max(now + 1, store_blocked_until_));
    }
  }
  return at;
}

bool WarpPool::idle() const {
  return filled_ == 0 && window_.empty() && unwritten_ == 0 &&
         std::all_of(coalescers_.begin(), coalescers_.end(),
                     [](const Coalescer& c) { return c.instructions.empty(); });
}

std::uint32_t WarpPool::waiting() const {
  std::uint32_t n = window_.used();
  for (const Queue& q : queues_) n += q.instructions.size();
  for (const Coalescer& c : coalescers_) n += c.instructions.size();
  return n;
}

std::string WarpPool::waits() const {
  if (idle()) return {};
  std::uint32_t queued = 0, coalescing = 0;
  for (const Queue& q : queues_) queued += q.instructions.size();
  for (const Coalescer& c : coalescers_) coalescing += c.instructions.size();
  return fmt::format(
      "WarpPool: {} instructions queued, {} in coalescers, {} lines in the window, {} loads in the "
      "L1{}",
      queued, coalescing, window_.used(), metadata_, writeback_.full() ? ", writeback buffer full" : "");
}

void WarpPool::clear_statistics() {
  LoadFront::clear_statistics();
  own_ = {};
}

std::vector<mem::Identity> WarpPool::identities(const stats::Groups& s) const {
  const auto& own = s.get<WarpPoolStats>("warppool");
  std::uint64_t mapped = 0;
  for (const std::uint64_t n : own.mapping) mapped += n;
  return {{"line requests of loads that WarpPool classified and sent", mapped, own.loads.sum},
          {"line requests of loads that WarpPool sent and wrote back", own.loads.sum, own.written_back}};
}

}  // namespace heddle::warppool
