#include "kernels.h"

namespace heddle::cta_clustering {

std::string module_of(const std::string& body, const std::string& globals) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + globals + R"(
.visible .entry k(.param .u64 k_out, .param .u32 k_n)
{
  .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;
  .reg .b32 %id, %t, %gid, %n, %threads; .reg .b64 %out, %mine;
  ld.param.u64 %out, [k_out]; cvta.to.global.u64 %out, %out;
  ld.param.u32 %n, [k_n];
  mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y;
  mov.u32 %r15, %ctaid.y; mad.lo.u32 %id, %r1, %r2, %r15;
  mov.u32 %r2, %nctaid.x;
  mov.u32 %r15, %ctaid.x; mad.lo.u32 %id, %id, %r2, %r15;
  mov.u32 %r1, %tid.z; mov.u32 %r2, %ntid.y; mov.u32 %r3, %tid.y;
  mad.lo.u32 %t, %r1, %r2, %r3;
  mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %t, %t, %r2, %r3;
  mov.u32 %r1, %ntid.y; mul.lo.u32 %threads, %r2, %r1; mov.u32 %r1, %ntid.z; mul.lo.u32 %threads, %threads, %r1;
  mad.lo.u32 %gid, %id, %threads, %t;
  mul.wide.u32 %rd1, %gid, 4; add.u64 %mine, %out, %rd1;
)" + body +
         "\n}\n";
}

