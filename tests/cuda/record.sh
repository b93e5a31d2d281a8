#!/usr/bin/env bash
# record.sh FOLDER [NAME...]: compiles the test programs for this machine's GPU, runs them and writes FOLDER/NAME.txt for
# each: its standard output and, as last line, its exit status. Needs nvcc and a GPU. ARCH chooses another than sm_90.
# The files in expected/ were made so on an H200.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
(($# >= 1)) || {
  echo "usage: record.sh FOLDER [NAME...]" >&2
  exit 2
}
folder=$1
shift
if (($# == 0)); then
  mapfile -t names < <("$here/names.sh")
else
  names=("$@")
fi
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The compiler's own libraries lie beside it.
libraries=$(cd "$(dirname "$(readlink -f "$(command -v "${NVCC:-nvcc}")")")/.." && pwd)
export LD_LIBRARY_PATH=$libraries/lib64:$libraries/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export here work
compile() { "$here/compile.sh" "$1" "$work/$1" "-arch=${ARCH:-sm_90}" >"$work/$1.log" 2>&1 || echo "failed" >"$work/$1.failed"; }
export -f compile
printf '%s\n' "${names[@]}" | xargs -P "$(nproc)" -I{} bash -c 'compile {}'
status=0
for name in "${names[@]}"; do
  if [[ -e $work/$name.failed ]]; then
    echo "$name: does not compile" >&2
    cat "$work/$name.log" >&2
    status=1
    continue
  fi
  "$here/run.sh" "$folder/$name.txt" timeout 60 "$work/$name"
  echo "$name: $(tail -n 1 "$folder/$name.txt"), $(sed '$d' "$folder/$name.txt" | tail -n 1)"
done
exit "$status"
