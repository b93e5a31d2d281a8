// Every merger of the catalog keeps the contract of its slot: with its defaults, small, and with each of its
// parameters changed. None is named here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "gpu/catalog.h"
#include "tests/contract/check_merger.h"
#include "tests/contract/variants.h"
#include "tests/stats/check_declared.h"

namespace heddle::contract {

void PrintTo(const MergerVariant& v, std::ostream* os) {
  *os << v.name;
}

namespace {

using testing::IsEmpty;

std::vector<MergerVariant> all_variants() {
  std::vector<MergerVariant> all;
  for (const cluster::MergerKind& k : gpu::mergers())
    for (MergerVariant& v : variants(k)) all.push_back(std::move(v));
  return all;
}

class MergerContract : public testing::TestWithParam<MergerVariant> {};

// Freshness is a promise of the defaults, whatever the sizes: other parameters may give it up.
TEST_P(MergerContract, IsKept) {
  EXPECT_THAT(check_merger(GetParam().make, GetParam().sizes_only).findings, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, MergerContract, testing::ValuesIn(all_variants()));

// Else nothing of what the check says about lines that are held was tried.
TEST(MergerContract, MergersThatHoldLinesDoSo) {
  for (const cluster::MergerKind& k : gpu::mergers()) {
    const std::uint64_t held = check_merger(variants(k).front().make).held;
    EXPECT_EQ(held > 0, !k.held_by.empty()) << k.name;
  }
}

TEST(MergerVariants, AreTheDefaultsAndEachParameter) {
  for (const cluster::MergerKind& k : gpu::mergers()) {
    config::ParamTable table;
    config::Reader reader(nullptr, &table);
    k.read(reader);
    const std::vector<MergerVariant> all = variants(k);
    EXPECT_EQ(all.front().name, k.name);
    for (const config::Param& p : table.params())
      EXPECT_TRUE(std::any_of(
          all.begin() + 1, all.end(),
          [&](const MergerVariant& v) { return v.name.find(" " + p.path + "=") != std::string::npos; }))
          << k.name << " " << p.path;
  }
}

TEST(MergerStatistics, AreDeclared) {
  stats::check_declared<cluster::MergerStats>();
}

TEST(Mergers, HaveNamesAndDescriptions) {
  std::set<std::string_view> names;
  for (const cluster::MergerKind& k : gpu::mergers()) {
    EXPECT_FALSE(k.name.empty());
    EXPECT_TRUE(names.insert(k.name).second) << k.name;
    EXPECT_FALSE(k.description.empty()) << k.name;
  }
}

}  // namespace
}  // namespace heddle::contract
