#include "cluster/cluster_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>

#include "base/error.h"
#include "mem/routing.h"

namespace heddle::cluster {

using sim::Cycle;
using sim::kNever;

void ClusterSpec::fields(config::Reader& r) {
  using config::range;
  r.field(
      "request_buffer", request_buffer, range(1, 4096),
      "Requests of each SM before the merger, counted from when they are sent to when they are looked up");
  r.field("injection_buffer", injection_buffer, range(1, 4096),
          "Packets (or flits: noc.request.buffers) between the merger and the network");
  r.field("requests_per_cycle", requests_per_cycle, range(0, 64),
          "Requests taken from the SMs of a cluster and looked up per core cycle; 0: no limit");
  r.field("response_fifo", response_fifo, range(1, 4096),
          "Replies between the network and the SMs, counted from when they are sent");
  r.field("responses_per_cycle", responses_per_cycle, range(1, 64),
          "Replies handed to SMs per core cycle; one for several SMs counts once");
  r.field("broadcast", broadcast,
          "A reply for several SMs goes to all of them at once; else each SM's copy counts as a reply");
}

void ClusterStats::statistics(stats::Visitor& v) {
  v.counter("requests", requests, {"requests", "Requests taken from the cluster's SMs"});
  v.counter("injected", injected, {"packets", "Packets handed to the request network"});
  v.counter("injected_reads", injected_reads, {"packets", "Of these: reads (NoC read requests)"});
  v.counter("global_reads", global_reads,
            {"requests", "Reads of global memory taken from the cluster's SMs"});
  v.counter("global_reads_forwarded", global_reads_forwarded,
            {"requests", "Of these: neither merged nor answered by the merger"});
  v.counter("global_reads_injected", global_reads_injected,
            {"packets", "Reads of global memory handed to the request network"});
  v.counter("replies", replies, {"packets", "Packets taken from the reply network"});
  v.counter("delivered", delivered, {"replies", "Replies handed to SMs, each SM's copy counted"});
  v.counter("buffer_full_cycles", buffer_full_cycles,
            {"cycles", "Cycles in which a request waited because the injection buffer was full"});
  v.counter("network_stalls", network_stalls,
            {"cycles", "Cycles in which the network took no packet although one was ready"});
  v.counter("response_stalls", response_stalls,
            {"cycles", "Cycles in which a reply, and all behind it, waited for an SM to take its copy"});
}

ClusterPort::ClusterPort(const ClusterSpec& spec, ClusterWiring wiring, std::unique_ptr<MissMerger> merger,
                         std::string name)
    : spec_(spec),
      wiring_(std::move(wiring)),
      merger_(std::move(merger)),
      delay_(merger_->delay()),
      virtual_channels_(wiring_.to_network->virtual_channels()),
      in_flits_(wiring_.packet.buffers == mem::BufferUnit::Flits),
      name_(std::move(name)),
      arrival_(wiring_.sms.size(), kNever),
      // A lookup that takes longer has room for packets of any length.
      places_(spec.injection_buffer + delay_.request * std::max(1u, spec.requests_per_cycle) *
                                          wiring_.packet.places(mem::flits_of_data(
                                              wiring_.packet, mem::kMaxSectors * mem::kSectorBytes))),
      buffer_(places_),
      lookup_(delay_.request, buffer_.capacity()) {
  const std::size_t n = wiring_.sms.size();
  if (n == 0 || n > kMostSms)
    throw Error(fmt::format("{} has {} SMs; a cluster has 1 to {}", name_, n, kMostSms),
                "change the number of clusters");
  assert(wiring_.requests.size() == n && wiring_.replies.size() == n);
  channel_of_.resize(*std::max_element(wiring_.sms.begin(), wiring_.sms.end()) + std::size_t{1}, kMostSms);
  for (std::size_t i = 0; i < n; ++i) {
    channel_of_[wiring_.sms[i]] = static_cast<std::uint16_t>(i);
    wiring_.requests[i]->announce(news_, static_cast<std::uint32_t>(i));
  }
}

Cycle ClusterPort::run(Cycle from, Cycle until) {
  // Channels change their other ends only between windows.
  look_at_inputs();
  for (Cycle now = from; now < until;) {
    // Each stage before the one that fills it: nothing passes two in a cycle.
    respond(now);
    inject(now);
    take(now);
    now = following(now);
    if (now >= until) return now;
  }
  return until;
}

void ClusterPort::look_at_inputs() {
  for (std::uint64_t m = news_ & ~waiting_; m != 0; m &= m - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(m));
    arrival_[i] = wiring_.requests[i]->next_arrival();
  }
  waiting_ |= news_;
  news_ = 0;
}

