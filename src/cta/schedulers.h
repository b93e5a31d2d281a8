// The schedulers of icc.md B1. All keep a mask of SMs that may have room: an SM leaves it when it is found
// full, and comes back when a CTA ends there.
#pragma once

#include <cstdint>
#include <vector>

#include "cta/block_rule.h"
#include "cta/cta_scheduler.h"
#include "cta/sm_mask.h"
#include "workload/random.h"

namespace heddle::cta {

// One pool; SMs take turns over the whole GPU (rules 1 and 2, and blocks).
class RoundRobin final : public CtaScheduler {
 public:
  enum class Fastest : std::uint8_t { Cluster, Sm };  // what varies first from one CTA to the next
  RoundRobin(Fastest fastest, BlockRule block) : fastest_(fastest), block_(block) {}

  void start(std::uint64_t ctas, std::uint32_t contexts, const SmLayout& layout) override;
  std::optional<Dispatch> next(std::span<const std::uint32_t> free) override;
  void ended(std::uint32_t sm, std::uint64_t cta) override;
  std::uint64_t left() const override { return ctas_ - given_; }

 private:
  // An SM's place in the order of turns, and back.
  std::uint32_t turn(std::uint32_t sm) const;
  std::uint32_t sm_at(std::uint32_t turn) const;

  Fastest fastest_;
  BlockRule block_;
  SmLayout layout_;
  std::uint64_t ctas_ = 0, given_ = 0;
  SmMask room_;  // by turn
  std::uint32_t cursor_ = 0;
};

// One pool; every CTA goes to an SM with room that is drawn by lot, as observed on a GTX750Ti and, for real
// programs, nearly on others (clustering.md rule 20). Starts of one seed draw the same.
class Random final : public CtaScheduler {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}

  void start(std::uint64_t ctas, std::uint32_t contexts, const SmLayout& layout) override;
  std::optional<Dispatch> next(std::span<const std::uint32_t> free) override;
  void ended(std::uint32_t sm, std::uint64_t cta) override;
  std::uint64_t left() const override { return ctas_ - given_; }

 private:
  std::uint64_t seed_;
  workload::Random lots_{seed_};
  BlockRule block_{1};
  std::uint64_t ctas_ = 0, given_ = 0;
  std::vector<std::uint32_t> room_;   // SMs that may have room, in any order
  std::vector<std::uint32_t> place_;  // by SM: where in room_; kFull: nowhere
  static constexpr std::uint32_t kFull = ~0u;
};

// One pool; every turn of CTAs is shared out evenly over clusters, and each cluster gets neighbouring ones.
// So does an H200 (validation/data/h200_small_grids.csv), which fills some SMs of a cluster before all
// others. While a grid has CTAs for whole turns, these SMs are ahead: they get their next CTAs each time that
// `ahead` clusters had theirs, not once in a turn (validation/data/h200_cta_places.csv).
class Balanced final : public CtaScheduler {
 public:
  Balanced(std::uint32_t first, std::uint32_t ahead) : first_(first), ahead_(ahead) {}

  void start(std::uint64_t ctas, std::uint32_t contexts, const SmLayout& layout) override;
  std::optional<Dispatch> next(std::span<const std::uint32_t> free) override;
  void ended(std::uint32_t sm, std::uint64_t cta) override;
  std::uint64_t left() const override { return ctas_ - given_; }

 private:
  struct Seat {
    std::uint32_t rank, sm;
  };
  void share_out(std::span<const std::uint32_t> free);
  std::uint32_t rank(std::uint32_t sm) const;
  void first_go_ahead();

  std::uint32_t first_;  // SMs of the first cluster
  std::uint32_t ahead_;  // clusters; 0: they take turns with the others
  BlockRule block_{1};
  SmLayout layout_;
  std::uint32_t contexts_ = 0;  // of an SM
  std::uint64_t ctas_ = 0, given_ = 0;
  SmMask room_;             // by SM
  std::vector<Seat> turn_;  // who gets the next CTAs, in their order
  std::size_t at_ = 0;
  std::uint64_t whole_turns_ = 0;   // that the grid has and there is room for, still to come
  std::uint64_t turns_ahead_ = 0;   // of these, to come for the first SMs
  std::uint32_t clusters_had_ = 0;  // theirs since the first SMs had
};

// SMs of one cluster taking turns, cluster by cluster: what greedy and distributed share.
class ClusterTurns {
 public:
  void start(const SmLayout& layout);
  // The SM of `cluster` whose turn it is and that has room; SmMask::kNone when none has.
  std::uint32_t take(std::uint32_t cluster, std::span<const std::uint32_t> free, const BlockRule& block);
  void may_have_room(std::uint32_t sm) { room_.set(sm); }
  // The first cluster with an SM that may have room, or kNone.
  std::uint32_t first_cluster() const;
  std::uint32_t cluster_of(std::uint32_t sm) const { return sm / layout_.sms_per_cluster; }

 private:
  SmLayout layout_;
  SmMask room_;                        // by SM
  std::vector<std::uint32_t> cursor_;  // per cluster: the SM to look at first
};

// One pool; the first cluster with room gets the next CTA (rule 3).
class Greedy final : public CtaScheduler {
 public:
  void start(std::uint64_t ctas, std::uint32_t contexts, const SmLayout& layout) override;
  std::optional<Dispatch> next(std::span<const std::uint32_t> free) override;
  void ended(std::uint32_t sm, std::uint64_t cta) override;
  std::uint64_t left() const override { return ctas_ - given_; }

 private:
  BlockRule block_{1};
  ClusterTurns turns_;
  std::uint64_t ctas_ = 0, given_ = 0;
};

// A pool per cluster, no stealing (rules 4 and 5).
class Distributed final : public CtaScheduler {
 public:
  explicit Distributed(BlockRule block) : block_(block) {}

  void start(std::uint64_t ctas, std::uint32_t contexts, const SmLayout& layout) override;
  std::optional<Dispatch> next(std::span<const std::uint32_t> free) override;
  void ended(std::uint32_t sm, std::uint64_t cta) override;
  std::uint64_t left() const override { return left_; }

 private:
  struct Pool {
    std::uint64_t next = 0, end = 0;
  };
  BlockRule block_;
  ClusterTurns turns_;
  std::vector<Pool> pools_;
  std::uint64_t left_ = 0;
  SmMask open_;  // clusters that have CTAs left and may have room
  std::uint32_t cursor_ = 0;
};

}  // namespace heddle::cta
