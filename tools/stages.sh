# shellcheck shell=bash
# The stages of ./test. Each runs in a subshell with its output in a log; what a stage needs and does not find
# is a failure, never a silent skip.
: "${root:?}" "${program:?}"
counts=         # set for each stage: the file that takes its counts
fuzz_seconds=15 # for each target; --full takes longer

lacks() {
  echo "FAILED: $*"
  return 1
}

needs_build() { [[ -f $root/build/test/built ]] || lacks "the release build failed, so this cannot run"; }

stage_build() {
  rm -f "$root/build/test/built"
  take_lock
  mkdir -p "$root/build/release"
  begin_stamp
  build_preset release all -DHEDDLE_TESTS=ON -DHEDDLE_BENCH=ON -DHEDDLE_PYTHON=ON -DHEDDLE_PYTHON_PROGRAM=/usr/bin/python3 || return 1
  finish_stamp
  release_lock
  touch "$root/build/test/built"
  "$program" --version
}

stage_layers() { "$root/tools/check_layers"; }

# Counts lines "ok ..." and "FAILED ..." of a log.
count_lines() { awk '/^ok /{ok++} /^FAILED /{bad++} END {print ok + 0, bad + 0}' "$1" >"$counts"; }

stage_scripts() {
  local log=$root/build/test/scripts.lines script files
  : >"$log"
  mapfile -t files < <(cd "$root" && grep -lsE '^#!.*(bash|sh)$|^# shellcheck shell=' heddle test .ci/* tools/* tests/scripts/* tests/cli/*.sh tests/cuda/*.sh tests/fatbin/data/*.sh examples/*/run.sh)
  if (cd "$root" && shellcheck -x "${files[@]}"); then echo "ok shellcheck" >>"$log"; else echo "FAILED shellcheck" >>"$log"; fi
  for script in "$root"/tests/scripts/*_test.sh; do
    "$script" >>"$log" 2>&1 || echo "FAILED ${script##*/}" >>"$log"
  done
  cat "$log"
  count_lines "$log"
  ! grep -q '^FAILED ' "$log"
}

stage_ptx_drift() {
  [[ -x $root/tools/make_ptx ]] || lacks "tools/make_ptx is missing: nothing checks that the workloads' PTX matches their sources" || return 1
  "$root/tools/make_ptx" --check
}

