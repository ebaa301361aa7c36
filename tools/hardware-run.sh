#!/bin/sh
# Records what the CUDA driver of this machine answers, and what tmap makes of it, within three minutes.
#   hardware-run.sh OUTDIR
# Needs the tmap command ($TMAP, or beside this script, or in a build folder of the project, or in PATH) and the folder
# specs/ beside this script or above it. Writes to OUTDIR:
#   descriptors.yaml   the recording; `tmap replay` holds any later tmap against it, on any machine
#   report.txt         what it confirms and what it refutes
#   capture.log        what the command said while it recorded
#   provenance.txt     the machine
# Exit status: 0 all agrees, 1 there are differences (see the report), 2 usage, 3 files, 4 no GPU or no driver, 5 else.
# $RANDOM_MAPS (100000) random maps are tried, from seed $SEED (1).
set -u

here=$(cd "$(dirname "$0")" && pwd)
limit_s=180

fail() {
    status=$1
    shift
    echo "hardware-run: $*" >&2
    exit "$status"
}

find_tmap() {
    for candidate in "${TMAP:-}" "$here/tmap" "$here"/../build*/tmap "$here"/../build*/tools/tmap/tmap; do
        [ -f "$candidate" ] && [ -x "$candidate" ] && echo "$candidate" && return
    done
    command -v tmap
}

find_specs() {
    for candidate in "$here/specs" "$here/../specs"; do
        [ -d "$candidate" ] && echo "$candidate" && return
    done
    return 1
}

limited() {
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

[ $# -eq 1 ] || fail 2 "usage: hardware-run.sh OUTDIR"
out=$1
tmap=$(find_tmap) || fail 3 "no tmap command: set TMAP to its path, or put it beside this script"
specs=$(find_specs) || fail 3 "no folder specs/ beside this script or above it"
mkdir -p "$out" || fail 3 "cannot make the folder $out"
date=$(date -u +%Y-%m-%dT%H:%M:%SZ)
describe_machine >"$out/provenance.txt" || fail 3 "cannot write to $out"

limited "$tmap" capture descriptors -o "$out/descriptors.yaml" --seed "${SEED:-1}" --random "${RANDOM_MAPS:-100000}" \
    --date "$date" "$specs"/*.yaml >"$out/capture.log" 2>&1
status=$?

give_up() {
    cat "$out/capture.log" >&2
    rm -f "$out/descriptors.yaml"
    fail "$@"
}

case $status in
0 | 1) [ -s "$out/descriptors.yaml" ] || give_up 5 "tmap capture recorded nothing (the reason is above)" ;;
4) give_up 4 "there is no GPU or driver that can be asked (the reason is above); nothing was recorded" ;;
124 | 137) give_up 5 "not done after $limit_s s; set RANDOM_MAPS below ${RANDOM_MAPS:-100000} and run it again" ;;
*) give_up "$status" "tmap capture ended with exit status $status (the reason is above)" ;;
esac

"$tmap" replay "$out/descriptors.yaml" >"$out/report.txt"
[ $? -le 1 ] || fail 5 "tmap replay cannot read the recording back: $out/descriptors.yaml"
cat "$out/report.txt"
echo "recorded: $out/descriptors.yaml ($(wc -c <"$out/descriptors.yaml") bytes); report: $out/report.txt"
exit "$status"
