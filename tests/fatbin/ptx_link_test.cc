#include "fatbin/ptx_link.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/functional/functional_device.h"
#include "ptx/parse/parse_module.h"

namespace heddle::fatbin {
namespace {

using ::testing::HasSubstr;

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

TEST(PtxLink, NamesOfOneFileAloneStayApart) {
  const std::string head = ".version 8.0\n.target sm_75\n.address_size 64\n";
  const std::string a = head +
                        ".global .align 1 .b8 $str[3] = {97, 10};\n.shared .align 4 .b8 cell[4];\n"
                        ".extern .func (.param .b32 r) f(.param .b64 x);\n"
                        ".visible .entry k1() { .reg .b64 %rd1; mov.u64 %rd1, $str; // $str\n ret; }\n";
  const std::string b =
      head +
      ".global .align 1 .b8 $str[3] = {98, 10};\n.shared .align 4 .b8 cell[4];\n"
      ".visible .func (.param .b32 r) f(.param .b64 x) { .reg .b64 %rd<2>; mov.u64 %rd1, $str;\n"
      "$str2: mov.u64 %rd0, cell; ret; }\n.global .b32 counter;\n";
  const std::string texts[] = {a, b};
  const std::string linked = link_ptx(texts);
  const ptx::Module m = ptx::parse_module(linked, "linked.ptx", {}, nullptr);
  EXPECT_THAT(linked, HasSubstr("mov.u64 %rd1, $str; // $str"));
  EXPECT_THAT(linked, HasSubstr(".b8 $str$2[3]"));
  EXPECT_THAT(linked, HasSubstr("mov.u64 %rd1, $str$2;"));
  EXPECT_THAT(linked, HasSubstr("$str2: mov.u64 %rd0, cell$2;"));
  EXPECT_THAT(linked, HasSubstr(".global .b32 counter;"));
}

}  // namespace
}  // namespace heddle::fatbin
