#include "noc/traffic.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"

namespace heddle::noc {
namespace {

using Ends = TrafficPattern::Ends;

std::uint32_t to_anyone(std::uint32_t, const NodeGrid&, std::uint32_t outputs, TrafficRandom& random) {
  return random.below(outputs);
}

std::uint32_t transposed(std::uint32_t i, const NodeGrid& g, std::uint32_t, TrafficRandom&) {
  return i % g.width * g.width + i / g.width;
}

// So many nodes on in each dimension.
std::uint32_t shifted(std::uint32_t i, const NodeGrid& g, std::uint32_t dx, std::uint32_t dy) {
  return (i / g.width + dy) % g.height * g.width + (i % g.width + dx) % g.width;
}
std::uint32_t tornado(std::uint32_t i, const NodeGrid& g, std::uint32_t, TrafficRandom&) {
  return shifted(i, g, (g.width + 1) / 2 - 1, (g.height + 1) / 2 - 1);
}
std::uint32_t neighbour(std::uint32_t i, const NodeGrid& g, std::uint32_t, TrafficRandom&) {
  return shifted(i, g, 1, 1);
}

std::uint32_t complement(std::uint32_t i, const NodeGrid& g, std::uint32_t, TrafficRandom&) {
  return g.nodes() - 1 - i;
}

std::uint32_t reversed(std::uint32_t i, const NodeGrid& g, std::uint32_t, TrafficRandom&) {
  std::uint32_t r = 0;
  for (std::uint32_t bit = 1; bit < g.nodes(); bit *= 2) r = 2 * r + ((i & bit) != 0 ? 1 : 0);
  return r;
}
std::uint32_t shuffled(std::uint32_t i, const NodeGrid& g, std::uint32_t, TrafficRandom&) {
  return (2 * i) % g.nodes() + 2 * i / g.nodes();
}

std::string square(const NodeGrid& g) {
  return g.width == g.height ? ""
                             : fmt::format("a square grid, as 8x8, not {} x {} nodes", g.width, g.height);
}
std::string power_of_two(const NodeGrid& g) {
  return std::has_single_bit(g.nodes()) ? "" : fmt::format("a power of two of nodes, not {}", g.nodes());
}

constexpr std::array kPatterns = {
    TrafficPattern{"uniform", "every node to all nodes alike", Ends::All, to_anyone, true},
    TrafficPattern{"transpose", "node (x, y) to node (y, x)", Ends::All, transposed, false, square},
    TrafficPattern{"tornado", "every node to the one nearly half of the grid on, in both dimensions",
                   Ends::All, tornado},
    TrafficPattern{"neighbour", "every node to the next one in both dimensions", Ends::All, neighbour},
    TrafficPattern{"complement", "every node to the one opposite", Ends::All, complement},
    TrafficPattern{"bit-reverse", "every node to the one whose number has its bits in reverse", Ends::All,
                   reversed, false, power_of_two},
    TrafficPattern{"shuffle", "every node to the one whose number has its bits rotated by one", Ends::All,
                   shuffled, false, power_of_two},
    TrafficPattern{"many-to-few", "every core to all slices alike: requests", Ends::CoresToSlices, to_anyone,
                   true},
    TrafficPattern{"few-to-many", "every slice to all cores alike: replies", Ends::SlicesToCores, to_anyone,
                   true},
};

}  // namespace

std::span<const TrafficPattern> traffic_patterns() {
  return kPatterns;
}

const TrafficPattern& find_pattern(std::string_view name) {
  std::vector<std::string> names;
  for (const TrafficPattern& p : kPatterns) {
    if (p.name == name) return p;
    names.emplace_back(p.name);
  }
  throw Error(fmt::format("no traffic pattern is named '{}'", name), did_you_mean(name, names));
}

}  // namespace heddle::noc
