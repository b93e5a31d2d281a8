#include "launch/user_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace heddle::launch {
namespace {

constexpr std::uint64_t kLargestPtx = 256u << 20;

LaunchResult run(const LaunchFile& launch, const UserModule& module, const DeviceExtras& given,
                 workload::Device& device) {
  DeviceExtras extras = extras_of(device);
  if (given.make_texture) extras.make_texture = given.make_texture;
  if (given.set_registers) extras.set_registers = given.set_registers;
  return run_launch_file(launch, module.ptx, module.file, device, extras);
}

}  // namespace

UserModule load_user_module(const std::filesystem::path& path, const CompileOptions& options) {
  const std::string kind = lower(path.extension().string());
  if (kind == ".ptx") return {read_file(path, kLargestPtx), path.string(), {}};
  if (kind != ".cu")
    throw Error(SourcePlace{path.string(), 0, 0, {}}, "expected a kernel in a .ptx or .cu file");
  UserModule m;
  m.compiled = compile_cu(path, options);
  m.ptx = m.compiled.ptx;
  m.file = path.string() + " (as PTX)";
  return m;
}

UserWorkload::UserWorkload(const UserKernelOptions& options)
    : options_(options),
      launch_(load_launch_file(options.launch)),
      module_(options.ptx.empty() ? load_user_module(options.kernel, options.compile)
                                  : UserModule{options.ptx, options.kernel.string() + " (as PTX)", {}}) {
  info_.name = options.kernel.string();
  info_.suite = "user";
  info_.abbreviation = options.kernel.stem().string();
  info_.summary = "launched by " + options.launch.string();
  parameters_ = {{"kernel", options_.kernel.string()},
                 {"launch", options_.launch.string()},
                 {"ptx_sha256", sha256_hex(module_.ptx)},
                 {"launch_sha256", sha256_hex(read_file(options_.launch))}};
  // Files that cannot be read, or have the wrong size, are reported with their line when the launch file
  // runs.
  const auto add = [&](const std::string& file, const BufferSpec* buffer) {
    std::string hash;
    try {
      hash = sha256_hex(read_file(launch_.folder / file, buffer == nullptr ? 0 : buffer->bytes()));
    } catch (const Error&) {
    }
    parameters_.emplace_back(file + "_sha256", hash);
  };
  for (const BufferSpec& b : launch_.buffers)
    if (b.fill.kind == Fill::Kind::File) add(b.fill.path, &b);
  for (const OutputSpec& o : launch_.outputs)
    if (o.against == OutputSpec::Against::File) add(o.file, launch_.find_buffer(o.buffer));
  std::string all;
  for (std::size_t i = 2; i < parameters_.size(); ++i)
    all += fmt::format("{} {}\n", parameters_[i].first, parameters_[i].second);
  contents_ = sha256_hex(all);
}

workload::Parameters UserWorkload::parameters(const workload::RunOptions&) const {
  return parameters_;
}

workload::Verification UserWorkload::run(workload::Device& device, const workload::RunOptions&) const {
  if (options_.talk != nullptr && !module_.compiled.messages.empty())
    *options_.talk << module_.compiled.messages;
  const LaunchResult result = launch::run(launch_, module_, options_.extras, device);
  if (options_.talk != nullptr && (!options_.quiet || !result.ok())) *options_.talk << describe(result);
  workload::Verification all;
  all.ok = true;
  for (const OutputResult& o : result.outputs) {
    if (!o.verification) continue;
    const workload::Verification& v = *o.verification;
    if (all.ok && !v.ok) all.detail = fmt::format("{}: {}", o.buffer, v.detail);
    all.ok = all.ok && v.ok;
    all.compared += v.compared;
    all.max_error = std::max(all.max_error, v.max_error);
    if (all.tolerance.empty())
      all.tolerance = v.tolerance;
    else if (all.tolerance != v.tolerance)
      all.tolerance = "several";
  }
  return all;
}

}  // namespace heddle::launch
