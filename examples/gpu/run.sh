#!/usr/bin/env bash
# shellcheck source=examples/run_lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../run_lib.sh"
cd "$(dirname "${BASH_SOURCE[0]}")"
output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$heddle" describe ./half_v100.toml | tee "$output"
"$heddle" describe v100 --diff ./half_v100.toml | tee -a "$output"
"$heddle" config --gpu ./half_v100.toml >>"$output"
"$heddle" run hotspot --scale tiny --gpu ./half_v100.toml | tee -a "$output"
shows "$output" expected.txt
