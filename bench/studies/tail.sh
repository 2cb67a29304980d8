#!/usr/bin/env bash
# A study: small messages beside bulk, by policy and turn of the QP scheduler. One QP keeps eight WRITEs of 256 KiB outstanding, another
# posts 64 B at random instants (10 to 50 us apart). Prints for each: the small ones' completion latency, of which the waits behind the
# scheduler (payload reads and frames that are granted already) are in every row; and the bulk's goodput.
#   bench/studies/tail.sh [SMALL MESSAGES >= 10000]
set -eu
cd "$(dirname "$0")/../.."
smalls=${1:-10000}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

awk -v smalls="$smalls" 'BEGIN {
    srand(1)
    print "#rnicsim-trace version=1\n#time unit=ps"
    for (host = 0; host < 2; host++) {
        print "#qp host=" host " qpn=1 peer_host=" 1 - host " peer_qpn=1 sq_depth=8"
        print "#qp host=" host " qpn=2 peer_host=" 1 - host " peer_qpn=2 sq_depth=64 max_inline=64 sl=1"
        print "#mr host=" host " key=1 base=0x100000 length=1048576"
    }
    print "t_ps,host,thread,event,qpn,cqn,db_id,wr_id,opcode,flags,len,inline,nsge,laddr,lkey,raddr,rkey,imm,cmp,swap,dep"
    for (i = 1; t < smalls * 30000000; i++) { # as long as the small ones come
        t += 21400000
        printf("0,0,0,SEND,1,1,%d,0,WRITE,SIGNALED,262144,0,1,0x100000,1,0x100000,1,0,0,0,%s\n", i, i > 8 ? "cqe:" i - 8 : "")
    }
    t = 0
    for (i = 1; i <= smalls; i++) {
        t += 10000000 + int(40000000 * rand())
        printf "%.0f,0,1,SEND,2,1,%d,0,WRITE,SIGNALED|INLINE,64,1,1,0x100000,1,0x100000,1,0,0,0,\n", t, i
    }
}' >"$results/mix.wqe"

study() { # name, options
    ./rnicsim run -b u280_100g --quiet --no-charts -o "$results/run" --force "${@:2}" "$results/mix.wqe"
    awk -F, -v name="$1" '
        FILENAME ~ /latency/ && $2 == "completion" && $3 == 64 {printf "%-26s %7.3f %7.3f %7.3f %7.3f %7.3f", name, $5, $7, $10, $11, $6}
        FILENAME ~ /summary/ && /"goodput_gbps"/ {gsub(/[^0-9.]/, ""); printf " %9.2f\n", $0}' \
        "$results/run/latency.csv" "$results/run/summary.json"
}

printf '%-26s %7s %7s %7s %7s %7s %9s\n' 'scheduler, turn' 'min us' 'p50 us' '99% us' '99.9%' 'max us' 'bulk Gb/s'
study 'rr, a packet'
study 'rr, 4 packets' -s nic.quantum=4
study 'rr, a message' -s nic.quantum_unit=message
study 'drr, 16 KiB' -s nic.scheduler=drr -s nic.quantum_unit=byte -s nic.quantum=16384
study 'wfq' -s nic.scheduler=wfq
study 'strict, small first' -s nic.scheduler=strict
study 'strict, 32 KiB of payload' -s nic.scheduler=strict -s 'nic.payload_buffer=32 KiB'
study 'rr, 32 KiB of payload' -s 'nic.payload_buffer=32 KiB'
