#!/usr/bin/env bash
# What a page quotes is what runs: a block of code below a line `<!-- from FILE -->` is in that file, word for word.
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# quotes PAGE ROOT: prints what is not in its file; fails when there is such a thing.
quotes() {
  local line file='' block='' inside=0 bad=0 text
  while IFS= read -r line; do
    if [[ $line =~ ^'<!-- from '(.*)' -->'$ ]]; then
      file=${BASH_REMATCH[1]} block=''
    elif [[ -n $file && $inside == 0 && $line == '```'* ]]; then
      inside=1
    elif [[ $inside == 1 && $line == '```' ]]; then
      text=$(cat "$2/$file") || bad=1
      if [[ -z $block || $'\n'$text$'\n' != *$'\n'"$block"* ]]; then
        echo "$1 quotes what is not in $file:"$'\n'"$block"
        bad=1
      fi
      file='' inside=0
    elif [[ $inside == 1 ]]; then
      block+=$line$'\n'
    elif [[ -n $file ]]; then
      echo "$1: no block of code right below 'from $file'"
      bad=1 file=''
    fi
  done <"$1"
  return "$bad"
}

has_quotes() { [[ $(grep -c '^<!-- from ' "$1") -ge $2 ]]; }
refuses() { ! quotes "$@"; }

for page in "$repository"/docs/*.md; do
  if grep -q '^<!-- from ' "$page"; then check "quotes of ${page##*/}" quotes "$page" "$repository"; fi
done
check "add-a-technique.md quotes its example" has_quotes "$repository/docs/add-a-technique.md" 8
check "add-a-gpu.md quotes its example" has_quotes "$repository/docs/add-a-gpu.md" 3

# It finds what differs.
# shellcheck disable=SC2016
{
  printf 'int a;\nint b;\n' >"$work/a.cc"
  printf '<!-- from a.cc -->\n```cpp\nint b;\n```\n' >"$work/same.md"
  printf '<!-- from a.cc -->\n```cpp\nint c;\n```\n' >"$work/other.md"
  printf '<!-- from a.cc -->\n\n```cpp\nint b;\n```\n' >"$work/apart.md"
  printf '<!-- from b.cc -->\n```cpp\nint b;\n```\n' >"$work/none.md"
}
check "a quote that is in its file" quotes "$work/same.md" "$work"
check "a quote that is not is found" refuses "$work/other.md" "$work"
check "a quote without its block is found" refuses "$work/apart.md" "$work"
check "a quote of a missing file is found" refuses "$work/none.md" "$work"
finish
