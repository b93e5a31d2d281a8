#include "study/store/store_tables.h"

#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "study/store/compression.h"

namespace heddle::study {
namespace {

// "HdlS": tells a store from any other SQLite file.
constexpr std::int64_t kApplication = 0x48646c53;
constexpr std::int64_t kVersion = 2;   // of the tables
constexpr std::int64_t kUnsealed = 1;  // the version before there were seals

// Blobs come last: a list need not read past them.
constexpr const char* kTables = R"(
CREATE TABLE points (
  id INTEGER PRIMARY KEY AUTOINCREMENT,   -- in the order of finishing
  key TEXT NOT NULL UNIQUE,
  workload TEXT NOT NULL, contents TEXT NOT NULL, scale TEXT NOT NULL, seed INTEGER NOT NULL,
  gpu TEXT NOT NULL, source_hash TEXT NOT NULL, finished TEXT NOT NULL,
  cpu_seconds REAL NOT NULL, memory_bytes REAL NOT NULL, verified INTEGER NOT NULL,
  record_seal TEXT NOT NULL,
  detail_seal TEXT NOT NULL,              -- empty: it has no detail
  seal TEXT NOT NULL,                     -- of all columns before
  record BLOB NOT NULL                    -- JSON, compressed with zstd
);
CREATE INDEX points_by_workload ON points (workload, scale);
CREATE TABLE labels (
  key TEXT NOT NULL, study TEXT NOT NULL, design TEXT NOT NULL, perturbation TEXT NOT NULL,
  seal TEXT NOT NULL,                     -- of all columns before
  PRIMARY KEY (key, study, design, perturbation)
) WITHOUT ROWID;
CREATE TABLE tallies (                    -- of the tables `points` and `labels`
  name TEXT PRIMARY KEY, rows INTEGER NOT NULL,
  sum TEXT NOT NULL                       -- exclusive or of all seals
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS details (key TEXT PRIMARY KEY, detail BLOB NOT NULL) WITHOUT ROWID;  -- as records
CREATE TABLE IF NOT EXISTS batches (      -- under way
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL, done INTEGER NOT NULL, points INTEGER NOT NULL, left_seconds REAL NOT NULL,
  running TEXT NOT NULL,                  -- a JSON array of names
  heartbeat INTEGER NOT NULL              -- seconds since 1970
);
)";

constexpr const char* kSetAside = R"(
DROP INDEX points_by_workload;
ALTER TABLE points RENAME TO unsealed_points;
ALTER TABLE labels RENAME TO unsealed_labels;
)";

constexpr const char* kTakeOver = R"(
INSERT INTO points (id, key, workload, contents, scale, seed, gpu, source_hash, finished, cpu_seconds,
                    memory_bytes, verified, record_seal, detail_seal, seal, record)
  SELECT id, key, workload, contents, scale, seed, gpu, source_hash, finished, cpu_seconds,
         memory_bytes, verified, '', '', '', record FROM unsealed_points ORDER BY id;
INSERT INTO labels (key, study, design, perturbation, seal)
  SELECT key, study, design, perturbation, '' FROM unsealed_labels;
DROP TABLE unsealed_points;
DROP TABLE unsealed_labels;
)";

// The version of the tables; 0: the file is empty.
std::int64_t check_store(Database& db) {  // in a transaction
  const SourcePlace place{db.file().string(), 0, 0, {}};
  const std::int64_t application = db.number("PRAGMA application_id");
  const std::int64_t version = db.number("PRAGMA user_version");
  if (application != kApplication) {
    if (application == 0 && version == 0 && db.number("SELECT count(*) FROM sqlite_master") == 0) return 0;
    throw Error(place, "this SQLite file is not a store of heddle", "choose another file");
  }
  if (version > kVersion)
    throw Error(
        place,
        fmt::format("a newer heddle made this store (version {}; this program knows {})", version, kVersion),
        "use that heddle, or choose another store");
  if (version < kUnsealed)
    throw Error(place, fmt::format("the store has version {}, expected {}", version, kVersion),
                "choose another store");
  return version;
}

