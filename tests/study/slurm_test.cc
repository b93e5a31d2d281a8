// The front end of a Slurm cluster, with a cluster of three shell scripts.
#include "study/slurm/slurm_runner.h"

#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "study/spool/worker.h"
#include "tests/study/fake_workload.h"

namespace heddle::study {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(JobScript, IsWhatSbatchReads) {
  JobDescription j;
  j.name = "heddle-0123-1";
  j.program = "/opt/heddle/bin/heddle";
  j.plan = "/shared/it's here/0123";
  j.numbers = {0, 1, 2, 5, 7, 8};
  j.offset = 2000;
  j.submission = 1;
  j.limits = {1536, 26 * 60 + 30};
  j.partition = "long";
  j.further = {"--account=lab"};
  EXPECT_EQ(job_script(j), R"(#!/bin/sh
#SBATCH --job-name=heddle-0123-1
#SBATCH --array=0-2,5,7-8
#SBATCH --output='/shared/it'\''s here/0123/logs/%A_%a.log'
#SBATCH --open-mode=append
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=1536M
#SBATCH --time=1-02:30:00
#SBATCH --requeue
#SBATCH --partition=long
#SBATCH --account=lab
exec /opt/heddle/bin/heddle worker '/shared/it'\''s here/0123' $((SLURM_ARRAY_TASK_ID + 2000)) --submission 1
)");
}

TEST(SlurmCommands, WhatTheyPrint) {
  EXPECT_EQ(parse_sbatch("4711\n"), "4711");
  EXPECT_EQ(parse_sbatch("4711;cluster\n"), "4711");
  EXPECT_EQ(parse_sbatch("Submitted batch job 4711\n"), "");
  const auto q = parse_squeue(
      "heddle-a-1|12|0|RUNNING|node1|None\nx|13|N/A|PENDING||Priority\n"
      "heddle-a-1|12|3|PENDING||Resources\nheddle-a-1|12|4|TIMEOUT|node2|TimeLimit\n");
  ASSERT_EQ(q.size(), 3u);
  EXPECT_TRUE(q[0].running());
  EXPECT_EQ(q[1].number, 3u);
  EXPECT_EQ(q[1].reason, "Resources");
  EXPECT_FALSE(q[1].over());
  EXPECT_TRUE(q[2].over());
  EXPECT_EQ(parse_max_array_size("MaxArraySize            = 1001\n"), 1001u);
  EXPECT_EQ(parse_max_array_size("nothing\n"), std::nullopt);
}

constexpr const char* kSbatch = R"sh(#!/bin/sh
cd "$(dirname "$0")"
[ ! -e refuse ] || { echo "sbatch: error: Batch job submission failed: Invalid partition" >&2; exit 1; }
n=$(($(cat count 2>/dev/null || echo 0) + 1)); echo $n >count
cp "$2" job-$n.sh
name=$(sed -n 's/^#SBATCH --job-name=//p' "$2")
for part in $(sed -n 's/^#SBATCH --array=//p' "$2" | tr , ' '); do
  for i in $(seq "${part%-*}" "${part#*-}"); do echo "$name|$n|$i|PENDING||Resources" >>queue; done
done
echo $n
)sh";
constexpr const char* kSqueue = R"sh(#!/bin/sh
cd "$(dirname "$0")"
[ ! -e silent ] || { echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1; }
cat queue 2>/dev/null || true
)sh";
constexpr const char* kScancel = R"sh(#!/bin/sh
cd "$(dirname "$0")"
for j; do sed -i "s/^\(.*|$j|[0-9]*|\)\(PENDING\|RUNNING\)/\1CANCELLED/" queue; done
)sh";
constexpr const char* kScontrol = "#!/bin/sh\necho 'MaxArraySize = 3'\n";

