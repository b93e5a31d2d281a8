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
