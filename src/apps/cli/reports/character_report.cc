#include "apps/cli/reports/character_report.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/reports/grid_shape.h"
#include "base/csv.h"
#include "base/numbers.h"
#include "mem/merge_window.h"
#include "study/evaluation/table.h"

namespace heddle::cli {
namespace {

using study::Table;
using Json = nlohmann::ordered_json;

constexpr std::uint32_t kShownWindows[] = {4, 16, 64, 128};

std::string number(double value, int digits) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, digits);
}
std::string share(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.1f}%", 100 * value);
}
double part(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? std::nan("") : static_cast<double>(a) / static_cast<double>(b);
}
std::string cut(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 1) + "~";
}

// "bytes of shared memory": the table has no room for units.
std::string limit(const std::string& by) {
  constexpr std::string_view kUnit = "bytes of ";
  return by.starts_with(kUnit) ? by.substr(kUnit.size()) : by;
}

// Rows or columns of CTAs; nothing where an order of CTAs would change nothing.
std::string clusters(const cta_clustering::StaticClass& c) {
  if (!cta_clustering::exploitable(c.category)) return "";
  return c.partition.order == cta_clustering::Order::Column ? "columns" : "rows";
}

Table shapes(std::span<const CharacterisedKernel> kernels) {
  Table t;
  t.title = "Shape; CTAs and warps per SM";
  t.columns = {{"kernel", false}, {"function", false}, {"launches", true}, {"grid", true},
               {"CTA", true},     {"waves", true},     {"CTAs", true},     {"warps", true},
               {"limit", false},  {"instr.", true}};
  for (const CharacterisedKernel& k : kernels)
    t.rows.push_back({k.name, cut(k.function, 18), grouped(k.launches),
                      shape(k.grid) + (k.shapes_differ ? "*" : ""), shape(k.block), number(k.waves(), 2),
                      grouped(k.occupancy.ctas), grouped(k.warps_per_sm()), limit(k.occupancy.limited_by),
                      millions(k.instructions)});
  if (std::any_of(kernels.begin(), kernels.end(),
                  [](const CharacterisedKernel& k) { return k.shapes_differ; }))
    t.below = {"*: of the first launch; others have other shapes."};
  return t;
}

Table memory(std::span<const CharacterisedKernel> kernels) {
  Table t;
  t.title = "Accesses to global memory";
  t.columns = {{"kernel", false},     {"memory", true},    {"lines/instr", true},
               {"loads/store", true}, {"footprint", true}, {"first touch", true},
               {"same warp", true},   {"same CTA", true},  {"other CTA", true}};
  for (const CharacterisedKernel& k : kernels) {
    const std::uint64_t all = k.touches.all();
    t.rows.push_back({k.name, share(k.memory_share()), number(k.lines_per_access(), 2),
                      number(k.loads_per_store(), 1), scaled(static_cast<double>(k.footprint_bytes), "B"),
                      share(part(k.touches.first, all)), share(part(k.touches.same_warp, all)),
                      share(part(k.touches.same_cta, all)), share(part(k.touches.other_cta, all))});
  }
  return t;
}

Table on_machine(std::span<const CharacterisedKernel> kernels) {
  Table t;
  t.title = "On the machine: memory instructions that wait; requests left with a window between warps";
  t.columns = {{"kernel", false}, {"cycles", true},       {"busy", true},
               {"waits", true},   {"time waiting", true}, {"waiting", true}};
  for (const std::uint32_t w : kShownWindows) t.columns.push_back({fmt::format("window {}", w), true});
  t.columns.push_back({"L1 misses", true});
  t.columns.push_back({"MPKI", true});
  for (const CharacterisedKernel& k : kernels) {
    std::vector<std::string> row = {k.name,
                                    grouped(k.cycles),
                                    share(k.busy_share()),
                                    share(k.busy_wait_share()),
                                    share(k.wait_share()),
                                    number(k.mean_waiting(), 2)};
    for (const std::uint32_t w : kShownWindows) row.push_back(share(k.left(w)));
    row.push_back(share(k.miss_rate()));
    row.push_back(number(k.misses_per_kilo(), 2));
    t.rows.push_back(std::move(row));
  }
  return t;
}

Table locality(std::span<const CharacterisedKernel> kernels) {
  Table t;
  t.title = "Locality between CTAs: measured; its source and the clusters to make, as the text tells";
  t.columns = {{"kernel", false}, {"reuse", true},     {"other CTA", true},
               {"source", false}, {"clusters", false}, {"why", false}};
  for (const CharacterisedKernel& k : kernels)
    t.rows.push_back({k.name, share(k.reuse_share()), share(k.inter_cta_share()),
                      std::string(name(k.locality.category)), clusters(k.locality),
                      k.locality.reasons.empty() ? "" : cut(k.locality.reasons.front(), 60)});
  return t;
}

