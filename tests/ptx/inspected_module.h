// PTX for tests of what is told about a module.
#pragma once

#include <string>

namespace heddle::ptx_text {

// A kernel "loop" with everything that is counted, and a function.
inline const std::string kOneLoop = R"(.version 7.0
.target sm_75
.address_size 64
.const .align 4 .f32 coefficient = 0f3F800000;
.extern .shared .align 4 .b8 dynamic[];
.func (.param .b32 r) helper(.param .b32 a) { ret; }
.visible .entry _Z4loopPfi(.param .u64 p, .param .u32 n) {
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  .shared .align 4 .b8 tile[64];
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
$again:
  st.shared.u32 [tile], %r2;
  st.shared.u32 [dynamic], %r2;
  bar.sync 0;
  add.s32 %r2, %r2, 1;
  setp.lt.s32 %p1, %r2, %r1;
  @%p1 bra $again;
  st.global.u32 [%rd1], %r2;
  ret;
}
)";

// Behind it: three places that Heddle refuses, in lines 30 to 32.
inline const std::string kThreeUnsupported = R"(.extern .func nowhere();
.visible .entry bad() {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  .reg .f32 %f<9>;
  call nowhere, ();
  tex.cube.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r1, %r1, %r1}];
  frobnicate.u32 %r1, %r1;
  ret;
}
)";

}  // namespace heddle::ptx_text
