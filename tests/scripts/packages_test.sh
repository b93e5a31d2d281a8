#!/usr/bin/env bash
# The package lists: well formed, every line with a reason, and known to apt where lists are at hand.
# shellcheck source=tests/scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
root=$repository
# shellcheck source=tools/bootstrap.sh
. "$repository/tools/bootstrap.sh"

lists=("$repository"/tools/packages/{build,test,python}.txt)
no_line_without_reason() { ! grep -vhE '^#|^[a-z0-9][a-z0-9.+-]+ +# .+' "${lists[@]}"; }
no_duplicates() { [[ -z $(package_names "${lists[@]}" | sort | uniq -d) ]]; }
known_to_apt() {
  local names
  mapfile -t names < <(package_names "${lists[@]}")
  ! apt-cache show --no-all-versions "${names[@]}" 2>&1 >/dev/null | grep .
}

check "packages: every line has a name and a reason" no_line_without_reason
check "packages: no name twice" no_duplicates
if command -v apt-cache >/dev/null && apt-cache show bash >/dev/null 2>&1; then
  check "packages: apt knows them all" known_to_apt
fi
finish
