#!/usr/bin/env bash
# Builds into the given folder: the driver and, with --cubin, machine code for sm_90 from the kept PTX (needs nvcc).
#   build.sh DIR [--cubin]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
dir=${1:?usage: build.sh DIR [--cubin]}
mkdir -p "$dir/code"
for file in "$here"/ptx/*.ptx.gz; do
  name=$(basename "$file" .ptx.gz)
  gzip -dc "$file" >"$dir/code/$name.ptx"
done
"${CXX:-c++}" -std=c++17 -O2 -ffp-contract=off "$here/driver.cc" -o "$dir/driver" -ldl
if [[ ${2-} == --cubin ]]; then
  command -v nvcc >/dev/null || PATH=$PATH:/usr/local/cuda/bin
  cd "$dir/code"
  printf '%s\n' *.ptx | sed 's/\.ptx$//' |
    xargs -P "$(nproc)" -I{} sh -c 'nvcc -cubin -O3 -arch=sm_90 -Xptxas -v {}.ptx -o {}.cubin 2>{}.log || { cat {}.log; exit 255; }'
fi
