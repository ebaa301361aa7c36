#!/bin/sh
# Compares tmap with the GPU of this machine in a limited time, and keeps the results in at most eight files.
#   hardware-run.sh OUTDIR     runs all parts, or continues an interrupted run in OUTDIR
#   hardware-run.sh --list     prints the parts in their order, each with its specs
# Requires a POSIX shell, coreutils, grep and sed; the tmap command ($TMAP, or beside this script, or in a build folder
# of the project, or in PATH); and the folder specs/ beside this script or above it. Runs tmap_bench where it is found.
#
# OUTDIR contains the results so far at any time:
#   report.txt        the machine, the output of each part, and at the end the summary that is also printed
#   descriptors.yaml  the descriptors of the driver: planned maps, random maps, and maps of the specs
#   copies.yaml       results of the copies of specs and of random replacements
#   fuzz.yaml         random copies
#   atoms.yaml        the swizzles with larger atoms, by the rules of sm_100a
#   faults.yaml       copies that break a rule
#   running-*.yaml    results of the running part so far; named after the file to which they will be added
#   again.yaml        results of a part that ran again after an interruption, where they differ from the first results
# The .yaml files are recordings: `tmap replay` compares any later tmap with them, and tools/hardware-report.py converts
# them to captures and rows of evidence. Files are written in a folder outside OUTDIR and renamed. If no folder on the
# same file system is writable, files are copied, and an interruption of a copy damages one file.
#
# A finished part is not run again in the same OUTDIR. If tmap, the device or the seed has changed, OUTDIR is renamed to
# OUTDIR.DATE and a new run starts.
#
# Exit status: 0 all results agree, 1 differences, 2 usage, 3 files, 4 no GPU or no driver, 5 a part did not end.
# Variables: DEVICE (cuda), SEED (1), LIMIT_S (450) for the whole run, FUZZ_SECONDS (75), JOBS (cores, at most 8)
# parallel processes, RANDOM_MAPS (100000), VERDICTS (100000), REPLACEMENTS (8192), DRIVER_COPIES (4096), NEARLY
# (8192), BENCH_SECONDS (0.3) of a row, KILL_AFTER_S (5) from SIGTERM to SIGKILL at a limit. NO_FAULTS=1 omits the copies
# that break rules, which leave entries in the driver's log. ONLY ("first edges") names the parts to run.
set -u
LC_ALL=C
export LC_ALL

device=${DEVICE:-cuda}
seed=${SEED:-1}
limit_s=${LIMIT_S:-450}
fuzz_s=${FUZZ_SECONDS:-75}
kill_after_s=${KILL_AFTER_S:-5}
FILE_MAX_B=16777216
OUTPUT_MAX_B=262144 # of one part in the report
BY_DEFAULT_S=450    # the limit for which the parts' seconds are given

# NAME:LEAST:MOST, seconds. The time of a part is the remaining time minus the LEAST of all later parts, and at most its
# MOST.
# The first two, which ask only the driver, end within a minute; then their result is printed.
parts="descriptors:10:35 verdicts:5:15 first:10:30 rows:10:30 edges:10:30 replacements:10:30 im2col:10:30 formats:10:50
clusters:10:30 others:15:50 driver:10:30 fuzz:20:$((fuzz_s + 20)) bench:10:30 atoms:10:25 faults:40:90 nearly:15:40
replay:25:60"

