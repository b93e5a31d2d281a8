#!/usr/bin/env bash
# Records the training set on this machine's GPU. Needs nvcc, ncu, cuobjdump, python3 and a C++ compiler.
#
#   record.sh main OUT [--themes A,B] [--cases REGEX]     all counters, caches flushed; checksums; machine code
#   record.sh repeat OUT [--themes A,B] [--cases REGEX]   cycles of five launches each, caches flushed, then kept
#
# Ends within 9 minutes (SECONDS_IN_ALL) and names what is left to a further call.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
what=${1:?usage: record.sh main|repeat OUT [options]}
out=${2:?usage: record.sh main|repeat OUT [options]}
shift 2
all=${SECONDS_IN_ALL:-520}
PATH=$PATH:/usr/local/cuda/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

"$here/build.sh" "$work" --cubin || exit 1
echo "built after $SECONDS s"
result=0
case $what in
  main)
    grep -hE "Compiling entry|bytes stack|Used" "$work"/code/*.log | sed 's/^ptxas info *: *//' >"$out/ptxas.txt"
    python3 "$here/sass.py" "$out/sass.tar.gz" "$work"/code/*.cubin || echo "FAILED sass.py"
    timeout 120 "$work/driver" "$work/code" --cubin --warm 1 >"$out/checksums.csv" || { echo "FAILED driver" && result=1; }
    ! grep ',differs' "$out/checksums.csv" || echo "the cases above gave another result in their second launch"
    echo "$(wc -l <"$out/checksums.csv") cases run after $SECONDS s"
    python3 "$here/record.py" training "$work/driver" "$work/code" "$out" --deadline $((all - SECONDS)) "$@" || result=1
    ;;
  repeat)
    half=$(((all - SECONDS) / 2))
    python3 "$here/record.py" training "$work/driver" "$work/code" "$out" --name h200_repeat --few --launches 5 --deadline "$half" "$@" || result=1
    python3 "$here/record.py" training "$work/driver" "$work/code" "$out" --name h200_warm --few --launches 5 --cache none --deadline $((all - SECONDS)) "$@" || result=1
    rm -f "$out"/*.opcodes.csv
    ;;
  *) echo "record.sh: main or repeat, not $what" && exit 2 ;;
esac
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,temperature.gpu --format=csv,noheader || true
echo "$SECONDS s in all"
exit "$result"
