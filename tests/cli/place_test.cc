// --on slurm as a user calls it, with a Slurm of shell scripts whose sbatch runs every task at once.
#include <gmock/gmock.h>

#include <cstdlib>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

constexpr const char* kSbatch = R"sh(#!/bin/bash
dir=$(dirname "$0")
n=$(($(cat "$dir/count" 2>/dev/null || echo 0) + 1)); echo $n >"$dir/count"
[ ! -e "$dir/spoil" ] || . "$dir/spoil"
name=$(sed -n 's/^#SBATCH --job-name=//p' "$2")
for part in $(sed -n 's/^#SBATCH --array=//p' "$2" | tr , ' '); do
  for i in $(seq "${part%-*}" "${part#*-}"); do
    cd / && SLURMD_NODENAME=node1 SLURM_ARRAY_JOB_ID=$n SLURM_ARRAY_TASK_ID=$i sh "$2" >>"$dir/log" 2>&1
    echo "$name|$n|$i|COMPLETED|node1|None" >>"$dir/queue"
  done
done
echo $n
)sh";

class OnSlurmCommand : public Commands {
 protected:
  void SetUp() override {
    Commands::SetUp();
    std::filesystem::create_directories(folder_ / "bin");
    for (const auto& [name, text] :
         {std::pair{"sbatch", kSbatch},
          {"squeue", "#!/bin/sh\ncat \"$(dirname \"$0\")/queue\" 2>/dev/null || true\n"},
          {"scancel", "#!/bin/sh\nexit 0\n"},
          {"scontrol", "#!/bin/sh\nexit 1\n"},
          {"sacct", "#!/bin/sh\nexit 1\n"}}) {
      file(std::string("bin/") + name, text);
      std::filesystem::permissions(folder_ / "bin" / name, std::filesystem::perms::owner_all);
    }
    path_ = std::getenv("PATH");
    setenv("PATH", ((folder_ / "bin").string() + ":" + path_).c_str(), 1);
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    Commands::TearDown();
  }
  std::string path_;
};

TEST_F(OnSlurmCommand, TablesAreThoseOfThisMachine) {
  const std::string call = "compare vecadd --scale tiny --designs baseline,ICC --store ";
  const Outcome there = heddle(call + file("there.sqlite") + " --on slurm --json " + file("there.json"));
  ASSERT_EQ(there.status, 0) << there.out << contents("bin/log");
  const Outcome here = heddle(call + file("here.sqlite") + " --json " + file("here.json"));
  ASSERT_EQ(here.status, 0) << here.out;
  EXPECT_EQ(Json::parse(contents("there.json")).at("results"),
            Json::parse(contents("here.json")).at("results"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "there.sqlite.spool"));
  EXPECT_THAT(contents("bin/log"), HasSubstr("on node1"));

  const Outcome merged = heddle("results merge " + file("here.sqlite") + " " + file("there.sqlite") +
                                " --store " + file("all.sqlite"));
  EXPECT_EQ(merged.status, 0) << merged.out;
  EXPECT_THAT(merged.out,
              HasSubstr("here.sqlite: 2 results, 2 details and 2 labels were new; 0 results there"));
  EXPECT_THAT(merged.out,
              HasSubstr("there.sqlite: 0 results, 0 details and 0 labels were new; 2 results there"));
  const Outcome itself = heddle("results merge " + file("all.sqlite") + " --store " + file("all.sqlite"));
  EXPECT_EQ(itself.status, 2);
  EXPECT_THAT(itself.out, HasSubstr("name only the others"));
  EXPECT_EQ(heddle("results merge " + file("none.sqlite") + " --store " + file("all.sqlite")).status, 2);
}

