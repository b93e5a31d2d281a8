#!/usr/bin/env bash
# shellcheck source=examples/run_lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../run_lib.sh"
cd "$(dirname "${BASH_SOURCE[0]}")"
needs_clang
output=$(mktemp)
trap 'rm -f "$output"' EXIT
if "$heddle" run shift.cu --launch launch.toml > "$output" 2>&1; then
  cat "$output"
  echo "the run should have failed" >&2
  exit 1
fi
cat "$output"
shows "$output" expected.txt
if [[ -e out.csv ]]; then
  echo "out.csv was written by a run that failed" >&2
  exit 1
fi
