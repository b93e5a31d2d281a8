#include "study/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/error.h"

namespace heddle::study {
namespace {

constexpr int kPatience = 60'000;  // milliseconds that another program may hold the file

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

}  // namespace

void Database::Close::operator()(sqlite3* db) const {
  sqlite3_close_v2(db);
}

Database::Database(std::filesystem::path file) : file_(std::move(file)) {
  const std::filesystem::path folder = file_.has_parent_path() ? file_.parent_path() : ".";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    throw Error(SourcePlace{file_.string(), 0, 0, {}},
                fmt::format("cannot open the store: there is no folder {}", folder.string()),
                "make the folder, or choose another store");
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(file_.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  db_.reset(db);
  if (code != SQLITE_OK) fail("open the store", code);
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_timeout(db, kPatience);
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
