// The document inside a report page, "schema": "heddle.page/1" (docs/report-data.md), from records and
// details.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/config.h"
#include "study/run/result.h"
#include "study/store/store.h"

namespace heddle::report {

// One run as it is kept.
struct RunSource {
  std::string id;                    // key in the store, or the name of a record's file
  std::vector<study::Label> labels;  // what it was run for; the page shows the first
  std::string record;                // JSON (study/run/record.h)
  std::string detail;                // JSON (study/run/detail.h); empty: the record's own, or none
  std::string finished;              // UTC; empty: not known
};

// One run as the page has it.
struct PageRun {
  struct Statistic {
    std::string name, unit, about;
    nlohmann::ordered_json value;  // null: it does not exist (0 / 0)
  };
  std::string id, workload, contents, scale, machine, configuration;
  std::uint64_t seed = 0;
  std::vector<study::Label> labels;
  std::vector<Statistic> statistics;
  study::Result result;
  nlohmann::ordered_json members;  // of runs[], but for configuration and stats
};

// Reads records. Remembers the machines that they name.
class RunReader {
 public:
  // "HS" for "hotspot"; the records do not have it.
  using ShortName = std::function<std::string(const std::string& workload)>;
  explicit RunReader(ShortName short_name) : short_name_(std::move(short_name)) {}

  // Throws Error when `source.record` is no record of a simulated run. A funnel that this program cannot
  // compute, because another version wrote the record, is left out.
  PageRun read(const RunSource& source, bool with_detail = true);

 private:
  std::string command(const nlohmann::ordered_json& record);
  const config::Config* machine(const std::string& chosen);

  ShortName short_name_;
  std::map<std::string, std::optional<config::Config>> machines_;  // settled; none: cannot be loaded any more
};

struct PageHead {
  std::string title;
  std::string command;  // that made the page
  std::string written;  // UTC
  bool live = false;
  std::vector<study::LiveBatch> batches;  // under way
  // The design that others are compared with, by study; where none is named, the first that has a run.
  std::map<std::string, std::string> baselines;
  nlohmann::ordered_json figures = nlohmann::ordered_json::array();  // of figures.h
};

nlohmann::ordered_json page_data(const PageHead& head, std::span<const std::shared_ptr<const PageRun>> runs);

// "hotspot on clustered60"; with more than one of either, how many.
std::string usual_title(std::span<const std::shared_ptr<const PageRun>> runs);

}  // namespace heddle::report
