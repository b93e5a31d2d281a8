#include "validation/mergers.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <functional>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "base/error.h"
#include "validation/embedded.h"
#include "validation/measure.h"
#include "validation/silicon.h"

namespace heddle::validation {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

std::size_t index_of(const std::vector<MergerDesign>& designs, const std::string& name) {
  const auto at = std::ranges::find(designs, name, &MergerDesign::name);
  if (at == designs.end())
    throw Error(fmt::format("mergers.csv compares with a design '{}' that it does not list above", name));
  return static_cast<std::size_t>(at - designs.begin());
}

MergerPoint point(const Program& program, const Selection& selection, const MergerDesign& design) {
  std::vector<std::string> settings = selection.settings;
  settings.insert(settings.end(), design.settings.begin(), design.settings.end());
  const Measurement m = measure(program, silicon_run(settings, 1));
  const auto& s = m.total.merger();
  return {s.offered_sectors,          s.forwarded_sectors,    s.merged_sectors, s.held_sectors,
          m.total.l2().reads.sectors, s.offered - s.bypassed, s.unrecorded,     m.work_cycles};
}

CardMerging card_merging(const std::vector<CsvRow>& counters, std::string_view program) {
  CardMerging card;
  for (const CsvRow& launch : counters) {
    if (csv_text(launch, "program") != program) continue;
    card.received += csv_number(launch, "l1tex__m_xbar2l1tex_read_sectors.sum");
    card.l2_reads += csv_number(launch, "lts__t_sectors_srcunit_tex_op_read.sum");
  }
  return card;
}

// Runs work(0) to work(count - 1) on several threads; none of them may touch what another one uses. The
// error of the lowest number is thrown, so that it does not depend on the threads.
void run_side_by_side(std::size_t count, std::uint32_t threads,
                      const std::function<void(std::size_t)>& work) {
  std::vector<std::exception_ptr> errors(count);
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  auto worker = [&] {
    for (std::size_t i = next++; i < count && !failed; i = next++) {
      try {
        work(i);
      } catch (...) {
        errors[i] = std::current_exception();
        failed = true;
      }
    }
  };
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> pool;
  for (std::uint32_t t = 1; t < threads && t < count; ++t) pool.emplace_back(worker);
  worker();
  for (std::thread& t : pool) t.join();
  for (const std::exception_ptr& e : errors)
    if (e) std::rethrow_exception(e);
}

double mean(const std::vector<MergerRow>& rows, const std::function<double(const MergerRow&)>& value) {
  double sum = 0;
  for (const MergerRow& r : rows) sum += value(r);
  return sum / static_cast<double>(rows.size());
}

double geometric_mean(const std::vector<MergerRow>& rows,
                      const std::function<double(const MergerRow&)>& ratio) {
  return std::exp(mean(rows, [&](const MergerRow& r) { return std::log(ratio(r)); }));
}

// "nbody -12.0%": where cycles beside another design change most.
std::string largest_change(const MergersResult& r, std::size_t design, std::size_t beside) {
  const MergerRow* row = nullptr;
  double largest = 0;
  for (const MergerRow& candidate : r.rows) {
    const double change =
        to_double(candidate.points[design].cycles) / to_double(candidate.points[beside].cycles) - 1;
    if (row != nullptr && std::fabs(change) <= std::fabs(largest)) continue;
    row = &candidate;
    largest = change;
  }
  return fmt::format("{} {:+.1f}%", row->program, 100 * largest);
}

}  // namespace

double MergerPoint::kept() const {
  return offered == 0 ? 0 : to_double(merged + held) / to_double(offered);
}

double CardMerging::kept() const {
  return received == 0 ? 0 : 1 - l2_reads / received;
}

std::vector<MergerDesign> merger_designs() {
  const EmbeddedFile& file = find_embedded(embedded_data(), "mergers");
  std::vector<MergerDesign> designs;
  for (const CsvRow& row : parse_csv(file.text, file.file)) {
    MergerDesign design{csv_text(row, "design"), csv_text(row, "beside"), csv_text(row, "description"),
                        words(csv_text(row, "settings"))};
    if (!design.beside.empty()) index_of(designs, design.beside);
    designs.push_back(std::move(design));
  }
  return designs;
}

double MergersResult::mean_kept(std::size_t design) const {
  return mean(rows, [&](const MergerRow& r) { return r.points[design].kept(); });
}

double MergersResult::mean_card_kept() const {
  return mean(rows, [](const MergerRow& r) { return r.card.kept(); });
}

double MergersResult::mean_l2_reads(std::size_t design) const {
  return geometric_mean(rows, [&](const MergerRow& r) {
    return to_double(r.points[design].l2_reads) / to_double(r.points[reference].l2_reads);
  });
}

double MergersResult::mean_card_l2_reads() const {
  return geometric_mean(
      rows, [&](const MergerRow& r) { return r.card.l2_reads / to_double(r.points[reference].l2_reads); });
}

double MergersResult::cycles(const MergerRow& row, std::size_t design) const {
  return to_double(row.points[design].cycles) / to_double(row.points[reference].cycles);
}

double MergersResult::mean_cycles(std::size_t design) const {
  return geometric_mean(rows, [&](const MergerRow& r) { return cycles(r, design); });
}

MergersResult compare_mergers(const Selection& selection) {
  MergersResult r;
  r.designs = merger_designs();
  const auto own = [](const MergerDesign& design) { return design.settings.empty(); };
  if (std::ranges::count_if(r.designs, own) != 1)
    throw Error("mergers.csv must have exactly one design without settings: the card");
  r.reference = static_cast<std::size_t>(std::ranges::find_if(r.designs, own) - r.designs.begin());
  const std::vector<CsvRow> counters = silicon_counters();
  for (const Program& p : programs())
    if (selection.program.empty() || selection.program == p.name)
      r.rows.push_back(
          {std::string(p.name), card_merging(counters, p.name), std::vector<MergerPoint>(r.designs.size())});
  run_side_by_side(r.rows.size() * r.designs.size(), selection.threads, [&](std::size_t i) {
    MergerRow& row = r.rows[i / r.designs.size()];
    const std::size_t design = i % r.designs.size();
    row.points[design] = point(find_program(row.program), selection, r.designs[design]);
  });
  return r;
}

std::vector<std::string> findings(const MergersResult& r) {
  std::vector<std::string> out;
  out.push_back(fmt::format(
      "{} keeps {:.1f}% of the read sectors that miss in L1s from L2 (mean of {} "
      "programs); the H200 itself {:.1f}%",
      r.designs[r.reference].name, 100 * r.mean_kept(r.reference), r.rows.size(), 100 * r.mean_card_kept()));
  for (std::size_t i = 0; i < r.designs.size(); ++i) {
    const MergerDesign& design = r.designs[i];
    if (design.beside.empty()) continue;
    const std::size_t beside = index_of(r.designs, design.beside);
    const auto change = [](double ours, double other) { return 100 * (ours / other - 1); };
    out.push_back(
        fmt::format("{} beside {}: {:.1f}% instead of {:.1f}% kept from L2; L2 reads {:+.1f}%; "
                    "cycles {:+.1f}% (most: {})",
                    design.name, design.beside, 100 * r.mean_kept(i), 100 * r.mean_kept(beside),
                    change(r.mean_l2_reads(i), r.mean_l2_reads(beside)),
                    change(r.mean_cycles(i), r.mean_cycles(beside)), largest_change(r, i, beside)));
  }
  return out;
}

}  // namespace heddle::validation
