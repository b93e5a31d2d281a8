// Random traffic with replies in random order: everything accepted is answered once, counts add up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "cache/next_line.h"
#include "l1_rig.h"

namespace heddle::cache {
namespace {

using mem::Op;
using mem::Space;
using Outcome = mem::L1Port::Outcome;

struct Case {
  const char* name;
  L1Spec spec;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}
std::vector<Case> cases() {
  std::vector<Case> all;
  L1Spec s = small_l1();
  all.push_back({"evict", s});
  s.write = WritePolicy::Through;
  s.tags.sectored = false;
  all.push_back({"through_whole_lines", s});
  s.tags.sectored = true;
  s.write = WritePolicy::ThroughAllocate;
  s.allocate = Allocate::OnFill;
  s.port_bytes = Bytes{32};
  all.push_back({"allocate_on_fill", s});
  s.allocate = Allocate::OnMiss;
  s.tags.ways = 32;
  s.tags.replacement = "random";
  s.miss_queue = 2;
  s.passing = 5;
  all.push_back({"many_ways", s});
  s.tags.replacement = "pseudo_lru";
  s.bypass_global = true;
  s.mshr_merges = 1;
  all.push_back({"bypass", s});
  s.local_write_back = false;
  s.enabled = false;
  all.push_back({"none", s});
  for (std::size_t i = 0; i < 5; ++i) {
    static constexpr std::array kNames = {"evict_ahead", "through_whole_lines_ahead",
                                          "allocate_on_fill_ahead", "many_ways_ahead", "bypass_ahead"};
    Case ahead{kNames[i], all[i].spec};
    const NextLineSpec next{static_cast<std::uint32_t>(1 + i % 3), static_cast<NextLineSpec::On>(i % 3)};
    ahead.spec.make_prefetcher = [next](const PrefetcherPlace& place) {
      return std::make_unique<NextLine>(next, place);
    };
    all.push_back(ahead);
  }
  // Every limit of its own, with and without a prefetcher.
  for (std::size_t i = 0; i < 10; ++i) {
    if (i == 5) continue;  // no L1
    static constexpr std::array kNames = {"evict_limited",         "through_whole_lines_limited",
                                          "on_fill_limited",       "many_ways_limited",
                                          "bypass_limited",        "",
                                          "evict_ahead_limited",   "through_whole_lines_ahead_limited",
                                          "on_fill_ahead_limited", "many_ways_ahead_limited"};
    Case limited{kNames[i], all[i].spec};
    limited.spec.replies_per_cycle = 1 + i % 2;
    limited.spec.misses_per_cycle = i % 3 == 0 ? 0 : 1;
    limited.spec.read_places = i % 3;
    limited.spec.stores_need_way = i % 2 == 0;
    limited.spec.overtaken_fill = i % 4 == 0 ? OvertakenFill::Kept : OvertakenFill::Dropped;
    all.push_back(limited);
  }
  return all;
}
std::string name_of(const ::testing::TestParamInfo<Case>& of) {
  return of.param.name;
}

class L1Random : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(L1, L1Random, ::testing::ValuesIn(cases()), name_of);

mem::Request any_request(Rig& rig, std::mt19937& rng, std::uint32_t token) {
  const std::uint32_t kind = rng() % 10;
  rig.space = rng() % 3 == 0 ? Space::Local : rng() % 10 == 0 ? Space::Texture : Space::Global;
  Op op = kind < 6 ? Op::Read : kind < 9 ? Op::Write : Op::Atomic;
  if (rig.space == Space::Texture) op = Op::Read;
  if (rig.space == Space::Local && op == Op::Atomic) op = Op::Write;
  // Spaces do not share lines.
  const std::uint64_t line = (rng() % 24) * 128 + static_cast<std::uint64_t>(rig.space) * 0x100000;
  mem::Request r = rig.request(op, line, static_cast<mem::SectorMask>(1 + rng() % 15), token);
  r.no_l1 = rng() % 12 == 0;
  r.partial_write = op == Op::Write && rng() % 3 == 0;
  return r;
}

TEST_P(L1Random, EverythingIsAnsweredOnceAndCountsAddUp) {
  Rig rig(GetParam().spec, 6);
  std::mt19937 rng(11);
  std::vector<mem::Request> below;
  std::set<std::uint32_t> waiting;
  std::uint64_t accepted = 0, hits = 0, sent = 0, offers = 0;
  bool has = false;
  mem::Request r;
  constexpr std::uint32_t kRequests = 30000;
  for (std::uint32_t token = 0; token < kRequests || !rig.l1.idle() || has;) {
    ASSERT_LT(++offers, 20u * kRequests) << "no progress";
    if (!has && token < kRequests && rng() % 4 != 0) {
      r = any_request(rig, rng, token++);
      has = true;
    }
    if (has) {
      const auto a = rig.offer(r);
      has = a.outcome == Outcome::Blocked;
      if (a.outcome == Outcome::Pending) waiting.insert(r.token);
      if (a.outcome == Outcome::Hit) {
        ASSERT_NE(r.op, Op::Atomic);
        ASSERT_EQ(a.ready, rig.now + GetParam().spec.latency);
        ++hits;
      }
      accepted += has ? 0 : 1;
      if (has) {
        ASSERT_GT(rig.l1.retry_at(rig.now), rig.now);
      }
    }
    rig.tick();
    while (rng() % 3 != 0 && rig.out.ready(rig.now)) {
      below.push_back(rig.out.front());
      rig.out.pop(rig.now);
      ++sent;
    }
    rig.out.publish();
    if (!below.empty() && rng() % 2 == 0) {
      std::swap(below[rng() % below.size()], below.back());
      rig.answer(below.back());
      below.pop_back();
    }
    for (const auto& g : rig.client.got) {
      ASSERT_EQ(waiting.erase(g.request.token), 1u);
      ASSERT_TRUE(g.request.reply);
      ASSERT_EQ(g.request.words, 0xabcd + g.request.token);
    }
    rig.client.got.clear();
  }
  EXPECT_TRUE(waiting.empty());
  EXPECT_TRUE(below.empty());
  const L1Stats& s = rig.l1.statistics();
  EXPECT_EQ(s.reads.in + s.writes.in + s.atomics.in, accepted);
  EXPECT_EQ(accepted, kRequests);
  for (const auto* f : {&s.reads, &s.writes, &s.atomics}) EXPECT_EQ(f->in, f->outcomes());
  EXPECT_EQ(s.reads.hits + s.writes.hits, hits);
  std::uint64_t down = s.write_backs;
  for (const auto* f : {&s.reads, &s.writes, &s.atomics}) down += f->forwarded + f->bypassed;
  if (const L1Prefetch* prefetch = rig.l1.prefetch()) {
    const PrefetchStats& p = prefetch->statistics();
    down += p.sent;
    EXPECT_GT(p.sent, 0u);
    EXPECT_EQ(p.asked, p.sent + p.refusals());
    EXPECT_EQ(p.sent, p.answered);
    EXPECT_EQ(p.sent, p.late + p.useful + p.useless + p.left);
    // With global loads passing by, what is left fits into the cache.
    if (!GetParam().spec.bypass_global) {
      for (const std::uint64_t n : {p.late, p.useful, p.useless}) EXPECT_GT(n, 0u);
    }
  }
  EXPECT_EQ(sent, down);
  EXPECT_EQ(hits > kRequests / 50, GetParam().spec.enabled);
  // Nothing pends in an idle cache.
  for (std::uint32_t w = 0; w < GetParam().spec.tags.sets * GetParam().spec.tags.ways; ++w)
    ASSERT_EQ(rig.l1.tags().pending(w), 0);
  rig.l1.kernel_end();
}

}  // namespace
}  // namespace heddle::cache
