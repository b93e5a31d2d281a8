// What comes back to an L1: fills, and the answers to those who wait.
#include <cassert>

#include "cache/l1_cache.h"

namespace heddle::cache {

using mem::Op;
using mem::Request;
using sim::Cycle;

void L1Cache::reply(Cycle now, const Request& r) {
  if (r.token == kWriteBackToken) {
    --write_backs_;
    return;
  }
  if ((r.token & kPassing) != 0) {
    const std::uint32_t record = r.token & ~kPassing;
    Request answer = records_[record];
    free_records_.push_back(record);
    answer.line = tags_.without_part(answer.line);
    answer.reply = true;
    if (answer.op == Op::Read) missed(now, answer);
    client_.reply(now, answer);
    return;
  }
  if (replicas_ != nullptr) [[unlikely]]
    replicas_->at(now);
  const Mshrs::Entry e = r.token;
  const std::uint64_t line = mshrs_.key(e);
  const Mask arrived = unit(r.sectors);
  const Mask stale =
      spec_.overtaken_fill == OvertakenFill::Dropped ? static_cast<Mask>(stale_[e] & arrived) : Mask{0};
  stale_[e] = static_cast<Mask>(stale_[e] & ~arrived);
  const Way w = fill(line, arrived, stale);
  if (prefetch_ != nullptr) {
    prefetch_->filled(now, r, e, w, static_cast<Mask>(arrived & ~stale));
    if (r.prefetch && meter_ != nullptr && mem::is_global_read(r)) meter_->answer(line);
  }

  answer_readers(now, e, arrived, r.slice);
}

void L1Cache::answer_readers(Cycle now, Mshrs::Entry e, Mask arrived, std::uint16_t slice) {
  Request answer;
  answer.line = tags_.without_part(mshrs_.key(e));
  answer.slice = slice;
  answer.reply = true;
  Ready* last = nullptr;
  if (spec_.replies_per_cycle != 0) ready_.reserve(ready_.size() + mshrs_.waiters(e));
  const bool closed = mshrs_.arrive(e, arrived, [&](const Reader& reader) {
    if (reader.prefetch) return;
    answer.born = reader.born;
    answer.token = reader.token;
    answer.words = reader.words;
    answer.payload = reader.payload;
    answer.sm = reader.sm;
    answer.space = reader.space;
    answer.sectors = reader.sectors;
    answer.no_l1 = reader.no_l1;
    answer.joined = reader.joined;
    if (spec_.replies_per_cycle == 0 || (ready_.empty() && take_turn(now))) {
      deliver(now, answer);
    } else {
      last = &ready_.push();
      *last = {answer, false};
    }
  });
  if (!closed) return;
  if (last == nullptr) {
    mshrs_closed_ += now;
  } else {
    last->last = true;
    ++mshrs_held_;
  }
}

bool L1Cache::take_turn(Cycle at) {
  if (answered_at_ != at) {
    answered_at_ = at;
    answers_ = 0;
  }
  return answers_++ < spec_.replies_per_cycle;
}

void L1Cache::answer_ready(Cycle at) {
  while (!ready_.empty() && client_.takes_replies() && take_turn(at)) {
    const Ready r = ready_.front();
    ready_.pop();
    if (r.last) {
      --mshrs_held_;
      mshrs_closed_ += at;
    }
    deliver(at, r.answer);
  }
}

TagStore::Way L1Cache::fill(std::uint64_t line, Mask arrived, Mask stale) {
  const auto keep = static_cast<Mask>(arrived & ~stale);
  ++stats_.fills;
  Way w = tags_.find(line);
  if (w == TagStore::kNone && keep != 0) {
    // Chosen only now. A reply cannot wait: without room to write a dirty line back nothing is stored.
    assert(spec_.allocate == Allocate::OnFill);
    if (dirty_lines_ == 0 || queue_.room() != 0) w = make_room(line);
  }
  if (w == TagStore::kNone) {
    ++stats_.fills_not_kept;
    return w;
  }
  tags_.fill(w, keep);
  tags_.end_pending(w, arrived);
  if (tags_.valid(w) == 0 && tags_.pending(w) == 0) {
    tags_.invalidate(w);
    ++stats_.fills_not_kept;
    return TagStore::kNone;
  }
  if (replicas_ != nullptr && keep != 0) replicas_->add(mem::ReplicaLog::What::Filled, line);
  return w;
}

}  // namespace heddle::cache
