#include "apps/cli/reports/funnel_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/numbers.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

using mem::Funnel;
using mem::FunnelLevel;
using mem::FunnelPlace;

// Bars and shares are of these: lanes would leave nothing to see of the rest.
const FunnelLevel& line_requests(const Funnel& f) {
  return f.at("line requests");
}

constexpr std::size_t kBar = 24;

// As long as the count is large, beside the line requests: lanes would leave nothing to see of the rest. What
// is longer ends in '>'. The end of a bar shows with '+' what could have merged.
std::string bar(const FunnelLevel& level, std::uint64_t full) {
  if (full == 0 || level.count == 0) return {};
  const auto length = [&](std::uint64_t n) {
    return static_cast<std::size_t>(std::min(1.0, ratio(n, full)) * kBar + 0.5);
  };
  const std::size_t all = std::max<std::size_t>(1, length(level.count));
  const std::size_t could = std::min(all, length(level.could_merge.value_or(0)));
  std::string text = std::string(all - could, '#') + std::string(could, '+');
  if (level.count > full) text.back() = '>';
  return text;
}

std::string share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f}%", 100 * ratio(part, whole));
}

// Requests that a place put among those of level `i`.
std::uint64_t added_at(const Funnel& f, std::size_t i) {
  std::uint64_t n = 0;
  for (const FunnelPlace& p : f.places) n += p.out == i ? Funnel::added(p) : 0;
  return n;
}

// Requests that a place packed into packets of others.
std::uint64_t bundled_at(const Funnel& f, std::size_t i) {
  std::uint64_t n = 0;
  for (const FunnelPlace& p : f.places)
    for (const mem::FunnelPart& part : p.parts)
      n += p.out == i && part.bundled && !part.added ? part.count : 0;
  return n;
}

// The step that takes most requests away, coalescing within warps (which every GPU has) left aside.
std::string most_removed(const Funnel& f) {
  std::uint64_t most = 0;
  std::size_t at = 0;
  for (std::size_t i = f.number_of("line requests") + 1; i < f.levels.size(); ++i) {
    const FunnelLevel &before = f.levels[i - 1], &after = f.levels[i];
    if (after.unit != "requests" && after.unit != "packets") continue;  // DRAM counts something else
    const std::uint64_t passed = after.count - added_at(f, i) + bundled_at(f, i);
    if (before.count <= passed || before.count - passed <= most) continue;
    most = before.count - passed;
    at = i;
  }
  if (most == 0) return "No level removes any line request.";
  return fmt::format("Most redundancy is removed by {}: {} requests, {} of all line requests.",
                     f.levels[at].by, grouped(most), share(most, line_requests(f).count));
}

std::string added(const Funnel& f) {
  std::string text;
  for (const FunnelPlace& place : f.places)
    for (const mem::FunnelPart& p : place.parts)
      if (p.bundled && !p.added)
        text += fmt::format(" {} requests travel in packets of others, by {}, and part at their end.",
                            grouped(p.count), p.by);
      else if (p.added && !p.bundled)
        text += fmt::format(" The {} adds {} requests at {}.", p.by, grouped(p.count), place.name);
  return text;
}

std::string most_left(const Funnel& f, std::uint64_t window) {
  const FunnelPlace* most = nullptr;
  for (const FunnelPlace& p : f.places) {
    const auto left = f.left(p);
    if (!left) return {};
    if (*left != 0 && (most == nullptr || *left > *f.left(*most))) most = &p;
  }
  if (most == nullptr)
    return fmt::format("Nothing that could be merged within {} cycles is left.", grouped(window));
  const FunnelLevel& in = f.levels[most->in];
  return fmt::format("Most is left at {}: {} of {} {} could have merged within {} cycles and did not.",
                     most->name, grouped(*f.left(*most)), grouped(in.count), in.unit, grouped(window));
}

// Lines of at most 80 columns.
std::string wrapped(const std::string& text) {
  std::string out;
  std::size_t line = 0, from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    if (line != 0) {
      const bool fits = line + 1 + (end - from) <= 80;
      out += fits ? ' ' : '\n';
      line = fits ? line + 1 : 0;
    }
    out += text.substr(from, end - from);
    line += end - from;
    from = end + 1;
  }
  return out;
}

}  // namespace

