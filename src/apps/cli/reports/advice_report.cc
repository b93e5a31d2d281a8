#include "apps/cli/reports/advice_report.h"

#include <cmath>

#include <fmt/format.h>

#include "apps/cli/reports/grid_shape.h"
#include "base/csv.h"
#include "base/numbers.h"
#include "base/text.h"
#include "study/evaluation/table.h"

namespace heddle::cli {
namespace {

using study::ClusteringTrial;
using study::KernelAdvice;
using study::KernelEffect;

std::string change(std::uint64_t now, std::uint64_t before) {
  if (before == 0) return "";
  return fmt::format("{:+.1f}%", 100 * (static_cast<double>(now) / static_cast<double>(before) - 1));
}

study::Table trials(const KernelAdvice& a) {
  study::Table t;
  t.id = a.kernel;
  t.columns = {{"what", false},    {"cycles", true}, {"speed-up", true},
               {"L2 reads", true}, {"change", true}, {"L1 hits", true}};
  const KernelEffect& before = a.as_it_is();
  for (const auto& [trial, e] : a.tried) {
    const bool first = trial.way == ClusteringTrial::Way::AsItIs;
    const bool same = !first && trial.way != ClusteringTrial::Way::WithoutL1 && e.rewritten == 0;
    if (same) continue;
    const double speed_up = static_cast<double>(before.cycles) / static_cast<double>(e.cycles);
    t.rows.push_back({trial.name() + (a.take && *a.take == trial ? "  <" : ""), grouped(e.cycles),
                      first ? "" : fmt::format("{:.2f}", speed_up), grouped(e.l2_reads),
                      first ? "" : change(e.l2_reads, before.l2_reads),
                      std::isnan(e.hit_rate()) ? "" : fmt::format("{:.0f}%", 100 * e.hit_rate())});
  }
  return t;
}

void print_line(std::string_view what, const std::string& text, std::ostream& out) {
  constexpr std::size_t kIndent = 12;
  out << fmt::format("  {:<10}{}", what, wrapped(text, 100, kIndent).substr(kIndent));
}

void print_reasons(std::string_view what, std::string_view result, const std::vector<std::string>& reasons,
                   std::ostream& out) {
  print_line(what, fmt::format("{}: {}", result, join(reasons, "; ")), out);
}

std::string_view word(cta_clustering::Order order) {
  return order == cta_clustering::Order::Column ? "by columns"
         : order == cta_clustering::Order::Tile ? "by tiles"
                                                : "by rows";
}

void print_found(const cta_clustering::StaticClass& c, std::ostream& out) {
  print_reasons("text", cta_clustering::name(c.category), c.reasons, out);
  print_reasons("partition", word(c.partition.order), c.partition.reasons, out);
  if (!c.measure.empty()) print_line("open", c.measure, out);
  if (!c.assumed.empty()) print_line("assumed", join(c.assumed, "; "), out);
}

void print_kernel(const KernelAdvice& a, bool markdown, std::ostream& out) {
  out << fmt::format("{}: {}, grid {} of {} threads, {} CTAs per SM\n", a.kernel,
                     counted(a.launched.launches, "launch"), shape(a.launched.first.grid),
                     shape(a.launched.first.block), a.as_it_is().ctas_per_sm);
  print_found(a.text.found, out);
  print_reasons("measured", cta_clustering::name(a.measured.category), a.measured.reasons, out);
  out << fmt::format("  {:<10}{}\n", "category", cta_clustering::name(a.category));
  if (!a.refused.empty()) print_line("refused", a.refused, out);
  out << "\n" << (markdown ? study::as_markdown(trials(a)) : study::as_text(trials(a))) << "\n";
  if (a.take)
    out << fmt::format("  Take {}: {:.2f} times as fast is predicted.\n\n", a.take->name(), a.speed_up);
  else
    out << "  Leave it as it is: nothing that was tried is faster.\n\n";
}

}  // namespace

void print_text(const cta_clustering::StaticReport& report, std::ostream& out) {
  for (const std::string& line : cta_clustering::lines(report)) out << line << "\n";
}

void print_advice(const std::vector<KernelAdvice>& kernels, bool markdown, std::ostream& out) {
  for (const KernelAdvice& a : kernels) print_kernel(a, markdown, out);
}

std::string advice_csv(const AdviceOf& of, const std::vector<KernelAdvice>& kernels) {
  std::string text =
      "gpu,workload,scale,seed,kernel,design,launches,rewritten,cycles,speedup,l2_reads,l1_hit_rate,"
      "ctas_per_sm,source,best\n";
  for (const KernelAdvice& a : kernels)
    for (const auto& [trial, e] : a.tried) {
      const bool best = a.take ? *a.take == trial : trial.way == ClusteringTrial::Way::AsItIs;
      text += fmt::format("{},{},{},{},{},{},{},{},{},{:.4f},{},{},{},{},{}\n", csv_field(of.gpu),
                          csv_field(of.workload), of.scale, of.seed, csv_field(a.kernel),
                          csv_field(trial.name()), e.launches, e.rewritten, e.cycles,
                          static_cast<double>(a.as_it_is().cycles) / static_cast<double>(e.cycles),
                          e.l2_reads, std::isnan(e.hit_rate()) ? "" : fmt::format("{:.4f}", e.hit_rate()),
                          e.ctas_per_sm, cta_clustering::name(a.category), best ? "yes" : "");
    }
  return text;
}

}  // namespace heddle::cli
