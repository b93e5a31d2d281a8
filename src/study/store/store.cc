#include "study/store/store.h"

#include <cstdlib>

#include <fmt/format.h>

#include "study/run/result.h"
#include "study/store/compression.h"
#include "study/store/store_connection.h"

namespace heddle::study {
namespace {

constexpr int kLevel = 9;  // of compression: points are kept while others run
constexpr const char* kRepair =
    "heddle results repair removes what is damaged from the store; it will be simulated again";

std::string shown(std::string_view key) {
  return std::string(key.substr(0, 12));
}

[[noreturn]] void fail_damaged(const std::filesystem::path& file, std::string what) {
  throw Damaged(SourcePlace{file.string(), 0, 0, {}}, std::move(what), kRepair);
}

// The text of bytes that a seal vouches for.
std::string stored_text(const char* kind, std::string_view key, std::string_view bytes, std::string_view seal,
                        const std::filesystem::path& file) {
  if (seal_of(kind, key, bytes) == seal)
    if (std::optional<std::string> text = decompressed(bytes)) return std::move(*text);
  fail_damaged(file, fmt::format("the {} of {} is damaged", kind, shown(key)));
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
  prepare_store(db);
  return db;
}

bool holds(const Statement& row, int columns) {
  return row.text(columns) == seal_of_row(row, columns);
}

// Of a row of kPointColumns.
StoredPoint kept(const Statement& row) {
  StoredPoint k;
  k.key = row.text(1);
  k.point.workload = row.text(2);
  k.point.contents = row.text(3);
  k.point.scale = workload::parse_scale(row.text(4)).value_or(workload::Scale::Small);
  k.point.seed = static_cast<std::uint64_t>(row.integer(5));
  k.point.gpu = row.text(6);
  k.source_hash = row.text(7);
  k.finished = row.text(8);
  k.cpu_seconds = row.real(9);
  k.memory_bytes = row.real(10);
  k.verified = row.integer(11) != 0;
  return k;
}

std::vector<std::string> seals(Statement& select, std::string_view key, int column) {
  std::vector<std::string> all;
  const StatementUse q(select);
  q->bind(1, key);
  while (q->step()) all.push_back(q->text(column));
  return all;
}

void remove(Statement& s, std::string_view key) {
  const StatementUse q(s);
  q->bind(1, key);
  q->step();
}

}  // namespace

Store::Connection::Connection(const std::filesystem::path& file) : db(open(file)) {}

std::string Store::Connection::seal_point(std::int64_t id) {
  std::string sealed;
  {
    const StatementUse q(point);
    q->bind(1, id);
    q->step();
    sealed = seal_of_row(point, kPointColumnCount);
  }
  const StatementUse q(seal);
  q->bind(1, sealed).bind(2, id);
  q->step();
  return sealed;
}

std::filesystem::path default_store() {
  if (const auto file = usual_store()) return *file;
  throw Error("there is no usual place for the store: neither HEDDLE_STORE nor HOME is set",
              "set HEDDLE_STORE to a file, or give --store FILE");
}

Store::Store(const std::filesystem::path& file) : connection_(std::make_unique<Connection>(file)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

const std::filesystem::path& Store::file() const {
  return connection_->db.file();
}

bool Store::read_only() const {
  return connection_->db.read_only();
}

bool Store::gone() const {
  return connection_->db.gone();
}

std::optional<std::string> Store::record(std::string_view key) const {
  std::string bytes, seal;
  {
    const StatementUse q(connection_->record);
    q->bind(1, key);
    if (!q->step()) return std::nullopt;
    bytes = q->text(0);
    seal = q->text(1);
  }
  return stored_text("record", key, bytes, seal, file());
}

bool Store::has(std::string_view key) const {
  const StatementUse q(connection_->has);
  q->bind(1, key);
  return q->step();
}

std::optional<std::string> Store::detail(std::string_view key) const {
  const std::vector<std::string> seal = seals(connection_->detail_seal, key, 0);
  if (seal.empty() || seal.front().empty()) return std::nullopt;
  std::string bytes;
  {
    const StatementUse q(connection_->detail);
    q->bind(1, key);
    if (q->step()) bytes = q->text(0);
  }
  return stored_text("detail", key, bytes, seal.front(), file());
}

void Store::keep(const Point& point, const std::string& record, const std::string& detail) {
  const Result r = Result::parse(record);
  const std::string key = point.key(), bytes = compressed(record, kLevel);
  const std::string detail_bytes = detail.empty() ? "" : compressed(detail, kLevel);
  const std::string record_seal = seal_of("record", key, bytes);
  const std::string detail_seal = detail.empty() ? "" : seal_of("detail", key, detail_bytes);
  Connection& c = *connection_;
  Transaction all(c.db, Transaction::For::Writing);
  {
    const StatementUse q(c.keep);
    q->bind(1, key).bind(2, point.workload).bind(3, point.contents).bind(4, workload::name(point.scale));
    q->bind(5, static_cast<std::int64_t>(point.seed)).bind(6, point.gpu).bind(7, r.source_hash);
    q->bind(8, r.cpu_seconds).bind(9, r.memory_bytes).bind(10, std::int64_t{r.verified});
    q->bind(11, record_seal).bind(12, detail_seal).bind_blob(13, bytes);
    q->step();
  }
  if (c.db.changes() == 0) return;  // it is there
  const std::int64_t id = c.db.number("SELECT last_insert_rowid()");
  if (!detail.empty()) {
    const StatementUse q(c.keep_detail);
    q->bind(1, key).bind_blob(2, detail_bytes);
    q->step();
  }
  change_tally(c.db, "points", {}, c.seal_point(id));
  all.commit();
}

Store::Together::Together(Store& store)
    : all_(std::make_unique<Transaction>(store.connection_->db, Transaction::For::Writing)) {}
Store::Together::~Together() = default;

void Store::Together::commit() {
  all_->commit();
}

void Store::label(std::string_view key, const Label& label) {
  Connection& c = *connection_;
  const auto bind = [&](Statement& s) {
    s.bind(1, key).bind(2, label.study).bind(3, label.design).bind(4, label.perturbation);
  };
  {
    const StatementUse q(c.has_label);
    bind(c.has_label);
    if (q->step() || read_only()) return;
  }
  std::string seal;
  {
    const StatementUse q(c.four);
    bind(c.four);
    q->step();
    seal = seal_of_row(c.four, kLabelColumnCount);
  }
  Transaction both(c.db, Transaction::For::Writing);
  {
    const StatementUse q(c.label);
    bind(c.label);
    q->bind(5, seal);
    q->step();
  }
  if (c.db.changes() == 0) return;  // another program was faster
  change_tally(c.db, "labels", {}, seal);
  both.commit();
}

std::map<std::string, std::vector<Label>> Store::all_labels() const {
  std::map<std::string, std::vector<Label>> labels;
  SealTally tally;
  const StatementUse q(connection_->labels);
  while (q->step()) {
    if (!holds(connection_->labels, kLabelColumnCount))
      fail_damaged(file(), fmt::format("a label of {} is damaged", shown(q->text(0))));
    tally.add(q->text(kLabelColumnCount));
    labels[q->text(0)].push_back({q->text(1), q->text(2), q->text(3)});
  }
  if (tally != read_tally(connection_->db, "labels"))
    fail_damaged(file(), "what points were run for is not all there");
  return labels;
}

std::vector<StoredPoint> Store::list() const {
  const Transaction one_state(connection_->db, Transaction::For::Reading);
  const std::map<std::string, std::vector<Label>> labels = all_labels();
  std::vector<StoredPoint> all;
  SealTally tally;
  const StatementUse q(connection_->points);
  while (q->step()) {
    StoredPoint& k = all.emplace_back(kept(connection_->points));
    if (!holds(connection_->points, kPointColumnCount))
      fail_damaged(file(), fmt::format("what is kept about {} is damaged", shown(k.key)));
    tally.add(q->text(kPointColumnCount));
    if (const auto at = labels.find(k.key); at != labels.end()) k.labels = at->second;
  }
  if (const SealTally written = read_tally(connection_->db, "points"); tally != written)
    fail_damaged(file(), fmt::format("{} of {} points are there", tally.rows(), written.rows()));
  return all;
}

std::optional<Cost> Store::cost(std::string_view workload, workload::Scale scale) const {
  const StatementUse q(connection_->latest);
  q->bind(1, workload).bind(2, workload::name(scale));
  if (!q->step() || !holds(connection_->latest, kPointColumnCount)) return std::nullopt;
  const StoredPoint k = kept(connection_->latest);
  return Cost{k.cpu_seconds, k.memory_bytes};
}

void Store::forget(std::string_view key) {
  Connection& c = *connection_;
  Transaction all(c.db, Transaction::For::Writing);
  change_tally(c.db, "points", seals(c.seals_of, key, 0));
  change_tally(c.db, "labels", seals(c.labels_of, key, kLabelColumnCount));
  for (Statement* s : {&c.forget_point, &c.forget_detail, &c.forget_labels}) remove(*s, key);
  all.commit();
}

Store::Repaired Store::repair() {
  Transaction all(connection_->db, Transaction::For::Writing);
  const Repaired removed = repair_store(connection_->db);
  all.commit();
  return removed;
}

std::string Store::state() const {
  const StatementUse q(connection_->state);
  q->step();
  return q->text(0);
}

}  // namespace heddle::study
