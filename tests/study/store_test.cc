#include "study/store/store.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/version.h"
#include "study/store/database.h"
#include "tests/study/fake_workload.h"

namespace heddle::study {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

class Stores : public InFolder {
 protected:
  std::filesystem::path file() const { return folder_ / "s.sqlite"; }
  std::string failure(const std::filesystem::path& f) const {
    try {
      Store store(f);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }
  // A record with this cost; what was simulated does not matter here.
  static std::string record(double cpu_seconds = 1, bool ok = true) {
    static const std::string text = simulate(fake_point("adds", 1), FakeWorkloads().find()("adds"));
    auto json = nlohmann::ordered_json::parse(text);
    json["host"]["cpu_seconds"] = cpu_seconds;
    json["verification"]["ok"] = ok;
    return json.dump(2);
  }
};

TEST_F(Stores, KeepsWhatItIsGiven) {
  const Point p = fake_point("adds", 1);
  const std::string text = record(2.5);
  {
    Store store(file());
    EXPECT_FALSE(store.has(p.key()));
    EXPECT_EQ(store.record(p.key()), std::nullopt);
    store.keep(p, text);
    EXPECT_TRUE(store.has(p.key()));
    EXPECT_EQ(store.record(p.key()), text);
  }
  Store again(file());
  EXPECT_EQ(again.record(p.key()), text);
  EXPECT_EQ(again.file(), file());
}

TEST_F(Stores, TheFirstRecordOfAPointStays) {
  Store store(file());
  const Point p = fake_point("adds", 1);
  const std::string first = record(1), second = record(2);
  store.keep(p, first);
  store.keep(p, second);
  EXPECT_EQ(store.record(p.key()), first);
  EXPECT_EQ(store.list().size(), 1u);
}

TEST_F(Stores, ListsInTheOrderOfKeeping) {
  Store store(file());
  Point big = fake_point("wrong", ~0ull);
  big.contents = "abc";
  big.scale = workload::Scale::Paper;
  store.keep(fake_point("adds", 2), record(1));
  store.keep(big, record(7.5, false));
  store.label(big.key(), {"icc", "DB+ICC", ""});
  store.label(big.key(), {"icc", "DB+ICC", ""});
  store.label(big.key(), {"compare", "B", "jitter"});
  const std::vector<StoredPoint> all = store.list();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].point.seed, 2u);
  EXPECT_TRUE(all[0].labels.empty());
  const StoredPoint& k = all[1];
  EXPECT_EQ(k.key, big.key());
  EXPECT_EQ(k.point.workload, "wrong");
  EXPECT_EQ(k.point.contents, "abc");
  EXPECT_EQ(k.point.scale, workload::Scale::Paper);
  EXPECT_EQ(k.point.seed, ~0ull);
  EXPECT_EQ(k.point.gpu, "small");
  EXPECT_EQ(k.source_hash, build_info().source_hash);
  EXPECT_EQ(k.finished.size(), std::string("2026-01-31 12:00:00").size());
  EXPECT_EQ(k.cpu_seconds, 7.5);
  EXPECT_FALSE(k.verified);
  EXPECT_THAT(k.labels, ElementsAre(Field(&Label::perturbation, "jitter"), Field(&Label::design, "DB+ICC")));
}

TEST_F(Stores, CostIsThatOfTheLatest) {
  Store store(file());
  EXPECT_EQ(store.cost("adds", workload::Scale::Tiny), std::nullopt);
  store.keep(fake_point("adds", 1), record(1));
  store.keep(fake_point("adds", 2), record(5));
  store.keep(fake_point("wrong", 3), record(9));
  EXPECT_EQ(store.cost("adds", workload::Scale::Tiny)->cpu_seconds, 5);
  EXPECT_EQ(store.cost("adds", workload::Scale::Small), std::nullopt);
}

TEST_F(Stores, ForgetsPointAndLabels) {
  Store store(file());
  const Point p = fake_point("adds", 1), other = fake_point("adds", 2);
  for (const Point& each : {p, other}) {
    store.keep(each, record());
    store.label(each.key(), {"icc", "B", ""});
  }
  store.forget(p.key());
  EXPECT_FALSE(store.has(p.key()));
  EXPECT_TRUE(store.has(other.key()));
  store.keep(p, record());
  EXPECT_TRUE(store.list().back().labels.empty());
  EXPECT_EQ(store.list().front().labels.size(), 1u);
}

TEST_F(Stores, RefusesWhatIsNoRecord) {
  Store store(file());
  EXPECT_THROW(store.keep(fake_point("adds", 1), "{}"), Error);
  EXPECT_TRUE(store.list().empty());
}

// Two programs that make and fill the same file at once: every point is there, those of both once.
TEST_F(Stores, TwoProcessesWriteAtOnce) {
  const std::string text = record();
  constexpr std::uint64_t kEach = 40;
  const auto fill = [&](std::uint64_t from) {
    Store store(file());
    for (std::uint64_t i = 0; i < kEach; ++i) {
      const Point p = fake_point("adds", from + i);
      store.keep(p, text);
      store.label(p.key(), {"s", "d", ""});
    }
  };
  std::vector<pid_t> children;
  for (const std::uint64_t from : {1, 21, 41}) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        fill(from);
      } catch (const Error& e) {
        fprintf(stderr, "%s\n", e.what());
        _exit(1);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const Store store(file());
  EXPECT_EQ(store.list().size(), 80u);
  for (const StoredPoint& k : store.list()) EXPECT_EQ(k.labels.size(), 1u);
}