std::int64_t version_of(Database& db) {
  const Transaction one_state(db, Transaction::For::Reading);
  return check_store(db);
}

void set_version(Database& db) {
  db.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kVersion).c_str());
}

// One point as it lies there.
struct PointRow {
  std::int64_t id = 0;
  std::string key, record_seal, detail_seal, seal, own_seal;
};

std::vector<PointRow> all_points(Database& db) {
  std::vector<PointRow> rows;
  Statement s(db, fmt::format("SELECT {}, seal FROM points", kPointColumns).c_str());
  while (s.step())
    rows.push_back({s.integer(0), s.text(1), s.text(12), s.text(13), s.text(kPointColumnCount),
                    seal_of_row(s, kPointColumnCount)});
  return rows;
}

std::string bytes_of(Statement& select, std::string_view key) {
  const StatementUse q(select);
  q->bind(1, key);
  return q->step() ? q->text(0) : "";
}

std::string row_seal(Statement& select, std::int64_t id) {
  const StatementUse q(select);
  q->bind(1, id);
  return q->step() ? seal_of_row(select, kPointColumnCount) : "";
}

class Sealing {
 public:
  explicit Sealing(Database& db) : db_(db) {}

  // What has no seal yet and can be read is taken for right: nothing tells otherwise.
  void take_over() {
    SealTally points;
    for (const PointRow& r : all_points(db_)) {
      const std::string record = bytes_of(record_, r.key), detail = bytes_of(detail_, r.key);
      points.add(reseal(r.id, decompressed(record) ? seal_of("record", r.key, record) : "damaged",
                        detail.empty()         ? ""
                        : decompressed(detail) ? seal_of("detail", r.key, detail)
                                               : "damaged"));
    }
    write_tally(db_, "points", points);
    seal_labels();
  }

  Store::Repaired repair() {
    Store::Repaired removed;
    SealTally points;
    for (const PointRow& r : all_points(db_)) {
      if (r.seal != r.own_seal || seal_of("record", r.key, bytes_of(record_, r.key)) != r.record_seal) {
        remove("points", "id", r.id);
        ++removed.points;
        continue;
      }
      const std::string detail = bytes_of(detail_, r.key);
      if (!r.detail_seal.empty() && seal_of("detail", r.key, detail) != r.detail_seal) {
        points.add(reseal(r.id, r.record_seal, ""));
        ++removed.details;
        continue;
      }
      points.add(r.seal);
    }
    db_.execute("DELETE FROM details WHERE key NOT IN (SELECT key FROM points WHERE detail_seal <> '')");
    write_tally(db_, "points", points);
    removed.labels = remove_damaged_labels();
    return removed;
  }

 private:
  // The new seal of the row.
  std::string reseal(std::int64_t id, std::string_view record, std::string_view detail) {
    {
      const StatementUse q(set_parts_);
      q->bind(1, record).bind(2, detail).bind(3, id);
      q->step();
    }
    const std::string seal = row_seal(row_, id);
    const StatementUse q(set_seal_);
    q->bind(1, seal).bind(2, id);
    q->step();
    return seal;
  }

  void remove(const char* table, const char* column, std::int64_t value) {
    Statement s(db_, fmt::format("DELETE FROM {} WHERE {} = ?", table, column).c_str());
    s.bind(1, value);
    s.step();
  }

  using LabelRow = std::vector<std::string>;         // its columns
  std::vector<std::pair<LabelRow, bool>> labels() {  // and whether its seal holds
    std::vector<std::pair<LabelRow, bool>> all;
    Statement s(db_, fmt::format("SELECT {}, seal FROM labels", kLabelColumns).c_str());
    while (s.step())
      all.push_back({{s.text(0), s.text(1), s.text(2), s.text(3), seal_of_row(s, kLabelColumnCount)},
                     s.text(kLabelColumnCount) == seal_of_row(s, kLabelColumnCount)});
    return all;
  }

  void on_label(const char* sql, const LabelRow& label, bool with_seal) {
    Statement s(db_, sql);
    for (int i = 0; i < kLabelColumnCount; ++i) s.bind(i + 1, label[static_cast<std::size_t>(i)]);
    if (with_seal) s.bind(kLabelColumnCount + 1, label.back());
    s.step();
  }

