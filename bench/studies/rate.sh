#!/usr/bin/env bash
# A study: message rate, and latency against load, of 64 B WRITEs on u280_100g.
#   1. rate against QPs, against message size, and against requests behind one doorbell (a post costs the CPU 50 ns and 20 ns a WQE)
#   2. latency against offered load, with arrivals at random and in bursts
#   3. a doorbell for several requests, where the program reads a register after each (0.7 us): batches save CPU, which counts when it is
#      short; but requests that are collected wait for each other, which counts when they come rarely. "collects" is that wait, in the mean.
# More options go to every run: bench/studies/rate.sh -s nic.qpc_entries=256
#   bench/studies/rate.sh [OPTIONS OF rnicsim run]
set -eu
cd "$(dirname "$0")/../.."
more=("$@")
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

run() {
    ./rnicsim run -b u280_100g --quiet --no-charts -o "$results/run" --force "$@" ${more[@]+"${more[@]}"}
}
key() { # of summary.json: a number
    awk -F: -v key="\"$1\"" '$1 ~ key {gsub(/[ ,]/, "", $2); print $2; exit}' "$results/run/summary.json"
}
bottleneck() {
    awk -F'"' '/"bottleneck"/ {on = 1} on && /"stage"/ {stage = $4} on && /"cause"/ {print stage " (" $4 ")"; exit}' "$results/run/summary.json"
}
percentiles() { # of completion latency, us
    awk -F, '$2 == "completion" {printf "%8.3f %8.3f %8.3f", $7, $10, $11}' "$results/run/latency.csv"
}

printf '%-9s %9s  %s\n' QPs M/s bottleneck
for qps in 1 4 16 64 256 1024 4096 16384; do
    run --gen "--qps $qps --size 64 --requests $((qps * 4 > 20000 ? qps * 4 : 20000)) --opcode write --depth 16 --inline 64"
    printf '%-9s %9.3f  %s\n' "$qps" "$(key message_rate_mps)" "$(bottleneck)"
done

printf '\n%-9s %9s %9s  %s\n' bytes M/s Gb/s bottleneck
for size in 8 64 256 1024 4096 16384; do
    run --gen "--qps 16 --size $size --requests 20000 --opcode write --depth 16"
    printf '%-9s %9.3f %9.3f  %s\n' "$size" "$(key message_rate_mps)" "$(key goodput_gbps)" "$(bottleneck)"
done

printf '\n%-9s %9s  %s\n' 'a batch' M/s bottleneck
for batch in 1 2 4 8 16 32; do
    run --perftest "write_bw -s 64 -n 20000 -l $batch -Q $batch"
    printf '%-9s %9.3f  %s\n' "$batch" "$(key message_rate_mps)" "$(bottleneck)"
done

printf '\n%-20s %8s %8s %8s us\n' 'load, arrivals' p50 99% 99.9%
for rate in 2 6 10 12 13.5; do
    for arrival in poisson 'burst --burst 16 --burst-rate 50MHz'; do
        run --gen "--qps 16 --size 64 --requests 50000 --opcode write --inline 64 --arrival $arrival --rate '$rate MHz'"
        printf '%5s M/s %-10s %s\n' "$rate" "${arrival%% *}" "$(percentiles)"
    done
done

printf '\n%-20s %9s %9s %9s us\n' 'load, a batch' p50 collects together
for rate in 0.5 1 4; do
    for batch in 1 4 16; do
        awk -v rate="$rate" -v batch="$batch" 'BEGIN {
            print "#rnicsim-trace version=1\n#qp host=0 qpn=1 peer_host=1 peer_qpn=1 sq_depth=4096 max_inline=64"
            print "#qp host=1 qpn=1 peer_host=0 peer_qpn=1 max_inline=64"
            print "t_ps,host,thread,event,qpn,cqn,db_id,wr_id,opcode,flags,len,inline,nsge,laddr,lkey,raddr,rkey,imm,cmp,swap,dep"
            for (i = 0; i < 4000; i++) # posted when the last of its batch is due
                printf("%.0f,0,0,SEND,1,1,%d,0,WRITE,SIGNALED|INLINE,64,1,1,0x1000,1,0x1000,1,0,0,0,\n",
                       (int(i / batch) * batch + batch - 1) * 1000000 / rate, int(i / batch))
        }' >"$results/batch.wqe"
        run -s host.mmio_read=on "$results/batch.wqe"
        awk -F, -v rate="$rate" -v batch="$batch" '$2 == "completion" {
            collects = (batch - 1) / 2 / rate
            printf "%4s M/s %2d %19.3f %9.3f %9.3f\n", rate, batch, $7, collects, $7 + collects}' "$results/run/latency.csv"
    done
done
