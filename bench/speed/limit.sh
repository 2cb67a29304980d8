#!/usr/bin/env bash
# Fails when workload A takes more than 12,000 instructions a data packet (callgrind over two lengths: exact for one compiler), the
# goal as counted with gcc 12; another compiler may need 10 % more: limit.sh SPEED
set -eu
cd "$(dirname "$0")/../.."
instructions() {
    RNICSIM_DATA=model/config valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" "$2" 2>&1 | awk '/Collected/ {print $4}'
}
most=13000
case $(${CC:-gcc} -dumpfullversion 2>/dev/null) in 12.*) most=12000 ;; esac
short=$(instructions "$1" 100)
long=$(instructions "$1" 300)
if [ -z "$short" ] || [ -z "$long" ]; then
    echo "limit.sh: $1 cannot be counted" >&2
    exit 1
fi
per_packet=$(((long - short) / (200 * 16)))
echo "workload A: $per_packet instructions a data packet, allowed $most"
[ "$per_packet" -le "$most" ]
