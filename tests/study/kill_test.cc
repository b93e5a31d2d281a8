// A batch that is killed loses nothing that was kept, repeats nothing of it, and leaves no process behind.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "base/error.h"
#include "tests/study/fake_workload.h"

namespace heddle::study {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kPoints = 12;

std::vector<Job> twelve() {
  std::vector<Job> jobs;
  for (std::uint64_t i = 1; i <= kPoints; ++i) jobs.push_back({fake_point("adds", i), {"kill", "B", ""}});
  return jobs;
}

class Kill : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    fakes_.all()[0].log_to(log());
    fakes_.all()[0].take_milliseconds(15);
  }
  std::filesystem::path file() const { return folder_ / "s.sqlite"; }
  std::filesystem::path log() const { return folder_ / "log"; }

  std::vector<std::uint64_t> started() const {  // seeds, in order
    std::vector<std::uint64_t> seeds;
    std::ifstream in(log());
    std::string name;
    std::uint64_t seed = 0;
    for (pid_t pid; in >> name >> seed >> pid;) seeds.push_back(seed);
    return seeds;
  }

  pid_t start_batch() const {
    const pid_t child = fork();
    if (child != 0) return child;
    int status = 1;
    try {
      Store store(file());
      NoProgress nobody;
      const Batch b = run_batch(twelve(), fakes_.find(), store, {2, nullptr}, nobody);
      status = b.failures.empty() ? 0 : 2;
    } catch (const Error& e) {
      fprintf(stderr, "%s\n", e.what());
    }
    _exit(status);
  }

  static bool has_ended(pid_t child) {  // and leaves it to be waited for
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(child), &info, WNOHANG | WNOWAIT | WEXITED) != 0 ||
           info.si_pid != 0;
  }

  // Every process that is left must end by itself. As a subreaper this process inherits them.
  static void expect_all_end() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    for (pid_t p; (p = waitpid(-1, nullptr, WNOHANG)) != -1;) {
      if (p > 0) continue;
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "a process outlives its parent";
      std::this_thread::sleep_for(milliseconds(1));
    }
    EXPECT_EQ(errno, ECHILD);
  }

  FakeWorkloads fakes_;
};

TEST_F(Kill, AtAnyMomentNothingIsLostOrRepeated) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  std::mt19937 random(20261115);
  std::set<std::string> kept;
  std::map<std::uint64_t, std::size_t> kept_after;  // seed: starts when it was seen in the store
  std::size_t in_the_middle = 0;
  for (int round = 0; round < 5; ++round) {
    const pid_t child = start_batch();
    // Let one to four more points start, then up to 40 ms more.
    const std::size_t wanted = std::min<std::size_t>(kPoints, started().size() + 1 + random() % 4);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (started().size() < wanted && !has_ended(child) && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(milliseconds(1));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 40'000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    expect_all_end();

    const Store store(file());
    const std::vector<StoredPoint> now = store.list();
    for (const std::string& key : kept) EXPECT_TRUE(store.has(key)) << "a kept point is gone";
    const std::vector<std::uint64_t> all_starts = started();
    for (const StoredPoint& k : now) {
      EXPECT_NO_THROW(Result::parse(*store.record(k.key)));
      kept.insert(k.key);
      kept_after.emplace(k.point.seed, all_starts.size());
    }
    in_the_middle += !now.empty() && now.size() < kPoints;
  }
  EXPECT_GE(in_the_middle, 1u) << "no kill came in the middle";

  const pid_t last = start_batch();
  int status = -1;
  waitpid(last, &status, 0);
  EXPECT_EQ(status, 0);
  expect_all_end();

  const std::vector<std::uint64_t> starts = started();
  for (const auto& [seed, from] : kept_after)
    EXPECT_EQ(std::count(starts.begin() + static_cast<std::ptrdiff_t>(from), starts.end(), seed), 0)
        << "point " << seed << " was simulated again";

  // The same as without any kill.
  Store killed(file()), undisturbed(folder_ / "undisturbed.sqlite");
  NoProgress nobody;
  run_batch(twelve(), fakes_.find(), undisturbed, {2, nullptr}, nobody);
  EXPECT_EQ(killed.list().size(), kPoints);
  for (const Job& job : twelve()) {
    const auto a = killed.record(job.point.key()), b = undisturbed.record(job.point.key());
    ASSERT_TRUE(a && b);
    EXPECT_EQ(without_host(*a), without_host(*b));
  }
  for (const StoredPoint& k : killed.list()) EXPECT_EQ(k.labels.size(), 1u);
}

}  // namespace
}  // namespace heddle::study
