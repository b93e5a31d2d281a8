// A channel carries messages from one unit to one other: in order, each `latency` cycles after it was sent,
// into a buffer of `places` at its end. A place is taken when a message is sent and given back when the
// message leaves the buffer; the writer knows of it `latency` cycles later, since that news travels as far as
// the message did. So n places carry n / (2 x latency) messages per cycle, and a writer whose reader takes
// nothing stops after n. Virtual channels share the wire; each has a buffer of its own. A message may take
// several places (flits of a packet); they may be given back one after the other.
//
// Both directions take time, so what a unit sees in a cycle was decided `latency` cycles before: units may
// simulate up to that many cycles apart, in any order, on different host threads, and no result depends on
// it. What one end did is published to the other by the engine, at the end of a window that is no longer than
// the latency.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

#include "sim/time.h"

namespace heddle::sim {

using UnitId = std::uint32_t;
inline constexpr UnitId kNoUnit = ~0u;

// What the engine does with every channel, and its places.
class ChannelBase {
 public:
  virtual ~ChannelBase() = default;
  ChannelBase(const ChannelBase&) = delete;
  ChannelBase& operator=(const ChannelBase&) = delete;

  struct Published {
    Cycle reader_from = kNever;  // the reader has a new message at this cycle
    Cycle writer_from = kNever;  // the writer waits for a place, and has one from this cycle on
  };
  virtual Published publish() = 0;

  Cycle latency() const { return latency_; }
  std::uint32_t places() const { return places_; }  // of each virtual channel
  std::uint32_t virtual_channels() const { return virtual_channels_; }
  bool empty() const { return reader_.head == writer_.tail; }  // nothing under way either; between windows
  std::uint64_t sent() const { return writer_.tail; }
  std::uint64_t taken() const { return reader_.head; }

  // Writer: the first cycle in which a message that takes `size` places can be sent; kNever when that is not
  // known yet: the engine wakes the writer when it is.
  [[gnu::always_inline]] Cycle room_at(std::uint32_t vc = 0, std::uint32_t size = 1) const {
    assert(size > 0 && size <= places_);
    if (size != 1) [[unlikely]]
      return room_for(vc, size);
    const WritersPlaces& w = vc == 0 ? writer_.places : more_writers_[vc - 1];
    if (w.taken < places_) return 0;
    if (w.taken - places_ < w.freed) return free_at_[std::size_t{vc} * places_ + w.next];
    w.refused = 1;
    return kNever;
  }
  bool can_send(Cycle now, std::uint32_t vc = 0, std::uint32_t size = 1) const {
    return room_at(vc, size) <= now;
  }

  // Reader: a place of a message that it took before is free from `now` on. Times never decrease; they may
  // lie ahead.
  void give_back(Cycle now, std::uint32_t vc = 0) {
    ReadersPlaces& r = readers(vc);
    assert(reader_.head > 0);
    free_at_[std::size_t{vc} * places_ + r.next] = now + latency_;
    ++r.given;
    if (++r.next == places_) r.next = 0;
    if (reader_.listed) return;
    reader_.listed = true;
    if (reader_list != nullptr) reader_list->push_back(this);
  }

  // Reader, once at first: publish() sets `bit` of `word` whenever it brings messages, so that a reader of
  // many channels looks only at those.
  void announce(std::uint64_t& word, std::uint32_t bit) {
    reader_.news = &word;
    reader_.news_bit = std::uint64_t{1} << bit;
  }

  // Ends of the channel, set by the engine.
  UnitId writer = kNoUnit, reader = kNoUnit;
  std::vector<ChannelBase*>* writer_list = nullptr;  // where a touched channel is noted for publishing
  std::vector<ChannelBase*>* reader_list = nullptr;

 protected:
  ChannelBase(Cycle latency, std::uint32_t places, std::uint32_t virtual_channels)
      : latency_(latency),
        places_(places),
        virtual_channels_(virtual_channels),
        free_at_(std::size_t{places} * virtual_channels),
        more_writers_(virtual_channels - 1),
        more_readers_(virtual_channels - 1) {
    assert(places > 0 && virtual_channels > 0);
  }
  void take_places(std::uint32_t vc, std::uint32_t size) {
    WritersPlaces& w = writers(vc);
    ++w.taken;
    if (++w.next == places_) w.next = 0;
    if (size != 1) [[unlikely]]
      take_further(w, size - 1);
    if (writer_.listed) return;
    writer_.listed = true;
    if (writer_list != nullptr) writer_list->push_back(this);
  }
  // The writer learns of places given back; returns from when on it has one that it waited for.
  Cycle publish_places() {
    Cycle from = kNever;
    for (std::uint32_t vc = 0; vc < virtual_channels_; ++vc) {
      WritersPlaces& w = writers(vc);
      if (w.freed == readers(vc).given) continue;
      w.freed = readers(vc).given;
      if (w.refused == 0) continue;
      const std::uint32_t size = w.refused;
      w.refused = 0;
      from = std::min(from, room_at(vc, size));
    }
    return from;
  }

