#include "stats/readers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "example_stats.h"
#include "stats/snapshot.h"
#include "stats/writers.h"

namespace heddle::stats {
namespace {

using Json = nlohmann::ordered_json;

L1Stats example() {
  L1Stats s;
  s.requests = 10;
  s.hits = ~0ull;  // more than a double holds
  s.mshr.most_used = 3;
  s.latency.add(25, 4);
  s.burst.add(9);
  return s;
}

Json written(L1Stats s, JsonWriter::Detail detail) {
  Snapshot all;
  all.add("", s);
  return Json::parse(JsonWriter(detail).object(all).dump());
}

TEST(Readers, BothDetailsReadBack) {
  for (const auto detail : {JsonWriter::Detail::Full, JsonWriter::Detail::Values}) {
    const Json json = written(example(), detail);
    L1Stats back;
    read_json(json, back);
    EXPECT_EQ(back.hits, ~0ull);
    EXPECT_EQ(back.mshr.most_used, 3u);
    EXPECT_EQ(back.latency.bins[2], 4u);
    EXPECT_EQ(back.burst.largest, 9u);
    EXPECT_EQ(written(back, detail), json);
  }
}

TEST(Readers, RefuseWhatHasAnotherForm) {
  const Json good = written(example(), JsonWriter::Detail::Values);
  std::vector<Json> bad(5, good);
  bad[0].erase("mshr.merged");
  bad[1]["hits"] = "many";
  bad[2]["latency"]["bins"].erase(0);
  bad[3]["latency"]["bins"][1][0] = 11;  // another width
  bad[4]["latency"].erase("largest");
  for (const Json& json : bad) {
    L1Stats s;
    EXPECT_THROW(read_json(json, s), Error) << json;
  }
}

}  // namespace
}  // namespace heddle::stats
