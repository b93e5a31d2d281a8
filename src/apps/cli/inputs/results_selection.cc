#include "apps/cli/inputs/results_selection.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "apps/cli/inputs/chosen_workload.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/version.h"

namespace heddle::cli {
namespace {

using study::Label;
using study::StoredPoint;

constexpr std::size_t kShownKey = 12;

bool holds(const std::string& wanted, const std::string& is) {
  return wanted.empty() || wanted == is;
}

bool begins_with_one(const std::string& key, const std::vector<std::string>& beginnings) {
  return beginnings.empty() || std::any_of(beginnings.begin(), beginnings.end(),
                                           [&](const std::string& b) { return key.starts_with(lower(b)); });
}

// Study and design must be of the same label.
std::vector<Label> matching_labels(const StoredPoint& k, const ResultsFilter& f) {
  std::vector<Label> labels;
  for (const Label& l : k.labels)
    if (holds(f.study, l.study) && holds(f.design, l.design)) labels.push_back(l);
  return labels;
}

// "--workload hotspt": the first part of the filter that nothing in the store has, and what could be meant.
[[noreturn]] void fail_nothing_matches(const study::Store& store, const std::vector<StoredPoint>& all,
                                       const ResultsFilter& f) {
  using Values = std::function<void(const StoredPoint&, std::set<std::string>&)>;
  const auto labels = [](std::string Label::*member) -> Values {
    return [member](const StoredPoint& k, std::set<std::string>& to) {
      for (const Label& l : k.labels) to.insert(l.*member);
    };
  };
  const std::tuple<const char*, const std::string&, Values> parts[] = {
      {"study", f.study, labels(&Label::study)},
      {"design", f.design, labels(&Label::design)},
      {"workload", f.workload, [](const StoredPoint& k, auto& to) { to.insert(k.point.workload); }},
      {"gpu", f.gpu, [](const StoredPoint& k, auto& to) { to.insert(k.point.gpu); }}};
  for (const auto& [name, wanted, collect] : parts) {
    std::set<std::string> there;
    for (const StoredPoint& k : all) collect(k, there);
    if (wanted.empty() || there.contains(wanted)) continue;
    const std::vector<std::string> names(there.begin(), there.end());
    const std::string hint = did_you_mean(wanted, names);
    throw Error(fmt::format("no result in {} has --{} {}", store.file().string(), name, wanted),
                !hint.empty()    ? hint
                : !names.empty() ? fmt::format("there are: {}", join(names, ", "))
                                 : "");
  }
  throw Error(fmt::format("no result in {} matches all of this", store.file().string()),
              all.empty() ? "the store is empty" : "heddle results list shows what there is");
}

}  // namespace

study::Store open_results(const std::string& file) {
  const std::filesystem::path path = file.empty() ? study::default_store() : std::filesystem::path(file);
  if (!std::filesystem::exists(path))
    throw Error(fmt::format("there are no results: the store {} does not exist", path.string()),
                file.empty() ? "heddle study and heddle compare fill it; another one: --store FILE"
                             : "check the spelling and the folder that you are in");
  return study::Store(path);
}

std::vector<SelectedPoint> matching(const study::Store& store, const ResultsFilter& f) {
  std::vector<SelectedPoint> chosen;
  const std::string workload = workload_name(f.workload);
  for (const StoredPoint& k : store.list()) {
    if (!holds(workload, k.point.workload) || !holds(f.gpu, k.point.gpu) || !begins_with_one(k.key, f.keys) ||
        (f.other_source && of_this_source(k)))
      continue;
    std::vector<Label> labels = matching_labels(k, f);
    if (labels.empty() && !(f.study.empty() && f.design.empty())) continue;
    chosen.push_back({k, std::move(labels)});
  }
  return chosen;
}

std::vector<SelectedPoint> select(const study::Store& store, const ResultsFilter& f) {
  std::vector<SelectedPoint> chosen = matching(store, f);
  if (chosen.empty()) fail_nothing_matches(store, store.list(), f);
  return chosen;
}

std::vector<SelectedPoint> newest(std::vector<SelectedPoint> all) {
  using Key = std::tuple<std::string, std::string, workload::Scale, std::uint64_t, std::string, std::string,
                         std::string, std::string>;
  std::set<Key> later;
  std::vector<SelectedPoint> kept;
  for (auto s = all.rbegin(); s != all.rend(); ++s) {
    const study::Point& p = s->kept.point;
    const bool labelled = !s->labels.empty();
    std::erase_if(s->labels, [&](const Label& l) {
      return !later
                  .insert({p.workload, p.contents, p.scale, p.seed, p.gpu, l.study, l.design, l.perturbation})
                  .second;
    });
    if (!labelled || !s->labels.empty()) kept.push_back(std::move(*s));
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

StoredPoint find_point(const study::Store& store, const std::string& key) {
  std::vector<StoredPoint> found;
  for (StoredPoint& k : store.list())
    if (k.key.starts_with(lower(key))) found.push_back(std::move(k));
  if (found.size() == 1) return found.front();
  if (found.empty())
    throw Error(fmt::format("no result in {} has a key that begins with '{}'", store.file().string(), key),
                "heddle results list shows the keys");
  constexpr std::size_t kMost = 5;
  std::string several;
  for (std::size_t i = 0; i < std::min(found.size(), kMost); ++i)
    several += fmt::format("\n  {}  {} on {} {}", found[i].key.substr(0, std::max(kShownKey, key.size() + 4)),
                           found[i].point.workload, found[i].point.gpu, brief(found[i].labels));
  if (found.size() > kMost) several += fmt::format("\n  and {} more", found.size() - kMost);
  throw Error(fmt::format("{} results have a key that begins with '{}':{}", found.size(), key, several),
              "give more digits");
}

std::string required_record(const study::Store& store, const std::string& key) {
  if (std::optional<std::string> record = store.record(key)) return std::move(*record);
  throw study::Damaged(fmt::format("result {} was forgotten meanwhile", key.substr(0, kShownKey)),
                       "try again");
}

bool of_this_source(const StoredPoint& kept) {
  return kept.source_hash == build_info().source_hash;
}

std::string brief(const Label& l) {
  std::string text = l.study;
  for (const std::string& part : {l.design, l.perturbation})
    if (!part.empty()) text += "/" + part;
  return text;
}

std::string brief(const std::vector<Label>& labels) {
  std::vector<std::string> parts;
  for (const Label& l : labels) parts.push_back(brief(l));
  return join(parts, ", ");
}

}  // namespace heddle::cli
