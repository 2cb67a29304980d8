#!/usr/bin/env bash
# Measures speed and appends a line to the table: bench.sh SPEED KERNEL TABLE. Instructions are counted by callgrind over two
# lengths, so that start-up falls out; they repeat exactly for one binary. Seconds depend on the machine and its load: each is the
# best of nine runs, the least disturbed.
set -eu
speed=$1 kernel=$2 table=$3
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$speed" "$1" 2>&1 | awk '/Collected/ {print $4}'
}
short=$(instructions 100)
long=$(instructions 300)
per_packet=$(((long - short) / (200 * 16)))
best=$(for _ in 1 2 3 4 5 6 7 8 9; do "$speed" 10000; done | sort -g -k8 | tail -1)
chain=$(for _ in 1 2 3 4 5 6 7 8 9; do "$kernel" 1000000; done | sort -g -k4 | awk 'NR == 1 {print $4}')
set -- $best
[ -s "$table" ] || printf 'commit\tcompiler\tinstructions_per_packet\tpackets_per_s\trealtime_factor\tresident_kib\tkernel_ns_per_packet_and_stage\n' >"$table"
printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$(git rev-parse --short HEAD 2>/dev/null || echo none)" \
    "$(${CC:-gcc} -dumpfullversion 2>/dev/null || echo unknown)" "$per_packet" "$8" "${10}" "${12}" "$chain" >>"$table"
echo "workload A: $per_packet instructions a data packet (at most 12000), $8 packets a second, real-time factor ${10}"
echo "kernel: $chain ns a packet and stage (target 20); resident ${12} KiB (target 65536)"
"$(dirname "$0")/limit.sh" "$speed" | tail -1