void print_funnel(const Funnel& f, std::uint64_t window, std::ostream& out) {
  const std::uint64_t full = line_requests(f).count;
  const auto row = [&](std::string_view name, std::string_view count, std::string_view of,
                       std::string_view drawn, std::string_view could) {
    std::string line = fmt::format("{:<17}{:>15} {:>8}  {:<{}}{:>12}", name, count, of, drawn, kBar, could);
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
  };
  row("global loads", "count", "of above", "", "could merge");
  std::uint64_t before = 0;
  for (const FunnelLevel& l : f.levels) {
    row(l.name, grouped(l.count), before == 0 ? "" : share(l.count, before), bar(l, full),
        l.could_merge ? share(*l.could_merge, l.count) : "");
    before = l.count;
  }
  out << fmt::format("'+', could merge: same line (DRAM: same row) asked for there within {} cycles\n",
                     grouped(window))
      << "or still under way; what did merge is among them.\n\n"
      << wrapped(funnel_summary(f, window)) << "\n";
}

study::Table side_by_side(const std::string& a_name, const Funnel& a, const std::string& b_name,
                          const Funnel& b, std::uint64_t window) {
  study::Table t;
  t.id = "funnel";
  t.title = fmt::format("Where global loads go: {} and {}", a_name, b_name);
  const bool measured = line_requests(a).could_merge && line_requests(b).could_merge;
  t.columns = {{"level"}};
  for (const std::string* name : {&a_name, &b_name}) {
    t.columns.push_back({*name, true});
    t.columns.push_back({"of above", true});
    if (measured) t.columns.push_back({"could merge", true});
  }
  for (const std::string& name : mem::levels_of(a, b)) {
    // A level that one of them does not have changes nothing there.
    const auto same = [&](const Funnel& f) {
      if (!f.has(name)) return true;
      const std::size_t i = f.number_of(name);
      return i != 0 && f.levels[i].count == f.levels[i - 1].count && !f.levels[i].could_merge;
    };
    if (same(a) && same(b)) continue;
    std::vector<std::string> row{name};
    for (const Funnel* f : {&a, &b}) {
      if (!f->has(name)) {
        row.insert(row.end(), measured ? 3 : 2, "");
        continue;
      }
      const std::size_t i = f->number_of(name);
      const FunnelLevel& l = f->levels[i];
      row.push_back(grouped(l.count));
      row.push_back(i == 0 ? "" : share(l.count, f->levels[i - 1].count));
      if (measured) row.push_back(l.could_merge ? share(*l.could_merge, l.count) : "");
    }
    t.rows.push_back(std::move(row));
  }
  if (measured)
    t.below.push_back(
        fmt::format("could merge: same line (DRAM: same row) asked for there within {} cycles "
                    "or still under way; what did merge is among them.",
                    grouped(window)));
  for (const auto& [name, f] : {std::pair(&a_name, &a), std::pair(&b_name, &b)})
    t.below.push_back(fmt::format("{}: {}", *name, funnel_summary(*f, window)));
  return t;
}

std::string funnel_summary(const Funnel& f, std::uint64_t window) {
  if (line_requests(f).count == 0) return "The program loads nothing from global memory.";
  const std::string left = most_left(f, window);
  return most_removed(f) + added(f) + (left.empty() ? "" : " " + left);
}

void add_json(const Funnel& f, std::uint64_t window, nlohmann::ordered_json& record) {
  Json levels = Json::array();
  std::uint64_t before = 0;
  for (const FunnelLevel& l : f.levels) {
    Json j = {{"level", l.name}, {"unit", l.unit}, {"by", l.by}, {"count", l.count}};
    j["share_of_level_before"] = before == 0 ? Json() : Json(ratio(l.count, before));
    j["could_merge"] = l.could_merge ? Json(*l.could_merge) : Json();
    levels.push_back(std::move(j));
    before = l.count;
  }
  record["window_cycles"] = window;
  record["levels"] = std::move(levels);
  record["summary"] = funnel_summary(f, window);
}

}  // namespace heddle::cli
