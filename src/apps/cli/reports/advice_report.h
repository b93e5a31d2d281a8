// What `heddle cluster` tells of kernels: where their locality comes from, what was tried, what to do.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "study/clustering/advice.h"

namespace heddle::cli {

void print_text(const cta_clustering::StaticReport& report, std::ostream& out);
void print_advice(const std::vector<study::KernelAdvice>& kernels, bool markdown, std::ostream& out);

// Of which run these are.
struct AdviceOf {
  std::string gpu, workload, scale;
  std::uint64_t seed = 1;
};
// A line for each kernel and design; its names are those of the CSV of a real card (card_report.h).
std::string advice_csv(const AdviceOf& of, const std::vector<study::KernelAdvice>& kernels);

}  // namespace heddle::cli
