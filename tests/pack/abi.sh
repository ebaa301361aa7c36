#!/bin/sh
# The stable functions and types are those of the release of this minor version:  abi.sh SOURCE_DIR
# Builds the shared libraries of the release MAJOR.MINOR.0 and of this checkout, and compares them with abidiff. The
# release is the tag vMAJOR.MINOR.0; without this tag, the newest commit that dates the release in CHANGELOG.md. A later
# release may add functions and enumerators. abidiff also reports a member that uses space of `reserved` and a member at the end
# of a row, which base.h permits: name these types in the suppressions below.
set -eu
source=$1

fail() {
    echo "FAIL: $*"
    exit 1
}

skip() {
    echo "skipped: $*"
    exit 77
}

[ -n "${TMAP_LONG-}" ] || skip "the long run compares with the release"
command -v abidiff >/dev/null 2>&1 || skip "no abidiff (package abigail-tools)"
version=$(sed -n 's/^#define TMAP_VERSION  *"\(.*\)"/\1/p' "$source/include/tmap/base.h")
tag=v${version%.*}.0
heading="^## ${version%.*}\\.0 \\([0-9]"
release=$(git -C "$source" rev-parse -q --verify "refs/tags/$tag^{commit}" 2>/dev/null ||
    git -C "$source" log -1 --format=%H --extended-regexp -G"$heading" -- CHANGELOG.md 2>/dev/null) || release=
[ -n "$release" ] || skip "this checkout has neither the tag $tag nor the commit of the release"
echo "the release is $release"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The shared libraries and the stable headers of the sources in $work/$1.
build() {
    cmake -G Ninja -S "$work/$1" -B "$work/$1/build" -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=ON \
        -DTMAP_BUILD_COMMAND=OFF -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_PREFIX="$work/$1/installed" >"$work/log" &&
        cmake --build "$work/$1/build" >>"$work/log" && cmake --install "$work/$1/build" >>"$work/log" || {
        tail -n 40 "$work/log"
        fail "$1 cannot be built"
    }
    rm -r "$work/$1/installed/include/tmap/unstable"
}

mkdir "$work/release" "$work/checkout"
git -C "$source" archive "$release" | tar -xf - -C "$work/release"
(cd "$source" && git ls-files --cached --others --exclude-standard -z | xargs -0 cp --parents -P -t "$work/checkout")
build release
build checkout

cat >"$work/suppressions" <<'END'
[suppress_function]
symbol_version_regexp = ^TMAP_(UNSTABLE|PRIVATE)
END
compared=0
for library in "$work"/release/installed/lib/libtmap*.so; do
    name=${library##*/}
    abidiff --no-added-syms --drop-private-types --suppressions "$work/suppressions" \
        --headers-dir1 "$work/release/installed/include" --headers-dir2 "$work/checkout/installed/include" \
        "$library" "$work/checkout/installed/lib/$name" || fail "$name differs from $release"
    compared=$((compared + 1))
done
[ $compared -ge 2 ] || fail "$release has $compared libraries"
