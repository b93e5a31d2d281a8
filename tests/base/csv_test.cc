#include "base/csv.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heddle {
namespace {

const char* const kTable =
    "# comment\n"
    "program,allowed_percent,reason\n"
    "*,20,\n"
    "nbody,30,\"a reason, with a comma\"\n"
    "mean,5,\n";

TEST(Csv, ValuesByColumn) {
  const auto rows = parse_csv(kTable, "t.csv");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(csv_text(rows[1], "reason"), "a reason, with a comma");
  EXPECT_EQ(csv_number(rows[1], "allowed_percent"), 30);
  EXPECT_THROW(csv_number(rows[1], "program"), Error);
  EXPECT_THROW(csv_number(rows[1], "no such column"), Error);
}

TEST(Csv, ALineWithTooFewValuesIsNamed) {
  try {
    parse_csv("a,b\n1,2\n3\n", "t.csv");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.place().file, "t.csv");
    EXPECT_EQ(e.place().line, 3u);
  }
}

TEST(Csv, AQuoteThatIsNotClosedIsNamed) {
  try {
    parse_csv("a,b\n1,\"2\n", "t.csv");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.place().line, 2u);
    EXPECT_EQ(e.message(), "a quote is not closed");
  }
}

TEST(Csv, FieldsAreReadAsTheyWereWritten) {
  const std::vector<std::string> texts = {"plain", "", "a, b", "say \"so\"", "\""};
  std::string line;
  for (const std::string& text : texts) line += (line.empty() ? "" : ",") + csv_field(text);
  EXPECT_EQ(line, "plain,,\"a, b\",\"say \"\"so\"\"\",\"\"\"\"");
  EXPECT_EQ(csv_fields(line), texts);
  EXPECT_EQ(csv_fields("a,\"b"), std::nullopt);
}

}  // namespace
}  // namespace heddle
