// CTA clustering: what the host calls. Every function returns cudaSuccess or an error; last_message() then
// says what is wrong and what to do.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <utility>

#include "kernels.cuh"

namespace heddle {
namespace clustering {

namespace detail {

constexpr std::size_t kMessageBytes = 320;
inline char* message() {
  static thread_local char text[kMessageBytes] = "";
  return text;
}

template <class... Values>
cudaError_t fail(cudaError_t code, const char* format, Values... values) {
  std::snprintf(message(), kMessageBytes, format, values...);
  return code;
}
// For a call of CUDA's own.
inline cudaError_t checked(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return code;
  return fail(code, "%s: %s (%s)", what, cudaGetErrorString(code), cudaGetErrorName(code));
}

}  // namespace detail

// What went wrong in the last call that failed on this host thread.
inline const char* last_message() {
  return detail::message();
}

// The counters of a launch: a few KiB on the current device, all zero between launches. Launches that may
// overlap (in different streams or branches of a graph) need one each; those that follow each other share
// one. Make it before a stream is captured: it allocates.
class Workspace {
 public:
  Workspace() { status_ = create(); }
  ~Workspace() { cudaFree(memory_); }
  Workspace(Workspace&& other) noexcept { swap(other); }
  Workspace& operator=(Workspace&& other) noexcept {
    swap(other);
    return *this;
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  cudaError_t status() const { return status_; }
  int device() const { return device_; }
  // One cluster of tasks for each SM of the device.
  std::uint32_t clusters() const { return clusters_; }
  LaunchState* launch() const { return static_cast<LaunchState*>(memory_); }
  ClusterState* states() const { return reinterpret_cast<ClusterState*>(launch() + 1); }

 private:
  cudaError_t create() {
    cudaError_t error = detail::checked(cudaGetDevice(&device_), "Workspace: the current device");
    if (error != cudaSuccess) return error;
    int sms = 0;
    error = detail::checked(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device_),
                            "Workspace: the number of SMs");
    if (error != cudaSuccess) return error;
    const std::size_t bytes = sizeof(LaunchState) + static_cast<std::size_t>(sms) * sizeof(ClusterState);
    error = detail::checked(cudaMalloc(&memory_, bytes), "Workspace: its memory");
    if (error != cudaSuccess) return error;
    error = detail::checked(cudaMemset(memory_, 0, bytes), "Workspace: its memory set to zero");
    if (error != cudaSuccess) return error;
    // Streams that do not wait for the default one must find it done.
    error = detail::checked(cudaStreamSynchronize(nullptr), "Workspace: its memory set to zero");
    if (error == cudaSuccess) clusters_ = static_cast<std::uint32_t>(sms);
    return error;
  }
  void swap(Workspace& other) {
    std::swap(memory_, other.memory_);
    std::swap(clusters_, other.clusters_);
    std::swap(device_, other.device_);
    std::swap(status_, other.status_);
  }

  void* memory_ = nullptr;
  std::uint32_t clusters_ = 0;
  int device_ = -1;
  cudaError_t status_ = cudaErrorNotReady;
};

// How a body is launched. grid and block as in <<<grid, block, shared_bytes, stream>>>.
struct Launch {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  // The rest is for agents. TOT: how many agents of an SM take tasks; 0, or more than fit: all that fit.
  unsigned active_agents = 0;
  // How many fit an SM, from max_agents(); 0: launch() asks CUDA each time (about a microsecond).
  unsigned max_agents = 0;

  Launch() = default;
  Launch(dim3 grid_size, dim3 block_size, std::size_t shared = 0, cudaStream_t in = nullptr)
      : grid(grid_size), block(block_size), shared_bytes(shared), stream(in) {}
};

namespace detail {

inline cudaError_t check_grid(const Launch& how) {
  const std::uint64_t tasks = tasks_of({how.grid.x, how.grid.y, how.grid.z});
  const unsigned x = how.grid.x, y = how.grid.y, z = how.grid.z;
  if (tasks == 0) {
    return fail(cudaErrorInvalidConfiguration, "launch: a grid of %u x %u x %u CTAs; no dimension may be 0",
                x, y, z);
  }
  if (tasks > kMostTasks) {
    return fail(
        cudaErrorInvalidConfiguration,
        "launch: a grid of %u x %u x %u CTAs; 2147483647 are the most, so split it into several launches", x,
        y, z);
  }
  return cudaSuccess;
}

// More than 48 KiB of dynamic shared memory must be asked for.
inline cudaError_t allow_shared(const void* kernel, const Launch& how) {
  if (how.shared_bytes <= 48 * 1024) return cudaSuccess;
  return checked(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(how.shared_bytes)),
                 "launch: dynamic shared memory (Launch::shared_bytes)");
}

template <class... Parameters, class... Values>
cudaError_t start(void (*kernel)(Parameters...), dim3 grid, const Launch& how, Values... values) {
  void* addresses[] = {&values...};
  return checked(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, how.block, addresses,
                                  how.shared_bytes, how.stream),
                 "launch");
}

inline cudaError_t fitting(const void* kernel, const Launch& how, unsigned& agents) {
  cudaError_t error = allow_shared(kernel, how);
  if (error != cudaSuccess) return error;
  int ctas = 0;
  error =
      checked(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                  &ctas, kernel, static_cast<int>(how.block.x * how.block.y * how.block.z), how.shared_bytes),
              "launch: how many agents fit an SM");
  if (error != cudaSuccess) return error;
  if (ctas == 0) {
    return fail(
        cudaErrorInvalidConfiguration,
        "launch: no CTA of %u x %u x %u threads with %zu bytes of dynamic shared memory fits an SM; use a "
        "smaller block or Bounds<threads>",
        how.block.x, how.block.y, how.block.z, how.shared_bytes);
  }
  agents = static_cast<unsigned>(ctas);
  return cudaSuccess;
}

}  // namespace detail

