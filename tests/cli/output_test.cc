// Where commands write: files of every kind, and a standard output that is full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/cli/program.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kPage =
    R"(<html><script type="application/json" id="heddle-data"></script><p>page</p></html>)";

class Outputs : public Commands {
 protected:
  void SetUp() override {
    Commands::SetUp();
    file("page.html", kPage);
    const std::string tiny = " vecadd --scale tiny --gpu gtx480 ", page = " --page " + file("page.html");
    const std::string store = " --store " + file("s.sqlite");
    const std::string compare = "compare" + tiny + "--designs baseline,DB" + store;
    ASSERT_EQ(heddle(compare).status, 0);
    for (const char* option : {"--json ", "--csv ", "--timeline ", "--series "})
      writers_.push_back("run -q" + tiny + option);
    writers_.push_back("run -q" + tiny + page + " --html ");
    writers_.push_back("run -q vecadd --scale tiny --functional --json ");
    writers_.push_back("run -q vecadd --scale tiny --functional --csv ");
    writers_.push_back("funnel" + tiny + "--json ");
    for (const char* option : {"--json ", "--csv "}) writers_.push_back("characterise" + tiny + option);
    const std::string noc = "noc --size 2x2 --rate 0.1 --cycles 100 ";
    for (const char* option : {"--json ", "--csv "}) writers_.push_back(noc + option);
    for (const char* option : {" --json ", " --csv "}) {
      writers_.push_back(compare + option);
      writers_.push_back("results export" + store + option);
    }
    writers_.push_back(compare + page + " --html ");
    writers_.push_back("report" + store + page + " -o ");
    writers_.push_back("results show" + store + " $(" HEDDLE_PROGRAM " results export --csv - --design DB" +
                       store + " | tail -1 | cut -c1-16) --json ");
    printers_ = {"list",
                 "list vecadd",
                 "describe v100",
                 "describe v100 --diff h200",
                 "explain --all",
                 "explain gpu.cycles",
                 "config",
                 "study",
                 "--help",
                 "--help-all",
                 "--version",
                 "run --help",
                 "run" + tiny,
                 "run" + tiny + "--json -",
                 "run vecadd --scale tiny --functional",
                 "funnel" + tiny,
                 "funnel" + tiny + "--json -",
                 "characterise" + tiny,
                 "characterise" + tiny + "--csv -",
                 noc,
                 noc + "--json -",
                 noc + "--csv -",
                 compare,
                 compare + " --json -",
                 "results list" + store,
                 "results export --csv -" + store,
                 "results export --json -" + store,
                 "ptx " + file("k.ptx",
                               ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".visible .entry k()\n{\nret;\n}\n")};
  }
  std::vector<std::string> writers_;   // commands that lack the name of a file at their end
  std::vector<std::string> printers_;  // to standard output
};

TEST_F(Outputs, GoThroughWhatIsNoFile) {
  const std::string pipe = file("pipe"), full = file("full");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("/dev/full", full);
  for (const std::string& command : writers_) {
    const Outcome o =
        heddle(command + pipe + " > /dev/null & cat " + pipe + " | wc -c; wait $!; echo status $?");
    EXPECT_THAT(o.out, HasSubstr("status 0")) << command;
    EXPECT_GT(std::stoi(o.out), 20) << command << o.out;
    EXPECT_TRUE(fs::is_fifo(pipe)) << command;
    const Outcome f = heddle(command + full);
    EXPECT_EQ(f.status, 2) << command << f.out;
    EXPECT_THAT(f.out, HasSubstr("full: cannot write the file: No space left on device")) << command;
    EXPECT_TRUE(fs::is_symlink(full)) << command;
  }
}

TEST_F(Outputs, KeepLinksAndModes) {
  const std::string link = file("link"), target = file("target");
  fs::create_symlink("target", link);
  for (const std::string& command : writers_) {
    file("target", "old");
    fs::permissions(target, static_cast<fs::perms>(0604));
    const Outcome o = heddle(command + link);
    EXPECT_EQ(o.status, 0) << command << o.out;
    EXPECT_TRUE(fs::is_symlink(link)) << command;
    EXPECT_EQ(fs::status(target).permissions(), static_cast<fs::perms>(0604)) << command;
    EXPECT_GT(fs::file_size(target), 20u) << command;
  }
}

TEST_F(Outputs, AFullStandardOutputIsAnError) {
  for (const std::string& command : printers_) {
    const Outcome o = heddle(command + " >/dev/full 2>" + file("said") + " #");
    EXPECT_EQ(o.status, 2) << command;
    EXPECT_THAT(contents("said"),
                HasSubstr("heddle: cannot write to standard output: No space left on device"))
        << command;
  }
}

// A status that says more than "not written" stays.
TEST_F(Outputs, AWorseStatusStays) {
  const Outcome o = heddle("run vecadd --scale tiny --gpu gtx480 --max-cycles 10 >/dev/full");
  EXPECT_EQ(o.status, 4);
}

TEST_F(Outputs, AReaderThatIsGoneIsNoNews) {
  for (const char* before : {"", "trap '' PIPE; "}) {
    const std::string command =
        std::string("( ") + before + "exec " HEDDLE_PROGRAM " explain --all 2>" + file("said") + " ) | true";
    EXPECT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(contents("said"), "") << before;
  }
}

TEST_F(Outputs, AClosedStandardOutputIsAnErrorAndNobodyElsesFile) {
  const Outcome o = heddle("run vecadd --scale tiny --gpu gtx480 --json " + file("r.json") + " 2>" +
                           file("said") + " >&-; echo $?");
  EXPECT_THAT(contents("said"), HasSubstr("cannot write to standard output: Bad file descriptor"));
  EXPECT_TRUE(contents("r.json").starts_with("{"));
  EXPECT_TRUE(contents("r.json").ends_with("}\n"));
}

}  // namespace
}  // namespace heddle
