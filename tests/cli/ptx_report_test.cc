#include "apps/cli/reports/ptx_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "tests/ptx/inspected_module.h"

namespace heddle::cli {
namespace {

using ptx_text::kOneLoop;
using ptx_text::kThreeUnsupported;
using testing::HasSubstr;
using testing::Not;

TEST(PtxReport, TextAndJsonSayTheSame) {
  const exec::PtxFacts f = exec::collect_ptx_facts(kOneLoop, "k.ptx");
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
  const exec::PtxFacts f = exec::collect_ptx_facts(kOneLoop + kThreeUnsupported, "k.ptx");
  EXPECT_THAT(ptx_report_text(f), HasSubstr("not supported: 3 places"));
  EXPECT_THAT(ptx_report_text(f), HasSubstr("line 31"));
}

TEST(PtxReport, ExitStatusTellsWhetherItRuns) {
  std::ostringstream out;
  EXPECT_EQ(report_ptx(HEDDLE_PTX_FOLDER "/stencil.ptx", false, out), 0);
  EXPECT_EQ(report_ptx(HEDDLE_PTX_FOLDER "/extra/tex_75.ptx", true, out), 0);
  const std::string refused = testing::TempDir() + "ptx_report_refused.ptx";
  std::ofstream(refused) << kOneLoop << ".visible .entry bad() { frobnicate; ret; }\n";
  EXPECT_EQ(report_ptx(refused, true, out), kUnsupportedStatus);
  EXPECT_THROW(report_ptx("no/such.ptx", false, out), Error);
  EXPECT_THROW(report_ptx("file.txt", false, out), Error);
}

}  // namespace
}  // namespace heddle::cli
