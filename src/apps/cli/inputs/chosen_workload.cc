#include "apps/cli/inputs/chosen_workload.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/content_hash.h"
#include "base/error.h"
#include "launch/user_kernel.h"
#include "runtime/recording/recording.h"
#include "workloads/registry.h"

namespace heddle::cli {
namespace {

bool is_file(const std::string& what) {
  return what.ends_with(".ptx") || what.ends_with(".cu");
}

}  // namespace

std::string source_text(const WorkloadOptions& o) {
  return nlohmann::ordered_json{{"what", o.what},
                                {"launch", o.launch},
                                {"recording", o.recording},
                                {"ptx", o.ptx},
                                {"folder", std::filesystem::current_path().string()}}
      .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

WorkloadSource parse_source(std::string_view text) {
  try {
    const auto json = nlohmann::ordered_json::parse(text);
    WorkloadSource s;
    s.options.what = json.at("what");
    s.options.launch = json.at("launch");
    s.options.recording = json.at("recording");
    s.options.ptx = json.at("ptx");
    s.folder = json.at("folder");
    return s;
  } catch (const nlohmann::ordered_json::exception& e) {
    throw Error(fmt::format("not the source of a workload: {}", e.what()));
  }
}

std::string ChosenWorkload::source() const {
  return contents_.empty() ? "" : source_text(options_);
}

ChosenWorkload::ChosenWorkload(const WorkloadOptions& o, std::ostream* talk, bool quiet)
    : options_(o), name_(o.what) {
  if (o.what.ends_with(runtime::kRecordingSuffix)) {
    const std::string& file = o.recording.empty() ? o.what : o.recording;
    own_ = runtime::open_recording(file, o.what);
    workload_ = own_.get();
    contents_ = sha256_of_file(file);
    return;
  }
  if (!is_file(o.what)) {
    workload_ = &require_workload(o.what);
    name_ = workload_->info().name;
    input_ = {require_scale(o.scale), o.seed};
    return;
  }
  if (o.launch.empty())
    throw Error(fmt::format("'{}' is a kernel of your own: how is it launched?", o.what),
                "Give --launch FILE.toml with buffers, grid, block and arguments (docs/launch-files.md).");
  launch::UserKernelOptions user;
  user.kernel = o.what;
  user.launch = o.launch;
  user.compile = o.compile;
  user.ptx = o.ptx;
  user.talk = talk;
  user.quiet = quiet;
  auto own = std::make_unique<launch::UserWorkload>(user);
  contents_ = own->contents();
  if (o.what.ends_with(".cu")) options_.ptx = own->ptx();
  own_ = std::move(own);
  workload_ = own_.get();
}

study::Point ChosenWorkload::point(const GpuConfig& gpu) const {
  return {name_, contents_, input_.scale, input_.seed, gpu.chosen, gpu.config.dump(false)};
}

const workload::Workload& require_workload(const std::string& name) {
  return workloads::directory().require(name);
}

std::string workload_name(const std::string& word) {
  const workload::Workload* w = workloads::find_workload(word);
  return w == nullptr ? word : w->info().name;
}

workload::Scale require_scale(const std::string& name) {
  if (const auto scale = workload::parse_scale(name)) return *scale;
  throw Error(fmt::format("'{}' is not a scale", name), "Scales: tiny, small, paper.");
}

}  // namespace heddle::cli