std::vector<TestKernel> test_kernels() {
  std::vector<TestKernel> all;
  all.push_back({"coordinates",
                 module_of(R"(
  mov.u32 %r1, %ctaid.x; mov.u32 %r15, %ctaid.y; mad.lo.u32 %r2, %r15, 1000, %r1; mov.u32 %r15, %ctaid.z; mad.lo.u32 %r2, %r15, 1000000, %r2;
  mov.u32 %r3, %nctaid.x; mov.u32 %r4, %nctaid.z; mad.lo.u32 %r2, %r3, %r4, %r2; xor.b32 %r2, %r2, %t;
  st.global.u32 [%mine], %r2;
  ret;)"),
                 {8, 3, 2}});
  // A tail that leaves at once, no barrier.
  all.push_back({"early return", module_of(R"(
  setp.ge.u32 %p1, %gid, %n;
  @%p1 ret;
  add.u32 %r1, %gid, 7; st.global.u32 [%mine], %r1;)")});
  // Each task counts itself: twice or never would show.
  all.push_back({"counts tasks", module_of(R"(
  mul.wide.u32 %rd1, %id, 4; add.u64 %rd1, %out, %rd1;
  red.global.add.u32 [%rd1], 1;
  @%p1 bra END;
  ret;
END:
  exit;)")});
  // Values turned round in shared memory; CTAs leave as a whole.
  all.push_back({"shared memory",
                 module_of(R"(
  .shared .align 4 .b8 words[512];
  and.b32 %r1, %id, 3; setp.eq.u32 %p1, %r1, 2;
  @%p1 bra $L_skip;
  mov.u32 %r2, words; shl.b32 %r3, %t, 2; add.u32 %r4, %r2, %r3;
  mad.lo.u32 %r5, %id, 1000, %t; st.shared.u32 [%r4], %r5;
  bar.sync 0;
  sub.u32 %r6, %threads, %t; sub.u32 %r6, %r6, 1; shl.b32 %r6, %r6, 2; add.u32 %r6, %r2, %r6;
  ld.shared.u32 %r7, [%r6];
  st.global.u32 [%mine], %r7;
$L_skip:
  ret;)"),
                 {100, 1, 1}});
  // A sum by halves in dynamic shared memory, several barriers in a loop.
  all.push_back({"reduction",
                 module_of(R"(
  mov.u32 %r2, dynamic_words; shl.b32 %r3, %t, 2; add.u32 %r4, %r2, %r3;
  mul.lo.u32 %r5, %gid, %gid; st.shared.u32 [%r4], %r5;
  shr.u32 %r6, %threads, 1;
LOOP:
  bar.sync 0;
  setp.eq.u32 %p1, %r6, 0; @%p1 bra DONE;
  setp.ge.u32 %p2, %t, %r6; @%p2 bra NEXT;
  shl.b32 %r7, %r6, 2; add.u32 %r7, %r4, %r7; ld.shared.u32 %r8, [%r7]; ld.shared.u32 %r9, [%r4];
  add.u32 %r9, %r9, %r8; st.shared.u32 [%r4], %r9;
NEXT:
  shr.u32 %r6, %r6, 1; bra LOOP;
DONE:
  setp.ne.u32 %p3, %t, 0; @%p3 bra OUT;
  ld.shared.u32 %r9, [%r2]; st.global.u32 [%mine], %r9;
OUT:
  ret;)",
                           ".extern .shared .align 4 .b8 dynamic_words[];\n"),
                 {64, 1, 1},
                 256});
  // Functions that ask which CTA they are in, one by way of another, one by itself.
  all.push_back({"device functions", module_of(R"(
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %t; call.uni (b), outer, (a); ld.param.b32 %r1, [b]; }
  st.global.u32 [%mine], %r1;
  ret;)",
                                               R"(
.visible .func (.param .b32 r) inner(.param .b32 depth);
.visible .func (.param .b32 r) inner(.param .b32 depth)
{
  .reg .pred %p1; .reg .b32 %r<9>;
  ld.param.u32 %r1, [depth];
  mov.u32 %r2, %ctaid.x; mov.u32 %r8, %ctaid.y; mad.lo.u32 %r2, %r8, 7, %r2; mov.u32 %r8, %ctaid.z; mad.lo.u32 %r2, %r8, 91, %r2;
  mov.u32 %r3, %nctaid.x; mad.lo.u32 %r2, %r3, 5, %r2; mov.u32 %r3, %nctaid.y; mad.lo.u32 %r2, %r3, 11, %r2;
  setp.eq.u32 %p1, %r1, 0; @%p1 bra END;
  sub.u32 %r4, %r1, 1;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r4; call (b), inner, (a); ld.param.b32 %r5, [b]; }
  mad.lo.u32 %r2, %r5, 3, %r2;
END:
  st.param.b32 [r], %r2;
  ret;
}
.func (.param .b32 r) square(.param .b32 a)
{
  .reg .b32 %r<3>; ld.param.u32 %r1, [a]; mul.lo.u32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret;
}
.func (.param .b32 r) outer(.param .b32 x)
{
  .reg .b32 %r<9>;
  ld.param.u32 %r1, [x]; and.b32 %r2, %r1, 3;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), inner, (a); ld.param.b32 %r3, [b]; }
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), square, (a); ld.param.b32 %r4, [b]; }
  add.u32 %r3, %r3, %r4; st.param.b32 [r], %r3;
  ret;
}
)")});
  // A function behind the kernel, which uses what is declared there.
  all.push_back({"function behind", module_of(R"(
  { .param .b32 b; call.uni (b), behind; ld.param.b32 %r1, [b]; }
  st.global.u32 [%mine], %r1;
  ret;)",
                                              ".func (.param .b32 r) behind();\n") +
                                        R"(
.const .u32 factor = 77;
.func (.param .b32 r) further(.param .b32 a) { .reg .b32 %r<3>; ld.param.u32 %r1, [a]; st.param.b32 [r], %r1; ret; }
.func (.param .b32 r) behind()
{
  .reg .b32 %r<9>;
  ld.const.u32 %r1, [factor]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.y; mad.lo.u32 %r2, %r1, %r2, %r3;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), further, (a); ld.param.b32 %r4, [b]; }
  st.param.b32 [r], %r4;
  ret;
}
)"});
  // The first warp is done long before others ask which CTA they are in.
  all.push_back({"slow warps",
                 module_of(R"(
  setp.lt.u32 %p1, %t, 32; @%p1 bra END;
  mov.u32 %r2, 0;
LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 300; @%p2 bra LOOP;
  { .param .b32 b; call.uni (b), where; ld.param.b32 %r1, [b]; }
  st.global.u32 [%mine], %r1;
END:
  ret;)",
                           R"(
.func (.param .b32 r) where()
{
  .reg .b32 %r<4>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mad.lo.u32 %r1, %r2, 1000, %r1; st.param.b32 [r], %r1; ret;
}
)"),
                 {96, 1, 1}});
  // Special registers of 16 bits; names that the passes would like to have.
  all.push_back({"halves and names", module_of(R"(
  .reg .b32 %hd_x, %hd_v; .shared .b32 hd_task;
  mov.u16 %h1, %ctaid.x; cvt.u32.u16 %hd_x, %h1; mov.u16 %h2, %nctaid.x; cvt.u32.u16 %hd_v, %h2;
  mad.lo.u32 %r1, %hd_v, 100, %hd_x; st.global.u32 [%mine], %r1;
hd_end:
  ret;)")});
  // Ways out inside of blocks and of a table of branches, which differ between threads.
  all.push_back({"branch table", module_of(R"(
  add.u32 %r1, %t, %id; and.b32 %r1, %r1, 3;
ts: .branchtargets A, B, C, D;
  brx.idx %r1, ts;
A: { st.global.u32 [%mine], %r1; { ret; } }
B: st.global.u32 [%mine], %gid; exit;
C: add.u32 %r2, %gid, 5; st.global.u32 [%mine], %r2;
D: setp.gt.u32 %p1, %gid, 40; @%p1 exit;
  mov.u32 %r3, 9; st.global.u32 [%mine], %r3;)")});
  // The last CTA to come knows by the grid's size that it is.
  all.push_back({"last CTA", module_of(R"(
  setp.ne.u32 %p1, %t, 0; @%p1 bra END;
  mov.u32 %r1, %nctaid.x; mov.u32 %r2, %nctaid.y; mul.lo.u32 %r1, %r1, %r2; mov.u32 %r2, %nctaid.z;
  mul.lo.u32 %r1, %r1, %r2; sub.u32 %r1, %r1, 1;
  add.u32 %r4, %id, 1; red.global.add.u32 [%out+8], %r4;
  membar.gl;
  atom.global.inc.u32 %r3, [%out], %r1; setp.ne.u32 %p2, %r3, %r1; @%p2 bra END;
  ld.global.u32 %r5, [%out+8]; st.global.u32 [%out+4], %r5;
END:
  ret;)")});
  // A lock around a sum: loops that wait for CTAs that run.
  all.push_back({"lock", module_of(R"(
  setp.ne.u32 %p1, %t, 0; @%p1 bra END;
TRY:
  atom.global.cas.b32 %r1, [%out], 0, 1; setp.ne.u32 %p2, %r1, 0; @%p2 bra TRY;
  membar.gl;
  ld.volatile.global.u32 %r2, [%out+4]; add.u32 %r2, %r2, %id; st.volatile.global.u32 [%out+4], %r2;
  membar.gl;
  atom.global.exch.b32 %r3, [%out], 0;
END:
  ret;)")});
  all.push_back({"copies under way", module_of(R"(
  .shared .align 16 .b8 buffer[512];
  mov.u32 %r1, buffer; shl.b32 %r2, %t, 2; add.u32 %r1, %r1, %r2;
  st.global.u32 [%mine], %gid;
  cp.async.ca.shared.global [%r1], [%mine], 4;
  cp.async.wait_all;
  bar.sync 0;
  ld.shared.u32 %r3, [%r1]; add.u32 %r3, %r3, 3; st.global.u32 [%mine], %r3;
  cp.async.ca.shared.global [%r1], [%out], 4;
  ret;)")});
  return all;
}

}  // namespace heddle::cta_clustering
