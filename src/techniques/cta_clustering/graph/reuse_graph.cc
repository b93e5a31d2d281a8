#include "techniques/cta_clustering/graph/reuse_graph.h"

#include <algorithm>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::cta_clustering {
namespace {

using workload::CtaReads;

// Lines that some but not all CTAs read, numbered from 0, and who reads them.
struct Readers {
  std::vector<std::uint64_t> first;               // by line, in `ctas`
  std::vector<std::uint32_t> ctas;                // ascending
  std::vector<std::vector<std::uint32_t>> lines;  // by CTA

  std::span<const std::uint32_t> of(std::uint32_t line) const {
    return std::span(ctas).subspan(first[line], first[line + 1] - first[line]);
  }
};

Readers readers_of(const CtaReads& reads) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs;  // line, CTA
  for (std::uint32_t cta = 0; cta < reads.lines.size(); ++cta)
    for (const std::uint64_t line : reads.lines[cta]) pairs.emplace_back(line, cta);
  std::sort(pairs.begin(), pairs.end());
  Readers r;
  r.lines.resize(reads.lines.size());
  for (std::size_t i = 0; i < pairs.size();) {
    std::size_t j = i;
    while (j < pairs.size() && pairs[j].first == pairs[i].first) ++j;
    if (j - i > 1 && j - i < reads.lines.size()) {
      const auto line = static_cast<std::uint32_t>(r.first.size());
      r.first.push_back(r.ctas.size());
      for (std::size_t n = i; n < j; ++n) {
        r.ctas.push_back(pairs[n].second);
        r.lines[pairs[n].second].push_back(line);
      }
    }
    i = j;
  }
  r.first.push_back(r.ctas.size());
  return r;
}

// Lines of many readers leave each pair little.
constexpr std::uint64_t kPart = 1024;

// Adds up the edges of one CTA.
class Row {
 public:
  explicit Row(std::uint32_t vertices) : weight_(vertices) {}

  // `weight`: in parts of kPart.
  void add(std::uint32_t to, std::uint64_t weight) {
    if (weight_[to] == 0) touched_.push_back(to);
    weight_[to] += weight;
  }
  // At least 1 each, so that both ends agree that there is an edge.
  void move_to(ReuseGraph& g) {
    std::sort(touched_.begin(), touched_.end());
    for (const std::uint32_t to : touched_) {
      g.end.push_back(to);
      g.weight.push_back(static_cast<std::uint32_t>(
          std::clamp<std::uint64_t>((weight_[to] + kPart / 2) / kPart, 1, kMostWeight)));
      weight_[to] = 0;
    }
    g.first.push_back(g.end.size());
    touched_.clear();
  }

 private:
  static constexpr std::uint64_t kMostWeight = 1u << 30;
  std::vector<std::uint64_t> weight_;
  std::vector<std::uint32_t> touched_;
};

// Neighbours among a line's readers weigh so little more: of clusters that would cut as much, those with CTAs
// that follow each other are taken.
constexpr std::uint64_t kNeighbours = 8;

struct Joining {
  std::uint64_t cluster = 0;
  std::uint32_t all_pairs = 0;
};

void add_ring(Row& row, std::span<const std::uint32_t> readers, std::uint32_t cta, std::uint64_t together) {
  const std::size_t k = readers.size();
  const auto at =
      static_cast<std::size_t>(std::lower_bound(readers.begin(), readers.end(), cta) - readers.begin());
  const auto near = [&](std::uint64_t step) { return step < together && 2 * step < k; };
  std::uint64_t edges = 0;  // among `together` in a row
  for (std::uint64_t step = 1; near(step); step *= 2) edges += together - step;
  const std::uint64_t each = kLine * kPart * (together - 1) / edges;
  for (std::uint64_t step = 1; near(step); step *= 2) {
    row.add(readers[(at + step) % k], each);
    row.add(readers[(at + k - step) % k], each);
  }
}

void add_line(Row& row, std::span<const std::uint32_t> readers, std::uint32_t cta, const Joining& joining) {
  std::uint64_t together = readers.size();
  if (joining.cluster != 0) together = std::max<std::uint64_t>(2, std::min(together, joining.cluster));
  if (readers.size() > joining.all_pairs) {
    add_ring(row, readers, cta, together);
    return;
  }
  const std::uint64_t each = kLine * kPart / (together - 1);
  const std::size_t k = readers.size();
  for (std::size_t i = 0; i < k; ++i) {
    if (readers[i] == cta) continue;
    const bool neighbours = (i + 1 < k && readers[i + 1] == cta) || (i > 0 && readers[i - 1] == cta);
    row.add(readers[i], k > 2 && neighbours ? each + each / kNeighbours : each);
  }
}

// None: there are more edges than wanted.
std::optional<ReuseGraph> joined(const Readers& readers, const Joining& joining, std::uint64_t most_edges) {
  const auto vertices = static_cast<std::uint32_t>(readers.lines.size());
  ReuseGraph g;
  g.first.push_back(0);
  Row row(vertices);
  for (std::uint32_t cta = 0; cta < vertices; ++cta) {
    for (const std::uint32_t line : readers.lines[cta]) add_line(row, readers.of(line), cta, joining);
    row.move_to(g);
    if (g.edges() > most_edges) return {};
  }
  return g;
}

}  // namespace

ReuseGraph reuse_graph(const CtaReads& reads, const ReuseGraphOptions& o) {
  if (!reads.known()) throw Error("what the CTAs read is not known: " + reads.why_not);
  if (reads.lines.size() > o.most_vertices)
    throw Error(fmt::format("{} CTAs: graphs of up to {} are cut", reads.lines.size(), o.most_vertices));
  const Readers readers = readers_of(reads);
  for (std::uint32_t all_pairs = o.all_pairs;; all_pairs /= 2) {
    if (auto g = joined(readers, {o.cluster, all_pairs}, o.most_edges)) return std::move(*g);
    if (all_pairs < 4)
      throw Error(fmt::format("more than {} pairs of CTAs share lines: too many to cut", o.most_edges));
  }
}

}  // namespace heddle::cta_clustering
