#include "stats/writers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "example_stats.h"

namespace heddle::stats {
namespace {

using testing::HasSubstr;

Snapshot example_snapshot() {
  L1Stats l1;
  l1.requests = 18'446'744'073'709'551'615ull;
  l1.latency.add(12, 3);
  l1.latency.add(99);
  Snapshot snapshot;
  snapshot.add("l1", l1);
  snapshot.add("empty", L1Stats{});
  return snapshot;
}

std::string written(const Writer& writer) {
  std::ostringstream out;
  writer.write(out, example_snapshot());
  return out.str();
}

TEST(Writers, Json) {
  const auto json = nlohmann::json::parse(written(JsonWriter()));
  EXPECT_EQ(json["l1.requests"]["value"].get<std::uint64_t>(), 18'446'744'073'709'551'615ull);
  EXPECT_EQ(json["l1.requests"]["nsight"], "l1tex__t_requests.sum");
  EXPECT_EQ(json["l1.requests"]["unit"], "requests");
  EXPECT_EQ(json["l1.latency"]["value"]["bins"][1][1], 3);
  EXPECT_EQ(json["l1.latency"]["value"]["samples"], 4);
  EXPECT_TRUE(json["empty.hit_rate"]["value"].is_null());
  EXPECT_EQ(json["l1.hit_rate"]["formula"], "l1.hits / l1.requests");
  EXPECT_FALSE(json["l1.hits"].contains("nsight"));
  const auto values = nlohmann::json::parse(written(JsonWriter(JsonWriter::Detail::Values)));
  EXPECT_EQ(values["l1.hits"], 0);
}

TEST(Writers, Csv) {
  const std::string csv = written(CsvWriter());
  EXPECT_THAT(csv,
              HasSubstr("name,value,unit,kind,nsight,description\nl1.requests,18446744073709551615,requests,"
                        "counter,l1tex__t_requests.sum,Line requests that arrived\n"));
  EXPECT_THAT(csv, HasSubstr("l1.latency[10],3,samples,histogram,,From request to reply\n"));
  EXPECT_THAT(csv, HasSubstr("\"Requests in one cycle, \"\"bursts\"\"\"\n"));
  EXPECT_THAT(csv, HasSubstr("empty.hit_rate,,,derived,,"));
}

TEST(Writers, Text) {
  const std::string text = written(TextWriter());
  EXPECT_THAT(
      text,
      HasSubstr("l1.requests           18,446,744,073,709,551,615 requests  Line requests that arrived\n"));
  EXPECT_THAT(text, HasSubstr("30+ ##############"));
  EXPECT_THAT(text, HasSubstr("10-19 ########################################"));
  EXPECT_THAT(text, HasSubstr("empty.hit_rate                                 -           Share"));
}

}  // namespace
}  // namespace heddle::stats
