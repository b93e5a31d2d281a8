// `heddle ptx` of what nvcc makes: programs, objects and fat binaries (tests/fatbin/data).
#include "apps/cli/reports/program_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/cli/reports/ptx_report.h"
#include "base/error.h"

namespace heddle::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string path_of(const std::string& name) {
  return std::string(HEDDLE_FATBIN_DATA) + "/" + name;
}

TEST(ProgramReport, ListsModulesAndChecksTheirPtx) {
  std::ostringstream out;
  EXPECT_EQ(report_ptx(path_of("several.fatbin"), false, out), 0);
  EXPECT_THAT(out.str(),
              AllOf(HasSubstr("fat binary, 1 module"), HasSubstr("compute_90 "), HasSubstr("compute_90*"),
                    HasSubstr("kernel scale"), HasSubstr("Heddle can run all of it.")));
  const ProgramFacts facts = collect_program_facts(path_of("several.fatbin"));
  ASSERT_EQ(facts.modules.size(), 1u);
  EXPECT_EQ(facts.modules[0].chosen, &facts.modules[0].entries[0]);
  ASSERT_TRUE(facts.modules[0].ptx);
  EXPECT_EQ(facts.modules[0].ptx->target, "sm_75");
}

TEST(ProgramReport, OfAProgramForThisOrAnotherMachine) {
  std::ostringstream out;
  const bool here = fatbin::this_machine() == "arm64";
  EXPECT_EQ(report_ptx(path_of("shared"), false, out), here ? 0 : kUnsupportedStatus);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("arm64, libcudart.so.13, 1 module"), HasSubstr("kernel rotate")));
  if (here)
    EXPECT_THAT(out.str(), Not(HasSubstr("cannot run it")));
  else
    EXPECT_THAT(out.str(), HasSubstr("cannot run it: it was compiled for arm64"));
}

TEST(ProgramReport, AsJson) {
  std::ostringstream out;
  report_ptx(path_of("relocatable.elf"), true, out);
  const auto j = nlohmann::json::parse(out.str());
  EXPECT_EQ(j["machine"], "arm64");
  EXPECT_EQ(j["cudart"], "none");
  EXPECT_EQ(j["relocatable"], true);
  ASSERT_EQ(j["modules"].size(), 1u);
  EXPECT_EQ(j["modules"][0]["entries"][0]["kind"], "ptx");
  EXPECT_EQ(j["modules"][0]["entries"][0]["packing"], "zstd");
  EXPECT_EQ(j["modules"][0]["entries"][0]["taken"], true);
  EXPECT_EQ(j["modules"][0]["ptx"]["kernels"].size(), 2u);
}

TEST(ProgramReport, RegistersOfMachineCodeStandBesideTheEstimate) {
  const ProgramFacts facts = collect_program_facts(path_of("both.fatbin"));
  ASSERT_EQ(facts.modules.size(), 1u);
  ASSERT_TRUE(facts.modules[0].ptx);
  const std::string text = program_report_text(facts);
  EXPECT_THAT(text, AllOf(HasSubstr("machine code   sm_75"), HasSubstr("63 in its machine code")));
  EXPECT_TRUE(facts.supported());
}

TEST(ProgramReport, WithoutPtxThereIsNothingToLookAt) {
  const auto advice_for = [](const std::string& name) {
    try {
      std::ostringstream out;
      report_ptx(path_of(name), false, out);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(advice_for("machine_code.fatbin"),
              AllOf(HasSubstr("machine_code.fatbin: it has machine code (sm_120)"),
                    HasSubstr("-gencode arch=compute_120,code=compute_120"), HasSubstr("120-virtual")));
  EXPECT_THAT(advice_for("lto.fatbin"), HasSubstr("link-time optimisation"));
  EXPECT_THAT(advice_for("make.sh"), HasSubstr("neither a program"));
}

}  // namespace
}  // namespace heddle::cli
