// What holds for every merger, on random requests: each gets one answer, nothing is merged that may not be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cluster/mergers.h"
#include "gpu/catalog.h"
#include "tests/stats/check_declared.h"

namespace heddle::gpu {
namespace {

using cluster::MergerFactory;
using cluster::MergerKind;
using cluster::MergerStats;
using cluster::MissMerger;
using mem::Op;
using mem::Request;
using mem::Space;
using Verdict = MissMerger::Verdict;

struct Case {
  std::string merger;
  std::string parameters;  // TOML
};
void PrintTo(const Case& c, std::ostream* os) {
  *os << c.merger << ' ' << c.parameters;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const MergerKind& k : mergers()) all.push_back({std::string(k.name), ""});
  all.push_back({"lrc", "entries = 1"});
  all.push_back({"lrc", "entries = 3\nrequesters = 2"});
  all.push_back({"lrc", "requesters = 1"});
  all.push_back({"icc", "entries = 1"});
  all.push_back({"icc", "entries = 3\nbypassing_loads = true"});
  all.push_back({"icc_cc", "entries = 2\nlines = 1"});
  all.push_back({"icc_cc", "lines = 2\ninsert = \"always\"\nbypassing_loads = true"});
  all.push_back({"icc_cc", "invalidate_on_write = false\nreplacement = \"random\""});
  return all;
}

std::unique_ptr<MissMerger> make(const Case& c) {
  config::Config config = config::Config::parse(c.parameters, "f.toml");
  config::Reader reader(&config, nullptr);
  for (const MergerKind& k : mergers())
    if (k.name == c.merger) {
      const MergerFactory factory = k.read(reader);
      config.check_all_read();
      return factory({.cluster = 0, .sms = 16});
    }
  return nullptr;
}

class MergerContract : public testing::TestWithParam<Case> {
 protected:
  static constexpr std::uint32_t kSms = 16, kLines = 5;

  std::uint32_t random(std::uint32_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>((state_ >> 33) % n);
  }
  // Most are global reads; token is unique among a test's requests.
  Request random_request() {
    Request r;
    r.line = 128 * random(kLines);
    r.token = static_cast<std::uint32_t>(asked_.size());
    r.sm = static_cast<std::uint16_t>(random(kSms));
    r.sectors = static_cast<mem::SectorMask>(1 + random(15));
    r.born = now_;
    r.words = random(1000);
    r.payload = static_cast<std::uint16_t>(random(1000));
    r.no_l1 = random(2) == 0;
    if (const std::uint32_t kind = random(10); kind < 3)
      r.op = kind == 0 ? Op::Atomic : Op::Write;
    else if (kind == 3)
      r.space = static_cast<Space>(1 + random(4));
    return r;
  }
  void offer() {
    Request r = random_request();
    const Request original = r;
    const Verdict v = merger_->offer(now_, r, answers_);
    if (v == Verdict::Wait) return;
    asked_.push_back({original, now_});
    if (v == Verdict::Forward) network_.push_back(r);
    EXPECT_TRUE(v == Verdict::Forward || cluster::mergeable(original));
    if (!cluster::mergeable(original)) {
      EXPECT_EQ(r.sectors, original.sectors);
      ++not_mergeable_;
    } else {
      past_l1_ += original.no_l1;
    }
    check_answers();
  }
  void reply() {
    const std::size_t i = random(static_cast<std::uint32_t>(network_.size()));
    Request r = network_[i];
    network_.erase(network_.begin() + static_cast<std::ptrdiff_t>(i));
    r.reply = true;
    for (std::uint32_t s = 0; s < 4; ++s)
      if (r.sectors >> s & 1) fetched_[{r.line, s}] = now_;
    merger_->reply(now_, r, answers_);
    check_answers();
  }
  // Each answer is the request as it was offered, for the first time, and its data came after it was made
  // (unless the merger holds data itself).
  void check_answers() {
    for (const Request& a : answers_) {
      ASSERT_LT(a.token, asked_.size());
      Asked& q = asked_[a.token];
      EXPECT_FALSE(q.answered);
      q.answered = true;
      EXPECT_TRUE(a.reply);
      EXPECT_EQ(a.line, q.request.line);
      EXPECT_EQ(a.sm, q.request.sm);
      EXPECT_EQ(a.sectors, q.request.sectors);
      EXPECT_EQ(a.op, q.request.op);
      EXPECT_EQ(a.born, q.request.born);
      EXPECT_EQ(a.words, q.request.words);
      EXPECT_EQ(a.payload, q.request.payload);
      EXPECT_EQ(a.no_l1, q.request.no_l1);
      if (merger_->statistics().held > 0) continue;
      for (std::uint32_t s = 0; s < 4; ++s)
        if (a.sectors >> s & 1) {
          EXPECT_GE((fetched_[{a.line, s}]), q.at);
        }
    }
    answers_.clear();
  }
  void run(std::uint32_t requests, std::uint32_t most_under_way) {
    while (asked_.size() < requests) {
      ++now_;
      if (network_.size() < most_under_way && random(3) != 0)
        offer();
      else if (!network_.empty())
        reply();
    }
    for (; !network_.empty(); ++now_) reply();
  }

