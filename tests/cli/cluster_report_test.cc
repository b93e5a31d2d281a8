#include "apps/cli/reports/cluster_report.h"

#include <gmock/gmock.h>

namespace heddle::cli {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ProgramRun run(int status, const std::string& output, std::vector<std::uint64_t> hashes) {
  ProgramRun r;
  r.status = status;
  r.output = output;
  interpose::ProcessResults& p = r.processes.emplace_back();
  p.driver = true;
  p.device = "a card";
  p.sms = 8;
  for (const std::uint64_t h : hashes) p.copies.push_back({0, 16, h});
  p.copies_made = hashes.size();
  return r;
}

void add_kernel(ProgramRun& r, const std::string& name, double ms, std::uint64_t rewritten,
                const std::string& reason = "") {
  interpose::KernelResult& k = r.processes[0].kernels.emplace_back();
  k.name = name;
  k.launches = k.timed = 2;
  k.milliseconds = ms;
  k.rewritten = rewritten;
  k.ctas.add(64);
  if (!reason.empty()) k.reasons[reason] = 2 - rewritten;
}

TEST(ClusterComparison, TheSame) {
  const Comparison c = compare_runs({run(0, "a\nb\n", {1, 2})}, {run(0, "a\nb\n", {1, 2})});
  EXPECT_TRUE(c.same());
  EXPECT_THAT(c.compared, ElementsAre("exit status 0", "2 lines of output", "2 copies to the host (0.0 MB)"));
  EXPECT_THAT(c.unstable, IsEmpty());
}

TEST(ClusterComparison, EachDifferenceIsFound) {
  const std::vector<ProgramRun> plain{run(0, "a\nb\n", {1, 2})};
  EXPECT_THAT(compare_runs(plain, {run(1, "a\nb\n", {1, 2})}).differs,
              ElementsAre("the exit status is 1, not 0"));
  EXPECT_THAT(compare_runs(plain, {run(0, "a\nc\n", {1, 2})}).differs,
              ElementsAre("line 2 of the output: 'b' became 'c'"));
  EXPECT_THAT(compare_runs(plain, {run(0, "a\n", {1, 2})}).differs, ElementsAre(HasSubstr("lines, not 3")));
  EXPECT_THAT(compare_runs(plain, {run(0, "a\nb\n", {1, 3})}).differs,
              ElementsAre("copy 2 to the host, of 16 bytes, has other contents"));
  EXPECT_THAT(compare_runs(plain, {run(0, "a\nb\n", {1})}).differs,
              ElementsAre("it makes 1 copies to the host, not 2"));
  // The second of the rewritten runs counts as the first does.
  EXPECT_FALSE(compare_runs(plain, {run(0, "a\nb\n", {1, 2}), run(0, "a\nb\n", {2, 2})}).same());
}

TEST(ClusterComparison, WhatPlainRunsDoNotAgreeOnIsNotCompared) {
  const std::vector<ProgramRun> plain{run(0, "a\nt 1\n", {1, 2}), run(0, "a\nt 2\n", {1, 3})};
  const Comparison c = compare_runs(plain, {run(0, "a\nt 9\n", {1, 9})});
  EXPECT_TRUE(c.same());
  EXPECT_THAT(c.unstable, ElementsAre("1 line of its output", "1 of 2 copies to the host"));
  EXPECT_FALSE(compare_runs(plain, {run(0, "b\nt 9\n", {1, 9})}).same());
  EXPECT_FALSE(compare_runs(plain, {run(0, "a\nt 9\n", {8, 9})}).same());
}

TEST(ClusterComparison, CopiesInAnyOrderWhereThePlainRunsHaveNone) {
  const std::vector<ProgramRun> plain{run(0, "", {1, 2}), run(0, "", {2, 1})};
  EXPECT_TRUE(compare_runs(plain, {run(0, "", {2, 1})}).same());
  EXPECT_THAT(compare_runs(plain, {run(0, "", {2, 1})}).unstable, IsEmpty());
  EXPECT_FALSE(compare_runs(plain, {run(0, "", {2, 3})}).same());
}

TEST(ClusterComparison, OfManyCopiesTheChain) {
  ProgramRun a = run(0, "", {1}), b = run(0, "", {1});
  a.processes[0].copies_made = b.processes[0].copies_made = 1 << 20;
  a.processes[0].chain = b.processes[0].chain = 5;
  EXPECT_TRUE(compare_runs({a}, {b}).same());
  b.processes[0].chain = 6;
  EXPECT_FALSE(compare_runs({a}, {b}).same());
}

TEST(ClusterReport, MediansWithTheirSpreadAndReasons) {
  OnDeviceRuns runs;
  runs.description = "agents, rows";
  for (const double ms : {2.0, 2.1, 9.0}) {
    add_kernel(runs.plain.emplace_back(run(0, "", {})), "_Z3mixPf", ms, 0);
    add_kernel(runs.rewritten.emplace_back(run(0, "", {})), "_Z3mixPf", ms / 2, 2);
    add_kernel(runs.plain.back(), "early", 1, 0);
    add_kernel(runs.rewritten.back(), "early", 1, 0, "early exit: so it is");
  }
  const std::string text = to_text(runs, compare_runs(runs.plain, runs.rewritten));
  EXPECT_THAT(text, HasSubstr("a card, 8 SMs: agents, rows; 3 runs each way"));
  EXPECT_THAT(text, ContainsRegex("mix +2 +64 +- +2.1 ±166.7% +1.05 ±166.7% +2.00"));
  EXPECT_THAT(text, HasSubstr("as it is: early exit: so it is\n"));
  EXPECT_THAT(text, HasSubstr("1 of 2 kernels rewritten: 2.1 ms before, 1.05 ms after, speed-up 2.00."));
}

TEST(ClusterReport, ARunThatEndedEarlyShowsWhatIsMissing) {
  OnDeviceRuns runs;
  add_kernel(runs.plain.emplace_back(run(0, "", {})), "mix", 1, 0);
  runs.rewritten.push_back({139, "", {}});
  const Comparison c = compare_runs(runs.plain, runs.rewritten);
  EXPECT_FALSE(c.same());
  EXPECT_THAT(to_text(runs, c), HasSubstr("as it is: the rewritten run ended without launching it"));
}

}  // namespace
}  // namespace heddle::cli
