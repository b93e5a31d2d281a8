#include "study/definition/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/csv.h"
#include "base/text.h"
#include "study/definition/target_origins.h"

namespace heddle::study {
namespace {

constexpr std::string_view kHeading =
    "paper,figure,workload,config,metric,baseline,value,unit,note,not_counted";
constexpr std::size_t kCount = 10;

class TargetsReader {
 public:
  explicit TargetsReader(const config::TomlSource& source) : source_(source) {}

  std::vector<Target> run() {
    for (std::string_view line : split(source_.text(), '\n')) {
      ++line_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line_ == 1)
        header(line);
      else if (!trim(line).empty())
        row(line);
    }
    resolve_origins(source_, rows_);
    return std::move(rows_);
  }

 private:
  void header(std::string_view line) const {
    if (line == kHeading) return;
    throw Error(source_.place(line_, 0), fmt::format("expected the columns {}", kHeading),
                "not_counted is empty where a number counts (docs/studies.md)");
  }

  void row(std::string_view line) {
    const std::optional<std::vector<std::string>> fields = csv_fields(line);
    if (!fields) fail("a quote is not closed");
    const std::vector<std::string>& t = *fields;
    if (t.size() != kCount) fail(fmt::format("expected {} fields, got {}", kCount, t.size()));
    char* end = nullptr;
    const double value = std::strtod(t[6].c_str(), &end);
    if (t[6].empty() || *end != 0) fail(fmt::format("'{}' is no number", printable(t[6])));
    Target row{t[0], t[1], t[2], t[3], t[4], t[5], value, t[7], t[8], t[9], line_, t[6], Origin::Own, {}};
    for (const Target& other : rows_)
      if (other.figure == row.figure && other.workload == row.workload && other.config == row.config &&
          other.metric == row.metric && other.baseline == row.baseline && other.unit == row.unit &&
          other.value == row.value && other.note == row.note)
        fail(fmt::format("the same as line {}", other.line));
    rows_.push_back(std::move(row));
  }

  [[noreturn]] void fail(const std::string& message) const { throw Error(source_.place(line_, 0), message); }

  const config::TomlSource& source_;
  std::uint32_t line_ = 0;
  std::vector<Target> rows_;
};

}  // namespace

std::vector<Target> parse_targets(const config::TomlSource& source) {
  return TargetsReader(source).run();
}

}  // namespace heddle::study
