#include "apps/cli/gpu_config.h"

#include "config/reader.h"
#include "gpu/presets.h"

namespace heddle::cli {
namespace {

config::Config load_file(const std::string& file) {
  return config::Config::load(file.find('/') == std::string::npos ? "./" + file : file,
                              gpu::preset_library());
}

}  // namespace

void WholeSpec::fields(config::Reader& r) {
  gpu.fields(r);
  r.section("functional", functional, "How kernels are executed");
}

config::Config ConfigOptions::load() const {
  config::Config c = file.empty() ? config::Config() : load_file(file);
  for (const std::string& s : sets) c.set(s);
  return c;
}

GpuConfig load_gpu(const ConfigOptions& options) {
  GpuConfig g;
  g.chosen = options.gpu.empty() ? kDefaultGpu : options.gpu;
  g.config = gpu::load_config(g.chosen);
  if (!options.file.empty()) g.config.overlay(load_file(options.file));
  for (const std::string& s : options.sets) g.config.set(s);
  g.spec = config::read<WholeSpec>(g.config);
  g.config.check_all_read();
  return g;
}

}  // namespace heddle::cli
