#include "runtime/ptx_link.h"

#include <vector>

#include <gtest/gtest.h>

#include "exec/functional_device.h"

namespace heddle::runtime {
namespace {

TEST(PtxLink, ACallFindsTheFunctionOfAnotherFile) {
  const std::vector<std::string> texts = {R"(
.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b32 out) triple (.param .b32 in);
.extern .global .align 4 .u32 extra;
.visible .entry run(.param .u64 p) {
  .reg .b64 %rd<2>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [extra];
  { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call.uni (r), triple, (a); ld.param.b32 %r2, [r]; }
  st.global.u32 [%rd1], %r2; ret;
}
)",
                                          R"(
.version 8.1
.target sm_75
.address_size 64
.visible .global .align 4 .u32 extra = 14;
.visible .func (.param .b32 out) triple (.param .b32 in) {
  .reg .b32 %r<3>; ld.param.b32 %r1, [in]; mul.lo.u32 %r2, %r1, 3; st.param.b32 [out], %r2; ret;
}
)"};
  const std::string linked = link_ptx(texts);
  EXPECT_EQ(linked.substr(0, 12), ".version 8.1") << "the highest";
  exec::FunctionalDevice device;
  device.load_module(linked, "linked");
  const auto p = device.allocate(4, "out");
  device.launch({.kernel = "run", .grid = {}, .block = {}, .dynamic_shared = 0, .args = workload::args(p)});
  EXPECT_EQ(device.download<std::uint32_t>(p, 1)[0], 42u);
}

}  // namespace
}  // namespace heddle::runtime
