#include "validation/silicon.h"

#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "validation/embedded.h"

namespace heddle::validation {
namespace {

// Nsight flushed the caches before every launch: so do we.
const std::vector<std::string> kFlushed{"gpu.l2_at_start=cold", "l2.kernel_end=flush",
                                        "gpu.flush_l1_at_kernel_end=true"};

std::vector<Figure> figures(const Measurement::Launch& ours, const CsvRow& card) {
  const gpu::MachineStats& s = ours.result.stats;
  const std::string ld = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld";
  const double card_misses = csv_number(card, ld + ".sum") - csv_number(card, ld + "_lookup_hit.sum");
  return {{"load requests", to_double(s.sm().global_load.instructions),
           csv_number(card, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")},
          {"load sectors", to_double(s.sm().global_load.sectors), csv_number(card, ld + ".sum")},
          {"store requests", to_double(s.sm().global_store.instructions),
           csv_number(card, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum")},
          {"store sectors", to_double(s.sm().global_store.sectors),
           csv_number(card, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")},
          {"L1 load misses", to_double(s.l1().global.read_asked), card_misses},
          {"L2 reads", to_double(s.l2().reads.sectors),
           csv_number(card, "lts__t_sectors_srcunit_tex_op_read.sum")},
          {"DRAM reads", to_double(s.dram().read_bytes) / 32, csv_number(card, "dram__sectors_read.sum")},
          {"cycles", to_double(ours.result.cycles), csv_number(card, "gpc__cycles_elapsed.max")},
          {"registers", to_double(ours.registers), csv_number(card, "launch__registers_per_thread")},
          {"issued", to_double(s.sm().slots), csv_number(card, "smsp__inst_executed.sum")}};
}

// Counters are added up; registers are those of the first launch.
void add_to(Row& sum, const Row& launch) {
  if (sum.figures.empty()) {
    sum.figures = launch.figures;
    return;
  }
  for (std::size_t i = 0; i < sum.figures.size(); ++i) {
    if (sum.figures[i].quantity == "registers") continue;
    sum.figures[i].ours += launch.figures[i].ours;
    sum.figures[i].theirs += launch.figures[i].theirs;
  }
}

// What the program asks for is judged launch by launch; what the machine makes of it over the program,
// because a launch of one CTA shows mostly what the card does for a launch (reduce's third: 1 sector needed,
// 120 read).
bool judged_by_launch(const std::string& quantity) {
  return quantity.starts_with("load ") || quantity.starts_with("store ");
}

void judge_program(SiliconResult& r, const Tolerances& tolerances, const Row& sum, double cycle_error) {
  Comparison& c = r.comparison;
  for (const Row& row : c.rows)
    if (row.program == sum.program)
      for (const Figure& f : row.figures)
        if (judged_by_launch(f.quantity))
          judge(c, tolerances, row.program, row.detail, f.quantity, f.defined() ? f.error() : HUGE_VAL);
  for (const Figure& f : sum.figures)
    if (!judged_by_launch(f.quantity) && f.quantity != "cycles")
      judge(c, tolerances, sum.program, "", f.quantity, f.error());
  judge(c, tolerances, sum.program, "mean of launches", "cycles", cycle_error);
}

// "L2 reads within 15% on 7 of 8 programs".
Verdict aim(const SiliconResult& r, const std::string& quantity, double within) {
  std::size_t met = 0;
  for (const Row& s : r.sums) met += std::fabs(s.figure(quantity).error()) <= within;
  return {fmt::format("{} within {:.0f}% on {} of {} programs", quantity, 100 * within, met, r.sums.size()),
          met == r.sums.size()};
}

void add_verdicts(SiliconResult& r) {
  std::size_t near = 0;
  for (const Row& row : r.comparison.rows) {
    bool all = true;
    for (const Figure& f : row.figures)
      if (judged_by_launch(f.quantity)) all = all && f.defined() && std::fabs(f.error()) <= 0.02;
    near += all;
  }
  auto& v = r.comparison.verdicts;
  v.push_back({fmt::format("load and store requests and sectors within 2% on {} of {} launches", near,
                           r.comparison.rows.size()),
               near == r.comparison.rows.size()});
  v.push_back(aim(r, "L1 load misses", 0.15));
  v.push_back(aim(r, "L2 reads", 0.15));
  v.push_back(aim(r, "DRAM reads", 0.25));
  v.push_back({fmt::format("cycles: mean error {:.1f}% (aim: below 30%)", 100 * r.mean_cycle_error),
               r.mean_cycle_error < 0.30});
}

}  // namespace

RunOptions silicon_run(std::vector<std::string> settings, std::uint32_t threads) {
  settings.insert(settings.end(), kFlushed.begin(), kFlushed.end());
  return {"h200", std::move(settings), threads};
}

std::vector<CsvRow> silicon_counters() {
  const EmbeddedFile& file = find_embedded(embedded_data(), "h200_counters");
  return parse_csv(file.text, file.file);
}

SiliconResult compare_with_silicon(const Selection& selection, const Tolerances& tolerances) {
  SiliconResult r;
  r.comparison.against = "silicon";
  const std::vector<CsvRow> recorded = silicon_counters();
  const EmbeddedFile& stalls = find_embedded(embedded_data(), "h200_stalls");
  const std::vector<CsvRow> states = parse_csv(stalls.text, stalls.file);
  RunOptions options = silicon_run(selection.settings, selection.threads);
  options.settings.emplace_back("measure.warp_states=true");
  std::vector<double> means;
  for (const Program& p : programs()) {
    const std::string program(p.name);
    if (!selection.program.empty() && selection.program != program) continue;
    const Measurement m = measure(p, options);
    Row sum{program, fmt::format("{} launches", m.launches.size()), {}};
    std::vector<double> errors;
    for (const CsvRow& card : recorded) {
      if (csv_text(card, "program") != program) continue;
      const auto launch = static_cast<std::size_t>(csv_number(card, "launch"));
      if (launch >= m.launches.size())
        throw Error(fmt::format("{} made {} launches; the card made more", program, m.launches.size()));
      Row row{program, fmt::format("{} {}", launch, csv_text(card, "kernel")),
              figures(m.launches[launch], card)};
      errors.push_back(row.figure("cycles").error());
      add_to(sum, row);
      r.states.push_back(
          state_row(row, m.launches[launch].result.stats.warp_states(), states_of(states, program, launch)));
      r.comparison.rows.push_back(std::move(row));
    }
    means.push_back(mean_of_absolute(errors));
    r.cycle_errors.emplace_back(program, means.back());
    judge_program(r, tolerances, sum, means.back());
    r.sums.push_back(std::move(sum));
  }
  r.mean_cycle_error = mean_of_absolute(means);
  if (selection.program.empty()) judge(r.comparison, tolerances, "mean", "", "cycles", r.mean_cycle_error);
  add_verdicts(r);
  return r;
}

}  // namespace heddle::validation
