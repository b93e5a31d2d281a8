// The registry of bundled workloads: complete, in order, described.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "workloads/registry.h"

namespace heddle::workloads {
namespace {

using workload::RunOptions;
using workload::Scale;
using workload::Workload;

constexpr Scale scales[] = {Scale::Tiny, Scale::Small, Scale::Paper};

TEST(Registry, NamesAreSortedAndUnique) {
  std::vector<std::string> names;
  for (const Workload* w : all_workloads()) names.push_back(w->info().name);
  ASSERT_FALSE(names.empty());
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end())) << testing::PrintToString(names);
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << testing::PrintToString(names);
}

TEST(Registry, EveryFolderWithPtxIsListedAndEveryWorkloadHasPtx) {
  std::set<std::string> listed, embedded;
  for (const Workload* w : all_workloads()) listed.insert(w->info().name);
  for (const workload::EmbeddedPtx& ptx : all_embedded_ptx()) embedded.emplace(ptx.name);
  EXPECT_EQ(listed, embedded);
}

TEST(Registry, FindsByName) {
  for (const Workload* w : all_workloads()) EXPECT_EQ(find_workload(w->info().name), w);
  EXPECT_EQ(find_workload("no such workload"), nullptr);
  EXPECT_EQ(find_workload(""), nullptr);
}

TEST(EmbeddedPtx, IsTheWholeText) {
  for (const workload::EmbeddedPtx& ptx : all_embedded_ptx()) {
    SCOPED_TRACE(ptx.file);
    EXPECT_THAT(std::string(ptx.text), testing::HasSubstr(".version"));
    EXPECT_THAT(std::string(ptx.text), testing::HasSubstr(".visible .entry"));
    EXPECT_EQ(ptx.text.find('\0'), std::string_view::npos);
    EXPECT_EQ(ptx.text.back(), '\n');
  }
}

TEST(EmbeddedPtx, UnknownNameIsAnError) {
  EXPECT_THROW(embedded_ptx("no such workload"), Error);
}

TEST(Workloads, DescribeThemselves) {
  for (const Workload* w : all_workloads()) {
    SCOPED_TRACE(w->info().name);
    EXPECT_FALSE(w->info().suite.empty());
    EXPECT_FALSE(w->info().abbreviation.empty());
    EXPECT_FALSE(w->info().summary.empty());
    EXPECT_EQ(w->info().order_sensitive, !w->info().order_reason.empty());
    for (const Scale scale : scales) EXPECT_FALSE(w->parameters({.scale = scale}).empty());
  }
}

TEST(Workloads, ScalesDiffer) {
  for (const Workload* w : all_workloads()) {
    SCOPED_TRACE(w->info().name);
    EXPECT_NE(w->parameters({.scale = Scale::Tiny}), w->parameters({.scale = Scale::Small}));
    EXPECT_NE(w->parameters({.scale = Scale::Small}), w->parameters({.scale = Scale::Paper}));
  }
}

}  // namespace
}  // namespace heddle::workloads
