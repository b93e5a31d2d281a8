#include "study/clustering/card_search.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"

namespace heddle::study {
namespace {

using Way = ClusteringTrial::Way;

bool ran_as(const CardTrial& t, const card::KernelTimes& k) {
  return t.good() && !k.timed.empty() && (t.trial.way == Way::AsItIs || k.rewritten != 0);
}

// "agents by columns, 3 active".
std::vector<ClusteringTrial> with_active_agents() {
  constexpr std::uint32_t kMost = 64;
  std::vector<ClusteringTrial> all;
  for (const ClusteringTrial& t : card_trials())
    if (t.clusters() && t.way != Way::Redirection)
      for (std::uint32_t n = 1; n <= kMost; ++n) all.push_back({t.way, t.partition, n});
  return all;
}

void add(std::vector<ClusteringTrial>& to, const ClusteringTrial& t) {
  if (std::find(to.begin(), to.end(), t) == to.end()) to.push_back(t);
}

[[noreturn]] void throw_unknown(const std::string& text) {
  std::vector<std::string> names;
  for (const ClusteringTrial& t : card_trials()) names.push_back(t.name());
  const std::string meant = did_you_mean(text, names);
  throw Error(fmt::format("no design is called '{}'", text),
              fmt::format("{}{}Designs: {}; agents also with \", 2 active\" behind.", meant,
                          meant.empty() ? "" : " ", join(names, "; ")));
}

}  // namespace

const card::KernelTimes* CardTrial::kernel(std::string_view name) const {
  const auto at =
      std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) { return k.kernel == name; });
  return at != kernels.end() ? &*at : nullptr;
}

std::vector<ClusteringTrial> card_trials() {
  std::vector<ClusteringTrial> all = first_trials();
  std::erase_if(all, [](const ClusteringTrial& t) { return t.way == Way::WithoutL1; });
  return all;
}

std::vector<ClusteringTrial> chosen_trials(const std::vector<std::string>& texts) {
  const std::vector<ClusteringTrial> first = card_trials(), fewer = with_active_agents();
  std::vector<ClusteringTrial> chosen;
  for (const std::string& text : texts) {
    bool whole = false, begins = false;
    for (const auto* list : {&first, &fewer})
      for (const ClusteringTrial& t : *list)
        if (t.name() == text) {
          add(chosen, t);
          whole = true;
        }
    if (whole) continue;
    for (const ClusteringTrial& t : first)
      if (!text.empty() && t.name().starts_with(text)) {
        add(chosen, t);
        begins = true;
      }
    if (!begins) throw_unknown(text);
  }
  return chosen;
}

CardTrial CardSearch::try_out(const card::Driver& driver, const ClusteringTrial& trial) const {
  CardTrial t;
  t.trial = trial;
  card::CardDevice device(driver, options, make_rewriter(trial), reads);
  try {
    t.verification = workload.run(device, input);
  } catch (const Error& e) {
    t.error = e.advice().empty() ? e.message() : fmt::format("{}. {}", e.message(), e.advice());
  }
  t.kernels = device.kernels();
  return t;
}

std::vector<CardTrial> CardSearch::run(const card::Driver& driver,
                                       const std::vector<ClusteringTrial>& chosen) const {
  std::vector<CardTrial> tried;
  const auto round = [&](const std::vector<ClusteringTrial>& trials) {
    for (const ClusteringTrial& t : trials) {
      tried.push_back(try_out(driver, t));
      if (done) done(tried.back());
    }
  };
  round(chosen.empty() ? card_trials() : chosen);
  if (chosen.empty()) round(fewer_agents(tried));
  return tried;
}

std::vector<ClusteringTrial> fewer_agents(const std::vector<CardTrial>& tried) {
  std::vector<ClusteringTrial> all;
  if (tried.empty()) return all;
  for (const card::KernelTimes& k : tried.front().kernels) {
    const CardTrial* best = nullptr;
    double time = 0;
    for (const CardTrial& t : tried) {
      const card::KernelTimes* const now = t.kernel(k.kernel);
      if (t.trial.way != Way::Agents || t.trial.active != 0 || now == nullptr || !ran_as(t, *now)) continue;
      if (best != nullptr && now->span().median >= time) continue;
      best = &t;
      time = now->span().median;
    }
    if (best == nullptr) continue;
    for (const ClusteringTrial& t : throttled_trials(best->trial, best->kernel(k.kernel)->ctas_per_sm))
      add(all, t);
  }
  return all;
}

const CardTrial* fastest(const std::vector<CardTrial>& tried, std::string_view kernel) {
  const CardTrial* best = nullptr;
  double time = 0;
  for (const CardTrial& t : tried) {
    const card::KernelTimes* const k = t.kernel(kernel);
    if (k == nullptr || !ran_as(t, *k) || (best != nullptr && k->span().median >= time)) continue;
    best = &t;
    time = k->span().median;
  }
  return best;
}

}  // namespace heddle::study