# The specs of a part. All specs that no part names belong to "others".
specs_of() {
    case $1 in
    first) echo quickstart.yaml cuda_guide.yaml ;;
    rows) echo experiments/swizzle_phase.yaml experiments/row_pitch.yaml ;;
    edges)
        echo experiments/store_edges.yaml experiments/oob_fill.yaml edge_fills.yaml halo_tiles.yaml \
            cuda_samples_vector.yaml
        ;;
    im2col)
        echo experiments/im2col.yaml experiments/im2col_wide.yaml cutlass_conv.yaml cutlass_conv3d.yaml \
            ptx_im2col_w.yaml triton_conv_strided.yaml triton_im2col.yaml
        ;;
    formats)
        echo experiments/interleave.yaml experiments/tf32_rounding.yaml experiments/reductions.yaml \
            cudnn_interleaved.yaml deepgemm_tf32_gemm.yaml deepgemm_split_k.yaml
        ;;
    clusters) echo experiments/clusters.yaml fast_cu_bf16_gemm.yaml ;;
    others) other_specs ;;
    atoms) echo experiments/swizzle_atoms.yaml ;;
    faults) (cd "$specs" && grep -l 'rule:' ./*.yaml experiments/*.yaml | sed 's,^\./,,') ;;
    esac
}

# Files with copies; each is in one part.
other_specs() {
    named=" $(for other in first rows edges im2col formats clusters; do specs_of $other; done | tr '\n' ' ')"
    for file in $(cd "$specs" && grep -l '^copies:' ./*.yaml experiments/*.yaml | sed 's,^\./,,'); do
        case $named in
        *" $file "*) ;;
        *) echo "$file" ;;
        esac
    done
}

# ---- Places ----------------------------------------------------------------------------------------------------------

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

file_system() {
    stat -c %d "$1" 2>/dev/null
}

# A folder outside OUTDIR from which complete files are renamed into OUTDIR.
make_work() {
    atomic=yes
    for base in "${TMPDIR:-/tmp}" /var/tmp "$(dirname "$out")"; do
        [ "$(file_system "$base")" = "$(file_system "$out")" ] || continue
        work=$(mktemp -d "$base/.hardware-run.XXXXXX" 2>/dev/null) && return
    done
    atomic=
    work=$(mktemp -d) || fail 3 "cannot make a folder for temporary files in ${TMPDIR:-/tmp}"
}

# deliver FILE NAME
deliver() {
    if [ "$(wc -c <"$1")" -gt $FILE_MAX_B ]; then
        echo "hardware-run: $2 would have more than $FILE_MAX_B bytes; the file does not change" >&2
    elif [ -n "$atomic" ]; then
        cp "$1" "$work/delivered" && mv -f "$work/delivered" "$out/$2"
    else
        cp "$1" "$out/$2"
    fi
}

# ---- Running within a limit ------------------------------------------------------------------------------------------

# wait_for PID: waits until the process ends, even if a trapped signal interrupts the wait. A process that has just been
# started may have lost the SIGTERM of a stopped run, so this sends SIGTERM again.
wait_for() {
    while :; do
        wait "$1"
        waited=$?
        kill -0 "$1" 2>/dev/null || return $waited
        [ -z "$stopped" ] || { sleep 1 && kill -TERM "$1" 2>/dev/null; }
    done
}

# limited SECONDS COMMAND...: ends with 124 or 137 at the limit, as timeout does. Passes SIGTERM on.
limited() {
    seconds=$1
    shift
    child=
    trap '[ -z "$child" ] || kill -TERM $child 2>/dev/null' TERM
    timeout -k "$kill_after_s" "$seconds" "$@" &
    child=$!
    wait_for "$child"
    status=$?
    [ $status -ne 143 ] || status=124
    return $status
}

# sharded SECONDS COMMAND...: runs $jobs parallel processes, each with a part of the work and a separate recording.
# shellcheck disable=SC2317 # called by name, as limited is
sharded() {
    seconds=$1
    shift
    children=
    # shellcheck disable=SC2086 # a list of words
    trap 'kill -TERM $children 2>/dev/null' TERM
    shard=0
    while [ "$shard" -lt "$jobs" ]; do
        limited "$seconds" "$@" --shard "$shard/$jobs" -o "$work/part/$shard.yaml" >"$work/shard.$shard" 2>&1 &
        children="$children $!"
        shard=$((shard + 1))
    done
    most=0
    for child in $children; do
        wait_for "$child"
        status=$?
        [ "$status" -le "$most" ] || most=$status
    done
    shard=0
    while [ "$shard" -lt "$jobs" ]; do
        echo "-- process $shard of $jobs"
        cat "$work/shard.$shard"
        shard=$((shard + 1))
    done
    return "$most"
}

# ---- A part ----------------------------------------------------------------------------------------------------------

# Merges the recordings of the running part into one file; prints the path.
merged_recordings() {
    set -- "$work"/part/*.yaml
    [ -f "$1" ] || return 1
    if [ $# -eq 1 ]; then
        echo "$1"
    else
        merge_all "$@" >"$work/merged" 2>&1
        [ -f "$work/live.yaml" ] && echo "$work/live.yaml"
    fi
}

# If the recordings do not merge, merges, one at a time, those that agree with the first.
merge_all() {
    rm -f "$work/live.yaml"
    "$tmap" merge "$@" -o "$work/live.yaml" && return
    for recording in "$@"; do
        if [ -f "$work/live.yaml" ]; then
            "$tmap" merge "$work/live.yaml" "$recording" -o "$work/live.yaml"
        else
            "$tmap" merge "$recording" -o "$work/live.yaml"
        fi
    done
}

# publish NAME TARGET: delivers the report with the output so far, and the recording so far.
publish() {
    { cat "$work/report" && echo "==== $1: running" && head -c $OUTPUT_MAX_B "$work/output"; } >"$work/report.live"
    deliver "$work/report.live" report.txt
    live=$(merged_recordings) || return
    deliver "$live" "running-$2.yaml"
}

# Runs until the file $work/unfinished is gone. SIGTERM only shortens the wait, because a shell that has just been
# started loses SIGTERM. The recordings of many processes are merged less often, because merging is slow.
publish_always() {
    trap : TERM
    period=2
    [ "$3" != sharded ] || period=10
    while [ -f "$work/unfinished" ]; do
        sleep $period &
        sleeper=$!
        wait $sleeper
        [ ! -f "$work/unfinished" ] || publish "$1" "$2"
    done
    kill "$sleeper" 2>/dev/null
}

# receive FILE TARGET: a part's recording becomes part of TARGET.yaml; if it contradicts that file, of again.yaml.
receive() {
    for name_of_file in "$2" again; do
        old=$out/$name_of_file.yaml
        if [ ! -f "$old" ] || [ "$2" = descriptors ]; then
            deliver "$1" "$name_of_file.yaml"
            return
        fi
        if "$tmap" merge "$old" "$1" -o "$work/received.yaml" 2>"$work/merged"; then
            deliver "$work/received.yaml" "$name_of_file.yaml"
            return
        fi
        cat "$work/merged"
    done
    deliver "$1" again.yaml
}

# Receives the recording of a part that an interruption left.
receive_running() {
    for left in "$out"/running-*.yaml; do
        [ -f "$left" ] || continue
        target=${left##*/running-}
        receive "$left" "${target%.yaml}" >>"$work/report"
        rm -f "$left"
    done
}

