// Branches, calls, barriers, fences, warp-wide instructions.
#include "ptx_text.h"

namespace heddle::ptx {
namespace {

using Kind = Operand::Kind;

const Function& kernel(const Module& m) {
  return *m.find_function("k");
}

TEST(DecodeControl, LabelsAreInstructionIndices) {
  const Module m = parse(kernel_text("bra END;\nL: add.s32 %r1, %r1, 1;\n@%p1 bra.uni L;\nEND:"));
  EXPECT_EQ(kernel(m).instrs[0].target, 3u);
  EXPECT_EQ(kernel(m).instrs[2].target, 1u);
  EXPECT_TRUE(kernel(m).instrs[2].uniform);
}

TEST(DecodeControl, LabelBehindTheLastInstruction) {
  const Module m = parse(std::string(kHeading) + ".entry k() { bra END; END: }");
  ASSERT_EQ(m.functions[0].instrs.size(), 2u);
  EXPECT_EQ(m.functions[0].instrs[0].target, 1u);
  EXPECT_EQ(m.functions[0].instrs[1].op, Op::Ret);
}

TEST(DecodeControl, LabelsOfInlineAssemblyBelongToTheirBlock) {
  const Module m = parse(kernel_text("{ W: bra W; }\n{ W: bra W; }\n{ { bra D; } D: }"));
  EXPECT_EQ(kernel(m).instrs[0].target, 0u);
  EXPECT_EQ(kernel(m).instrs[1].target, 1u);
  EXPECT_EQ(kernel(m).instrs[2].target, 3u);
  EXPECT_NE(error_in("bra W;\n{ W: }").message().find("not defined"), std::string::npos);
}

TEST(DecodeControl, BranchTables) {
  const Module m = parse(kernel_text("$T: .branchtargets A, B, A;\n@%p1 brx.idx %r1, $T;\nA: ret;\nB: ret;"));
  const Instr& i = kernel(m).instrs[0];
  EXPECT_EQ(i.op, Op::BrxIdx);
  ASSERT_EQ(i.target, 0u);
  EXPECT_EQ(kernel(m).branch_tables[0], (std::vector<std::uint32_t>{1, 2, 1}));
}

TEST(DecodeControl, DirectCall) {
  const Module m = parse(kernel_text(
      "{ .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd1; .param .b32 retval0;\n"
      "call.uni (retval0), callee, (param0);\nld.param.b32 %r1, [retval0+0]; }"));
  const Instr& i = kernel(m).instrs[1];
  EXPECT_EQ(i.op, Op::Call);
  EXPECT_TRUE(i.uniform);
  const CallSite& c = kernel(m).calls.at(i.call);
  EXPECT_EQ(m.functions[c.callee].name, "callee");
  EXPECT_TRUE(m.functions[c.callee].external);
  EXPECT_EQ(m.symbols[c.arguments.at(0)].name, "param0");
  EXPECT_EQ(m.symbols[c.returns.at(0)].name, "retval0");
}

TEST(DecodeControl, IndirectCall) {
  const Module m =
      parse(kernel_text("{ .param .b64 param0; .param .b32 retval0;\n"
                        "prototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _);\n"
                        "call (retval0), %rd4, (param0), prototype_0; }"));
  const CallSite& c = kernel(m).calls.at(0);
  EXPECT_EQ(c.callee, ~0u);
  EXPECT_EQ(c.pointer.kind, Kind::Reg);
  EXPECT_TRUE(m.functions.at(c.prototype).prototype);
  EXPECT_EQ(m.functions.at(c.prototype).params.size(), 1u);
}

TEST(DecodeControl, CallThroughTargets) {
  const Module m =
      parse(kernel_text("{ .param .b64 param0; .param .b32 retval0;\nT: .calltargets callee;\ncall "
                        "(retval0), %rd4, (param0), T; }"));
  EXPECT_EQ(m.functions.at(kernel(m).calls.at(0).prototype).name, "callee");
}

TEST(DecodeControl, CallsOfAnAliasReachItsTarget) {
  const Module m =
      parse(std::string(kHeading) +
            ".func real() { ret; }\n.func other();\n.alias other, real;\n.entry k() { call other; }");
  EXPECT_EQ(m.functions[m.find_function("k")->calls[0].callee].name, "real");
}

TEST(DecodeControl, Barriers) {
  const Instr b = first("bar.sync 0;");
  EXPECT_EQ(b.op, Op::BarSync);
  EXPECT_TRUE(b.aligned);
  EXPECT_EQ(b.n_src, 1);
  EXPECT_EQ(first("bar.sync %r1, 64;").n_src, 2);
  EXPECT_FALSE(first("barrier.sync 0;").aligned);
  EXPECT_TRUE(first("barrier.cta.sync.aligned 0, %r1;").aligned);
  EXPECT_EQ(first("bar.arrive 1, 64;").op, Op::BarArrive);
  const Instr r = first("bar.red.or.pred %p1, 0, !%p2;");
  EXPECT_EQ(r.op, Op::BarRed);
  EXPECT_EQ(r.bar_red, BarRedOp::Or);
  EXPECT_EQ(r.n_src, 3);
  EXPECT_EQ(r.src[1].kind, Kind::None);
  EXPECT_TRUE(r.src[2].negated);
  EXPECT_EQ(first("bar.red.popc.u32 %r1, 0, 64, %p2;").src[1].value, 64u);
  EXPECT_EQ(first("bar.warp.sync 0xFFFFFFFF;").op, Op::BarWarp);
}

TEST(DecodeControl, Fences) {
  EXPECT_EQ(first("membar.gl;").scope, Scope::Gpu);
  EXPECT_EQ(first("membar.gl;").order, MemOrder::SeqCst);
  EXPECT_EQ(first("fence.acq_rel.sys;").order, MemOrder::AcqRel);
  EXPECT_EQ(first("fence.sc.cta;").scope, Scope::Cta);
}

TEST(DecodeControl, WarpWide) {
  const Instr s = first("shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;");
  EXPECT_EQ(s.shfl, ShflMode::Down);
  EXPECT_TRUE(s.sync_mask);
  EXPECT_EQ(s.n_dst, 2);
  EXPECT_EQ(s.n_src, 4);
  EXPECT_EQ(s.src[3].value, ~0ull);
  const Instr old = first("shfl.up.b32 %r1, %r2, 1, 0;");
  EXPECT_FALSE(old.sync_mask);
  EXPECT_EQ(old.n_src, 3);
  EXPECT_EQ(first("vote.ballot.sync.b32 %r1, %p1, %r2;").vote, VoteMode::Ballot);
  EXPECT_EQ(first("vote.sync.any.pred %p1, !%p2, -1;").n_src, 2);
  EXPECT_FALSE(first("vote.all.pred %p1, %p2;").sync_mask);
  EXPECT_EQ(first("match.all.sync.b64 %r1|%p1, %rd1, -1;").n_dst, 2);
  EXPECT_EQ(first("redux.sync.min.s32 %r1, %r2, -1;").redux, ReduxOp::Min);
  EXPECT_EQ(first("elect.sync _|%p1, -1;").op, Op::Elect);
  EXPECT_EQ(first("activemask.b32 %r1;").op, Op::Activemask);
}

TEST(DecodeControl, Plain) {
  EXPECT_EQ(first("exit;").op, Op::Exit);
  EXPECT_EQ(first("trap;").op, Op::Trap);
  EXPECT_EQ(first("brkpt;").op, Op::Brkpt);
  EXPECT_EQ(first("pmevent 7;").op, Op::Nop);
  EXPECT_TRUE(first("ret.uni;").uniform);
  EXPECT_EQ(first("nanosleep.u32 100;").op, Op::Nanosleep);
}

}  // namespace
}  // namespace heddle::ptx