// A cluster that does what the test says, step by step.
class OnSlurm : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    std::filesystem::create_directories(bin());
    for (const auto& [name, text] : {std::pair{"sbatch", kSbatch},
                                     {"squeue", kSqueue},
                                     {"scancel", kScancel},
                                     {"scontrol", kScontrol},
                                     {"sacct", "#!/bin/sh\nexit 1\n"}}) {
      write_file(bin() / name, text);
      std::filesystem::permissions(bin() / name, std::filesystem::perms::owner_all);
    }
    path_ = std::getenv("PATH");
    setenv("PATH", fmt::format("{}:{}", bin().string(), path_).c_str(), 1);
    fakes_.all()[0].log_to(folder_ / "log");
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    InFolder::TearDown();
  }
  std::filesystem::path bin() const { return folder_ / "bin"; }
  std::filesystem::path spool() const { return folder_ / "spool"; }

  std::vector<QueuedTask> queue() const {
    std::error_code none;
    return std::filesystem::exists(bin() / "queue", none) ? parse_squeue(read_file(bin() / "queue"))
                                                          : std::vector<QueuedTask>{};
  }
  void set(const QueuedTask& task, const std::string& state, const std::string& node = "node1") {
    std::string text;
    for (const QueuedTask& t : queue()) {
      const bool it = t.job == task.job && t.number == task.number;
      text += fmt::format("{}|{}|{}|{}|{}|{}\n", t.name, t.job, t.number, it ? state : t.state,
                          it ? node : t.node, t.reason);
    }
    write_file(bin() / "queue", text);
  }
  // What a node does with a task.
  WorkReport work_on(const QueuedTask& t) {
    const std::string last = trim(read_file(bin() / fmt::format("job-{}.sh", t.job))).data();
    std::istringstream words(last.substr(last.rfind("\nexec ") + 6));
    std::string program, worker, plan, task, option;
    std::uint32_t submission = 0;
    words >> program >> worker >> plan;
    std::getline(words, task, '-');
    words >> option >> submission;
    const std::size_t plus = task.find("+ ");
    const std::size_t offset = plus == std::string::npos ? 0 : std::stoul(task.substr(plus + 2));
    PlanFolder folder{std::filesystem::path(plan)};
    return work(folder, {t.number + offset, submission, "node1", fmt::format("{}_{}", t.job, t.number)},
                fakes_.find(), nullptr);
  }
  void run_all() {
    for (const QueuedTask& t : queue())
      if (t.state == "PENDING") {
        work_on(t);
        set(t, "COMPLETED");
      }
  }

  SlurmOptions options() {
    SlurmOptions o;
    o.spool = spool();
    o.program = "heddle";
    o.interrupt = &interrupt_;
    o.poll = milliseconds(5);
    o.settle = o.settle_done = milliseconds(10);
    o.packing.unknown = {1024, 60};
    return o;
  }
  std::vector<Job> jobs(std::uint64_t n, const std::string& workload = "adds") {
    std::vector<Job> all;
    for (std::uint64_t i = 1; i <= n; ++i) all.push_back({fake_point(workload, i), {"slurm", "B", ""}});
    return all;
  }
  // `step`: what the cluster does whenever somebody looks at the progress.
  Batch run(const std::vector<Job>& jobs, std::function<void()> step) {
    step_ = std::move(step);
    said_.lines.clear();
    said_.step = &step_;
    SlurmRunner slurm(options());
    Store store(folder_ / "s.sqlite");
    const Batch b = run_batch(jobs, slurm, store, said_);
    slurm.tidy(store);
    return b;
  }
  std::size_t started() const {
    std::ifstream in(folder_ / "log");
    std::size_t n = 0;
    for (std::string line; std::getline(in, line);) ++n;
    return n;
  }

  struct Said final : BatchProgress {
    void start(std::size_t, std::size_t) override {}
    void tick(std::size_t, std::size_t, double, std::span<const std::string> names) override {
      running.assign(names.begin(), names.end());
      (*step)();
    }
    void finished(const Job&, const std::string&) override { ++ended; }
    void warn(const std::string& what) override { lines.push_back(what); }
    void end() override {}
    std::function<void()>* step = nullptr;
    std::vector<std::string> running, lines;
    std::size_t ended = 0;
  };
  FakeWorkloads fakes_;
  std::atomic<bool> interrupt_ = false;
  Said said_;
  std::function<void()> step_;
  std::string path_;
};

TEST_F(OnSlurm, GivesWhatThisMachineGives) {
  const Batch b = run(jobs(7), [&] { run_all(); });
  EXPECT_FALSE(b.interrupted);
  EXPECT_THAT(b.failures, IsEmpty());
  EXPECT_EQ(b.simulated, 7u);
  EXPECT_EQ(said_.ended, 7u);
  EXPECT_EQ(trim(read_file(bin() / "count")), "3") << "seven tasks in arrays of three";
  Store here(folder_ / "here.sqlite"), there(folder_ / "s.sqlite");
  NoProgress nobody;
  run_batch(jobs(7), fakes_.find(), here, {2, nullptr}, nobody);
  for (const Job& j : jobs(7))
    EXPECT_EQ(without_host(*there.record(j.point.key())), without_host(*here.record(j.point.key())));
  EXPECT_EQ(there.list().front().labels.size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(spool())) << "all is in the store";
}

