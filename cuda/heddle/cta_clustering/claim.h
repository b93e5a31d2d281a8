// CTA clustering: how agents (persistent CTAs) share the tasks of a launch. Plain C++14, templates on how
// memory is reached (Memory) and on the threads of an agent (Team): also for tests on a host.
//
// Every cluster of tasks has a counter; agents take the next task of the cluster of their SM. When it is used
// up, they look for another one: first one that no SM calls its own and that their SM has taken over or can
// take over whole, then any that has tasks left. So every task is done exactly once whatever agents the
// hardware starts where, and nobody waits for anybody. The last agent to leave puts everything back to zero
// for the next launch.
#pragma once

#include <cstdint>

#include "partition.h"

namespace heddle {
namespace clustering {

constexpr std::uint32_t kNone = 0xffffffff;

// One sector of L2 each, so that clusters do not hinder each other. All zero between launches.
struct alignas(32) ClusterState {
  std::uint32_t next;     // tickets given out, more than there are tasks once they are used up
  std::uint32_t home_of;  // 1 + the SM id whose cluster it is; 0: nobody's
  std::uint32_t adopter;  // 1 + the SM id that took a cluster of nobody's over
  std::uint32_t agents;   // agents that came to the SM (counted when their number is limited)
};
struct alignas(32) LaunchState {
  std::uint32_t arrived;  // counted when the number of agents per SM is limited
  std::uint32_t left;
};

struct Task {
  std::uint32_t number;  // kNone: there is none left
  Index3 cta;
};

// What an agent knows. All of its threads have the same, but for tickets, which are the leader's.
struct Agent {
  std::uint32_t sm;
  std::uint32_t home;     // the cluster of its SM
  std::uint32_t current;  // the cluster that it takes tasks from
  std::uint32_t ticket;   // drawn ahead; kNone: not drawn
  std::uint32_t left;     // tickets that `current` had left when the last one was drawn
  bool passed_over;       // another SM took `current` over first
};

// Memory has static functions add, compare_and_swap, load, store (32 bits, visible to all agents, add and
// compare_and_swap atomic and giving the old value), fence and pause.
// Team has leader(), share(task) (that of the leader to all), least(count, rank) (the least rank(c) of all c
// < count).
template <class Memory>
class Pool {
 public:
  HEDDLE_CLUSTERING_DEVICE Pool(LaunchState* launch, ClusterState* states, const Clusters& clusters)
      : launch_(launch), states_(states), clusters_(clusters) {}

  // Leader: the agent's cluster. SM ids may have gaps and be larger than the number of SMs, so they are
  // looked up in a hash table: the first free place from sm % count on. All agents of an SM find the same
  // place.
  HEDDLE_CLUSTERING_DEVICE Agent arrive(std::uint32_t sm) const {
    const std::uint32_t wanted = sm % clusters_.count;
    std::uint32_t home = wanted;
    for (std::uint32_t tried = 0; tried < clusters_.count; ++tried) {
      const std::uint32_t holder = Memory::compare_and_swap(&states_[home].home_of, 0, sm + 1);
      if (holder == 0 || holder == sm + 1) return {sm, home, home, kNone, 0, false};
      home = home + 1 == clusters_.count ? 0 : home + 1;
    }
    return {sm, wanted, wanted, kNone, 0, false};  // more SMs than clusters
  }

  // Leader: false for an agent beyond the first `limit` of its SM.
  HEDDLE_CLUSTERING_DEVICE bool enroll(const Agent& agent, std::uint32_t limit) const {
    const bool active = Memory::add(&states_[agent.home].agents, 1) < limit;
    Memory::add(&launch_->arrived, 1);
    return active;
  }

  // Leader of a surplus agent: keeps its place on the SM until all agents have started. Else the hardware
  // would fill the place with another one, which is surplus too, and SMs that were slow to start would get
  // none. Others may never start while we wait (the card is shared), so the wait has an end.
  HEDDLE_CLUSTERING_DEVICE void hold_place(std::uint32_t agents) const {
    constexpr int kPolls = 128;  // some 100 us
    for (int poll = 0; poll < kPolls; ++poll) {
      if (Memory::load(&launch_->arrived) >= agents || Memory::load(&launch_->left) > 0) return;
      Memory::pause();
    }
  }

