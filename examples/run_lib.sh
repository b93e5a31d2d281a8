# shellcheck shell=bash disable=SC2034
# Sourced by every example's run.sh. HEDDLE names the program; without it, the one on PATH is used.
set -euo pipefail
heddle=${HEDDLE:-heddle}

# shows OUTPUT EXPECTED: every line of the file EXPECTED must be in the file OUTPUT.
shows() {
  local line missing=0
  while IFS= read -r line; do
    if ! grep -Fq -- "$line" "$1"; then
      echo "missing in the output: $line" >&2
      missing=1
    fi
  done < "$2"
  return "$missing"
}

# Examples in CUDA C++ need the compiler; exit status 77 means "skipped".
needs_clang() {
  if ! command -v clang++-19 > /dev/null; then
    echo "skipped: clang++-19 is not installed (apt install clang-19)"
    exit 77
  fi
}
