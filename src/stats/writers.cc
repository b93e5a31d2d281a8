#include "stats/writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/numbers.h"

namespace heddle::stats {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(double d) {
  return std::isfinite(d) ? Json(d) : Json(nullptr);
}

Json json_of(const Reading& reading) {
  if (const auto* n = std::get_if<std::uint64_t>(&reading)) return *n;
  if (const auto* d = std::get_if<double>(&reading)) return json_of(*d);
  const auto& h = std::get<HistogramValue>(reading);
  Json bins = Json::array();
  for (const Bin& bin : h.bins) bins.push_back({bin.from, bin.count});
  return {{"samples", h.samples},
          {"sum", h.sum},
          {"mean", json_of(h.mean())},
          {"largest", h.largest},
          {"bins", bins}};
}

std::string csv_number(double d) {
  return std::isfinite(d) ? fmt::format("{}", d) : "";
}

void csv_row(std::ostream& out, const Info& info, std::string_view suffix, std::string_view value,
             std::string_view unit) {
  out << csv_field(fmt::format("{}{}", info.name, suffix)) << ',' << value << ',' << csv_field(unit) << ','
      << name(info.kind) << ',' << csv_field(info.nsight) << ',' << csv_field(info.description) << '\n';
}

std::string text_of(const Reading& reading) {
  if (const auto* n = std::get_if<std::uint64_t>(&reading)) return grouped(*n);
  const auto* d = std::get_if<double>(&reading);
  const double value = d != nullptr ? *d : std::get<HistogramValue>(reading).mean();
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-";
}

void draw(std::ostream& out, const HistogramValue& h, std::size_t indent) {
  constexpr double kWidth = 40;
  std::uint64_t most = 1;
  for (const Bin& bin : h.bins) most = std::max(most, bin.count);
  for (std::size_t i = 0; i < h.bins.size(); ++i) {
    const Bin& bin = h.bins[i];
    if (bin.count == 0) continue;
    const bool last = i + 1 == h.bins.size();
    const std::string edges =
        last ? fmt::format("{}+", bin.from) : fmt::format("{}-{}", bin.from, h.bins[i + 1].from - 1);
    const auto bar = static_cast<std::size_t>(
        std::ceil(kWidth * static_cast<double>(bin.count) / static_cast<double>(most)));
    out << fmt::format("{:{}}{:>12} {:<40} {}\n", "", indent, edges, std::string(bar, '#'),
                       grouped(bin.count));
  }
}

}  // namespace

Json JsonWriter::object(const Snapshot& snapshot) const {
  Json out = Json::object();
  for (const Statistic& s : snapshot.all()) {
    if (detail_ == Detail::Values) {
      out[s.info.name] = json_of(s.reading);
      continue;
    }
    Json one = {{"value", json_of(s.reading)},
                {"kind", name(s.info.kind)},
                {"unit", s.info.unit},
                {"description", s.info.description}};
    if (!s.info.formula.empty()) one["formula"] = s.info.formula;
    if (!s.info.nsight.empty()) one["nsight"] = s.info.nsight;
    out[s.info.name] = std::move(one);
  }
  return out;
}

void JsonWriter::write(std::ostream& out, const Snapshot& snapshot) const {
  out << object(snapshot).dump(2) << '\n';
}

void CsvWriter::write(std::ostream& out, const Snapshot& snapshot) const {
  out << "name,value,unit,kind,nsight,description\n";
  for (const Statistic& s : snapshot.all()) {
    if (const auto* n = std::get_if<std::uint64_t>(&s.reading)) {
      csv_row(out, s.info, "", fmt::format("{}", *n), s.info.unit);
    } else if (const auto* d = std::get_if<double>(&s.reading)) {
      csv_row(out, s.info, "", csv_number(*d), s.info.unit);
    } else {
      const auto& h = std::get<HistogramValue>(s.reading);
      csv_row(out, s.info, ".samples", fmt::format("{}", h.samples), "samples");
      csv_row(out, s.info, ".mean", csv_number(h.mean()), s.info.unit);
      csv_row(out, s.info, ".largest", fmt::format("{}", h.largest), s.info.unit);
      for (const Bin& bin : h.bins)
        csv_row(out, s.info, fmt::format("[{}]", bin.from), fmt::format("{}", bin.count), "samples");
    }
  }
}

void TextWriter::write(std::ostream& out, const Snapshot& snapshot) const {
  std::size_t names = 0, values = 0, units = 0;
  for (const Statistic& s : snapshot.all()) {
    names = std::max(names, s.info.name.size());
    values = std::max(values, text_of(s.reading).size());
    units = std::max(units, s.info.unit.size());
  }
  for (const Statistic& s : snapshot.all()) {
    const auto* h = std::get_if<HistogramValue>(&s.reading);
    out << fmt::format("{:<{}}  {:>{}} {:<{}}  {}{}\n", s.info.name, names, text_of(s.reading), values,
                       s.info.unit, units, s.info.description, h == nullptr ? "" : " (mean)");
    if (h != nullptr) draw(out, *h, names + 2);
  }
}

}  // namespace heddle::stats
