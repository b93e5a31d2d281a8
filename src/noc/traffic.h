// Synthetic traffic: who sends to whom (Dally and Towles, "Principles and Practices of Interconnection
// Networks", 3.2). Nodes stand in a grid, numbered row by row; each has an input and an output of the network
// unless the pattern says otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace heddle::noc {

// The same numbers on every host.
class TrafficRandom {
 public:
  explicit TrafficRandom(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x632BE59BD9B4E019u) {}
  std::uint32_t bits() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 32);
  }
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>((std::uint64_t{bits()} * n) >> 32);
  }

 private:
  std::uint64_t state_;
};

// A grid of nodes; of networks without one, a single row.
struct NodeGrid {
  std::uint32_t width = 0, height = 1;
  std::uint32_t nodes() const { return width * height; }
};

struct TrafficPattern {
  std::string_view name;
  std::string_view description;
  // Who sends and who receives: all nodes, or some nodes (cores) to some others (slices), or back.
  enum class Ends : std::uint8_t { All, CoresToSlices, SlicesToCores } ends;
  // The output that a packet of `input` goes to.
  std::uint32_t (*destination)(std::uint32_t input, const NodeGrid& grid, std::uint32_t outputs,
                               TrafficRandom& random);
  bool to_all = false;  // every input sends to every output alike
  // What it asks of the grid; empty: nothing.
  std::string (*obstacle)(const NodeGrid& grid) = nullptr;
};

std::span<const TrafficPattern> traffic_patterns();
// Throws Error for an unknown name.
const TrafficPattern& find_pattern(std::string_view name);

}  // namespace heddle::noc
