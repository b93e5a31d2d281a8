// One function per bundled workload, each defined in the workload's own folder; registry.cc lists them.
#pragma once

#include "workload/workload.h"

namespace heddle::workloads {

const workload::Workload& conv2d_workload();
const workload::Workload& mm2_workload();
const workload::Workload& conv3d_workload();
const workload::Workload& mm3_workload();
const workload::Workload& aes_workload();
const workload::Workload& alexnet_workload();
const workload::Workload& atax_workload();
const workload::Workload& b_plus_tree_workload();
const workload::Workload& backprop_workload();
const workload::Workload& bfs_workload();
const workload::Workload& bicg_workload();
const workload::Workload& blackscholes_workload();
const workload::Workload& corr_workload();
const workload::Workload& covar_workload();
const workload::Workload& cfd_workload();
const workload::Workload& cp_workload();
const workload::Workload& dct8x8_workload();
const workload::Workload& dxtc_workload();
const workload::Workload& fdtd2d_workload();
const workload::Workload& fdtd3d_workload();
const workload::Workload& fft_workload();
const workload::Workload& gemm_workload();
const workload::Workload& gesummv_workload();
const workload::Workload& gramschmidt_workload();
const workload::Workload& gaussian_workload();
const workload::Workload& histo_workload();
const workload::Workload& histogram_workload();
const workload::Workload& hotspot_workload();
const workload::Workload& imagedenoising_workload();
const workload::Workload& kmeans_workload();
const workload::Workload& lbm_workload();
const workload::Workload& lib_workload();
const workload::Workload& lps_workload();
const workload::Workload& lud_workload();
const workload::Workload& matrixmul_workload();
const workload::Workload& md_workload();
const workload::Workload& montecarlo_workload();
const workload::Workload& mvt_workload();
const workload::Workload& nbody_workload();
const workload::Workload& mri_q_workload();
const workload::Workload& mum_workload();
const workload::Workload& nn_workload();
const workload::Workload& nqu_workload();
const workload::Workload& nw_workload();
const workload::Workload& particlefilter_workload();
const workload::Workload& pathfinder_workload();
const workload::Workload& raytrace_workload();
const workload::Workload& reduction_workload();
const workload::Workload& resnet_workload();
const workload::Workload& sad_workload();
const workload::Workload& scan_workload();
const workload::Workload& sgemm_workload();
const workload::Workload& spmv_workload();
const workload::Workload& spmv_csr_workload();
const workload::Workload& squeezenet_workload();
const workload::Workload& srad_workload();
const workload::Workload& syr2k_workload();
const workload::Workload& syrk_workload();
const workload::Workload& stencil_workload();
const workload::Workload& sto_workload();
const workload::Workload& streamcluster_workload();
const workload::Workload& transpose_workload();
const workload::Workload& vecadd_workload();
const workload::Workload& wp_workload();

}  // namespace heddle::workloads
