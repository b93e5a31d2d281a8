#!/usr/bin/env bash
# compile.sh NAME OUTPUT [NVCC OPTION...]: compiles the test program NAME (programs/NAME.cu, or all sources of the folder
# programs/NAME/). A comment "// nvcc: OPTIONS" in a source asks for further options, "// arch: 90" for compute_90 where an
# older one is given.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=$1 output=$2
shift 2
if [[ -d $here/programs/$name ]]; then
  sources=("$here/programs/$name"/*.c*)
else
  sources=("$here/programs/$name.cu")
fi
read -r -a options < <(sed -n 's|^// nvcc: ||p' "${sources[@]}" | tr '\n' ' ' && echo)
arch=$(sed -n 's|^// arch: ||p' "${sources[@]}" | head -n 1)
given=("$@")
for i in "${!given[@]}"; do
  if [[ ${given[i]} =~ (compute|sm)_([0-9]+) ]] && ((BASH_REMATCH[2] < ${arch:-0})); then
    given[i]=${given[i]//_${BASH_REMATCH[2]}/_$arch}
  fi
done
mkdir -p "$(dirname "$output")"
exec "${NVCC:-nvcc}" -std=c++17 -O2 -I "$here/../../cuda" -cudart shared -Wno-deprecated-gpu-targets "${given[@]}" "${sources[@]}" "${options[@]}" -o "$output"
