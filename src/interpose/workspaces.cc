#include "interpose/workspaces.h"

#include "interpose/driver.h"
#include "interpose/log.h"

namespace heddle::interpose {
namespace {

constexpr std::uint64_t kBytes = 8192;  // counters of 1,023 SMs
constexpr std::uint64_t kAtOnce = 32;   // workspaces allocated together: allocating waits for the device

}  // namespace

Workspaces& Workspaces::get() {
  static Workspaces* const all = new Workspaces;
  return *all;
}

Workspaces::Key Workspaces::key(CUcontext context, CUstream stream) {
  if (stream == kLegacyStream) stream = nullptr;
  return {context, stream, stream == kPerThreadStream ? std::this_thread::get_id() : std::thread::id{}};
}

CUdeviceptr Workspaces::take(CUcontext context) {
  std::vector<CUdeviceptr>& free = pools_[context].free;
  if (free.empty()) {
    CUdeviceptr all = 0;
    const CUresult code = call(driver().cuMemAlloc_v2, &all, kAtOnce * kBytes);
    if (code != kSuccess) {
      log("no memory for counters: {}", name_of(code));
      return 0;
    }
    for (std::uint64_t i = 0; i < kAtOnce; ++i) free.push_back(all + i * kBytes);
  }
  const CUdeviceptr taken = free.back();
  free.pop_back();
  return taken;
}

CUdeviceptr Workspaces::of_stream(CUstream stream, std::uint64_t bytes) {
  if (bytes > kBytes) return 0;
  const std::lock_guard guard(lock_);
  CUcontext const context = current_context();
  const Key k = key(context, stream);
  if (const auto at = used_.find(k); at != used_.end()) return at->second;
  const CUdeviceptr taken = take(context);
  if (taken == 0) return 0;
  // In the stream itself: before its launches, whatever other streams do.
  if (call(driver().cuMemsetD8Async, taken, static_cast<unsigned char>(0), kBytes, stream) != kSuccess)
    return 0;
  return used_[k] = taken;
}

void Workspaces::forget_stream(CUstream stream) {
  const std::lock_guard guard(lock_);
  CUcontext const context = current_context();
  const auto at = used_.find(key(context, stream));
  if (at == used_.end()) return;
  // Of a stream that is still busy they are given to nobody else.
  if (call(driver().cuStreamQuery, stream) == kSuccess) pools_[context].free.push_back(at->second);
  used_.erase(at);
}

void Workspaces::forget(CUcontext context) {
  const std::lock_guard guard(lock_);
  pools_.erase(context);
  std::erase_if(used_, [&](const auto& entry) { return std::get<0>(entry.first) == context; });
}

}  // namespace heddle::interpose
