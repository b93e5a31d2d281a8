# shellcheck shell=bash
# For the tests of scripts: check NAME COMMAND... prints "ok NAME" or "FAILED NAME".
set -uo pipefail
# shellcheck disable=SC2034  # for the tests
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

check() {
  local name=$1
  shift
  if "$@" >"$work/check.out" 2>&1; then
    echo "ok $name"
  else
    sed 's/^/  /' "$work/check.out"
    echo "FAILED $name"
    failures=$((failures + 1))
  fi
}

# True when the file contains the text.
says() { grep -qF -- "$2" "$1" || { echo "expected '$2' in:" && cat "$1" && return 1; }; }
silent_about() { ! grep -F -- "$2" "$1"; }

finish() { exit $((failures > 0)); }
