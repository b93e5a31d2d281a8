// The designs of a search for the best CTA clustering (trial.h), run on a real card.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "card/card_device.h"
#include "study/clustering/trial.h"
#include "workload/workload.h"

namespace heddle::study {

// A workload with one design.
struct CardTrial {
  ClusteringTrial trial;
  std::string error;  // empty: it ran to its end
  workload::Verification verification;
  std::vector<card::KernelTimes> kernels;

  bool good() const { return error.empty() && verification.ok; }
  // Null: it was not launched.
  const card::KernelTimes* kernel(std::string_view name) const;
};

// All designs that a card can have from the start, the program as it is first.
std::vector<ClusteringTrial> card_trials();
// Those that `texts` name: a design's whole name, also with a number of active agents, or the beginning of
// some of card_trials(). In the order of `texts`. Throws Error for one that names none.
std::vector<ClusteringTrial> chosen_trials(const std::vector<std::string>& texts);

struct CardSearch {
  const workload::Workload& workload;
  workload::RunOptions input;
  card::CardOptions options;
  std::function<std::unique_ptr<workload::LaunchRewriter>(const ClusteringTrial&)> make_rewriter;
  std::function<void(const CardTrial&)> done = {};  // told of each as it ends
  card::CardDevice::ReadsOf reads = {};             // for an order by reuse
  // `chosen`, or, if there are none: card_trials(), then of each kernel's best order of agents fewer of them.
  // What fails is in the result; only a driver that cannot be used throws.
  std::vector<CardTrial> run(const card::Driver& driver, const std::vector<ClusteringTrial>& chosen) const;
  CardTrial try_out(const card::Driver& driver, const ClusteringTrial& trial) const;
};

// Of trials with all agents, per kernel the best order: what is tried with fewer.
std::vector<ClusteringTrial> fewer_agents(const std::vector<CardTrial>& tried);
// Where the program's result is right and the kernel was rewritten, or nothing was to be; the fastest. Null:
// there is none.
const CardTrial* fastest(const std::vector<CardTrial>& tried, std::string_view kernel);

}  // namespace heddle::study
