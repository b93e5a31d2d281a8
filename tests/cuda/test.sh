#!/usr/bin/env bash
# test.sh EXPECTED COMMAND...: runs the command; succeeds when its output and exit status are those of the file.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
expected=$1
shift
got=$(mktemp)
trap 'rm -f "$got"' EXIT
"$here/run.sh" "$got" "$@"
diff --label "${expected##*/}" --label "here" -u "$expected" "$got"