// How many agents of a body fit an SM: for Launch::max_agents, and the range of Launch::active_agents.
template <class Limits = Unbounded, class Order, class Body, class... Args>
cudaError_t max_agents(unsigned& agents, const Launch& how, const Order&, const Body&, Args...) {
  return detail::fitting(reinterpret_cast<const void*>(Limits::template agents<Order, Body, Args...>()), how,
                         agents);
}

// CLU: agents that stay on their SM run body(cta, args...) for every CTA of the grid, neighbours in `order`
// on the same SM. With active_agents, CLU+TOT; with with_prefetch(body, hook), PFH. Nothing is allocated; may
// be captured.
template <class Limits = Unbounded, class Order, class Body, class... Args>
cudaError_t launch(const Launch& how, const Workspace& workspace, const Order& order, const Body& body,
                   Args... args) {
  cudaError_t error = detail::check_grid(how);
  if (error != cudaSuccess) return error;
  if (workspace.status() != cudaSuccess) {
    return detail::fail(workspace.status(), "launch: the workspace could not be made: %s",
                        cudaGetErrorString(workspace.status()));
  }
  int device = 0;
  error = detail::checked(cudaGetDevice(&device), "launch: the current device");
  if (error != cudaSuccess) return error;
  if (device != workspace.device()) {
    return detail::fail(
        cudaErrorInvalidDevice,
        "launch: the workspace is on device %d, the current device is %d; make one for each device",
        workspace.device(), device);
  }
  auto kernel = Limits::template agents<Order, Body, Args...>();
  unsigned fit = how.max_agents;
  error = fit == 0 ? detail::fitting(reinterpret_cast<const void*>(kernel), how, fit)
                   : detail::allow_shared(reinterpret_cast<const void*>(kernel), how);
  if (error != cudaSuccess) return error;

  const Index3 grid = {how.grid.x, how.grid.y, how.grid.z};
  const std::uint32_t tasks = static_cast<std::uint32_t>(tasks_of(grid));
  const bool throttled = how.active_agents != 0 && how.active_agents < fit;
  // As many agents as fit, so that every SM gets its share; without surplus ones no more than there are
  // tasks.
  std::uint32_t agents = workspace.clusters() * fit;
  if (!throttled) agents = least_of(agents, tasks);
  // Two tasks for each agent of an SM are left for whoever comes first.
  const std::uint32_t workers = throttled ? how.active_agents : fit;
  const Plan plan = {workspace.launch(),
                     workspace.states(),
                     Clusters{tasks, workspace.clusters()},
                     grid,
                     throttled ? how.active_agents : 0,
                     2 * workers};
  return detail::start(kernel, dim3(agents), how, plan, order, body, args...);
}

// RD: the grid as it is, every CTA does the work of another one. Needs no workspace; helps only where the
// hardware deals CTAs to SMs in turn.
template <class Limits = Unbounded, class Order, class Body, class... Args>
cudaError_t launch_redirected(const Launch& how, const Order& order, const Body& body, Args... args) {
  cudaError_t error = detail::check_grid(how);
  if (error != cudaSuccess) return error;
  int device = 0, sms = 0;
  error = detail::checked(cudaGetDevice(&device), "launch_redirected: the current device");
  if (error != cudaSuccess) return error;
  error = detail::checked(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device),
                          "launch_redirected: the number of SMs");
  if (error != cudaSuccess) return error;
  auto kernel = Limits::template redirected<Order, Body, Args...>();
  error = detail::allow_shared(reinterpret_cast<const void*>(kernel), how);
  if (error != cudaSuccess) return error;
  const Clusters clusters = {static_cast<std::uint32_t>(tasks_of({how.grid.x, how.grid.y, how.grid.z})),
                             static_cast<std::uint32_t>(sms)};
  return detail::start(kernel, how.grid, how, clusters, order, body, args...);
}

// BSL: the body as an ordinary kernel, to compare with.
template <class Limits = Unbounded, class Body, class... Args>
cudaError_t launch_plain(const Launch& how, const Body& body, Args... args) {
  auto kernel = Limits::template plain<Body, Args...>();
  const cudaError_t error = detail::allow_shared(reinterpret_cast<const void*>(kernel), how);
  if (error != cudaSuccess) return error;
  return detail::start(kernel, how.grid, how, body, args...);
}

}  // namespace clustering
}  // namespace heddle
