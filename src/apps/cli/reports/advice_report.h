// What `heddle cluster` tells of kernels: where their locality comes from, what was tried, what to do.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "study/clustering/advice.h"

namespace heddle::cli {

void print_text(const cta_clustering::StaticReport& report, std::ostream& out);
void print_advice(const std::vector<study::KernelAdvice>& kernels, bool markdown, std::ostream& out);

}  // namespace heddle::cli
