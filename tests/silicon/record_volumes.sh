#!/usr/bin/env bash
# record_volumes.sh OUTDIR: samples volumes, cube maps and mipmaps on this machine's GPU into OUTDIR/volumes.bin, to be put
# into recorded/ packed by zstd. Needs nvcc and a GPU. ARCH chooses another than sm_90.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: record_volumes.sh OUTDIR}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${NVCC:-nvcc}" -std=c++17 -O1 "-arch=${ARCH:-sm_90}" -o "$work/record_volumes" "$here/record_volumes.cu"
timeout 60 "$work/record_volumes" "$out/volumes.bin"
if command -v zstd >/dev/null; then zstd -q -19 -f "$out/volumes.bin"; fi
ls -l "$out"
