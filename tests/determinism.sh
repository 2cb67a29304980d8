#!/usr/bin/env bash
# The same seed gives the same bytes in every result file, whatever compiled the program: gcc -O0, gcc -O3, clang. Only the fields of
# wall time may differ. determinism.sh BUILD_FOLDER
set -eu
cd "$(dirname "$0")/.."
work=$1
mkdir -p "$work"
work=$(cd "$work" && pwd)
ln -sfn "$PWD/model" "$work/model" # a program finds its data beside itself
ln -sfn "$PWD/bench" "$work/bench"
build() { # name, make variables
    make --no-print-directory -s -j2 BUILD="$work/$1" PROGRAM="$work/rnicsim-$1" "${@:2}" "$work/rnicsim-$1" >/dev/null
}
build gcc-O0 CC=gcc OPT=-O0
build gcc-O3 CC=gcc OPT=-O3
build clang CC=clang OPT=-O2
failed=0
for trace in write_lat_2B write_bw_1K_postlist16 write_bw_4K_4qp; do
    for name in gcc-O0 gcc-O3 clang; do
        rm -rf "$work/$trace-$name"
        "$work/rnicsim-$name" run -b u280_100g "traces/samples/$trace.wqe" -o "$work/$trace-$name" --seed 7 --quiet
        sed -i -E '/"(wall_time_s|packets_per_wall_s|realtime_factor)"/d' "$work/$trace-$name/summary.json"
        [ "$name" = gcc-O0 ] || diff -r "$work/$trace-gcc-O0" "$work/$trace-$name" >&2 || failed=1
    done
    for name in gcc-O0 gcc-O3 clang; do
        rm -rf "$work/size-$trace-$name"
        "$work/rnicsim-$name" size -b u280_100g "traces/samples/$trace.wqe" -o "$work/size-$trace-$name" --seed 7 --quiet
        [ "$name" = gcc-O0 ] || diff -r "$work/size-$trace-gcc-O0" "$work/size-$trace-$name" >&2 || failed=1
    done
    rm -rf "$work/$trace-again"
    "$work/rnicsim-gcc-O3" run -b u280_100g "traces/samples/$trace.wqe" -o "$work/$trace-again" --seed 7 --quiet
    sed -i -E '/"(wall_time_s|packets_per_wall_s|realtime_factor)"/d' "$work/$trace-again/summary.json"
    diff -r "$work/$trace-gcc-O3" "$work/$trace-again" >&2 || failed=1
done
exit $failed
