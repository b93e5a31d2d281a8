// Barriers that are objects in shared memory.
#include "bench.h"

namespace heddle::exec {
namespace {

using ::testing::HasSubstr;

constexpr const char* kObject = ".shared .align 8 .b64 bar;\n.shared .align 4 .b32 cell[1024];\n";

// Thread 0 makes the barrier for `count` arrivals; all wait until it is there.
std::string made_for(const std::string& count) {
  return std::string(kObject) + "setp.ne.u32 %p9, %tid, 0; mov.u32 %r9, bar; @%p9 bra MADE;\n" +
         "mov.u32 %r8, " + count + "; mbarrier.init.shared.b64 [%r9], %r8;\nMADE: bar.sync 0;\n";
}
constexpr const char* kWait = "WAIT: mbarrier.test_wait.shared.b64 %p1, [%r9], %rd1; @!%p1 bra WAIT;\n";
// Thread t writes cell t before `meet`; after it, it reads the cell of its opposite.
std::string exchange(const std::string& meet) {
  return "mov.u32 %r1, cell; mad.lo.u32 %r2, %tid, 4, %r1; add.u32 %r3, %tid, 7; st.shared.u32 [%r2], "
         "%r3;\n" +
         meet +
         "mov.u32 %r4, %ntid.x; sub.u32 %r4, %r4, %tid; sub.u32 %r4, %r4, 1; mad.lo.u32 %r4, %r4, 4, %r1;\n"
         "ld.shared.u32 %r5, [%r4]; st.global.u32 [%mine], %r5;\n";
}

TEST(Mbarrier, ThreadsOfAllWarpsMeet) {
  for (const std::uint32_t n : {1u, 32u, 45u, 256u})
    EXPECT_EQ(
        run(made_for("%ntid.x") + exchange(std::string("mbarrier.arrive.shared.b64 %rd1, [%r9];\n") + kWait),
            {.block = {n, 1, 1}}),
        expected(n, [&](auto i) { return n - 1 - i + 7; }))
        << n;
}

TEST(Mbarrier, PhasesFollowEachOther) {
  // 20 times: all add to one cell, meet, and one lane of each warp looks whether all have.
  EXPECT_EQ(run(made_for("96") + R"(
mov.u32 %r1, cell; mov.u32 %r2, 0; mov.u32 %r8, 0;
AGAIN: atom.shared.add.u32 %r3, [%r1], 1;
mbarrier.arrive.shared.b64 %rd1, [%r9];
TEST: mbarrier.try_wait.shared.b64 %p1, [%r9], %rd1; @!%p1 bra TEST;
ld.shared.u32 %r4, [%r1]; add.u32 %r8, %r8, 96; setp.ne.u32 %p2, %r4, %r8;
mbarrier.arrive.shared.b64 %rd1, [%r9];
TEST2: mbarrier.test_wait.shared.b64 %p1, [%r9], %rd1; @!%p1 bra TEST2;
@%p2 st.global.u32 [%mine], 99; @%p2 exit;
add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 20; @%p3 bra AGAIN;
st.global.u32 [%mine], 1;)",
                {.block = {96, 1, 1}}),
            expected(96, [](auto) { return 1; }));
}

TEST(Mbarrier, ParityTellsPhases) {
  EXPECT_EQ(run(made_for("1") + R"(
mov.u32 %r1, 0;
mbarrier.test_wait.parity.shared.b64 %p1, [%r9], 0; @%p1 or.b32 %r1, %r1, 1;
mbarrier.test_wait.parity.shared.b64 %p1, [%r9], 1; @%p1 or.b32 %r1, %r1, 2;
mbarrier.arrive.shared.b64 _, [%r9];
mbarrier.test_wait.parity.shared.b64 %p1, [%r9], 0; @%p1 or.b32 %r1, %r1, 4;
mbarrier.test_wait.parity.shared.b64 %p1, [%r9], 1; @%p1 or.b32 %r1, %r1, 8;
st.global.u32 [%mine], %r1;)",
                {.block = {1, 1, 1}}),
            std::vector<std::uint32_t>{2 | 4});
}

