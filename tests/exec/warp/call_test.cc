// Calls: arguments and results by value, recursion, lanes that call different functions, the stack's end.
#include "bench.h"

namespace heddle::exec {
namespace {

constexpr const char* kTwice = R"(
.func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a];
add.u32 %x, %x, %x; //inside
st.param.b32 [r], %x; ret; }
.func (.param .b32 r) square(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; mul.lo.u32 %x, %x, %x; st.param.b32 [r], %x; ret; }
)";

std::string call(const std::string& name, const std::string& a, const std::string& d) {
  return "{ .param .b32 pr; .param .b32 pa; st.param.b32 [pa], " + a + "; call (pr), " + name +
         ", (pa); ld.param.b32 " + d + ", [pr]; }\n";
}

TEST(Call, PassesArgumentsAndResults) {
  Bench b(call("twice", "%lane", "%r1") + "st.global.u32 [%mine], %r1; //after", {.globals = kTwice});
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return 2 * i; }));
  EXPECT_EQ(b.issued("inside"), 1u);
  EXPECT_EQ(b.issued("after"), 1u);
}

TEST(Call, StructsTravelByValue) {
  // The caller's copy stays as it was. The result is a structure too.
  const char* globals = R"(
.func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 a[16]) {
.reg .b64 %x, %y; ld.param.b64 %x, [a]; ld.param.b64 %y, [a+8];
st.param.b64 [r], %y; st.param.b64 [r+8], %x; ret; }
)";
  EXPECT_EQ(run(R"(
cvt.u64.u32 %rd1, %lane; mul.lo.u64 %rd2, %rd1, 3;
{ .param .align 8 .b8 pr[16]; .param .align 8 .b8 pa[16];
st.param.b64 [pa], %rd1; st.param.b64 [pa+8], %rd2;
call (pr), swap, (pa);
ld.param.v2.b64 {%rd3, %rd4}, [pr]; ld.param.b64 %rd5, [pa]; }
shl.b64 %rd4, %rd4, 8; shl.b64 %rd5, %rd5, 16; add.u64 %rd3, %rd3, %rd4; add.u64 %rd3, %rd3, %rd5;
cvt.u32.u64 %r1, %rd3; st.global.u32 [%mine], %r1;)",
                {.globals = globals}),
            expected(32, [](auto i) { return 3 * i + (i << 8) + (i << 16); }));
}

TEST(Call, CallsNest) {
  const std::string globals =
      std::string(kTwice) +
      ".func (.param .b32 r) both(.param .b32 a) { .reg .b32 %x, %y; ld.param.b32 %x, [a];\n" +
      call("twice", "%x", "%y") + call("square", "%y", "%y") +
      "add.u32 %x, %x, %y; st.param.b32 [r], %x; ret; }\n";
  EXPECT_EQ(run(call("both", "%lane", "%r1") + "st.global.u32 [%mine], %r1;", {.globals = globals}),
            expected(32, [](auto i) { return i + 4 * i * i; }));
}

TEST(Call, FactorialWithADepthPerLane) {
  const std::string globals = R"(
.func (.param .b32 r) fact(.param .b32 a) { .reg .b32 %x, %y; .reg .pred %p; ld.param.b32 %x, [a]; mov.u32 %y, 1;
setp.le.u32 %p, %x, 1; @%p bra DONE; sub.u32 %y, %x, 1;
)" + call("fact", "%y", "%y") +
                              R"(
mul.lo.u32 %y, %y, %x;
DONE: st.param.b32 [r], %y; ret; }
)";
  Bench b("and.b32 %r1, %lane, 7;\n" + call("fact", "%r1", "%r1") + "st.global.u32 [%mine], %r1; //after",
          {.globals = globals});
  EXPECT_EQ(b.run(), expected(32, [](auto i) {
              unsigned f = 1;
              for (unsigned k = 2; k <= (i & 7); ++k) f *= k;
              return f;
            }));
  EXPECT_EQ(b.issued("after"), 1u);
  EXPECT_TRUE(b.image().recursive);
}

