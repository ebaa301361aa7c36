#!/bin/sh
# Runs tools/hardware-run.sh against the stand-in driver and the oracle:  hardware_run.sh TMAP LIBCUDA ORACLE_DEVICE
set -u

tmap=$1
libcuda=$2
oracle=$3
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
    env TMAP= RANDOM_MAPS=200 VERDICTS=500 FUZZ_SECONDS=1 TMAP_LIBCUDA="$libcuda" "$@" sh copied/hardware-run.sh "$out" >"$out.stdout" 2>"$out.stderr"
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
has "$out.stdout" 'descriptors.yaml'
has "$out/verdicts.txt" 'rules that the driver is said to enforce'
has "$out/copies.yaml" '^kind: copies$'
has "$out/copies.yaml" 'row_pitch.yaml/load_128'
has "$out/fuzz.yaml" '^random:$'
has "$out/atoms.yaml" '^target: sm_100a$'
has "$out/report.txt" 'copies of specs and experiments ([0-9]* s, exit status 0)'
has "$out/report.txt" 'random copies ([0-9]* s, exit status 0)'
has "$out/report.txt" 'random replacements ([0-9]* s, exit status 0)'
has "$out/report.txt" '8192 random copies of seed 1, 0 differ (8192 replace; 2048 of them break a rule)'
[ "$(ls "$out" | wc -l)" -le 8 ] || complain "more than eight files"
python3 "$root/tools/hardware-report.py" "$tmap" "$out" >"$out.rows" || complain "no report is made of it"
has "$out.rows" 'row-pitch: [0-9]* copies'
has "$out.rows" 'no evidence: these are not recordings of one real GPU'
has "$out/report.txt" 'random maps: 200 from seed'
[ "$(wc -c <"$out/descriptors.yaml")" -le 4194304 ] || complain "the recording is larger than 4 MiB"
for spec in $(grep -l '^tensors:' "$root"/specs/*.yaml); do
    has "$out/descriptors.yaml" "\"specs/$(basename "$spec"):"
done

# What follows is about other things than the specs.
find copied/specs -name '*.yaml' ! -name quickstart.yaml ! -name row_pitch.yaml ! -name swizzle_atoms.yaml -delete

run planted-bit 1 STANDIN_FLIP_BIT=600
has "$out/report.txt" 'bits that differ outside the fields: 600 '

run oracle 0 DEVICE="$oracle"
has "$out/report.txt" 'the slow reference, fault: none: [0-9]* agree, 0 differ'
[ ! -e "$out/descriptors.yaml" ] || complain "the oracle has no driver that encodes"

run wrong-oracle 1 DEVICE="$oracle,fault=clip"
has "$out/report.txt" 'as if the last row of the box were left out'
python3 "$root/tools/hardware-report.py" "$tmap" "$out" >"$out.rows" || complain "no report is made of it"
has "$out.rows" 'box-order: [0-9]* of [0-9]* copies differ'

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
