#!/bin/sh
# Runs `tmap device run [OPTION...] OUTDIR` with the command, the specs and tmap_bench beside this script.
exec "$(dirname "$0")/tmap" device run "$@"
