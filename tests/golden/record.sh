#!/bin/bash
# Records the golden outputs on this machine's GPU into the given folder. Needs python3, nvcc and a driver.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: record.sh OUTDIR}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$PATH:/usr/local/cuda/bin
python3 "$here/generate.py" "$work"
nvcc -std=c++17 -O1 -o "$work/record" "$here/record.cu" -lcuda
"$work/record" "$work"
compress() {  # FILE: into $out, by whatever is there
  local name
  name=$(basename "$1")
  if command -v zstd > /dev/null; then
    zstd -q -f -19 --long=27 "$1" -o "$out/$name.zst"
  elif command -v xz > /dev/null; then
    xz -9 -k -c "$1" > "$out/$name.xz"
  else
    python3 -c 'import lzma,sys; open(sys.argv[2],"wb").write(lzma.compress(open(sys.argv[1],"rb").read(), preset=9))' \
      "$1" "$out/$name.xz"
  fi
}
for file in outputs.bin inputs.bin cases.ptx; do compress "$work/$file"; done
cp "$work/cases.csv" "$work/inputs.csv" "$work/results.csv" "$out/"
ls -l "$out"
