// What stands at the other ends of the channels of a unit under test: who sends, who takes, who answers. With
// them a unit runs in an engine of its own, in every way that the engine has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/channel.h"
#include "sim/engine.h"
#include "sim/unit.h"

namespace heddle::sim {

// When an end takes messages: not in the first `closed` of every `period` cycles.
struct Opening {
  Cycle period = 1, closed = 0;
  Cycle from(Cycle at) const {
    if (at == kNever) return kNever;
    const Cycle phase = at % period;
    return phase < closed ? at + (closed - phase) : at;
  }
};

// The virtual channel that a message takes in `channel`: packets name one, where there are several.
template <class T>
std::uint32_t vc_of(const ChannelBase& channel, const T& message) {
  if constexpr (requires { message.vc; })
    return channel.virtual_channels() == 1 ? 0 : message.vc;
  else
    return 0;
}

// Places that a message takes in a channel; empty: one.
template <class T>
class Places {
 public:
  using Count = std::function<std::uint32_t(const T&)>;
  Places(Count count = nullptr) : count_(std::move(count)) {}  // NOLINT: an end's last argument
  std::uint32_t of(const T& message) const { return count_ ? count_(message) : 1; }

 private:
  Count count_;
};

// Sends messages in order, each no earlier than its cycle.
template <class T>
class Source final : public Unit {
 public:
  using Messages = std::vector<std::pair<Cycle, T>>;
  Source(Channel<T>& out, Messages messages, Places<T> places = {})
      : out_(out), messages_(std::move(messages)), places_(std::move(places)) {}
  Cycle run(Cycle from, Cycle until) override {
    for (; at_ < messages_.size(); ++at_) {
      const auto& [when, message] = messages_[at_];
      from = std::max({from, when, out_.room_at(vc_of(out_, message), places_.of(message))});
      if (from >= until) return from;
      out_.send(from, message, vc_of(out_, message), places_.of(message));
    }
    return kNever;
  }
  std::string name() const override { return "source"; }
  std::string waits() const override { return at_ < messages_.size() ? "has more to send" : ""; }

 private:
  Channel<T>& out_;
  Messages messages_;
  Places<T> places_;
  std::size_t at_ = 0;
};

// Takes one message per cycle and tells `seen` of it.
template <class T>
class Sink final : public Unit {
 public:
  using Seen = std::function<void(Cycle, const T&)>;
  Sink(Channel<T>& in, const Opening& opening, Seen seen, Places<T> places = {})
      : in_(in), opening_(opening), seen_(std::move(seen)), places_(std::move(places)) {}
  Cycle run(Cycle from, Cycle until) override {
    for (;; ++from) {
      from = opening_.from(std::max(from, in_.next_arrival()));
      if (in_.next_arrival() == kNever) return kNever;
      if (from >= until) return from;
      seen_(from, in_.front());
      const std::uint32_t vc = vc_of(in_, in_.front()), places = places_.of(in_.front());
      in_.take();
      for (std::uint32_t n = 0; n < places; ++n) in_.give_back(from, vc);
    }
  }
  std::string name() const override { return "sink"; }
  std::string waits() const override { return {}; }

 private:
  Channel<T>& in_;
  Opening opening_;
  Seen seen_;
  Places<T> places_;
};

// Answers every message with `reply(message)`, after as many cycles as `delay` says; it holds
// `capacity` of them.
template <class T>
class Echo final : public Unit {
 public:
  using Reply = std::function<T(const T&)>;
  using Delay = std::function<Cycle(Cycle now, const T&)>;  // kNever: no answer
  Echo(Channel<T>& in, Channel<T>& out, const Opening& opening, std::size_t capacity, Reply reply,
       Delay delay, Places<T> places = {})
      : in_(in),
        out_(out),
        opening_(opening),
        capacity_(capacity),
        reply_(std::move(reply)),
        delay_(std::move(delay)),
        places_(std::move(places)) {}
  Cycle run(Cycle from, Cycle until) override {
    while (from < until) {
      step(from);
      from = following(from);
    }
    return from;
  }
  std::string name() const override { return "echo"; }
  std::string waits() const override { return due_.empty() ? "" : "holds messages"; }
  std::uint64_t answered() const { return answered_; }

 private:
  void step(Cycle now) {
    while (!due_.empty() && due_.begin()->first <= now && out_.can_send(now)) {
      out_.send(now, reply_(held_[due_.begin()->second]));
      due_.erase(due_.begin());
      ++answered_;
    }
    while (due_.size() < capacity_ && opening_.from(now) == now && in_.ready(now)) {
      const Cycle delay = delay_(now, in_.front());
      if (delay != kNever) due_.emplace(now + 1 + delay, held_.size());
      held_.push_back(in_.front());
      in_.take();
      for (std::uint32_t n = 0; n < places_.of(held_.back()); ++n)
        in_.give_back(now, vc_of(in_, held_.back()));
    }
  }
  Cycle following(Cycle now) const {
    Cycle next = kNever;
    if (!due_.empty()) next = std::max({now + 1, due_.begin()->first, out_.room_at()});
    if (due_.size() < capacity_ && in_.next_arrival() != kNever)
      next = std::min(next, opening_.from(std::max(now + 1, in_.next_arrival())));
    return next;
  }
  Channel<T>& in_;
  Channel<T>& out_;
  Opening opening_;
  std::size_t capacity_;
  Reply reply_;
  Delay delay_;
  Places<T> places_;                             // in `in`
  std::vector<T> held_;                          // all that ever came
  std::set<std::pair<Cycle, std::size_t>> due_;  // when, and which of them
  std::uint64_t answered_ = 0;
};

}  // namespace heddle::sim
