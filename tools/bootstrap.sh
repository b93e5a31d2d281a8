# shellcheck shell=bash
# Shared by ./heddle and ./test: packages, build, lock. The caller sets `root` and, optionally, `assume_yes`.
# Everything said here goes to stderr: stdout belongs to the program.
: "${root:?}"

say() { printf '%s\n' "$*" >&2; }
die() {
  say "$@"
  exit 1
}

# ---- packages ------------------------------------------------------------------------------------------

# Names in the given lists, without comments.
package_names() { sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$@"; }

# True for what is there without its Debian package: a node from elsewhere brings its own npm, and the packages exclude
# each other.
provided_otherwise() { [[ $1 == npm ]] && command -v npm >/dev/null && command -v node >/dev/null; }

# Which of the named packages are not installed, one per line. NAME:ARCHITECTURE asks for another architecture's.
missing_packages() {
  local installed name native
  native=$(dpkg --print-architecture 2>/dev/null) || native=
  # shellcheck disable=SC2016  # dpkg-query fills in the ${...}
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status} ${Architecture}\n' 2>/dev/null |
    awk -v native="$native" '$2 == "installed" {print (native == "" || $3 == native || $3 == "all" ? $1 : $1 ":" $3)}')
  for name in "$@"; do
    grep -qxF -- "$name" <<<"$installed" || provided_otherwise "$name" || echo "$name"
  done
}

# Package lists older than a week may name files that the mirrors no longer have.
apt_lists_are_fresh() {
  local lists=${HEDDLE_APT_LISTS:-/var/lib/apt/lists}
  [[ -n $(find "$lists" -maxdepth 1 -name '*_Packages*' -mtime -7 -print -quit 2>/dev/null) ]]
}

# "12 packages, 34.5 MB to download, 123 MB on disk" for what installing the arguments brings with it.
install_size() {
  local all
  all=$(apt-get -s -o Debug::NoLocking=1 install --no-install-recommends "$@" 2>/dev/null | awk '$1 == "Inst" {print $2}')
  [[ -n $all ]] || return 1
  # shellcheck disable=SC2086  # a list of names
  apt-cache show --no-all-versions $all | awk '
    $1 == "Package:" {n++} $1 == "Size:" {download += $2} $1 == "Installed-Size:" {disk += $2}
    END {printf "%d packages, %.1f MB to download, %.0f MB on disk\n", n, download / 1e6, disk * 1024 / 1e6}'
}

