#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "apps/cli/reports/cluster_report.h"
#include "base/text.h"

namespace heddle::cli {
namespace {

using interpose::CopyResult;
using Copies = std::vector<CopyResult>;

void compare_status(const std::vector<ProgramRun>& plain, const std::vector<ProgramRun>& others,
                    Comparison& c) {
  std::set<int> statuses;
  for (const ProgramRun& r : plain) statuses.insert(r.status);
  if (statuses.size() > 1)
    c.unstable.push_back("its exit status");
  else
    c.compared.push_back(fmt::format("exit status {}", *statuses.begin()));
  for (const ProgramRun& r : others) {
    if (statuses.contains(r.status)) continue;
    c.differs.push_back(fmt::format("the exit status is {}, not {}", r.status, *statuses.begin()));
    return;
  }
}

// Lines that are the same in all plain runs: programs print their own times, too.
void compare_output(const std::vector<ProgramRun>& plain, const std::vector<ProgramRun>& others,
                    Comparison& c) {
  const auto lines = split(plain.front().output, '\n');
  std::vector<bool> stable(lines.size(), true);
  for (const ProgramRun& r : plain) {
    const auto same = split(r.output, '\n');
    if (same.size() != lines.size()) {
      c.unstable.push_back("its output");
      return;
    }
    for (std::size_t i = 0; i < lines.size(); ++i) stable[i] = stable[i] && same[i] == lines[i];
  }
  const std::size_t count = lines.back().empty() ? lines.size() - 1 : lines.size();
  const auto changing = static_cast<std::size_t>(std::count(stable.begin(), stable.end(), false));
  if (changing != 0) c.unstable.push_back(fmt::format("{} of its output", counted(changing, "line")));
  if (count > changing) c.compared.push_back(counted(count - changing, "line") + " of output");
  for (const ProgramRun& r : others) {
    const auto now = split(r.output, '\n');
    if (now.size() != lines.size()) {
      c.differs.push_back(
          fmt::format("the output has {}, not {}", counted(now.size(), "line"), lines.size()));
      return;
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!stable[i] || now[i] == lines[i]) continue;
      c.differs.push_back(fmt::format("line {} of the output: '{}' became '{}'", i + 1,
                                      printable(lines[i], 60), printable(now[i], 60)));
      return;
    }
  }
}

// Threads and streams may bring the copies in another order every time.
Copies without_order(Copies copies) {
  for (CopyResult& c : copies) c.stream = 0;
  std::sort(copies.begin(), copies.end(), [](const CopyResult& a, const CopyResult& b) {
    return std::tie(a.bytes, a.hash) < std::tie(b.bytes, b.hash);
  });
  return copies;
}

std::string first_difference(const Copies& before, const Copies& after, const std::vector<bool>& stable) {
  for (std::size_t i = 0; i < before.size(); ++i)
    if (stable[i] && before[i] != after[i])
      return fmt::format("copy {} to the host, of {} bytes, has other contents", i + 1, before[i].bytes);
  return {};
}

std::uint64_t copies_made(const ProgramRun& r) {
  std::uint64_t n = 0;
  for (const auto& p : r.processes) n += p.copies_made;
  return n;
}

std::vector<std::uint64_t> chains(const ProgramRun& r) {
  std::vector<std::uint64_t> all;
  for (const auto& p : r.processes) all.push_back(p.chain);
  return all;
}

void compare_stable_copies(const std::vector<Copies>& plain, const std::vector<Copies>& others,
                           Comparison& c) {
  const Copies& first = plain.front();
  std::vector<bool> stable(first.size(), true);
  for (const Copies& p : plain)
    for (std::size_t i = 0; i < first.size(); ++i) stable[i] = stable[i] && p[i] == first[i];
  std::uint64_t bytes = 0, count = 0;
  for (std::size_t i = 0; i < first.size(); ++i)
    if (stable[i]) {
      bytes += first[i].bytes;
      ++count;
    }
  if (count != first.size())
    c.unstable.push_back(fmt::format("{} of {} copies to the host", first.size() - count, first.size()));
  if (count != 0)
    c.compared.push_back(fmt::format("{} to the host ({:.1f} MB)",
                                     count == 1 ? "1 copy" : fmt::format("{} copies", count),
                                     static_cast<double>(bytes) / 1e6));
  for (const Copies& o : others)
    if (std::string text = first_difference(first, o, stable); !text.empty()) {
      c.differs.push_back(std::move(text));
      return;
    }
}

void compare_copies(const std::vector<ProgramRun>& plain, const std::vector<ProgramRun>& others,
                    Comparison& c) {
  const std::uint64_t made = copies_made(plain.front());
  for (const ProgramRun& r : plain)
    if (copies_made(r) != made) {
      c.unstable.push_back("how many copies to the host it makes");
      return;
    }
  for (const ProgramRun& r : others)
    if (copies_made(r) != made) {
      c.differs.push_back(fmt::format("it makes {} copies to the host, not {}", copies_made(r), made));
      return;
    }
  std::vector<Copies> a, b;
  for (const ProgramRun& r : plain) a.push_back(r.copies());
  for (const ProgramRun& r : others) b.push_back(r.copies());
  // Of the few that are not listed one by one only whether they are all the same is known.
  if (a.front().size() != made) {
    const bool stable = std::all_of(plain.begin(), plain.end(),
                                    [&](const ProgramRun& r) { return chains(r) == chains(plain.front()); });
    if (!stable)
      c.unstable.push_back("copies to the host");
    else if (std::any_of(others.begin(), others.end(),
                         [&](const ProgramRun& r) { return chains(r) != chains(plain.front()); }))
      c.differs.push_back(fmt::format("one of {} copies to the host has other contents", made));
    else
      c.compared.push_back(fmt::format("{} copies to the host", made));
    return;
  }
  const bool ordered = std::all_of(a.begin(), a.end(), [&](const Copies& x) { return x == a.front(); });
  if (!ordered) {
    const Copies first = without_order(a.front());
    if (std::all_of(a.begin(), a.end(), [&](const Copies& x) { return without_order(x) == first; })) {
      for (Copies& x : a) x = without_order(x);
      for (Copies& x : b) x = without_order(x);
    }
  }
  compare_stable_copies(a, b, c);
}

}  // namespace

std::vector<CopyResult> ProgramRun::copies() const {
  Copies all;
  for (const auto& p : processes) all.insert(all.end(), p.copies.begin(), p.copies.end());
  return all;
}

Comparison compare_runs(const std::vector<ProgramRun>& plain, const std::vector<ProgramRun>& others) {
  Comparison c;
  compare_status(plain, others, c);
  compare_output(plain, others, c);
  compare_copies(plain, others, c);
  return c;
}

}  // namespace heddle::cli
