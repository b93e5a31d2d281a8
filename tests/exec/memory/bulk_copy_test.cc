// cp.async.bulk: ranges of bytes between global and shared memory, and the mbarriers that hear of them.
#include "bench.h"

namespace heddle::exec {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// An mbarrier for one arrival, 4 KiB of shared memory; %r9 and %r1 are their addresses. Lane 0 goes on to
// `one`, the others wait at %r9 for the first phase.
std::string one_lane(const std::string& one, const std::string& then) {
  return ".shared .align 8 .b64 bar; .shared .align 16 .b32 cell[1024];\n"
         "mov.u32 %r9, bar; mov.u32 %r1, cell; setp.ne.u32 %p9, %tid, 0; @%p9 bra MADE;\n"
         "mbarrier.init.shared::cta.b64 [%r9], 1; fence.mbarrier_init.release.cluster;\n"
         "MADE: bar.sync 0; @%p9 bra WAIT;\n" +
         one + "\nWAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r9], 0; @!%p1 bra WAIT;\n" + then;
}
constexpr const char* kOwnCell = "mad.lo.u32 %r2, %tid, 4, %r1;\n";
std::vector<std::uint32_t> squares(std::uint32_t n) {
  return expected(n, [](auto i) { return i * i; });
}

TEST(BulkCopy, FromGlobalToSharedMemory) {
  for (const char* space : {"shared::cluster", "shared::cta"}) {
    Bench b(
        one_lane("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 1024;\ncp.async.bulk." +
                     std::string(space) + ".global.mbarrier::complete_tx::bytes [%r1], [%out], 1024, [%r9];",
                 std::string(kOwnCell) +
                     "ld.shared.u32 %r3, [%r2]; add.u32 %r3, %r3, 1; st.global.u32 [%mine], %r3;"),
        {.block = {256, 1, 1}});
    b.set_out(squares(256));
    EXPECT_EQ(b.run(), expected(256, [](auto i) { return i * i + 1; }));
  }
}

TEST(BulkCopy, OffsetsSizesInRegistersAndAPolicy) {
  Bench b(one_lane("mov.u32 %r4, 48; mov.u64 %rd7, 0; sub.u32 %r5, %r9, 8; sub.u64 %rd1, %out, 64;\n"
                   "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                   "[%r1+16], [%rd1+96], %r4, [%r5+8], %rd7;\n"
                   "mbarrier.arrive.expect_tx.shared.b64 _, [%r9], %r4;",
                   std::string(kOwnCell) + "ld.shared.u32 %r3, [%r2]; st.global.u32 [%mine], %r3;"),
          {.block = {32, 1, 1}});
  b.set_out(squares(32));
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i >= 4 && i < 16 ? (i + 4) * (i + 4) : 0; }));
}

// Two copies and the thread's own arrival make the phase.
TEST(BulkCopy, APhaseEndsWithTheLastByte) {
  Bench b(one_lane(R"(
mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r9], 128;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%out], 64, [%r9];
mbarrier.arrive.shared::cta.b64 _, [%r9];
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+64], [%out+64], 64, [%r9];)",
                   std::string(kOwnCell) +
                       "ld.shared.u32 %r3, [%r2]; mul.lo.u32 %r3, %r3, 2; st.global.u32 [%mine], %r3;"));
  b.set_out(squares(32));
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return 2 * i * i; }));
}

TEST(BulkCopy, FromSharedToGlobalMemory) {
  EXPECT_EQ(run(R"(
.shared .align 16 .b32 cell[256]; mov.u32 %r1, cell; mad.lo.u32 %r2, %tid, 4, %r1;
mul.lo.u32 %r3, %tid, 3; st.shared.u32 [%r2], %r3; fence.proxy.async.shared::cta; bar.sync 0;
setp.ne.u32 %p1, %tid, 0; @%p1 bra END;
cp.async.bulk.global.shared::cta.bulk_group [%out+512], [%r1], 256; cp.async.bulk.commit_group;
cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1+512], 512; cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 1; cp.async.bulk.wait_group 0;
END: ret;)",
                {.block = {256, 1, 1}}),
            expected(256, [](auto i) { return i < 128   ? 3 * (i + 128)
                                              : i < 192 ? 3 * (i - 128)
                                                        : 0; }));
}

TEST(BulkCopy, WithinTheSharedMemoryOfTheCta) {
  EXPECT_EQ(run(one_lane("st.shared.u32 [%r1+12], 77; mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 16;\n"
                         "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1+32], "
                         "[%r1], 16, [%r9];",
                         "ld.shared.u32 %r3, [%r1+44]; st.global.u32 [%mine], %r3;")),
            expected(32, [](auto) { return 77; }));
}

