#include "study/store.h"

#include <cstdlib>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "study/compression.h"
#include "study/database.h"
#include "study/result.h"

namespace heddle::study {
namespace {

// "HdlS": tells a store from any other SQLite file.
constexpr std::int64_t kApplication = 0x48646c53;
constexpr std::int64_t kVersion = 1;  // of the tables

constexpr const char* kTables = R"(
CREATE TABLE points (
  id INTEGER PRIMARY KEY AUTOINCREMENT,   -- in the order of finishing
  key TEXT NOT NULL UNIQUE,
  workload TEXT NOT NULL, contents TEXT NOT NULL, scale TEXT NOT NULL, seed INTEGER NOT NULL,
  gpu TEXT NOT NULL, source_hash TEXT NOT NULL, finished TEXT NOT NULL,
  cpu_seconds REAL NOT NULL, memory_bytes REAL NOT NULL, verified INTEGER NOT NULL,
  record BLOB NOT NULL                    -- JSON, compressed with zstd
);
CREATE INDEX points_by_workload ON points (workload, scale);
CREATE TABLE labels (
  key TEXT NOT NULL, study TEXT NOT NULL, design TEXT NOT NULL, perturbation TEXT NOT NULL,
  PRIMARY KEY (key, study, design, perturbation)
) WITHOUT ROWID;
)";

// Tables that later versions added; an older heddle leaves them alone.
constexpr const char* kLaterTables = R"(
CREATE TABLE IF NOT EXISTS details (key TEXT PRIMARY KEY, detail BLOB NOT NULL) WITHOUT ROWID;  -- as records
CREATE TABLE IF NOT EXISTS batches (      -- under way
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL, done INTEGER NOT NULL, points INTEGER NOT NULL, left_seconds REAL NOT NULL,
  running TEXT NOT NULL,                  -- a JSON array of names
  heartbeat INTEGER NOT NULL              -- seconds since 1970
);
)";

constexpr int kLevel = 9;  // of compression: points are kept while others run

std::string stored_text(std::string_view bytes, std::string_view key, const std::filesystem::path& file) {
  if (std::optional<std::string> text = decompressed(bytes)) return std::move(*text);
  throw Error(SourcePlace{file.string(), 0, 0, {}},
              fmt::format("the record of {} is damaged", key.substr(0, 12)),
              "forget it (heddle results forget) and it will be simulated again");
}

// True when the file is a store of this version. False: it is empty.
bool check_store(Database& db) {  // in a transaction
  const SourcePlace place{db.file().string(), 0, 0, {}};
  const std::int64_t application = db.number("PRAGMA application_id");
  const std::int64_t version = db.number("PRAGMA user_version");
  if (application != kApplication) {
    if (application == 0 && version == 0 && db.number("SELECT count(*) FROM sqlite_master") == 0)
      return false;
    throw Error(place, "this SQLite file is not a store of heddle", "choose another file");
  }
  if (version > kVersion)
    throw Error(
        place,
        fmt::format("a newer heddle made this store (version {}; this program knows {})", version, kVersion),
        "use that heddle, or choose another store");
  if (version < kVersion)
    throw Error(place, fmt::format("the store has version {}, expected {}", version, kVersion),
                "choose another store");
  return true;
}

bool is_made(Database& db) {
  const Transaction one_state(db, Transaction::For::Reading);
  return check_store(db);
}

void prepare(Database& db) {
  if (!is_made(db)) {
    db.try_execute("PRAGMA auto_vacuum = FULL");  // what is forgotten leaves no hole
    Transaction all(db, Transaction::For::Writing);
    if (!check_store(db)) {  // else another program was faster
      db.execute(kTables);
      db.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kVersion)
                     .c_str());
    }
    all.commit();
  }
  if (db.number("SELECT count(*) FROM sqlite_master WHERE name IN ('details', 'batches')") != 2)
    db.execute(kLaterTables);
  // Readers then do not wait for writers. Some file systems cannot: the usual journal works there, too.
  db.try_execute("PRAGMA journal_mode = WAL");
  db.execute("PRAGMA synchronous = FULL");
}

std::optional<std::filesystem::path> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::optional<std::filesystem::path> usual_store() {
  if (const auto file = environment("HEDDLE_STORE")) return *file;
  if (const auto home = environment("HEDDLE_HOME")) return *home / "results" / "heddle.sqlite";
  if (const auto data = environment("XDG_DATA_HOME")) return *data / "heddle" / "heddle.sqlite";
  if (const auto home = environment("HOME")) return *home / ".local" / "share" / "heddle" / "heddle.sqlite";
  return std::nullopt;
}

