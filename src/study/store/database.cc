#include "study/store/database.h"

#include <unistd.h>

#include <cctype>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/error.h"

namespace heddle::study {
namespace {

constexpr int kPatience = 60'000;  // milliseconds that another program may hold the file
constexpr int kMoment = 500;       // ... for what is not needed

std::string advice_for(int code) {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return "the file is not a store of heddle; choose another one";
    case SQLITE_CORRUPT:
      return "the file is damaged or cut off; move it away (`sqlite3 FILE .recover` may save a part)";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program has been writing to it for a minute; try again when it is done";
    case SQLITE_FULL:
      return "the disk is full; what was kept before is safe";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "the permissions of the file or its folder do not allow it; choose another store";
    case SQLITE_CANTOPEN:
      return "check the folder and its permissions, or choose another store";
    default:
      return {};
  }
}

// A store is a regular file, or none yet. To open anything else may wait for ever (a pipe) or seem to work.
void check_place(const std::filesystem::path& file) {
  const SourcePlace place{file.string(), 0, 0, {}};
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code none;
  if (!std::filesystem::is_directory(folder, none))
    throw Error(place, fmt::format("cannot open the store: there is no folder {}", folder.string()),
                "make the folder, or choose another store");
  const std::filesystem::file_status is = std::filesystem::status(file, none);
  if (is.type() == std::filesystem::file_type::not_found || std::filesystem::is_regular_file(is)) return;
  const char* what =
      std::filesystem::is_directory(is) ? "a folder"
      : std::filesystem::is_fifo(is)    ? "a pipe"
      : std::filesystem::is_socket(is)  ? "a socket"
      : is.type() == std::filesystem::file_type::none || is.type() == std::filesystem::file_type::unknown
          ? "nothing that can be looked at"
          : "a device";
  throw Error(place, fmt::format("cannot open the store: this is {}", what),
              "a store is a regular file, and is made when there is none; choose another name");
}

// Writing needs the folder, too: for the journal. What is not there yet can be made, or SQLite says why not.
bool may_write(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  return access(file.c_str(), F_OK) != 0 ||
         (access(file.c_str(), W_OK) == 0 && access(folder.c_str(), W_OK) == 0);
}

// A log with something in it, that reading needs.
bool has_log(const std::filesystem::path& file) {
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(file.string() + "-wal", none);
  return !none && size > 0;
}

std::string as_uri(const std::filesystem::path& file) {
  std::string out = "file:";
  for (const char c : std::filesystem::absolute(file).string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || c == '/' || c == '.' || c == '-' || c == '_';
    out += plain ? std::string(1, c) : fmt::format("%{:02x}", byte);
  }
  return out;
}

}  // namespace

void Database::Close::operator()(sqlite3* db) const {
  sqlite3_close_v2(db);
}

Database::Database(std::filesystem::path file) : file_(std::move(file)) {
  check_place(file_);
  if (may_write(file_)) {
    open(file_.string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    return;
  }
  open(file_.string(), SQLITE_OPEN_READONLY);
  // Write-ahead logging has files of its own in the folder. Where these are not, and cannot be made, nobody
  // writes: the file stays as it is.
  const int code = sqlite3_exec(db_.get(), "SELECT 1 FROM sqlite_master", nullptr, nullptr, nullptr);
  const bool no_log = (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY;
  if (no_log && !has_log(file_)) open(as_uri(file_) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

void Database::open(const std::string& name, int flags) {
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &db, flags, nullptr);
  db_.reset(db);
  if (code != SQLITE_OK) fail("open the store", code);
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_timeout(db, kPatience);
}

bool Database::read_only() const {
  return sqlite3_db_readonly(db_.get(), "main") == 1;
}

bool Database::gone() const {
  int moved = 0;
  sqlite3_file_control(db_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

bool Database::in_transaction() const {
  return sqlite3_get_autocommit(db_.get()) == 0;
}

Database::ShortWait::ShortWait(Database& db) : db_(db) {
  sqlite3_busy_timeout(db_.db_.get(), kMoment);
}

Database::ShortWait::~ShortWait() {
  sqlite3_busy_timeout(db_.db_.get(), kPatience);
}

std::int64_t Database::changes() const {
  return sqlite3_changes64(db_.get());
}

void Database::fail(const char* doing, int code) const {
  const char* why = db_ ? sqlite3_errmsg(db_.get()) : sqlite3_errstr(code);
  throw Error(SourcePlace{file_.string(), 0, 0, {}}, fmt::format("cannot {}: {}", doing, why),
              advice_for(code));
}

void Database::execute(const char* sql) {
  if (const int code = sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr); code != SQLITE_OK)
    fail("use the store", code);
}

bool Database::try_execute(const char* sql) {
  return sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

std::int64_t Database::number(const char* sql) {
  Statement s(*this, sql);
  return s.step() ? s.integer(0) : 0;
}

void Statement::Finalize::operator()(sqlite3_stmt* s) const {
  sqlite3_finalize(s);
}

Statement::Statement(Database& db, const char* sql) : db_(db) {
  sqlite3_stmt* s = nullptr;
  const int code = sqlite3_prepare_v3(db_.db_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &s, nullptr);
  statement_.reset(s);
  check(code);
}

void Statement::check(int code) {
  if (code != SQLITE_OK) db_.fail("use the store", code);
}

Statement& Statement::bind(int at, std::string_view text) {
  check(sqlite3_bind_text64(statement_.get(), at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(int at, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), at, value));
  return *this;
}

Statement& Statement::bind(int at, double value) {
  check(sqlite3_bind_double(statement_.get(), at, value));
  return *this;
}

Statement& Statement::bind_blob(int at, std::string_view bytes) {
  check(sqlite3_bind_blob64(statement_.get(), at, bytes.data(), bytes.size(), SQLITE_STATIC));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) db_.fail("use the store", code);
  return false;
}

Statement::Type Statement::type(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER:
      return Type::Integer;
    case SQLITE_FLOAT:
      return Type::Real;
    case SQLITE_NULL:
      return Type::Nothing;
    default:
      return Type::Bytes;
  }
}

std::string Statement::text(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int bytes = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr ? std::string()
                         : std::string(static_cast<const char*>(data), static_cast<std::size_t>(bytes));
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

}  // namespace heddle::study
