#include "study/definition/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace heddle::study {
namespace {

double value(std::string_view text) {
  return Expression::parse(text).value(
      {[](std::string_view name) { return name == "a.b"    ? 6.0
                                          : name == "zero" ? 0.0
                                                           : -1.0; },
       [](std::string_view name) { return name == "l1.ways" ? 4.0 : -2.0; }});
}

TEST(Expression, Arithmetic) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("8 / 2 / 2"), 2);
  EXPECT_EQ(value("8 - 2 - 2"), 4);
  EXPECT_EQ(value("-2 * -3"), 6);
  EXPECT_EQ(value("1 - a.b / 12"), 0.5);
  EXPECT_EQ(value("$l1.ways * (41 + 5)"), 184);
  EXPECT_TRUE(std::isnan(value("a.b / zero")));
}

TEST(Expression, Names) {
  const Expression e = Expression::parse("a.b / (c_d + $l1.ways)");
  EXPECT_THAT(e.statistics(), testing::ElementsAre("a.b", "c_d"));
  EXPECT_THAT(e.parameters(), testing::ElementsAre("l1.ways"));
  EXPECT_FALSE(Expression::parse("$l1.ways * 2").uses_statistics());
}

TEST(Expression, ErrorsTellTheColumn) {
  const auto error = [](const std::string& text) -> std::string {
    try {
      Expression::parse(text);
    } catch (const Error& e) {
      return e.message();
    }
    return "none";
  };
  EXPECT_THAT(error(""), testing::HasSubstr("column 1"));
  EXPECT_THAT(error("1 +"), testing::HasSubstr("column 4"));
  EXPECT_THAT(error("(1"), testing::HasSubstr("expected ')'"));
  EXPECT_THAT(error("1 2"), testing::HasSubstr("column 3"));
  EXPECT_THAT(error("1.2.3"), testing::HasSubstr("number"));
  EXPECT_THAT(error("$"), testing::HasSubstr("parameter"));
  EXPECT_THAT(error(std::string(200, '(')), testing::HasSubstr("deep"));
}

}  // namespace
}  // namespace heddle::study
