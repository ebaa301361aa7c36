# Sourced by the scripts beside it: `need PACKAGE…` installs those Debian packages that are missing.

need() {
    missing=
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
    done
    [ -z "$missing" ] && return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "tmap: this script installs what it needs with apt-get, which is not here. Install by hand:$missing" >&2
        echo "      (names of Debian 12), then build with CMake as README.md says." >&2
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
    $as_root apt-get update -qq >/dev/null
    # shellcheck disable=SC2086 # a list of words
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# `build PRESET`: configures and builds under build/PRESET.
build() {
    echo "tmap: building $1 in build/$1"
    cmake --preset "$1" >/dev/null
    cmake --build --preset "$1" -- -k 0
}

packages_to_build="gcc libc6-dev cmake ninja-build pkg-config libyaml-dev"
packages_to_test="$packages_to_build g++ libcmocka-dev python3 git"
# What puts the library into the pages of `tmap draw --html`: 43 MB to fetch.
# shellcheck disable=SC2034 # for the scripts
packages_for_pages="clang lld wasi-libc libclang-rt-14-dev-wasm32"
# What builds and tries the command for GPU machines (tools/static-command.sh).
# shellcheck disable=SC2034
packages_for_portable="python3-pip qemu-user-static libc6-arm64-cross"
