// What each CTA of a launch reads, line by line: where CTAs share data, whatever their code looks like.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle::workload {

struct CtaReads {
  std::uint32_t line_bytes = 0;
  // By CTA (x fastest): numbers of lines in global memory, ascending, each once.
  std::vector<std::vector<std::uint64_t>> lines;
  // One line of so many is listed, chosen by its number alone: there were too many.
  std::uint64_t one_of = 1;
  std::string why_not;  // nothing is known; empty: it is

  bool known() const { return why_not.empty(); }
  static CtaReads unknown(std::string why) {
    CtaReads none;
    none.why_not = std::move(why);
    return none;
  }
};

}  // namespace heddle::workload