# run_ctest FOLDER [CTEST OPTION...]: runs ctest in a build folder, counts the tests inside the test programs.
run_ctest() {
  local folder=$1 out result=0
  shift
  out=$root/build/test/${folder##*/}.ctest
  ctest --test-dir "$folder" "$@" --verbose --no-tests=error -j "$(nproc)" --timeout "${test_seconds:-300}" >"$out" 2>&1 || result=$?
  if ((result == 0)); then tail -n 4 "$out"; else grep -vE '^[0-9]+: \[(       OK|RUN)|^[0-9]+: (Test|Working)' "$out"; fi
  count_tests "$out"
  return "$result"
}

# Counts the single tests that GoogleTest programs report in a log.
count_tests() {
  # A program that crashed reports no failed tests of its own; it counts once.
  awk '/\[  PASSED  \] [0-9]+ tests?\./ {for (i = 1; i < NF; i++) if ($i == "]") ok += $(i + 1)}
       /\[  FAILED  \] .*\([0-9]+ ms\)$/ {++bad}
       /tests? failed out of/ {for (i = 1; i < NF; i++) if ($(i + 1) ~ /^tests?$/ && $(i + 2) == "failed") programs = $i}
       END {print ok + 0, (bad > programs ? bad : programs) + 0}' "$1" >"$counts"
  awk '{print $1 " tests passed, " $2 " failed"}' "$counts"
}

stage_unit() { needs_build && run_ctest "$root/build/release"; }

# The report page: types, tests of its functions, and a real browser on real data.
stage_web() {
  local log=$root/build/test/web.tap result=0 name
  for name in npm node "${CHROMIUM:-chromium}"; do
    command -v "$name" >/dev/null || lacks "$name is missing; Debian has it in the packages npm and chromium" || return 1
  done
  cd "$root/web" || return 1
  if [[ ! -d node_modules/puppeteer-core || package-lock.json -nt node_modules/.package-lock.json ]]; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error || lacks "npm ci: is there a network?" || return 1
  fi
  npm run --silent test >"$log" 2>&1 || result=$?
  if ((result == 0)); then grep -E '^# (tests|pass|fail|duration)' "$log"; else cat "$log"; fi
  awk '/^# pass/ {ok += $3} /^# fail/ {bad += $3} END {print ok + 0, bad + 0}' "$log" >"$counts"
  return "$result"
}

# sanitized PRESET TARGET [CTEST OPTION...]
sanitized() {
  local preset=$1 target=$2
  shift 2
  build_preset "$preset" "$target" || return 1
  # Without the search for leaks and for uses after return: on arm64 each takes minutes where the tests take seconds.
  export ASAN_OPTIONS=detect_stack_use_after_return=0:detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1
  run_ctest "$root/build/$preset" "$@"
}
# What reads files and executes kernels; the machine as well: asan-machine.
stage_asan() { sanitized asan core_tests -L core; }
stage_asan_machine() { test_seconds=1800 sanitized asan layer_tests -LE program; }
stage_asan_program() { test_seconds=1800 sanitized asan all -L program; }
# The engine and its channels, which is where threads meet: builds in a minute. The machine on it as well: tsan.
stage_tsan_engine() { sanitized tsan sim_test -R '^sim_test$'; }
# Only what uses threads: tests with the label, built by the target of that name.
stage_tsan() { sanitized tsan threads -L threads; }

# Every workload at its smallest on every preset with every scheduler, at every parameter's least and greatest value, and many random
# machines in every cycle; `unit` runs a choice of these.
stage_timing() {
  local log=$root/build/test/timing result=0 i parts test
  needs_build || return 1
  parts=$(nproc)
  for test in machine_workloads_test machine_boundary_test machine_oracle_test; do
    for ((i = 0; i < parts; i++)); do
      HEDDLE_TEST_ALL=1 GTEST_TOTAL_SHARDS=$parts GTEST_SHARD_INDEX=$i \
        "$root/build/release/tests/gpu/$test" --gtest_brief=1 >"$log.$test.$i" 2>&1 &
    done
    for ((i = 0; i < parts; i++)); do wait -n || result=1; done
  done
  cat "$log".machine_* >"$log.all"
  ((result == 0)) || cat "$log.all"
  count_tests "$log.all"
  return "$result"
}

# fuzz_one NAME: starts from the kept inputs, collects new ones under build/, keeps what crashed.
fuzz_one() {
  local name=$1 seconds=$2 folder=$root/build/fuzz
  local found=$folder/corpus/$name kept=$root/tests/fuzz/corpus/$name artifacts=$folder/artifacts/$name
  [[ -d $kept ]] || lacks "${name}: tests/fuzz/corpus/$name is missing" || return 1
  mkdir -p "$found" "$artifacts"
  if "$folder/tests/fuzz/${name}_fuzz" "$found" "$kept" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1500 \
    -max_len=8192 -print_final_stats=1 -artifact_prefix="$artifacts/" >"$folder/$name.log" 2>&1; then
    echo "ok $name: $(awk '/number_of_executed_units/ {print $2 " runs"}' "$folder/$name.log")"
  else
    tail -n 40 "$folder/$name.log"
    echo "FAILED $name: the input is in build/fuzz/artifacts/$name"
  fi
}

stage_fuzz() {
  local log=$root/build/test/fuzz.lines names
  build_preset fuzz fuzzers || return 1
  mapfile -t names < <(cd "$root/build/fuzz/tests/fuzz" && for f in *_fuzz; do [[ ! -x $f ]] || echo "${f%_fuzz}"; done)
  ((${#names[@]} > 0)) || lacks "no fuzz targets were built" || return 1
  # All side by side; the functions travel by the environment.
  export root
  export -f fuzz_one lacks
  # shellcheck disable=SC2016  # expanded by the inner shell
  printf '%s\n' "${names[@]}" | xargs -P "${#names[@]}" -I{} bash -c 'fuzz_one "$1" "$2"' _ {} "$fuzz_seconds" >"$log" 2>&1
  cat "$log"
  count_lines "$log"
  ! grep -q '^FAILED' "$log"
}

# Every workload at one scale, verified against its CPU reference.
workloads_at() {
  local scale=$1 log=$root/build/test/$1.lines name
  needs_build || return 1
  : >"$log"
  for name in $("$program" list | sed -n '2,/^$/s/ .*//p'); do
    if "$program" run "$name" --functional --quiet --scale "$scale"; then
      echo "ok $name" | tee -a "$log"
    else
      echo "FAILED $name" | tee -a "$log"
    fi
  done
  count_lines "$log"
  ! grep -q '^FAILED ' "$log"
}
stage_small() { workloads_at small; }
stage_paper() { workloads_at paper; }

# A study on a Slurm cluster on this machine, disturbed in every way.
stage_slurm() {
  local log=$root/build/test/slurm.lines result=0
  needs_build || return 1
  require_packages "$root/tools/packages/slurm.txt"
  "$root/tests/cli/slurm_stage.sh" "$program" >"$log" 2>&1 || result=$?
  cat "$log"
  count_lines "$log"
  return "$result"
}

stage_cost() {
  local log=$root/build/test/cost.lines result=0
  needs_build || return 1
  "$root/tools/check_cost" >"$log" || result=$?
  cat "$log"
  count_lines "$log"
  return "$result"
}

stage_other_arch() {
  local log=$root/build/test/other-arch.lines result=0
  needs_build || return 1
  "$root/tools/check_other_arch" ${assume_yes:+--yes} >"$log" || result=$?
  cat "$log"
  count_lines "$log"
  return "$result"
}

# The Python module as pip installs it, and the notebook; `unit` has its tests in the build folder.
stage_python() {
  local log=$root/build/test/python.lines result=0
  needs_build || return 1
  "$root/tools/check_python" ${assume_yes:+--yes} >"$log" || result=$?
  cat "$log"
  count_lines "$log"
  return "$result"
}
