#!/bin/sh
# Proves the statements of docs/proofs.md. Installs what is missing (Debian 12), and angr from the Python package index
# into build/wheels.
#   sh tools/prove.sh [--seconds=N] [NAME...]  all proofs, or these; a case that needs more than N s of CPU is not finished
#   sh tools/prove.sh --mutants [NAME...]      plants mistakes in copies of the sources, which the proofs must find
#   sh tools/prove.sh --list                   prints the names of the proofs
# Exits with 77 and the reason if a tool is not available.
set -eu
cd "$(dirname "$0")/.."
. tools/setup.sh
need gcc clang libc6-dev python3 python3-venv frama-c-base
exec nice python3 tests/proofs/prove.py "$@"