# Prints why a part did not finish; nothing if the part finished.
reason_of() {
    case $1 in
    0 | 1) [ -z "$stopped" ] || echo "was interrupted" ;;
    124 | 137 | 143)
        if [ -n "$stopped" ]; then
            echo "was interrupted"
        else
            echo "did not end within $2 s; the results until then are kept"
        fi
        ;;
    4) echo "the device can no longer be used" ;;
    *) echo "ended with exit status $1: $(tail -n 1 "$work/output")" ;;
    esac
}

# part NAME SECONDS TARGET WAY COMMAND...: WAY is limited, or sharded.
part() {
    name=$1
    given_s=$2
    target=$3
    way=$4
    shift 4
    rm -rf "$work/part" "$work/merged"
    mkdir "$work/part"
    : >"$work/output"
    began=$(now)
    $way "$given_s" "$@" >"$work/output" 2>&1 &
    runner=$!
    : >"$work/unfinished"
    publish_always "$name" "$target" "$way" >/dev/null 2>&1 &
    publisher=$!
    wait_for $runner
    status=$?
    rm -f "$work/unfinished"
    kill -TERM $publisher 2>/dev/null
    wait_for $publisher
    why=$(reason_of $status "$given_s")
    {
        echo "==== $name: output"
        head -c $OUTPUT_MAX_B "$work/output"
        if live=$(merged_recordings); then receive "$live" "$target"; fi
        [ ! -s "$work/merged" ] || cat "$work/merged"
        echo "==== $name: exit status $status, $(($(now) - began)) s${why:+, not done: $why}"
        echo
    } >>"$work/report"
    deliver "$work/report" report.txt
    rm -f "$out/running-$target.yaml"
    conclude "$name" $status "$why"
}

