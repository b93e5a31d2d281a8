#!/usr/bin/env bash
# `heddle new technique` for every slot: what it writes compiles without a warning against the built libraries, its
# tests pass, and the lines that it prints make the catalog know it. The argument is a file that the build has written:
# program, compiler, flags, libraries.
set -euo pipefail
# shellcheck disable=SC1090
source "$1"
: "${source:?}" "${heddle:?}" "${cxx:?}"
# shellcheck disable=SC2154
compile=("$cxx" -std=c++20 -O0 "${flags[@]}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree

# As much of a source tree as the command looks for; headers of the real one come second.
mkdir -p "$tree/src/gpu" "$tree/cmake"
cp "$source/CMakeLists.txt" "$tree/"
cp "$source/cmake/HeddleBuild.cmake" "$tree/cmake/"
cp "$source/src/gpu/catalog.cc" "$tree/src/gpu/"
includes=(-I "$tree/src" -I "$source/src" -I "$source")

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# add_to_catalog OUTPUT: does what the command's output tells a person to do.
add_to_catalog() {
  local include line table
  include=$(grep -F '#include "techniques/' "$1" | sed 's/^ *//')
  line=$(grep -E '^ +[a-z_]+::k[A-Za-z]+,$' "$1")
  table=$(sed -nE 's/^It does nothing yet\. Add to .*, among the includes and in ([a-z_]+\(\)):$/\1/p' "$1")
  [[ -n $include && -n $line && -n $table ]] || fail "no lines for the catalog in: $(cat "$1")"
  awk -v include="$include" -v line="$line" -v table="$table" '
    /#include "techniques\/intra_cluster/ {print include}
    {print}
    /^std::span<const / && index($0, " " table " {") {here = 1}
    here && /with_techniques</ {print line; here = 0; done = 1}
    END {exit !done}' "$tree/src/gpu/catalog.cc" >"$work/catalog.cc" || fail "the catalog has no table $table"
  mv "$work/catalog.cc" "$tree/src/gpu/catalog.cc"
}

for slot in merger cta_scheduler warp_scheduler load_front topology; do
  name=new_${slot}
  "$heddle" new technique "$name" --slot "$slot" --root "$tree" >"$work/said" || fail "heddle new technique --slot $slot"
  add_to_catalog "$work/said"
  for file in CMakeLists.txt README.md designs.toml "$name.h" "$name.cc"; do
    [[ -s $tree/src/techniques/$name/$file ]] || fail "$slot: no $file"
  done
  [[ -s $tree/tests/techniques/$name/CMakeLists.txt ]] || fail "$slot: no CMakeLists.txt of the test"
  if grep -rn '@[A-Z]*@\|NAME' "$tree/src/techniques/$name" "$tree/tests/techniques/$name"; then fail "$slot: placeholders are left"; fi
done

# All sources as one, all tests as one: compiling headers is most of the time. The catalog need only be right.
printf '#include "%s"\n' "$tree"/src/techniques/*/*.cc >"$work/sources.cc"
printf '#include "%s"\n' "$tree"/tests/techniques/*/*.cc >"$work/tests.cc"
"${compile[@]}" "${includes[@]}" -c "$work/sources.cc" -o "$work/sources.o" &
sources=$!
"${compile[@]}" "${includes[@]}" -c "$work/tests.cc" -o "$work/tests.o" || fail "a test does not compile"
wait "$sources" || fail "a source does not compile"
"${compile[@]}" "${includes[@]}" -fsyntax-only "$tree/src/gpu/catalog.cc" || fail "the catalog does not compile"
# shellcheck disable=SC2154
"$cxx" "${link_flags[@]}" -fno-lto "$work"/*.o -Wl,--start-group "${libraries[@]}" -Wl,--end-group \
  -lgtest_main -lgmock -lgtest -lfmt -lpthread -o "$work/tests" || fail "what was written does not link"
"$work/tests" --gtest_brief=1
