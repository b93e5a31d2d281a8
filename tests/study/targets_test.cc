// A paper's numbers, and which of them tell something of their own.
#include "study/definition/targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bundled_study.h"
#include "fake_study.h"
#include "study/definition/studies.h"

namespace heddle::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Lines 2 to 6 of a table.
const std::string kFiveRows = kHeader +
                              "p,Fig1,mean,A,time,B,10,%,,\n"
                              "p,Fig1,mean,C,time,B,4,%,,\n"
                              "p,Fig1,HS,A,time,B,19.4,%,,\n"
                              "p,Fig2,mean,A,ratio,B,0.38,x,,\n"
                              "p,S1,-,A,entries,,160,count,,constant\n";

std::vector<Target> table_with(const std::string& row) {
  return parse_targets({"targets.csv", kFiveRows + row + "\n"});
}

std::string problem_of(const std::string& row) {
  try {
    table_with(row);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Targets, CountUnlessTheySayWhyNot) {
  const std::vector<Target> rows = table_with("p,Abstract,max,A,time,B,19,%,,repeats Fig1 / HS");
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_TRUE(rows[0].counts());
  EXPECT_EQ(rows[4].origin, Origin::Constant);
  EXPECT_EQ(rows[5].origin, Origin::Repeats);
  EXPECT_THAT(rows[5].from, ElementsAre(2u));
  EXPECT_FALSE(rows[5].counts());
  EXPECT_EQ(name(rows[5].origin), "repeats");
}

TEST(Targets, ARowIsNamedByItsFirstFields) {
  EXPECT_THAT(table_with("p,Fig3,mean,A,time,B,10,%,,repeats Fig1")[5].from, ElementsAre(0u));
  EXPECT_THAT(table_with("p,Fig3,mean,X,IPC,Y,4,%,,repeats Fig1 / mean / C / time / B")[5].from,
              ElementsAre(1u));
  EXPECT_THAT(problem_of("p,Fig3,mean,A,entries,B,160,count,,repeats S1 / - / A / entries /"),
              HasSubstr("a constant"))
      << "an empty baseline can be named";
}

TEST(Targets, AReferenceMeansOneRow) {
  EXPECT_THAT(problem_of("p,Fig3,mean,A,time,B,10,%,,repeats Fig4"),
              AllOf(HasSubstr("targets.csv:7"), HasSubstr("no row is Fig4 / mean / A / time / B"),
                    HasSubstr("Fig1")));
  EXPECT_THAT(problem_of("p,Fig3,mean,A,time,B,10,%,,repeats Fig1 / HSS"),
              AllOf(HasSubstr("no row is Fig1 / HSS"), HasSubstr("did you mean 'HS'?")));
  EXPECT_THAT(problem_of("p,Fig1,mean,A,time,B,11,%,,\np,Fig3,mean,A,time,B,10,%,,repeats Fig1"),
              AllOf(HasSubstr("targets.csv:8"), HasSubstr("lines 2 and 7")));
  EXPECT_THAT(problem_of("p,Fig3,mean,A,time,B,10,%,,repeats Fig3"), HasSubstr("no row is Fig3"));
}

TEST(Targets, ReasonsAreKnownWords) {
  EXPECT_THAT(problem_of("p,Fig3,mean,A,time,B,10,%,,repeat Fig1"),
              AllOf(HasSubstr("targets.csv:7"), HasSubstr("'repeat'"), HasSubstr("did you mean 'repeats'?")));
  EXPECT_THAT(problem_of("p,Fig3,mean,A,time,B,10,%,,nothing new"), HasSubstr("constant, repeats ROW"));
  EXPECT_THAT(problem_of("p,Fig3,mean,A,time,B,10,%,,constant here"), HasSubstr("'constant' stands alone"));
  EXPECT_THAT(problem_of("p,Fig3,mean,A,time,B,10,%,,repeats"), HasSubstr("'repeats' names one row"));
  EXPECT_THAT(problem_of("p,Fig3,mean,A,time,B,10,%,,follows"), HasSubstr("'follows' names"));
  EXPECT_THAT(problem_of("p,Fig3,mean,A,time,B,10,%,,repeats Fig1 and Fig1 / HS"),
              HasSubstr("'repeats' names one row"));
  EXPECT_THAT(problem_of("p,Fig3,mean,A,time,B,10,%,,repeats Fig1 / mean / A / time / B / %"),
              HasSubstr("FIGURE / WORKLOAD / CONFIG / METRIC / BASELINE"));
}

TEST(Targets, AFileWithoutTheColumnIsRefused) {
  try {
    parse_targets({"targets.csv", "paper,figure,workload,config,metric,baseline,value,unit,note\n"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("targets.csv:1"), HasSubstr("not_counted"),
                                HasSubstr("empty where a number counts")));
  }
}

TEST(Targets, WhatIsRepeatedIsTheSameNumber) {
  EXPECT_EQ(problem_of("p,Fig3,HS,A,time,B,19,%,,repeats Fig1"), "no error") << "19.4 rounded";
  EXPECT_THAT(problem_of("p,Fig3,HS,A,time,B,20,%,,repeats Fig1"),
              AllOf(HasSubstr("20 repeats 19.4 of line 4"), HasSubstr("note")));
  EXPECT_THAT(problem_of("p,Fig3,HS,A,time,B,19.5,%,,repeats Fig1"), HasSubstr("19.4"));
  EXPECT_EQ(problem_of("p,Fig3,HS,A,time,B,20,%,19.4 in Figure 1,repeats Fig1"), "no error");
  EXPECT_THAT(problem_of("p,Fig3,HS,A,time,B,20,%,119.4 in Figure 1,repeats Fig1"), HasSubstr("line 4"));
}

TEST(Targets, WhatFollowsComesOutWithinRounding) {
  const std::string two = "follows Fig1 / mean / A / time / B and Fig1 / mean / C / time / B";
  const auto of_two = [&](const std::string& value) {
    return problem_of("p,Fig3,mean,A,time,C," + value + ",%,," + two);
  };
  EXPECT_EQ(of_two("6"), "no error") << "10 - 4, and 1.10 / 1.04";
  EXPECT_EQ(of_two("14"), "no error") << "10 + 4, and 1.10 * 1.04";
  EXPECT_EQ(of_two("5.0"), "no error") << "1.095 / 1.045 = 1.048 to 1.105 / 1.035 = 1.068; 10.5 - 3.5";
  EXPECT_THAT(of_two("9"), AllOf(HasSubstr("9 does not come out of 10 (line 2) and 4 (line 3)"),
                                 HasSubstr("sum, difference, product or ratio"), HasSubstr("=")));
  EXPECT_EQ(problem_of("p,Fig3,mean,A,time,C,9,%,= 10 and some,\"" + two + "\""), "no error");
}

TEST(Targets, OneRowGivesItsOtherForms) {
  EXPECT_EQ(problem_of("p,S1,mean,A,speedup,B,2.6,x,,follows Fig2 / mean / A / ratio"), "no error")
      << "1 / 0.38";
  EXPECT_EQ(problem_of("p,S1,mean,A,normalised,B,110,%,,follows Fig1 / mean / A / time"), "no error")
      << "10% more";
  EXPECT_THAT(problem_of("p,S1,mean,A,speedup,B,2.8,x,,follows Fig2 / mean / A / ratio"),
              HasSubstr("does not come out"));
}

TEST(Targets, ReferencesEndAtNumbersThatCount) {
  EXPECT_THAT(problem_of("p,Fig3,HS,A,time,B,19,%,,repeats Fig1\np,Fig4,HS,A,time,B,19,%,,repeats Fig3"),
              AllOf(HasSubstr("targets.csv:8"), HasSubstr("line 7 repeats line 4"), HasSubstr("name that")));
  EXPECT_THAT(problem_of("p,Fig3,-,A,entries,,160,count,,repeats S1"),
              AllOf(HasSubstr("targets.csv:7"), HasSubstr("line 6 is a constant")));
  EXPECT_THAT(problem_of("p,Fig3,HS,A,time,B,5,%,,follows Fig4\np,Fig4,HS,A,time,B,5,%,,follows Fig3"),
              AllOf(HasSubstr("targets.csv:7"), HasSubstr("follows from itself")));
  EXPECT_EQ(problem_of("p,Fig3,HS,A,time,B,119,%,,follows Fig1\np,Fig4,HS,A,time,B,119,%,,repeats Fig3"),
            "no error")
      << "what follows may be repeated";
}

TEST(Targets, OfEveryStudyOfTheTree) {
  for (const std::string& study : study_names()) {
    EXPECT_NO_THROW(bundled_study(study)) << study;
    const std::vector<Target> rows = parse_targets(find_study(study).targets);
    std::size_t own = 0;
    for (const Target& t : rows) {
      own += t.counts();
      EXPECT_EQ(t.from.empty(), t.origin == Origin::Own || t.origin == Origin::Constant) << study << t.line;
      for (const std::size_t i : t.from) {
        ASSERT_LT(i, rows.size());
        EXPECT_TRUE(rows[i].counts() || rows[i].origin == Origin::Follows) << study << " line " << t.line;
      }
    }
    EXPECT_GT(own, rows.size() / 4) << study;
  }
}

}  // namespace
}  // namespace heddle::study