# conclude NAME STATUS WHY_NOT: a line of the summary.
conclude() {
    if [ -n "$3" ]; then
        printf '  %-13s %s\n' "$1" "$3" >>"$work/not-run"
        worst=5
    elif [ "$2" -eq 1 ]; then
        printf '  %-13s %s\n' "$1" "$(result_of "$1")" >>"$work/refuted"
        [ $worst -ge 1 ] || worst=1
    else
        printf '  %-13s %s\n' "$1" "$(result_of "$1")" >>"$work/shown"
    fi
}

# sum BEFORE AFTER: the sum of the numbers between these texts in the output of all processes.
sum() {
    total=0
    # shellcheck disable=SC2013 # numbers
    for n in $(sed -n "s/^.*$1\([0-9][0-9]*\)$2.*\$/\1/p" "$work/output"); do total=$((total + n)); done
    echo $total
}

# counted TITLE BEFORE AFTER: prints ", N TITLE" if the sum N is not 0.
counted() {
    n=$(sum "$2" "$3")
    [ "$n" -eq 0 ] || printf ', %s' "$n $1"
}

result_of() {
    agree='[0-9]* agree, '
    differ="${agree}[0-9]* differ, "
    case $1 in
    descriptors | verdicts) sed -n '/^cases /p' "$work/output" ;;
    replacements | driver | fuzz | nearly)
        echo "$(sum ': ' ' random copies of') random copies, $(sum ' random copies of seed [0-9]*, ' ' differ') differ$(
            counted 'break a rule' '; ' ' of them break')"
        ;;
    bench) echo "$(grep -c '^[^ ].* [0-9]' "$work/output") rows" ;;
    replay) echo "$(grep -c '^cases \|^copies on ' "$work/output") recordings" ;;
    *)
        echo "$(sum ': ' ' agree, ') agree, $(sum ": $agree" ' differ') differ$(
            counted skipped ": $differ" ' skipped'; counted 'left out' 'skipped, ' ' left out'
            counted 'could not run' ', ' ' could not run')"
        ;;
    esac
}

now() {
    date +%s
}

# ---- The parts -------------------------------------------------------------------------------------------------------

# verify NAME SECONDS TARGET WAY OPTIONS...
verify() {
    name=$1
    seconds=$2
    target=$3
    way=$4
    shift 4
    for file in $(specs_of "$name"); do [ ! -f "$specs/$file" ] || set -- "$@" "$specs/$file"; done
    [ "$way" = sharded ] || set -- -o "$work/part/0.yaml" "$@"
    part "$name" "$seconds" "$target" "$way" "$tmap" verify --device "$device" --seed "$seed" --date "$date" "$@"
}

# fuzz NAME SECONDS TARGET WAY OPTIONS...
fuzz() {
    name=$1
    seconds=$2
    target=$3
    way=$4
    shift 4
    part "$name" "$seconds" "$target" "$way" "$tmap" fuzz --device "$device" --seed "$seed" --date "$date" "$@"
}

run_fuzz() {
    time_s=$(($1 - 10))
    [ $time_s -le "$fuzz_s" ] || time_s=$fuzz_s
    [ "$time_s" -ge 1 ] || time_s=1
    if [ -f "$out/fuzz.yaml" ]; then
        fuzz fuzz "$1" fuzz sharded --no-faults --time "$time_s" --resume "$out/fuzz.yaml"
    else
        fuzz fuzz "$1" fuzz sharded --no-faults --time "$time_s"
    fi
}

