#!/bin/sh
# Runs `tmap device run` by tools/hardware-run.sh against the stand-in driver and the oracle:
#   hardware_run.sh TMAP LIBCUDA ORACLE_DEVICE C_COMPILER [TMAP_BENCH]
# With TMAP_LONG: on all specs, with the benchmarks, and with more interruptions.
# shellcheck disable=SC2086 # $go is a list of words
set -u

tmap=$1
libcuda=$2
oracle=$3
compiler=$4
bench=${TMAP_LONG:+${5-}}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# kit: the folder that is copied to a GPU machine. tmp: temporary files, some of which a killed run leaves behind.
mkdir "$work/kit" "$work/tmp" "$work/bin"
cp "$tmap" "$work/kit/tmap"
[ -z "$bench" ] || cp "$bench" "$work/kit/tmap_bench"
cp "$root/tools/hardware-run.sh" "$work/kit/"
cp -R "$root/specs" "$work/kit/specs"
cd "$work" || exit 1

# The programs that the script may use.
for name in sh dirname; do ln -s "$(command -v $name)" "bin/$name"; done

complain() {
    echo "FAIL $name: $*"
    failures=$((failures + 1))
}

go="sh kit/hardware-run.sh --sample=1000 --jobs=2"

# with [VARIABLE=VALUE...] COMMAND...: with only the programs above.
with() {
    env PATH="$work/bin" TMPDIR="$work/tmp" TMAP_LIBCUDA="$libcuda" "$@"
}

# run NAME EXPECTED_STATUS [VARIABLE=VALUE...] $go [OPTION...]
run() {
    name=$1
    expected=$2
    shift 2
    out=$work/$name
    began=$(date +%s)
    with "$@" "$out" >"$out.stdout" 2>"$out.stderr"
    status=$?
    [ $status -eq "$expected" ] || {
        complain "exit status $status, not $expected"
        cat "$out.stdout" "$out.stderr"
    }
    echo "$name: $(($(date +%s) - began)) s"
}

has() {
    grep -q -e "$2" "$1" || complain "$1 lacks: $2"
}

has_not() {
    if grep -q -e "$2" "$1"; then complain "$1 has: $2"; fi
}

# At most eight files of at most 16 MiB, none of them temporary, and every recording is complete.
check_folder() {
    for file in "$out"/* "$out"/.[!.]*; do
        [ -e "$file" ] || continue
        file=${file##*/}
        case $file in
        report.txt | descriptors.yaml | copies.yaml | fuzz.yaml | atoms.yaml | faults.yaml | again.yaml | running-*.yaml) ;;
        *) complain "$file is in OUTDIR" ;;
        esac
        [ "$(wc -c <"$out/$file")" -le 16777216 ] || complain "$file is too large"
    done
    [ "$(ls -A "$out" | wc -l)" -le 8 ] || complain "more than eight files"
    for file in "$out"/*.yaml; do
        [ -f "$file" ] || continue
        "$tmap" replay --blocks 1 "$file" >/dev/null 2>"$work/why" # 1: the recorded results differ
        [ $? -le 1 ] || complain "$file does not replay: $(head -n 3 "$work/why")"
    done
}

# ---- The parts: each spec with copies is in one part, and those with copies that break rules also in the last ---------

name=list
sh kit/hardware-run.sh --list >list || complain "exit status"
cut -d: -f1 list | tr '\n' ' ' >order
[ "$(cat order)" = "descriptors verdicts first rows edges replacements im2col formats clusters others driver fuzz bench \
atoms faults nearly replay " ] || complain "the order is $(cat order)"
grep -E '^(first|rows|edges|im2col|formats|clusters|others):' list | cut -d: -f2 | tr ' ' '\n' | grep . | sort >assigned
(cd kit/specs && grep -l '^copies:' ./*.yaml experiments/*.yaml | sed 's,^\./,,' | sort) >expected
cmp assigned expected || complain "not every spec with copies is in exactly one part"
grep '^others:' list | grep -E -q 'swizzle_phase|im2col|interleave|clusters|oob_fill' && complain "an experiment has no part"
for spec in coordinate_alignment pixel_starts swizzle_atoms; do has list "^faults:.*experiments/$spec.yaml"; done

# ---- A whole run -----------------------------------------------------------------------------------------------------

# The following tests concern the script: a few specs of each part are sufficient.
if [ -z "${TMAP_LONG-}" ]; then
    for file in kit/specs/*.yaml kit/specs/experiments/*.yaml; do
        case $file in
        */quickstart.yaml | */row_pitch.yaml | */oob_fill.yaml | */experiments/im2col.yaml | */interleave.yaml) ;;
        */clusters.yaml | */illegal_reductions.yaml | */swizzle_atoms.yaml) ;;
        *) rm "$file" ;;
        esac
    done
