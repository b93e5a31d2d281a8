// The store: finished points by key, in one SQLite file that several programs may use at once.
//
// A record is written in one transaction when its point is done: whatever happens, a point is either there
// whole or not at all, and what is there is never simulated again. Labels tell what points were run for.
// Everything is sealed (seal.h) and checked when it is read: what has changed on its way is never a result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "study/run/point.h"

namespace heddle::study {

// $HEDDLE_STORE; else results/heddle.sqlite beside the program's sources ($HEDDLE_HOME); else
// $XDG_DATA_HOME/heddle/heddle.sqlite (~/.local/share).
std::filesystem::path default_store();

struct Label {
  std::string study;         // "icc"; "compare" for comparisons by hand
  std::string design;        // "DB+ICC"
  std::string perturbation;  // "" for the run as it is
};

// One finished point without its record, for lists.
struct StoredPoint {
  std::string key;
  Point point;  // without `machine`: it is the record's "configuration"
  std::string source_hash;
  std::string finished;  // UTC, "2026-01-31 12:00:00"
  double cpu_seconds = 0, memory_bytes = 0;
  bool verified = true;
  std::vector<Label> labels;
};

// What earlier runs of a workload at a scale cost the host, whatever the source or machine.
struct Cost {
  double cpu_seconds = 0, memory_bytes = 0;
};

// A batch under way, for who looks on.
struct LiveBatch {
  std::string name;              // "icc"
  std::size_t done = 0, of = 0;  // points
  double left_seconds = -1;      // < 0: not known yet
  std::vector<std::string> running;
};

// What is kept is not what was written.
class Damaged : public Error {
 public:
  using Error::Error;
};

// All that read throw Damaged where a seal does not hold.
class Store {
 public:
  // Opens or makes it, and the folder of default_store() with it. What cannot be written is opened for
  // reading. Throws Error: no such folder, not a store, made by a newer version. A process that forks must
  // not use it in the child.
  explicit Store(const std::filesystem::path& file);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  const std::filesystem::path& file() const;
  bool read_only() const;
  // The file was removed, or another one has its name: it can be read still, but nobody else will.
  bool gone() const;
  std::optional<std::string> record(std::string_view key) const;  // JSON
  bool has(std::string_view key) const;
  // The detail of its run as JSON (detail.h); none: it was not collected.
  std::optional<std::string> detail(std::string_view key) const;
  // No effect when it is there. `detail` may be empty.
  void keep(const Point& point, const std::string& record, const std::string& detail = {});
  void label(std::string_view key, const Label& label);  // no effect where the store is read-only
  // What is kept and labelled while one lives becomes visible at commit(), at once; without that, not at all.
  // The disk is waited for once instead of twice for each point.
  class Together {
   public:
    explicit Together(Store& store);
    ~Together();
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;
    void commit();

   private:
    std::unique_ptr<class Transaction> all_;
  };
  std::vector<StoredPoint> list() const;  // oldest first
  // Of the latest.
  std::optional<Cost> cost(std::string_view workload, workload::Scale scale) const;
  void forget(std::string_view key);
  // Removes what is damaged; the rest is whole then.
  struct Repaired {
    std::size_t points = 0, details = 0, labels = 0;  // that were removed
  };
  Repaired repair();
  // Takes over all of another store: points of any source, with their times, details and labels. What both
  // have must be the same (decisive() of record.h). Throws Error otherwise, and takes nothing.
  struct Merged {
    std::size_t points = 0, details = 0, labels = 0;  // that were new
    std::size_t same = 0;                             // points that were there
  };
  Merged merge(const Store& other);
  // Changes with every point and label: who has shown a state need not look again.
  std::string state() const;

  // A batch says that it runs, and now and then how far it is; what is silent for kSilentSeconds is taken for
  // dead.
  static constexpr int kSilentSeconds = 30;
  std::int64_t announce(const LiveBatch& batch);  // its number
  void tell(std::int64_t number, const LiveBatch& batch);
  void retire(std::int64_t number);
  std::vector<LiveBatch> live() const;  // the oldest first

 private:
  struct Connection;
  class Merging;
  std::map<std::string, std::vector<Label>> all_labels() const;
  std::unique_ptr<Connection> connection_;
};

}  // namespace heddle::study
