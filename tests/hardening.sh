#!/bin/sh
# Checks the protections of the built programs and libraries: hardening.sh OPTIMISED FILE...
# OPTIMISED is empty for a build in which _FORTIFY_SOURCE has no effect, and `static` for programs that contain the
# functions of both protections without symbols.
set -u
failures=0
optimised=$1
shift

complain() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# has TEXT PATTERN WHAT
has() { echo "$1" | grep -q "$2" || complain "$file: $3"; }

command -v readelf >/dev/null 2>&1 || {
    echo "skipped: no readelf"
    exit 77
}
fortified=0
for file in "$@"; do
    dynamic=$(readelf -d "$file")
    has "$(readelf -h "$file")" 'Type:.*DYN' "not position-independent"
    has "$(readelf -lW "$file")" 'GNU_RELRO' "no RELRO"
    has "$(readelf -lW "$file")" 'GNU_STACK.* RW ' "the stack is executable"
    has "$dynamic" 'Flags:.*NOW' "relocations stay writable (no -z now)"
    [ "$optimised" = static ] || has "$(readelf -sW --dyn-syms "$file")" '__stack_chk_fail' "no stack protector"
    path=$(echo "$dynamic" | sed -n 's/.*R\(UN\)\{0,1\}PATH).*\[\(.*\)\]/\2/p')
    case ":$path:" in
    ::) ;;
    *::*) complain "$file: empty entries in the run path '$path'" ;;
    esac
    readelf -sW --dyn-syms "$file" | grep -q ' __[a-z]*_chk\b' && fortified=$((fortified + 1))
done
[ "$optimised" != yes ] || [ $fortified -gt 0 ] || complain "no checked calls of the C library (_FORTIFY_SOURCE) anywhere"
echo "hardening: $# files, $fortified with checked calls, $failures failures"
[ $failures -eq 0 ]