# run NAME SECONDS
run() {
    file=$work/part/0.yaml
    case $1 in
    descriptors)
        part "$1" "$2" descriptors limited "$tmap" capture descriptors --device "$device" -o "$file" --seed "$seed" \
            --random "${RANDOM_MAPS:-100000}" --date "$date" "$specs"/*.yaml
        ;;
    verdicts) fuzz "$1" "$2" none limited --verdicts --cases "${VERDICTS:-100000}" ;;
    first | rows | edges | im2col | formats | clusters | others) verify "$1" "$2" copies limited --no-faults ;;
    replacements)
        fuzz "$1" "$2" copies limited --no-faults --modes replace --nearly 4 --cases "${REPLACEMENTS:-8192}" -o "$file"
        ;;
    driver) fuzz "$1" "$2" none limited --no-faults --backend driver --cases "${DRIVER_COPIES:-4096}" ;;
    fuzz) run_fuzz "$2" ;;
    bench) part "$1" "$2" none limited "$bench" --device "$device" --seconds "${BENCH_SECONDS:-0.3}" ;;
    atoms) verify "$1" "$2" atoms limited --no-faults --arch sm_100a ;;
    faults) verify "$1" "$2" faults sharded ;;
    nearly) fuzz "$1" "$2" faults sharded --nearly 128 --cases "${NEARLY:-8192}" ;;
    replay) part "$1" "$2" none limited "$tmap" replay --blocks 16 "$out"/*.yaml ;;
    esac
}

has_specs() {
    for file in $(specs_of "$1"); do [ ! -f "$specs/$file" ] || return 0; done
    return 1
}

# Prints why a part is skipped; nothing if the part runs.
left_out() {
    case ${ONLY:+" $ONLY "} in
    '' | *" $1 "*) why_impossible "$1" | head -n 1 ;;
    *) echo "excluded by ONLY" ;;
    esac
}

why_impossible() {
    case $1 in
    descriptors | verdicts | driver) [ "${device%%,*}" = cuda ] || echo "the device $device has no driver" ;;
    faults | nearly) [ -z "${NO_FAULTS-}" ] || echo "excluded by NO_FAULTS" ;;
    bench) [ -n "$bench" ] || echo "tmap_bench is missing" ;;
    esac
    case $1 in
    first | rows | edges | im2col | formats | clusters | others | atoms | faults)
        has_specs "$1" || echo "none of its specs is in $specs"
        ;;
    esac
}

# ---- Resuming --------------------------------------------------------------------------------------------------------

describe_machine() {
    echo "tmap: $("$tmap" version 2>/dev/null | head -n 1), md5 $(md5sum <"$tmap" | cut -c 1-32)"
    echo "device: $device"
    echo "seed: $seed"
    sed 's/^/gpu: /' "$work/device"
}

describe_run() {
    echo
    echo "date: $date"
    echo "system: $(uname -srm)"
    if command -v nvidia-smi >/dev/null 2>&1; then
        limited 20 nvidia-smi --query-gpu=index,name,driver_version,compute_cap,vbios_version --format=csv ||
            echo "nvidia-smi: exit status $?"
    else
        echo "nvidia-smi: not found"
    fi
    echo
}

is_of_this_machine() {
    [ "$(head -n "$(wc -l <"$work/machine")" "$1")" = "$(cat "$work/machine")" ]
}

# Continues the report of an earlier run of the same tmap on the same device; renames the folder of another run.
begin_report() {
    describe_machine >"$work/machine"
    if [ -f "$out/report.txt" ] && ! is_of_this_machine "$out/report.txt"; then
        aside=$out.$(date -u +%Y%m%dT%H%M%SZ)
        { mv "$out" "$aside" && mkdir -p "$out"; } ||
            fail 3 "$out holds the results of another tmap, device or seed, and cannot be renamed to $aside"
        echo "hardware-run: $out held the results of another tmap, device or seed; they are in $aside now" >&2
    fi
    if [ -f "$out/report.txt" ]; then
        sed '/^==== summary/,$d' "$out/report.txt" >"$work/report"
        echo "hardware-run: continuing the run in $out" >&2
    else
        cp "$work/machine" "$work/report"
    fi
    describe_run >>"$work/report"
    deliver "$work/report" report.txt
}

# Prints the line of an earlier run that reports the end of the part. The replay reads all recordings and always runs.
done_before() {
    [ "$1" != replay ] && grep -q "^==== $1: exit status [01], [0-9]* s\$" "$work/report"
}

# ---- The summary -----------------------------------------------------------------------------------------------------

heading() {
    if [ -s "$2" ]; then
        echo "$1:"
        cat "$2"
    else
        echo "$1: nothing"
    fi
}

# facts TITLE: prints the names below a title of the replay's output.
facts() {
    sed -n "/^$1/,/^[^ ]/s/^  *[0-9][0-9]* \([a-z0-9-]*\)\$/\1/p" "$work/replayed" | sort -u
}

names() {
    tr '\n' ' ' <"$1" | sed 's/ $//; s/ /, /g'
}

summarize_facts() {
    sed '1,/^==== replay: output/d' "$work/report" >"$work/replayed"
    facts 'differing copies depend on:' >"$work/differ"
    sed -n 's/^  refuted  *\([^ ]*\) .*/\1/p' "$work/replayed" | sort -u >>"$work/differ"
    sort -u "$work/differ" -o "$work/differ"
    facts 'copies that agree depend on:' >"$work/agree"
    while read -r fact; do sed -i "/^$fact\$/d" "$work/agree"; done <"$work/differ"
    echo "facts that every copy agrees with: $(wc -l <"$work/agree")"
    [ ! -s "$work/differ" ] || echo "facts, fields and rules of cases that differ: $(names "$work/differ")"
    sed -n 's/.*: skipped: .*\[\([a-z0-9-]*\)\]$/\1/p' "$work/report" | sort | uniq -c | sed 's/^ *//' >"$work/skipped"
    [ ! -s "$work/skipped" ] || echo "copies skipped, by rule: $(tr '\n' ',' <"$work/skipped" | sed 's/,$//; s/,/, /g')"
}