fi

run agrees 0 $go
check_folder
for file in report.txt descriptors.yaml copies.yaml fuzz.yaml atoms.yaml faults.yaml; do
    [ -s "$out/$file" ] || complain "no $file"
done
[ "$(ls "$out" | wc -l)" -eq 6 ] || complain "there are other files: $(ls "$out")"
sed -n 's/^==== \([a-z0-9-]*\): output$/\1/p' "$out/report.txt" | tr '\n' ' ' >order.run
[ -n "$bench" ] || sed -i 's/ bench / /' order
cmp order order.run || complain "the parts ran in another order"
has "$out/descriptors.yaml" '^  gpu: "Stand-in GPU"$'
has "$out/copies.yaml" 'row_pitch.yaml/load_128'
has "$out/copies.yaml" '^random:$'
has "$out/fuzz.yaml" '^  no_faults: true$'
has "$out/atoms.yaml" '^target: sm_100a$'
has "$out/faults.yaml" 'illegal_reductions.yaml/'
has "$out/faults.yaml" '^  nearly: '
has_not "$out/copies.yaml" 'illegal_reductions.yaml/max_f32'
has "$out/report.txt" '^date: 20'
has "$out/report.txt" 'bits that differ outside the fields: none'
has "$out.stderr" '^==== first contact, after [0-9]* s$'
has "$out.stderr" '^confirmed: .*address-align .*box-extent '
has "$out.stderr" '^refuted: *$'
has "$out.stderr" '^  base/map_offset=16: CUDA_ERROR_INVALID_VALUE'
has "$out/report.txt" '^==== summary, exit status 0'
has "$out.stdout" '^refuted: nothing$'
has "$out.stdout" '^  rows  *[1-9][0-9]* agree, 0 differ'
has "$out.stdout" '^facts that every copy agrees with: [1-9]'
has "$out.stdout" '^copies skipped, by rule: [1-9][0-9]* [a-z-]*'
[ -z "$bench" ] || has "$out/report.txt" 'fuzz: a random copy .* copies a second'
[ -z "$(ls -A "$work/tmp")" ] || complain "temporary files were left: $(ls -A "$work/tmp")"

run agrees 0 $go # again: nothing is left to do
has "$out.stderr" 'continuing the run'
has "$out.stdout" '^  rows  *done before'
[ "$(grep -c '^==== rows: output' "$out/report.txt")" -eq 1 ] || complain "a part that was done ran again"
sed -n 's/^  - {copy: "\([^"]*\)".*/\1/p' "$out/copies.yaml" | sort >"$work/all-copies"
[ "$(wc -l <"$work/all-copies")" -gt 40 ] || complain "the copies of copies.yaml are not found"

run agrees 0 $go --seed=2 --only=first # another run: the first one is kept in another folder
has "$out.stderr" 'they are in .*agrees\.20'
has_not "$out/copies.yaml" 'row_pitch'
rm -rf "$out"
mv "$out".20*Z "$out"
[ -f "$out/descriptors.yaml" ] || complain "the earlier results are gone"

# ---- The report of the run: a drill in a copy of the tree, with the stand-in's name changed to a real GPU's ---

