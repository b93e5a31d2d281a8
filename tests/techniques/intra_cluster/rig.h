// A merger of intra-cluster coalescing between SMs that ask and a network that answers when told to.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "techniques/intra_cluster/icc_merger.h"

namespace heddle::intra_cluster {

using mem::Request;
using Verdict = cluster::MissMerger::Verdict;
using Sms = std::vector<std::uint16_t>;

class Rig : public testing::Test {
 protected:
  static constexpr std::uint64_t kA = 0x1000, kB = 0x2000, kC = 0x3000;

  void use(const MergeTableSpec& table, const std::optional<CoalescedCacheSpec>& cache = std::nullopt,
           std::uint32_t sms = 5) {
    merger = std::make_unique<IccMerger>(table, cache, cluster::MergerPlace{.sms = sms});
    sent.clear();
  }
  static Request read(std::uint16_t sm, std::uint64_t line, mem::SectorMask sectors = 0xf) {
    Request r;
    r.sm = sm;
    r.token = 100u + sm;
    r.line = line;
    r.sectors = sectors;
    return r;
  }
  Verdict offer(Request r) {
    answers.clear();
    const Verdict v = merger->offer(0, r, answers);
    if (v == Verdict::Forward) sent.push_back(r);
    return v;
  }
  Verdict ask(std::uint16_t sm, std::uint64_t line, mem::SectorMask sectors = 0xf) {
    return offer(read(sm, line, sectors));
  }
  Verdict write(std::uint16_t sm, std::uint64_t line, mem::Op op = mem::Op::Write) {
    Request r = read(sm, line, 1);
    r.op = op;
    return offer(r);
  }
  // Answers request number n of those sent; returns the SMs served, in order.
  Sms serve(std::size_t n) {
    Request r = sent.at(n);
    r.reply = true;
    answers.clear();
    merger->reply(0, r, answers);
    Sms sms;
    for (const Request& a : answers) {
      EXPECT_TRUE(a.reply);
      EXPECT_EQ(a.token, 100u + a.sm);
      EXPECT_EQ(a.line, r.line);
      sms.push_back(a.sm);
    }
    return sms;
  }
  Sms serve_last() { return serve(sent.size() - 1); }
  const cluster::MergerStats& stats() const { return merger->statistics(); }

  std::unique_ptr<IccMerger> merger =
      std::make_unique<IccMerger>(MergeTableSpec{}, std::nullopt, cluster::MergerPlace{.sms = 5});
  std::vector<Request> sent, answers;
};

}  // namespace heddle::intra_cluster
