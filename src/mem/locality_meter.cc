#include "mem/locality_meter.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace heddle::mem {

using sim::Cycle;

namespace {

// Marks the words touched now; returns the age of the youngest of them before that.
std::uint32_t touch(std::array<std::uint32_t, 32>& touched, std::uint32_t words, std::uint32_t now,
                    std::uint32_t old) {
  std::uint32_t youngest = old;
  for (std::uint32_t i = 0; i < touched.size(); ++i) {
    const std::uint32_t age = std::min(now - touched[i], old);
    const bool hit = (words >> i & 1) != 0;
    youngest = std::min(youngest, hit ? age : old);
    touched[i] = hit ? now : now - age;
  }
  return youngest;
}

}  // namespace

void LocalityMeter::request(Cycle now, const Request& r) {
  ++stats_.requests;
  const auto low = static_cast<std::uint32_t>(now);
  Lines::Entry e = lines_.find(now, r.line);
  if (e == Lines::kNone) {
    e = lines_.add(now, r.line);
    Line& line = lines_.mark(e);
    line.touched.fill(low - kOld);
    touch(line.touched, r.words, low, kOld);
    line.sm = r.sm;
    return;
  }
  Line& line = lines_.mark(e);
  const Cycle last = lines_.last(e);
  const std::uint32_t data_age = touch(line.touched, r.words, low, kOld);
  if (r.sm != line.sm) {
    line.other = last;
    line.others = true;
    line.sm = r.sm;
  }
  count(now - last, data_age, line.others ? now - line.other : sim::kNever);
  lines_.touch(e, now);
}

void LocalityMeter::count(std::uint64_t line_age, std::uint64_t data_age, std::uint64_t other_age) {
  for (std::size_t i = 0; i < kLocalityWindows.size(); ++i) {
    const std::uint32_t window = kLocalityWindows[i];
    if (line_age > window) continue;
    LocalityStats::Window& w = stats_.windows[i];
    ++w.redundant;
    ++(data_age <= window ? w.data_sharing : w.line_sharing);
    ++(other_age <= window ? w.other_sm : w.same_sm);
  }
}

void LocalityStats::statistics(stats::Visitor& v) {
  v.counter("requests", requests,
            {"requests", "Reads of global memory that clusters took from their SMs (with measure.locality)"});
  for (std::size_t i = 0; i < kLocalityWindows.size(); ++i) {
    Window& w = windows[i];
    const std::string n = std::to_string(kLocalityWindows[i]);
    const auto counter = [&](const char* name, std::uint64_t& value, const std::string& what) {
      v.counter(name + n, value, {"requests", what});
    };
    counter("redundant_", w.redundant, fmt::format("Line requested by the same cluster within {} cycles", n));
    counter("line_sharing_", w.line_sharing, "Of these: only other words of the line were touched");
    counter("data_sharing_", w.data_sharing, "Of these: one of its words was touched as well");
    counter("same_sm_", w.same_sm, "Of the redundant: all earlier requests of the window by the same SM");
    counter("other_sm_", w.other_sm, "Of the redundant: an earlier request of the window by another SM");
    v.ratio("redundant_share_" + n, w.redundant, requests,
            {"", fmt::format("Intra-cluster locality: share of redundant requests within {} cycles", n)});
    v.ratio("line_sharing_share_" + n, w.line_sharing, requests, {"", "Its part by line sharing"});
    v.ratio("data_sharing_share_" + n, w.data_sharing, requests, {"", "Its part by data sharing"});
  }
}

}  // namespace heddle::mem
