// Stores that cannot be written, are removed while in use, are held by others, or are no files at all.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>

#include "base/error.h"
#include "base/file.h"
#include "study/store/database.h"
#include "tests/study/fake_workload.h"

namespace heddle::study {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

struct Listener final : BatchProgress {
  void start(std::size_t, std::size_t) override {
    if (at_start) at_start();
  }
  void tick(std::size_t, std::size_t, double, std::span<const std::string>) override {}
  void finished(const Job&, const std::string&) override {}
  void warn(const std::string& what) override { warnings.push_back(what); }
  void end() override {}
  std::function<void()> at_start;
  std::vector<std::string> warnings;
};

class StorePlaces : public InFolder {
 protected:
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    InFolder::TearDown();
  }
  fs::path file() const { return folder_ / "s.sqlite"; }
  static std::string failure(const fs::path& f) {
    try {
      Store store(f);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }
  static std::vector<Job> jobs(std::uint64_t seeds) {
    std::vector<Job> all;
    for (std::uint64_t s = 1; s <= seeds; ++s)
      all.push_back({fake_point("adds", s), {"test", "B" + std::to_string(s), ""}});
    return all;
  }
  Batch run(std::uint64_t seeds, Store& store) {
    return run_batch(jobs(seeds), fakes_.find(), store, {}, heard_);
  }
  // In a process that is not root, whose word the system does not take for everything.
  static void as_somebody(const std::function<void()>& look) {
    const pid_t child = fork();
    if (child == 0) {
      if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) _exit(3);
      try {
        look();
      } catch (const std::exception& e) {
        fprintf(stderr, "%s\n", e.what());
        _exit(2);
      }
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  FakeWorkloads fakes_;
  Listener heard_;
};

TEST_F(StorePlaces, WhatCannotBeWrittenIsRead) {
  {
    Store store(file());
    run(2, store);
  }
  const std::string before = read_file(file());
  const auto look = [&] {
    Store store(file());
    EXPECT_TRUE(store.read_only());
    EXPECT_EQ(store.list().size(), 2u);
    EXPECT_TRUE(store.live().empty());
    EXPECT_FALSE(store.gone());
    Batch b = run(2, store);
    EXPECT_EQ(b.from_store, 2u);
    EXPECT_EQ(b.results[1].value("sm.ctas"), 2);
    try {
      run(3, store);
      ADD_FAILURE() << "no error";
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr("1 point is not in the store, and it cannot be written"));
    }
    EXPECT_THROW(store.forget(fake_point("adds", 1).key()), Error);
  };
  // The file; the folder; both.
  for (const auto& [file_mode, folder_mode] : {std::pair{0444, 0777}, {0666, 0555}, {0444, 0555}}) {
    fs::permissions(file(), static_cast<fs::perms>(file_mode));
    fs::permissions(folder_, static_cast<fs::perms>(folder_mode));
    as_somebody(look);
    fs::permissions(folder_, fs::perms::all);
    EXPECT_EQ(read_file(file()), before);
  }
}

TEST_F(StorePlaces, AnUnsealedOneThatCannotBeWrittenSaysWhatToDo) {
  { Store store(file()); }
  Database(file()).execute("PRAGMA user_version = 1");
  fs::permissions(file(), static_cast<fs::perms>(0444));
  fs::permissions(folder_, static_cast<fs::perms>(0555));
  as_somebody([&] { EXPECT_THAT(failure(file()), HasSubstr("copy it to where it can be written")); });
}

TEST_F(StorePlaces, ARemovedStoreIsNoticed) {
  Store store(file());
  heard_.at_start = [&] { fs::remove(file()); };
  const Batch b = run(3, store);
  EXPECT_TRUE(b.store_gone);
  EXPECT_EQ(b.simulated, 3u);
  EXPECT_EQ(b.results[2].value("sm.ctas"), 3);
  ASSERT_EQ(heard_.warnings.size(), 1u);
  EXPECT_THAT(heard_.warnings[0], HasSubstr("the store was removed or replaced while it was in use"));
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(StorePlaces, AReplacedStoreIsNoticed) {
  Store store(file());
  EXPECT_FALSE(store.gone());
  EXPECT_FALSE(run(1, store).store_gone);
  heard_.at_start = [&] {
    { Store other(folder_ / "other.sqlite"); }
    fs::rename(folder_ / "other.sqlite", file());
  };
  EXPECT_TRUE(run(2, store).store_gone);
  EXPECT_TRUE(store.gone());
}

TEST_F(StorePlaces, OnlyAFileCanBeOne) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  fs::create_symlink("/dev/null", folder_ / "null");
  EXPECT_THAT(failure(folder_), HasSubstr("cannot open the store: this is a folder"));
  EXPECT_THAT(failure(folder_ / "pipe"), HasSubstr("cannot open the store: this is a pipe"));
  EXPECT_THAT(failure(folder_ / "null"), HasSubstr("cannot open the store: this is a device"));
  EXPECT_THAT(failure(folder_ / "null"), HasSubstr("a store is a regular file"));
}

// What nobody needs (telling onlookers) is not waited for beside what is needed.
TEST_F(StorePlaces, WhoHoldsAStoreIsWaitedForOnce) {
  Store store(file());
  Database other(file());
  const Transaction held(other, Transaction::For::Writing);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(store.announce({"icc", 0, 1, -1, {}}), Error);
  EXPECT_THROW(store.retire(1), Error);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace heddle::study
