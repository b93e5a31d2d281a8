#include "interpose/session.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/hash.h"
#include "interpose/driver.h"
#include "interpose/launch_times.h"
#include "interpose/log.h"

namespace heddle::interpose {

bool log_wanted() {
  static const bool wanted = [] {
    const char* value = std::getenv(Options::kLogVariable);
    return value != nullptr && *value != 0 && *value != '0';
  }();
  return wanted;
}

void write_log(const std::string& line) {
  std::fprintf(stderr, "heddle cluster: %s\n", line.c_str());
}

bool Session::wanted() {
  static const bool wanted = std::getenv(Options::kVariable) != nullptr;
  return wanted;
}

Session& Session::get() {
  static Session* const session = new Session;  // for calls while the program ends
  return *session;
}

Session::Session() {
  try {
    options_ = Options::from_json(std::getenv(Options::kVariable));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heddle: %s\n", e.what());
  }
}

void Session::note_driver() {
  if (!noted_driver_.exchange(true)) std::atexit([] { Session::get().finish(); });
}

void Session::note(const std::string& text) {
  log("{}", text);
  const std::lock_guard guard(lock_);
  results_.notes.push_back(text);
}

std::size_t Session::add_launch(const std::string& kernel, const LaunchNote& note) {
  // What is registered last runs first: before the driver and CUDA's runtime, which are there by now, end.
  if (!noted_launch_.exchange(true)) std::atexit([] { Session::get().finish(); });
  const std::lock_guard guard(lock_);
  const auto [at, added] = numbers_.try_emplace(kernel, results_.kernels.size());
  if (added) results_.kernels.emplace_back().name = kernel;
  KernelResult& k = results_.kernels[at->second];
  ++k.launches;
  k.ctas.add(note.ctas);
  if (note.rewritten)
    ++k.rewritten;
  else if (!note.reason.empty())
    ++k.reasons[note.reason];
  if (note.agents != 0) k.agents.add(note.agents);
  return at->second;
}

void Session::add_time(std::size_t number, double milliseconds) {
  const std::lock_guard guard(lock_);
  ++results_.kernels[number].timed;
  results_.kernels[number].milliseconds += milliseconds;
}

std::size_t Session::add_copy(CUstream stream, std::uint64_t bytes) {
  const std::lock_guard guard(lock_);
  const auto at = streams_.try_emplace(stream, static_cast<std::uint32_t>(streams_.size())).first;
  copies_.push_back({at->second, bytes, 0});
  return copies_.size() - 1;
}

void Session::set_hash(std::size_t copy, std::uint64_t hash) {
  const std::lock_guard guard(lock_);
  if (!finished_) copies_[copy].hash = hash;
}

void Session::drop_copy(std::size_t copy) {
  const std::lock_guard guard(lock_);
  if (!finished_) copies_[copy].bytes = 0;
}

void Session::forget_stream(CUstream stream) {
  const std::lock_guard guard(lock_);
  // Its number is not given again.
  if (const auto at = streams_.find(stream); at != streams_.end()) {
    auto gone = streams_.extract(at);
    gone.key() = reinterpret_cast<CUstream>(~std::uintptr_t{0} - gone.mapped());
    streams_.insert(std::move(gone));
  }
}

void Session::describe_device() {
  char name[128] = {};
  const CUdevice device = current_device();
  if (call(driver().cuDeviceGetName, name, static_cast<int>(sizeof name) - 1, device) == kSuccess)
    results_.device = name;
  results_.sms = static_cast<std::uint32_t>(device_attribute(attribute::kMultiprocessors, device));
}

void Session::finish() {
  LaunchTimes::get().collect_all();
  if (expected_hashes_ > 0) call(driver().cuCtxSynchronize);
  const std::lock_guard guard(lock_);
  if (finished_ || options_.results.empty()) return;
  finished_ = true;
  results_.driver = true;
  describe_device();
  std::erase_if(copies_, [](const CopyResult& c) { return c.bytes == 0; });
  results_.copies_made = copies_.size();
  Hasher chain;
  for (const CopyResult& c : copies_) {
    chain.add(std::uint64_t{c.stream});
    chain.add(c.bytes);
    chain.add(c.hash);
  }
  results_.chain = chain.value();
  copies_.resize(std::min(copies_.size(), ProcessResults::kMostCopies));
  results_.copies = std::move(copies_);
  copies_.clear();
  const std::string line = results_.to_line() + "\n";
  const int file = ::open(options_.results.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0 || ::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    std::fprintf(stderr, "heddle: cannot write '%s'\n", options_.results.c_str());
  if (file >= 0) ::close(file);
}

}  // namespace heddle::interpose
