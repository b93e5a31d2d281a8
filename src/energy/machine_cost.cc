#include "energy/machine_cost.h"

#include <fmt/format.h>

#include "base/text.h"
#include "energy/crossbar_cost.h"
#include "energy/storage.h"

namespace heddle::energy {
namespace {

double mhz(Frequency f) {
  return static_cast<double>(f.count()) / 1e6;
}

std::string buffers(const mem::CrossbarPart& p) {
  return fmt::format("{}, {}", counted(p.virtual_channels, "virtual channel"),
                     counted(p.buffer_flits, "flit") + (p.virtual_channels == 1 ? "" : " each"));
}

CostLine line_of(const Cells& cells, const mem::CrossbarPart& p) {
  const CrossbarCost c = crossbar_cost(cells, p);
  const double n = p.count;
  CostLine line;
  line.what = fmt::format("{} {} x {}, {}; {}", counted(p.count, "crossbar"), p.inputs, p.outputs,
                          to_string(p.flit), buffers(p));
  line.cost = n * c.total();
  line.energy_fj = c.flit_fj;
  line.per = "flit";
  line.highest_mhz = c.highest_mhz();
  line.asked_mhz = mhz(p.clock);
  line.of = c.allocate_ps > c.cross_ps ? "allocator" : "switch";
  line.split = {{"switch", n * c.matrix},
                {"its wires", n * c.wires},
                {"input buffers", n * c.input_buffers},
                {"output queues", n * c.output_queues},
                {"registers", n * c.registers},
                {"allocator", n * c.allocator}};
  return line;
}

CostLine line_of(const Cells& cells, const mem::LinkPart& p, double reach_mm) {
  const double length = p.length_mm > 0 ? p.length_mm : p.reach * reach_mm;
  const LinkCost c = link_cost(cells, p, length);
  CostLine line;
  line.what = fmt::format("{} of {}, {:.1f} mm", counted(p.count, "link"), to_string(p.width), length);
  line.cost = static_cast<double>(p.count) * c.cost;
  line.energy_fj = c.flit_fj;
  line.per = "flit";
  line.note = fmt::format("{:.0f} ps, {}", c.ps, counted(c.cycles, "cycle"));
  return line;
}

CostLine line_of(const Cells& cells, const mem::CachePart& p) {
  const CacheCost c = cache_cost(cells, p);
  const double n = p.count;
  CostLine line;
  line.what = fmt::format("{} of {}, {} ways of {}", counted(p.count, "cache"),
                          to_string(Bytes{std::uint64_t{p.sets} * p.ways * p.line.count()}), p.ways,
                          to_string(p.line));
  line.cost = n * c.total();
  line.energy_fj = c.read_fj;
  line.per = "read";
  line.highest_mhz = c.highest_mhz();
  line.asked_mhz = mhz(p.clock);
  line.of = "array";
  line.note = fmt::format("access {:.0f} ps", c.access_ps);
  line.split = {{"data", n * c.data}, {"tags", n * c.tags}};
  return line;
}

CostLine line_of(const Cells& cells, const mem::QueuePart& p) {
  const QueueCost c = queue_cost(cells, p.entries, 8 * p.entry.count());
  CostLine line;
  line.what = fmt::format("{} of {} x {}", counted(p.count, "queue"), p.entries, to_string(p.entry));
  line.cost = static_cast<double>(p.count) * c.cost;
  line.energy_fj = c.write_fj + c.read_fj;
  line.per = "entry";
  return line;
}

std::string sized(std::uint32_t count, std::string_view what, std::uint64_t bits) {
  return fmt::format("{} x {} of {}", count, what,
                     bits % 8 == 0 ? to_string(Bytes{bits / 8}) : counted(bits, "bit"));
}

CostLine line_of(const Cells& cells, const mem::ArrayPart& p) {
  const MemoryCost c = memory_cost(cells, p);
  CostLine line;
  line.what =
      sized(p.count, p.what, std::uint64_t{p.rows} * p.row_bits) + (p.inside ? ", part of the L1" : "");
  line.cost = (p.inside ? 0.0 : p.count) * c.cost;
  line.energy_fj = c.read_fj;
  line.per = "read";
  return line;
}

CostLine line_of(const Cells& cells, const mem::TablePart& p) {
  const TableCost c = table_cost(cells, p);
  const double n = p.count;
  CostLine line;
  line.what = sized(p.count, p.what, std::uint64_t{p.entries} * (p.key_bits + p.other_bits));
  line.cost = n * c.total();
  line.energy_fj = c.search_fj;
  line.per = "search";
  line.split = {{"keys", n * c.keys}, {"others", n * c.others}};
  return line;
}

}  // namespace

Cost StructureCost::total() const {
  Cost all;
  for (const CostLine& l : lines) all += l.cost;
  return all;
}

Cost MachineCost::total() const {
  Cost all;
  for (const StructureCost& s : structures) all += s.total();
  return all;
}

MachineCost machine_cost(const Cells& cells, std::span<const mem::Structure> structures, double reach_mm) {
  MachineCost all;
  for (const mem::Structure& s : structures) {
    StructureCost& one = all.structures.emplace_back(StructureCost{s.name, {}});
    for (const mem::CrossbarPart& p : s.crossbars) one.lines.push_back(line_of(cells, p));
    for (const mem::LinkPart& p : s.links) one.lines.push_back(line_of(cells, p, reach_mm));
    for (const mem::CachePart& p : s.caches) one.lines.push_back(line_of(cells, p));
    for (const mem::QueuePart& p : s.queues) one.lines.push_back(line_of(cells, p));
    for (const mem::ArrayPart& p : s.arrays) one.lines.push_back(line_of(cells, p));
    for (const mem::TablePart& p : s.tables) one.lines.push_back(line_of(cells, p));
    if (one.lines.empty()) all.structures.pop_back();  // memory chips
  }
  return all;
}

}  // namespace heddle::energy