TEST_F(Stores, RefusesFilesThatAreNoStore) {
  write_file(file(),
             "This is a text of somebody else's, long enough to be looked at as a database header, "
             "and it must stay as it is.\n");
  EXPECT_THAT(failure(file()), HasSubstr("not a store"));
  EXPECT_THAT(read_file(file()), HasSubstr("must stay"));
  {
    Database other(folder_ / "other.sqlite");
    other.execute("CREATE TABLE mine (a)");
  }
  EXPECT_THAT(failure(folder_ / "other.sqlite"), HasSubstr("not a store of heddle"));
  EXPECT_THAT(failure(folder_), HasSubstr("cannot open the store"));
}

TEST_F(Stores, RefusesACutOffFile) {
  {
    Store store(file());
    store.keep(fake_point("adds", 1), record());
  }
  const auto size = std::filesystem::file_size(file());
  for (const auto part : {size / 2, size - 4096, std::uintmax_t{100}}) {
    std::filesystem::copy_file(file(), folder_ / "cut.sqlite",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(folder_ / "cut.sqlite", part);
    EXPECT_THAT(failure(folder_ / "cut.sqlite"), HasSubstr("damaged or cut off")) << part << " of " << size;
  }
}

TEST_F(Stores, RefusesANewerSchema) {
  { Store store(file()); }
  Database(file()).execute("PRAGMA user_version = 99");
  EXPECT_THAT(failure(file()), HasSubstr("a newer heddle made this store (version 99"));
}

TEST_F(Stores, NamesAMissingFolder) {
  EXPECT_THAT(failure(folder_ / "none" / "s.sqlite"), HasSubstr("there is no folder"));
}

TEST_F(Stores, UsualPlaces) {
  const auto set = [](const char* name, const std::string& value) {
    value.empty() ? unsetenv(name) : setenv(name, value.c_str(), 1);
  };
  for (const char* name : {"HEDDLE_STORE", "HEDDLE_HOME", "XDG_DATA_HOME"}) unsetenv(name);
  const std::string home = getenv("HOME") == nullptr ? "" : getenv("HOME");
  set("HOME", folder_ / "home");
  EXPECT_EQ(default_store(), folder_ / "home/.local/share/heddle/heddle.sqlite");
  set("XDG_DATA_HOME", folder_ / "data");
  EXPECT_EQ(default_store(), folder_ / "data/heddle/heddle.sqlite");
  set("HEDDLE_HOME", folder_ / "heddle");
  EXPECT_EQ(default_store(), folder_ / "heddle/results/heddle.sqlite");
  { Store made(default_store()); }
  EXPECT_TRUE(std::filesystem::exists(folder_ / "heddle/results/heddle.sqlite"));
  set("HEDDLE_STORE", folder_ / "mine.sqlite");
  EXPECT_EQ(default_store(), folder_ / "mine.sqlite");
  for (const char* name : {"HEDDLE_STORE", "HEDDLE_HOME", "XDG_DATA_HOME"}) unsetenv(name);
  set("HOME", "");
  EXPECT_THROW(default_store(), Error);
  set("HOME", home);
}

TEST_F(Stores, KeepADetailBesideItsRecord) {
  const Point p = fake_point("adds", 1), without = fake_point("adds", 2);
  {
    Store store(file());
    store.keep(p, record(), R"({"schema":"heddle.detail/1"})");
    store.keep(p, record(), "another");  // no effect
    store.keep(without, record());
  }
  Store store(file());
  EXPECT_EQ(store.detail(p.key()), R"({"schema":"heddle.detail/1"})");
  EXPECT_EQ(store.record(p.key()), record());
  EXPECT_EQ(store.detail(without.key()), std::nullopt);
  store.forget(p.key());
  EXPECT_EQ(store.detail(p.key()), std::nullopt);
}

TEST_F(Stores, ShowWhoIsAtWork) {
  Store store(file());
  Store other(file());
  EXPECT_TRUE(other.live().empty());
  const std::int64_t first = store.announce({"icc", 3, 10, -1, {}});
  const std::int64_t second = store.announce({"compare", 0, 1, -1, {}});
  store.tell(first, {"icc", 4, 10, 12.5, {"hotspot \"DB\"", "lud\nD"}});
  const std::vector<LiveBatch> live = other.live();
  ASSERT_EQ(live.size(), 2u);
  EXPECT_EQ(live[0].name, "icc");
  EXPECT_EQ(live[0].done, 4u);
  EXPECT_EQ(live[0].of, 10u);
  EXPECT_EQ(live[0].left_seconds, 12.5);
  EXPECT_THAT(live[0].running, ElementsAre("hotspot \"DB\"", "lud\nD"));
  store.retire(second);
  EXPECT_EQ(other.live().size(), 1u);
  Database(file()).execute("UPDATE batches SET heartbeat = heartbeat - 31");
  EXPECT_TRUE(other.live().empty());  // it was killed
}

TEST_F(Stores, TheStateTellsWhetherThereIsNews) {
  Store store(file());
  const Point p = fake_point("adds", 1);
  std::string state = store.state();
  const auto changed = [&] { return std::exchange(state, store.state()) != state; };
  EXPECT_FALSE(changed());
  store.keep(p, record());
  EXPECT_TRUE(changed());
  store.label(p.key(), {"icc", "D", ""});
  EXPECT_TRUE(changed());
  store.announce({"icc", 3, 10, -1, {}});
  EXPECT_FALSE(changed());
  store.forget(p.key());
  EXPECT_TRUE(changed());
}

}  // namespace
}  // namespace heddle::study
