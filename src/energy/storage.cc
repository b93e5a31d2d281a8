#include "energy/storage.h"

#include <algorithm>
#include <bit>

#include "energy/sram.h"

namespace heddle::energy {
namespace {

// CACTI 6.5: addresses of 42 bits, and 5 bits of state beside a tag.
constexpr std::uint32_t kAddressBits = 42, kStateBits = 5;
constexpr std::uint32_t kMostFlipFlops = 64;  // entries

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
  c.read_fj = lookup.read_fj + data.read_fj;
  c.write_fj = lookup.read_fj + data.write_fj;
  const double compare_ps = cells.gate2_ps() * (1 + Cells::levels(tag)) + cells.fanout_ps(part.ways);
  c.access_ps = lookup.access_ps + compare_ps + data.access_ps;
  c.cycle_ps = std::max(lookup.cycle_ps, data.cycle_ps);
  return c;
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