# Makes sure that the packages of the given lists are there; asks once on a terminal.
require_packages() {
  [[ -z ${HEDDLE_SKIP_PACKAGES-} ]] || return 0
  local names missing as_root=() size answer
  mapfile -t names < <(package_names "$@")
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "heddle: this is no Debian system (no dpkg-query or apt-get). Install the equivalents of:"
    say "  ${names[*]}"
    die "then say HEDDLE_SKIP_PACKAGES=1 $0"
  fi
  mapfile -t missing < <(missing_packages "${names[@]}")
  ((${#missing[@]} > 0)) || return 0

  say "heddle: ${#missing[@]} Debian packages are missing: ${missing[*]}"
  if [[ $(id -u) != 0 ]]; then
    if command -v sudo >/dev/null; then
      as_root=(sudo)
    else
      say "heddle: installing them needs root. Run as root:"
      die "  apt-get update && apt-get install --yes --no-install-recommends ${missing[*]}"
    fi
  fi
  if ! apt_lists_are_fresh; then
    say "heddle: the lists of available packages are missing or old; running apt-get update"
    "${as_root[@]}" apt-get update -qq >&2 || say "heddle: apt-get update failed; trying with what is there"
  fi
  size=$(install_size "${missing[@]}") || size="size unknown"
  say "heddle: to install: $size"
  if [[ -z ${assume_yes-} && -t 0 && -t 2 ]]; then
    read -r -p "Install them now? [Y/n] " answer >&2
    [[ -z $answer || $answer == [yY]* ]] || die "heddle: nothing was installed."
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes -qq --no-install-recommends "${missing[@]}" >&2 ||
    die "heddle: apt-get could not install them; its output is above."
}

# ---- build ---------------------------------------------------------------------------------------------

# As many jobs as there are cores, with at least 1 GB of memory each.
build_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '$1 == "MemAvailable:" {print int($2 / 1e6)}' /proc/meminfo)
  ((memory >= 1)) || memory=1
  echo $((cores < memory ? cores : memory))
}

# Shows ninja's progress: one line that is overwritten on a terminal, every tenth of the way elsewhere.
# Everything else (compiler output) stays in the log. Goes to stderr, or to the open file $progress_to.
show_progress() {
  local terminal=0 to=${progress_to:-2}
  [[ ! -t $to ]] || terminal=1
  awk -v terminal="$terminal" -v what="$1" '
    match($0, /^\[[0-9]+\/[0-9]+\]/) {
      split(substr($0, 2, RLENGTH - 2), n, "/")
      if (terminal) {
        line = $0; sub(/ Building CXX object | Linking CXX [a-z ]* /, " ", line)
        printf "\r\033[K%s %s", what, substr(line, 1, 70) > "/dev/stderr"
      } else if (int(10 * n[1] / n[2]) > tenth) {
        tenth = int(10 * n[1] / n[2])
        printf "%s: %d of %d\n", what, n[1], n[2] > "/dev/stderr"
      }
      fflush("/dev/stderr")
    }
    END {if (terminal) printf "\r\033[K" > "/dev/stderr"}' 2>&"$to"
}

# Only one build at a time. The lock is the open file 9; release_lock closes it.
take_lock() {
  mkdir -p "$root/build"
  exec 9>"$root/build/.lock"
  if ! flock -n 9; then
    say "heddle: waiting for another build in this folder"
    flock 9
  fi
}
release_lock() { exec 9>&-; }

# build_preset PRESET TARGET [CMAKE OPTION...]: configures if needed and builds; shows errors and where the
# log is. Returns non-zero on failure.
build_preset() {
  local preset=$1 target=$2 folder=$root/build/$1 log=$root/build/$1.log
  shift 2
  mkdir -p "$folder"
  # A build folder that was copied or moved names its old place; CMake would refuse it.
  if [[ -f $folder/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    say "heddle: build/$preset was made elsewhere; configuring it anew"
    rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles"
  fi
  : >"$log"
  if [[ ! -f $folder/build.ninja || $# -gt 0 ]] && ! (cd "$root" && cmake --preset "$preset" "$@") >"$log" 2>&1 9>&-; then
    cat "$log" >&2
    say "heddle: configuring build/$preset failed; the log is $log"
    return 1
  fi
  (NINJA_STATUS='[%f/%t] ' ninja -C "$folder" -j "$(build_jobs)" "$target" 2>&1 9>&-) |
    tee -a "$log" | show_progress "building $preset"
  if ((PIPESTATUS[0] != 0)); then
    awk '/^FAILED:/ {on = 1} on || /^ninja: error/' "$log" | head -n 200 >&2
    say "heddle: building build/$preset failed; the whole log is $log"
    return 1
  fi
}

# ---- is the program up to date? ------------------------------------------------------------------------

# True when nothing that goes into the program changed after the last build. Status times (ctime) and folders
# count, so that files that were moved in with old dates, or deleted, are noticed. One find, no cmake.
up_to_date() {
  local inputs=("$root"/{CMakeLists.txt,CMakePresets.json,src,workloads,cmake,tools/source_hash})
  local folder
  for folder in configs studies validation web/src web/build.mjs web/package-lock.json; do # what is inside the program, too
    [[ ! -e $root/$folder ]] || inputs+=("$root/$folder")
  done
  [[ -x $program && -f $stamp && -z $(find "${inputs[@]}" -cnewer "$stamp" -print -quit 2>&1) ]]
}

# The stamp carries the time before the build began: what is edited meanwhile is built next time.
begin_stamp() { touch "$stamp.new"; }
finish_stamp() { mv -f "$stamp.new" "$stamp"; }

# Builds the program if needed, under the lock.
build_program() {
  take_lock
  if ! up_to_date; then # another call may have built it while this one waited
    require_packages "$root/tools/packages/build.txt"
    mkdir -p "$root/build/release"
    begin_stamp
    local options=()
    # A first build is for using the program; ./test turns the tests on in the same folder.
    [[ -f $root/build/release/build.ninja ]] || options=(-DHEDDLE_TESTS=OFF -DHEDDLE_BENCH=OFF)
    build_preset release heddle "${options[@]}" || exit 1
    [[ -x $program ]] || die "heddle: the build made no $program"
    finish_stamp
  fi
  release_lock
}

program=$root/build/release/src/apps/cli/heddle
stamp=$root/build/release/.stamp
