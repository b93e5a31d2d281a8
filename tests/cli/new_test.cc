// `heddle new technique`: what it refuses. What it writes is compiled and run by new_technique_test.sh.
#include <gmock/gmock.h>

#include "gpu/catalog.h"
#include "tests/cli/program.h"

namespace heddle {
namespace {

using testing::HasSubstr;

class NewTechnique : public Commands {
 protected:
  void SetUp() override {
    Commands::SetUp();
    for (const char* folder : {"src/gpu", "src/cluster", "cmake"})
      std::filesystem::create_directories(folder_ / folder);
    for (const char* name : {"CMakeLists.txt", "src/gpu/catalog.cc", "cmake/HeddleBuild.cmake"})
      file(name, "x");
  }
  Outcome make(const std::string& arguments) {
    return heddle("new technique " + arguments + " --root " + folder_.string());
  }
  void refused(const std::string& arguments, const std::string& why) {
    const Outcome o = make(arguments);
    EXPECT_EQ(o.status, 2) << o.out;
    EXPECT_THAT(o.out, HasSubstr(why));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "src/techniques"));
  }
};

TEST_F(NewTechnique, WritesAFolderAndSaysWhatToDo) {
  const Outcome o = make("line_keeper --slot merger");
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out,
              HasSubstr("#include \"techniques/line_keeper/line_keeper.h\"\n      line_keeper::kMerger,\n"));
  EXPECT_THAT(o.out, HasSubstr("compare hotspot --scale tiny --designs baseline,line_keeper"));
  EXPECT_THAT(contents("src/techniques/line_keeper/line_keeper.h"), HasSubstr("class LineKeeper final"));
  EXPECT_THAT(contents("src/techniques/line_keeper/designs.toml"), HasSubstr("[design.line_keeper]"));
  EXPECT_THAT(contents("tests/techniques/line_keeper/CMakeLists.txt"), HasSubstr("line_keeper_test"));
}

TEST_F(NewTechnique, ExistingFoldersAreLeftAlone) {
  std::filesystem::create_directories(folder_ / "tests/techniques/line_keeper");
  refused("line_keeper --slot merger", "line_keeper' is there already");
}

TEST_F(NewTechnique, NamesMustBeIdentifiersInLowerCase) {
  for (const char* name : {"LineKeeper", "line-keeper", "9lines", "a__b", "a_", "''", "../x", "_x"})
    refused(std::string(name) + " --slot merger", "cannot name a technique");
  refused("template --slot merger", "it is a word of C++");
  refused("cluster --slot merger", "is the name of a part of Heddle");
}

TEST_F(NewTechnique, NamesThatAreTakenAreRefused) {
  refused("icc --slot merger", "'icc' is taken: it is an implementation of cluster.merger");
  refused("gto --slot merger", "it is an implementation of sm.scheduler");
  refused("timing --slot warp_scheduler", "there is the parameter sm.timing.");
  refused("swl --slot load_front", "it is an implementation of sm.scheduler");
  refused("units --slot load_front", "there is the parameter sm.units.");
  refused("broadcast --slot merger", "there is the parameter cluster.broadcast");
  refused("measure --slot merger", "there is the parameter measure.");
  refused("locality --slot merger", "there is the statistic locality.");
  refused("baseline --slot merger", "there is the design baseline");
  std::filesystem::create_directories(folder_ / "src/study");
  file("src/study/CMakeLists.txt", "heddle_library(points\n  SOURCES point.cc)\n");
  refused("points --slot merger", "there is the library heddle_points");
  EXPECT_EQ(make("timing_of_lines --slot warp_scheduler").status, 0);
}

// Whatever the program has: each name once.
TEST_F(NewTechnique, EveryImplementationsNameIsTaken) {
  for (const gpu::Slot& slot : gpu::catalog())
    for (const config::NamedChoice& c : slot.implementations()) refused(c.name + " --slot merger", "");
}

TEST_F(NewTechnique, UnknownSlotsAreToldWithTheNearest) {
  refused("x --slot merge", "did you mean 'merger'?");
  refused("x --slot qqqqqqqqq", "slots: merger, cta_scheduler, warp_scheduler, load_front, topology");
  refused("x", "--slot is required");
}

TEST_F(NewTechnique, ARootMustBeASourceTree) {
  std::filesystem::remove(folder_ / "src/gpu/catalog.cc");
  refused("x --slot merger", "is no source tree of Heddle: it has no src/gpu/catalog.cc");
}

}  // namespace
}  // namespace heddle
