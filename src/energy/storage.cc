#include "energy/storage.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "energy/sram.h"

namespace heddle::energy {
namespace {

// CACTI 6.5: addresses of 42 bits, and 5 bits of state beside a tag.
constexpr std::uint32_t kAddressBits = 42, kStateBits = 5;
constexpr std::uint32_t kMostFlipFlops = 64;  // entries
constexpr std::uint32_t kMostWaysRead = 32;   // more are searched by content
constexpr double kKeyCell = 2;  // CACTI: a cell with a comparison is so much larger, all of it in its width

std::uint32_t bits_for(std::uint64_t n) {
  return n <= 1 ? 0 : static_cast<std::uint32_t>(std::bit_width(n - 1));
}

std::uint32_t tag_bits(const mem::CachePart& part) {
  const std::uint32_t known = bits_for(part.sets) + bits_for(part.line.count());
  return kAddressBits - std::min(known, kAddressBits) + kStateBits;
}

// An exclusive or of each bit (as large as a multiplexer), and all of them together.
Cost comparator(const Cells& cells, std::uint32_t bits) {
  return bits * (cells.mux2() + cells.gate2());
}

// Of keys that stand beside each other: lines that the key is compared along, and match lines.
double search_fj(const Cells& cells, double entries, double bits) {
  const TechNode& n = cells.tech();
  const double compare_um = n.sram.access_width * n.feature_um;  // of each of the transistors that compare
  const double height = std::sqrt(n.sram.area / n.sram.aspect) * n.feature_um;
  const double width = kKeyCell * std::sqrt(n.sram.area * n.sram.aspect) * n.feature_um;
  const double along_ff = entries * (height * n.metal1.ff_per_um() + compare_um * n.gate_ff_per_um);
  const double match_ff = bits * (width * n.metal1.ff_per_um() + 2 * compare_um * n.drain_ff_per_um);
  return (bits * along_ff + (entries - 1) * match_ff) * n.vdd * n.vdd;
}

}  // namespace

CacheCost cache_cost(const Cells& cells, const mem::CachePart& part) {
  CacheCost c;
  if (part.sets == 0 || part.ways == 0 || part.line.count() == 0) return c;
  const std::uint32_t banks = std::clamp(part.banks, 1u, part.sets);
  const std::uint64_t sets = (std::uint64_t{part.sets} + banks - 1) / banks;
  const std::uint64_t line = 8 * part.line.count();
  const std::uint64_t port = part.port.count() == 0 ? line : std::min(line, 8 * part.port.count());
  const std::uint32_t tag = tag_bits(part);
  const std::uint64_t tags = std::uint64_t{part.ways} * tag;
  const ArrayCost data = sram_array(cells, {sets * part.ways, line, port, part.ports});
  const ArrayCost lookup = sram_array(cells, {sets, tags, tags, part.ports});
  c.data = banks * data.cost;
  c.tags = banks * (lookup.cost + part.ports * part.ways * comparator(cells, tag));
  c.lookup_fj = part.ways > kMostWaysRead ? search_fj(cells, part.ways, tag) : lookup.read_fj;
  c.read_fj = c.lookup_fj + data.read_fj;
  c.write_fj = c.lookup_fj + data.write_fj;
  const double compare_ps = cells.gate2_ps() * (1 + Cells::levels(tag)) + cells.fanout_ps(part.ways);
  c.access_ps = lookup.access_ps + compare_ps + data.access_ps;
  c.cycle_ps = std::max(lookup.cycle_ps, data.cycle_ps);
  return c;
}

MemoryCost memory_cost(const Cells& cells, const mem::ArrayPart& part) {
  MemoryCost m;
  if (part.rows == 0 || part.row_bits == 0) return m;
  const std::uint32_t banks = std::clamp(part.banks, 1u, part.rows);
  const std::uint64_t rows = (std::uint64_t{part.rows} + banks - 1) / banks;
  const ArrayCost a = sram_array(cells, {rows, part.row_bits, std::min(part.port_bits, part.row_bits), 1});
  m.cost = banks * a.cost;
  m.read_fj = a.read_fj;
  m.write_fj = a.write_fj;
  return m;
}

TableCost table_cost(const Cells& cells, const mem::TablePart& part) {
  TableCost t;
  if (part.entries == 0 || part.key_bits == 0) return t;
  const TechNode& n = cells.tech();
  const double keys = static_cast<double>(part.entries) * part.key_bits, f = n.feature_um;
  const ArrayCost as_array = sram_array(cells, {part.entries, part.key_bits, part.key_bits, 1});
  t.search_fj = search_fj(cells, part.entries, part.key_bits);
  t.keys = as_array.cost;
  t.keys.area_um2 += (kKeyCell - 1) * keys * n.sram.area * f * f;
  t.keys.static_nw += keys * n.sram_leak_nw(2 * n.sram.access_width * f);
  const ArrayCost beside = sram_array(cells, {part.entries, part.other_bits, part.other_bits, 1});
  t.others = beside.cost;
  t.write_fj = as_array.write_fj + beside.write_fj;
  t.read_fj = beside.read_fj;
  return t;
}

QueueCost queue_cost(const Cells& cells, std::uint32_t entries, std::uint64_t bits) {
  QueueCost q;
  if (entries == 0 || bits == 0) return q;
  const auto width = static_cast<double>(bits);
  if (entries > kMostFlipFlops) {
    const ArrayCost a = sram_array(cells, {entries, bits, bits, 2});
    q.cost = a.cost;
    q.write_fj = a.write_fj;
    q.read_fj = a.read_fj;
    return q;
  }
  q.cost = width * (entries * cells.flip_flop() + (entries - 1) * cells.mux2()) +
           entries * (2 * cells.gate2());  // which one is clocked
  // What comes stands before all entries and goes into one.
  const double vdd = cells.tech().vdd;
  q.write_fj =
      width * (kRising * (cells.flip_flop_fj() + entries * cells.inverter_input_ff(0.25) * vdd * vdd) +
               cells.clock_fj());
  q.read_fj = width * kRising * Cells::levels(entries) * cells.mux2_fj();
  return q;
}

}  // namespace heddle::energy
