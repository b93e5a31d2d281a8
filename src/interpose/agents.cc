#include "interpose/agents.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

#include "base/error.h"
#include "interpose/driver.h"
#include "interpose/workspaces.h"
#include "techniques/cta_clustering/rewrite/agent_launch.h"

namespace heddle::interpose {
namespace {

// Of the agents' parameters, one behind the other: eleven of 4 bytes, then one of 8.
constexpr std::size_t kFurtherAt[] = {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48};
static_assert(std::size(kFurtherAt) == std::size(cta_clustering::kAgentParameters));

std::string attribute_obstacle(const CUlaunchAttribute& a) {
  switch (a.id) {
    case kAttributeIgnore:
    case kAttributeAccessPolicy:
    case kAttributeSynchronizationPolicy:
    case kAttributeClusterScheduling:
    case kAttributePriority:
    case kAttributeMemSyncDomainMap:
    case kAttributeMemSyncDomain:
      return {};
    case kAttributeCooperative:
      return a.value.cooperative != 0 ? "a cooperative launch" : "";
    case kAttributeClusterDimension:
      return a.value.cluster.x * a.value.cluster.y * a.value.cluster.z > 1
                 ? "launched in thread-block clusters"
                 : "";
    default:
      return fmt::format("launched with attribute {}, which may let launches overlap", a.id);
  }
}

std::uint64_t aligned(std::uint64_t at, std::uint64_t to) {
  return (at + to - 1) / to * to;
}

}  // namespace

std::string launch_obstacle(const LaunchCall& call) {
  if (call.cooperative) return "a cooperative launch";
  for (unsigned i = 0; call.config != nullptr && i < call.config->count; ++i)
    if (std::string no = attribute_obstacle(call.config->attributes[i]); !no.empty()) return no;
  return {};
}

bool AgentLaunch::prepare(const LaunchCall& original, const KernelHandle& kernel,
                          std::uint32_t active_agents) {
  launch_ = original;
  launch_.function = kernel.rewritten;
  int fit = 0;
  const std::uint64_t threads = std::uint64_t{original.block[0]} * original.block[1] * original.block[2];
  const CUresult code = call(driver().cuOccupancyMaxActiveBlocksPerMultiprocessor, &fit, kernel.rewritten,
                             static_cast<int>(std::min<std::uint64_t>(threads, 1 << 20)),
                             static_cast<std::size_t>(original.shared));
  if (code != kSuccess || fit <= 0) {
    reason_ = fmt::format("rewritten, no CTA of it fits on an SM ({})", name_of(code));
    return false;
  }
  cta_clustering::AgentGrid agents;
  agents.clusters = static_cast<std::uint32_t>(
      std::max(1, device_attribute(attribute::kMultiprocessors, current_device())));
  agents.agents_per_cluster = static_cast<std::uint32_t>(fit);
  agents.active_agents = active_agents != 0 ? active_agents : agents.agents_per_cluster;
  const CUdeviceptr workspace =
      Workspaces::get().of_stream(original.stream, cta_clustering::workspace_bytes(agents));
  if (workspace == 0) {
    reason_ = "there is no device memory for its agents' counters";
    return false;
  }
  try {
    workload::Launch plain;
    plain.kernel = kernel.name;
    plain.grid = {original.grid[0], original.grid[1], original.grid[2]};
    const workload::Launch launch =
        cta_clustering::agent_launch(plain, agents, static_cast<workload::DevicePtr>(workspace));
    launch_.grid[0] = launch.grid.x;
    launch_.grid[1] = launch_.grid[2] = 1;
    further_ = launch.args.block();
  } catch (const Error& e) {
    reason_ = e.message();
    return false;
  }
  if (!append_arguments(original, kernel)) return false;
  if (original.config == nullptr) return true;
  config_ = *original.config;
  std::copy(std::begin(launch_.grid), std::end(launch_.grid), std::begin(config_.grid));
  launch_.config = &config_;
  return true;
}

bool AgentLaunch::append_arguments(const LaunchCall& original, const KernelHandle& kernel) {
  if (original.extra != nullptr && *original.extra != kParamEnd) return append_packed(original.extra, kernel);
  if (original.parameters == nullptr && kernel.parameters != 0) {
    reason_ = "launched without arguments";
    return false;
  }
  if (kernel.parameters != 0)
    parameters_.assign(original.parameters, original.parameters + kernel.parameters);
  for (const std::size_t at : kFurtherAt) parameters_.push_back(further_.data() + at);
  launch_.parameters = parameters_.data();
  return true;
}

// One block with all arguments: the agents' stand where the kernel's end.
bool AgentLaunch::append_packed(void** extra, const KernelHandle& kernel) {
  const void* block = nullptr;
  std::size_t bytes = 0;
  for (void** e = extra; *e != kParamEnd; e += 2) {
    if (e[0] == kParamBuffer) block = e[1];
    if (e[0] == kParamBytes) bytes = *static_cast<const std::size_t*>(e[1]);
  }
  if (block == nullptr || bytes < kernel.parameter_bytes) {
    reason_ = "launched with fewer bytes of arguments than it has parameters";
    return false;
  }
  std::uint64_t at = kernel.parameter_bytes;
  packed_.resize(kernel.parameter_bytes);
  std::memcpy(packed_.data(), block, kernel.parameter_bytes);
  for (std::size_t i = 0; i < std::size(kFurtherAt); ++i) {
    const std::size_t size = i + 1 == std::size(kFurtherAt) ? 8 : 4;
    at = aligned(at, size);
    packed_.resize(at + size);
    std::memcpy(packed_.data() + at, further_.data() + kFurtherAt[i], size);
    at += size;
  }
  packed_bytes_ = packed_.size();
  extra_[0] = kParamBuffer;
  extra_[1] = packed_.data();
  extra_[2] = kParamBytes;
  extra_[3] = &packed_bytes_;
  extra_[4] = kParamEnd;
  launch_.extra = extra_;
  launch_.parameters = nullptr;
  return true;
}

}  // namespace heddle::interpose