// The folder of the usual place is made when it is missing; any other must be there, lest a misspelt one be
// made.
Database open(const std::filesystem::path& file) {
  if (file == usual_store()) {
    std::error_code shown_when_opening;
    std::filesystem::create_directories(file.parent_path(), shown_when_opening);
  }
  Database db(file);
  prepare(db);
  return db;
}

}  // namespace

std::filesystem::path default_store() {
  if (const auto file = usual_store()) return *file;
  throw Error("there is no usual place for the store: neither HEDDLE_STORE nor HOME is set",
              "set HEDDLE_STORE to a file, or give --store FILE");
}

struct Store::Connection {
  explicit Connection(const std::filesystem::path& file) : db(open(file)) {}

  Database db;
  Statement has{db, "SELECT 1 FROM points WHERE key = ?"};
  Statement record{db, "SELECT record FROM points WHERE key = ?"};
  Statement keep{
      db,
      "INSERT OR IGNORE INTO points (key, workload, contents, scale, seed, gpu, source_hash, finished, "
      "cpu_seconds, memory_bytes, verified, record) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, datetime('now'), ?, ?, ?, ?)"};
  Statement label{db, "INSERT OR IGNORE INTO labels (key, study, design, perturbation) VALUES (?, ?, ?, ?)"};
  Statement points{db,
                   "SELECT key, workload, contents, scale, seed, gpu, source_hash, finished, cpu_seconds, "
                   "memory_bytes, verified FROM points ORDER BY id"};
  Statement labels{db, "SELECT key, study, design, perturbation FROM labels"};
  Statement cost{db,
                 "SELECT cpu_seconds, memory_bytes FROM points WHERE workload = ? AND scale = ? "
                 "ORDER BY id DESC LIMIT 1"};
  Statement detail{db, "SELECT detail FROM details WHERE key = ?"};
  Statement keep_detail{db, "INSERT OR IGNORE INTO details (key, detail) VALUES (?, ?)"};
  Statement announce{db,
                     "INSERT INTO batches (name, done, points, left_seconds, running, heartbeat) "
                     "VALUES (?, ?, ?, ?, ?, strftime('%s', 'now'))"};
  Statement tell{db,
                 "UPDATE batches SET name = ?, done = ?, points = ?, left_seconds = ?, running = ?, "
                 "heartbeat = strftime('%s', 'now') WHERE id = ?"};
  Statement retire{db, "DELETE FROM batches WHERE id = ? OR heartbeat < strftime('%s', 'now') - 86400"};
  Statement live{db,
                 "SELECT name, done, points, left_seconds, running FROM batches "
                 "WHERE strftime('%s', 'now') - heartbeat <= ? ORDER BY id"};
  Statement state{db,
                  "SELECT (SELECT ifnull(max(id), 0) FROM points) || '.' || (SELECT count(*) FROM points) || "
                  "'.' || (SELECT count(*) FROM labels)"};
  Statement forget_detail{db, "DELETE FROM details WHERE key = ?"};
  Statement forget_point{db, "DELETE FROM points WHERE key = ?"};
  Statement forget_labels{db, "DELETE FROM labels WHERE key = ?"};
};

