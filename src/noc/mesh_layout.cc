#include "noc/mesh_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace heddle::noc {
namespace {

std::uint32_t groups_of(std::uint32_t n, std::uint32_t each) {
  return (n + each - 1) / each;
}

// Takes whole `levels` in turn until `n` nodes are there; of the last one, evenly spread ones.
std::vector<std::uint32_t> take_levels(const std::vector<std::vector<std::uint32_t>>& levels,
                                       std::uint32_t n) {
  std::vector<std::uint32_t> all;
  for (const std::vector<std::uint32_t>& level : levels) {
    const auto size = static_cast<std::uint32_t>(level.size());
    const std::uint32_t take = std::min(n - static_cast<std::uint32_t>(all.size()), size);
    for (std::uint32_t k = 0; k < take; ++k)
      all.push_back(level[(2 * std::uint64_t{k} + 1) * size / (2 * take)]);
    if (all.size() == n) break;
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

// Both networks of a machine have one floor plan: it depends on who are cores and who slices alone.
MeshLayout::MeshLayout(const MeshSpec& mesh, const NetworkPlace& place)
    : request_(place.direction == Direction::Request) {
  const auto cores = static_cast<std::uint32_t>((request_ ? place.in : place.out).size());
  const auto slices = static_cast<std::uint32_t>((request_ ? place.out : place.in).size());
  const std::uint32_t each = mesh.concentration;
  if (std::max(cores, slices) > kMeshPorts) {
    obstacle_ = {"topology",
                 fmt::format("a mesh has 1 to {} inputs and outputs; {} would have {} x {}", kMeshPorts,
                             place.name, place.in.size(), place.out.size()),
                 "let several SMs share a cluster's port, or several memory channels a partition's"};
    return;
  }
  choose_size(mesh, cores, slices);
  const bool tiled = mesh.placement == MeshPlacement::Tiled;
  const std::uint32_t for_cores = groups_of(cores, each), for_slices = groups_of(slices, each);
  const std::uint32_t wanted = tiled ? std::max(for_cores, for_slices) : for_cores + for_slices;
  if (wanted > nodes()) {
    obstacle_ = {mesh.width != 0 ? "mesh.width" : "mesh.height",
                 fmt::format("a mesh of {} x {} has {} routers, and {} ports of cores and {} of L2 slices "
                             "want {} with mesh.concentration = {}",
                             width_, height_, nodes(), cores, slices, wanted, each),
                 "give a larger mesh (or 0 for its width and height) or a larger mesh.concentration"};
    return;
  }
  if ((obstacle_ = check_list(mesh, slices))) return;

  const std::vector<std::uint32_t> with_slices =
      mesh.placement == MeshPlacement::List ? mesh.slice_nodes : places_for(mesh, for_slices);
  std::vector<std::uint32_t> with_cores;
  for (std::uint32_t node = 0; node < nodes(); ++node)
    if (tiled || std::find(with_slices.begin(), with_slices.end(), node) == with_slices.end())
      with_cores.push_back(node);
  // Tiles have their parts in the same order, so that where both are as many each has one of both.
  if (tiled) with_cores.resize(for_cores);
  std::vector<std::uint32_t>& core_at = request_ ? input_at_ : output_at_;
  std::vector<std::uint32_t>& slice_at = request_ ? output_at_ : input_at_;
  for (std::uint32_t c = 0; c < cores; ++c) core_at.push_back(with_cores[c / each]);
  const auto stops = static_cast<std::uint64_t>(with_slices.size());
  for (std::uint32_t s = 0; s < slices; ++s) slice_at.push_back(with_slices[s * stops / slices]);
}

void MeshLayout::choose_size(const MeshSpec& mesh, std::uint32_t cores, std::uint32_t slices) {
  const std::uint32_t each = mesh.concentration;
  const std::uint32_t n = mesh.placement == MeshPlacement::Tiled
                              ? std::max(groups_of(cores, each), groups_of(slices, each))
                              : groups_of(cores, each) + groups_of(slices, each);
  width_ = mesh.width;
  height_ = mesh.height;
  if (width_ == 0 && height_ == 0)
    while (width_ * width_ < n) ++width_;
  if (width_ == 0) width_ = groups_of(n, height_);
  if (height_ == 0) height_ = groups_of(n, width_);
}

std::optional<Topology::Obstacle> MeshLayout::check_list(const MeshSpec& mesh, std::uint32_t slices) const {
  if (mesh.placement != MeshPlacement::List) return {};
  const std::vector<std::uint32_t>& list = mesh.slice_nodes;
  const char* const key = "mesh.slice_nodes";
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (list[k] >= nodes())
      return Topology::Obstacle{key,
                                fmt::format("node {} is not in a mesh of {} x {}", list[k], width_, height_),
                                fmt::format("nodes are numbered row by row, 0 to {}", nodes() - 1)};
    if (std::find(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(k), list[k]) !=
        list.begin() + static_cast<std::ptrdiff_t>(k))
      return Topology::Obstacle{key, fmt::format("node {} is in the list twice", list[k]),
                                "name each once; mesh.concentration lets several slices share it"};
  }
  const std::size_t least = groups_of(slices, mesh.concentration);
  if (list.size() < least || list.size() > slices)
    return Topology::Obstacle{
        key,
        fmt::format("{} nodes for {} L2 slices, with mesh.concentration = {}", list.size(), slices,
                    mesh.concentration),
        least == slices ? fmt::format("name {}", slices) : fmt::format("name {} to {}", least, slices)};
  return {};
}

std::uint32_t MeshLayout::distance(std::uint32_t a, std::uint32_t b) const {
  const auto apart = [](std::uint32_t p, std::uint32_t q) { return p > q ? p - q : q - p; };
  return apart(x(a), x(b)) + apart(y(a), y(b));
}

std::vector<std::uint32_t> MeshLayout::places_for(const MeshSpec& mesh, std::uint32_t n) const {
  switch (mesh.placement) {
    case MeshPlacement::Edge:
      return edge(n);
    case MeshPlacement::Diamond:
      return diamond(n);
    case MeshPlacement::Checkerboard:
      return checkerboard(n);
    case MeshPlacement::Tiled:
    case MeshPlacement::List:
      break;
  }
  std::vector<std::uint32_t> all(nodes());
  std::iota(all.begin(), all.end(), 0u);
  return take_levels({all}, n);
}

// The first and the last row; with more, the rows beside them.
std::vector<std::uint32_t> MeshLayout::edge(std::uint32_t n) const {
  std::vector<std::vector<std::uint32_t>> levels((height_ + 1) / 2);
  for (std::uint32_t row = 0; row < height_; ++row)
    for (std::uint32_t k = 0; k < width_; ++k)
      levels[std::min(row, height_ - 1 - row)].push_back(row * width_ + k);
  return take_levels(levels, n);
}

// Nearest to |2x - (W - 1)| / W + |2y - (H - 1)| / H = 1, which has two nodes in every row and column of an
// even square; those equally near in the order of a walk around the middle.
std::vector<std::uint32_t> MeshLayout::diamond(std::uint32_t n) const {
  const auto w = static_cast<std::int64_t>(width_), h = static_cast<std::int64_t>(height_);
  std::vector<std::pair<std::int64_t, std::int64_t>> keys(nodes());  // distance, place on the walk
  std::vector<std::uint32_t> order(nodes());
  std::iota(order.begin(), order.end(), 0u);
  for (const std::uint32_t node : order) {
    const std::int64_t dx = 2 * std::int64_t{x(node)} - (w - 1), dy = 2 * std::int64_t{y(node)} - (h - 1);
    const bool right = dx > 0 || (dx == 0 && dy < 0);
    keys[node] = {std::abs(std::abs(dx) * h + std::abs(dy) * w - w * h), right ? dy : 4 * h - dy};
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  std::vector<std::vector<std::uint32_t>> levels;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k == 0 || keys[order[k]].first != keys[order[k - 1]].first) levels.emplace_back();
    levels.back().push_back(order[k]);
  }
  return take_levels(levels, n);
}

// The fields of one colour, row by row; with more, of the other.
std::vector<std::uint32_t> MeshLayout::checkerboard(std::uint32_t n) const {
  std::vector<std::vector<std::uint32_t>> levels(2);
  for (std::uint32_t node = 0; node < nodes(); ++node) levels[(x(node) + y(node) + 1) % 2].push_back(node);
  return take_levels(levels, n);
}

}  // namespace heddle::noc
