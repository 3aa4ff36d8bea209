#!/bin/sh
# Measures the plant: reads the dials of both modules and writes the result.
# No code of a candidate runs; its files are only read.
set -eu
dir=$(dirname "$0")
result=$(awk -f "$dir/plant.awk" modules/pump.conf modules/valve.conf)
printf '%s\n' "$result" >"$ATOLL_RESULT"