Store::Store(const std::filesystem::path& file) : connection_(std::make_unique<Connection>(file)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;

const std::filesystem::path& Store::file() const {
  return connection_->db.file();
}

std::optional<std::string> Store::record(std::string_view key) const {
  std::string bytes;
  {
    const Use q(connection_->record);
    q->bind(1, key);
    if (!q->step()) return std::nullopt;
    bytes = q->text(0);
  }
  return stored_text(bytes, key, file());
}

bool Store::has(std::string_view key) const {
  const Use q(connection_->has);
  q->bind(1, key);
  return q->step();
}

std::optional<std::string> Store::detail(std::string_view key) const {
  std::string bytes;
  {
    const Use q(connection_->detail);
    q->bind(1, key);
    if (!q->step()) return std::nullopt;
    bytes = q->text(0);
  }
  return stored_text(bytes, key, file());
}

void Store::keep(const Point& point, const std::string& record, const std::string& detail) {
  const Result r = Result::parse(record);
  const std::string key = point.key(), bytes = compressed(record, kLevel);
  const std::string detail_bytes = detail.empty() ? "" : compressed(detail, kLevel);
  Transaction both(connection_->db, Transaction::For::Writing);
  if (!detail.empty()) {
    const Use q(connection_->keep_detail);
    q->bind(1, key).bind_blob(2, detail_bytes);
    q->step();
  }
  keep_record(point, r, key, bytes);
  both.commit();
}

void Store::keep_record(const Point& point, const Result& r, std::string_view key, std::string_view bytes) {
  const Use q(connection_->keep);
  q->bind(1, key).bind(2, point.workload).bind(3, point.contents).bind(4, workload::name(point.scale));
  q->bind(5, static_cast<std::int64_t>(point.seed)).bind(6, point.gpu).bind(7, r.source_hash);
  q->bind(8, r.cpu_seconds).bind(9, r.memory_bytes).bind(10, std::int64_t{r.verified}).bind_blob(11, bytes);
  q->step();
}

void Store::label(std::string_view key, const Label& label) {
  const Use q(connection_->label);
  q->bind(1, key).bind(2, label.study).bind(3, label.design).bind(4, label.perturbation);
  q->step();
}

std::vector<Kept> Store::list() const {
  std::map<std::string, std::vector<Label>> labels;
  {
    const Use q(connection_->labels);
    while (q->step()) labels[q->text(0)].push_back({q->text(1), q->text(2), q->text(3)});
  }
  std::vector<Kept> all;
  const Use q(connection_->points);
  while (q->step()) {
    Kept& k = all.emplace_back();
    k.key = q->text(0);
    k.point.workload = q->text(1);
    k.point.contents = q->text(2);
    k.point.scale = workload::parse_scale(q->text(3)).value_or(workload::Scale::Small);
    k.point.seed = static_cast<std::uint64_t>(q->integer(4));
    k.point.gpu = q->text(5);
    k.source_hash = q->text(6);
    k.finished = q->text(7);
    k.cpu_seconds = q->real(8);
    k.memory_bytes = q->real(9);
    k.verified = q->integer(10) != 0;
    if (const auto at = labels.find(k.key); at != labels.end()) k.labels = at->second;
  }
  return all;
}

std::optional<Cost> Store::cost(std::string_view workload, workload::Scale scale) const {
  const Use q(connection_->cost);
  q->bind(1, workload).bind(2, workload::name(scale));
  if (!q->step()) return std::nullopt;
  return Cost{q->real(0), q->real(1)};
}

void Store::forget(std::string_view key) {
  Transaction both(connection_->db, Transaction::For::Writing);
  for (Statement* s :
       {&connection_->forget_point, &connection_->forget_detail, &connection_->forget_labels}) {
    const Use q(*s);
    q->bind(1, key);
    q->step();
  }
  both.commit();
}

std::string Store::state() const {
  const Use q(connection_->state);
  q->step();
  return q->text(0);
}

// ---- batches under way ------------------------------------------------------------------------------

namespace {

// The members that announce and tell share. `running` must live until the statement is reset.
void bind(Statement& s, const LiveBatch& b, const std::string& running) {
  s.bind(1, b.name).bind(2, static_cast<std::int64_t>(b.done)).bind(3, static_cast<std::int64_t>(b.of));
  s.bind(4, b.left_seconds).bind(5, running);
}

std::string as_json(const std::vector<std::string>& names) {
  return nlohmann::json(names).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::int64_t Store::announce(const LiveBatch& b) {
  const std::string running = as_json(b.running);
  {
    const Use q(connection_->announce);
    bind(connection_->announce, b, running);
    q->step();
  }
  return connection_->db.number("SELECT last_insert_rowid()");
}

void Store::tell(std::int64_t number, const LiveBatch& b) {
  const std::string running = as_json(b.running);
  const Use q(connection_->tell);
  bind(connection_->tell, b, running);
  q->bind(6, number);
  q->step();
}

void Store::retire(std::int64_t number) {
  const Use q(connection_->retire);
  q->bind(1, number);
  q->step();
}

std::vector<LiveBatch> Store::live() const {
  std::vector<LiveBatch> all;
  const Use q(connection_->live);
  q->bind(1, std::int64_t{kSilentSeconds});
  while (q->step()) {
    LiveBatch& b = all.emplace_back();
    b.name = q->text(0);
    b.done = static_cast<std::size_t>(q->integer(1));
    b.of = static_cast<std::size_t>(q->integer(2));
    b.left_seconds = q->real(3);
    const auto running = nlohmann::json::parse(q->text(4), nullptr, false);
    if (running.is_array())
      for (const auto& name : running)
        if (name.is_string()) b.running.push_back(name);
  }
  return all;
}

}  // namespace heddle::study
