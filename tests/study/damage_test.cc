// Stores in which bits have changed: never a result that is not the one that was kept.
#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "study/store/compression.h"
#include "study/store/database.h"
#include "tests/study/fake_workload.h"

namespace heddle::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Heard final : BatchProgress {
  void start(std::size_t, std::size_t) override {}
  void tick(std::size_t, std::size_t, double, std::span<const std::string>) override {}
  void finished(const Job&, const std::string&) override {}
  void warn(const std::string& what) override { warnings.push_back(what); }
  void end() override {}
  std::vector<std::string> warnings;
};

// All of a store in words, as far as it is told.
std::string everything(const Store& store) {
  std::string all;
  for (const StoredPoint& k : store.list()) {
    all += fmt::format("{} {} {} {} {} {} {} {} {} {} {}\n", k.key, k.point.workload, k.point.contents,
                       workload::name(k.point.scale), k.point.seed, k.point.gpu, k.source_hash, k.finished,
                       k.cpu_seconds, k.memory_bytes, k.verified);
    for (const Label& l : k.labels) all += fmt::format("  {} {} {}\n", l.study, l.design, l.perturbation);
  }
  return all;
}

class DamagedStores : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    Store store(file());
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Point p = fake_point("adds", seed);
      const std::string record = simulate(p, FakeWorkloads().find()("adds"));
      const std::string detail =
          seed == 3 ? "" : R"({"schema":"heddle.detail/1","cycles":)" + std::to_string(seed) + "}";
      store.keep(p, record, detail);
      store.label(p.key(), {"icc", "design " + std::to_string(seed), ""});
      if (seed == 2) store.label(p.key(), {"compare", "B", "jitter"});
      keys_.push_back(p.key());
      records_.push_back(record);
      details_.push_back(detail);
    }
    all_ = everything(store);
  }
  std::filesystem::path file() const { return folder_ / "s.sqlite"; }
  void change(const std::string& sql) const { Database(file()).execute(sql.c_str()); }

  enum class Seen { Whole, Missing, Refused, Wrong };
  // What a command gets from the file as it is now.
  Seen look() const {
    try {
      const Store store(file());
      bool missing = false;
      for (std::size_t i = 0; i < keys_.size(); ++i) {
        const auto record = store.record(keys_[i]);
        missing = missing || !record;
        if (record && *record != records_[i]) return Seen::Wrong;
        if (const auto detail = store.detail(keys_[i]); record && detail.value_or("") != details_[i])
          return Seen::Wrong;
      }
      if (everything(store) != all_) return Seen::Wrong;
      return missing ? Seen::Missing : Seen::Whole;
    } catch (const Error&) {
      return Seen::Refused;
    }
  }
  std::vector<std::string> keys_, records_, details_;
  std::string all_;
};

TEST_F(DamagedStores, AFlippedBitNeverChangesAResult) {
  const std::string whole = read_file(file());
  ASSERT_EQ(look(), Seen::Whole);
  // All bits of the header, and one of every n-th byte of the rest: n is prime, so that every place within a
  // page and every bit has its turn. HEDDLE_FLIP_STRIDE=1 tries one of every byte.
  const char* given = std::getenv("HEDDLE_FLIP_STRIDE");
  const std::size_t stride = given != nullptr ? std::max(1, std::atoi(given)) : 41;
  std::size_t tried = 0, refused = 0, missing = 0;
  const auto flip = [&](std::size_t byte, std::size_t bit) {
    std::string changed = whole;
    changed[byte] = static_cast<char>(changed[byte] ^ (1 << bit));
    for (const char* log : {"-wal", "-shm"}) std::filesystem::remove(file().string() + log);
    write_file(file(), changed);
    const Seen seen = look();
    EXPECT_NE(seen, Seen::Wrong) << "byte " << byte << ", bit " << bit;
    ++tried;
    refused += seen == Seen::Refused ? 1 : 0;
    missing += seen == Seen::Missing ? 1 : 0;
  };
  for (std::size_t byte = 0; byte < whole.size(); ++byte)
    for (std::size_t bit = 0; bit < 8; ++bit)
      if (byte < 100 || (byte % stride == 0 && bit == byte / stride % 8)) flip(byte, bit);
  std::printf("%zu of %zu bits: %zu noticed, %zu points simulated again\n", tried, whole.size() * 8, refused,
              missing);
  EXPECT_GT(refused, tried / 10);
}

TEST_F(DamagedStores, ADamagedRecordIsSimulatedAgain) {
  // As long as the true one, and well compressed: only the seal can tell.
  Store store(file());
  auto json = nlohmann::ordered_json::parse(records_[1]);
  json["statistics"]["sm.ctas"]["value"] = 17;
  const std::string bytes = compressed(json.dump(2), 9);
  {
    Database db(file());
    Statement s(db, "UPDATE points SET record = ? WHERE key = ?");
    s.bind_blob(1, bytes).bind(2, keys_[1]);
    s.step();
  }
  try {
    store.record(keys_[1]);
    FAIL() << "no error";
  } catch (const Damaged& e) {
    EXPECT_THAT(e.what(), HasSubstr("the record of " + keys_[1].substr(0, 12) + " is damaged"));
    EXPECT_THAT(e.what(), HasSubstr("results repair"));
  }
  Heard heard;
  const std::vector<Job> jobs = {{fake_point("adds", 1), {"icc", "a", ""}},
                                 {fake_point("adds", 2), {"icc", "b", ""}}};
  const Batch b = run_batch(jobs, FakeWorkloads().find(), store, {}, heard);
  EXPECT_EQ(b.from_store, 1u);
  EXPECT_EQ(b.simulated, 1u);
  EXPECT_EQ(b.results[1].value("sm.ctas"), 2);
  ASSERT_EQ(heard.warnings.size(), 1u);
  EXPECT_THAT(heard.warnings[0], HasSubstr("adds b: the record of"));
  EXPECT_THAT(heard.warnings[0], HasSubstr("simulated again"));
  EXPECT_EQ(without_host(*store.record(keys_[1])), without_host(records_[1]));
  EXPECT_EQ(store.list().size(), 4u);
}

