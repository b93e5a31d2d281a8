#!/usr/bin/env bash
# shellcheck source=examples/run_lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../run_lib.sh"
cd "$(dirname "${BASH_SOURCE[0]}")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$heddle" study ./study.toml --store "$folder/store.sqlite" 2>"$folder/progress" | tee "$folder/output"
"$heddle" study ./study.toml --store "$folder/store.sqlite" --score | tee -a "$folder/output"
shows "$folder/output" expected.txt