TEST_F(OnSlurm, AnInterruptLeavesTheJobsAndTheSameCommandFindsThem) {
  const Batch first = run(jobs(4), [&] {
    for (const QueuedTask& t : queue())
      if (t.number != 1) set(t, "RUNNING", t.number == 0 ? "node1" : "node2");
    if (said_.running.size() == 3) interrupt_ = true;
  });
  EXPECT_TRUE(first.interrupted);
  EXPECT_THAT(said_.running, ElementsAre("node1: 2 tasks", "node2: 1 task", "waiting (Resources): 1 task"));
  EXPECT_EQ(started(), 0u);
  interrupt_ = false;
  const std::string submitted = read_file(bin() / "count");
  work_on(queue()[0]);  // meanwhile
  set(queue()[0], "COMPLETED");
  const Batch second = run(jobs(5), [&] {
    for (const QueuedTask& t : queue())
      if (!t.over()) {
        work_on(t);
        set(t, "COMPLETED");
      }
  });
  EXPECT_EQ(second.simulated, 5u);
  EXPECT_EQ(started(), 5u) << "nothing was simulated twice";
  EXPECT_EQ(std::stoi(read_file(bin() / "count")), std::stoi(submitted) + 1) << "only the fifth is new";
}

TEST_F(OnSlurm, WhatIsLostIsSubmittedAgainWithMore) {
  int round = 0;
  const Batch b = run(jobs(1), [&] {
    for (const QueuedTask& t : queue()) {
      if (t.state != "PENDING") continue;
      if (++round == 3) work_on(t);
      set(t, round == 1 ? "OUT_OF_MEMORY" : round == 2 ? "TIMEOUT" : "COMPLETED");
    }
  });
  EXPECT_EQ(b.simulated, 1u);
  EXPECT_THAT(read_file(bin() / "job-1.sh"), HasSubstr("--mem=1024M"));
  EXPECT_THAT(read_file(bin() / "job-2.sh"), HasSubstr("--mem=2048M"));
  EXPECT_THAT(read_file(bin() / "job-3.sh"), HasSubstr("--mem=2048M"));
  EXPECT_THAT(read_file(bin() / "job-3.sh"), HasSubstr("--time=02:00:00"));
  ASSERT_EQ(said_.lines.size(), 2u);
  EXPECT_THAT(said_.lines[0], HasSubstr("OUT_OF_MEMORY"));
}

TEST_F(OnSlurm, WhatIsLostAgainAndAgainIsAFailureWithItsLog) {
  const Batch b = run(jobs(1), [&] {
    for (const QueuedTask& t : queue())
      if (!t.over()) set(t, "NODE_FAIL", "node2");
  });
  EXPECT_EQ(trim(read_file(bin() / "count")), "3");
  ASSERT_EQ(b.failures.size(), 1u);
  EXPECT_THAT(b.failures[0].error, HasSubstr("NODE_FAIL"));
  EXPECT_THAT(b.failures[0].error, HasSubstr("3 times in a row"));
  EXPECT_THAT(b.failures[0].error, HasSubstr("logs/3_0.log"));
  EXPECT_TRUE(std::filesystem::exists(spool())) << "the logs stay";
  // Asked for once more, it is tried once more.
  const Batch again = run(jobs(1), [&] { run_all(); });
  EXPECT_EQ(again.simulated, 1u);
}

TEST_F(OnSlurm, ATaskThatVanishesIsSubmittedAgain) {
  bool gone = false;
  const Batch b = run(jobs(2), [&] {
    if (!gone && !queue().empty()) {
      work_on(queue()[0]);
      std::filesystem::remove(bin() / "queue");
      gone = true;
      return;
    }
    run_all();
  });
  EXPECT_EQ(b.simulated, 2u);
  EXPECT_EQ(started(), 2u);
}

