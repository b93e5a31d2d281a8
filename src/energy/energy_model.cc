#include "energy/energy_model.h"

#include <array>
#include <cmath>

#include "energy/crossbar_cost.h"
#include "energy/machine_cost.h"
#include "energy/storage.h"

namespace heddle::energy {
namespace {

constexpr double kPjPerFj = 1e-3, kWattsPerNw = 1e-9;
constexpr const char* kTime = "gpu.picoseconds";  // pJ / ps = W

// Adds terms of one structure.
class Terms {
 public:
  Terms(EnergyModel& model, const mem::Structure& s) : model_(model), structure_(s) {}

  void spent(const char* what, const mem::Counts& counts, double pj) {
    if (pj == 0) return;
    for (const mem::Count& c : counts)
      model_.terms.push_back(
          {structure_.region, structure_.name + ": " + what, c.statistic, pj * c.times, false});
  }
  void watts(const char* what, double watts, bool standing = true) {
    if (watts == 0) return;
    model_.terms.push_back({structure_.region, structure_.name + ": " + what, kTime, watts, standing});
  }

 private:
  EnergyModel& model_;
  const mem::Structure& structure_;
};

class ModelMaker {
 public:
  ModelMaker(const EnergySpec& spec, Frequency core, double reach_mm)
      : spec_(spec),
        cells_(find_tech(spec.process)),
        core_hz_(static_cast<double>(core.count())),
        reach_mm_(reach_mm) {
    model_.other_watts = spec.other_watts;
  }

  void add(const mem::Structure& s) {
    Terms terms(model_, s);
    double leakage_nw = 0;
    for (const mem::CrossbarPart& p : s.crossbars) leakage_nw += crossbar(p, s, terms);
    for (const mem::LinkPart& p : s.links) leakage_nw += link(p, s, terms);
    for (const mem::CachePart& p : s.caches) leakage_nw += cache(p, terms);
    for (const mem::QueuePart& p : s.queues) leakage_nw += queue(p, terms);
    for (const mem::ArrayPart& p : s.arrays) leakage_nw += array(p, terms);
    for (const mem::TablePart& p : s.tables) leakage_nw += table(p, terms);
    for (const mem::WorkPart& p : s.work)
      terms.spent(name_of(p.kind), p.done, spec_.work_factor * work_pj(p.kind, cells_.tech()));
    for (const mem::DramPart& p : s.drams) dram(p, terms);
    terms.watts("leakage", leakage_nw * kWattsPerNw);
    if (s.units == 0) return;
    terms.watts("for being there", s.units * spec_.sm_watts);
    terms.spent("with a warp", {{"sm.active_cycles"}}, spec_.busy_sm_watts / core_hz_ * 1e12);
  }

  EnergyModel take() { return std::move(model_); }

 private:
  static const char* name_of(mem::WorkPart::Kind kind) {
    using Kind = mem::WorkPart::Kind;
    switch (kind) {
      case Kind::Issue:
        return "issue of a warp's instruction";
      case Kind::Simple:
        return "simple operation of a lane";
      case Kind::Multiply:
        return "integer multiplication of a lane";
      case Kind::Float:
        return "FP32 operation of a lane";
      case Kind::Double:
        return "FP64 operation of a lane";
      case Kind::Special:
        return "special function of a lane";
      case Kind::Tensor:
        return "lane's part of a matrix product";
      case Kind::Memory:
        return "lane's address and data";
    }
    return "";
  }

  double crossbar(const mem::CrossbarPart& p, const mem::Structure& s, Terms& terms) {
    const CrossbarCost c = crossbar_cost(cells_, p);
    terms.spent("flit across a switch", p.flits.empty() ? s.flits : p.flits,
                spec_.network_factor * p.crossings * c.flit_fj * kPjPerFj);
    const double hz = static_cast<double>(p.clock.count());
    terms.watts("clock of switches", p.count * c.clock_fj * 1e-15 * hz, false);
    return p.count * c.total().static_nw;
  }

  double link(const mem::LinkPart& p, const mem::Structure& s, Terms& terms) {
    const LinkCost c = link_cost(cells_, p, p.length_mm > 0 ? p.length_mm : p.reach * reach_mm_);
    terms.spent("flit along a link", p.flits.empty() ? s.flits : p.flits,
                spec_.network_factor * p.crossings * c.flit_fj * kPjPerFj);
    return p.count * c.cost.static_nw;
  }

