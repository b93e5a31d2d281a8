// Every arithmetic golden case through bind_alu alone, against what an H200 computed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "alu_harness.h"
#include "tests/golden/golden_compare.h"
#include "tests/golden/golden_data.h"

namespace heddle {
namespace {

bool across_lanes_or_memory(const std::string& op) {
  for (const char* prefix : {"shfl", "vote", "match", "redux", "atom", "red."}) {
    if (op.starts_with(prefix)) return true;
  }
  return false;
}

TEST(AluGolden, MatchesSilicon) {
  const golden::Data data = golden::load(HEDDLE_GOLDEN_DIR);
  golden::Report report;
  for (const golden::Case& c : data.cases) {
    if (c.expected.empty() || across_lanes_or_memory(c.op)) continue;
    exec::testing::Program program(c.ptx);
    if (!program.refused().empty()) {
      report.refuse(c, program.refused());
      continue;
    }
    std::uint64_t address[3] = {};
    for (int k = 0; k < 3; ++k) {
      if (c.arrays[k] == "-") continue;
      address[k] = reinterpret_cast<std::uint64_t>(data.inputs.data() + data.arrays.at(c.arrays[k]).offset);
    }
    std::string got(c.expected.size(), '\0');
    program.run(reinterpret_cast<std::uint64_t>(got.data()), address[0], address[1], address[2],
                static_cast<unsigned>(c.n));
    report.compare(data, c, got);
  }
  report.print();
  EXPECT_EQ(report.wrong(), 0u);
  for (const std::string& op : report.refused()) {
    EXPECT_TRUE(golden::known_unsupported(op)) << op;
  }
}

}  // namespace
}  // namespace heddle
