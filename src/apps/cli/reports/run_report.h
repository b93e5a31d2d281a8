// What a run found, for people and into files.
#pragma once

#include <ostream>
#include <string>

#include "study/run/record.h"

namespace heddle::cli {

struct OutputOptions {
  std::string json;    // record to this file; "-": standard output
  std::string csv;     // statistics to this file
  bool stats = false;  // every statistic as text
  bool quiet = false;  // verdict only
};

void print_head(const study::RunHead& head, std::ostream& out);
void print_verdict(const study::RunHead& head, std::ostream& out);

void print_summary(const study::TimingRecord& record, std::ostream& out);
// All that OutputOptions asks for.
void report(const study::TimingRecord& record, const OutputOptions& options, std::ostream& out);

}  // namespace heddle::cli
