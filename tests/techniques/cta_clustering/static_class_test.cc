// The rules, one kernel each, as small as can be.
#include "techniques/cta_clustering/framework/static_class.h"

#include <gtest/gtest.h>

#include "addresses.h"
#include "techniques/cta_clustering/framework/static_report.h"

namespace heddle::cta_clustering {
namespace {

using workload::Dim3;

// Parameters of address_kernel: n at byte 24, m at 28.
Circumstances launched(Dim3 grid, Dim3 block, std::int64_t n = 1024, std::int64_t m = 1024) {
  Circumstances c;
  c.grid = grid;
  c.block = block;
  c.parameters = {{24, n}, {28, m}};
  return c;
}

StaticReport report_of(const std::string& body, const Circumstances& c) {
  const ptx::Module module = ptx::parse_module(ptx::address_kernel(body), "test.ptx");
  return static_report(module, *module.find_function("k"), c);
}

StaticClass found(const std::string& body, const Circumstances& c) {
  return report_of(body, c).found;
}

// %rd<to> = pointer + 4 * index
std::string at(const std::string& to, const std::string& pointer, const std::string& index) {
  return "mul.wide.s32 %rd20, " + index + ", 4; add.s64 " + to + ", " + pointer + ", %rd20;\n";
}

const std::string kGlobalIndex = "mad.lo.s32 %r1, %r50, %r54, %r52;\n";
// A loop of n rounds with its number in %r10.
std::string rounds(const std::string& body) {
  return "mov.u32 %r10, 0;\nL: " + body + "add.s32 %r10, %r10, 1; setp.lt.s32 %p1, %r10, %r55; @%p1 bra L;\n";
}

TEST(StaticClass, OwnLinesStream) {
  const StaticClass s = found(kGlobalIndex + at("%rd1", "%rd31", "%r1") + "ld.global.f32 %f1, [%rd1];",
                              launched({64, 1, 1}, {256, 1, 1}));
  EXPECT_EQ(s.category, Category::Streaming);
  EXPECT_TRUE(s.also.empty());
  EXPECT_EQ(s.partition.order, Order::Column);  // one dimension
  EXPECT_DOUBLE_EQ(s.requests, 64 * 8);         // 8 warps with a line each
}

// A reduction: two pieces of the array, as many threads as a piece has elements. Not so a halo.
TEST(StaticClass, ThreadsOfCtasWithSeveralPieces) {
  const auto assumed = [](const std::string& further) {
    return found("mad.lo.s32 %r1, %r50, 512, %r52;\n" + at("%rd1", "%rd31", "%r1") +
                     "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+" + further + "];",
                 {});
  };
  EXPECT_EQ(assumed("1024").assumed[1], "256 x 1 threads in a CTA");
  EXPECT_EQ(assumed("1024").category, Category::Streaming);
  EXPECT_EQ(assumed("4").assumed[1], "512 x 1 threads in a CTA");
}

TEST(StaticClass, WhatDependsOnOneCoordinateIsSharedAlongTheOther) {
  // a[by * n + i]: rows read the same.
  const std::string row = rounds("mad.lo.s32 %r2, %r51, %r55, %r10;\n" + at("%rd1", "%rd31", "%r2") +
                                 "ld.global.f32 %f1, [%rd1];\n");
  StaticClass s = found(row, launched({16, 16, 1}, {64, 1, 1}));
  EXPECT_EQ(s.category, Category::Algorithm);
  EXPECT_EQ(s.partition.order, Order::Row);
  EXPECT_GT(s.partition.row_bytes, 4000);
  EXPECT_EQ(s.partition.column_bytes, 0);
  ASSERT_GE(s.reasons.size(), 2u);
  EXPECT_EQ(s.reasons[1], "a does not depend on blockIdx.x: CTAs of a row read the same data");

  const std::string column = rounds("mad.lo.s32 %r2, %r50, %r55, %r10;\n" + at("%rd1", "%rd31", "%r2") +
                                    "ld.global.f32 %f1, [%rd1];\n");
  s = found(column, launched({16, 16, 1}, {64, 1, 1}));
  EXPECT_EQ(s.category, Category::Algorithm);
  EXPECT_EQ(s.partition.order, Order::Column);
  EXPECT_EQ(s.partition.as_printed, Order::Row);  // bx is the only index
}

TEST(StaticClass, TheLargerArrayDecidesBetweenDirections) {
  // Of a as many bytes per CTA along rows as of b along columns: tiles of a product of matrices.
  const std::string both = "ld.param.u64 %rd9, [b]; cvta.to.global.u64 %rd10, %rd9;\n" +
                           rounds("mad.lo.s32 %r2, %r51, %r55, %r10;\n" + at("%rd1", "%rd31", "%r2") +
                                  "ld.global.f32 %f1, [%rd1];\nmad.lo.s32 %r3, %r50, %r55, %r10;\n" +
                                  at("%rd2", "%rd10", "%r3") + "ld.global.f32 %f2, [%rd2];\n");
  EXPECT_EQ(found(both, launched({8, 32, 1}, {64, 1, 1})).partition.order, Order::Row);
  EXPECT_EQ(found(both, launched({32, 8, 1}, {64, 1, 1})).partition.order, Order::Column);
  EXPECT_EQ(found(both, launched({16, 16, 1}, {64, 1, 1})).partition.order, Order::Row);
}

TEST(StaticClass, WhatAllReadIsNoReasonToCluster) {
  const StaticClass s = found(rounds("mad.lo.s32 %r2, %r10, %r54, %r52;\n" + at("%rd1", "%rd31", "%r2") +
                                     "ld.global.f32 %f1, [%rd1];\n"),
                              launched({64, 1, 1}, {64, 1, 1}));
  EXPECT_EQ(s.category, Category::Streaming);
  EXPECT_GT(s.evidence.bytes.everywhere, 0);
  EXPECT_NE(s.reasons[0].find("the same for all"), std::string::npos);
}

TEST(StaticClass, ARowPerLaneIsCacheLine) {
  // a[(bx * ntid + tx) * n + i]
  const std::string body = kGlobalIndex + rounds("mad.lo.s32 %r2, %r1, %r55, %r10;\n" +
                                                 at("%rd1", "%rd31", "%r2") + "ld.global.f32 %f1, [%rd1];\n");
  StaticClass s = found(body, launched({16, 1, 1}, {256, 1, 1}));
  EXPECT_EQ(s.category, Category::CacheLine);
  // With rows of 8 bytes the lanes share their lines.
  s = found(body, launched({16, 1, 1}, {256, 1, 1}, 2));
  EXPECT_EQ(s.category, Category::Streaming);
}

TEST(StaticClass, HalosAreCacheLineAndWideOnesAlgorithm) {
  const auto halo = [](int cells) {
    std::string body = kGlobalIndex;
    for (int i = -cells; i <= cells; ++i)
      body += "add.s32 %r2, %r1, " + std::to_string(i) + ";\n" + at("%rd1", "%rd31", "%r2") +
              "ld.global.f32 %f1, [%rd1];\n";
    return body;
  };
  EXPECT_EQ(found(halo(1), launched({64, 1, 1}, {64, 1, 1})).category, Category::CacheLine);
  EXPECT_EQ(found(halo(12), launched({64, 1, 1}, {32, 1, 1})).category, Category::Algorithm);
}

TEST(StaticClass, ShorterLinesAreNotShared) {
  // Eight threads, 32 bytes: four CTAs to a line of 128.
  const std::string body = kGlobalIndex + at("%rd1", "%rd31", "%r1") + "ld.global.f32 %f1, [%rd1];";
  Circumstances c = launched({64, 1, 1}, {8, 1, 1});
  EXPECT_EQ(found(body, c).category, Category::CacheLine);
  c.line_bytes = 32;
  EXPECT_EQ(found(body, c).category, Category::Streaming);
}

TEST(StaticClass, IndicesFromMemoryAreData) {
  const StaticClass s = found(kGlobalIndex + at("%rd1", "%rd31", "%r1") + "ld.global.u32 %r2, [%rd1];\n" +
                                  at("%rd2", "%rd31", "%r2") + "ld.global.f32 %f1, [%rd2];",
                              launched({64, 1, 1}, {256, 1, 1}));
  EXPECT_EQ(s.category, Category::Data);
}

TEST(StaticClass, ShiftedWritesAreWriteRelated) {
  const auto kernel = [](const std::string& from, const std::string& to) {
    return kGlobalIndex + at("%rd1", "%rd31", "%r1") + "ld.global.f32 %f1, [%rd1" + from +
           "];\nst.global.f32 [%rd1" + to + "], %f1;";
  };
  const Circumstances c = launched({64, 1, 1}, {256, 1, 1});
  EXPECT_EQ(found(kernel("+4", ""), c).category, Category::Write);
  EXPECT_EQ(found(kernel("", ""), c).category, Category::Streaming);  // in place
}

TEST(StaticClass, WhatCannotBeFollowedIsToBeMeasured) {
  const StaticClass s =
      found("mov.u32 %r1, %smid;\n" + at("%rd1", "%rd31", "%r1") + "ld.global.f32 %f1, [%rd1];",
            launched({64, 1, 1}, {256, 1, 1}));
  EXPECT_EQ(s.category, Category::Unknown);
  EXPECT_NE(s.measure.find("L1 hit rate"), std::string::npos);
}

TEST(StaticClass, SeveralSourcesAreNamed) {
  // Data decides, and what it writes is read by others.
  const StaticClass s =
      found(kGlobalIndex + at("%rd1", "%rd31", "%r1") + "ld.global.u32 %r2, [%rd1];\n" +
                at("%rd2", "%rd31", "%r2") + "ld.global.f32 %f1, [%rd2]; st.global.f32 [%rd2+4], %f1;",
            launched({64, 1, 1}, {256, 1, 1}));
  EXPECT_EQ(s.category, Category::Data);
  ASSERT_EQ(s.also.size(), 1u);
  EXPECT_EQ(s.also[0], Category::Write);
}

TEST(StaticClass, WithoutALaunchSizesAreAssumed) {
  const StaticClass s =
      found(kGlobalIndex + at("%rd1", "%rd31", "%r1") + "ld.global.f32 %f1, [%rd1];", Circumstances{});
  EXPECT_EQ(s.category, Category::Streaming);
  EXPECT_FALSE(s.assumed.empty());
  EXPECT_FALSE(s.measure.empty());
}

TEST(StaticClass, ASingleCtaHasNoNeighbours) {
  const StaticClass s = found("ld.global.f32 %f1, [%rd31];", launched({1, 1, 1}, {256, 1, 1}));
  EXPECT_EQ(s.category, Category::Streaming);
  EXPECT_EQ(s.reasons[0], "there is a single CTA");
}

TEST(StaticReport, CopiesOfALoopAreOneRow) {
  const StaticReport r = report_of(kGlobalIndex + at("%rd1", "%rd31", "%r1") +
                                       "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+1024];\n"
                                       "st.global.f32 [%rd1], %f1;",
                                   launched({64, 1, 1}, {256, 1, 1}));
  ASSERT_EQ(r.accesses.size(), 2u);
  EXPECT_EQ(r.accesses[0].count, 2u);
  EXPECT_EQ(r.accesses[0].on_x, "1024");
  EXPECT_EQ(r.accesses[0].on_threads, "x: 4");
  const std::vector<std::string> text = lines(r);
  EXPECT_EQ(text[0].substr(0, 3), "k: ");
  const auto has = [&](const std::string& s) {
    return std::any_of(text.begin(), text.end(),
                       [&](const std::string& l) { return l.find(s) != std::string::npos; });
  };
  EXPECT_TRUE(has("partition: columns (X-partition)"));
  EXPECT_TRUE(has("read x2"));
}

}  // namespace
}  // namespace heddle::cta_clustering