  // Leader: draws the ticket of the next task now, so that it is there when next() looks at it. Not when
  // `reserve` tickets or less are left: at the end a drawn ticket keeps a task from those who have nothing to
  // do.
  HEDDLE_CLUSTERING_DEVICE void draw_ahead(Agent& agent, std::uint32_t reserve) const {
    if (agent.left > reserve) draw(agent);
  }

  // All threads: the next task. A barrier for them.
  template <class Team, class Order>
  HEDDLE_CLUSTERING_DEVICE Task next(Agent& agent, Team& team, const Order& order, const Index3& grid) const {
    for (;;) {
      Task task = {kNone, {0, 0, 0}};
      if (team.leader()) {
        task.number = take(agent);
        if (task.number != kNone) task.cta = order(task.number, grid);
      }
      task = team.share(task);
      if (task.number != kNone) return task;
      const std::uint32_t best =
          team.least(clusters_.count, [&](std::uint32_t cluster) { return rank(cluster, agent); });
      if (best == kNone) return task;
      agent.current = ranked(best, agent);
      agent.passed_over = false;
      if (team.leader() && best >> kDistanceBits == kOrphan) {
        agent.passed_over = Memory::compare_and_swap(&states_[agent.current].adopter, 0, agent.sm + 1) != 0;
      }
    }
  }

  // Leader, after the agent's last task: whether it is the last of all.
  HEDDLE_CLUSTERING_DEVICE bool leave(std::uint32_t agents) const {
    Memory::fence();
    const bool last = Memory::add(&launch_->left, 1) + 1 == agents;
    Memory::fence();
    return last;
  }

  // For the last agent: all zero again. Threads `thread` of `threads` share the work.
  HEDDLE_CLUSTERING_DEVICE void reset(std::uint32_t thread, std::uint32_t threads) const {
    for (std::uint32_t cluster = thread; cluster < clusters_.count; cluster += threads) {
      Memory::store(&states_[cluster].next, 0);
      Memory::store(&states_[cluster].home_of, 0);
      Memory::store(&states_[cluster].adopter, 0);
      Memory::store(&states_[cluster].agents, 0);
    }
    if (thread == 0) {
      Memory::store(&launch_->arrived, 0);
      Memory::store(&launch_->left, 0);
    }
  }

 private:
  // A rank is how far a cluster is from where the agent starts to look; what goes before that in the upper
  // bits.
  static constexpr std::uint32_t kDistanceBits = 30;
  enum : std::uint32_t { kAdopted = 0, kOrphan = 1, kOther = 2 };

  // SMs start to look at places that are spread, so that they find different clusters.
  HEDDLE_CLUSTERING_DEVICE std::uint32_t start(const Agent& agent) const {
    return static_cast<std::uint32_t>((std::uint64_t{agent.home * 2654435761u} * clusters_.count) >> 32);
  }
  HEDDLE_CLUSTERING_DEVICE std::uint32_t rank(std::uint32_t cluster, const Agent& agent) const {
    if (Memory::load(&states_[cluster].next) >= clusters_.size(cluster)) return kNone;
    const std::uint32_t adopter = Memory::load(&states_[cluster].adopter);
    std::uint32_t kind = kOther;
    if (adopter == agent.sm + 1) {
      kind = kAdopted;
    } else if (adopter == 0 && Memory::load(&states_[cluster].home_of) == 0) {
      kind = kOrphan;
    }
    const std::uint32_t from = start(agent);
    return kind << kDistanceBits | (cluster >= from ? cluster - from : cluster + clusters_.count - from);
  }
  HEDDLE_CLUSTERING_DEVICE std::uint32_t ranked(std::uint32_t rank, const Agent& agent) const {
    const std::uint32_t cluster = start(agent) + (rank & ((1u << kDistanceBits) - 1));
    return cluster >= clusters_.count ? cluster - clusters_.count : cluster;
  }

  HEDDLE_CLUSTERING_DEVICE void draw(Agent& agent) const {
    agent.ticket = Memory::add(&states_[agent.current].next, 1);
  }
  HEDDLE_CLUSTERING_DEVICE std::uint32_t take(Agent& agent) const {
    if (agent.passed_over) return kNone;
    if (agent.ticket == kNone) draw(agent);
    const std::uint32_t ticket = agent.ticket, size = clusters_.size(agent.current);
    agent.ticket = kNone;
    if (ticket >= size) return kNone;
    agent.left = size - 1 - ticket;
    return clusters_.first(agent.current) + ticket;
  }

  LaunchState* launch_;
  ClusterState* states_;
  Clusters clusters_;
};

}  // namespace clustering
}  // namespace heddle
