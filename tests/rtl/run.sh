#!/bin/sh
# Builds the Verilator model (once for each state of its sources) and runs it: run.sh CASES SEED, to standard output.
# RNICSIM_RTL_BUILD: where to build, default /tmp/rnicsim-rtl-UID.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${RNICSIM_RTL_BUILD:-/tmp/rnicsim-rtl-$(id -u)}
if ! command -v verilator >/dev/null; then
    echo "tests/rtl: verilator is not installed (Debian package: verilator)" >&2
    exit 3
fi
sum=$(cat "$here"/*.sv "$here"/harness.cpp "$0" | cksum | tr -d ' ')
program=$build/$sum/Vtop
if ! [ -x "$program" ]; then
    mkdir -p "$build/$sum"
    verilator --cc --exe --build -j 2 -O3 -Wall -Wno-DECLFILENAME -CFLAGS "-O1 -std=c++14" --top-module top \
        --Mdir "$build/$sum" -o "$program" "$here"/top.sv "$here"/fifo.sv "$here"/cdc_fifo.sv "$here"/credit_link.sv \
        "$here"/arbiter.sv "$here"/harness.cpp >"$build/$sum/log" 2>&1 || { cat "$build/$sum/log" >&2; exit 1; }
fi
exec "$program" "$@"
