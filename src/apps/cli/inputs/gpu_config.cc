#include "apps/cli/inputs/gpu_config.h"

#include "config/reader.h"
#include "gpu/presets.h"

namespace heddle::cli {
namespace {

config::Config load_file(const std::string& file) {
  return config::Config::load(file.find('/') == std::string::npos ? "./" + file : file,
                              gpu::preset_library());
}

}  // namespace

config::Config ConfigOptions::load() const {
  config::Config c = file.empty() ? config::Config() : load_file(file);
  for (const std::string& s : sets) c.set(s);
  return c;
}

config::Config unread_gpu(const ConfigOptions& options) {
  config::Config c = gpu::load_config(options.gpu.empty() ? kDefaultGpu : options.gpu);
  if (!options.file.empty()) c.overlay(load_file(options.file));
  for (const std::string& s : options.sets) c.set(s);
  return c;
}

GpuConfig load_gpu(const ConfigOptions& options) {
  GpuConfig g;
  g.chosen = options.gpu.empty() ? kDefaultGpu : options.gpu;
  g.config = unread_gpu(options);
  g.spec = gpu::read_simulation_spec(g.config);
  return g;
}

GpuConfig load_used_gpu(const ConfigOptions& options) {
  GpuConfig g = load_gpu(options);
  g.config.check_all_used();
  return g;
}

std::vector<Policy> policies(const config::Config& settled) {
  const config::ParamTable params = config::describe<gpu::SimulationSpec>();
  std::vector<Policy> all;
  for (const char* key :
       {"l1.index", "l1.write", "l1.allocate", "l2.index", "l2.write_miss", "memory.hash"}) {
    const config::Entry* entry = settled.find(key);
    const config::Param* param = params.find(key);
    if (entry == nullptr || param == nullptr) continue;
    const std::string& chosen = std::get<std::string>(entry->value.data);
    for (const config::NamedChoice& c : param->choices)
      if (c.name == chosen) all.push_back({key, chosen, c.description});
  }
  return all;
}

}  // namespace heddle::cli
