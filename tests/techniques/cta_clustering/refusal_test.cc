// What passes leave alone, and that they say why and where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench.h"

namespace heddle::cta_clustering {
namespace {

namespace tree = ptx::tree;
using testing::HasSubstr;

struct Refused {
  std::string rule, instruction;
};

// Empty rule: it was rewritten.
Refused by(const tree::Pass& pass, const std::string& text) {
  tree::Module m = tree::read_module(text, "k.ptx");
  const auto refusal = tree::run_passes(m, {&pass, 1});
  if (!refusal) return {};
  if (!refusal->instruction.empty()) {
    EXPECT_GT(refusal->at.line, 0u) << refusal->reason;
  }
  EXPECT_FALSE(refusal->reason.empty());
  return {refusal->rule, refusal->instruction};
}
Refused by_agents(const std::string& body, const std::string& globals = "") {
  return by(become_agents("k", {}), module_of(body, globals));
}
Refused by_redirection(const std::string& body, const std::string& globals = "") {
  return by(redirect("k", {4, {}}), module_of(body, globals));
}

TEST(Refusal, ThreadsThatLeaveBeforeABarrier) {
  const Refused r = by_agents("setp.ge.u32 %p1, %gid, %n; @%p1 ret; bar.sync 0; ret;");
  EXPECT_EQ(r.rule, "early exit");
  EXPECT_EQ(r.instruction, "bar.sync 0;");
  EXPECT_EQ(by_agents("setp.ge.u32 %p1, %gid, %n; @%p1 bra E; bar.sync 0; E: ret;").rule,
            "divergent barrier");
  // Leaving is decided by a value that only some threads have set.
  EXPECT_EQ(
      by_agents(
          "mov.u32 %r1, 0; setp.ne.u32 %p1, %t, 0; @%p1 bra A; mov.u32 %r1, 1; A: setp.eq.u32 %p2, %r1, 0; "
          "@%p2 exit; bar.sync 0; ret;")
          .rule,
      "early exit");
  EXPECT_EQ(
      by_agents("ld.global.u32 %r1, [%mine]; setp.eq.u32 %p2, %r1, 0; @%p2 exit; bar.sync 0; ret;").rule,
      "early exit");
  // One thread goes round once more than another: it is at the barrier when the other has gone.
  EXPECT_EQ(
      by_agents(
          "mov.u32 %r1, %t; L: bar.sync 0; add.u32 %r1, %r1, 32; setp.lt.u32 %p1, %r1, %n; @%p1 bra L; ret;")
          .rule,
      "divergent barrier");
  EXPECT_EQ(
      by_agents("setp.ge.u32 %p1, %gid, %n; @%p1 ret; shfl.sync.down.b32 %r1, %r2, 1, 31, -1; ret;").rule,
      "early exit");
  const std::string meeting = ".func meet() { bar.sync 0; ret; }\n";
  EXPECT_EQ(by_agents("setp.ge.u32 %p1, %gid, %n; @%p1 ret; call meet; ret;", meeting).rule, "early exit");
  // Some return from a function and leave the kernel while others wait in it.
  const std::string leaving =
      ".func leave() { .reg .b32 %r<2>; .reg .pred %p<2>; mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 7; @%p1 "
      "ret; "
      "bar.sync 0; ret; }\n";
  EXPECT_EQ(by_agents("call leave; ret;", leaving).rule, "early exit");
}

TEST(Refusal, NotOfThreadsThatAgree) {
  // By the CTA's number, by a parameter, by a value in memory at the same address, by a vote of the whole
  // CTA.
  EXPECT_EQ(by_agents("setp.ge.u32 %p1, %id, %n; @%p1 ret; bar.sync 0; ret;").rule, "");
  EXPECT_EQ(by_agents("ld.global.u32 %r1, [%out]; setp.eq.u32 %p2, %r1, 0; @%p2 exit; bar.sync 0; ret;").rule,
            "");
  EXPECT_EQ(
      by_agents("setp.ge.u32 %p1, %gid, %n; bar.red.and.pred %p2, 0, %p1; @%p2 exit; bar.sync 0; ret;").rule,
      "");
  EXPECT_EQ(
      by_agents(
          "mov.u32 %r1, 0; L: bar.sync 0; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %n; @%p1 bra L; ret;")
          .rule,
      "");
  // Leaving behind the last barrier, and where there is none.
  EXPECT_EQ(
      by_agents("bar.sync 0; setp.ge.u32 %p1, %gid, %n; @%p1 ret; st.global.u32 [%mine], %t; ret;").rule, "");
  EXPECT_EQ(by_agents("setp.ge.u32 %p1, %gid, %n; @%p1 ret; st.global.u32 [%mine], %t; ret;").rule, "");
  // A trap ends all.
  EXPECT_EQ(by_agents("setp.ge.u32 %p1, %gid, %n; @%p1 bra T; bar.sync 0; ret; T: trap;").rule, "");
  // Barriers of a part of the threads.
  EXPECT_EQ(by_agents("setp.ge.u32 %p1, %t, 32; @%p1 bra E; bar.sync 1, 32; E: bar.sync 0; ret;").rule, "");
}

TEST(Refusal, CtasThatWaitForOthers) {
  const std::string flag = "L: ld.volatile.global.u32 %r1, [%out]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret;";
  EXPECT_EQ(by_agents(flag).rule, "waits for other CTAs");
  EXPECT_EQ(by_redirection(flag).instruction, "ld.volatile.global.u32 %r1, [%out];");
  EXPECT_EQ(by_redirection(
                "L: ld.acquire.gpu.u32 %r1, [%out]; and.b32 %r1, %r1, 3; setp.eq.u32 %p1, %r1, %id; @!%p1 "
                "bra L; ret;")
                .rule,
            "waits for other CTAs");
  EXPECT_EQ(
      by_redirection("L: atom.global.add.u32 %r1, [%out], 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret;").rule,
      "waits for other CTAs");
  EXPECT_EQ(by_redirection(
                "L: { .param .b32 b; call (b), look; ld.param.b32 %r1, [b]; } setp.eq.u32 %p1, %r1, 0; @%p1 "
                "bra L; ret;",
                ".global .u32 g; .func (.param .b32 b) look() { .reg .b32 %r1; ld.volatile.global.u32 %r1, "
                "[g]; st.param.b32 [b], %r1; ret; }\n")
                .rule,
            "waits for other CTAs");
  // A lock, a volatile value that decides nothing, a loop in shared memory.
  EXPECT_EQ(
      by_redirection("L: atom.global.cas.b32 %r1, [%out], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L; ret;")
          .rule,
      "");
  EXPECT_EQ(
      by_redirection(
          "mov.u32 %r2, 0; L: ld.volatile.global.u32 %r1, [%out]; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, "
          "%r2, 9; @%p1 bra L; ret;")
          .rule,
      "");
  EXPECT_EQ(by_redirection("L: ld.volatile.shared.u32 %r1, [s]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret;",
                           ".shared .u32 s;\n")
                .rule,
            "");
}

TEST(Refusal, ClusterLaunches) {
  for (const char* d : {".reqnctapercluster 2, 1, 1", ".explicitcluster", ".maxclusterrank 4"}) {
    std::string text = module_of("ret;");
    text.insert(text.find("{\n  .reg .pred"), std::string(d) + "\n");
    EXPECT_EQ(by(redirect("k", {4, {}}), text).rule, "cluster launch") << d;
    EXPECT_EQ(by(become_agents("k", {}), text).rule, "cluster launch") << d;
  }
  EXPECT_EQ(by_redirection("mov.u32 %r1, %cluster_ctaid.x; ret;").instruction,
            "mov.u32 %r1, %cluster_ctaid.x;");
}

TEST(Refusal, CooperativeKernels) {
  EXPECT_EQ(by_agents("mov.u64 %rd1, %gridid; ret;").rule, "cooperative");
  EXPECT_EQ(by_agents("mov.u32 %r1, %envreg2; ret;").rule, "cooperative");
  const std::string sync = ".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 a, .param .b32 b);\n";
  EXPECT_EQ(
      by_redirection(
          "{ .param .b32 r; .param .b64 a; .param .b32 b; call (r), cudaCGSynchronize, (a, b); } ret;", sync)
          .rule,
      "cooperative");
}

TEST(Refusal, DynamicParallelism) {
  const std::string launch =
      ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 a, .param .b64 b);\n";
  EXPECT_EQ(
      by_agents("{ .param .b32 r; .param .b64 a; .param .b64 b; call (r), cudaLaunchDeviceV2, (a, b); } ret;",
                launch)
          .rule,
      "dynamic parallelism");
  // Somebody else launches it.
  EXPECT_EQ(by(become_agents("k", {}),
               module_of("ret;") + ".visible .entry parent() { .reg .b64 %rd1; mov.u64 %rd1, k; ret; }\n")
                .rule,
            "dynamic parallelism");
  EXPECT_EQ(by_redirection("call elsewhere; ret;", ".extern .func elsewhere();\n").rule, "unknown function");
}

TEST(Refusal, FunctionsThatCannotBeCopied) {
  const std::string body =
      "mov.u64 %rd1, where; { .param .b32 b; P: .callprototype (.param .b32 _) _ (); call (b), %rd1, P; "
      "ld.param.b32 %r1, "
      "[b]; } ret;";
  EXPECT_EQ(by_redirection(
                body,
                ".func (.param .b32 b) where() { .reg .b32 %r1; mov.u32 %r1, %ctaid.x; st.param.b32 [b], "
                "%r1; ret; }\n")
                .rule,
            "call through a pointer");
  EXPECT_EQ(by_redirection(body, ".func (.param .b32 b) where() { st.param.b32 [b], 1; ret; }\n").rule, "");
  const std::string grid =
      ".func (.param .b32 b) where() { .reg .b32 %r1; mov.u32 %r1, %nctaid.x; st.param.b32 [b], %r1; ret; "
      "}\n";
  EXPECT_EQ(by_redirection(body, grid).rule, "");  // the grid stays
  EXPECT_EQ(by_agents(body, grid).rule, "call through a pointer");
}

TEST(Refusal, WhatDoesNotEndWithATask) {
  EXPECT_EQ(by_agents("call f; ret;", ".func f() { exit; }\n").rule, "exit in a function");
  EXPECT_EQ(by_agents("bar.arrive 1, 64; ret;").rule, "bar.arrive");
  EXPECT_EQ(by_agents("and.b32 %r1, %id, 1; bar.sync %r1; ret;").rule, "barrier number");
  EXPECT_EQ(by_agents("setmaxnreg.inc.sync.aligned.u32 240; ret;").rule, "setmaxnreg");
  EXPECT_EQ(by_agents("mov.u32 %r1, %total_smem_size; ret;").rule, "shared size");
  EXPECT_EQ(by_agents("mbarrier.init.shared.b64 [m], 32; ret;", ".shared .align 8 .b64 m;\n").rule,
            "mbarrier");
  std::string all;
  for (int i = 0; i < 16; ++i) all += "bar.sync " + std::to_string(i) + ";\n";
  EXPECT_EQ(by_agents(all + "ret;").rule, "barrier number");
}

TEST(Refusal, WhatIsNotUnderstood) {
  const Refused r = by_redirection("tcgen05.wait::ld.sync.aligned; ret;");
  EXPECT_EQ(r.rule, "not understood");
  EXPECT_EQ(r.instruction, "tcgen05.wait::ld.sync.aligned;");
  EXPECT_EQ(by(redirect("other", {4, {}}), module_of("ret;")).rule, "no kernel");
}

TEST(Refusal, ErrorNamesFileLineAndInstruction) {
  tree::Module m = tree::read_module(module_of("\nbar.arrive 1, 64;\nret;"), "some.ptx");
  const tree::Pass pass = become_agents("k", {});
  const auto refusal = tree::run_passes(m, {&pass, 1});
  ASSERT_TRUE(refusal);
  EXPECT_THAT(tree::error_of(*refusal, m).what(),
              HasSubstr("some.ptx:23:1: pass 'agents' does not rewrite 'k': arrivals"));
  EXPECT_THAT(tree::error_of(*refusal, m).what(), HasSubstr("(here 'bar.arrive 1, 64;')"));
}

}  // namespace
}  // namespace heddle::cta_clustering
