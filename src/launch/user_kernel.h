// `heddle run my.cu --launch launch.toml`: from the user's files to a verified result.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "launch/compile_cu.h"
#include "launch/launch_run.h"
#include "workload/workload.h"

namespace heddle::launch {

// The text of a .ptx file, or what a .cu file compiles to.
struct UserModule {
  std::string ptx;
  std::string file;     // for messages: "my.ptx", or "my.cu (compiled)"
  CompiledCu compiled;  // empty for .ptx
};
UserModule load_user_module(const std::filesystem::path& path, const CompileOptions& options = {});

struct UserKernelOptions {
  std::filesystem::path kernel;  // .ptx or .cu
  std::filesystem::path launch;  // .toml
  CompileOptions compile;
  std::string ptx;               // what a .cu compiles to, where that is known; empty: it is compiled
  DeviceExtras extras;           // empty: those of the device, where it has some
  std::ostream* talk = nullptr;  // tells people of compiler, launches and comparisons; nullptr: nobody
  bool quiet = false;            // only what differs
};

// A user's kernel as a workload, so that every command takes it like a bundled one. Scale and seed mean
// nothing to it: the launch file decides everything.
class UserWorkload final : public workload::Workload {
 public:
  explicit UserWorkload(const UserKernelOptions& options);
  const workload::WorkloadInfo& info() const override { return info_; }
  workload::Parameters parameters(const workload::RunOptions& options) const override;
  // Hash of the PTX, the launch file and every file that it names to read: what decides the result.
  const std::string& contents() const { return contents_; }
  const std::string& ptx() const { return module_.ptx; }
  // Without any comparison in the launch file, ok with 0 values compared.
  workload::Verification run(workload::Device& device, const workload::RunOptions& options) const override;

 private:
  UserKernelOptions options_;
  LaunchFile launch_;
  UserModule module_;
  workload::WorkloadInfo info_;
  workload::Parameters parameters_;
  std::string contents_;
};

}  // namespace heddle::launch
