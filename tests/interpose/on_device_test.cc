// `heddle cluster --on-device` with the simulated card's driver in the place of a real one: rewritten kernels
// run for what they compute.
#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/cli/program.h"

namespace heddle {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class OnDevice : public testing::TestWithParam<const char*> {
 protected:
  static Outcome cluster(const std::string& program, const std::string& options = "--runs 2") {
    return heddle("cluster --on-device " + options + " -- " + program);
  }
};

TEST_P(OnDevice, ResultsAreTheSameEitherWay) {
  for (const char* options : {"--runs 2", "--runs 2 --way redirection --partition column",
                              "--runs 1 --partition tile --tile 3x2 --active 1 --bypass"}) {
    const Outcome o = cluster(std::string(GetParam()) + " modules", options);
    EXPECT_EQ(o.status, 0) << o.out;
    EXPECT_THAT(o.out, HasSubstr("Result: the same: exit status 0, 3 lines of output, 4 copies to the host"));
    EXPECT_THAT(o.out, ContainsRegex("mix +11 +120 ")) << options;
    EXPECT_THAT(o.out, HasSubstr("1 of 1 kernel rewritten: "));
    EXPECT_THAT(o.out, Not(HasSubstr("as it is")));
  }
}

TEST_P(OnDevice, AnotherResultIsFound) {
  const Outcome o = cluster(std::string(GetParam()) + " order", "--runs 2 --way redirection");
  EXPECT_EQ(o.status, 1) << o.out;
  EXPECT_THAT(o.out, HasSubstr("NOT the same"));
  EXPECT_THAT(o.out, HasSubstr("copy 1 to the host, of 2000 bytes, has other contents"));
  EXPECT_THAT(o.out, HasSubstr("line 1 of the output"));
  EXPECT_THAT(o.out, HasSubstr("compiled by the driver, gives the program's own result"));
}

TEST_P(OnDevice, WhatIsLeftAsItIsHasAReason) {
  const Outcome o = cluster(std::string(GetParam()) + " refused");
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("as it is: divergent barrier: "));
  EXPECT_THAT(o.out,
              HasSubstr("2 of 3 launches as they are: 1 x a cooperative launch; 1 x captured into a graph"));
  EXPECT_THAT(o.out, HasSubstr("as it is: kernels of a graph"));
  EXPECT_THAT(o.out, HasSubstr("1 of 2 kernels rewritten"));
}

TEST_P(OnDevice, PtxThatTheDeviceCannotRunIsNoReasonToFail) {
  const Outcome o = cluster(std::string(GetParam()) + " unusable");
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("as it is: its PTX is for compute_90a"));
  EXPECT_THAT(o.out, HasSubstr("No kernel was rewritten"));
}

TEST_P(OnDevice, TimesOutliveTheContext) {
  const Outcome o = cluster(std::string(GetParam()) + " reset", "--runs 1");
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, ContainsRegex("speed-up [0-9]"));
}

TEST_P(OnDevice, WhatDiffersByItselfIsNotCompared) {
  const Outcome o = cluster(std::string(GetParam()) + " random");
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("not repeatable: 1 line of its output"));
  EXPECT_THAT(o.out, HasSubstr("3 lines of output"));
}

TEST_P(OnDevice, TheProgramsStatusIsCompared) {
  const Outcome o = cluster(std::string(GetParam()) + " fail 3", "--runs 1");
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("ended with status 3"));
  EXPECT_THAT(o.out, HasSubstr("the same: exit status 3"));
}

INSTANTIATE_TEST_SUITE_P(Programs, OnDevice, testing::Values(HEDDLE_LINKED_SAMPLE, HEDDLE_LOOKED_UP_SAMPLE),
                         [](const auto& sample) { return sample.index == 0 ? "linked" : "looked_up"; });

TEST(OnDeviceErrors, SayWhatIsWrong) {
  EXPECT_THAT(heddle("cluster --on-device -- ./not_there").out, HasSubstr("cannot run './not_there'"));
  EXPECT_THAT(heddle("cluster --on-device").out, HasSubstr("the program is missing"));
  EXPECT_THAT(heddle("cluster ls").out, HasSubstr("no workload is called 'ls'"));
  EXPECT_THAT(heddle("cluster --on-device -- /bin/true").out, HasSubstr("makes no CUDA calls"));
  EXPECT_THAT(heddle(std::string("cluster --on-device -- ") + HEDDLE_LOOKED_UP_SAMPLE + " nothing").out,
              HasSubstr("makes no CUDA calls"));
  EXPECT_THAT(heddle("cluster --on-device --tile 3 -- ls").out, HasSubstr("--tile 3"));
  EXPECT_THAT(heddle("cluster --on-device --way redirection --active 2 -- ls").out, HasSubstr("--active"));
}

// Libraries are looked for in this folder while one lives.
class LibraryPath {
 public:
  explicit LibraryPath(const char* folder) : before_(std::getenv("LD_LIBRARY_PATH")) {
    setenv("LD_LIBRARY_PATH", folder, 1);
  }
  ~LibraryPath() { setenv("LD_LIBRARY_PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

TEST(OldDriver, KernelsItDoesNotTakeRewrittenRunAsTheyAre) {
  const LibraryPath path(HEDDLE_OLD_DRIVER);
  const Outcome o = heddle(std::string("cluster --on-device --runs 1 -- ") + HEDDLE_LINKED_SAMPLE);
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, ContainsRegex("mix +11 +120 +- +- +-\n"));
  const std::string why = "the driver does not take its PTX: CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
  EXPECT_THAT(o.out, HasSubstr("as it is: 6 x " + why + "; 5 x " + why + ", PTX is too new\n"));
  // It cannot tell when asynchronous copies have ended.
  EXPECT_THAT(o.out, HasSubstr("2 copies to the host"));
}

TEST(OnDeviceErrors, WithoutADriver) {
  const LibraryPath path("");
  const Outcome o = heddle("cluster --on-device -- /bin/true");
  if (o.out.find("makes no CUDA calls") != std::string::npos) GTEST_SKIP() << "this machine has a driver";
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("libcuda.so.1"));
}

}  // namespace
}  // namespace heddle
