#!/usr/bin/env bash
# The names of all test programs, one per line.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/programs"
for entry in *; do
  if [[ -d $entry ]]; then
    echo "$entry"
  elif [[ $entry == *.cu ]]; then
    echo "${entry%.cu}"
  fi
done
