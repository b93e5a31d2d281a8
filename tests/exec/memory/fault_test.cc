// Bad accesses stop the kernel with a message that says who, where and what lies near, and the device stays
// usable.
#include "bench.h"

namespace heddle::exec {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Fault, JustPastTheEnd) {
  Bench b(
      "setp.ne.u32 %p1, %gid, 41; mov.u64 %rd1, %out; @%p1 st.global.u32 [%mine], %gid;\n@!%p1 st.global.u32 "
      "[%rd1+1024], 1; //bad",
      {.grid = {2, 1, 1}, .block = {32, 1, 1}, .words = 256});
  const Error e = b.run_error();
  EXPECT_EQ(e.place().file, "bench.ptx");
  EXPECT_EQ(e.place().line, b.line("bad"));
  EXPECT_THAT(e.what(),
              AllOf(HasSubstr("out-of-bounds store of 4 bytes"),
                    HasSubstr("thread (9,0,0) of CTA (1,0,0), warp 0 lane 9"), HasSubstr("kernel 'k'"),
                    HasSubstr("first byte past the end of 'out' (1024 bytes from 0x10")));
}

TEST(Fault, PartlyPastTheEnd) {
  Bench b("ld.global.v2.u32 {%r1, %r2}, [%out+8]; //bad", {.block = {1, 1, 1}, .words = 3});
  EXPECT_THAT(b.run_error().what(), HasSubstr("begins inside 'out'"));
}

TEST(Fault, FullWarpWhoseLastLanesRunOut) {
  // The contiguous fast path must look at both ends.
  Bench b("ld.global.u32 %r1, [%mine]; //bad", {.words = 20});
  EXPECT_THAT(b.run_error().what(), AllOf(HasSubstr("lane 20"), HasSubstr("load of 4 bytes")));
}

TEST(Fault, FarAwayNullAndBeforeTheFirst) {
  Bench far("mov.u64 %rd1, 0x5000000000000; ld.global.u32 %r1, [%rd1]; //bad");
  EXPECT_THAT(far.run_error().what(), HasSubstr("0x5000000000000"));
  Bench null("mov.u64 %rd1, 0; ld.global.u32 %r1, [%rd1+8]; //bad");
  EXPECT_THAT(null.run_error().what(), HasSubstr("null"));
  Bench before("sub.u64 %rd1, %out, 8; st.global.u32 [%rd1], 1; //bad");
  EXPECT_THAT(before.run_error().what(), HasSubstr("8 bytes before 'out'"));
  Bench generic("mov.u64 %rd1, 0; st.u32 [%rd1], 1; //bad");
  EXPECT_THAT(generic.run_error().what(), HasSubstr("null"));
}

TEST(Fault, AtomicsAreCheckedToo) {
  Bench b("atom.global.add.u32 %r1, [%out+128], 1; //bad");
  const Error e = b.run_error();
  EXPECT_THAT(e.what(), HasSubstr("atomic access"));
  EXPECT_EQ(e.place().line, b.line("bad"));
}

TEST(Fault, Misaligned) {
  for (const char* text :
       {"ld.global.u32 %r1, [%out+2]; //bad", "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%out+8]; //bad",
        ".shared .align 8 .b8 s[64]; st.shared.u64 [s+4], %rd1; //bad",
        "atom.global.add.u32 %r1, [%out+1], 1; //bad"}) {
    Bench b(text);
    const Error e = b.run_error();
    EXPECT_THAT(e.what(), AllOf(HasSubstr("misaligned"), HasSubstr("multiple of")));
    EXPECT_EQ(e.place().line, b.line("bad"));
  }
}

TEST(Fault, ConstantsCannotBeWritten) {
  Bench b("mov.u64 %rd1, c; st.global.u32 [%rd1], 1; //bad", {.globals = ".const .u32 c = 5;"});
  EXPECT_THAT(b.run_error().what(), AllOf(HasSubstr("read-only"), HasSubstr("Constant memory")));
  Bench g("mov.u64 %rd1, c; cvta.const.u64 %rd1, %rd1; atom.add.u32 %r1, [%rd1], 1; //bad",
          {.globals = ".const .u32 c = 5;"});
  EXPECT_THAT(g.run_error().what(), HasSubstr("read-only"));
}