Cycle ClusterPort::following(Cycle now) const {
  const bool responses = !response_.empty() || due_at_ != due_.size();
  if ((responses && !sm_full_) || (!buffer_.empty() && !network_full_)) return now + 1;
  Cycle next = sm_full_ ? kNever : std::max(now + 1, reply_due());
  if (network_full_) {
    const mem::Packet& p = buffer_.front();
    next = std::min(next, wiring_.to_network->room_at(p.vc, places_of(p)));
  }
  if (sm_full_) {
    const std::size_t waiting = spec_.broadcast ? response_.size() : 1;
    for (std::size_t i = 0; i < waiting; ++i)
      next = std::min(next, std::max(now + 1, wiring_.replies[channel_of_[response_[i].sm]]->room_at()));
  }
  // A request that has arrived and finds no room is looked at once more, to count from when on it waits;
  // then not until something else happens.
  const bool noted = buffer_timer_.since != kNever;
  if (noted && buffered_ < places_ && !may_take()) return now + 1;  // it waits for something else now
  const bool look = may_take() || (buffered_ >= places_ && !noted);
  for (std::uint64_t m = waiting_; m != 0; m &= m - 1) {
    const auto i = static_cast<std::uint32_t>(std::countr_zero(m));
    const Cycle arrival = arrival_[i];
    if (arrival > now || (look && (!noted || fits(i)))) next = std::min(next, std::max(now + 1, arrival));
  }
  return next;
}

// ---- towards the SMs ------------------------------------------------------------------------------

void ClusterPort::respond(Cycle now) {
  bool stalled = false;
  for (std::uint32_t n = 0; n < spec_.responses_per_cycle && !stalled; ++n) {
    if (response_.empty() && !next_response(now)) break;
    stalled = !(spec_.broadcast ? deliver(now) : deliver_one(now));
  }
  sm_full_ = stalled;
  response_timer_.note(stalled, now, stats_.response_stalls);
}

// Puts the copies of the next reply into response_ (perhaps none); false when there is no reply.
bool ClusterPort::next_response(Cycle now) {
  const bool own = own_answer_due(now);
  const bool other = reply_due() <= now;
  if (!own && !other) return false;
  if (own && (due_first_ || !other)) {
    response_.push_back(due_[due_at_++]);
    if (due_at_ == due_.size()) {
      due_.clear();
      due_from_.clear();
      due_at_ = 0;
    }
  } else {
    PacketChannel& fifo = *wiring_.from_network;
    merger_->reply(now, fifo.front().request, response_);
    if (traffic_ != nullptr) ++traffic_->replies[fifo.front().source];
    ++stats_.replies;
    fifo.pop(now);
  }
  due_first_ = !due_first_;
  return true;
}

// Gives each SM its copy that can take it; true when all have theirs.
bool ClusterPort::deliver(Cycle now) {
  std::size_t kept = 0;
  for (const mem::Request& r : response_)
    if (!send(now, r)) response_[kept++] = r;
  response_.resize(kept);
  return kept == 0;
}

// Gives one SM its copy; false when that SM cannot take it.
bool ClusterPort::deliver_one(Cycle now) {
  if (response_.empty()) return true;  // the reply was for nobody yet
  if (!send(now, response_.front())) return false;
  response_.erase(response_.begin());
  return true;
}

bool ClusterPort::send(Cycle now, const mem::Request& copy) {
  assert(copy.sm < channel_of_.size() && channel_of_[copy.sm] < arrival_.size());
  RequestChannel& to = *wiring_.replies[channel_of_[copy.sm]];
  if (!to.can_send(now)) return false;
  to.send(now, copy);
  ++stats_.delivered;
  if (potential_ != nullptr && mem::is_global_read(copy)) potential_->answer(copy.line);
  return true;
}

// ---- towards the network --------------------------------------------------------------------------

void ClusterPort::inject(Cycle now) {
  network_full_ = false;
  while (!buffer_.empty() && lookup_.over(now)) {
    const mem::Packet& p = buffer_.front();
    const std::uint32_t places = places_of(p);
    network_full_ = !wiring_.to_network->can_send(now, p.vc, places);
    if (network_full_) break;
    const mem::Request& r = p.request;
    stats_.injected_reads += r.op == mem::Op::Read ? 1 : 0;
    stats_.global_reads_injected += mem::is_global_read(r) ? 1 : 0;
    if (traffic_ != nullptr) ++traffic_->requests[p.destination];
    wiring_.to_network->send(now, p, p.vc, places);
    buffered_ -= places;
    buffer_.pop();
    lookup_.pop();
    ++stats_.injected;
  }
  network_timer_.note(network_full_ && !buffer_.empty(), now, stats_.network_stalls);
}