summarize() {
    heading shown "$work/shown"
    heading refuted "$work/refuted"
    heading "not run" "$work/not-run"
    summarize_facts
    [ -z "$stopped" ] || echo "The run was interrupted. To continue, run the same command again."
}

finish() {
    { echo "==== summary, exit status $worst" && summarize; } >"$work/summary"
    cat "$work/report" "$work/summary" >"$work/report.live"
    deliver "$work/report.live" report.txt
    echo
    sed 1d "$work/summary"
    echo "in $out, after $(($(now) - start)) s:" && ls -l "$out"
    exit $worst
}

# The names of fields or rules with this word in the driver's reports.
driver_names() {
    sed -n "s/^  $1  *\([a-z][^ ]*\) .*/\1/p" "$work/driver-reports" | sort -u | tr '\n' ' '
}

# The answers of the driver, as soon as both parts that ask it have ended.
first_contact() {
    sed -n '/^==== descriptors: output/,/^==== descriptors: exit/p; /^==== verdicts: output/,/^==== verdicts: exit/p' \
        "$work/report" >"$work/driver-reports"
    {
        echo "==== first contact, after $(($(now) - start)) s"
        echo "confirmed: $(driver_names confirmed)"
        echo "refuted: $(driver_names refuted)"
        echo "other numbers, on which no copy depends: $(driver_names 'other form')"
        grep '^  each has\|^bits that differ outside the fields: [0-9]' "$work/driver-reports"
        echo "accepted, though the rules warn: $(driver_names accepted)"
        echo "rejected, as the rules warn: $(driver_names refused)"
        sed -n '/^calls to which no rule applies/,/^[^ ]/s/^  //p' "$work/driver-reports"
    } >"$work/contact"
    cat "$work/contact" >&2
    cat "$work/contact" >>"$work/report" && echo >>"$work/report"
    deliver "$work/report" report.txt
}