TEST_F(OnSlurm, FailuresOfPointsAreToldAndTriedAgainNextTime) {
  for (int i = 0; i < 2; ++i) {
    const Batch b = run({jobs(1, "throws")[0], jobs(1)[0]}, [&] { run_all(); });
    ASSERT_EQ(b.failures.size(), 1u);
    EXPECT_THAT(b.failures[0].error, HasSubstr("this cannot run"));
    EXPECT_EQ(b.simulated, i == 0 ? 1u : 0u);
  }
  EXPECT_EQ(trim(read_file(bin() / "count")), "2");
}

TEST_F(OnSlurm, ASilentControllerIsWaitedFor) {
  int looks = 0;
  const Batch b = run(jobs(2), [&] {
    if (++looks == 2) write_file(bin() / "silent", "x");
    if (looks == 6) {
      std::filesystem::remove(bin() / "silent");
      run_all();
    }
  });
  EXPECT_EQ(b.simulated, 2u);
  ASSERT_EQ(said_.lines.size(), 1u);
  EXPECT_THAT(said_.lines[0], HasSubstr("Unable to contact"));
  EXPECT_EQ(trim(read_file(bin() / "count")), "1");
}

TEST_F(OnSlurm, ARefusalIsAnErrorWithItsReason) {
  write_file(bin() / "refuse", "x");
  try {
    run(jobs(1), [] {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("Invalid partition"));
    EXPECT_THAT(e.what(), HasSubstr("--partition"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(spool())) << "the next command may ask for something else";
  std::filesystem::remove(bin() / "refuse");
  EXPECT_EQ(run(jobs(1), [&] { run_all(); }).simulated, 1u);
}

TEST_F(OnSlurm, WhatDoesNotFitNowIsSubmittedLater) {
  // The second array is refused as long as the first is under way.
  int looks = 0;
  write_file(bin() / "sbatch", std::string(kSbatch) + "touch refuse\n");
  interrupt_ = false;
  const Batch b = run(jobs(4), [&] {
    if (++looks == 3) interrupt_ = true;
  });
  EXPECT_TRUE(b.interrupted);
  ASSERT_EQ(said_.lines.size(), 1u);
  EXPECT_THAT(said_.lines[0], HasSubstr("trying again while other tasks run"));
  std::filesystem::remove(bin() / "refuse");
  write_file(bin() / "sbatch", kSbatch);
  interrupt_ = false;
  EXPECT_EQ(run(jobs(4), [&] { run_all(); }).simulated, 4u);
  EXPECT_EQ(trim(read_file(bin() / "count")), "2");
}

TEST_F(OnSlurm, WithoutSlurmItSaysWhatIsMissing) {
  for (const char* name : {"sbatch", "squeue"}) std::filesystem::remove(bin() / name);
  setenv("PATH", bin().c_str(), 1);
  try {
    run(jobs(1), [] {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("cannot run sbatch"));
  }
}

TEST_F(OnSlurm, CancelEndsThemAndTheNextCommandStartsAnew) {
  run(jobs(3), [&] {
    if (!queue().empty()) interrupt_ = true;
  });
  interrupt_ = false;
  std::vector<Point> points;
  for (const Job& j : jobs(3)) points.push_back(j.point);
  work_on(queue()[0]);
  EXPECT_EQ(cancel(points, options()), 1u);
  EXPECT_EQ(queue()[1].state, "CANCELLED");
  EXPECT_EQ(cancel(points, options()), 0u);
  EXPECT_EQ(run(jobs(3), [&] { run_all(); }).simulated, 3u);
  EXPECT_EQ(started(), 3u) << "what the first had finished is kept";
}

TEST_F(OnSlurm, CancelledByOthersIsAFailure) {
  const Batch b = run(jobs(1), [&] {
    for (const QueuedTask& t : queue())
      if (!t.over()) set(t, "CANCELLED", "");
  });
  ASSERT_EQ(b.failures.size(), 1u);
  EXPECT_THAT(b.failures[0].error, HasSubstr("CANCELLED"));
}

TEST_F(OnSlurm, RunTwiceCountsOnce) {
  bool done = false;
  const Batch b = run(jobs(1), [&] {
    if (queue().empty() || done) return;
    done = true;
    // Two runs of one task at once: neither knows of the other.
    const std::filesystem::path folder = std::filesystem::directory_iterator(spool())->path();
    const std::filesystem::path results = folder / "results", aside = folder_ / "aside";
    work_on(queue()[0]);
    std::filesystem::rename(results, aside);
    std::filesystem::create_directory(results);
    work_on(queue()[0]);
    for (const auto& e : std::filesystem::directory_iterator(aside))
      std::filesystem::copy(e.path(), results / e.path().filename());
  });
  EXPECT_EQ(started(), 2u);
  EXPECT_EQ(b.simulated, 1u);
  EXPECT_EQ(said_.ended, 1u);
}

TEST_F(OnSlurm, TwoResultsOfOnePointAreAnErrorThatNamesBoth) {
  bool done = false;
  EXPECT_THROW(run(jobs(2),
                   [&] {
                     if (queue().empty() || done) return;
                     done = true;
                     work_on(queue()[0]);
                     const std::filesystem::path folder =
                         std::filesystem::directory_iterator(spool())->path();
                     for (const auto& e : std::filesystem::directory_iterator(folder / "results"))
                       for (SpoolEntry& entry : ResultsReader(e.path()).poll())
                         if (entry.kind == SpoolEntry::Kind::Record) {
                           auto json = nlohmann::ordered_json::parse(entry.record);
                           json["statistics"]["gpu.cycles"]["value"] = 1;
                           entry.record = json.dump(2);
                           ResultsWriter(folder / "results", {0, 1, "node2", "1_0"}).add(entry);
                           return;
                         }
                   }),
               Error);
}

TEST_F(OnSlurm, DamagedAndTornResultsAreSimulatedAgain) {
  int round = 0;
  const Batch b = run(jobs(1), [&] {
    for (const QueuedTask& t : queue()) {
      if (t.state != "PENDING") continue;
      work_on(t);
      const std::filesystem::path folder = std::filesystem::directory_iterator(spool())->path();
      for (const auto& e : std::filesystem::directory_iterator(folder / "results")) {
        std::string bytes = read_file(e.path());
        if (round == 0) bytes.resize(bytes.size() - 10);
        if (round == 1) bytes[bytes.size() - 100] = static_cast<char>(bytes[bytes.size() - 100] ^ 1);
        if (round < 2) write_file(e.path(), bytes);
      }
      ++round;
      set(t, "COMPLETED");
    }
  });
  EXPECT_EQ(b.simulated, 1u);
  EXPECT_EQ(started(), 3u);
}

TEST_F(OnSlurm, ANodeWithAnotherProgramFailsItsPointsAtOnce) {
  const Batch b = run(jobs(1), [&] {
    for (const QueuedTask& t : queue()) {
      if (t.over()) continue;
      const std::filesystem::path folder = std::filesystem::directory_iterator(spool())->path();
      SpoolEntry refused;
      refused.kind = SpoolEntry::Kind::Refused;
      refused.error = "the plan is of source a, this program of b";
      ResultsWriter(folder / "results", {0, 1, "node1", "1_0"}).add(refused);
      set(t, "FAILED");
    }
  });
  EXPECT_EQ(trim(read_file(bin() / "count")), "1");
  ASSERT_EQ(b.failures.size(), 1u);
  EXPECT_THAT(b.failures[0].error, HasSubstr("this program of b"));
  // The right program is there now: asked for once more, it is tried once more.
  EXPECT_EQ(run(jobs(1), [&] { run_all(); }).simulated, 1u);
}

TEST_F(OnSlurm, AFolderThatCouldNotBeRemovedIsNotInTheWay) {
  std::vector<Point> points;
  for (const Job& j : jobs(2)) points.push_back(j.point);
  const std::string plan = SpoolPlan::of(points, {}).identity();
  std::filesystem::create_directories(spool() / plan / "logs");
  EXPECT_EQ(run(jobs(2), [&] { run_all(); }).simulated, 2u);
  EXPECT_TRUE(std::filesystem::exists(spool() / plan));
  EXPECT_FALSE(std::filesystem::exists(spool() / (plan + "-1")));
}

TEST_F(OnSlurm, APreviewSubmitsNothing) {
  std::vector<Point> points;
  for (const Job& j : jobs(130)) points.push_back(j.point);
  const SlurmPreview p = preview(points, options());
  ASSERT_EQ(p.classes.size(), 1u);
  EXPECT_EQ(p.classes[0].points, 130u);
  EXPECT_EQ(p.classes[0].tasks, 44u);
  EXPECT_THAT(p.scripts[0], HasSubstr("--array=0-43\n"));
  EXPECT_FALSE(std::filesystem::exists(spool()));
}

}  // namespace
}  // namespace heddle::study
