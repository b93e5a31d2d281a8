// The simulated card's driver, and kernels for it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "card/card_device.h"

namespace heddle::card {

// A variable of the environment while one lives.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

inline const Driver& simulated_driver() {
  static const Environment file(Driver::kVariable, HEDDLE_SIMULATED_DRIVER);
  static const Driver driver;
  return driver;
}

inline constexpr const char* kHead = ".version 6.3\n.target sm_70\n.address_size 64\n";

// increment(u32* a, u32 n): a[i] += 1, and the variable `calls` counts its CTAs.
inline std::string increment_ptx() {
  return std::string(kHead) + R"(
.visible .global .align 4 .u32 calls;
.visible .const .align 4 .u32 step = 1;
.visible .entry increment(.param .u64 a, .param .u32 n) {
.reg .pred %p<3>; .reg .b32 %r<10>; .reg .b64 %rd<5>;
ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n];
cvta.to.global.u64 %rd2, %rd1;
mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
mad.lo.s32 %r5, %r2, %r3, %r4;
setp.ne.u32 %p1, %r4, 0;
@%p1 bra element;
atom.global.add.u32 %r6, [calls], 1;
element:
setp.ge.u32 %p2, %r5, %r1;
@%p2 bra done;
mul.wide.u32 %rd3, %r5, 4; add.s64 %rd4, %rd2, %rd3;
ld.global.u32 %r7, [%rd4]; ld.const.u32 %r8, [step]; add.u32 %r9, %r7, %r8; st.global.u32 [%rd4], %r9;
done:
ret; }
)";
}

inline workload::Launch increment(workload::DevicePtr a, std::uint32_t n) {
  workload::Launch l;
  l.kernel = "increment";
  l.grid = {(n + 63) / 64, 1, 1};
  l.block = {64, 1, 1};
  l.args = workload::args(a, n);
  return l;
}

}  // namespace heddle::card
