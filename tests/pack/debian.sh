#!/bin/sh
# The Debian packages: debian.sh SOURCE_DIR
# The packages have the project's version. With TMAP_LONG the test builds them with dpkg-buildpackage, which runs the
# tests, checks them with lintian, and unpacks them: the command must run with only their libraries, and the files must
# be where Debian expects them.
set -eu
cd "$1"

fail() {
    echo "FAIL: $*"
    exit 1
}

version=$(sed -n 's/^#define TMAP_VERSION  *"\(.*\)"/\1/p' include/tmap/base.h)
[ -n "$version" ] || fail "base.h has no version"
head -n 1 debian/changelog | grep -qF "tmap ($version) " || fail "debian/changelog is not of $version"
for library in libtmap libtmap-core libtmap-device; do
    grep -qx "Package: $library${version%.*}" debian/control || fail "debian/control has no $library${version%.*}"
    [ -f "debian/$library${version%.*}.install" ] || fail "debian lacks debian/$library${version%.*}.install"
done
[ -n "${TMAP_LONG-}" ] || exit 0
for tool in dpkg-buildpackage dh lintian fakeroot git; do
    command -v $tool >/dev/null 2>&1 || {
        echo "skipped: no $tool"
        exit 77
    }
done
git rev-parse HEAD >/dev/null 2>&1 || {
    echo "skipped: no git checkout"
    exit 77
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmap"
git ls-files --cached --others --exclude-standard -z | xargs -0 cp --parents -P -t "$work/tmap"
cd "$work/tmap"
# The long forms of tests run in separate builds.
env -u TMAP_LONG -u TMAP_TIMES dpkg-buildpackage -us -uc >"$work/log" 2>&1 || {
    tail -n 60 "$work/log"
    fail "dpkg-buildpackage"
}
case " ${DEB_BUILD_OPTIONS-} " in
*nocheck*) ;;
*) grep -q '100% tests passed' "$work/log" || fail "dpkg-buildpackage ran no tests" ;;
esac
lintian --fail-on error,warning "$work"/*.changes || fail "lintian"

root=$work/root
for package in "$work"/*.deb; do dpkg-deb -x "$package" "$root"; done
triplet=$(dpkg-architecture -q DEB_HOST_MULTIARCH)
for file in bin/tmap "lib/$triplet/libtmap.so" "lib/$triplet/tmap/libtmap-trace.so" include/tmap/tmap.h include/tmap/tmap.hpp include/tmap/unstable/tmap.h include/tmap/unstable/device.h \
    share/tmap/gdb/tmap.py "share/gdb/auto-load/usr/lib/$triplet/libtmap-core.so.$version-gdb.py" \
    share/zsh/vendor-completions/_tmap share/bash-completion/completions/tmap share/man/man1/tmap.1.gz; do
    [ -e "$root/usr/$file" ] || fail "no package has /usr/$file"
done
found=$(LD_LIBRARY_PATH="$root/usr/lib/$triplet" "$root/usr/bin/tmap" version | head -n 1)
[ "$found" = "tmap $version, library $version" ] || fail "the packaged command prints '$found'"
sh tests/pack/hardening.sh yes "$root/usr/bin/tmap" "$root/usr/lib/$triplet"/libtmap*.so
