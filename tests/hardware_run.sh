#!/bin/sh
# Runs tools/hardware-run.sh against the stand-in driver:  hardware_run.sh TMAP LIBCUDA
set -u

tmap=$1
libcuda=$2
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# What a GPU machine gets: the command, the script and the specs, in one folder.
mkdir "$work/copied"
cp "$tmap" "$work/copied/tmap"
cp "$root/tools/hardware-run.sh" "$work/copied/"
cp -R "$root/specs" "$work/copied/specs"
cd "$work" || exit 1

complain() {
    echo "FAIL $name: $*"
    failures=$((failures + 1))
}

# run NAME EXPECTED_STATUS [VARIABLE=VALUE ...]
run() {
    name=$1
    expected=$2
    shift 2
    out="$work/$name"
    env TMAP= RANDOM_MAPS=200 TMAP_LIBCUDA="$libcuda" "$@" sh copied/hardware-run.sh "$out" >"$out.stdout" 2>"$out.stderr"
    status=$?
    [ $status -eq "$expected" ] || {
        complain "exit status $status, not $expected"
        cat "$out.stderr"
    }
}

has() {
    grep -q -e "$2" "$1" || complain "$1 does not say: $2"
}

run agrees 0
has "$out/descriptors.yaml" '^tmap_capture: 1$'
has "$out/descriptors.yaml" '^  gpu: "Stand-in GPU"$'
has "$out/descriptors.yaml" '^left_out: 0$'
has "$out/provenance.txt" '^date: 20'
has "$out/report.txt" 'confirmed  address'
has "$out/report.txt" 'bits that differ outside the fields: none'
has "$out.stdout" '^recorded: '
has "$out/report.txt" 'random maps: 200 from seed'
[ "$(wc -c <"$out/descriptors.yaml")" -le 4194304 ] || complain "the recording is larger than 4 MiB"
for spec in "$root"/specs/*.yaml; do
    has "$out/descriptors.yaml" "\"specs/$(basename "$spec"):"
done

run planted-bit 1 STANDIN_FLIP_BIT=600
has "$out/report.txt" 'bits that differ outside the fields: 600 '

run no-library 4 TMAP_LIBCUDA=/nonexistent/libcuda.so.1
has "$out.stderr" 'no GPU or driver'
has "$out.stderr" '/nonexistent/libcuda.so.1'
[ ! -e "$out/descriptors.yaml" ] || complain "something was recorded"

run no-device 4 STANDIN_FAIL=cuInit=100
has "$out.stderr" 'CUDA_ERROR_NO_DEVICE'

run old-driver 4 STANDIN_VERSION=11080
has "$out.stderr" 'too old'

name=usage
sh copied/hardware-run.sh 2>/dev/null
[ $? -eq 2 ] || complain "no usage error without OUTDIR"

echo "hardware-run: $failures failures"
[ $failures -eq 0 ]
