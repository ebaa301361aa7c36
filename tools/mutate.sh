#!/bin/sh
# Mutation tests: changes the sources in one place at a time, and counts how many of the changes a test notices.
#   sh tools/mutate.sh [--count N] [--minutes N] [--seed N] [--jobs N] [--trees FOLDER] [--brief] [--list] [ROOM...]
# tests/mutate/mutate.py describes the options. With --minutes the rooms have about the same number of mutants.
set -eu
cd "$(dirname "$0")/.."
. tools/setup.sh
# shellcheck disable=SC2086 # a list of words
need $packages_to_test
exec nice python3 tests/mutate/mutate.py "$@"
