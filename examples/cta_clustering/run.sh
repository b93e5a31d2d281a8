#!/usr/bin/env bash
# Compiles the example and runs it, small, on the simulated card: every way of launching must give the same result.
# shellcheck source=examples/run_lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../run_lib.sh"
cd "$(dirname "${BASH_SOURCE[0]}")"
nvcc=${NVCC:-nvcc}
if ! command -v "$nvcc" > /dev/null; then
  echo "skipped: nvcc is not installed (CUDA toolkit)"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$nvcc" -std=c++14 -O2 -cudart shared -gencode arch=compute_80,code=compute_80 -I ../../cuda cta_clustering.cu -o "$work/cta_clustering"
"$heddle" exec -q --functional -- "$work/cta_clustering" --small --repeat 1 | tee "$work/output"
shows "$work/output" expected.txt
