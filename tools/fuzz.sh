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
[ $# -gt 0 ] || set -- capture copy cute descriptor import layout number page sequence spec triton view
build fuzz

failed=
mkdir -p build/fuzz/found
for target; do
    echo "tmap: fuzzing $target for $seconds seconds"
    limits="-max_len=512" more=
    case $target in
    capture) limits="-max_len=4096 -dict=tests/fuzz/yaml.dict" more=tests/reported ;;
    spec) limits="-max_len=4096 -dict=tests/fuzz/yaml.dict" more="specs tests/data/good tests/data/bad" ;;
    import) limits="-max_len=4096" more=tests/data/import ;;
    number) limits="-max_len=64" ;;
    page) limits="-max_len=512 -rss_limit_mb=4096" ;;
    esac
    mkdir -p "build/fuzz/work/$target"
    # shellcheck disable=SC2086 # lists of words
    nice -n 19 "build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=20 -print_final_stats=1 \
        -verbosity=0 $limits -artifact_prefix="build/fuzz/found/$target-" \
        "build/fuzz/work/$target" "tests/fuzz/corpus/$target" $more || failed="$failed $target"
done
if [ -n "$failed" ]; then
    echo "tmap: fuzzing FOUND something:$failed (build/fuzz/found)"
    exit 1
fi