name=report
python3 "$root/tools/hardware-report.py" "$tmap" "$out" --install >rows
[ $? -eq 1 ] || complain "recordings of no GPU are installed"
has rows 'row-pitch: [0-9]* copies'
has rows 'not evidence: these are not recordings of one real GPU'
mkdir -p tree/tools tree/docs
cp "$root/tools/hardware-report.py" tree/tools/
cp -R "$root/src" "$root/include" "$root/specs" tree/
mkdir -p tree/tests && cp -R "$root/tests/reported" "$root/tests/tool" tree/tests/
cp "$root/docs/evidence.md" "$root/docs/versions.md" tree/docs/ && cp "$root/README.md" tree/
cp -R "$out" drill
sed -i 's/^  gpu: "Stand-in GPU"$/  gpu: "NVIDIA H100 (a drill)"/' drill/*.yaml
for file in copies fuzz atoms faults; do sed -i 's/^target: /  hardware: true\n&/' drill/$file.yaml; done
python3 tree/tools/hardware-report.py "$tmap" drill --install >rows || complain "the drill is not installed"
has rows '^5 recordings in '
has tree/src/core/hw/evidence.def '^EVIDENCE("row-pitch", CAPTURED, TMAP_ARCHS_90, SUPPORTS, "tests/captures/h100-20.*copies")$'
has tree/src/core/hw/evidence.def '^EVIDENCE("rank-range", CAPTURED, TMAP_ARCHS_90, SUPPORTS, ".*the driver rejects'
has_not tree/src/core/hw/evidence.def 'CAPTURED.*REFUTES'
python3 "$root/tests/house/check_evidence.py" "$tmap" tree || complain "the captures do not hold"
"$compiler" -std=c11 -fsyntax-only -Itree/include -Itree/src/core tree/src/core/hw/evidence.c || complain "the rows are invalid C"
[ -z "${TMAP_LONG-}" ] || {
    python3 tree/tools/hardware-report.py "$tmap" drill --install >rows || complain "the drill is not installed again"
    has rows ' 0 new rows '
}

# Driver 580 from end to end. It rejects addresses for which the rules only warn: answers, not differences.
run driver-580 0 STANDIN_AS_DRIVER=580 STANDIN_CC=120 $go --only=descriptors,verdicts,replay
has "$out.stderr" '^refuted: *$'
has "$out.stderr" '^confirmed: .*version .*swizzle_word '
has "$out.stderr" '^  each has   address 144115188075855872 to '
cp -R "$out" drill-580
sed -i 's/^  gpu: "Stand-in GPU"$/  gpu: "NVIDIA RTX 5090 (a drill)"/' drill-580/*.yaml
python3 tree/tools/hardware-report.py "$tmap" drill-580 --install >rows || complain "the drill is not installed"
for fact in version tile-bytes swizzle-word element-stride; do
    has tree/src/core/hw/evidence.def "^EVIDENCE(\"desc-driver-$fact\", CAPTURED, TMAP_ARCHS_120, SUPPORTS, \"tests/captures/rtx-.*descriptors of the driver"
done
has rows '^rows of include/tmap/hw/descriptor.def that do not hold'
has rows '^  allocation_class: [0-9]* descriptors, first '
has_not tree/src/core/hw/evidence.def 'CAPTURED.*REFUTES'
run driver-580-bits 1 STANDIN_AS_DRIVER=580 STANDIN_CC=120 STANDIN_CHANGE="rank == 5: flip 645" $go --only=descriptors,verdicts
has "$out.stderr" '^bits that differ outside the fields: 645 '
sed -i 's/^  gpu: "Stand-in GPU"$/  gpu: "NVIDIA RTX 5090 (a drill)"/' "$out"/*.yaml
python3 "$root/tools/hardware-report.py" "$tmap" "$out" >rows || complain "hardware-report.py fails"
has rows '^  a new row: TMAP_DESCRIPTOR_FIELD(BITS_645, NUMBER, .name = "bits_645", .parts = {{645, 1}}'

# ---- Interruptions --------------------------------------------------------------------------------------------------------------

# kill_all SESSION: kills every process of the run, as if the machine were lost. A process that was started during
# a pass is ended by the next pass.
kill_all() {
    python3 - "$1" <<'PYTHON'
import os, pathlib, signal, sys
left = True
while left:
    left = False
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            if fields[3] == sys.argv[1] and fields[0] != "Z":
                left = True
                os.kill(int(stat.parent.name), signal.SIGKILL)
        except (OSError, IndexError):
            pass
PYTHON
}

# cut_after SECONDS SIGNAL: the seconds count from the start of the run's process group. TERM is sent only to the
# script, after the script has started its first part: before that it does not handle TERM.
cut_after() {
    rm -f session
    with setsid sh -c 'echo $$ >session; exec $0' "$go --only=$cut_parts $out" >"$out.stdout" 2>"$out.stderr" &
    launched=$!
    until [ -s session ]; do sleep 0.01; done
    sleep "$1"
    session=$(cat session)
    if [ "$2" = TERM ]; then
        until grep -q 'note: .*, at most' "$out.stderr" || ! kill -0 $session 2>/dev/null; do sleep 0.01; done
        kill -TERM $session
    else
        kill_all $session
    fi
    wait $launched 2>/dev/null
    status=$?
    check_folder
}

ln -s "$(command -v setsid)" bin/setsid
name=cuts
out=$work/cuts
cut_parts="descriptors,first,rows,edges,im2col,formats,clusters,atoms,faults,replay"
cuts=1
[ -z "${TMAP_LONG-}" ] || {
    cuts=30
    cut_parts="$cut_parts,fuzz"
}
done_before=0
while [ $cuts -gt 0 ]; do
    after=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
    after=$((after % 3)).$((after / 3 % 10))
    echo "cut after $after s"
    cut_after $after KILL
    cuts=$((cuts - 1))
    parts_done=$(grep -c '^==== .*: exit status 0, [0-9]* s$' "$out/report.txt" 2>/dev/null)
    [ "${parts_done:-0}" -ge $done_before ] || complain "parts that were done are gone after $after s"
    done_before=${parts_done:-0}
done
cut_after 1 TERM
[ $status -eq 5 ] || [ $status -eq 0 ] || complain "exit status $status after SIGTERM"
[ $status -eq 0 ] || has "$out.stdout" 'The run was interrupted. To continue'
run cuts 0 $go --only="$cut_parts,replacements,others"
check_folder
[ ! -e "$out/again.yaml" ] || complain "a part that ran again has other results"
for file in "$out"/running*; do [ ! -e "$file" ] || complain "$file remains"; done
sed -n 's/^  - {copy: "\([^"]*\)".*/\1/p' "$out/copies.yaml" | sort | cmp - "$work/all-copies" ||
    complain "the copies are not those of a run without cuts"

