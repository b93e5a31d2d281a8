#include "analysis/access_meters.h"

#include <algorithm>
#include <bit>

namespace heddle::analysis {
namespace {

using workload::WarpAccess;

bool seen(const WarpAccess& a) {
  return a.space == WarpAccess::Space::Global || a.space == WarpAccess::Space::Texture;
}

mem::Op op_of(const WarpAccess& a) {
  return a.kind == WarpAccess::Kind::Load    ? mem::Op::Read
         : a.kind == WarpAccess::Kind::Store ? mem::Op::Write
                                             : mem::Op::Atomic;
}

// Bulk copies have ranges, not lanes. Calls f(line, words) for each of their lines, in order.
template <class F>
void for_lines_of_ranges(const WarpAccess& a, std::uint64_t line_bytes, F&& f) {
  for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(m));
    const std::uint64_t begin = a.address[lane], end = begin + a.sizes[lane];
    for (std::uint64_t line = begin / line_bytes * line_bytes; line < end; line += line_bytes) {
      std::uint32_t words = 0;
      for (std::uint64_t at = std::max(begin, line) / 4 * 4; at < std::min(end, line + line_bytes); at += 4)
        words |= 1u << (at / 4 % 32);
      f(line, words);
    }
  }
}

}  // namespace

AccessCounts& AccessCounts::operator+=(const AccessCounts& other) {
  loads += other.loads;
  stores += other.stores;
  atomics += other.atomics;
  load_lines += other.load_lines;
  store_lines += other.store_lines;
  atomic_lines += other.atomic_lines;
  for (std::size_t i = 0; i < windows.size(); ++i) windows[i] += other.windows[i];
  return *this;
}

AccessMeters::AccessMeters(std::uint32_t sms, std::uint32_t line_bytes)
    : line_bytes_(line_bytes), of_sm_(sms) {}

void AccessMeters::launch(LineReuse& reuse) {
  reuse_ = &reuse;
  reuse.launch();
  for (OfSm& s : of_sm_) {
    s.counts = {};
    s.window.clear();
  }
}

AccessCounts AccessMeters::counts() const {
  AccessCounts sum;
  for (const OfSm& s : of_sm_) sum += s.counts;
  return sum;
}

void AccessMeters::issued(std::uint32_t sm, std::uint64_t cta, std::uint32_t warp,
                          const workload::StaticInstr&, const workload::Issued& result) {
  if (result.event != workload::Issued::Event::Memory) return;
  OfSm& here = of_sm_[sm];
  bool counted = false;  // parts of an instruction count once
  for (std::uint32_t i = 0; i < result.accesses; ++i) {
    const WarpAccess& a = result.access[i];
    if (!seen(a) || a.mask == 0) continue;
    if (!counted) {
      const mem::Op op = op_of(a);
      ++(op == mem::Op::Read    ? here.counts.loads
         : op == mem::Op::Write ? here.counts.stores
                                : here.counts.atomics);
    }
    counted = true;
    access(here, a, {machine_->view(sm).clock(), 0, cta, 0, warp});
  }
}

void AccessMeters::access(OfSm& here, const WarpAccess& a, const Touch& by) {
  const mem::Op op = op_of(a);
  std::uint64_t& requests = op == mem::Op::Read    ? here.counts.load_lines
                            : op == mem::Op::Write ? here.counts.store_lines
                                                   : here.counts.atomic_lines;
  const auto request = [&](std::uint64_t line, std::uint32_t words) {
    ++requests;
    here.window.request(line, op, here.counts.windows);
    here.touches.push_back({by.at, line, by.cta, words, by.warp});
  };
  if (a.sizes != nullptr) {
    for_lines_of_ranges(a, line_bytes_, request);
    return;
  }
  coalesce(a, line_bytes_, here.lines);
  for (std::uint32_t i = 0; i < here.lines.count; ++i)
    request(here.lines.line[i].line, here.lines.line[i].words);
}

// Each SM's touches are in the order of time; of those of one cycle the SM with the lower number is first.
void AccessMeters::window_end() {
  all_.clear();
  for (OfSm& s : of_sm_) {
    all_.insert(all_.end(), s.touches.begin(), s.touches.end());
    s.touches.clear();
  }
  if (all_.empty()) return;
  std::stable_sort(all_.begin(), all_.end(), [](const Touch& a, const Touch& b) { return a.at < b.at; });
  for (const Touch& t : all_) reuse_->touch(t.line, t.words, t.cta, t.warp);
}

}  // namespace heddle::analysis
