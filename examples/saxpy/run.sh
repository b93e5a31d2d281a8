#!/usr/bin/env bash
# shellcheck source=examples/run_lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../run_lib.sh"
cd "$(dirname "${BASH_SOURCE[0]}")"
needs_clang
output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$heddle" run saxpy.cu --launch launch.toml | tee "$output"
shows "$output" expected.txt
