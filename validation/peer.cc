#include "validation/peer.h"

#include <cmath>

#include <fmt/format.h>

#include "validation/embedded.h"
#include "validation/measure.h"

namespace heddle::validation {
namespace {

constexpr double kPeerLaunchCycles = 5000;  // of every launch; ours are taken off as well

// Counts as the peer counts: sectors; a read of what is under way already is no miss; a write that finds its
// sector is a hit, wherever it goes then.
std::vector<Figure> figures(const Measurement& m, const CsvRow& peer) {
  const auto& l1 = m.total.l1();
  const auto& l2 = m.total.l2();
  const std::uint64_t l1_accesses =
      l1.global.read + l1.global.written + l1.local.read + l1.local.written + l1.atomics.in;
  const std::uint64_t l1_misses = l1.global.read_asked + l1.global.written - l1.global.written_hit +
                                  l1.local.read_asked + l1.local.written - l1.local.written_hit;
  const std::uint64_t l2_accesses = l2.reads.sectors + l2.writes.sectors + l2.atomics.sectors;
  const std::uint64_t l2_misses = l2.fetched_sectors + l2.writes.sectors - l2.writes.hit_sectors;
  return {{"cycles", to_double(m.work_cycles),
           csv_number(peer, "cycles") - kPeerLaunchCycles * csv_number(peer, "launches")},
          {"L1 accesses", to_double(l1_accesses), csv_number(peer, "l1_accesses_sectors")},
          {"L1 misses", to_double(l1_misses), csv_number(peer, "l1_misses_sectors")},
          {"L2 accesses", to_double(l2_accesses), csv_number(peer, "l2_accesses_sectors")},
          {"L2 misses", to_double(l2_misses), csv_number(peer, "l2_misses_sectors")},
          {"DRAM reads", to_double(m.total.dram().read_bytes) / 32, csv_number(peer, "dram_read_sectors")},
          {"warp instructions", to_double(m.total.sm().instructions), csv_number(peer, "warp_instructions")}};
}

// The knife edge of atax: 257 lines in 256 ways (docs/validation.md).
bool judged(const std::string& program, const std::string& quantity) {
  return program != "atax" || (quantity != "L2 accesses" && quantity != "L1 misses");
}

void add_verdicts(PeerResult& r) {
  int programs = 0, near = 0;
  bool l1 = true, l2 = true;
  for (const Row& row : r.comparison.rows) {
    l1 = l1 && std::fabs(row.figure("L1 accesses").error()) <= 0.10;
    if (judged(row.program, "L2 accesses")) l2 = l2 && std::fabs(row.figure("L2 accesses").error()) <= 0.10;
    if (row.detail != "warm") continue;
    ++programs;
    near += std::fabs(row.figure("cycles").error()) <= 0.20;
  }
  auto& v = r.comparison.verdicts;
  v.push_back({fmt::format("cycles within 20% on {} of {} programs (aim: 6 of 8)", near, programs),
               near * 8 >= programs * 6});
  v.push_back({"L1 accesses within 10%", l1});
  v.push_back({"L2 accesses within 10% (atax excepted)", l2});
}

void add_speed_verdicts(PeerResult& r) {
  double log_sum = 0, least = HUGE_VAL;
  int n = 0;
  for (const SpeedRow& s : r.speed) {
    if (s.detail != "warm") continue;
    log_sum += std::log(s.ratio());
    least = std::fmin(least, s.ratio());
    ++n;
  }
  const double mean = n == 0 ? 0 : std::exp(log_sum / n);
  r.speed_verdicts.push_back(
      {fmt::format("at least {:.0f} times faster on each program (aim: 50)", least), least >= 50});
  r.speed_verdicts.push_back(
      {fmt::format("{:.0f} times as the geometric mean (aim: 150)", mean), mean >= 150});
}

}  // namespace

PeerResult compare_with_peer(const Selection& selection, const Tolerances& tolerances) {
  PeerResult r;
  r.comparison.against = "peer";
  const EmbeddedFile& file = find_embedded(embedded_data(), "peer_gpgpusim");
  std::vector<double> cycle_errors;
  for (const CsvRow& peer : parse_csv(file.text, file.file)) {
    const std::string& program = csv_text(peer, "kernel");
    if (!csv_text(peer, "simulator").starts_with("GPGPU-Sim")) continue;
    if (!selection.program.empty() && selection.program != program) continue;
    const bool cold = csv_text(peer, "l2_at_start") == "cold";
    std::vector<std::string> settings = selection.settings;
    settings.emplace_back(cold ? "gpu.l2_at_start=cold" : "gpu.l2_at_start=host_copies");
    const Measurement m = measure(find_program(program), {"qv100-gpgpusim", settings, selection.threads});
    Row row{program, cold ? "cold" : "warm", figures(m, peer)};
    for (const Figure& f : row.figures)
      if (f.defined() && judged(program, f.quantity))
        judge(r.comparison, tolerances, program, row.detail, f.quantity, f.error());
    if (!cold) cycle_errors.push_back(row.figure("cycles").error());
    r.speed.push_back({program, row.detail, m.cpu_seconds, csv_number(peer, "cpu_seconds")});
    r.comparison.rows.push_back(std::move(row));
  }
  if (selection.program.empty())
    judge(r.comparison, tolerances, "mean", "warm", "cycles", mean_of_absolute(cycle_errors));
  add_verdicts(r);
  add_speed_verdicts(r);
  return r;
}

}  // namespace heddle::validation