TEST_F(OnSlurmCommand, AKernelOfOnesOwnIsReadWhereItLies) {
  std::filesystem::copy(HEDDLE_SOURCE "/examples/stencil", folder_ / "own",
                        std::filesystem::copy_options::recursive);
  const std::string call =
      "compare stencil.ptx --launch launch.toml --designs baseline --on slurm --store " + file("s.sqlite");
  std::filesystem::current_path(folder_ / "own");
  const Outcome o = heddle(call);
  EXPECT_EQ(o.status, 0) << o.out << contents("bin/log");
  EXPECT_THAT(o.out, HasSubstr("1 result verified"));
  // Changed between the command and the node's turn.
  file("bin/spoil", "echo '# more' >>" + (folder_ / "own" / "launch.toml").string() + "\n");
  const Outcome changed = heddle(call + " --set l1.latency=50");
  std::filesystem::current_path("/");
  EXPECT_EQ(changed.status, 1) << changed.out;
  EXPECT_THAT(changed.out, HasSubstr("has changed since the command was given"));
}

#ifdef HEDDLE_SAMPLE
// One run of the program, here; nodes simulate the launches that it chose.
TEST_F(OnSlurmCommand, ARecordingFeedsManyDesigns) {
  const std::string program = std::string(HEDDLE_SAMPLE) + " 9";
  ASSERT_EQ(heddle("exec --functional --sample 2 --record " + file("p.hdl") + " -- " + program).status, 0);
  const std::string call = "compare " + file("p.hdl") + " --gpu clustered60 --designs baseline,ICC --store ";
  const Outcome there = heddle(call + file("there.sqlite") + " --on slurm --json " + file("there.json"));
  ASSERT_EQ(there.status, 0) << there.out << contents("bin/log");
  ASSERT_EQ(heddle(call + file("here.sqlite") + " --json " + file("here.json")).status, 0);
  EXPECT_EQ(Json::parse(contents("there.json")).at("results"),
            Json::parse(contents("here.json")).at("results"));
  EXPECT_THAT(there.out, HasSubstr("2 of its 9"));

  // The same in one command: what was recorded lies in the spool until all is done.
  setenv("HEDDLE_STORE", file("exec.sqlite").c_str(), 1);
  const std::string exec =
      "exec --gpu clustered60 --sample 2 --designs baseline,ICC --on slurm -- " + program;
  const Outcome at_once = heddle(exec);
  EXPECT_EQ(at_once.status, 0) << at_once.out << contents("bin/log");
  EXPECT_THAT(at_once.out, HasSubstr("2 of its 9"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "exec.sqlite.spool"));
  const Outcome again = heddle(exec);
  unsetenv("HEDDLE_STORE");
  EXPECT_EQ(again.status, 0) << again.out;
  EXPECT_THAT(again.out, HasSubstr("2 points from the store"));
}
#endif

TEST_F(OnSlurmCommand, ADryRunShowsTheScriptAndSubmitsNothing) {
  const Outcome o = heddle(
      "compare vecadd hotspot --scale tiny --designs baseline,ICC --on slurm --dry-run "
      "--partition short --sbatch-option=--account=lab --store " +
      file("s.sqlite"));
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("4 points to simulate, 0 of them under way"));
  EXPECT_THAT(o.out,
              HasSubstr("4 tasks with 4 points, nobody knows how long: at most 04:00:00 and 4096 MiB each"));
  EXPECT_THAT(o.out, HasSubstr("#SBATCH --array=0-3\n"));
  EXPECT_THAT(o.out, HasSubstr("#SBATCH --partition=short\n#SBATCH --account=lab\n"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "bin" / "count"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "s.sqlite.spool"));
}

TEST_F(OnSlurmCommand, WhatItCannotDoItSays) {
  const Outcome nowhere = heddle("compare vecadd --scale tiny --on moon --store " + file("s.sqlite"));
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.out, HasSubstr("expected slurm"));
  EXPECT_EQ(heddle("compare vecadd --cancel --store " + file("s.sqlite")).status, 2);
  const Outcome nothing = heddle("compare vecadd --on slurm --cancel --store " + file("s.sqlite"));
  EXPECT_EQ(nothing.status, 0) << nothing.out;
  EXPECT_THAT(nothing.out, HasSubstr("nothing was under way"));
  const Outcome worker = heddle("worker " + folder_.string() + " 0");
  EXPECT_EQ(worker.status, 2);
  EXPECT_THAT(worker.out, HasSubstr("plan: cannot read the file"));
  EXPECT_THAT(heddle("--help").out, Not(HasSubstr("worker")));
}

}  // namespace
}  // namespace heddle