  void seal_labels() {
    SealTally tally;
    for (const auto& [label, holds] : labels()) {
      on_label(
          "UPDATE labels SET seal = ?5 WHERE key = ?1 AND study = ?2 AND design = ?3 AND perturbation = ?4",
          label, true);
      tally.add(label.back());
    }
    write_tally(db_, "labels", tally);
  }

  std::size_t remove_damaged_labels() {
    SealTally tally;
    std::size_t removed = 0;
    for (const auto& [label, holds] : labels()) {
      if (holds) {
        tally.add(label.back());
        continue;
      }
      on_label("DELETE FROM labels WHERE key = ? AND study = ? AND design = ? AND perturbation = ?", label,
               false);
      ++removed;
    }
    write_tally(db_, "labels", tally);
    return removed;
  }

  Database& db_;
  Statement record_{db_, "SELECT record FROM points WHERE key = ?"};
  Statement detail_{db_, "SELECT detail FROM details WHERE key = ?"};
  Statement set_parts_{db_, "UPDATE points SET record_seal = ?, detail_seal = ? WHERE id = ?"};
  Statement set_seal_{db_, "UPDATE points SET seal = ? WHERE id = ?"};
  Statement row_{db_, fmt::format("SELECT {} FROM points WHERE id = ?", kPointColumns).c_str()};
};

void make_tables(Database& db) {
  db.execute(kTables);
  for (const char* table : {"points", "labels"}) write_tally(db, table, {});
  set_version(db);
}

void take_over_unsealed(Database& db) {
  db.execute("CREATE TABLE IF NOT EXISTS details (key TEXT PRIMARY KEY, detail BLOB NOT NULL) WITHOUT ROWID");
  db.execute(kSetAside);
  db.execute(kTables);
  db.execute(kTakeOver);
  Sealing(db).take_over();
  set_version(db);
}

}  // namespace

SealTally read_tally(Database& db, std::string_view table) {
  Statement s(db, "SELECT rows, sum FROM tallies WHERE name = ?");
  s.bind(1, table);
  return s.step() ? SealTally(s.integer(0), s.text(1)) : SealTally(-1, "");
}

void write_tally(Database& db, std::string_view table, const SealTally& tally) {
  Statement s(db, "INSERT OR REPLACE INTO tallies (name, rows, sum) VALUES (?, ?, ?)");
  s.bind(1, table).bind(2, tally.rows()).bind(3, tally.sum());
  s.step();
}

void change_tally(Database& db, std::string_view table, const std::vector<std::string>& removed,
                  const std::string& added) {
  SealTally t = read_tally(db, table);
  for (const std::string& seal : removed) t.remove(seal);
  if (!added.empty()) t.add(added);
  write_tally(db, table, t);
}

Store::Repaired repair_store(Database& db) {
  return Sealing(db).repair();
}

void prepare_store(Database& db) {
  const std::int64_t version = version_of(db);
  if (db.read_only()) {
    if (version == kVersion) return;
    throw Error(
        SourcePlace{db.file().string(), 0, 0, {}},
        version == 0 ? "the store is empty, and cannot be written"
                     : "an older heddle made this store: its records have no checksums yet, and it "
                       "cannot be written to add them",
        version == 0 ? "choose another store" : "copy it to where it can be written, and use the copy");
  }
  if (version != kVersion) {
    if (version == 0) db.try_execute("PRAGMA auto_vacuum = FULL");  // what is forgotten leaves no hole
    Transaction all(db, Transaction::For::Writing);
    switch (check_store(db)) {  // again: another program may have been faster
      case 0:
        make_tables(db);
        break;
      case kUnsealed:
        take_over_unsealed(db);
        break;
      default:
        break;
    }
    all.commit();
  }
  // Readers then do not wait for writers. Some file systems cannot: the usual journal works there, too.
  {
    const Database::ShortWait without_it(db);
    db.try_execute("PRAGMA journal_mode = WAL");
  }
  db.execute("PRAGMA synchronous = FULL");
}

}  // namespace heddle::study
