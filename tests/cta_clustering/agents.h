// Agents on a host: what the device's kernel does, with a team of one thread.
#pragma once

#include <functional>
#include <vector>

#include "heddle/cta_clustering/claim.h"

namespace heddle::clustering {

struct OneThread {
  static bool leader() { return true; }
  static Task share(const Task& task) { return task; }
  template <class Rank>
  static std::uint32_t least(std::uint32_t count, const Rank& rank) {
    std::uint32_t best = kNone;
    for (std::uint32_t i = 0; i < count; ++i) best = least_of(best, rank(i));
    return best;
  }
};

// A launch: its counters, and how often every task was done.
struct Scene {
  Index3 grid;
  Clusters clusters;
  std::uint32_t agents;
  std::uint32_t active;   // per SM; 0: all
  std::uint32_t reserve;  // tasks of a cluster that are not drawn ahead
  LaunchState launch{};
  std::vector<ClusterState> states;

  Scene(const Index3& size, std::uint32_t count, std::uint32_t agent_count, std::uint32_t active_agents = 0,
        std::uint32_t reserved = kNone)
      : grid(size),
        clusters{static_cast<std::uint32_t>(tasks_of(size)), count},
        agents(agent_count),
        active(active_agents),
        reserve(reserved),
        states(count) {}

  // As between launches.
  bool clean() const {
    for (const ClusterState& state : states) {
      if (state.next != 0 || state.home_of != 0 || state.adopter != 0 || state.agents != 0) return false;
    }
    return launch.arrived == 0 && launch.left == 0;
  }
};

// One agent from its start to its end; `done` is told every task. As be_agent() of kernels.cuh.
template <class Memory, class Order>
void be_agent(Scene& scene, std::uint32_t sm, const Order& order,
              const std::function<void(const Agent&, const Task&)>& done) {
  const Pool<Memory> pool(&scene.launch, scene.states.data(), scene.clusters);
  OneThread team;
  Agent agent = pool.arrive(sm);
  if (scene.active != 0 && !pool.enroll(agent, scene.active)) {
    pool.hold_place(scene.agents);
  } else {
    for (;;) {
      const Task task = pool.next(agent, team, order, scene.grid);
      if (task.number == kNone) break;
      pool.draw_ahead(agent, scene.reserve);
      done(agent, task);
    }
  }
  if (pool.leave(scene.agents)) pool.reset(0, 1);
}

}  // namespace heddle::clustering
