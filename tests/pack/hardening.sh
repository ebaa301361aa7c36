#!/bin/sh
# Checks the protections of the built programs and libraries: hardening.sh OPTIMISED FILE...
# OPTIMISED is empty for a build in which _FORTIFY_SOURCE has no effect, and `static` for programs that contain the
# functions of both protections without symbols; the linker of these programs cannot mark them for shadow stacks.
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
endbr64=$(printf '\363\017\036\372')
for file in "$@"; do
    dynamic=$(readelf -d "$file")
    has "$(readelf -h "$file")" 'Type:.*DYN' "not position-independent"
    has "$(readelf -lW "$file")" 'GNU_RELRO' "no RELRO"
    has "$(readelf -lW "$file")" 'GNU_STACK.* RW ' "the stack is executable"
    has "$dynamic" 'Flags:.*NOW' "relocations stay writable (no -z now)"
    [ "$optimised" = static ] || has "$(readelf -sW --dyn-syms "$file")" '__stack_chk_fail' "no stack protector"
    if readelf -h "$file" | grep -q 'Machine:.*X86-64'; then
        targets=$(LC_ALL=C grep -ao "$endbr64" "$file" | wc -l)
        [ "$targets" -ge 10 ] || complain "$file: $targets targets of indirect calls (no -fcf-protection)"
        [ "$optimised" = static ] || has "$(readelf -nW "$file")" 'SHSTK' "not marked for shadow stacks"
    fi
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
