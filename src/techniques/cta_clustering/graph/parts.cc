#include "techniques/cta_clustering/graph/parts.h"

#include <algorithm>
#include <optional>
#include <queue>

namespace heddle::cta_clustering {
namespace {

// Swaps that are looked at, in all: large graphs are improved less.
constexpr std::uint64_t kMostLooks = 100'000'000;

class Mover {
 public:
  Mover(const ReuseGraph& g, const std::vector<std::uint64_t>& sizes, Parts& parts)
      : g_(g), sizes_(sizes), parts_(parts), counts_(sizes.size()), to_(sizes.size()) {
    for (const std::uint32_t p : parts) ++counts_[p];
  }

  void run() {
    for (std::uint32_t v = 0; v < parts_.size(); ++v) offer(v);
    while (!moves_.empty()) {
      const Move asked = moves_.top();
      moves_.pop();
      const auto now = best(asked.vertex);
      if (!now) continue;
      if (now->gain == asked.gain && now->to == asked.to)
        take(*now);
      else if (now->gain <= asked.gain)
        moves_.push(*now);  // otherwise it was offered again when it became better
    }
  }

 private:
  struct Move {
    std::int64_t gain = 0;
    std::uint32_t vertex = 0, to = 0;
    bool operator<(const Move& other) const {  // the lowest number first among equals
      if (gain != other.gain) return gain < other.gain;
      return vertex != other.vertex ? vertex > other.vertex : to > other.to;
    }
  };

  // Where the vertex goes if it must; none: it may stay.
  std::optional<Move> best(std::uint32_t v) {
    const std::uint32_t own = parts_[v];
    if (counts_[own] <= sizes_[own]) return {};
    for (std::uint64_t e = g_.first[v]; e < g_.first[v + 1]; ++e) to_[parts_[g_.end[e]]] += g_.weight[e];
    std::optional<Move> found;
    for (std::uint32_t p = 0; p < sizes_.size(); ++p) {
      if (counts_[p] >= sizes_[p]) continue;
      const std::int64_t gain = to_[p] - to_[own];
      if (!found || gain > found->gain) found = Move{gain, v, p};
    }
    for (std::uint64_t e = g_.first[v]; e < g_.first[v + 1]; ++e) to_[parts_[g_.end[e]]] = 0;
    return found;
  }
  void offer(std::uint32_t v) {
    if (const auto m = best(v)) moves_.push(*m);
  }
  void take(const Move& m) {
    --counts_[parts_[m.vertex]];
    ++counts_[m.to];
    parts_[m.vertex] = m.to;
    for (std::uint64_t e = g_.first[m.vertex]; e < g_.first[m.vertex + 1]; ++e) offer(g_.end[e]);
  }

  const ReuseGraph& g_;
  const std::vector<std::uint64_t>& sizes_;
  Parts& parts_;
  std::vector<std::uint64_t> counts_;
  std::vector<std::int64_t> to_;  // of the vertex looked at: weight by part
  std::priority_queue<Move> moves_;
};

class Swapper {
 public:
  Swapper(const ReuseGraph& g, Parts& parts)
      : g_(g),
        parts_(parts),
        n_(parts.empty() ? 0 : *std::max_element(parts.begin(), parts.end()) + 1),
        weight_(parts.size() * n_),
        members_(n_) {
    for (std::uint32_t v = 0; v < parts.size(); ++v) {
      members_[parts[v]].push_back(v);
      for (std::uint64_t e = g.first[v]; e < g.first[v + 1]; ++e) to(v, parts[g.end[e]]) += g.weight[e];
    }
  }

  // Whether there was one.
  bool round() {
    bool any = false;
    for (std::uint32_t v = 0; v < parts_.size() && looks_ < kMostLooks; ++v)
      while (swap_best(v)) any = true;
    return any && looks_ < kMostLooks;
  }

 private:
  std::int64_t& to(std::uint32_t v, std::uint32_t part) { return weight_[std::uint64_t{v} * n_ + part]; }
  std::int64_t gain(std::uint32_t v, std::uint32_t part) { return to(v, part) - to(v, parts_[v]); }
  std::int64_t between(std::uint32_t v, std::uint32_t u) const {
    const auto begin = g_.end.begin() + static_cast<std::ptrdiff_t>(g_.first[v]);
    const auto end = g_.end.begin() + static_cast<std::ptrdiff_t>(g_.first[v + 1]);
    const auto at = std::lower_bound(begin, end, u);
    return at != end && *at == u ? g_.weight[static_cast<std::size_t>(at - g_.end.begin())] : 0;
  }

  bool swap_best(std::uint32_t v) {
    std::int64_t most = 0;
    std::uint32_t with = v, alone = parts_[v];
    for (std::uint32_t p = 0; p < n_; ++p) {
      if (p == parts_[v] || gain(v, p) <= 0) continue;
      if (members_[p].size() + 1 == members_[parts_[v]].size() && gain(v, p) > most) {
        most = gain(v, p);
        with = v;
        alone = p;
      }
      looks_ += members_[p].size();
      for (const std::uint32_t u : members_[p]) {
        const std::int64_t both = gain(v, p) + gain(u, parts_[v]);
        if (both <= most) continue;
        if (const std::int64_t less = both - 2 * between(v, u); less > most) {
          most = less;
          with = u;
        }
      }
    }
    if (with != v)
      swap(v, with);
    else if (alone != parts_[v])
      move_alone(v, alone);
    else
      return false;
    return true;
  }
  void swap(std::uint32_t v, std::uint32_t u) {
    const std::uint32_t from = parts_[v], other = parts_[u];
    move(v, other);
    move(u, from);
    *std::find(members_[from].begin(), members_[from].end(), v) = u;
    *std::find(members_[other].begin(), members_[other].end(), u) = v;
  }
  void move_alone(std::uint32_t v, std::uint32_t part) {
    std::erase(members_[parts_[v]], v);
    members_[part].push_back(v);
    move(v, part);
  }
  void move(std::uint32_t v, std::uint32_t part) {
    for (std::uint64_t e = g_.first[v]; e < g_.first[v + 1]; ++e) {
      to(g_.end[e], parts_[v]) -= g_.weight[e];
      to(g_.end[e], part) += g_.weight[e];
    }
    parts_[v] = part;
  }

  const ReuseGraph& g_;
  Parts& parts_;
  const std::uint32_t n_;
  std::vector<std::int64_t> weight_;  // by vertex and part
  std::vector<std::vector<std::uint32_t>> members_;
  std::uint64_t looks_ = 0;
};

}  // namespace

void make_exact(const ReuseGraph& graph, const std::vector<std::uint64_t>& sizes, Parts& parts) {
  Mover(graph, sizes, parts).run();
}

void swap_for_less(const ReuseGraph& graph, int rounds, Parts& parts) {
  // A table of both, in 512 MiB at most.
  const std::uint64_t n = parts.empty() ? 0 : *std::max_element(parts.begin(), parts.end()) + 1;
  if (n * parts.size() > (std::uint64_t{64} << 20)) return;
  Swapper swapper(graph, parts);
  for (int i = 0; i < rounds && swapper.round(); ++i) {
  }
}

}  // namespace heddle::cta_clustering
