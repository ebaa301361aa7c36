#!/bin/sh
# Holds tmap against the GPU of this machine, within ten minutes, and keeps what was seen in at most eight files.
#   hardware-run.sh OUTDIR
# Needs the tmap command ($TMAP, or beside this script, or in a build folder of the project, or in PATH) and the folder
# specs/ beside this script or above it. Runs the bench program, too, where it lies beside or in the build folder.
# Writes to OUTDIR:
#   provenance.txt    the machine
#   descriptors.yaml  what the driver encoded: planned, random, and those of the specs
#   verdicts.txt      the driver's verdicts on maps near every limit, against the rules
#   copies.yaml       what the GPU did with the copies of all specs and experiments
#   atoms.yaml        the experiments with swizzles that the rules leave to later chips
#   fuzz.yaml         random copies, one recording for each 16 MiB at most
#   bench.txt         nanoseconds of the native and the driver's encoder, copies a second
#   report.txt        what all of it confirms and refutes
# The .yaml files are recordings: `tmap replay` holds any later tmap against them, and tools/hardware-report.py turns
# them into captures and rows of evidence.
# Exit status: 0 all agrees, 1 there are differences (see the report), 2 usage, 3 files, 4 no GPU or no driver, 5 else.
# $DEVICE (cuda), $RANDOM_MAPS (100000), $VERDICTS (100000), $FUZZ_SECONDS (150) and $SEED (1) change what is done.
set -u

here=$(cd "$(dirname "$0")" && pwd)
device=${DEVICE:-cuda}
seed=${SEED:-1}
worst=0

fail() {
    status=$1
    shift
    echo "hardware-run: $*" >&2
    exit "$status"
}

# find_program NAME PLACE_IN_BUILD: beside this script, or in a build folder.
find_program() {
    for candidate in "$here/$1" "$here"/../build*/"$1" "$here"/../build*/"$2/$1" "$here"/../build/*/"$2/$1"; do
        [ -f "$candidate" ] && [ -x "$candidate" ] && echo "$candidate" && return
    done
    command -v "$1"
}

find_specs() {
    for candidate in "$here/specs" "$here/../specs"; do
        [ -d "$candidate" ] && echo "$candidate" && return
    done
    return 1
}

limited() {
    limit_s=$1
    shift
    if command -v timeout >/dev/null 2>&1; then
        timeout -k 5 "$limit_s" "$@"
    else
        "$@"
    fi
}

describe_machine() {
    echo "date: $date"
    echo "system: $(uname -srm)"
    echo "tmap: $("$tmap" version 2>/dev/null | head -n 1)"
    if command -v nvidia-smi >/dev/null 2>&1; then
        nvidia-smi --query-gpu=index,name,driver_version,compute_cap,vbios_version --format=csv ||
            echo "nvidia-smi: answered an error"
    else
        echo "nvidia-smi: not here"
    fi
}

# part NAME LIMIT_S COMMAND...: what it says goes into the report; its status counts, but does not end the run.
part() {
    name=$1
    limit=$2
    shift 2
    begin=$(date +%s)
    limited "$limit" "$@" >"$out/.part" 2>&1
    status=$?
    {
        echo "==== $name ($(($(date +%s) - begin)) s, exit status $status)"
        cat "$out/.part"
        echo
    } >>"$out/report.txt"
    case $status in
    0) ;;
    1) [ $worst -ge 1 ] || worst=1 ;;
    124 | 137)
        echo "hardware-run: $name was not done after $limit s" | tee -a "$out/report.txt" >&2
        worst=5
        ;;
    4) [ $worst -ge 4 ] || worst=4 ;;
    *)
        cat "$out/.part" >&2
        worst=5
        ;;
    esac
    return $status
}

[ $# -eq 1 ] || fail 2 "usage: hardware-run.sh OUTDIR"
out=$1
tmap=${TMAP:-$(find_program tmap tools/tmap)}
[ -n "$tmap" ] || fail 3 "no tmap command: set TMAP to its path, or put it beside this script"
specs=$(find_specs) || fail 3 "no folder specs/ beside this script or above it"
mkdir -p "$out" || fail 3 "cannot make the folder $out"
date=$(date -u +%Y-%m-%dT%H:%M:%SZ)
describe_machine >"$out/provenance.txt" || fail 3 "cannot write to $out"
: >"$out/report.txt"

# Without a device there is nothing to do; the plug-in of a test has no driver, and the driver's parts are left out.
part "device" 60 "$tmap" device --device "$device"
case $? in
0) ;;
4)
    cat "$out/.part" >&2
    rm -f "$out/.part"
    fail 4 "there is no GPU or driver that can be asked (the reason is above); nothing was recorded"
    ;;
*) fail 5 "tmap device does not work (the reason is above)" ;;
esac

part "copies of specs and experiments" 120 "$tmap" verify --device "$device" --seed "$seed" --date "$date" \
    -o "$out/copies.yaml" "$specs"/*.yaml "$specs"/experiments/*.yaml
part "swizzles of later chips" 30 "$tmap" verify --device "$device" --seed "$seed" --date "$date" --arch sm_100a \
    -o "$out/atoms.yaml" "$specs/experiments/swizzle_atoms.yaml"
part "random copies" $((${FUZZ_SECONDS:-150} + 60)) "$tmap" fuzz --device "$device" --seed "$seed" --date "$date" \
    --time "${FUZZ_SECONDS:-150}" --nearly 4096 -o "$out/fuzz.yaml"
part "random replacements" 60 "$tmap" fuzz --device "$device" --seed "$seed" --modes replace --cases 8192 --nearly 4
if [ "$device" = cuda ]; then
    part "random copies through the driver's descriptors" 60 "$tmap" fuzz --seed "$seed" --cases 4096 --backend driver
    part "descriptors" 120 "$tmap" capture descriptors -o "$out/descriptors.yaml" --seed "$seed" \
        --random "${RANDOM_MAPS:-100000}" --date "$date" "$specs"/*.yaml
    part "verdicts near every limit" 60 "$tmap" fuzz --verdicts --seed "$seed" --cases "${VERDICTS:-100000}"
    cp "$out/.part" "$out/verdicts.txt"
fi
bench=$(find_program tmap_bench tests/bench) && limited 60 "$bench" >"$out/bench.txt" 2>&1
part "replay" 120 "$tmap" replay --blocks 16 "$out"/*.yaml
rm -f "$out/.part"

cat "$out/report.txt"
echo "in $out:" && ls -l "$out"
exit $worst
