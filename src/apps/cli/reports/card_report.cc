#include "apps/cli/reports/card_report.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "apps/cli/reports/grid_shape.h"
#include "base/csv.h"
#include "base/demangle.h"
#include "base/text.h"
#include "study/evaluation/table.h"

namespace heddle::cli {
namespace {

using card::KernelTimes;
using study::CardTrial;
using study::ClusteringTrial;
using Way = ClusteringTrial::Way;

// Names of all kernels, in the order of first launch.
std::vector<std::string> kernels_of(const std::vector<CardTrial>& tried) {
  std::vector<std::string> names;
  for (const CardTrial& t : tried)
    for (const KernelTimes& k : t.kernels)
      if (std::find(names.begin(), names.end(), k.kernel) == names.end()) names.push_back(k.kernel);
  return names;
}

bool has_agents(const ClusteringTrial& t) {
  return t.clusters() && t.way != Way::Redirection;
}

// Agents of an SM that take tasks; none: the design has no agents, or the kernel was left as it is.
std::optional<std::uint32_t> active_agents(const ClusteringTrial& t, const KernelTimes& k) {
  if (!has_agents(t) || k.rewritten == 0) return std::nullopt;
  return t.active == 0 ? k.ctas_per_sm : std::min(t.active, k.ctas_per_sm);
}

const CardTrial* as_it_is(const std::vector<CardTrial>& tried) {
  const auto at =
      std::find_if(tried.begin(), tried.end(), [](const CardTrial& t) { return t.trial.way == Way::AsItIs; });
  return at != tried.end() ? &*at : nullptr;
}

// Over the program as it is; none: it did not run, or not well.
std::optional<double> speed_up(const CardRuns& runs, const CardTrial& t, const KernelTimes& k) {
  const CardTrial* const plain = as_it_is(runs.tried);
  if (plain == nullptr || plain == &t || !plain->good() || !t.good()) return std::nullopt;
  const KernelTimes* const before = plain->kernel(k.kernel);
  if (before == nullptr || k.span().median <= 0 || before->span().median <= 0) return std::nullopt;
  return before->span().median / k.span().median;
}

std::string agents_text(const ClusteringTrial& t, const KernelTimes& k) {
  const auto active = active_agents(t, k);
  if (!active) return "";
  return *active == k.ctas_per_sm ? std::to_string(*active) : fmt::format("{} of {}", *active, k.ctas_per_sm);
}

std::string note(const CardTrial& t) {
  if (!t.error.empty()) return "failed";
  return t.verification.ok ? "right" : "WRONG";
}

study::Table table(const CardRuns& runs, const std::string& kernel) {
  study::Table table;
  table.id = kernel;
  table.columns = {{"what", false},    {"us", true},        {"least", true},  {"most", true},
                   {"speed-up", true}, {"agents/SM", true}, {"result", false}};
  const CardTrial* const best = study::fastest(runs.tried, kernel);
  for (const CardTrial& t : runs.tried) {
    const KernelTimes* const k = t.kernel(kernel);
    if (k == nullptr || (t.trial.way != Way::AsItIs && k->rewritten == 0)) continue;
    const card::TimeSpan time = k->span();
    const auto faster = speed_up(runs, t, *k);
    table.rows.push_back({t.trial.name() + (&t == best ? "  <" : ""), fmt::format("{:.2f}", time.median),
                          fmt::format("{:.2f}", time.least), fmt::format("{:.2f}", time.most),
                          faster ? fmt::format("{:.2f}", *faster) : "", agents_text(t.trial, *k), note(t)});
  }
  return table;
}

void print_kernel(const CardRuns& runs, const std::string& kernel, bool markdown, std::ostream& out) {
  const CardTrial* const first = &*std::find_if(
      runs.tried.begin(), runs.tried.end(), [&](const CardTrial& t) { return t.kernel(kernel) != nullptr; });
  const KernelTimes& k = *first->kernel(kernel);
  const std::string timed =
      k.timed.size() == k.launches ? "" : fmt::format(", the first {} timed", k.timed.size());
  out << fmt::format("\n{}: {}{}, grid {} of {} threads, {} CTAs per SM\n", base_name(kernel),
                     counted(k.launches, "launch"), timed, shape(k.first.grid), shape(k.first.block),
                     k.ctas_per_sm);
  const study::Table t = table(runs, kernel);
  out << (markdown ? study::as_markdown(t) : study::as_text(t));
  const bool tried = std::any_of(runs.tried.begin(), runs.tried.end(),
                                 [](const CardTrial& c) { return c.trial.way != Way::AsItIs; });
  const bool changed = std::any_of(runs.tried.begin(), runs.tried.end(), [&](const CardTrial& c) {
    const KernelTimes* const now = c.kernel(kernel);
    return now != nullptr && now->rewritten != 0;
  });
  if (tried && !changed)
    out << "  No design can rewrite it; heddle cluster " << runs.workload << " tells why.\n";
}

void print_problems(const CardRuns& runs, std::ostream& out) {
  for (const CardTrial& t : runs.tried) {
    if (t.good()) continue;
    const std::string what =
        !t.error.empty() ? "failed: " + t.error : "WRONG result: " + t.verification.detail;
    out << visible(fmt::format("  {}: {}\n", t.trial.name(), what), true);
  }
}

std::string dimensions(const workload::Dim3& d) {
  return fmt::format("{}x{}x{}", d.x, d.y, d.z);
}

std::string csv_line(const CardRuns& runs, const CardTrial& t, const KernelTimes* k) {
  std::vector<std::string> fields = {
      runs.card.name, runs.workload, runs.scale, std::to_string(runs.seed), k != nullptr ? k->kernel : "",
      t.trial.name()};
  if (k == nullptr) {
    fields.resize(fields.size() + 11);
  } else {
    const card::TimeSpan time = k->span();
    const auto faster = speed_up(runs, t, *k);
    const auto active = active_agents(t.trial, *k);
    fields.insert(fields.end(),
                  {dimensions(k->first.grid), dimensions(k->first.block), std::to_string(k->launches),
                   std::to_string(k->timed.size()), std::to_string(k->rewritten),
                   fmt::format("{:.3f}", time.median), fmt::format("{:.3f}", time.least),
                   fmt::format("{:.3f}", time.most), faster ? fmt::format("{:.4f}", *faster) : "",
                   std::to_string(k->ctas_per_sm), active ? std::to_string(*active) : ""});
  }
  fields.emplace_back(t.error.empty() ? (t.verification.ok ? "yes" : "no") : "");
  std::string error = t.error.empty() ? t.verification.detail : t.error;
  std::replace(error.begin(), error.end(), '\n', ' ');
  fields.push_back(visible(error));
  std::string line;
  for (const std::string& f : fields) line += (&f == fields.data() ? "" : ",") + csv_field(f);
  return line + "\n";
}

}  // namespace

bool CardRuns::good() const {
  return std::all_of(tried.begin(), tried.end(), [](const CardTrial& t) { return t.good(); });
}

void print_card_runs(const CardRuns& runs, bool markdown, std::ostream& out) {
  out << fmt::format("{} on {}, {} SMs: {}, seed {}; {}, median of {}\n", runs.workload,
                     visible(runs.card.name), runs.card.sms, runs.scale, runs.seed,
                     counted(runs.tried.size(), "design"), counted(runs.repeat, "time"));
  for (const std::string& kernel : kernels_of(runs.tried)) print_kernel(runs, kernel, markdown, out);
  print_problems(runs, out);
  out << "\n";
}

std::string card_csv_head() {
  return "card,workload,scale,seed,kernel,design,grid,block,launches,timed,rewritten,median_us,"
         "least_us,most_us,speedup,ctas_per_sm,agents_active,verified,problem\n";
}

std::string card_csv(const CardRuns& runs) {
  std::string text;
  for (const CardTrial& t : runs.tried) {
    for (const KernelTimes& k : t.kernels) text += csv_line(runs, t, &k);
    if (t.kernels.empty()) text += csv_line(runs, t, nullptr);
  }
  return text;
}

}  // namespace heddle::cli
