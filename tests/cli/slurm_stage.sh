#!/usr/bin/env bash
# A study on a real Slurm cluster on this machine, disturbed in every way: its records are those of a local run. Then designs on
# the recording of a program, here and there.
#
#   tests/cli/slurm_stage.sh HEDDLE [STUDY OPTION...]
#
# Prints a line "ok ..." or "FAILED ..." for each check. Without options: figure 10 of icc, scale tiny, each point once.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
heddle=${1:?usage: slurm_stage.sh HEDDLE [STUDY OPTION...]}
shift
study=(icc --figure 10 --scale tiny --perturbations none)
(($# == 0)) || study=("$@")
export HEDDLE_HOME=$root

folder=$(mktemp -d)
cluster=$folder/slurm
front='' server=''
finish() {
  [[ -z $front ]] || kill -9 "$front" 2>/dev/null || true
  [[ -z $server ]] || kill "$server" 2>/dev/null || true
  "$root/tools/slurm_here" stop "$cluster" || true
  rm -rf "$folder"
}
trap finish EXIT
bad=0
# check WHAT COMMAND...: whether it ends with 0.
check() {
  local what=$1
  shift
  if "$@"; then
    echo "ok $what"
  else
    echo "FAILED $what"
    bad=1
  fi
}

"$root/tools/slurm_here" start "$cluster" >/dev/null
export SLURM_CONF=$cluster/slurm.conf
there=$folder/there.sqlite
on_slurm=("$heddle" study "${study[@]}" --on slurm --point-mebibytes 900 --store "$there")

begin() {
  "${on_slurm[@]}" >"$folder/tables" 2>>"$folder/progress" &
  front=$!
}
finished() { grep -c ' of [0-9]*: ' "$folder/progress" || true; }
# Waits until so many more points have come in.
points() {
  local until=$(($(finished) + $1))
  while (($(finished) < until)) && kill -0 "$front" 2>/dev/null; do sleep 0.2; done
}
# The workers themselves, without the processes of their points.
workers() { pgrep -f -P "$(pgrep -d, slurmstepd)" "worker $there.spool" || true; }
# end_workers SIGNAL N: of N tasks.
end_workers() {
  local left=$2 pid
  while ((left > 0)) && kill -0 "$front" 2>/dev/null; do
    pid=$(workers | head -n 1)
    if [[ -n $pid ]] && kill "-$1" "$pid" 2>/dev/null; then left=$((left - 1)); fi
    sleep 0.3
  done
}
# Whether the page of a running study tells of tasks on a node; it is told every two seconds.
page_tells_of_nodes() {
  python3 - "$(grep -om 1 'http://[^ ]*' "$folder/serve")" <<'PYTHON'
import json, sys, time, urllib.request
for _ in range(40):
    with urllib.request.urlopen(sys.argv[1] + "data.json") as answer:
        running = json.load(answer).get("progress", {}).get("running", [])
    if any(r.startswith("node") and "task" in r for r in running):
        sys.exit(0)
    time.sleep(0.5)
print("running:", running)
sys.exit(1)
PYTHON
}
submissions() { find "$there.spool" -name '*.job' | wc -l; }

touch "$folder/progress"
begin
points 5
kill -INT "$front"
status=0
wait "$front" || status=$?
front=
check "Ctrl-C ends with 130" test "$status" = 130
check "jobs go on without the command" test -n "$(squeue --noheader --states=pending,running)"
before=$(submissions)
begin
points 1
check "nothing is submitted twice" test "$(submissions)" = "$before"
"$heddle" serve --store "$there" --port 0 >"$folder/serve" 2>&1 &
server=$!
while ! grep -q http "$folder/serve" && kill -0 "$server" 2>/dev/null; do sleep 0.1; done
check "the page shows tasks by node" page_tells_of_nodes
kill "$server"
server=
end_workers KILL 2
points 5
check "a node is drained" scontrol update nodename=node2 state=drain reason=test
check "a task is requeued" scontrol requeue "$(squeue --noheader --states=running --format=%A | head -n 1)"
points 5
check "the controller is restarted" "$root/tools/slurm_here" restart "$cluster"
points 5
kill -9 "$front"
wait "$front" || true
front=
begin
points 5
scontrol update nodename=node2 state=resume || true # a controller that was restarted may have forgotten
end_workers TERM 1
points 5
check "the study ends well" wait "$front"
front=
grep -v ' of [0-9]*: ' "$folder/progress" || true
check "tasks that were killed are submitted again" grep -q 'submitted again' "$folder/progress"
check "the spool is gone" test ! -e "$there.spool"

"$heddle" study "${study[@]}" --store "$folder/here.sqlite" >"$folder/tables_here" 2>/dev/null
check "the same tables" cmp "$folder/tables" "$folder/tables_here"
for store in here there; do "$heddle" results export --store "$folder/$store.sqlite" --json "$folder/$store.json"; done
cat >"$folder/compare.py" <<'PYTHON'
import json, sys
stores = []
for name in sys.argv[1:]:
    points = json.load(open(name))["points"]
    for p in points:  # what a run cost its host, and when, is no result
        del p["record"]["host"], p["finished"]
        p["labels"].sort(key=json.dumps)
    stores.append({p["key"]: json.dumps(p) for p in points})
here, there = stores
same = sum(here[k] == there.get(k) for k in here)
print(f"{len(here)} records here, {len(there)} there, {same} the same byte for byte")
sys.exit(here != there)
PYTHON
check "the same records" python3 "$folder/compare.py" "$folder/here.json" "$folder/there.json"
check "the stores merge" "$heddle" results merge --store "$folder/here.sqlite" "$there"

# One run of a program, here, feeds the designs, wherever they are simulated.
sample=${heddle%/src/apps/cli/heddle}/tests/runtime/exec_sample
check "a program is recorded" "$heddle" exec --functional --sample 3 --record "$folder/program.hdl" -- "$sample" 20
for place in here there; do
  where=()
  [[ $place == here ]] || where=(--on slurm --point-mebibytes 900)
  "$heddle" compare "$folder/program.hdl" --gpu clustered60 --designs baseline,ICC --store "$folder/$place.program.sqlite" "${where[@]}" --markdown \
    2>/dev/null | grep -F '|' >"$folder/$place.table" || true
done
check "designs on a recording, the same here and there" cmp "$folder/here.table" "$folder/there.table"
check "there are two of them" test "$(grep -cE '^\| (baseline|ICC) ' "$folder/there.table")" -ge 2

there=$folder/cancelled.sqlite
on_slurm=("$heddle" study "${study[@]}" --on slurm --point-mebibytes 900 --store "$there")
begin
points 1
kill -INT "$front"
wait "$front" || true
front=
"${on_slurm[@]}" --cancel
sleep 2
check "no job is left" test -z "$(squeue --noheader --states=pending,running)"
exit "$bad"
