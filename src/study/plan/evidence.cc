#include "study/plan/evidence.h"

#include <fmt/format.h>

#include "base/units.h"
#include "config/config.h"

namespace heddle::study {
namespace {

std::optional<double> number_of(const config::Value& v) {
  if (const auto* b = std::get_if<bool>(&v.data)) return *b ? 1 : 0;
  if (const auto* i = std::get_if<std::int64_t>(&v.data)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&v.data)) return *d;
  const auto* text = std::get_if<std::string>(&v.data);
  if (text == nullptr) return std::nullopt;
  if (const auto bytes = parse_bytes(*text)) return static_cast<double>(bytes.value->count());
  if (const auto hertz = parse_frequency(*text)) return static_cast<double>(hertz.value->count());
  return std::nullopt;
}

}  // namespace

const Result* Evidence::find(const Cell& cell) const {
  const auto at = results_.find(cell);
  if (at == results_.end() || !at->second.verified || !at->second.complete) return nullptr;
  return &at->second;
}

std::string Evidence::problem(const Cell& cell) const {
  if (const auto at = problems_.find(cell); at != problems_.end()) return at->second;
  const auto at = results_.find(cell);
  if (at == results_.end()) return "not run";
  if (!at->second.complete) return "stopped before its end";
  return "wrong result: " + at->second.problem;
}

double Evidence::parameter(const std::string& design, std::string_view path) const {
  const auto at = machines_.find(design);
  if (at == machines_.end()) throw Error(fmt::format("the machine of '{}' is not known", design));
  const config::Config c = config::Config::parse(at->second, design);
  const config::Entry* entry = c.find(path);
  if (entry == nullptr)
    throw Error(fmt::format("the machine of '{}' has no parameter '{}'", design, path),
                "heddle explain --all lists them");
  const std::optional<double> number = number_of(entry->value);
  if (!number) throw Error(fmt::format("'{}' of '{}' is no number", path, design));
  return *number;
}

Evidence evidence_of(const Plan& plan, const Batch& batch) {
  Evidence e;
  for (const auto& [design, machine] : plan.machines) e.add_machine(design, machine);
  std::map<std::size_t, std::string> failed;
  for (const Failure& f : batch.failures) failed[f.job] = f.error;
  for (const auto& [cell, job] : plan.job_of) {
    if (const auto at = failed.find(job); at != failed.end())
      e.add_problem(cell, at->second);
    else if (!batch.results[job].source_hash.empty())
      e.add(cell, batch.results[job]);  // else: interrupted before it was its turn
  }
  return e;
}

}  // namespace heddle::study
