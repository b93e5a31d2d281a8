// Runs of machines with different stages on one page.
#include "report/funnel_columns.h"

#include <gtest/gtest.h>

namespace heddle::report {
namespace {

using Json = nlohmann::ordered_json;

Json level(const char* name, int count) {
  return {{"name", name}, {"unit", "requests"}, {"by", ""}, {"count", count}, {"could", nullptr}};
}
Json place(const char* name, const char* in, const char* out, int removed) {
  return {{"name", name},
          {"in", in},
          {"out", out},
          {"removed", Json::array({{{"by", "hits"}, {"count", removed}}})},
          {"added", Json::array()}};
}

TEST(FunnelColumns, LevelsThatOneMachineLacksCountAsTheOneBefore) {
  const Json few = {{"levels", {level("lanes", 9), level("misses", 4)}},
                    {"places", Json::array({place("caches", "lanes", "misses", 5)})}};
  const Json many = {
      {"levels", {level("lanes", 9), level("at nodes", 7), level("misses", 3)}},
      {"places", {place("nodes", "lanes", "at nodes", 2), place("caches", "at nodes", "misses", 4)}}};
  FunnelColumns columns;
  columns.add(few);
  columns.add(many);
  const Json head = columns.head();
  ASSERT_EQ(head["levels"].size(), 3u);
  EXPECT_EQ(head["levels"][1]["name"], "at nodes");
  ASSERT_EQ(head["places"].size(), 2u);
  EXPECT_EQ(head["places"][0]["name"], "nodes");
  EXPECT_EQ(head["places"][0]["out"], 1);
  EXPECT_EQ(head["places"][1]["in"], 1);  // for both: 9 - 5 = 4 and 7 - 4 = 3
  EXPECT_EQ(columns.values(few)["count"], Json({9, 9, 4}));
  EXPECT_EQ(columns.values(many)["count"], Json({9, 7, 3}));
  EXPECT_TRUE(columns.values(few)["removed"][0].empty());
  EXPECT_EQ(columns.values(few)["removed"][1][0]["count"], 5);
}

}  // namespace
}  // namespace heddle::report