TEST(Call, FibonacciCallsItselfTwice) {
  const std::string globals = R"(
.func (.param .b32 r) fib(.param .b32 a) { .reg .b32 %x, %y, %z; .reg .pred %p; ld.param.b32 %x, [a]; mov.u32 %z, %x;
setp.lt.u32 %p, %x, 2; @%p bra DONE; sub.u32 %y, %x, 1;
)" + call("fib", "%y", "%z") + "sub.u32 %y, %x, 2;\n" +
                              call("fib", "%y", "%y") + R"(
add.u32 %z, %z, %y;
DONE: st.param.b32 [r], %z; ret; }
)";
  EXPECT_EQ(run("and.b32 %r1, %lane, 15;\n" + call("fib", "%r1", "%r1") + "st.global.u32 [%mine], %r1;",
                {.globals = globals}),
            expected(32, [](auto i) {
              unsigned a = 0, c = 1;
              for (unsigned k = 0; k < (i & 15); ++k) c = std::exchange(a, c) + c;
              return a;
            }));
}

TEST(Call, Ackermann) {
  auto call2 = [](const char* a, const char* b, const char* d) {
    return std::string("{ .param .b32 pr; .param .b32 pa; .param .b32 pb; st.param.b32 [pa], ") + a +
           "; st.param.b32 [pb], " + b + "; call (pr), ack, (pa, pb); ld.param.b32 " + d + ", [pr]; }\n";
  };
  const std::string globals = R"(
.func (.param .b32 r) ack(.param .b32 m, .param .b32 n) { .reg .b32 %m, %n, %x; .reg .pred %p, %q; ld.param.b32 %m, [m]; ld.param.b32 %n, [n];
add.u32 %x, %n, 1; setp.eq.u32 %p, %m, 0; @%p bra DONE;
mov.u32 %x, 1; setp.eq.u32 %q, %n, 0; @%q bra SMALL;
sub.u32 %x, %n, 1;
)" + call2("%m", "%x", "%x") + "SMALL: sub.u32 %m, %m, 1;\n" +
                              call2("%m", "%x", "%x") + "DONE: st.param.b32 [r], %x; ret; }\n";
  EXPECT_EQ(run("and.b32 %r1, %lane, 1; add.u32 %r1, %r1, 1; shr.u32 %r2, %lane, 3;\n" +
                    call2("%r1", "%r2", "%r1") + "st.global.u32 [%mine], %r1;",
                {.globals = globals}),
            expected(32, [](auto i) { return i & 1 ? 2 * (i >> 3) + 3 : (i >> 3) + 2; }));
}

TEST(Call, OnlySomeLanesCall) {
  Bench b("mov.u32 %r1, %lane; setp.ge.u32 %p1, %lane, 24; @%p1 bra SKIP;\n" + call("twice", "%lane", "%r1") +
              "SKIP: st.global.u32 [%mine], %r1; //after",
          {.globals = kTwice});
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i < 24 ? 2 * i : i; }));
  EXPECT_EQ(b.lanes("inside"), 24u);
  EXPECT_EQ(b.issued("after"), 1u);
}

TEST(Call, GuardedCallInALoop) {
  Bench b(R"(
mov.u32 %r1, 1; mov.u32 %r2, 0;
LOOP: setp.lt.u32 %p1, %r2, %lane;
{ .param .b32 pr; .param .b32 pa; st.param.b32 [pa], %r1; @%p1 call (pr), twice, (pa); @%p1 ld.param.b32 %r1, [pr]; }
add.u32 %r2, %r2, 1; //turn
setp.lt.u32 %p2, %r2, 40; @%p2 bra LOOP;
st.global.u32 [%mine], %r1;)",
          {.globals = kTwice});
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return 1u << i; }));
  EXPECT_EQ(b.issued("turn"), 40u);
}

TEST(Call, LanesReturnFromDifferentPlaces) {
  const char* globals = R"(
.func (.param .b32 r) pick(.param .b32 a) { .reg .b32 %x; .reg .pred %p; ld.param.b32 %x, [a];
setp.lt.u32 %p, %x, 10; @!%p bra BIG; st.param.b32 [r], 1; ret;
BIG: setp.lt.u32 %p, %x, 20; st.param.b32 [r], 2; @%p ret; st.param.b32 [r], 3; }
)";
  Bench b(call("pick", "%lane", "%r1") + "st.global.u32 [%mine], %r1; //after", {.globals = globals});
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i < 10 ? 1 : i < 20 ? 2 : 3; }));
  EXPECT_EQ(b.issued("after"), 1u);
}