# ---- The run ---------------------------------------------------------------------------------------------------------

check_device() {
    limited 60 "$tmap" device --device "$device" >"$work/device" 2>"$work/why"
    status=$?
    [ $status -eq 0 ] || cat "$work/why" >&2
    case $status in
    0) ;;
    4) fail 4 "no GPU or driver can be opened (the reason is above); nothing was recorded" ;;
    124 | 137) fail 5 "tmap device did not end within 60 s: the driver does not answer; nothing was recorded" ;;
    *) fail 5 "tmap device does not work (the reason is above)" ;;
    esac
}

number() {
    case $2 in
    '' | *[!0-9]*) fail 2 "$1 is a number, not '$2'" ;;
    esac
}

list_parts() {
    for row in $parts; do echo "${row%%:*}: $(specs_of "${row%%:*}" | tr '\n' ' ')" | sed 's/ *$//'; done
}

# share LEAST MOST: the seconds of a part, in proportion to the limit.
share() {
    left_s=$((start + limit_s - 10 - $(now) - reserve_s))
    most_s=$(($2 * limit_s / BY_DEFAULT_S))
    [ "$limit_s" -le $BY_DEFAULT_S ] || most_s=$2
    [ "$left_s" -lt "$most_s" ] || left_s=$most_s
    echo "$left_s"
}

run_parts() {
    reserve_s=0
    for row in $parts; do
        least=${row#*:}
        reserve_s=$((reserve_s + ${least%%:*} * limit_s / BY_DEFAULT_S))
    done
    for row in $parts; do
        name=${row%%:*}
        most=${row##*:}
        least=${row#*:}
        reserve_s=$((reserve_s - ${least%%:*} * limit_s / BY_DEFAULT_S))
        why=$(left_out "$name")
        given_s=$(share "${least%%:*}" "$most")
        if [ -n "$stopped" ]; then
            conclude "$name" 0 "the run was interrupted before"
        elif [ -n "$why" ]; then
            printf '  %-13s %s\n' "$name" "$why" >>"$work/not-run"
        elif done_before "$name"; then
            printf '  %-13s done before, see report.txt\n' "$name" >>"$work/shown"
        elif [ "$given_s" -lt 2 ]; then
            conclude "$name" 0 "no time was left"
        else
            echo "hardware-run: $name, at most $given_s s" >&2
            run "$name" "$given_s"
            [ "$name" != verdicts ] || first_contact
        fi
    done
}

start=$(now)
here=$(cd "$(dirname "$0")" && pwd)
specs=$(find_specs) || fail 3 "no folder specs/ beside this script or above it"
case ${1-} in
--list)
    list_parts
    exit
    ;;
esac
[ $# -eq 1 ] || fail 2 "usage: hardware-run.sh OUTDIR | --list"
number SEED "$seed"
number LIMIT_S "$limit_s"
number FUZZ_SECONDS "$fuzz_s"
cores=$(nproc 2>/dev/null || echo 1)
jobs=${JOBS:-$((cores < 8 ? cores : 8))}
number JOBS "$jobs"
tmap=${TMAP:-$(find_program tmap tools/tmap)}
[ -n "$tmap" ] || fail 3 "no tmap command: set TMAP to its path, or put it beside this script"
bench=$(find_program tmap_bench tests/bench)
date=$(date -u +%Y-%m-%dT%H:%M:%SZ)
mkdir -p "$1" || fail 3 "cannot make the folder $1"
out=$(cd "$1" && pwd)
[ -f "$out/report.txt" ] || [ -z "$(ls -A "$out")" ] ||
    fail 3 "$out is not empty and holds no report.txt: choose another folder"
make_work
trap 'rm -rf "$work"' EXIT
worst=0
stopped=
runner=
check_device
begin_report
trap 'stopped=yes; [ -z "$runner" ] || kill -TERM $runner 2>/dev/null' TERM INT HUP
receive_running
: >"$work/shown" && : >"$work/refuted" && : >"$work/not-run"
run_parts
finish
