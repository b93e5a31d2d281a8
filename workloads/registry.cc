#include "workloads/registry.h"

#include <fmt/format.h>

#include "base/error.h"
#include "workloads/workloads.h"

namespace heddle::workloads {

std::span<const workload::Workload* const> all_workloads() {
  // Sorted by name (tests/workloads checks it).
  static const workload::Workload* const table[] = {
      &conv2d_workload(),    &b_plus_tree_workload(), &backprop_workload(), &bfs_workload(),
      &dct8x8_workload(),    &fdtd3d_workload(),      &hotspot_workload(),  &lud_workload(),
      &matrixmul_workload(), &nn_workload(),          &srad_workload(),     &transpose_workload(),
      &vecadd_workload(),
  };
  return table;
}

const workload::Directory& directory() {
  static const workload::Directory all(all_workloads());
  return all;
}

const workload::Workload* find_workload(std::string_view name) {
  return directory().find(name);
}

workload::EmbeddedPtx embedded_ptx(std::string_view name) {
  for (const workload::EmbeddedPtx& ptx : all_embedded_ptx())
    if (ptx.name == name) return ptx;
  throw Error(fmt::format("no PTX named {} is part of this program", name));
}

void load_embedded(workload::Device& device, std::string_view name) {
  const workload::EmbeddedPtx ptx = embedded_ptx(name);
  device.load_module(ptx.text, ptx.file);
}

}  // namespace heddle::workloads
