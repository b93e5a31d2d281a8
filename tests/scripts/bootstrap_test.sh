#!/usr/bin/env bash
# ./heddle on systems that are made up: stand-ins for apt, dpkg, cmake and ninja record how they were called.
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tree=$work/tree
bin=$work/bin
calls=$work/calls

stand_in() {
  cat >"$bin/$1"
  chmod +x "$bin/$1"
}

# A checkout without a build, on a machine without packages, as root.
fresh() {
  rm -rf "$tree" "$bin" && mkdir -p "$tree/"{src,workloads,cmake,tools} "$bin" && : >"$calls"
  cp "$repository/heddle" "$tree/" && cp -r "$repository/tools/"{bootstrap.sh,packages,source_hash} "$tree/tools/"
  touch "$tree/CMakeLists.txt" "$tree/CMakePresets.json" "$tree/src/a.cc" "$tree/src/b.cc"
  local tool
  for tool in bash env sed awk find grep flock mkdir touch mv rm cat tee head nproc readlink dirname sleep sort chmod ln; do
    ln -s "$(command -v "$tool")" "$bin/$tool"
  done
  echo installed >"$work/state" && echo 0 >"$work/uid" && echo 0 >"$work/ninja.exit"
  stand_in dpkg-query <<<"#!/bin/bash
[[ \$(<$work/state) != all ]] || sed -e 's/#.*//' -e 's/ *\$//' -e '/^\$/d' -e 's/\$/ installed/' $tree/tools/packages/*.txt"
  stand_in apt-get <<<"#!/bin/bash
echo \"apt-get \$*\" >>$calls
[[ \$* != *-s* ]] || echo 'Inst g++ (12)'
[[ \$* != *--yes* ]] || echo all >$work/state"
  stand_in apt-cache <<<"#!/bin/bash
printf 'Package: g++\nSize: 2000000\nInstalled-Size: 5000\n'"
  stand_in id <<<"#!/bin/bash
cat $work/uid"
  stand_in cmake <<<"#!/bin/bash
echo \"cmake \$*\" >>$calls; touch build/release/build.ninja; echo CMAKE_HOME_DIRECTORY:INTERNAL=$tree >build/release/CMakeCache.txt"
  stand_in ninja <<<"#!/bin/bash
echo \"ninja \$*\" >>$calls; sleep 0.1
[[ ! -e $work/edit ]] || { rm $work/edit; touch $tree/src/a.cc; }
echo '[1/1] Building CXX object a.o'
if [[ \$(<$work/ninja.exit) != 0 ]]; then echo 'FAILED: a.o'; echo 'a.cc:1: error: no such thing'; exit 1; fi
mkdir -p $tree/build/release/src/apps/cli
printf '#!/bin/bash\necho \"ran \$*\"\n' >$tree/build/release/src/apps/cli/heddle
chmod +x $tree/build/release/src/apps/cli/heddle"
}
# Runs ./heddle there; output in $work/out, what it called in $calls.
heddle() {
  : >"$calls"
  HEDDLE_APT_LISTS=$work/nolists PATH=$bin "$tree/heddle" "$@" >"$work/out" 2>&1 </dev/null
}
runs() { heddle "$@" && says "$work/out" "ran"; }
rebuilds() { sleep 0.02 && runs x && says "$calls" "ninja"; }
untouched() { runs x && [[ ! -s $calls ]]; }

first_call() {
  runs one "two three" && says "$work/out" "ran one two three" && says "$calls" "apt-get update" &&
    says "$calls" "apt-get install --yes -qq --no-install-recommends g++ cmake" &&
    says "$calls" "cmake --preset release -DHEDDLE_TESTS=OFF" &&
    says "$work/out" "1 packages, 2.0 MB to download, 5 MB on disk" && silent_about "$calls" libgtest-dev
}
yes_is_ours() { heddle --yes a --yes && says "$work/out" "ran a --yes"; }
edited() { touch "$tree/src/a.cc" && rebuilds; }
old_dates() { touch -d 2001-01-01 "$tree/src/b.cc" && rebuilds; }
deleted() { rm "$tree/src/b.cc" && rebuilds; }
failing_build() {
  echo 1 >"$work/ninja.exit" && touch "$tree/src/a.cc"
  ! heddle x && says "$work/out" "a.cc:1: error: no such thing" && says "$work/out" "build/release.log" &&
    silent_about "$work/out" "ran x" && ! heddle x && echo 0 >"$work/ninja.exit" && rebuilds
}
two_at_once() {
  touch "$tree/src/a.cc" && : >"$calls" && sleep 0.02
  HEDDLE_APT_LISTS=x PATH=$bin "$tree/heddle" 1 >"$work/out1" 2>&1 &
  local other=$!
  HEDDLE_APT_LISTS=x PATH=$bin "$tree/heddle" 2 >"$work/out2" 2>&1 && wait "$other" &&
    says "$work/out1" "ran 1" && says "$work/out2" "ran 2" && [[ $(grep -c ninja "$calls") == 1 ]]
}
edited_while_building() {
  touch "$tree/src/a.cc" "$work/edit" && rebuilds && rebuilds && untouched
}
without_root() {
  fresh && echo 1000 >"$work/uid"
  ! heddle x && says "$work/out" "apt-get update && apt-get install --yes --no-install-recommends g++ cmake" &&
    silent_about "$calls" "install"
}
with_sudo() {
  fresh && echo 1000 >"$work/uid" && stand_in sudo <<<"#!/bin/bash
echo sudo \"\$@\" >>$calls; exec \"\$@\""
  runs x && says "$calls" "sudo env DEBIAN_FRONTEND=noninteractive apt-get install --yes"
}
other_system() { fresh && rm "$bin/dpkg-query" && ! heddle x && says "$work/out" "HEDDLE_SKIP_PACKAGES=1"; }
npm_from_elsewhere() {
  fresh && runs x && says "$calls" " npm" && fresh && stand_in npm <<<"#!/bin/bash" && stand_in node <<<"#!/bin/bash" &&
    runs x && says "$calls" "apt-get install" && silent_about "$calls" " npm"
}
by_link() { ln -sf "$tree/heddle" "$work/link" && PATH=$bin "$work/link" y | grep -qx "ran y"; }

fresh
check "bootstrap: a first call installs, builds and runs" first_call
check "bootstrap: a second call starts nothing" untouched
check "bootstrap: only the first --yes is taken" yes_is_ours
check "bootstrap: works through a link" by_link
check "bootstrap: an edit builds" edited
check "bootstrap: a file with an old date builds" old_dates
check "bootstrap: a deleted file builds" deleted
check "bootstrap: a failed build shows the error and the log" failing_build
check "bootstrap: two calls build once" two_at_once
check "bootstrap: an edit during a build builds again" edited_while_building
check "bootstrap: without root and sudo it says what to run" without_root
check "bootstrap: sudo is used where needed" with_sudo
check "bootstrap: on another system it says what is needed" other_system
check "bootstrap: a node from elsewhere is as good as Debian's npm" npm_from_elsewhere

# The real program, if it is built: what the script adds to its start.
milliseconds() {
  local best=1000000 start end
  for _ in 1 2 3 4 5; do
    start=${EPOCHREALTIME/./}
    "$@" >/dev/null 2>&1 || return 1
    end=${EPOCHREALTIME/./}
    ((end - start >= best)) || best=$((end - start))
  done
  echo $((best / 1000))
}
program=$repository/build/release/src/apps/cli/heddle
starts_fast() {
  "$repository/heddle" --version >/dev/null 2>&1 || return 1
  local with without
  with=$(milliseconds "$repository/heddle" --version) && without=$(milliseconds "$program" --version) &&
    echo "with the script $with ms, without $without ms" && ((with - without < 50))
}
[[ ! -x $program ]] || check "bootstrap: the script adds less than 50 ms" starts_fast
finish
