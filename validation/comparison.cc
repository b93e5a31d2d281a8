#include "validation/comparison.h"

#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "validation/embedded.h"

namespace heddle::validation {

const Figure& Row::figure(std::string_view quantity) const {
  for (const Figure& f : figures)
    if (f.quantity == quantity) return f;
  throw Error(fmt::format("{} has no figure '{}'", program, quantity));
}

Tolerances::Tolerances(const std::vector<CsvRow>& rows) {
  for (const CsvRow& r : rows)
    entries_.push_back({csv_text(r, "against"), csv_text(r, "program"), csv_text(r, "quantity"),
                        csv_number(r, "allowed_percent") / 100});
}

Tolerances Tolerances::recorded() {
  const EmbeddedFile& f = find_embedded(embedded_data(), "tolerances");
  return Tolerances(parse_csv(f.text, f.file));
}

std::optional<double> Tolerances::allowed(std::string_view against, std::string_view program,
                                          std::string_view quantity) const {
  std::optional<double> general;
  for (const Entry& e : entries_) {
    if (e.against != against || e.quantity != quantity) continue;
    if (e.program == program) return e.allowed;
    // "mean" is no program: nothing said about every program holds for it.
    if (e.program == "*" && program != "mean") general = e.allowed;
  }
  return general;
}

void judge(Comparison& c, const Tolerances& tolerances, const std::string& program, const std::string& detail,
           const std::string& quantity, double error) {
  const std::optional<double> allowed = tolerances.allowed(c.against, program, quantity);
  if (!allowed || std::fabs(error) <= *allowed) return;
  c.excesses.push_back(
      {fmt::format("{}{}: {} is off by {:+.1f}%, allowed are {:g}%", program,
                   detail.empty() ? "" : " (" + detail + ")", quantity, 100 * error, 100 * *allowed)});
}

double mean_of_absolute(const std::vector<double>& errors) {
  double sum = 0;
  for (const double e : errors) sum += std::fabs(e);
  return errors.empty() ? 0 : sum / static_cast<double>(errors.size());
}

}  // namespace heddle::validation
