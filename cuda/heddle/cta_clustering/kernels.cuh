// CTA clustering: the kernels that run a body for the CTAs of a grid, in the order of the hardware,
// redirected, or by agents.
#pragma once

#include <cuda_runtime.h>

#include <type_traits>

#include "claim.h"
#include "memory.cuh"

namespace heddle {
namespace clustering {

// What a body sees in place of CUDA's blockIdx and gridDim.
struct Cta {
  Index3 blockIdx;
  Index3 gridDim;
};

// Base of bodies made of old kernels: their text, moved into run(), finds blockIdx and gridDim here, before
// CUDA's own.
struct Kernel {
  uint3 blockIdx = {0, 0, 0};
  dim3 gridDim;
};

// A body, and what to do early for the task after the present one: hook(cta, args...).
template <class Body, class Hook>
struct WithPrefetch {
  Body body;
  Hook hook;
};
template <class Body, class Hook>
WithPrefetch<Body, Hook> with_prefetch(const Body& body, const Hook& hook) {
  return {body, hook};
}

// What every agent of a launch is told.
struct Plan {
  LaunchState* launch;
  ClusterState* states;
  Clusters clusters;
  Index3 grid;
  std::uint32_t active;   // agents per SM that take tasks; 0: all
  std::uint32_t reserve;  // tasks of a cluster that are not drawn ahead
};

namespace detail {

struct DeviceMemory {
  static __device__ std::uint32_t add(std::uint32_t* at, std::uint32_t n) { return atomicAdd(at, n); }
  static __device__ std::uint32_t compare_and_swap(std::uint32_t* at, std::uint32_t old,
                                                   std::uint32_t wanted) {
    return atomicCAS(at, old, wanted);
  }
  static __device__ std::uint32_t load(const std::uint32_t* at) {
    return *static_cast<const volatile std::uint32_t*>(at);
  }
  static __device__ void store(std::uint32_t* at, std::uint32_t value) {
    *static_cast<volatile std::uint32_t*>(at) = value;
  }
  static __device__ void fence() { __threadfence(); }
  static __device__ void pause() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    asm volatile("nanosleep.u32 200;");
#endif
  }
};

// The threads of a CTA as a team. Two slots in turn: who is still reading one is met at a barrier before it
// is written again, so that each exchange needs one barrier only.
struct Slot {
  Task task;
  std::uint32_t least;
};
class CtaTeam {
 public:
  __device__ explicit CtaTeam(Slot* slots)
      : slots_(slots),
        rank_((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x),
        size_(blockDim.x * blockDim.y * blockDim.z) {}
  __device__ bool leader() const { return rank_ == 0; }
  __device__ std::uint32_t rank() const { return rank_; }
  __device__ std::uint32_t size() const { return size_; }
  __device__ Task share(const Task& task) {
    turn_ ^= 1;
    if (leader()) {
      slots_[turn_].task = task;
      slots_[turn_].least = kNone;
    }
    __syncthreads();
    return slots_[turn_].task;
  }
  // After a share().
  template <class Rank>
  __device__ std::uint32_t least(std::uint32_t count, const Rank& rank) {
    std::uint32_t mine = kNone;
    for (std::uint32_t i = rank_; i < count; i += size_) mine = least_of(mine, rank(i));
    if (mine != kNone) atomicMin(&slots_[turn_].least, mine);
    __syncthreads();
    return slots_[turn_].least;
  }

 private:
  Slot* slots_;
  std::uint32_t rank_, size_;
  std::uint32_t turn_ = 0;
};

template <class Body, class... Args>
__device__ __forceinline__ void run_body(std::true_type, const Body& body, const Cta& cta, Args&... args) {
  Body kernel(body);
  kernel.blockIdx = make_uint3(cta.blockIdx.x, cta.blockIdx.y, cta.blockIdx.z);
  kernel.gridDim.x = cta.gridDim.x;
  kernel.gridDim.y = cta.gridDim.y;
  kernel.gridDim.z = cta.gridDim.z;
  kernel.run(args...);
}
template <class Body, class... Args>
__device__ __forceinline__ void run_body(std::false_type, const Body& body, const Cta& cta, Args&... args) {
  body(cta, args...);
}
template <class Body, class... Args>
__device__ __forceinline__ void run(const Body& body, const Cta& cta, Args&... args) {
  run_body(std::is_base_of<Kernel, Body>(), body, cta, args...);
}
template <class Body, class Hook, class... Args>
__device__ __forceinline__ void run(const WithPrefetch<Body, Hook>& both, const Cta& cta, Args&... args) {
  run(both.body, cta, args...);
}

// The tasks of one agent. The barrier in next() is also that between two tasks which use the same shared
// memory.
template <class Work, class Order, class Body, class... Args>
__device__ __forceinline__ void work(const Work& pool, Agent& agent, CtaTeam& team, const Plan& plan,
                                     const Order& order, const Body& body, Args&... args) {
  for (;;) {
    const Task task = pool.next(agent, team, order, plan.grid);
    if (task.number == kNone) return;
    if (team.leader()) pool.draw_ahead(agent, plan.reserve);
    run(body, Cta{task.cta, plan.grid}, args...);
  }
}
template <class Work, class Order, class Body, class Hook, class... Args>
__device__ __forceinline__ void work(const Work& pool, Agent& agent, CtaTeam& team, const Plan& plan,
                                     const Order& order, const WithPrefetch<Body, Hook>& both,
                                     Args&... args) {
  Task task = pool.next(agent, team, order, plan.grid);
  while (task.number != kNone) {
    const Task after = pool.next(agent, team, order, plan.grid);
    if (after.number != kNone) both.hook(Cta{after.cta, plan.grid}, args...);
    run(both.body, Cta{task.cta, plan.grid}, args...);
    task = after;
  }
  end_prefetches();
}

template <class Order, class Body, class... Args>
__device__ __forceinline__ void be_agent(const Plan& plan, const Order& order, const Body& body,
                                         Args&... args) {
  __shared__ Slot slots[2];
  CtaTeam team(slots);
  const Pool<DeviceMemory> pool(plan.launch, plan.states, plan.clusters);
  const std::uint32_t agents = gridDim.x;
  // The leader finds out who the agent is; `number` of what it shares is 1 for an active one.
  Agent agent = {0, 0, 0, kNone, 0, false};
  bool active = true;
  if (team.leader()) {
    std::uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    agent = pool.arrive(sm);
    if (plan.active != 0) active = pool.enroll(agent, plan.active);
  }
  const Task who = team.share({active ? 1u : 0u, {agent.sm, agent.home, 0}});
  if (who.number == 1) {
    agent.sm = who.cta.x;
    agent.home = who.cta.y;
    agent.current = who.cta.y;
    work(pool, agent, team, plan, order, body, args...);
  } else if (team.leader()) {
    pool.hold_place(agents);
  }
  Task last = {0, {0, 0, 0}};
  if (team.leader()) last.number = pool.leave(agents) ? 1 : 0;
  last = team.share(last);
  if (last.number == 1) pool.reset(team.rank(), team.size());
}

template <class Order, class Body, class... Args>
__device__ __forceinline__ void be_redirected(const Clusters& clusters, const Order& order, const Body& body,
                                              Args&... args) {
  const Index3 grid = {gridDim.x, gridDim.y, gridDim.z};
  const std::uint32_t u = RowMajor().task({blockIdx.x, blockIdx.y, blockIdx.z}, grid);
  run(body, Cta{order(clusters.redirected(u), grid), grid}, args...);
}

template <class Body, class... Args>
__device__ __forceinline__ void be_plain(const Body& body, Args&... args) {
  run(body, Cta{{blockIdx.x, blockIdx.y, blockIdx.z}, {gridDim.x, gridDim.y, gridDim.z}}, args...);
}

template <class Order, class Body, class... Args>
__global__ void agents(Plan plan, Order order, Body body, Args... args) {
  be_agent(plan, order, body, args...);
}
template <unsigned threads, unsigned ctas, class Order, class Body, class... Args>
__global__ void __launch_bounds__(threads, ctas)
    agents_bounded(Plan plan, Order order, Body body, Args... args) {
  be_agent(plan, order, body, args...);
}
template <class Order, class Body, class... Args>
__global__ void redirected(Clusters clusters, Order order, Body body, Args... args) {
  be_redirected(clusters, order, body, args...);
}
template <unsigned threads, unsigned ctas, class Order, class Body, class... Args>
__global__ void __launch_bounds__(threads, ctas)
    redirected_bounded(Clusters clusters, Order order, Body body, Args... args) {
  be_redirected(clusters, order, body, args...);
}
template <class Body, class... Args>
__global__ void plain(Body body, Args... args) {
  be_plain(body, args...);
}
template <unsigned threads, unsigned ctas, class Body, class... Args>
__global__ void __launch_bounds__(threads, ctas) plain_bounded(Body body, Args... args) {
  be_plain(body, args...);
}

}  // namespace detail

// __launch_bounds__ of the kernel that runs a body.
struct Unbounded {
  template <class... Types>
  static auto agents() -> decltype(&detail::agents<Types...>) {
    return &detail::agents<Types...>;
  }
  template <class... Types>
  static auto redirected() -> decltype(&detail::redirected<Types...>) {
    return &detail::redirected<Types...>;
  }
  template <class... Types>
  static auto plain() -> decltype(&detail::plain<Types...>) {
    return &detail::plain<Types...>;
  }
};
template <unsigned threads, unsigned ctas = 1>
struct Bounds {
  template <class... Types>
  static auto agents() -> decltype(&detail::agents_bounded<threads, ctas, Types...>) {
    return &detail::agents_bounded<threads, ctas, Types...>;
  }
  template <class... Types>
  static auto redirected() -> decltype(&detail::redirected_bounded<threads, ctas, Types...>) {
    return &detail::redirected_bounded<threads, ctas, Types...>;
  }
  template <class... Types>
  static auto plain() -> decltype(&detail::plain_bounded<threads, ctas, Types...>) {
    return &detail::plain_bounded<threads, ctas, Types...>;
  }
};

}  // namespace clustering
}  // namespace heddle