// Every lane its own 32 bytes, each four times as far as the one before.
TEST(BulkCopy, AllLanesCopy) {
  Bench b(R"(
.shared .align 8 .b64 bar; .shared .align 16 .b32 cell[256]; mov.u32 %r9, bar; mov.u32 %r1, cell;
setp.ne.u32 %p9, %tid, 0; @%p9 bra MADE; mbarrier.init.shared.b64 [%r9], 32; MADE: bar.sync 0;
mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 32; xor.b32 %r2, %tid, 5;
mad.wide.u32 %rd1, %r2, 128, %out; mad.lo.u32 %r3, %tid, 32, %r1;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 32, [%r9];
WAIT: mbarrier.test_wait.parity.shared.b64 %p1, [%r9], 0; @!%p1 bra WAIT;
ld.shared.u32 %r4, [%r3+28]; st.global.u32 [%mine+4096], %r4;)",
          {.words = 1024 + 32});
  b.set_out(squares(1024));
  const auto& out = b.run();
  EXPECT_EQ(std::vector<std::uint32_t>(out.begin() + 1024, out.end()),
            expected(32, [](auto i) { return ((i ^ 5u) * 32 + 7) * ((i ^ 5u) * 32 + 7); }));
}

// Prefetches and copies of nothing change nothing.
TEST(BulkCopy, NothingToCopy) {
  EXPECT_EQ(run(one_lane("cp.async.bulk.prefetch.L2.global [%out], 128; mov.u32 %r4, 0;\n"
                         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%out], "
                         "%r4, [%r9];\nmbarrier.arrive.shared.b64 _, [%r9];",
                         "st.global.u32 [%mine], 1;")),
            expected(32, [](auto) { return 1; }));
}

// A copy sees the atomics and stores of its own CTA that a fence or barrier has ordered before it.
TEST(BulkCopy, SeesWhatTheCtaWrote) {
  EXPECT_EQ(run(R"(
.shared .align 8 .b64 bar; .shared .align 16 .b32 cell[64]; mov.u32 %r9, bar; mov.u32 %r1, cell;
st.global.u32 [%mine], 5; red.global.add.u32 [%mine], %tid; setp.ne.u32 %p9, %tid, 0; @%p9 bra MADE;
mbarrier.init.shared.b64 [%r9], 1; MADE: membar.gl; fence.proxy.async; bar.sync 0; @%p9 bra WAIT;
mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%out], 256, [%r9];
WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r9], 0; @!%p1 bra WAIT;
mad.lo.u32 %r2, %tid, 4, %r1; ld.shared.u32 %r3, [%r2]; st.global.u32 [%mine], %r3;)",
                {.block = {64, 1, 1}}),
            expected(64, [](auto i) { return 5 + i; }));
}

TEST(BulkCopy, LinesAreCounted) {
  Bench b(
      one_lane("mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 2048;\ncp.async.bulk.shared::cluster.global."
               "mbarrier::complete_tx::bytes [%r1], [%out+64], 2048, [%r9]; //copy",
               ""),
      {.words = 1024});
  b.run();
  EXPECT_EQ(b.access("copy").lines, 17u);
  EXPECT_EQ(b.access("copy").sectors, 64u);
  EXPECT_EQ(b.access("copy").bytes, 2048u);
  EXPECT_EQ(b.access("copy").shared_bytes, 2048u);
}

TEST(BulkCopy, WrongUseIsTold) {
  const auto error = [](const std::string& to, const std::string& from, const std::string& bytes,
                        const std::string& bar = "%r9") {
    Bench b(one_lane("mov.u32 %r4, " + bytes +
                         "; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" + to +
                         "], [" + from + "], %r4, [" + bar + "]; //bad",
                     ""));
    const Error e = b.run_error();
    EXPECT_EQ(e.place().line, b.line("bad"));
    return std::string(e.what());
  };
  EXPECT_THAT(error("%r1", "%out", "20"), AllOf(HasSubstr("20 bytes"), HasSubstr("multiple of 16")));
  EXPECT_THAT(error("%r1+8", "%out", "16"),
              AllOf(HasSubstr("misaligned store"), HasSubstr("multiple of 16")));
  EXPECT_THAT(error("%r1", "%out+4", "16"), AllOf(HasSubstr("misaligned load"), HasSubstr("multiple of 16")));
  EXPECT_THAT(error("%r1", "%out+64", "80"),
              AllOf(HasSubstr("out-of-bounds"), HasSubstr("past the end of 'out'")));
  EXPECT_THAT(error("%r1+4080", "%out", "32"),
              AllOf(HasSubstr("out-of-bounds"), HasSubstr("bytes of shared")));
  EXPECT_THAT(error("%r1", "%out", "16", "%r1"), HasSubstr("not initialised"));
  EXPECT_THAT(error("%r1", "%out", "16", "%r9+4"), HasSubstr("misaligned"));
}

}  // namespace
}  // namespace heddle::exec
