// What is asked of a finished point: its statistics by name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::study {

// A record (JSON, "heddle.run/3") taken apart.
class Result {
 public:
  Result() = default;
  // Throws Error when `json` is no such record.
  static Result parse(std::string_view json);
  // For tests and derived tables.
  explicit Result(std::map<std::string, double, std::less<>> statistics)
      : statistics_(std::move(statistics)) {}

  // A counter, peak or derived value by its name ("request_network.packets", "l1.hit_rate"), or the mean of a
  // histogram ("l1.miss_latency.mean"); throws Error with the nearest name. Not a number: no value (0 / 0).
  double value(std::string_view statistic) const;
  bool has(std::string_view statistic) const;
  const std::map<std::string, double, std::less<>>& statistics() const { return statistics_; }
  void set(const std::string& statistic, double value) { statistics_[statistic] = value; }

  bool verified = true;  // the kernels' result agreed with the reference (or there was nothing to compare)
  std::uint64_t compared = 0;  // values; 0: there was nothing to compare with
  bool complete = true;        // ran to its end
  std::string problem;         // what was wrong with the result
  std::string source_hash, input_hash;
  double cpu_seconds = 0;   // of the host
  double memory_bytes = 0;  // most resident memory of the host process; 0: unknown

 private:
  std::map<std::string, double, std::less<>> statistics_;
};

// What value() knows of a record that this program makes.
const std::vector<std::string>& statistic_names();

}  // namespace heddle::study
