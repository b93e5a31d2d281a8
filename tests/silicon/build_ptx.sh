#!/bin/bash
# Compiles the kernels into the given folder, one PTX file for each variant: the two architectures, debug
# code, and the flags that change what single precision compiles to.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: build_ptx.sh OUTDIR}
mkdir -p "$out"
PATH=$PATH:/usr/local/cuda/bin
compile() {  # FILE VARIANT FLAGS...
  local file=$1 variant=$2
  shift 2
  nvcc -ptx -std=c++17 "$@" "$here/kernels/$file.cu" -o "$out/$file.$variant.ptx"
  # Debug information names the machine's folders; the code is what matters here.
  sed -i -E -e '/^\/\//d' -e '/^\s*\.(file|loc)\s/d' -e '/^\s*\.section/,/^\s*\}/d' -e 's/^(\.target sm_[0-9]+), debug/\1/' \
    "$out/$file.$variant.ptx"
}
for file in warp sort grid control structs math64 math32 half integer random numeric texture; do
  compile "$file" 75 -arch=compute_75
  compile "$file" 90 -arch=compute_90
done
compile texture_probe 75 -arch=compute_75
compile misc 80 -arch=compute_80
compile misc 90 -arch=compute_90
compile math32 fast -arch=compute_75 -use_fast_math
for file in warp control structs numeric; do compile "$file" debug -arch=compute_75 -G; done
for file in integer random; do compile "$file" few -arch=compute_75 --maxrregcount=32 -Xcicc -O0; done