  double cache(const mem::CachePart& p, Terms& terms) {
    const CacheCost c = cache_cost(cells_, p);
    const double factor = spec_.array_factor * kPjPerFj;
    terms.spent("lookup of tags", p.lookups, factor * c.lookup_fj);
    terms.spent("read of data", p.reads, factor * (c.read_fj - c.lookup_fj));
    terms.spent("write of data", p.writes, factor * (c.write_fj - c.lookup_fj));
    return p.count * c.total().static_nw;
  }

  double queue(const mem::QueuePart& p, Terms& terms) {
    const QueueCost c = queue_cost(cells_, p.entries, 8 * p.entry.count());
    terms.spent("entry of a queue", p.entered, spec_.array_factor * (c.write_fj + c.read_fj) * kPjPerFj);
    return p.count * c.cost.static_nw;
  }

  double array(const mem::ArrayPart& p, Terms& terms) {
    const MemoryCost c = memory_cost(cells_, p);
    const double factor = spec_.array_factor * kPjPerFj;
    terms.spent((p.what + ", read").c_str(), p.reads, factor * c.read_fj);
    terms.spent((p.what + ", write").c_str(), p.writes, factor * c.write_fj);
    return p.inside ? 0 : p.count * c.cost.static_nw;
  }

  double table(const mem::TablePart& p, Terms& terms) {
    const TableCost c = table_cost(cells_, p);
    const double factor = spec_.array_factor * kPjPerFj;
    terms.spent((p.what + ", search").c_str(), p.searches, factor * c.search_fj);
    terms.spent((p.what + ", write").c_str(), p.writes, factor * c.write_fj);
    terms.spent((p.what + ", read").c_str(), p.reads, factor * c.read_fj);
    return p.count * c.total().static_nw;
  }

  void dram(const mem::DramPart& p, Terms& terms) {
    const double kib = static_cast<double>(p.row.count()) / 1024;
    terms.spent("row opened", p.activations, spec_.dram_activate_pj * kib);
    terms.spent("byte read", p.read_bytes, spec_.dram_read_pj);
    terms.spent("byte written", p.written_bytes, spec_.dram_write_pj);
    terms.spent("byte through the GPU's controllers and pins", p.read_bytes, spec_.dram_interface_pj);
    terms.spent("byte through the GPU's controllers and pins", p.written_bytes, spec_.dram_interface_pj);
    terms.spent("refresh", p.refreshes, spec_.dram_refresh_pj);
    terms.watts("for being there", p.count * spec_.dram_watts);
  }

  const EnergySpec& spec_;
  Cells cells_;
  double core_hz_, reach_mm_;
  EnergyModel model_;
};

}  // namespace

double work_pj(mem::WorkPart::Kind kind, const TechNode& tech) {
  // In the order of WorkPart::Kind, at 11 nm and 0.6 V: what was fitted to an H200 (docs/energy.md), for that
  // voltage instead of the card's. The issue of an instruction could not be told from what its lanes do.
  static constexpr double kMeasured[] = {0, 3.35, 3.84, 2.78, 13.0, 2.94, 24.8, 8.21};
  static const double measured_at = Cells(find_tech("11nm")).flip_flop_fj();
  return kMeasured[static_cast<std::size_t>(kind)] * Cells(tech).flip_flop_fj() / measured_at;
}

EnergyModel energy_model(const EnergySpec& spec, std::span<const mem::Structure> structures, Frequency core,
                         double reach_mm) {
  ModelMaker maker(spec, core, reach_mm);
  for (const mem::Structure& s : structures) maker.add(s);
  return maker.take();
}

EnergyStats EnergyModel::of(const std::function<double(std::string_view)>& value) const {
  std::array<double, mem::kRegions> spent{}, standing{};
  for (const Term& t : terms)
    (t.standing ? standing : spent)[static_cast<std::size_t>(t.region)] += t.pj * value(t.statistic);
  EnergyStats s;
  s.other = static_cast<std::uint64_t>(std::llround(other_watts * value(kTime)));
  s.all_standing = s.other;
  for (std::size_t r = 0; r < mem::kRegions; ++r) {
    s.spent[r] = static_cast<std::uint64_t>(std::llround(spent[r]));
    s.standing[r] = static_cast<std::uint64_t>(std::llround(standing[r]));
    s.all_standing += s.standing[r];
    s.total += s.spent[r];
  }
  s.total += s.all_standing;
  return s;
}

}  // namespace heddle::energy
