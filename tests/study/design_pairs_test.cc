#include "study/evaluation/design_pairs.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "gpu/presets.h"
#include "study/design/composition.h"
#include "study/plan/plan.h"

namespace heddle::study {
namespace {

using testing::Contains;
using testing::HasSubstr;

config::Config shared_ports() {
  config::Config c = gpu::load_config("cu80");
  c.set("gpu.clusters=40");
  c.set("gpu.sms_per_cluster=2");
  return c;
}

std::string cell(const Table& t, const std::string& row, const std::string& column) {
  for (const auto& r : t.rows)
    for (std::size_t i = 1; i < t.columns.size(); ++i)
      if (r.front() == row && t.columns[i].name == column) return r[i];
  return "no such pair";
}

// A cell says what a run would say: "yes" is a machine that can be built, a number is the text of its
// refusal.
TEST(DesignPairs, SayWhatARunSays) {
  const Table t = design_pairs(design_catalog(), shared_ports(), "cu80");
  ASSERT_GE(t.rows.size(), 10u);
  std::size_t refused = 0;
  for (const auto& row : t.rows)
    for (std::size_t i = 1; i < row.size(); ++i) {
      if (row[i].empty()) continue;
      const Design *a = design_catalog().find(row.front()), *b = design_catalog().find(t.columns[i].name);
      EXPECT_EQ(cell(t, b->name, a->name), row[i]) << a->name << ", " << b->name;
      if (row[i] == "yes") {
        EXPECT_NO_THROW(machine_of(together({a, b}), shared_ports())) << a->name << ", " << b->name;
        continue;
      }
      ++refused;
      EXPECT_THAT(t.below, Contains(HasSubstr(row[i] + ": ")));
      if (contradiction(*a, *b)) continue;
      EXPECT_THROW(machine_of(together({a, b}), shared_ports()), Error) << a->name << ", " << b->name;
    }
  EXPECT_GT(refused, 0u);
  EXPECT_EQ(cell(t, "Sh40", "WarpPool"), "yes");
  EXPECT_EQ(cell(t, "Sh40", "D"), "yes");
  EXPECT_EQ(cell(t, "single L1", "ICC"), "yes");  // its SMs share ports
  EXPECT_NE(cell(t, "Sh40", "ICC"), "yes");
  EXPECT_NE(cell(t, "Sh40", "banked"), "yes");
  EXPECT_NE(cell(t, "Sh40+C10", "CDXBar"), "yes");
  EXPECT_NE(cell(t, "Sh40", "MRPB+bypass"), "yes");
  EXPECT_EQ(cell(t, "Sh40", "MRPB"), "yes");
}

TEST(DesignPairs, NameWhatAMachineCannotHave) {
  const Table t = design_pairs(design_catalog(), gpu::load_config("clustered60"), "clustered60");
  EXPECT_THAT(t.below, Contains(HasSubstr("Pr40 cannot be built there: ")));
  EXPECT_EQ(cell(t, "Pr40", "D"), "no such pair");
}

TEST(DesignPairs, TheDocumentIsThisTable) {
  std::stringstream kept;
  kept << std::ifstream(std::string(HEDDLE_SOURCE_DIR) + "/docs/pairs.md").rdbuf();
  EXPECT_THAT(kept.str(), HasSubstr(as_markdown(design_pairs(design_catalog(), shared_ports(), "cu80"))))
      << "docs/pairs.md is out of date: heddle describe cu80 --set gpu.clusters=40 --set "
         "gpu.sms_per_cluster=2 "
         "--pairs --markdown";
}

}  // namespace
}  // namespace heddle::study
