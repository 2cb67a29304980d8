#!/usr/bin/env bash
# Fails when a workload takes more instructions than it may (callgrind over two lengths: exact for one compiler): A 12,000 a data packet,
# the goal as counted with gcc 12, B 13,400 a message, what is reached so far (the goal is 12,000) with some room; another compiler may
# need 10 % more: limit.sh SPEED
set -eu
cd "$(dirname "$0")/../.."
speed=$1
percent=110
case $(${CC:-gcc} -dumpfullversion 2>/dev/null) in 12.*) percent=100 ;; esac
instructions() {
    RNICSIM_DATA=model/config valgrind --tool=callgrind --callgrind-out-file=/dev/null "$speed" "$@" 2>&1 | awk '/Collected/ {print $4}'
}
# check WORKLOAD UNIT MOST SHORT LONG UNITS QPS...: UNITS of it are between the two lengths, in messages
check() {
    local name=$1 unit=$2 most=$(($3 * percent / 100)) short long per_unit
    short=$(instructions "$4" "${@:7}")
    long=$(instructions "$5" "${@:7}")
    if [ -z "$short" ] || [ -z "$long" ]; then
        echo "limit.sh: $speed cannot be counted" >&2
        exit 1
    fi
    per_unit=$(((long - short) / $6))
    echo "workload $name: $per_unit instructions a $unit, allowed $most"
    [ "$per_unit" -le "$most" ]
}
check A "data packet" 12000 100 300 $((200 * 16))
check B message 13500 2000 6000 4000 16
