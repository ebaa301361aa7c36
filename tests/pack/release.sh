#!/bin/sh
# Runs tools/release.sh in a clone of this checkout with its uncommitted changes: release.sh SOURCE_DIR
# The source archive contains every file of this checkout, and two archives are identical; with TMAP_LONG also the
# commands of both processors.
set -eu
cd "$1"

fail() {
    echo "FAIL: $*"
    exit 1
}

command -v git >/dev/null 2>&1 && command -v xz >/dev/null 2>&1 && git rev-parse HEAD >/dev/null 2>&1 || {
    echo "skipped: no git, no xz, or no git checkout"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$PWD
version=$(sed -n 's/^#define TMAP_VERSION  *"\(.*\)"/\1/p' include/tmap/base.h)
mkdir "$work/clone"
git ls-files --cached --others --exclude-standard -z | xargs -0 cp --parents -P -t "$work/clone"
cd "$work/clone"
git init -q
git add -A
git -c user.name=tmap -c user.email=tmap@localhost commit -qm release

export XZ_DEFAULTS=-0 # the archives of this test are deleted, and compressing well takes long
sh tools/release.sh --source "$work/first" >/dev/null
sh tools/release.sh --source "$work/second" >/dev/null
(cd "$work/first" && sha256sum -c --quiet SHA256SUMS) || fail "SHA256SUMS"
cmp "$work/first/SHA256SUMS" "$work/second/SHA256SUMS" || fail "the same commit gives two archives"
mkdir "$work/unpacked"
tar -xJf "$work/first/tmap-$version.tar.xz" -C "$work/unpacked"
(cd "$here" && git ls-files --cached --others --exclude-standard -z | sort -z | xargs -0 sha256sum) >"$work/expected"
(cd "$work/unpacked/tmap-$version" && find . -type f -printf '%P\0' | sort -z | xargs -0 sha256sum) >"$work/found"
cmp "$work/expected" "$work/found" || fail "the source archive differs from the checkout"

if sh tools/release.sh --source "$work/first" >/dev/null 2>&1; then fail "writes into a folder with other files"; fi
echo >>README.md
if sh tools/release.sh --source "$work/third" >"$work/log" 2>&1; then fail "releases uncommitted changes"; fi
grep -q 'not committed' "$work/log" || fail "no reason for refusing a changed checkout"
git checkout -q README.md

[ -n "${TMAP_LONG-}" ] || exit 0
unset XZ_DEFAULTS
# Packages that tools/static-command.sh fetched for other tests.
mkdir -p build "$here/build"
for fetched in zig yaml; do [ ! -d "$here/build/$fetched" ] || cp -R "$here/build/$fetched" build/; done
sh tools/release.sh "$work/whole" || {
    [ $? -eq 3 ] || fail "tools/release.sh"
    echo "skipped: tools/static-command.sh cannot fetch what it requires (above)"
    exit 77
}
(cd "$work/whole" && sha256sum -c --quiet SHA256SUMS) || fail "SHA256SUMS with the commands"
for arch in x86_64 aarch64; do
    tar -xJf "$work/whole/tmap-$version-linux-$arch.tar.xz" -C "$work"
    file=$work/tmap-$version-linux-$arch
    [ -f "$file/hardware-run.sh" ] && [ -d "$file/specs" ] && [ -f "$file/LICENSE" ] || fail "$arch lacks files"
    sh tests/pack/hardening.sh static "$file/tmap" "$file/tmap_bench"
    [ "$arch" != "$(uname -m)" ] || "$file/tmap" check specs/quickstart.yaml >/dev/null || fail "the command for $arch"
done
