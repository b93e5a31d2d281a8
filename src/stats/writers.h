// Snapshots as JSON, CSV and text for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>

#include "stats/snapshot.h"

namespace heddle::stats {

class Writer {
 public:
  virtual ~Writer() = default;
  virtual void write(std::ostream& out, const Snapshot& snapshot) const = 0;
};

// {"l1.hits": {"value": 12, "kind": "counter", "unit": "requests", "description": "...", "nsight": "..."},
// ...}
class JsonWriter final : public Writer {
 public:
  enum class Detail { Full, Values };  // Values: {"l1.hits": 12, ...}
  explicit JsonWriter(Detail detail = Detail::Full) : detail_(detail) {}
  void write(std::ostream& out, const Snapshot& snapshot) const override;
  nlohmann::ordered_json object(const Snapshot& snapshot) const;  // to put inside a larger record

 private:
  Detail detail_;
};

// name,value,unit,kind,nsight,description; a histogram has one row per bin and rows for samples, mean,
// largest.
class CsvWriter final : public Writer {
 public:
  void write(std::ostream& out, const Snapshot& snapshot) const override;
};

// Aligned columns, grouped digits, bars for histograms.
class TextWriter final : public Writer {
 public:
  void write(std::ostream& out, const Snapshot& snapshot) const override;
};

}  // namespace heddle::stats
