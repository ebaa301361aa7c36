#!/bin/sh
# Fuzzes one target after another under AddressSanitizer and UBSan (clang), starting from tests/fuzz/corpus.
#   sh tools/fuzz.sh [SECONDS [TARGET...]]     60 seconds per target, all targets
# New inputs are kept in build/fuzz/work/TARGET, and the next run starts from them, too. A failing input is in
# build/fuzz/found; `build/fuzz/tests/fuzz/fuzz_TARGET FILE` runs this input again.
set -eu
cd "$(dirname "$0")/.."
. tools/setup.sh
# shellcheck disable=SC2086 # a list of words
need $packages_to_build clang libclang-rt-14-dev

seconds=${1-60}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- capture compiled copy cute descriptor import layout number page sequence spec triton view
build fuzz

# Sets the longest input of a target: as users write it, or the bytes of all numbers that the target reads. The
# dictionary of a target that reads text: the words in the sources of its reader.
describe() {
    dictionary= more= limits=
    case $1 in
    capture) longest=16384 words="src/lab/capture include/tmap/hw" dictionary=tests/fuzz/yaml.dict more=tests/reported ;;
    compiled) longest=32768 words="src/kernel/compiled src/core/hw/forms.def" more=tests/data/compiled ;;
    copy | view) longest=1024 words= dictionary=tests/fuzz/numbers.dict ;;
    cute) longest=1024 words=src/layouts/cute ;;
    descriptor | import) longest=8192 words=src/spec/import more=tests/data/import ;;
    layout) longest=2048 words="src/layouts/language src/layouts/register src/layouts/cute src/layouts/triton" ;;
    number) longest=64 words=src/core/text/number.c ;;
    page) longest=4096 words="src/page src/layouts/language/functions.def" limits=-rss_limit_mb=4096 ;;
    sequence) longest=4096 words= dictionary=tests/fuzz/numbers.dict ;;
    spec) longest=8192 words="src/spec/spec include/tmap/hw" dictionary=tests/fuzz/yaml.dict more="specs tests/data/good tests/data/bad" ;;
    triton) longest=4096 words=src/layouts/triton ;;
    esac
}

failed=
mkdir -p build/fuzz/found build/fuzz/words
for target; do
    echo "tmap: fuzzing $target for $seconds seconds"
    describe "$target"
    # shellcheck disable=SC2086 # lists of words
    {
        [ -z "$dictionary" ] || cat "$dictionary"
        [ -z "$words" ] || LC_ALL=C grep -rhoE "\"[] !#-[^-~]{1,32}\"|'[] !#-[^-~]'" $words |
            sed "s,^'\(.\)'\$,\"\1\"," | sort -u
    } >"build/fuzz/words/$target"
    mkdir -p "build/fuzz/work/$target"
    # shellcheck disable=SC2086 # lists of words
    nice -n 19 "build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=60 -print_final_stats=1 \
        -verbosity=0 -max_len="$longest" -dict="build/fuzz/words/$target" $limits \
        -artifact_prefix="build/fuzz/found/$target-" \
        "build/fuzz/work/$target" "tests/fuzz/corpus/$target" $more || failed="$failed $target"
done
if [ -n "$failed" ]; then
    echo "tmap: fuzzing FOUND something:$failed (build/fuzz/found)"
    exit 1
fi
