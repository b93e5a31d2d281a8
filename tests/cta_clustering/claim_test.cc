// Agents whose steps (one task each) come in any order: large scenes, and what they are to look like.
#include "heddle/cta_clustering/claim.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "agents.h"
#include "drawn.h"

namespace heddle::clustering {
namespace {

struct PlainMemory {
  static std::uint32_t add(std::uint32_t* at, std::uint32_t n) {
    const std::uint32_t old = *at;
    *at += n;
    return old;
  }
  static std::uint32_t compare_and_swap(std::uint32_t* at, std::uint32_t old, std::uint32_t wanted) {
    if (before_swap) before_swap(at);
    const std::uint32_t found = *at;
    if (found == old) *at = wanted;
    return found;
  }
  static std::uint32_t load(const std::uint32_t* at) { return *at; }
  static void store(std::uint32_t* at, std::uint32_t value) { *at = value; }
  static void fence() {}
  static void pause() { ++pauses; }
  static int pauses;
  static std::function<void(std::uint32_t*)> before_swap;  // what others do just before
};
int PlainMemory::pauses = 0;
std::function<void(std::uint32_t*)> PlainMemory::before_swap;

// An agent in pieces: its start, each task, its end.
class Stepped {
 public:
  Stepped(Scene& scene, std::uint32_t sm)
      : scene_(&scene), pool_(&scene.launch, scene.states.data(), scene.clusters), sm_(sm) {}
  // The number of the task that it took, or kNone. After its end nothing happens.
  template <class Order>
  Task step(const Order& order) {
    Task task = {kNone, {0, 0, 0}};
    if (state_ == State::Ended) return task;
    if (state_ == State::Waiting) {
      agent_ = pool_.arrive(sm_);
      state_ = State::Running;
      if (scene_->active != 0 && !pool_.enroll(agent_, scene_->active)) {
        end();
        return task;
      }
    }
    OneThread team;
    task = pool_.next(agent_, team, order, scene_->grid);
    if (task.number == kNone) {
      end();
    } else {
      pool_.draw_ahead(agent_, scene_->reserve);
    }
    return task;
  }
  bool ended() const { return state_ == State::Ended; }
  std::uint32_t sm() const { return sm_; }
  std::uint32_t home() const { return agent_.home; }
  std::uint32_t current() const { return agent_.current; }

 private:
  enum class State { Waiting, Running, Ended };
  void end() {
    state_ = State::Ended;
    if (pool_.leave(scene_->agents)) pool_.reset(0, 1);
  }