# ---- A driver that does not answer -----------------------------------------------------------------------------------

# tmap_bench ignores SIGTERM.
printf '#!/bin/sh\ntrap "" TERM\nwhile :; do :; done\n' >hanging
chmod +x hanging
# With this limit, tmap_bench has 3 s, or 18 s in the long run, because that run verifies more specs.
limit_s=54
[ -z "${TMAP_LONG-}" ] || limit_s=270
run hang 5 $go --bench="$work/hanging" --time=$limit_s --only=first,bench,atoms,replay
check_folder
has "$out.stdout" "^  bench  *did not end within $((limit_s / 15)) s"
has "$out.stdout" '^  atoms  *[0-9]* agree, 0 differ'
has "$out.stdout" '^  replay'

run no-time 5 $go --time=10
has "$out.stdout" 'no time was left'

# ---- A driver that fails: only the affected copies are lost -------------------------------------------

# planted NAME ENTRY PART SAID: with this entry of STANDIN_FAIL the part has findings, and every other part agrees.
planted() {
    run "$1" 1 STANDIN_FAIL="$2" $go --only=descriptors,first,rows,im2col,clusters,replay
    check_folder
    has "$out/report.txt" "$4"
    for part in first rows im2col clusters; do
        if [ $part = "$3" ]; then
            has_not "$out.stdout" "^  $part  *[0-9]* agree, 0 differ, [0-9]* skipped\$"
        else
            has "$out.stdout" "^  $part  *[0-9]* agree, 0 differ"
        fi
    done
}

