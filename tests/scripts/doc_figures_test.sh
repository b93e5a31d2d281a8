#!/usr/bin/env bash
# A figure that a page takes from another file is the one that stands there: a number with the comment <!-- FILE: TEXT -->
# right behind it is in TEXT, and TEXT is in FILE. <!-- files: PATTERN --> counts files.
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# has_number TEXT NUMBER: as a whole, not as a part of a longer one.
has_number() {
  local number=${2//./\\.}
  [[ " $1 " =~ ([^0-9.,]|[^0-9],)$number([^0-9.,]|[.,][^0-9]) ]]
}

# figures PAGE ROOT: prints what differs; fails when something does.
figures() {
  local rest number file text bad=0
  while IFS= read -r rest; do
    while [[ $rest =~ ([0-9][0-9.,]*)%?'<!-- '([^:>]+)': '([^>]+)' -->'(.*) ]]; do
      number=${BASH_REMATCH[1]} file=${BASH_REMATCH[2]} text=${BASH_REMATCH[3]} rest=${BASH_REMATCH[4]}
      if [[ $file == files ]]; then
        text=$(cd "$2" && compgen -G "$text" | wc -l)
        [[ $number == "$text" ]] || { echo "$1: $number files, and there are $text" && bad=1; }
      elif ! grep -qF -- "$text" "$2/$file"; then
        echo "$1 quotes '$text', which is not in $file: its figure there has changed" && bad=1
      elif ! has_number "$text" "$number"; then
        echo "$1 says $number where $file says '$text'" && bad=1
      fi
    done
  done <"$1"
  return "$bad"
}

has_figures() { [[ $(grep -oE '[0-9]%?<!-- [^>]+ -->' "$1" | wc -l) -ge $2 ]]; }
refuses() { ! figures "$@"; }

check "figures of README.md" figures "$repository/README.md" "$repository"
check "README.md names the places of its figures" has_figures "$repository/README.md" 15
for page in "$repository"/docs/*.md "$repository"/bench/README.md; do
  if has_figures "$page" 1; then check "figures of ${page##*/}" figures "$page" "$repository"; fi
done

# It finds what differs.
printf 'mean error 6.5%%, 17 of 19\n' >"$work/source"
printf 'is 6.5%%<!-- source: mean error 6.5%% --> and 17<!-- source: 17 of 19 -->\n' >"$work/same.md"
printf 'is 6.6%%<!-- source: mean error 6.5%% -->\n' >"$work/other.md"
printf 'is 6%%<!-- source: mean error 6.5%% -->\n' >"$work/part.md"
printf 'is 17<!-- source: 17 of 19 --> and 6.4%%<!-- source: mean error 6.4%% -->\n' >"$work/old.md"
printf 'there are 2<!-- files: s*e -->\n' >"$work/count.md"
check "a figure that is in its file" figures "$work/same.md" "$work"
check "a figure that differs is found" refuses "$work/other.md" "$work"
check "a part of a figure is found" refuses "$work/part.md" "$work"
check "a figure that has changed in its file is found" refuses "$work/old.md" "$work"
check "a wrong number of files is found" refuses "$work/count.md" "$work"
finish
