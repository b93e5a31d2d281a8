// SQLite with errors that tell what to do: as much of it as the store needs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace heddle::study {

class Database {
 public:
  // Opens or makes the file; what cannot be written is opened for reading. Waits a minute for other programs
  // that write. Throws Error.
  explicit Database(std::filesystem::path file);

  const std::filesystem::path& file() const { return file_; }
  bool read_only() const;
  // The file was removed, or another one has its name: what is written now nobody will find.
  bool gone() const;
  bool in_transaction() const;
  void execute(const char* sql);         // without results; several statements
  bool try_execute(const char* sql);     // false: it did not work
  std::int64_t number(const char* sql);  // the first value of the first row
  std::int64_t changes() const;          // rows that the last statement changed
  [[noreturn]] void fail(const char* doing, int code) const;

  // As long as it lives, other programs are waited for a moment only: for what is not needed.
  class ShortWait {
   public:
    explicit ShortWait(Database& db);
    ~ShortWait();
    ShortWait(const ShortWait&) = delete;
    ShortWait& operator=(const ShortWait&) = delete;

   private:
    Database& db_;
  };

 private:
  friend class Statement;
  void open(const std::string& name, int flags);
  struct Close {
    void operator()(sqlite3* db) const;
  };
  std::filesystem::path file_;
  std::unique_ptr<sqlite3, Close> db_;
};

// A prepared statement. Values are bound from 1 on, columns count from 0, as in SQLite. Bound texts must live
// until reset().
class Statement {
 public:
  Statement(Database& db, const char* sql);

  Statement& bind(int at, std::string_view text);
  Statement& bind(int at, std::int64_t value);
  Statement& bind(int at, double value);
  Statement& bind_blob(int at, std::string_view bytes);

  bool step();  // true: there is a row
  enum class Type { Integer, Real, Bytes, Nothing };
  Type type(int column) const;
  std::string text(int column) const;  // of blobs, too
  std::int64_t integer(int column) const;
  double real(int column) const;
  void reset();

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* s) const;
  };
  void check(int code);
  Database& db_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// Resets a statement at the end of its use, also when an Error passes: an open one would keep a lock.
class StatementUse {
 public:
  explicit StatementUse(Statement& s) : statement_(s) {}
  ~StatementUse() { statement_.reset(); }
  StatementUse(const StatementUse&) = delete;
  StatementUse& operator=(const StatementUse&) = delete;
  Statement* operator->() const { return &statement_; }

 private:
  Statement& statement_;
};

// What is changed in its life becomes visible together at commit(), or not at all. Inside of another one it
// is a part of that: undone alone, visible with it.
class Transaction {
 public:
  enum class For { Reading, Writing };  // Reading: sees one state, whatever others write meanwhile
  Transaction(Database& db, For what) : db_(db), inner_(db.in_transaction()) {
    db_.execute(inner_ ? "SAVEPOINT part" : what == For::Writing ? "BEGIN IMMEDIATE" : "BEGIN");
  }
  ~Transaction() {
    if (!done_) db_.try_execute(inner_ ? "ROLLBACK TO part; RELEASE part" : "ROLLBACK");
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    db_.execute(inner_ ? "RELEASE part" : "COMMIT");
    done_ = true;
  }

 private:
  Database& db_;
  bool inner_;
  bool done_ = false;
};

}  // namespace heddle::study