  Scene* scene_;
  Pool<PlainMemory> pool_;
  std::uint32_t sm_;
  Agent agent_{};
  State state_ = State::Waiting;
};

struct Done {
  std::uint32_t sm, home, cluster, task;
};

// Runs all agents, in an order drawn from the seed (some get more turns than others); what was done by whom.
template <class Order>
std::vector<Done> run(Scene& scene, const std::vector<std::uint32_t>& sms, const Order& order,
                      std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Stepped> waiting;
  for (const std::uint32_t sm : sms) waiting.emplace_back(scene, sm);
  std::vector<Done> done;
  while (!waiting.empty()) {
    const std::size_t chosen = std::min(random() % waiting.size(), random() % waiting.size());
    const Task task = waiting[chosen].step(order);
    const Stepped& agent = waiting[chosen];
    if (task.number != kNone) done.push_back({agent.sm(), agent.home(), agent.current(), task.number});
    if (waiting[chosen].ended()) waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  return done;
}

TEST(Claim, EveryTaskOnce) {
  EXPECT_TRUE(rc::check([] {
    const std::uint32_t agents = between(1, 60);
    Scene scene({between(1, 20), between(1, 12), between(1, 3)}, between(1, 40), agents, between(0, 3),
                between(0, 9));
    // Few SM ids or many, small or large, none of them equal to the clusters' numbers.
    const std::uint32_t ids = between(1, 50), stride = between(1, 9);
    std::vector<std::uint32_t> sms;
    for (std::uint32_t i = 0; i < agents; ++i) sms.push_back(between(0, ids) * stride);
    for (std::uint32_t launch = 0; launch < 3; ++launch) {
      std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> ctas;
      std::vector<std::uint32_t> times(scene.clusters.tasks);
      for (const Done& one : run(scene, sms, Tiles(3, 2), between(0, 1 << 20))) {
        ++times[one.task];
        const Index3 cta = Tiles(3, 2)(one.task, scene.grid);
        ctas.insert({cta.x, cta.y, cta.z});
      }
      RC_ASSERT(times == std::vector<std::uint32_t>(scene.clusters.tasks, 1));
      RC_ASSERT(ctas.size() == scene.clusters.tasks);
      RC_ASSERT(scene.clean());
    }
  }));
}

// With a full set of SMs of equal speed, nothing is stolen before an SM's own cluster is used up.
TEST(Claim, AnSmDoesItsOwnClusterFirst) {
  EXPECT_TRUE(rc::check([] {
    const std::uint32_t count = between(1, 20), per_sm = between(1, 4), gap = between(1, 7);
    Scene scene({between(1, 400), 1, 1}, count, count * per_sm);
    std::vector<std::uint32_t> sms;
    for (std::uint32_t i = 0; i < count * per_sm; ++i) sms.push_back(i % count * gap);
    std::vector<std::uint32_t> left;
    for (std::uint32_t i = 0; i < count; ++i) left.push_back(scene.clusters.size(i));
    for (const Done& one : run(scene, sms, RowMajor(), between(0, 1 << 20))) {
      RC_ASSERT(one.cluster == one.home || left[one.home] == 0u);
      --left[one.cluster];
    }
  }));
}

// All agents of an SM share a cluster, whatever ids SMs have; different SMs have different ones.
TEST(Claim, SmsGetClustersOfTheirOwn) {
  EXPECT_TRUE(rc::check([] {
    const std::uint32_t count = between(1, 40);
    Scene scene({1000, 1, 1}, count, 3 * count);
    const Pool<PlainMemory> pool(&scene.launch, scene.states.data(), scene.clusters);
    std::set<std::uint32_t> ids;
    while (ids.size() < count) ids.insert(between(0, 1000));
    std::vector<std::uint32_t> arrivals;
    for (const std::uint32_t id : ids) arrivals.insert(arrivals.end(), 3, id);
    std::shuffle(arrivals.begin(), arrivals.end(), std::mt19937(between(0, 1 << 20)));
    std::map<std::uint32_t, std::uint32_t> homes;
    std::set<std::uint32_t> used;
    for (const std::uint32_t id : arrivals) {
      const std::uint32_t home = pool.arrive(id).home;
      const auto known = homes.emplace(id, home);
      if (known.second) RC_ASSERT(used.insert(home).second);
      RC_ASSERT(known.first->second == home);
    }
  }));
}

TEST(Claim, IdsWithoutGapsAreTheClusters) {
  Scene scene({1000, 1, 1}, 132, 132);
  const Pool<PlainMemory> pool(&scene.launch, scene.states.data(), scene.clusters);
  for (std::uint32_t sm = 132; sm-- > 0;) EXPECT_EQ(pool.arrive(sm).home, sm);
}

// Half of the SMs are missing: what they leave is taken over by whole clusters, not task by task.
TEST(Claim, ClustersOfMissingSmsAreTakenOverWhole) {
  Scene scene({64 * 40, 1, 1}, 64, 64);
  std::vector<std::uint32_t> sms;
  for (std::uint32_t i = 0; i < 64; ++i) sms.push_back(i / 2);  // SMs 0 to 31, two agents each
  std::map<std::uint32_t, std::set<std::uint32_t>> thieves;
  std::uint32_t shared = 0;
  for (const Done& one : run(scene, sms, RowMajor(), 7)) thieves[one.cluster].insert(one.sm);
  for (std::uint32_t cluster = 32; cluster < 64; ++cluster) {
    EXPECT_FALSE(thieves[cluster].empty());
    if (thieves[cluster].size() > 1) ++shared;
  }
  EXPECT_LT(shared, 16u);  // those of the last SMs to finish are shared out at the end
}

// Who comes second to a cluster of nobody's looks for another one.
TEST(Claim, OneSmTakesAClusterOver) {
  Scene scene({40, 1, 1}, 4, 3);
  Stepped agent(scene, 0);
  for (int task = 0; task < 10; ++task) ASSERT_NE(agent.step(RowMajor()).number, kNone);
  ClusterState* lost = nullptr;
  PlainMemory::before_swap = [&](std::uint32_t* at) {
    for (ClusterState& state : scene.states) {
      if (at == &state.adopter && lost == nullptr) {
        state.adopter = 99;
        lost = &state;
      }
    }
  };
  const Task task = agent.step(RowMajor());
  PlainMemory::before_swap = nullptr;
  ASSERT_NE(lost, nullptr);
  ASSERT_NE(task.number, kNone);
  EXPECT_NE(&scene.states[agent.current()], lost);
  EXPECT_EQ(scene.states[agent.current()].adopter, 1u);
}

// A ticket is drawn ahead only while there are enough for all.
TEST(Claim, LastTasksAreNotHeldBack) {
  Scene scene({20, 1, 1}, 1, 2, 0, 4);
  std::vector<Stepped> agents(2, Stepped(scene, 0));
  for (int task = 0; task < 15; ++task) ASSERT_NE(agents[0].step(RowMajor()).number, kNone);
  EXPECT_EQ(scene.states[0].next, 16u);  // one ahead
  for (int task = 15; task < 18; ++task) ASSERT_NE(agents[0].step(RowMajor()).number, kNone);
  EXPECT_EQ(scene.states[0].next, 18u);  // none
  EXPECT_EQ(agents[1].step(RowMajor()).number, 18u);
}

TEST(Throttling, FirstAgentsOfAnSmStayOthersGo) {
  Scene scene({100, 1, 1}, 4, 12, 2);
  std::vector<Stepped> agents;
  for (std::uint32_t i = 0; i < 12; ++i) agents.emplace_back(scene, i % 4);
  std::uint32_t working = 0;
  for (Stepped& agent : agents) {
    if (agent.step(RowMajor()).number != kNone) ++working;
  }
  EXPECT_EQ(working, 8u);
  for (std::uint32_t i = 0; i < 12; ++i) EXPECT_EQ(agents[i].ended(), i >= 8);
}

TEST(Throttling, SurplusAgentsWaitForTheOthersButNotForEver) {
  Scene scene({100, 1, 1}, 4, 12, 1);
  const Pool<PlainMemory> pool(&scene.launch, scene.states.data(), scene.clusters);
  PlainMemory::pauses = 0;
  const Agent agent = pool.arrive(0);
  EXPECT_TRUE(pool.enroll(agent, 1));
  EXPECT_FALSE(pool.enroll(agent, 1));
  pool.hold_place(12);  // ten agents have not started
  EXPECT_GT(PlainMemory::pauses, 10);
  for (std::uint32_t i = 2; i < 12; ++i) pool.enroll(pool.arrive(i % 4), 1);
  PlainMemory::pauses = 0;
  pool.hold_place(12);  // all have
  EXPECT_EQ(PlainMemory::pauses, 0);
}

// A late SM still gets the cluster that another one has taken over, and its own quota of agents.
TEST(Throttling, ALateSmFindsItsClusterThoughItWasTakenOver) {
  Scene scene({30, 1, 1}, 3, 3, 1);
  std::vector<Stepped> agents;
  for (std::uint32_t sm = 0; sm < 3; ++sm) agents.emplace_back(scene, sm);
  std::set<std::uint32_t> clusters;
  for (int task = 0; task < 15; ++task) {  // SM 0 does its ten tasks and five of another's
    ASSERT_NE(agents[0].step(RowMajor()).number, kNone);
    clusters.insert(agents[0].current());
  }
  ASSERT_EQ(clusters.size(), 2u);
  const std::uint32_t taken = *clusters.rbegin();
  ASSERT_NE(agents[taken].step(RowMajor()).number, kNone);
  EXPECT_EQ(agents[taken].current(), taken);
}

}  // namespace
}  // namespace heddle::clustering
