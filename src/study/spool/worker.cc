#include "study/spool/worker.h"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "base/error.h"
#include "base/version.h"

namespace heddle::study {
namespace {

using EntryKind = SpoolEntry::Kind;

// What earlier runs of the task know of a point.
struct Known {
  bool ended = false;
  std::size_t begun = 0;
};

std::map<std::string, Known> known_points(PlanFolder& folder, std::size_t task) {
  std::map<std::string, Known> known;
  const auto look = [&](const PlanFolder::News& n) {
    Known& k = known[n.entry.key];
    if (n.entry.kind == EntryKind::Begun) ++k.begun;
    if (n.entry.kind == EntryKind::Record || n.entry.kind == EntryKind::Failed) k.ended = true;
  };
  folder.poll(look, task);
  return known;
}

void require_own(const SpoolPlan& plan, const Attempt& attempt) {
  const std::string_view own = build_info().source_hash;
  if (plan.source_hash != own)
    throw Error(
        fmt::format("the plan is of source {}, this program of {}", plan.source_hash.substr(0, 12),
                    own.substr(0, 12)),
        "nodes must have the program that the command was given with; --heddle names its place there");
  if (attempt.task >= plan.tasks.size())
    throw Error(fmt::format("there is no task {} in the plan; it has {}", attempt.task, plan.tasks.size()));
  for (const std::size_t p : plan.tasks[attempt.task].points)
    if (plan.points[p].key() != plan.keys[p])
      throw Error("the plan's points are not what their keys say", "it is damaged; remove its folder");
}

SpoolEntry entry_of(const Finished& f, const std::string& key) {
  SpoolEntry e;
  e.key = key;
  e.seconds = f.seconds;
  e.error = f.error;
  e.kind = f.error.empty() ? EntryKind::Record : f.no_memory ? EntryKind::Lost : EntryKind::Failed;
  e.record = f.record;
  e.detail = f.detail;
  return e;
}

// Ended together with the task, by the signal that ends it: no result, and no failure.
bool ended_from_outside(const Finished& f) {
  return f.killed_by == SIGTERM || f.killed_by == SIGINT || f.killed_by == SIGHUP;
}

// Written before a point starts: a run that is killed leaves what it was at.
void begin(ResultsWriter& out, const std::string& key) {
  SpoolEntry e;
  e.kind = EntryKind::Begun;
  e.key = key;
  out.add(e);
}

}  // namespace

WorkReport work(PlanFolder& folder, const Attempt& attempt, const FindWorkload& find,
                const std::atomic<bool>* interrupt) {
  const SpoolPlan& plan = folder.plan();
  std::map<std::string, Known> known = known_points(folder, attempt.task);
  ResultsWriter out(folder.folder() / "results", attempt);
  try {
    require_own(plan, attempt);
  } catch (const Error& e) {
    SpoolEntry refused;
    refused.kind = EntryKind::Refused;
    refused.error = e.what();
    out.add(refused);
    out.sync();
    throw;
  }
  WorkReport report;
  std::vector<std::size_t> left;
  for (const std::size_t p : plan.tasks[attempt.task].points)
    if (known[plan.keys[p]].ended)
      ++report.found;
    else
      left.push_back(p);
  std::stable_sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
    return known[plan.keys[a]].begun < known[plan.keys[b]].begun;
  });
  for (const std::size_t p : left) {
    bool ended = false;
    begin(out, plan.keys[p]);
    const bool whole = run_points({&plan.points[p], 1}, find, {1, interrupt}, [&](const Finished& f) {
      if (ended_from_outside(f)) return;
      const SpoolEntry e = entry_of(f, plan.keys[p]);
      out.add(e);
      ++(e.kind == EntryKind::Record ? report.done : e.kind == EntryKind::Lost ? report.lost : report.failed);
      ended = true;
    });
    if (!whole || !ended) {
      report.interrupted = true;
      break;
    }
  }
  out.sync();
  return report;
}

}  // namespace heddle::study
