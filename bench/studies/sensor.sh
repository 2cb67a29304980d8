#!/usr/bin/env bash
# A study: sensor data from an FPGA into a host's memory by RDMA WRITE, at 25G and 100G. User logic streams frames of 4 KiB
# (nic.fabric = stream): no doorbell, no payload read over PCIe; the receiving side is a host. Steady at 80 % of the line, then in
# bursts of 64 frames that come faster than the line takes them. Prints for each: delivery latency (from when a frame was due until its
# last byte is visible in the host's memory), its jitter, how full the board's staging buffer became and for how much of the time it stopped
# the stream; and "needs": how full one of 64 MiB became, which never stops it. What else must be how deep: rnicsim size with the same options.
#   bench/studies/sensor.sh [REQUESTS >= 10000]
set -eu
cd "$(dirname "$0")/../.."
requests=${1:-100000}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

run() { # folder, board, width of the stream, arrival of trace gen, more options
    ./rnicsim run -b "$2" -s nic.fabric=stream -s nic.fabric_width="$3" --quiet --no-charts -o "$results/$1" --force \
        --gen "--qps 1 --size 4096 --requests $requests --opcode write --depth 4096 $4" "${@:5}"
}

staged() { # folder: KiB
    awk -F, '$1 == "a" && $3 == "payload_buffer" {print $7 * 64 / 1024}' "$results/$1/fifos.csv"
}

study() { # board, width of the stream, name, arrival of trace gen
    run board "$1" "$2" "$4"
    run deep "$1" "$2" "$4" -s nic.payload_buffer='64 MiB'
    awk -F, -v board="$1" -v load="$3" -v high="$(staged board)" -v needs="$(staged deep)" '
        FILENAME ~ /latency/ && $2 == "delivery" {min = $5; p50 = $7; p999 = $11; max = $6}
        FILENAME ~ /stalls/ && $1 == "a" && $3 == "fabric" && $5 == "no_buffer" {stopped = $7}
        END {printf "%-11s %-24s %8.3f %8.3f %8.3f %8.3f %9.1f %10.1f %9.3f %9.1f\n", board, load, min, p50, p999, max,
             (p999 - min) * 1000, high, stopped, needs}' "$results/board/latency.csv" "$results/board/stalls.csv"
}

printf '%-11s %-24s %8s %8s %8s %8s %9s %10s %9s %9s\n' board load 'min us' 'p50 us' '99.9% us' 'max us' 'PDV ns' 'staged KiB' 'stopped %' 'needs KiB'
study kcu116_25g '128 bit' 'steady, 20 Gb/s' "--arrival periodic --rate '20 Gbps'"
study kcu116_25g '128 bit' 'bursts of 64 at 30 Gb/s' "--arrival burst --burst 64 --burst-rate '30 Gbps' --rate '15 Gbps'"
study u280_100g '512 bit' 'steady, 80 Gb/s' "--arrival periodic --rate '80 Gbps'"
study u280_100g '512 bit' 'bursts of 64 at 120 Gb/s' "--arrival burst --burst 64 --burst-rate '120 Gbps' --rate '60 Gbps'"