TEST(Call, ExitInsideAFunctionEndsTheThread) {
  const char* globals = R"(
.func quit(.param .b32 a) { .reg .b32 %x; .reg .pred %p; ld.param.b32 %x, [a]; setp.lt.u32 %p, %x, 9; @%p exit; ret; }
)";
  Bench b("{ .param .b32 pa; st.param.b32 [pa], %lane; call quit, (pa); }\nst.global.u32 [%mine], 1; //after",
          {.globals = globals});
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i < 9 ? 0 : 1; }));
  EXPECT_EQ(b.issued("after"), 1u);
}

constexpr const char* kIndirect = R"(
and.b32 %r1, %lane, 1; mov.u64 %rd1, table; mad.wide.u32 %rd1, %r1, 8, %rd1; ld.global.u64 %rd2, [%rd1];
{ .param .b32 pr; .param .b32 pa; st.param.b32 [pa], %lane;
P: .callprototype (.param .b32 _) _ (.param .b32 _);
call (pr), %rd2, (pa), P; //call
ld.param.b32 %r2, [pr]; }
st.global.u32 [%mine], %r2; //after)";

TEST(Call, ThroughATableWithATargetPerLane) {
  Bench b(kIndirect, {.globals = std::string(kTwice) + ".global .align 8 .u64 table[2] = {twice, square};"});
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i & 1 ? i * i : 2 * i; }));
  EXPECT_EQ(b.issued("after"), 1u);
}

TEST(Call, ThroughAPointerThatAnotherKernelStored) {
  const std::string setter = R"(
.visible .entry set() { .reg .b64 %a, %f; mov.u64 %a, table; mov.u64 %f, square; st.global.u64 [%a], %f;
mov.u64 %f, twice; st.global.u64 [%a+8], %f; ret; }
)";
  Bench b(kIndirect, {.globals = std::string(kTwice) + ".global .align 8 .u64 table[2];" + setter});
  b.device().launch({"set", {1, 1, 1}, {1, 1, 1}, 0, {}});
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i & 1 ? 2 * i : i * i; }));
}

TEST(Call, ThroughSomethingThatIsNoFunctionIsAnError) {
  Bench b(kIndirect, {.globals = std::string(kTwice) + ".global .align 8 .u64 table[2];"});
  const Error e = b.run_error();
  EXPECT_EQ(e.place().line, b.line("call"));
  EXPECT_THAT(e.what(), testing::HasSubstr("not the address of a function"));
}

TEST(Call, EndlessRecursionIsAnErrorNotACrash) {
  // With and without anything of its own on the stack.
  for (const char* locals : {"", ".local .b8 room[64];"}) {
    Bench b("call deep;\nst.global.u32 [%mine], 1;",
            {.globals = std::string(".func deep() { ") + locals + " call deep; //again\nret; }\n"});
    const Error e = b.run_error();
    EXPECT_EQ(e.place().line, b.line("again"));
    EXPECT_THAT(e.what(), testing::HasSubstr("stack overflow"));
    EXPECT_FALSE(e.advice().empty());
  }
}

TEST(Call, ADeeperStackCanBeAskedFor) {
  const char* globals = R"(
.func (.param .b32 r) sum(.param .b32 a) { .reg .b32 %x, %y; .reg .pred %p; ld.param.b32 %x, [a]; mov.u32 %y, 0;
setp.eq.u32 %p, %x, 0; @%p bra DONE; sub.u32 %y, %x, 1;
{ .param .b32 pr; .param .b32 pa; st.param.b32 [pa], %y; call (pr), sum, (pa); ld.param.b32 %y, [pr]; }
DONE: add.u32 %y, %y, %x; st.param.b32 [r], %y; ret; }
)";
  const std::string body = "mov.u32 %r1, 2000;\n" + call("sum", "%r1", "%r1") + "st.global.u32 [%mine], %r1;";
  EXPECT_EQ(
      run(body, {.globals = globals, .block = {1, 1, 1}, .options = {.recursive_stack = Bytes{1u << 18}}})
          .at(0),
      2001000u);
  EXPECT_THROW(
      run(body, {.globals = globals, .block = {1, 1, 1}, .options = {.recursive_stack = Bytes{1024}}}),
      Error);
}

}  // namespace
}  // namespace heddle::exec