void ClusterPort::take(Cycle now) {
  std::uint64_t ready = 0;
  for (std::uint64_t m = waiting_; m != 0; m &= m - 1) {
    const auto i = static_cast<std::uint32_t>(std::countr_zero(m));
    ready |= std::uint64_t{arrival_[i] <= now} << i;
  }
  const std::uint32_t limit = spec_.requests_per_cycle == 0 ? ~0u : spec_.requests_per_cycle;
  std::uint32_t taken = 0;
  bool unfit = false;  // a packet is longer than the room that is left
  while (taken < limit && ready != 0 && may_take()) {
    const std::uint64_t after = ready & (~std::uint64_t{0} << turn_);
    const auto i = static_cast<std::uint32_t>(std::countr_zero(after != 0 ? after : ready));
    if (!fits(i)) [[unlikely]] {
      unfit = true;
      ready &= ~(std::uint64_t{1} << i);
      continue;
    }
    turn_ = i + 1 == arrival_.size() ? 0 : i + 1;
    const bool again = take_from(i, now) != MissMerger::Verdict::Wait && arrival_[i] <= now;
    if (!again) ready &= ~(std::uint64_t{1} << i);
    ++taken;
  }
  const bool full = unfit || (ready != 0 && buffered_ >= places_);
  buffer_timer_.note(taken < limit && full, now, stats_.buffer_full_cycles);
}

bool ClusterPort::flits_fit(std::uint32_t sm) const {
  return buffered_ + mem::flits(wiring_.packet, wiring_.requests[sm]->front()) <= places_;
}

MissMerger::Verdict ClusterPort::take_from(std::uint32_t i, Cycle now) {
  RequestChannel& from = *wiring_.requests[i];
  mem::Packet p;
  p.request = from.front();
  p.request.cluster = wiring_.cluster;
  const MissMerger::Verdict verdict = merger_->offer(now, p.request, due_);
  if (delay_.answer != 0) due_from_.resize(due_.size(), now + delay_.answer);
  if (verdict == MissMerger::Verdict::Wait) return verdict;
  ++stats_.requests;
  const bool global_read = mem::is_global_read(from.front());
  if (global_read) count_global_read(from.front(), now);
  from.pop(now);
  arrival_[i] = from.next_arrival();
  if (arrival_[i] == kNever) waiting_ &= ~(std::uint64_t{1} << i);
  if (verdict == MissMerger::Verdict::Forward) {
    mem::address_request(p, wiring_.packet, virtual_channels_);
    buffered_ += places_of(p);
    buffer_.push(p);
    lookup_.push(now);
    stats_.global_reads_forwarded += global_read ? 1 : 0;
    if (p.request.posted) [[unlikely]]
      answer_posted(p.request, now);
  }
  return verdict;
}

// Nobody below will answer: the merger is told that it is over, the SM has known since its L1 took it.
void ClusterPort::answer_posted(const mem::Request& request, Cycle now) {
  std::vector<mem::Request> nobodys;
  mem::Request reply = request;
  reply.reply = true;
  merger_->reply(now, reply, nobodys);
}

void ClusterPort::count_global_read(const mem::Request& request, Cycle now) {
  ++stats_.global_reads;
  if (locality_ != nullptr) locality_->request(now, request);
  if (potential_ != nullptr) potential_->request(now, request.line, true);
}

// ---- reports --------------------------------------------------------------------------------------

void ClusterPort::clear_statistics() {
  stats_ = {};
  merger_->clear_statistics();
  if (locality_ != nullptr) locality_->clear_statistics();
  if (potential_ != nullptr) potential_->clear_statistics();
}

std::uint64_t ClusterPort::in_flight() const {
  return buffer_.size() + response_.size() + (due_.size() - due_at_);
}

std::string ClusterPort::waits() const {
  std::string text;
  if (!buffer_.empty())
    text +=
        fmt::format("injection buffer: {} of {} {}, the first for L2 slice {}\n", buffered_,
                    spec_.injection_buffer, in_flits_ ? "flits" : "packets", buffer_.front().request.slice);
  if (!response_.empty())
    text += fmt::format("response: {} SMs have not got their copy, the first is SM {}\n", response_.size(),
                        response_.front().sm);
  if (const std::uint64_t n = wiring_.from_network->sent() - wiring_.from_network->taken(); n > 0)
    text += fmt::format("response FIFO: {} of {} replies\n", n, spec_.response_fifo);
  if (merger_->waiting() > 0)
    text += fmt::format("merger: {} requests without an answer\n", merger_->waiting());
  return text;
}

}  // namespace heddle::cluster