TEST(Mbarrier, CountsDropsAndBytes) {
  EXPECT_EQ(run(made_for("5") + R"(
mbarrier.arrive.noComplete.shared.b64 %rd1, [%r9], 2;
mbarrier.pending_count.b64 %r1, %rd1;
mbarrier.arrive.shared.b64 %rd2, [%r9];
mbarrier.pending_count.b64 %r2, %rd2;
mbarrier.arrive_drop.shared.b64 %rd3, [%r9]; // four per phase from now on
mbarrier.arrive.expect_tx.shared.b64 %rd3, [%r9], 64;
mbarrier.test_wait.shared.b64 %p1, [%r9], %rd1; selp.u32 %r3, 1, 0, %p1;
mbarrier.complete_tx.relaxed.cta.shared.b64 [%r9], 64;
mbarrier.test_wait.shared.b64 %p1, [%r9], %rd1; selp.u32 %r4, 1, 0, %p1;
mbarrier.arrive.noComplete.shared.b64 %rd1, [%r9], 1;
mbarrier.pending_count.b64 %r5, %rd1;
mad.lo.u32 %r1, %r1, 10, %r2; mad.lo.u32 %r1, %r1, 10, %r3; mad.lo.u32 %r1, %r1, 10, %r4; mad.lo.u32 %r1, %r1, 10, %r5;
st.global.u32 [%mine], %r1;)",
                {.block = {1, 1, 1}}),
            std::vector<std::uint32_t>{53014});
}

TEST(Mbarrier, CopiesArrive) {
  EXPECT_EQ(run(made_for("%ntid.x") + R"(
mov.u32 %r1, cell; mad.lo.u32 %r2, %tid, 4, %r1;
st.global.u32 [%mine], %tid;
cp.async.ca.shared.global [%r2], [%mine], 4;
cp.async.mbarrier.arrive.noinc.shared.b64 [%r9];
mov.b64 %rd1, 0;
WAIT: mbarrier.test_wait.parity.shared.b64 %p1, [%r9], 0; @!%p1 bra WAIT;
xor.b32 %r4, %tid, 63; mad.lo.u32 %r4, %r4, 4, %r1; ld.shared.u32 %r5, [%r4]; bar.sync 0; st.global.u32 [%mine], %r5;)",
                {.block = {64, 1, 1}}),
            expected(64, [](auto i) { return i ^ 63u; }));
}

TEST(Mbarrier, GenericAddress) {
  EXPECT_EQ(run(made_for("%ntid.x") + R"(
cvt.u64.u32 %rd5, %r9; cvta.shared.u64 %rd5, %rd5;
mbarrier.arrive.b64 %rd1, [%rd5];
WAIT: mbarrier.test_wait.b64 %p1, [%rd5], %rd1; @!%p1 bra WAIT;
st.global.u32 [%mine], 3;)",
                {.block = {40, 1, 1}}),
            expected(40, [](auto) { return 3; }));
}

TEST(Mbarrier, WrongUseIsTold) {
  const auto error = [](const std::string& body) {
    Bench b(body);
    return std::string(b.run_error().what());
  };
  EXPECT_THAT(error(std::string(kObject) + "mov.u32 %r9, bar; mbarrier.arrive.shared.b64 %rd1, [%r9];"),
              HasSubstr("not initialised"));
  EXPECT_THAT(error(made_for("3") + "mbarrier.arrive.shared.b64 %rd1, [%r9], 4;"),
              HasSubstr("more arrivals"));
  EXPECT_THAT(error(made_for("0")), HasSubstr("count"));
  EXPECT_THAT(error(made_for("1") + "mbarrier.arrive.b64 %rd1, [%out];"), HasSubstr("not shared"));
  EXPECT_THAT(error(made_for("1") +
                    "mbarrier.inval.shared.b64 [%r9]; mbarrier.test_wait.shared.b64 %p1, [%r9], %rd1;"),
              HasSubstr("not initialised"));
}

}  // namespace
}  // namespace heddle::exec
