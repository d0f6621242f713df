#!/usr/bin/env bash
# Another Debian in a folder, in which this checkout is built and tested.
#   debian_root.sh make SUITE PACKAGE...            makes the root once, and installs what is not installed in it yet
#   debian_root.sh run SUITE FOLDER COMMAND...      runs a command in it; FOLDER is seen there under its own path
#   debian_root.sh try SUITE FOLDER COMMAND...      the same; whatever the command changes in the root is thrown away
# The roots and their compiler cache lie in ${XDG_CACHE_HOME:-~/.cache}/softradial, 2 GB each; delete them at will. The mirror
# is the one that this machine's apt uses. Mounts live in a namespace of their own: none is left behind, however it ends.
set -euo pipefail
cache=${XDG_CACHE_HOME:-$HOME/.cache}/softradial

fail() {
  echo "debian_root: $*" >&2
  exit 2
}

# The address from which this machine installs Debian itself.
mirror() {
  # shellcheck disable=SC2016  # the words are apt's, not the shell's
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 2>/dev/null | head -n 1
}

# enter ROOT FOLDER COMMAND...: in a mount namespace; FOLDER may be empty.
enter() {
  local root=$1 folder=$2
  shift 2
  # shellcheck disable=SC2016  # expanded by the shell inside
  unshare --mount --propagation private bash -c '
    set -euo pipefail
    root=$1 folder=$2 cache=$3
    shift 3
    mount -t proc proc "$root/proc"
    mkdir -p "$root/dev/shm" "$root/dev/pts" "$root/ccache" "$cache/ccache"
    mount -t tmpfs tmpfs "$root/dev/shm"
    mount -t devpts -o ptmxmode=0666 devpts "$root/dev/pts"
    mount --bind "$cache/ccache" "$root/ccache"
    if [[ -n $folder ]]; then
      mkdir -p "$root$folder"
      mount --bind "$folder" "$root$folder"
    fi
    exec chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive CCACHE_DIR=/ccache CCACHE_BASEDIR="$folder" CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=10G \
      ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
      bash -c "cd \"\$1\" && shift && exec \"\$@\"" bash "${folder:-/}" "$@"
  ' bash "$root" "$folder" "$cache" "$@"
}

# try_in ROOT FOLDER COMMAND...: in a layer above the root, which is removed. Packages that apt fetches are kept in the cache.
try_in() {
  local root=$1 folder=$2 layer archives=$cache/archives status=0
  shift 2
  mkdir -p "$archives/partial"
  layer=$(mktemp -d "$cache/try.XXXXXX")
  mkdir "$layer/upper" "$layer/work" "$layer/root"
  # shellcheck disable=SC2016  # expanded by the shell inside
  unshare --mount --propagation private bash -c '
    set -euo pipefail
    layer=$1 root=$2 archives=$3
    shift 3
    mount -t overlay overlay -o "lowerdir=$root,upperdir=$layer/upper,workdir=$layer/work" "$layer/root"
    mount --bind "$archives" "$layer/root/var/cache/apt/archives"
    cp /etc/resolv.conf /etc/hosts "$layer/root/etc/"
    exec "$@"
  ' bash "$layer" "$root" "$archives" "$0" enter "$layer/root" "$folder" "$@" || status=$?
  rm -rf "$layer"
  return $status
}

# Whole or not at all: it gets its name when it is complete.
bootstrap() {
  local suite=$1 root=$2 from
  from=$(mirror)
  [[ -n $from ]] || fail "apt names no Debian mirror on this machine: a root of $suite cannot be made"
  eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
  [[ -z ${http_proxy:-} ]] || export http_proxy
  echo "debian_root: making a root of $suite in $root" >&2
  rm -rf "$root.part"
  trap 'rm -rf "$root.part"' EXIT
  unshare --mount --propagation private debootstrap --variant=minbase --include=ca-certificates \
    "$suite" "$root.part" "$from" >"$root.log" 2>&1 ||
    fail "debootstrap could not make a root of $suite (no network? see $root.log): $(tail -n 1 "$root.log")"
  apt-config dump Acquire >"$root.part/etc/apt/apt.conf.d/80host"
  mv "$root.part" "$root"
  trap - EXIT
}

make_root() {
  local suite=$1 root=$cache/$1 package missing=()
  shift
  mkdir -p "$cache"
  exec 9>"$root.lock"
  flock 9
  [[ -d $root ]] || bootstrap "$suite" "$root"
  for package in "$@"; do
    [[ $(dpkg-query --root="$root" -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  echo "debian_root: installing in $suite: ${missing[*]}" >&2
  enter "$root" '' bash -c 'apt-get update -qq && apt-get install -qq -y --no-install-recommends "$@" && apt-get clean' \
    bash "${missing[@]}" >"$root.log" 2>&1 ||
    fail "packages could not be installed in $suite (no network? see $root.log): $(tail -n 1 "$root.log")"
}

main() {
  local what=${1:-} suite=${2:-}
  [[ -n $suite ]] || fail "usage: debian_root.sh make SUITE PACKAGE... | run|try SUITE FOLDER COMMAND..."
  shift 2
  ((EUID == 0)) || fail "a Debian root is made and entered as root: try sudo"
  unshare --mount true 2>/dev/null || fail "this system does not let root mount anything (a container?): no Debian root here"
  case $what in
    make)
      command -v debootstrap >/dev/null || fail "debootstrap is not installed: apt-get install debootstrap"
      make_root "$suite" "$@"
      ;;
    enter) enter "$suite" "$@" ;;
    run | try)
      [[ -d $cache/$suite ]] || fail "there is no root of $suite in $cache: make it first"
      (($# >= 2)) || fail "run needs a folder and a command"
      if [[ $what == run ]]; then
        enter "$cache/$suite" "$(realpath "$1")" "${@:2}"
      else
        try_in "$cache/$suite" "$(realpath "$1")" "${@:2}"
      fi
      ;;
    *) fail "unknown command '$what'" ;;
  esac
}

main "$@"
