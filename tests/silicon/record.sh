#!/bin/bash
# Records the outputs of all launches on this machine's GPU into the given folder: outputs.bin.zst and
# outputs.csv, to be put into recorded/. Needs g++, CUDA's headers, libzstd and a driver.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: record.sh OUTDIR}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cuda=${CUDA_HOME:-/usr/local/cuda}
g++ -std=c++17 -O1 -I"$cuda/include" -o "$work/record" "$here/record.cc" -L"$cuda/lib64/stubs" -lcuda -lzstd
timeout 120 "$work/record" "$here/recorded" "$out"
ls -l "$out"
