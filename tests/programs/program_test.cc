// The eight programs of validation/ptx, as nvcc compiled them: right results, and what they ask memory for
// is what a real card counted.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "base/file.h"
#include "exec/functional/functional_device.h"
#include "exec/functional/profile.h"
#include "tests/programs/csv.h"
#include "validation/programs.h"

namespace heddle::exec {
namespace {

class Program : public testing::TestWithParam<validation::Program> {};

// Requests and sectors of every launch do not depend on the machine: they are the card's own, to 2%.
void compare_with_card(const std::string& program, const FunctionalDevice& device) {
  static const std::vector<Row> recorded = read_csv("validation/data/h200_counters.csv");
  int compared = 0;
  for (std::size_t i = 0; i < device.launches().size(); ++i) {
    const auto row = std::find_if(recorded.begin(), recorded.end(), [&](const Row& r) {
      return r.at("program") == program && r.at("launch") == std::to_string(i);
    });
    if (row == recorded.end()) continue;
    ++compared;
    FunctionalStats s;
    add_launch(s, device.launches()[i]);
    auto near = [&](const std::string& counter, std::uint64_t got) {
      const double want = std::stod(row->at(counter));
      EXPECT_NEAR(static_cast<double>(got), want, 0.02 * want)
          << program << " launch " << i << ": " << counter;
    };
    near("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", s.global_load.accesses);
    near("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", s.global_load.sectors);
    near("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", s.global_store.accesses);
    near("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", s.global_store.sectors);
  }
  EXPECT_GT(compared, 0) << "no recorded launch of " << program;
}

TEST_P(Program, IsRightAndAsksForWhatTheCardCounted) {
  const std::string name(GetParam().name), file = "validation/ptx/" + name + ".ptx";
  FunctionalDevice device;
  device.load_module(read_file(HEDDLE_SOURCE_DIR "/" + file), file);
  const workload::Verification v = GetParam().run(device);
  EXPECT_TRUE(v.ok) << v.detail;
  EXPECT_GT(v.compared, 0u);
  compare_with_card(name, device);
  if (name == "bfs") {
    EXPECT_EQ(device.launches().size(), 20u);  // ten levels, as on the H200
  }
}

INSTANTIATE_TEST_SUITE_P(All, Program,
                         testing::ValuesIn(validation::programs().begin(), validation::programs().end()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace heddle::exec
