# Sourced by the other scripts of this folder: `need PACKAGE…` installs those Debian packages that are missing.

tick_s=8

# `timed WORDS COMMAND...`: prints the words and runs the command. At least every ten seconds, also on a busy machine,
# prints how long the command has been running, and the last line of the file "$log" if there is one.
timed() {
    timed_words=$1
    shift
    echo "tmap: $timed_words"
    (
        begin=$(date +%s)
        while sleep "$tick_s" >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
            last=$([ -z "${log-}" ] || tail -n 1 "$log" | tr '\r' '\n' | tail -n 1 | cut -c 1-100)
            echo "tmap: $timed_words: $(($(date +%s) - begin)) s${last:+: $last}"
        done
    ) &
    timed_ticker=$!
    timed_status=0
    "$@" || timed_status=$?
    kill $timed_ticker 2>/dev/null || true
    wait $timed_ticker 2>/dev/null || true
    return $timed_status
}

# `quiet WORDS COMMAND...`: the same, and shows the output of the command only if it fails.
quiet() {
    log=$(mktemp)
    quiet_words=$1
    shift
    quiet_status=0
    timed "$quiet_words" into_log "$@" || quiet_status=$?
    [ $quiet_status -eq 0 ] || cat "$log" >&2
    rm -f "$log"
    log=
    return $quiet_status
}

into_log() {
    "$@" >>"$log" 2>&1
}

# Runs apt-get, and waits for another apt for at most ten minutes. apt-get has an option for the lock of dpkg, but none
# for the locks of its lists and archives.
apt_get() {
    apt_begin=$(date +%s)
    until $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -o DPkg::Lock::Timeout=600 "$@"; do
        grep -q 'Could not get lock\|Unable to lock' "$log" || return 1
        [ $(($(date +%s) - apt_begin)) -lt 600 ] || return 1
        : >"$log"
        echo "waiting for another apt"
        sleep 2
    done
}

need() {
    missing=
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
    done
    [ -z "$missing" ] && return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "tmap: this script installs packages with apt-get, which is missing here. Install these packages:$missing" >&2
        echo "      (names of Debian 12), then build with CMake as README.md describes." >&2
        exit 1
    fi
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null 2>&1; then
            echo "tmap: needs root or sudo to install:$missing" >&2
            exit 1
        fi
        as_root=sudo
    fi
    echo "tmap: installing$missing"
    quiet "reading the package lists" apt_get update
    # shellcheck disable=SC2086 # a list of words
    quiet "installing" apt_get install -y --no-install-recommends $missing
}

# `build PRESET [OPTION...]`: configures, with options of cmake, and builds under build/PRESET.
build() {
    quiet "configuring $1" cmake --preset "$@"
    progress=--quiet # without a terminal, ninja prints a line for each step
    [ ! -t 1 ] || progress=
    timed "building $1 in build/$1" cmake --build --preset "$1" -- -k 0 $progress
}

packages_to_build="gcc libc6-dev cmake ninja-build pkg-config libyaml-dev"
packages_to_test="$packages_to_build g++ libcmocka-dev python3 git xz-utils
    python3-dev python3-cffi python3-hypothesis python3-numpy python3-pytest"
# Packages to compile the library into the pages of `tmap draw --html`: 43 MB.
# shellcheck disable=SC2034 # for the scripts
packages_for_pages="clang lld wasi-libc libclang-rt-14-dev-wasm32"
# Packages to build and test the command for GPU machines (tools/static-command.sh).
# shellcheck disable=SC2034
packages_for_portable="python3-pip qemu-user-static libc6-arm64-cross"
# Packages to build the Debian packages, compare the ABI with the release, and build tmap for aarch64.
# shellcheck disable=SC2034
packages_for_packages="dpkg-dev debhelper lintian fakeroot abigail-tools gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
