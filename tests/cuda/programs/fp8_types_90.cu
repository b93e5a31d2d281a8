// arch: 90
// The same for compute_90, where cuda_fp8.h and cuda_bf16.h choose other instructions in places.
#include "fp8_types.cu"
