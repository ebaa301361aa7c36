#!/bin/sh
# The wheels of both processors, in the long run: auditwheel and abi3audit confirm their names, the extension and the command
# have their protections, and the wheels work in fresh environments (wheel_runs.py). wheel.sh SOURCE_DIR
set -eu
[ -n "${TMAP_LONG-}" ] || {
    echo "skipped: part of the long run (TMAP_LONG)"
    exit 77
}
cd "$1"
env -u TMAP_LONG sh tools/wheel.sh x86_64 aarch64
for arch in x86_64 aarch64; do
    wheel=$(echo build/dist/libtmap-*-cp310-abi3-manylinux_2_28_"$arch".whl)
    [ -f "$wheel" ] || { echo "there is no $wheel"; exit 1; }
    unzip -qo "$wheel" 'libtmap/_native*.so' '*/scripts/tmap' -d "build/wheel/$arch"
    sh tests/pack/hardening.sh static "build/wheel/$arch"/libtmap/_native*.so "build/wheel/$arch"/libtmap-*.data/scripts/tmap
    said=build/dist/auditwheel-$arch.json
    for wanted in "\"overall_tag\": \"manylinux_2_([5-9]|1[0-9]|2[0-8])_$arch\"" '"external_libs": \{\}'; do
        grep -Eq "$wanted" "$said" || { cat "$said"; exit 1; }
    done
    grep -q '"is_abi3": true' "build/dist/abi3audit-$arch.json" || { cat "build/dist/abi3audit-$arch.json"; exit 1; }
    if grep -q '"is_abi3": false\|"is_abi3_baseline_compatible": false' "build/dist/abi3audit-$arch.json"; then exit 1; fi
done
exec python3 tests/pack/wheel_runs.py .
