// One store into another.
#include <fmt/format.h>

#include "study/run/record.h"
#include "study/store/store_connection.h"

namespace heddle::study {
namespace {

struct Stored {
  std::string bytes, seal;
};

Stored stored(Statement& select, std::string_view key) {
  const StatementUse q(select);
  q->bind(1, key);
  if (!q->step()) return {};
  return {q->text(0), q->text(1)};
}

std::string first_text(Statement& select, std::string_view key) {
  const StatementUse q(select);
  q->bind(1, key);
  return q->step() ? q->text(0) : "";
}

}  // namespace

// What another store has and this one may lack; in the caller's transaction.
class Store::Merging {
 public:
  Merging(Store& into, const Store& from) : into_(into), from_(from), c_(*into.connection_) {}

  Merged run() {
    for (const StoredPoint& p : from_.list()) {
      if (into_.has(p.key)) {
        require_same(p);
        ++merged_.same;
      } else {
        add(p);
        ++merged_.points;
      }
      add_detail(p.key);
      for (const Label& l : p.labels) add_label(p.key, l);
    }
    return merged_;
  }

 private:
  void require_same(const StoredPoint& p) {
    if (stored(c_.record, p.key).seal == stored(from_.connection_->record, p.key).seal) return;
    const std::string ours = into_.record(p.key).value_or(""), theirs = from_.record(p.key).value_or("");
    if (decisive(ours) == decisive(theirs)) return;
    throw Error(SourcePlace{from_.file().string(), 0, 0, {}},
                fmt::format("the result of {} ({}, {}) is not the one that {} has", p.key.substr(0, 12),
                            p.point.workload, p.point.gpu, into_.file().string()),
                "results of one source are the same everywhere: `heddle results show KEY --json -` prints "
                "both; `heddle results forget KEY` removes the wrong one from its store. Nothing was merged");
  }

  // As it is, time and seals of its contents included; only the place in the order is new.
  void add(const StoredPoint& p) {
    from_.record(p.key);  // its seal holds, or this throws
    const Stored record = stored(from_.connection_->record, p.key);
    {
      const StatementUse q(c_.take_over);
      q->bind(1, p.key).bind(2, p.point.workload).bind(3, p.point.contents);
      q->bind(4, workload::name(p.point.scale)).bind(5, static_cast<std::int64_t>(p.point.seed));
      q->bind(6, p.point.gpu).bind(7, p.source_hash).bind(8, p.finished).bind(9, p.cpu_seconds);
      q->bind(10, p.memory_bytes).bind(11, std::int64_t{p.verified}).bind(12, record.seal);
      q->bind_blob(13, record.bytes);
      q->step();
    }
    change_tally(c_.db, "points", {}, c_.seal_point(c_.db.number("SELECT last_insert_rowid()")));
  }

  void add_detail(const std::string& key) {
    if (!first_text(c_.detail_seal, key).empty() || !from_.detail(key)) return;
    const std::string bytes = first_text(from_.connection_->detail, key);
    const std::string seal = first_text(from_.connection_->detail_seal, key);
    {
      const StatementUse q(c_.keep_detail);
      q->bind(1, key).bind_blob(2, bytes);
      q->step();
    }
    {
      const StatementUse q(c_.set_detail_seal);
      q->bind(1, seal).bind(2, key);
      q->step();
    }
    const std::string before = first_text(c_.seals_of, key);
    std::int64_t id = 0;
    {
      const StatementUse q(c_.id_of);
      q->bind(1, key);
      q->step();
      id = q->integer(0);
    }
    change_tally(c_.db, "points", {before}, c_.seal_point(id));
    ++merged_.details;
  }

  void add_label(const std::string& key, const Label& l) {
    {
      const StatementUse q(c_.has_label);
      q->bind(1, key).bind(2, l.study).bind(3, l.design).bind(4, l.perturbation);
      if (q->step()) return;
    }
    into_.label(key, l);
    ++merged_.labels;
  }

  Store& into_;
  const Store& from_;
  Connection& c_;
  Merged merged_;
};

Store::Merged Store::merge(const Store& other) {
  Together all(*this);
  const Merged merged = Merging(*this, other).run();
  all.commit();
  return merged;
}

}  // namespace heddle::study