TEST_F(DamagedStores, EveryTableIsSealed) {
  const Store store(file());
  const auto noticed = [&](const std::string& sql, const std::string& undo) {
    change(sql);
    std::string said = "nothing";
    try {
      for (const std::string& key : keys_) store.detail(key);
      store.list();
    } catch (const Damaged& e) {
      said = e.message();
    }
    change(undo);
    EXPECT_EQ(everything(store), all_) << undo;
    return said;
  };
  EXPECT_THAT(
      noticed("UPDATE points SET workload = 'odds' WHERE id = 2", "UPDATE points SET workload = 'adds'"),
      HasSubstr("what is kept about " + keys_[1].substr(0, 12)));
  EXPECT_THAT(noticed("UPDATE points SET id = 9 WHERE id = 2", "UPDATE points SET id = 2 WHERE id = 9"),
              HasSubstr("is damaged"));
  EXPECT_THAT(noticed("UPDATE labels SET design = 'C' WHERE design = 'B'",
                      "UPDATE labels SET design = 'B' WHERE design = 'C'"),
              HasSubstr("a label of " + keys_[1].substr(0, 12)));
  EXPECT_THAT(noticed("CREATE TABLE aside AS SELECT * FROM labels WHERE design = 'B';"
                      "DELETE FROM labels WHERE design = 'B'",
                      "INSERT INTO labels SELECT * FROM aside; DROP TABLE aside"),
              HasSubstr("not all there"));
  EXPECT_THAT(
      noticed("CREATE TABLE aside AS SELECT * FROM points WHERE id = 2; DELETE FROM points WHERE id = 2",
              "INSERT INTO points SELECT * FROM aside; DROP TABLE aside"),
      HasSubstr("3 of 4 points are there"));
  EXPECT_THAT(noticed("CREATE TABLE aside AS SELECT * FROM details; DELETE FROM details",
                      "INSERT INTO details SELECT * FROM aside; DROP TABLE aside"),
              HasSubstr("the detail of " + keys_[0].substr(0, 12)));
}

TEST_F(DamagedStores, RepairRemovesWhatIsDamaged) {
  Store store(file());
  change(
      "UPDATE points SET workload = 'odds' WHERE id = 2; UPDATE points SET record = x'0011' WHERE id = 4;"
      "UPDATE labels SET design = 'C' WHERE design = 'B';"
      "UPDATE details SET detail = x'00' WHERE key = '" +
      keys_[0] + "'");
  EXPECT_THROW(store.list(), Damaged);
  const Store::Repaired removed = store.repair();
  EXPECT_EQ(removed.points, 2u);
  EXPECT_EQ(removed.details, 1u);
  EXPECT_EQ(removed.labels, 1u);
  std::vector<std::string> left;
  for (const StoredPoint& k : store.list()) left.push_back(k.key);
  EXPECT_THAT(left, ElementsAre(keys_[0], keys_[2]));
  EXPECT_EQ(store.record(keys_[0]), records_[0]);
  EXPECT_EQ(store.detail(keys_[0]), std::nullopt);
  EXPECT_EQ(store.repair().points, 0u);
}

// As stores were before there were seals.
TEST_F(DamagedStores, AnUnsealedStoreIsSealedAsItIs) {
  change(R"(
    ALTER TABLE points RENAME TO p; ALTER TABLE labels RENAME TO l; DROP INDEX points_by_workload;
    CREATE TABLE points (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,
      workload TEXT NOT NULL, contents TEXT NOT NULL, scale TEXT NOT NULL, seed INTEGER NOT NULL,
      gpu TEXT NOT NULL, source_hash TEXT NOT NULL, finished TEXT NOT NULL, cpu_seconds REAL NOT NULL,
      memory_bytes REAL NOT NULL, verified INTEGER NOT NULL, record BLOB NOT NULL);
    CREATE INDEX points_by_workload ON points (workload, scale);
    CREATE TABLE labels (key TEXT NOT NULL, study TEXT NOT NULL, design TEXT NOT NULL, perturbation TEXT NOT NULL,
      PRIMARY KEY (key, study, design, perturbation)) WITHOUT ROWID;
    INSERT INTO points SELECT id, key, workload, contents, scale, seed, gpu, source_hash, finished, cpu_seconds,
      memory_bytes, verified, record FROM p;
    INSERT INTO labels SELECT key, study, design, perturbation FROM l;
    DROP TABLE p; DROP TABLE l; DROP TABLE tallies; PRAGMA user_version = 1)");
  const std::string old = read_file(file());
  EXPECT_EQ(look(), Seen::Whole);
  {
    Store store(file());
    store.keep(fake_point("adds", 9), records_[0]);
    EXPECT_EQ(store.list().size(), 5u);
  }
  // One that nobody can read stays, and is never a result. Without details and batches: older still.
  write_file(file(), old);
  change("UPDATE points SET record = x'0011' WHERE id = 2; DROP TABLE details; DROP TABLE batches");
  const Store store(file());
  EXPECT_EQ(store.list().size(), 4u);
  EXPECT_EQ(store.record(keys_[0]), records_[0]);
  EXPECT_EQ(store.detail(keys_[0]), std::nullopt);
  EXPECT_THROW(store.record(keys_[1]), Damaged);
  EXPECT_THAT(store.live(), IsEmpty());
}

}  // namespace
}  // namespace heddle::study
