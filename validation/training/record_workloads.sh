#!/usr/bin/env bash
# Records the bundled workloads on this machine's GPU at scale small: the first three launches of each kernel, all counters.
#
#   record_workloads.sh OUT [--names A,B] [--scale small]
#
# Needs ncu, ptxas, cuobjdump, python3, and workloads_on_gpu for this machine with its libraries (libfmt.so.9) beside it:
# PROGRAM, or build/device/bin/workloads_on_gpu, or build/*/tests/workloads/workloads_on_gpu.
# Ends within 9 minutes (SECONDS_IN_ALL) and names what is left to a further call.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
out=${1:?usage: record_workloads.sh OUT [options]}
shift
all=${SECONDS_IN_ALL:-520}
PATH=$PATH:/usr/local/cuda/bin
root=$here/../..
program=${PROGRAM-}
for p in "$root"/build/{device/bin,cross-x86/tests/workloads,release/tests/workloads}/workloads_on_gpu; do
  [[ -z $program && -x $p ]] && program=$p
done
[[ -n $program ]] || { echo "record_workloads.sh: no workloads_on_gpu; set PROGRAM" && exit 2; }
mkdir -p "$out"
beside=$(dirname "$program")
export LD_LIBRARY_PATH=$beside${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
"$program" tiny vecadd || { echo "record_workloads.sh: $program does not run here" && exit 1; }

# Machine code: what the driver makes of the PTX when it is loaded, here by the toolkit's assembler.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2016  # for the inner shell
for file in "$root"/workloads/*/*.ptx; do
  printf '%s\0%s\0' "$file" "$work/$(basename "$file" .ptx).cubin"
done | xargs -0 -n 2 -P "$(nproc)" sh -c 'ptxas -O3 -arch=sm_90 "$0" -o "$1" || echo "not assembled: $0"'
python3 "$here/sass.py" "$out/sass_workloads.tar.gz" "$work"/*.cubin || echo "FAILED sass.py"
echo "assembled after $SECONDS s"

python3 "$here/record.py" workloads "$program" "$out" --deadline $((all - SECONDS)) "$@"
result=$?
echo "$SECONDS s in all"
exit "$result"
