#!/bin/sh
# Makes the files of a release from the commit that is checked out:
#   sh tools/release.sh [--source] [OUTDIR]       (default: build/release-files)
#   tmap-VERSION.tar.xz               the source, as committed
#   tmap-VERSION-linux-ARCH.tar.xz    the command for any Linux with glibc 2.28, with the benchmarks, the hardware script
#                                     and the specs (tools/static-command.sh), for x86_64 and aarch64
#   SHA256SUMS                        for `sha256sum -c`
# The same commit gives the same source archive. --source makes no commands. Requires git, xz, and what
# tools/static-command.sh requires.
set -eu
cd "$(dirname "$0")/.."

fail() {
    echo "release: $*" >&2
    exit 3
}

archs="x86_64 aarch64"
if [ "${1-}" = --source ]; then
    archs=
    shift
fi
case ${1-} in
-*)
    echo "usage: sh tools/release.sh [--source] [OUTDIR]" >&2
    exit 2
    ;;
esac
out=${1:-build/release-files}

[ -z "$(git status --porcelain)" ] || fail "there are changes that are not committed: commit them, or git stash -u"
version=$(sed -n 's/^#define TMAP_VERSION  *"\(.*\)"/\1/p' include/tmap/base.h)
head -n 1 debian/changelog | grep -qF "tmap ($version) " || fail "debian/changelog begins with another version than $version"
date=$(git log -1 --format=%ct)

mkdir -p "$out"
[ -z "$(ls -A "$out")" ] || fail "$out is not empty: remove it, or name another folder"
out=$(cd "$out" && pwd)
part=$(mktemp -d)
trap 'rm -rf "$part"' EXIT

echo "release: tmap-$version.tar.xz"
git archive --format=tar --prefix="tmap-$version/" HEAD | xz >"$part/tmap-$version.tar.xz"
[ -z "$archs" ] || sh tools/static-command.sh $archs
for arch in $archs; do
    name=tmap-$version-linux-$arch
    echo "release: $name.tar.xz"
    cp -R "build/static-$arch/hardware" "$part/$name"
    cp LICENSE "$part/$name/"
    tar -C "$part" --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner -cf - "$name" | xz >"$part/$name.tar.xz"
    rm -r "${part:?}/$name"
done
(cd "$part" && sha256sum -- *.tar.xz >SHA256SUMS)
mv "$part"/* "$out/"
echo "release: the files are in $out"
