#!/usr/bin/env bash
# Shows that tools/check_layers catches what it is for.
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tree() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree/src/"{base,mem,noc,techniques/a,techniques/b} "$work/tree/workloads/k"
  echo '#include "base/x.h"' >"$work/tree/src/mem/m.h"
  echo '#include "own.h"' >"$work/tree/src/techniques/a/a.h"
  printf 'base:\nmem: base\nnoc: mem base\ntechniques/*: noc mem base\nworkloads: base\n' >"$work/layers"
}
run() { "$repository/tools/check_layers" --root "$work/tree" --layers "$work/layers" >"$work/out" 2>&1; }
refused() { ! run && says "$work/out" "$1"; }

tree
check "layers: a clean tree passes" run
printf '\n#include "noc/n.h"\n' >"$work/tree/src/mem/m.cc"
check "layers: an upward include is named with its line" refused 'src/mem/m.cc:2: mem may not include noc ("noc/n.h"); allowed: mem base'
tree
echo '#include "techniques/b/b.h"' >"$work/tree/src/techniques/a/a.cc"
check "layers: siblings stay apart" refused 'techniques/a may not include techniques/b'
tree
echo '#include "noc/n.h"' >"$work/tree/src/techniques/a/a.cc"
echo '#include "techniques/a/a.h"' >>"$work/tree/src/techniques/a/a.cc"
check "layers: a technique sees what lies below and itself" run
tree
echo '#include "mem/m.h"' >"$work/tree/workloads/k/k.cc"
check "layers: workloads do not see the machine" refused 'workloads may not include mem'
tree
mkdir "$work/tree/src/new" && echo '// nothing' >"$work/tree/src/new/n.h"
check "layers: an unknown folder is refused" refused 'the folder "new" is not in the list'
tree
echo '#include "nowhere/n.h"' >"$work/tree/src/mem/m.cc"
check "layers: an include of an unknown layer is refused" refused '"nowhere/n.h": no such layer'
tree
echo '#include "../base/x.h"' >"$work/tree/src/mem/m.cc"
check "layers: .. is refused" refused 'without ".."'
tree
sed -i 's/^base:/base: noc/' "$work/layers"
check "layers: a cycle in the list is refused" refused 'cycle: base -> noc -> mem -> base'
tree
printf 'namespace heddle::mem {\nstruct Row {\n};\n}  // namespace heddle::mem\n' | tee "$work/tree/src/mem/r.h" >"$work/tree/src/noc/r.h"
check "layers: two types of one name in one namespace are refused" refused 'src/noc/r.h:2: heddle::mem::Row is defined in src/mem/r.h as well'
tree
printf 'namespace heddle::mem {\nnamespace {\nstruct Row {\n};\n}  // namespace\n}  // namespace heddle::mem\n' | tee "$work/tree/src/mem/r.cc" >"$work/tree/src/mem/s.cc"
check "layers: files' own types may be named alike" run
finish
