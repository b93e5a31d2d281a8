// What a bundled workload launches: its modules, and one launch of each kernel.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "exec/functional/functional_device.h"
#include "ptx/parse/parse_module.h"
#include "workload/forwarding_device.h"
#include "workload/workload.h"

namespace heddle::cta_clustering {

struct AllLaunched {};  // thrown when every kernel was launched and the host wants results

// Notes launches and executes none: large ones cost nothing.
class LaunchRecorder final : public workload::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;

  void load_module(std::string_view text, std::string_view file) override {
    to_.load_module(text, file);
    modules.push_back(std::make_unique<ptx::Module>(ptx::parse_module(std::string(text), std::string(file))));
  }
  void launch(const workload::Launch& launch) override {
    if (++count[launch.kernel] == 1) order.push_back(launch.kernel);
    // The largest of a kernel's launches speaks for all.
    workload::Launch& kept = launches[launch.kernel];
    if (count[launch.kernel] == 1 || launch.grid.count() > kept.grid.count()) kept = launch;
  }
  void execute(const workload::Launch& l) override { launch(l); }
  void copy_out(void* to, workload::DevicePtr from, std::uint64_t bytes) override {
    if (order.size() >= kernels) throw AllLaunched{};
    to_.copy_out(to, from, bytes);
  }

  const ptx::Module& module_of(const std::string& kernel) const {
    for (const auto& m : modules)
      if (m->find_function(kernel) != nullptr) return *m;
    throw Error("no kernel " + kernel);
  }

  std::size_t kernels = ~std::size_t{0};  // that the program has
  std::vector<std::unique_ptr<ptx::Module>> modules;
  std::vector<std::string> order;
  std::map<std::string, workload::Launch> launches;
  std::map<std::string, std::uint64_t> count;
};

inline void record_launches(const workload::Workload& w, LaunchRecorder& recorder, workload::Scale scale) {
  recorder.kernels = w.info().kernels.size();
  try {
    w.run(recorder, {.scale = scale});
  } catch (const AllLaunched&) {
  }
}

}  // namespace heddle::cta_clustering
