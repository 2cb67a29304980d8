#!/usr/bin/env bash
# Fails when workload A takes more than 10,000 instructions a data packet (callgrind over two lengths): limit.sh SPEED
set -eu
cd "$(dirname "$0")/../.."
instructions() {
    RNICSIM_DATA=model/config valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" "$2" 2>&1 | awk '/Collected/ {print $4}'
}
per_packet=$((($(instructions "$1" 300) - $(instructions "$1" 100)) / (200 * 16)))
echo "workload A: $per_packet instructions a data packet, 10000 allowed"
[ "$per_packet" -le 10000 ]
