#include "apps/cli/reports/ptx_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"

namespace heddle::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kText = R"(.version 7.0
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

TEST(PtxReport, TextAndJsonSayTheSame) {
  const exec::PtxFacts f = exec::collect_ptx_facts(kText, "k.ptx");
  const std::string text = ptx_report_text(f);
  EXPECT_THAT(text, HasSubstr("kernel loop(float*, int)   line 7"));
  EXPECT_THAT(text, HasSubstr("64B static, and dynamic"));
  EXPECT_THAT(text, HasSubstr("1 loop, 1 branch (1 conditional)"));
  EXPECT_THAT(text, HasSubstr("Heddle can run all of it."));
  EXPECT_THAT(text, Not(HasSubstr(" \n")));
  const auto j = nlohmann::json::parse(ptx_report_json(f));
  EXPECT_EQ(j["supported"], true);
  EXPECT_EQ(j["kernels"][0]["loops"], 1);
  EXPECT_EQ(j["kernels"][0]["mix"]["shared stores"], 2);
}

TEST(PtxReport, EverythingUnsupportedIsListed) {
  const exec::PtxFacts f = exec::collect_ptx_facts(kText + R"(.extern .func nowhere();
.visible .entry bad() {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  .reg .f32 %f<9>;
  call nowhere, ();
  tex.cube.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r1, %r1, %r1}];
  frobnicate.u32 %r1, %r1;
  ret;
}
)",
                                                   "k.ptx");
  EXPECT_THAT(ptx_report_text(f), HasSubstr("not supported: 3 places"));
  EXPECT_THAT(ptx_report_text(f), HasSubstr("line 31"));
}

TEST(PtxReport, ExitStatusTellsWhetherItRuns) {
  std::ostringstream out;
  EXPECT_EQ(report_ptx(HEDDLE_PTX_FOLDER "/stencil.ptx", false, out), 0);
  EXPECT_EQ(report_ptx(HEDDLE_PTX_FOLDER "/extra/tex_75.ptx", true, out), 0);
  const std::string refused = testing::TempDir() + "ptx_report_refused.ptx";
  std::ofstream(refused) << kText << ".visible .entry bad() { frobnicate; ret; }\n";
  EXPECT_EQ(report_ptx(refused, true, out), kUnsupportedStatus);
  EXPECT_THROW(report_ptx("no/such.ptx", false, out), Error);
  EXPECT_THROW(report_ptx("file.txt", false, out), Error);
}

}  // namespace
}  // namespace heddle::cli
