#!/bin/sh
# tools/setup.sh with stand-ins of dpkg-query and apt-get: setup.sh SETUP
# The script waits for another apt, prints what it waits for, and prints apt's output if apt fails.
set -u
setup=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

complain() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

printf '#!/bin/sh\nexit 1\n' >"$work/dpkg-query"
printf '#!/bin/sh\nexec "$@"\n' >"$work/sudo"
# The first call finds the lock of another apt; later calls are slow, and fail for the package `broken`.
cat >"$work/apt-get" <<'EOF'
#!/bin/sh
echo "$*" >>"$APT_CALLS"
if [ ! -e "$APT_CALLS.locked" ]; then
    : >"$APT_CALLS.locked"
    echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)" >&2
    exit 100
fi
echo "Get:1 a list"
sleep 2
case $* in
*broken*) echo "E: Unable to locate package broken" >&2; exit 100 ;;
esac
EOF
chmod +x "$work"/*
export APT_CALLS="$work/calls" PATH="$work:$PATH"

sh -ec '. "$1"; tick_s=1; need absent' sh "$setup" >"$work/out" 2>&1 || complain "need fails: $(cat "$work/out")"
[ "$(grep -c ' update$' "$work/calls")" -eq 2 ] || complain "update is not tried again: $(cat "$work/calls")"
grep -q 'DPkg::Lock::Timeout=600 install -y .*absent' "$work/calls" || complain "install does not wait for dpkg's lock"
grep -q '^tmap: reading the package lists: [0-9]* s: waiting for another apt$' "$work/out" || complain "the wait is silent"
grep -q '^tmap: installing: [0-9]* s: Get:1 a list$' "$work/out" || complain "a slow installation is silent"
! grep -q '^E:' "$work/out" || complain "errors are shown of a run that succeeded"

if sh -ec '. "$1"; need broken' sh "$setup" >"$work/out" 2>&1; then complain "a failed installation counts as done"; fi
grep -q 'Unable to locate package broken' "$work/out" || complain "the reason of a failure is hidden"

# Without a terminal, a build prints no line for each step.
printf '#!/bin/sh\necho "cmake $*"\n' >"$work/cmake"
chmod +x "$work/cmake"
sh -ec '. "$1"; build release' sh "$setup" >"$work/out" 2>&1 || complain "build fails: $(cat "$work/out")"
grep -q '^cmake --build --preset release -- -k 0 --quiet$' "$work/out" || complain "ninja prints its progress: $(cat "$work/out")"
echo "setup: $failures failures"
[ $failures -eq 0 ] || { cat "$work/out"; exit 1; }