TEST(Fault, SharedAndLocalOverflow) {
  Bench s(".shared .b32 a[4]; mov.u32 %r1, a; st.shared.u32 [%r1+16], 1; //bad");
  EXPECT_THAT(s.run_error().what(), AllOf(HasSubstr("shared address 0x10"), HasSubstr("CTA has 16 bytes")));
  Bench none("mov.u32 %r1, 0; ld.shared.u32 %r2, [%r1]; //bad");
  EXPECT_THAT(none.run_error().what(), HasSubstr("0 bytes of shared"));
  Bench l(".local .b32 a[4]; mov.u64 %rd1, a; st.local.u32 [%rd1+4096], 1; //bad");
  EXPECT_THAT(l.run_error().what(), AllOf(HasSubstr("local"), HasSubstr("thread has")));
  Bench wide(
      "mov.u64 %rd1, 0xffffffffffffffff; cvta.shared.u64 %rd2, 0; add.u64 %rd2, %rd2, %rd1; ld.u32 %r1, "
      "[%rd2+1]; //bad");
  EXPECT_EQ(wide.run_error().place().line, wide.line("bad"));
}

TEST(Fault, CpAsyncChecksBothSides) {
  Bench from(".shared .align 16 .b8 s[16]; cp.async.ca.shared.global [s], [%out+128], 4; //bad");
  EXPECT_THAT(from.run_error().what(), HasSubstr("past the end of 'out'"));
  Bench to(
      ".shared .align 16 .b8 s[16]; mov.u32 %r1, s; cp.async.ca.shared.global [%r1+16], [%out], 4; //bad");
  EXPECT_THAT(to.run_error().what(), HasSubstr("shared"));
}

TEST(Fault, ReleasedMemoryIsOutOfBounds) {
  Bench b("ld.global.u32 %r1, [%mine]; //bad");
  b.run();
  b.device().release(b.array());
  EXPECT_EQ(b.run_error().place().line, b.line("bad"));
}

TEST(Fault, TheDeviceStaysUsable) {
  Bench b(
      "ld.global.u32 %r1, [%out]; setp.eq.u32 %p1, %r1, 0; mov.u64 %rd1, 0; selp.u64 %rd1, %rd1, %mine, "
      "%p1;\nbar.sync 0; st.global.u32 [%rd1], 3; //bad",
      {.grid = {3, 1, 1}, .block = {64, 1, 1}});
  b.run_error();
  b.run_error();
  b.set_out({1});
  EXPECT_THAT(b.run(), testing::Each(3u));
  EXPECT_EQ(b.device().launches().size(), 1u);
}

TEST(Fault, LaunchesThatCannotBe) {
  Bench b("ret;");
  const auto launch = [&](Dim3 grid, Dim3 block, const KernelArgs& a,
                          const char* kernel = "k") -> std::string {
    try {
      b.device().launch({kernel, grid, block, 0, a});
    } catch (const Error& e) {
      return e.what();
    }
    return "launched";
  };
  EXPECT_THAT(launch({1, 1, 1}, {1025, 1, 1}, args(b.array())), HasSubstr("1025 threads"));
  EXPECT_THAT(launch({1, 1, 1}, {0, 1, 1}, args(b.array())), HasSubstr("1 to 1024"));
  EXPECT_THAT(launch({0, 1, 1}, {1, 1, 1}, args(b.array())), HasSubstr("grid is empty"));
  EXPECT_THAT(launch({1, 1, 1}, {1, 1, 1}, {}), HasSubstr("takes 8"));
  EXPECT_THAT(launch({1, 1, 1}, {1, 1, 1}, args(b.array()), "nothing"), HasSubstr("Kernels: k"));
  EXPECT_EQ(launch({1, 1, 1}, {1, 1, 1}, args(b.array())), "launched");
}

}  // namespace
}  // namespace heddle::exec
