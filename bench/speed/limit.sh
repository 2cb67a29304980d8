#!/usr/bin/env bash
# Fails when workload A takes over 10 % more instructions a data packet than the last line kept in bench/results.tsv (callgrind over two
# lengths: exact for one compiler). The goal of 10,000 is printed beside it: limit.sh SPEED
set -eu
cd "$(dirname "$0")/../.."
instructions() {
    RNICSIM_DATA=model/config valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" "$2" 2>&1 | awk '/Collected/ {print $4}'
}
kept=$(awk -F'\t' 'NR > 1 {last = $3} END {print last}' bench/results.tsv)
per_packet=$((($(instructions "$1" 300) - $(instructions "$1" 100)) / (200 * 16)))
echo "workload A: $per_packet instructions a data packet; $kept kept, the goal is 10000"
[ "$per_packet" -le $((kept + kept / 10)) ]
