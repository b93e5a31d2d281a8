#!/bin/bash
# Measures energy on the card of this machine; see README.md.
#   run.sh micro|mixed|quick FOLDER      micro: 8 minutes, mixed: 3, quick: 1 (whether power can be read, and the tools work)
set -eu
what=$1
out=$(mkdir -p "$2" && cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

compile() { nvcc -O3 -std=c++20 -arch=sm_90 "$here/$1.cu" -o "$build/$1" -ldl; }
nvidia-smi -q -d POWER,CLOCK,TEMPERATURE,PERFORMANCE > "$out/card.txt" 2>&1 || true

case $what in
  quick)
    compile micro & compile mixed
    wait
    "$build/micro" --seconds 1.2 --rounds 1 --warm-up 1 idle_context idle_awake ffma ffma_zero dram_read > "$out/quick.csv"
    "$build/mixed" --seconds 1.2 --rounds 1 --warm-up 1 vecadd hash >> "$out/quick.csv"
    ;;
  micro)
    compile micro
    nvcc -O3 -std=c++20 -arch=sm_90 -cubin "$here/micro.cu" -o "$build/micro.cubin"
    "$build/micro" --list > "$build/list.csv"
    python3 "$here/check_sass.py" "$build/micro.cubin" "$build/list.csv" || echo "the assembler made other code than expected" >&2
    "$build/micro" --all --samples "$out/micro_samples.csv" > "$out/micro.csv"
    python3 "$here/make_tables.py" "$out/micro.csv" --out "$build" --summary | tee "$out/micro_summary.txt"
    ;;
  mixed)
    compile mixed
    "$build/mixed" --all --samples "$out/mixed_samples.csv" > "$out/mixed.csv"
    python3 "$here/make_tables.py" "$out/mixed.csv" --out "$build" --summary | tee "$out/mixed_summary.txt"
    ;;
  *)
    echo "micro, mixed or quick, not $what" >&2
    exit 2
    ;;
esac