 private:
  // Places of a virtual channel, as each end counts them. The n-th one taken is the one given back as the
  // (n - places)-th.
  struct WritersPlaces {
    std::uint64_t taken = 0;
    std::uint64_t freed = 0;            // as far as it was published
    std::uint32_t next = 0;             // taken % places
    mutable std::uint32_t refused = 0;  // places that the writer waits for, at least
  };
  struct ReadersPlaces {
    std::uint64_t given = 0;
    std::uint32_t next = 0;  // given % places
  };
  // The place `n` behind `place`, n <= places.
  std::uint32_t behind(std::uint32_t place, std::uint32_t n) const {
    const std::uint32_t at = place + n;
    return at < places_ ? at : at - places_;
  }
  // Messages of several places are rare: room_at() and take_places() stay as small as for one.
  [[gnu::noinline]] Cycle room_for(std::uint32_t vc, std::uint32_t size) const {
    const WritersPlaces& w = vc == 0 ? writer_.places : more_writers_[vc - 1];
    const std::uint64_t taken = w.taken + (size - 1);
    if (taken < places_) return 0;
    if (taken - places_ < w.freed) return free_at_[std::size_t{vc} * places_ + behind(w.next, size - 1)];
    w.refused = w.refused == 0 ? size : std::min(w.refused, size);
    return kNever;
  }
  [[gnu::noinline]] void take_further(WritersPlaces& w, std::uint32_t n) {
    w.taken += n;
    w.next = behind(w.next, n);
  }
  WritersPlaces& writers(std::uint32_t vc) { return vc == 0 ? writer_.places : more_writers_[vc - 1]; }
  ReadersPlaces& readers(std::uint32_t vc) { return vc == 0 ? reader_.places : more_readers_[vc - 1]; }

  Cycle latency_;
  std::uint32_t places_, virtual_channels_;
  std::vector<Cycle> free_at_;  // [virtual channel][place]
  std::vector<WritersPlaces> more_writers_;
  std::vector<ReadersPlaces> more_readers_;

 protected:
  // One line of the host's cache for each end.
  struct alignas(64) WritersSide {
    std::uint64_t tail = 0;
    std::uint64_t taken = 0;  // the reader's head, as far as it was published
    Cycle first_new = kNever;
    WritersPlaces places;
    bool listed = false;
  } writer_;
  struct alignas(64) ReadersSide {
    std::uint64_t head = 0;
    std::uint64_t published = 0;  // the writer's tail
    ReadersPlaces places;
    std::uint64_t* news = nullptr;
    std::uint64_t news_bit = 0;
    bool listed = false;
  } reader_;
};

template <class T>
class Channel final : public ChannelBase {
 public:
  Channel(Cycle latency, std::uint32_t places, std::uint32_t virtual_channels = 1)
      : ChannelBase(latency, places, virtual_channels), ring_(8) {}

  // ---- writer -------------------------------------------------------------------------------------
  // Sending times never decrease.
  void send(Cycle now, const T& message, std::uint32_t vc = 0, std::uint32_t size = 1) {
    assert(can_send(now, vc, size));
    const Cycle arrival = now + latency();
    if (writer_.tail - writer_.taken < ring_.size()) {
      Entry& s = ring_[writer_.tail & (ring_.size() - 1)];
      s.arrival = arrival;
      s.message = message;
    } else {
      overflow_.push_back({arrival, message});
    }
    if (writer_.first_new == kNever) writer_.first_new = arrival;
    ++writer_.tail;
    take_places(vc, size);
  }

  // ---- reader -------------------------------------------------------------------------------------
  bool ready(Cycle now) const {
    return reader_.head != reader_.published && entry(reader_.head).arrival <= now;
  }
  // When the next message arrives; kNever when none is known.
  Cycle next_arrival() const {
    return reader_.head != reader_.published ? entry(reader_.head).arrival : kNever;
  }
  const T& front() const { return entry(reader_.head).message; }
  // Off the wire; it keeps its places until give_back().
  void take() { ++reader_.head; }
  // Off the wire, and its one place is free.
  void pop(Cycle now) {
    take();
    give_back(now);
  }

  Published publish() override {
    Published p;
    if (reader_.published != writer_.tail) {
      if (!overflow_.empty()) grow();
      p.reader_from = writer_.first_new;
      reader_.published = writer_.tail;
      if (reader_.news != nullptr) *reader_.news |= reader_.news_bit;
      writer_.first_new = kNever;
    }
    writer_.taken = reader_.head;
    p.writer_from = publish_places();
    writer_.listed = reader_.listed = false;
    return p;
  }

 private:
  struct Entry {
    Cycle arrival = 0;
    T message{};
  };
  const Entry& entry(std::uint64_t i) const { return ring_[i & (ring_.size() - 1)]; }
  // The ring is as large as what was ever under way, not as what could be: a small one stays in the host's
  // caches.
  void grow() {
    const std::uint64_t kept = writer_.tail - overflow_.size();
    std::vector<Entry> larger(std::bit_ceil(writer_.tail - writer_.taken));
    for (std::uint64_t i = reader_.head; i < kept; ++i) larger[i & (larger.size() - 1)] = entry(i);
    for (std::uint64_t i = kept; i < writer_.tail; ++i) larger[i & (larger.size() - 1)] = overflow_[i - kept];
    ring_.swap(larger);
    overflow_.clear();
  }

  std::vector<Entry> ring_;      // a power of two
  std::vector<Entry> overflow_;  // sent since the last publish(), with no room in the ring
};

}  // namespace heddle::sim