using Value = std::variant<std::string, std::uint64_t, double>;
using Values = std::vector<std::pair<std::string, Value>>;

// What both files have, in their order.
Values values(const CharacterisedKernel& k) {
  Values v = {{"kernel", k.name},
              {"function", k.function},
              {"label", k.label},
              {"launches", k.launches},
              {"grid", shape(k.grid)},
              {"cta", shape(k.block)},
              {"shapes_differ", std::uint64_t{k.shapes_differ}},
              {"ctas", k.ctas},
              {"waves", k.waves()},
              {"ctas_per_sm", std::uint64_t{k.occupancy.ctas}},
              {"warps_per_sm", std::uint64_t{k.warps_per_sm()}},
              {"limited_by", k.occupancy.limited_by},
              {"warp_instructions", k.instructions},
              {"thread_instructions", k.thread_instructions},
              {"memory_share", k.memory_share()},
              {"loads", k.accesses.loads},
              {"stores", k.accesses.stores},
              {"atomics", k.accesses.atomics},
              {"load_lines", k.accesses.load_lines},
              {"store_lines", k.accesses.store_lines},
              {"atomic_lines", k.accesses.atomic_lines},
              {"lines_per_instruction", k.lines_per_access()},
              {"loads_per_store", k.loads_per_store()},
              {"footprint_bytes", k.footprint_bytes},
              {"touches", k.touches.all()},
              {"first_touch", part(k.touches.first, k.touches.all())},
              {"same_warp", part(k.touches.same_warp, k.touches.all())},
              {"same_cta", part(k.touches.same_cta, k.touches.all())},
              {"other_cta", part(k.touches.other_cta, k.touches.all())},
              {"cycles", k.cycles},
              {"sms_busy", k.busy_share()},
              {"busy_waiting", k.busy_wait_share()},
              {"time_waiting", k.wait_share()},
              {"mean_waiting", k.mean_waiting()},
              {"l1_reads", k.l1_reads},
              {"l1_misses", k.l1_misses},
              {"l1_miss_rate", k.miss_rate()},
              {"mpki", k.misses_per_kilo()},
              {"inter_cta_share", k.inter_cta_share()},
              {"locality", std::string(name(k.locality.category))},
              {"clusters", clusters(k.locality)}};
  return v;
}

// The windows of the CSV: powers of two, as the paper's figure has them.
Values windows(const CharacterisedKernel& k) {
  Values v;
  for (std::uint32_t w = 1; w <= mem::kMostWindow; w *= 2)
    v.emplace_back(fmt::format("left_window_{}", w), k.left(w));
  return v;
}

std::string csv_value(const Value& v) {
  if (const auto* text = std::get_if<std::string>(&v)) return csv_field(*text);
  if (const auto* count = std::get_if<std::uint64_t>(&v)) return fmt::format("{}", *count);
  const double d = std::get<double>(v);
  return std::isnan(d) ? "" : fmt::format("{}", d);
}

}  // namespace

double CharacterisedKernel::reuse_share() const {
  return part(touches.all() - touches.first, touches.all());
}

double CharacterisedKernel::inter_cta_share() const {
  return part(touches.other_cta, touches.all() - touches.first);
}

void print_character(std::span<const CharacterisedKernel> kernels, std::ostream& out) {
  out << as_text(shapes(kernels)) << "\n"
      << as_text(memory(kernels)) << "\n"
      << as_text(on_machine(kernels)) << "\n"
      << as_text(locality(kernels));
}

std::string character_csv(std::span<const CharacterisedKernel> kernels) {
  std::string text;
  for (const CharacterisedKernel& k : kernels) {
    std::string head, line;
    for (const Values& some : {values(k), windows(k)})
      for (const auto& [name, value] : some) {
        head += (head.empty() ? "" : ",") + name;
        line += (line.empty() ? "" : ",") + csv_value(value);
      }
    if (text.empty()) text = head + "\n";
    text += line + "\n";
  }
  return text;
}

Json character_json(std::span<const CharacterisedKernel> kernels) {
  Json all = Json::array();
  for (const CharacterisedKernel& k : kernels) {
    Json one = Json::object();
    for (const auto& [name, value] : values(k))
      std::visit([&, &key = name](const auto& v) { one[key] = v; }, value);  // not a number: null
    one["shapes_differ"] = k.shapes_differ;
    Json left = Json::array();
    for (std::uint32_t w = 0; w <= mem::kMostWindow; ++w) left.push_back(k.left(w));
    one["left_by_window"] = left;
    all.push_back(one);
  }
  return all;
}

}  // namespace heddle::cli
