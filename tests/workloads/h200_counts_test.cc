// What the bundled workloads ask memory for, beside what Nsight Compute counted on an H200 at the same scale
// (validation/data/h200_workloads.csv). Requests and sectors do not depend on time: functional execution
// counts them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "base/file.h"
#include "exec/functional/functional_device.h"
#include "exec/functional/profile.h"
#include "workloads/registry.h"

namespace heddle::workloads {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

// Kernels of a workload at `tiny`, in the code as it is assembled.
std::map<std::string, Counts> counted(const workload::Workload& w) {
  exec::FunctionalOptions options;
  options.code_order = exec::CodeOrder::AsAssembled;
  exec::FunctionalDevice device(options);
  w.run(device, {.scale = workload::Scale::Tiny});
  std::map<std::string, Counts> all;
  for (const exec::KernelStats& k : exec::by_kernel(device.launches())) {
    const exec::FunctionalStats& s = k.stats;
    all[k.kernel] = {{"launches", s.launches},
                     {"load_requests", s.global_load.accesses},
                     {"store_requests", s.global_store.accesses},
                     {"load_sectors", s.global_load.sectors},
                     {"store_sectors", s.global_store.sectors}};
  }
  return all;
}

TEST(OnAnH200, KernelsAskForAsMuch) {
  const std::string file = HEDDLE_SOURCE_DIR "/validation/data/h200_workloads.csv";
  std::map<std::string, std::map<std::string, Counts>> seen;
  std::size_t compared = 0;
  for (const CsvRow& row : parse_csv(read_file(file), file)) {
    if (!csv_text(row, "note").empty()) continue;  // why it cannot agree
    const std::string name = csv_text(row, "workload"), kernel = csv_text(row, "kernel");
    const workload::Workload* w = find_workload(name);
    ASSERT_NE(w, nullptr) << name;
    if (!seen.contains(name)) seen[name] = counted(*w);
    ASSERT_TRUE(seen[name].contains(kernel)) << name << " has no kernel " << kernel;
    for (const auto& [count, ours] : seen[name][kernel]) {
      const double theirs = csv_number(row, count);
      EXPECT_LE(std::abs(static_cast<double>(ours) - theirs), 0.02 * theirs)
          << name << ", " << kernel << ": " << count << " are " << ours << ", on the card " << theirs;
    }
    ++compared;
  }
  EXPECT_EQ(compared, 141u);
}

}  // namespace
}  // namespace heddle::workloads
