#include "runtime/session/session.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace heddle::runtime {
namespace {

// The handles of the default streams.
const auto kLegacy = reinterpret_cast<cudaStream_t>(1);
const auto kPerThread = reinterpret_cast<cudaStream_t>(2);

constexpr std::uint32_t kUsualCapability = 75;

}  // namespace

Session& Session::get() {
  // Never destroyed: programs call the library from their own destructors.
  static Session& session = *new Session;
  return session;
}

Session::Session() {
  legacy_.id = 1;
  per_thread_.id = 2;
}

const ExecOptions& Session::options() {
  if (!options_) {
    options_ = ExecOptions::from_environment();
    modules_.want(options_->capability);
  }
  return *options_;
}

cudaError_t& Session::last_error() {
  static thread_local cudaError_t error = cudaSuccess;
  return error;
}

Simulator& Session::simulator() {
  if (simulator_ == nullptr) {
    try {
      if (history_ == nullptr) history_ = std::make_unique<History>(options());
      simulator_ = std::make_unique<Simulator>(options(), output_, *history_);
    } catch (const Error& e) {
      throw Failure{cudaErrorInitializationError, e.what()};
    }
  }
  return *simulator_;
}

std::uint32_t Session::capability() {
  if (options().capability != 0) return options().capability;
  const std::uint32_t asked = modules_.architecture();
  return asked != 0 ? asked : kUsualCapability;
}

void Session::Output::write(const std::string& text) {
  text_ += text;
  if (text_.size() >= kMost) flush();
}

void Session::Output::flush() {
  if (text_.empty()) return;
  const bool written =
      std::fwrite(text_.data(), 1, text_.size(), stdout) == text_.size() && std::fflush(stdout) == 0;
  text_.clear();
  if (!written && !std::exchange(lost_, true))
    Session::get().note_lost("standard output", std::strerror(errno));
}

void Session::synchronize() {
  output_.flush();
}

Stream& Session::stream(cudaStream_t handle) {
  if (handle == nullptr || handle == kLegacy) return legacy_;
  if (handle == kPerThread) return per_thread_;
  const auto at = streams_.find(handle);
  if (at == streams_.end()) throw Failure{cudaErrorInvalidResourceHandle, {}};
  return *at->second;
}

cudaStream_t Session::create_stream(unsigned flags, int priority) {
  auto s = std::make_unique<Stream>();
  s->flags = flags;
  s->priority = priority;
  s->id = next_stream_++;
  const cudaStream_t handle = s.get();
  streams_[handle] = std::move(s);
  return handle;
}

void Session::destroy_stream(cudaStream_t handle) {
  if (streams_.erase(handle) == 0) throw Failure{cudaErrorInvalidResourceHandle, {}};
}

Event& Session::event(cudaEvent_t handle) {
  const auto at = events_.find(handle);
  if (at == events_.end()) throw Failure{cudaErrorInvalidResourceHandle, {}};
  return *at->second;
}

cudaEvent_t Session::create_event(unsigned flags) {
  auto e = std::make_unique<Event>();
  e->flags = flags;
  const cudaEvent_t handle = e.get();
  events_[handle] = std::move(e);
  return handle;
}

void Session::destroy_event(cudaEvent_t handle) {
  if (events_.erase(handle) == 0) throw Failure{cudaErrorInvalidResourceHandle, {}};
}

void Session::submit(cudaStream_t handle, NodeType type, std::function<void(Session&)> action) {
  Stream& s = stream(handle);
  if (s.capture == nullptr) {
    action(*this);
    return;
  }
  Graph& graph = *s.capture;
  GraphNode& node = graph.add(type, std::move(action), graph.frontier);
  // Captured operations are kept in the order in which they were given: one of the orders that are allowed.
  graph.frontier = {&node};
}

void Session::end_capture(Graph& graph) {
  auto leave = [&](Stream& s) {
    if (s.capture == &graph) s.capture = nullptr;
    if (s.capture == nullptr) s.capture_origin = false;
  };
  leave(legacy_);
  leave(per_thread_);
  for (auto& [handle, s] : streams_) leave(*s);
  for (auto& [handle, e] : events_)
    if (e->capture == &graph) e->capture = nullptr;
}

void Session::reset() {
  synchronize();
  simulator_.reset();
  if (history_ != nullptr && history_->recorder != nullptr) history_->recorder->device_reset();
  physical_memory_ = {};
  modules_.unload_all();
  fault_ = cudaSuccess;
  memory_.clear();
  arrays_.clear();
  mipmapped_arrays_.clear();
  textures_.clear();
  surfaces_.clear();
  limits_.clear();
  graphs_.clear();
  graph_memory_ = {};
}

}  // namespace heddle::runtime
