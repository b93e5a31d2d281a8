// The L1 cache keeps what mem/l1_port.h asks of whatever holds lines, with every policy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cache/replacement.h"
#include "tests/contract/check_l1.h"

namespace heddle::contract {
namespace {

using cache::Allocate;
using cache::L1Spec;
using cache::WritePolicy;

L1Spec small() {
  L1Spec s;
  s.tags.sets = 2;
  s.tags.ways = 2;
  s.mshr_entries = 3;
  s.mshr_merges = 3;
  return s;
}

struct Case {
  std::string name;
  L1Spec spec;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& [write, policy] : {std::pair{"evict", WritePolicy::Evict},
                                      {"through", WritePolicy::Through},
                                      {"through_allocate", WritePolicy::ThroughAllocate}})
    for (const bool on_fill : {false, true})
      for (const bool sectored : {false, true})
        for (const bool write_back : {false, true}) {
          L1Spec s = small();
          s.write = policy;
          s.allocate = on_fill ? Allocate::OnFill : Allocate::OnMiss;
          s.tags.sectored = sectored;
          s.local_write_back = write_back;
          all.push_back({fmt::format("{}_{}_{}_{}", write, on_fill ? "on_fill" : "on_miss",
                                     sectored ? "sectors" : "lines", write_back ? "back" : "no_back"),
                         s});
        }
  for (const config::NamedChoice& c : cache::replacement_names()) {
    L1Spec s = small();
    s.tags.replacement = c.name;
    all.push_back({c.name, s});
  }
  // With every limit of its own, all that was above.
  for (std::size_t i = 0, n = all.size(); i < n; ++i) {
    Case limited = all[i];
    limited.name += "_limited";
    limited.spec.replies_per_cycle = 1 + i % 2;
    limited.spec.misses_per_cycle = i % 2;
    limited.spec.read_places = i % 3;
    limited.spec.stores_need_way = i % 3 != 1;
    all.push_back(limited);
  }
  L1Spec s = small();
  s.tags.ways = 32;
  s.mshr_entries = 32;
  all.push_back({"roomy", s});
  s.bypass_global = true;
  all.push_back({"bypass", s});
  return all;
}

class L1Contract : public testing::TestWithParam<Case> {};

TEST_P(L1Contract, IsKept) {
  const L1Report report = check_l1(l1_cache(GetParam().spec), store_policy(GetParam().spec));
  EXPECT_THAT(report.findings, testing::IsEmpty());
  EXPECT_GT(report.hits, 50u);
}

// What l1.overtaken_fill = kept gives up: hits on what is older than a store.
TEST(L1ContractBroken, ByKeepingWhatAStoreHasOvertaken) {
  L1Spec s = small();
  s.overtaken_fill = cache::OvertakenFill::Kept;
  EXPECT_THAT(check_l1(l1_cache(s), store_policy(s)).findings,
              testing::Contains(testing::HasSubstr("a hit on version")));
}

INSTANTIATE_TEST_SUITE_P(All, L1Contract, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace heddle::contract
