// Device code of the sample programs.
#pragma once

#include <cstring>
#include <string>

// mix(p, n): p[i] = f(p[i], CTA, grid) for each thread, and adds to the variable `sum`.
inline constexpr const char* kMixPtx = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 sum;
.visible .entry mix(.param .u64 p, .param .u32 n) {
  .reg .pred %q; .reg .b64 %rd<4>; .reg .b32 %r<12>;
  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y; mov.u32 %r4, %nctaid.x; mad.lo.u32 %r5, %r3, %r4, %r2;
  mov.u32 %r6, %ntid.x; mov.u32 %r7, %tid.x; mad.lo.u32 %r8, %r5, %r6, %r7;
  setp.ge.u32 %q, %r8, %r1; @%q bra END;
  mul.wide.u32 %rd2, %r8, 4; add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r9, [%rd3]; mad.lo.u32 %r9, %r9, 3, %r5; add.u32 %r9, %r9, %r4; st.global.u32 [%rd3], %r9;
  mov.u64 %rd2, sum; red.global.add.u32 [%rd2], %r9;
END: ret;
}
)";

// order(p, counter): p[ticket] = CTA, in the order in which CTAs come. early(p): threads leave before a
// barrier.
inline constexpr const char* kOrderPtx = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry order(.param .u64 p, .param .u64 counter) {
  .reg .pred %q; .reg .b64 %rd<5>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [counter];
  mov.u32 %r1, %tid.x; setp.ne.u32 %q, %r1, 0; @%q bra END;
  atom.global.add.u32 %r2, [%rd2], 1; mov.u32 %r3, %ctaid.x;
  mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r3;
END: ret;
}
.visible .entry early(.param .u64 p) {
  .reg .pred %q; .reg .b64 %rd<4>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; setp.gt.u32 %q, %r1, 40; @%q bra OUT;
  bar.sync 0;
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r2, %r2, %r3, %r1;
  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2;
OUT: ret;
}
)";

// A fat binary with one stored entry. `flags`: 0x100000 for compute_90a.
inline std::string sample_container(const std::string& ptx, unsigned architecture, unsigned long long flags) {
  constexpr std::size_t kHeader = 16, kEntry = 64;
  const std::size_t payload = (ptx.size() + 1 + 7) / 8 * 8;
  std::string bytes(kHeader + kEntry + payload, '\0');
  auto put = [&](std::size_t at, unsigned long long value, std::size_t size) {
    std::memcpy(bytes.data() + at, &value, size);
  };
  put(0, 0xba55ed50, 4);
  put(4, 1, 2);
  put(6, kHeader, 2);
  put(8, kEntry + payload, 8);
  put(kHeader, 1, 2);
  put(kHeader + 0x02, 0x101, 2);
  put(kHeader + 0x04, kEntry, 4);
  put(kHeader + 0x08, payload, 8);
  put(kHeader + 0x1a, 7, 2);
  put(kHeader + 0x1c, architecture, 4);
  put(kHeader + 0x28, flags, 8);
  put(kHeader + 0x38, ptx.size() + 1, 8);
  std::memcpy(bytes.data() + kHeader + kEntry, ptx.c_str(), ptx.size());
  return bytes;
}
