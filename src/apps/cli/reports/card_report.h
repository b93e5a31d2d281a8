// What `heddle cluster WORKLOAD --on-device` tells: how long each kernel took on the card with each design.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "card/driver.h"
#include "study/clustering/card_search.h"

namespace heddle::cli {

struct CardRuns {
  std::string workload;
  std::string scale;
  std::uint64_t seed = 1;
  std::uint32_t repeat = 1;
  card::CardInfo card;
  std::vector<study::CardTrial> tried;

  // Every design ran, with the right result.
  bool good() const;
};

void print_card_runs(const CardRuns& runs, bool markdown, std::ostream& out);

// A line for each kernel and design; one without a kernel for a design that failed before any launch.
std::string card_csv_head();
std::string card_csv(const CardRuns& runs);

}  // namespace heddle::cli
