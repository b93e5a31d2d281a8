#!/usr/bin/env bash
# The source hash depends on contents and names of sources, and on nothing else.
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

copy() {
  mkdir -p "$work/$1/tools" && cp "$repository/tools/source_hash" "$work/$1/tools/"
  mkdir -p "$work/$1/"{src,workloads,cmake} && echo one >"$work/$1/src/a.cc" && echo two >"$work/$1/src/b.cc"
  echo x >"$work/$1/CMakeLists.txt"
}
hash_of() { "$work/$1/tools/source_hash"; }
copy a
copy b
first=$(hash_of a)

same_elsewhere() { touch -d 2001-01-01 "$work/b/src/a.cc" && [[ $first =~ ^[0-9a-f]{64}$ && $(hash_of b) == "$first" ]]; }
notes_do_not_count() { mkdir -p "$work/b/src/techniques/x" && echo "[design.x]" >"$work/b/src/techniques/x/designs.toml" && echo note >"$work/b/src/README.md" && echo junk >"$work/b/src/.a.cc.swp" && [[ $(hash_of b) == "$first" ]]; }
contents_count() { echo three >"$work/b/src/a.cc" && [[ $(hash_of b) != "$first" ]]; }
swaps_count() { echo two >"$work/a/src/a.cc" && echo one >"$work/a/src/b.cc" && [[ $(hash_of a) != "$first" ]]; }

check "source hash: the same in another place at another time" same_elsewhere
check "source hash: notes, designs and editors' files do not count" notes_do_not_count
check "source hash: contents count" contents_count
check "source hash: which file holds what counts" swaps_count
finish
