// CTAs that read the same lines, as a weighted graph: what clusters cut apart is fetched more than once.
//
// A line costs one fetch for every cluster that has some of its k readers. With s CTAs in a cluster, at most
// min(k, s) of them are together: pairs have the weight kLine / (min(k, s) - 1), so that to part one CTA from
// a cluster whose others all read the line costs one line. (With k - 1 in its place, lines of few readers
// would outweigh those of many, which no cluster holds all of anyway.) Up to `all_pairs` readers are joined
// pair by pair; of more, each is joined with those 1, 2, 4, ... places before and behind it, less than s, in
// a ring by number: s in a row have together what all their pairs would have. A line that every CTA reads is
// fetched by every cluster anyway, and says nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/cta_reads.h"

namespace heddle::cta_clustering {

// Compressed rows: edges of CTA v are those from first[v] to first[v + 1]. Symmetric, without loops; ends
// ascend.
struct ReuseGraph {
  std::vector<std::uint64_t> first;
  std::vector<std::uint32_t> end;
  std::vector<std::uint32_t> weight;

  std::uint32_t vertices() const { return static_cast<std::uint32_t>(first.size() - 1); }
  std::uint64_t edges() const { return end.size() / 2; }
};

inline constexpr std::uint32_t kLine = 1024;  // the weight of a line

struct ReuseGraphOptions {
  std::uint64_t cluster = 0;  // CTAs of a cluster; 0: as many as read a line
  std::uint32_t all_pairs = 32;
  std::uint64_t most_vertices = 100'000;
  std::uint64_t most_edges = std::uint64_t{32} << 20;  // then fewer pairs are taken
};

// Throws Error: nothing is known of the reads, or there are too many CTAs.
ReuseGraph reuse_graph(const workload::CtaReads& reads, const ReuseGraphOptions& options = {});

}  // namespace heddle::cta_clustering
