#include "workloads/registry.h"

#include <fmt/format.h>

#include "base/error.h"
#include "workloads/workloads.h"

namespace heddle::workloads {

std::span<const workload::Workload* const> all_workloads() {
  // Sorted by name (tests/workloads checks it).
  static const workload::Workload* const table[] = {
      &conv2d_workload(),
      &mm2_workload(),
      &conv3d_workload(),
      &mm3_workload(),
      &aes_workload(),
      &alexnet_workload(),
      &atax_workload(),
      &b_plus_tree_workload(),
      &backprop_workload(),
      &bfs_workload(),
      &bicg_workload(),
      &blackscholes_workload(),
      &cfd_workload(),
      &corr_workload(),
      &covar_workload(),
      &cp_workload(),
      &dct8x8_workload(),
      &dxtc_workload(),
      &fdtd2d_workload(),
      &fdtd3d_workload(),
      &fft_workload(),
      &gaussian_workload(),
      &gemm_workload(),
      &gesummv_workload(),
      &gramschmidt_workload(),
      &histo_workload(),
      &histogram_workload(),
      &hotspot_workload(),
      &imagedenoising_workload(),
      &kmeans_workload(),
      &lbm_workload(),
      &lib_workload(),
      &lps_workload(),
      &lud_workload(),
      &matrixmul_workload(),
      &md_workload(),
      &montecarlo_workload(),
      &mri_q_workload(),
      &mum_workload(),
      &mvt_workload(),
      &nbody_workload(),
      &nn_workload(),
      &nqu_workload(),
      &nw_workload(),
      &particlefilter_workload(),
      &pathfinder_workload(),
      &raytrace_workload(),
      &reduction_workload(),
      &resnet_workload(),
      &sad_workload(),
      &scan_workload(),
      &sgemm_workload(),
      &spmv_workload(),
      &spmv_csr_workload(),
      &squeezenet_workload(),
      &srad_workload(),
      &stencil_workload(),
      &sto_workload(),
      &streamcluster_workload(),
      &syr2k_workload(),
      &syrk_workload(),
      &transpose_workload(),
      &vecadd_workload(),
      &wp_workload(),
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