planted fault job=719@im2col im2col CUDA_ERROR_LAUNCH_FAILED
if [ -n "${TMAP_LONG-}" ]; then
    planted never job=never@im2col_store im2col CUDA_ERROR_LAUNCH_TIMEOUT
    planted death job=die@im2col im2col CUDA_ERROR_UNKNOWN
    planted timeout job=timeout@im2col im2col 'did not complete'
    planted refused cuLaunchKernelEx=912@tile_load_multicast clusters CUDA_ERROR_INVALID_CLUSTER_SIZE
    planted compiler cuModuleLoadDataEx=218@im2col im2col CUDA_ERROR_INVALID_PTX
    planted memory cuLaunchKernelEx=2@im2col im2col CUDA_ERROR_OUT_OF_MEMORY
fi

# ---- Other devices and results ---------------------------------------------------------------------------------------

for file in kit/specs/*.yaml kit/specs/experiments/*.yaml; do
    case $file in
    */quickstart.yaml | */row_pitch.yaml | */swizzle_atoms.yaml) ;;
    *) rm "$file" ;;
    esac
done

run planted-bit 1 STANDIN_FLIP_BIT=610 $go --only=descriptors,replay
has "$out/report.txt" 'bits that differ outside the fields: 610 '
has "$out.stdout" '^refuted:$'

run no-faults 0 $go --specs=kit/specs/ --no-faults --only=first,rows,faults,nearly,replay
has "$out.stdout" '^  nearly  *excluded by --no-faults'
[ ! -e "$out/faults.yaml" ] || complain "copies that break rules ran"

run oracle 0 $go --device="$oracle" --only=descriptors,verdicts,first,rows,driver,replay
has "$out.stdout" '^  descriptors  *the device has no driver'
[ ! -e "$out/descriptors.yaml" ] || complain "descriptors were recorded without a driver"

run wrong-oracle 1 $go --device="$oracle,fault=clip" --only=first,rows,replay
has "$out/report.txt" 'as if the last row of the box was omitted'
has "$out.stdout" '^facts, fields and rules of cases that differ: .*box-order'
python3 "$root/tools/hardware-report.py" "$tmap" "$out" >rows || complain "hardware-report.py fails"
has rows 'box-order: [0-9]* of [0-9]* copies differ'

run no-library 4 TMAP_LIBCUDA=/nonexistent/libcuda.so.1 $go
has "$out.stderr" 'no GPU or driver'
has "$out.stderr" '/nonexistent/libcuda.so.1'
[ -z "$(ls -A "$out")" ] || complain "something was recorded"

run no-device 4 STANDIN_FAIL=cuInit=100 $go
has "$out.stderr" 'CUDA_ERROR_NO_DEVICE'

run old-driver 4 STANDIN_VERSION=11080 $go
has "$out.stderr" 'too old'

name=usage
for wrong in "" "out --only=first,none" "out --time=0" "out --jobs=65" "out more"; do
    # shellcheck disable=SC2086 # a list of words
    sh kit/hardware-run.sh $wrong 2>/dev/null
    [ $? -eq 2 ] || complain "no usage error for '$wrong'"
done
sh kit/hardware-run.sh out --specs=full 2>/dev/null
[ $? -eq 3 ] || complain "missing specs are accepted"
[ ! -e out ] || complain "an error makes a folder"
mkdir full && touch full/file
sh kit/hardware-run.sh full 2>/dev/null
[ $? -eq 3 ] || complain "a folder of other files is accepted"

echo "hardware-run: $failures failures"
[ $failures -eq 0 ]
