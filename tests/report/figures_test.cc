// A study's figures on its page: the numbers of its tables.
#include "report/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "study/evaluation/report.h"
#include "tests/study/fake_study.h"

namespace heddle::report {
namespace {

using Json = nlohmann::ordered_json;

class Figures : public testing::Test {
 protected:
  // A run of the fake study.
  std::shared_ptr<const PageRun> run(const std::string& workload, const std::string& design, double cycles,
                                     const std::string& perturbation = {}) const {
    auto r = std::make_shared<PageRun>();
    r->workload = workload;
    r->scale = "tiny";
    r->labels = {{"fake", design, perturbation}};
    r->result = study::Result({{"gpu.cycles", cycles}, {"l1.reads_hits", 3}, {"l1.reads_in", 4}});
    return r;
  }
  Json figure(const std::string& id, const std::vector<std::shared_ptr<const PageRun>>& runs) const {
    for (const Json& f : figures(selected_, evidence_of(selected_, runs)))
      if (f["id"] == id) return f;
    return nullptr;
  }
  static study::Selected as_it_is() {
    study::Selection s;
    s.perturbations = false;
    return study::select(study::parse(study::kStudy), s);
  }
  study::Selected selected_ = as_it_is();
};

TEST_F(Figures, HaveTheNumbersOfTheTables) {
  const Json f = figure("1", {run("one", "base", 1000), run("one", "better", 800), run("two", "base", 1000),
                              run("two", "better", 1000)});
  ASSERT_FALSE(f.is_null());
  EXPECT_EQ(f["title"], "Time");
  EXPECT_EQ(f["unit"], "%");
  EXPECT_EQ(f["better"], "more");
  const Json& group = f["groups"][0];
  EXPECT_EQ(group["compared"], "better vs base");
  EXPECT_EQ(group["cells"][0]["workload"], "ONE");
  EXPECT_DOUBLE_EQ(group["cells"][0]["ours"].get<double>(), 25);
  EXPECT_EQ(group["cells"][0]["paper"], 12);
  EXPECT_EQ(group["cells"][0]["verdict"], "same sign");
  EXPECT_EQ(group["cells"][0]["counts"], true);
  EXPECT_EQ(group["cells"][1]["counts"], false) << "no number of the paper";
  EXPECT_TRUE(group["cells"][0]["low"].is_null());  // one run has no range
  EXPECT_TRUE(group["cells"][1]["paper"].is_null());
  EXPECT_EQ(group["cells"][1]["verdict"], "=");
  EXPECT_DOUBLE_EQ(group["cells"][1]["ours"].get<double>(), 0);
  EXPECT_EQ(group["cells"][2]["workload"], "mean");
  EXPECT_NEAR(group["cells"][2]["ours"].get<double>(), 11.8, 0.01);
  // What the table says of the same cell.
  const std::vector<std::shared_ptr<const PageRun>> two = {run("one", "base", 1000),
                                                           run("one", "better", 800)};
  const study::Evidence evidence = evidence_of(selected_, two);
  const study::StudyReport report(selected_, evidence);
  EXPECT_EQ(report.figures().front().rows.front()[3], "+25.0%");
}

TEST_F(Figures, WithoutARunAreLeftOut) {
  EXPECT_TRUE(figure("1", {}).is_null());
  EXPECT_TRUE(figure("1", {run("one", "base", 1000)}).is_null());
}

TEST_F(Figures, OtherScalesAndStudiesSayNothing) {
  auto other = std::make_shared<PageRun>(*run("one", "better", 800));
  other->scale = "paper";
  EXPECT_TRUE(figure("1", {run("one", "base", 1000), other}).is_null());
  other->scale = "tiny";
  other->labels = {{"another", "better", ""}};
  EXPECT_TRUE(figure("1", {run("one", "base", 1000), other}).is_null());
}

}  // namespace
}  // namespace heddle::report
