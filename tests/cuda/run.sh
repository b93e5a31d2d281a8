#!/usr/bin/env bash
# run.sh FILE COMMAND...: runs the command; its standard output and, as last line, its exit status go to FILE.
set -uo pipefail
file=$1
shift
"$@" >"$file"
status=$?
echo "exit status $status" >>"$file"