  struct Asked {
    Request request;
    sim::Cycle at = 0;
    bool answered = false;
  };
  std::unique_ptr<MissMerger> merger_ = make(GetParam());
  std::vector<Asked> asked_;
  std::vector<Request> network_, answers_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, sim::Cycle> fetched_;
  std::uint64_t not_mergeable_ = 0, past_l1_ = 0;
  std::uint64_t state_ = 1;
  sim::Cycle now_ = 1;
};

TEST_P(MergerContract, EveryRequestGetsOneAnswer) {
  run(3000, 20);
  for (const Asked& q : asked_) ASSERT_TRUE(q.answered) << q.request.token;
  EXPECT_EQ(merger_->waiting(), 0u);
}

TEST_P(MergerContract, CountsAddUp) {
  run(3000, 40);
  const MergerStats& s = merger_->statistics();
  EXPECT_EQ(s.offered, 3000u);
  EXPECT_EQ(s.offered, s.forwarded + s.merged + s.held);
  EXPECT_GE(s.bypassed, not_mergeable_);
  EXPECT_LE(s.bypassed, not_mergeable_ + past_l1_);
  EXPECT_EQ(s.offered_sectors, s.forwarded_sectors + s.merged_sectors + s.held_sectors);
  EXPECT_EQ(s.replies, s.forwarded);
  EXPECT_EQ(s.answers, s.offered);
}

TEST_P(MergerContract, WaitingCountsRequestsWithoutAnAnswer) {
  for (std::uint32_t n = 0; n < 50; ++n) offer();
  EXPECT_EQ(merger_->waiting(), 50u);
  merger_->clear_statistics();
  EXPECT_EQ(merger_->waiting(), 50u);
  EXPECT_EQ(merger_->statistics().offered, 0u);
  for (; !network_.empty(); ++now_) reply();
  EXPECT_EQ(merger_->waiting(), 0u);
}

// Answers of its own need data from a reply that came before.
TEST_P(MergerContract, HoldsNothingBeforeTheFirstReply) {
  for (std::uint32_t n = 0; n < 200; ++n) offer();
  EXPECT_EQ(merger_->statistics().held, 0u);
  EXPECT_EQ(merger_->statistics().answers, 0u);
}

TEST_P(MergerContract, AKernelsEndLosesNoAnswer) {
  for (std::uint32_t n = 0; n < 50; ++n) offer();
  merger_->kernel_end();
  EXPECT_EQ(merger_->waiting(), 50u);
  for (; !network_.empty(); ++now_) reply();
  EXPECT_EQ(merger_->waiting(), 0u);
}

TEST_P(MergerContract, StorageIsNamed) {
  for (const cluster::MergerStorage& s : merger_->storage()) {
    EXPECT_FALSE(s.part.empty());
    EXPECT_THAT(s.formula, testing::HasSubstr("bits"));
    EXPECT_GT(s.bits, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, MergerContract, testing::ValuesIn(cases()));

TEST(MergerStatistics, AreDeclared) {
  stats::check_declared<MergerStats>();
}

TEST(Mergers, HaveNamesAndDescriptions) {
  std::vector<std::string> names;
  for (const MergerKind& k : mergers()) {
    names.emplace_back(k.name);
    EXPECT_FALSE(k.description.empty());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"plain", "lrc", "icc", "icc_cc"}));
}

}  // namespace
}  // namespace heddle::gpu
