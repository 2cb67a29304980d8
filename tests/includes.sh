#!/usr/bin/env bash
# Who may include whom (model/DESIGN.md, section 2): prints each include that reaches into another's cupboards; exit 1 if any.
set -u
cd "$(dirname "$0")/.."
rooms="kernel config pcie mac transport nic host system api traces verbs bench"
allowed() { # what a room may include, itself apart
    case $1 in
    kernel) echo "" ;;
    config) echo "kernel" ;;
    pcie | mac | transport) echo "kernel config" ;;
    host) echo "kernel config" ;;
    nic) echo "kernel config pcie mac transport host" ;;
    system) echo "kernel config pcie mac transport nic host" ;;
    api) echo "kernel config pcie mac transport nic host system" ;;
    traces) echo "api wire" ;;
    verbs) echo "api" ;;
    bench) echo "api traces verbs wire" ;;
    esac
}
folder() {
    case $1 in
    pcie | mac | transport | traces | bench) echo "$1" ;;
    verbs) echo "traces/verbs" ;;
    *) echo "model/$1" ;;
    esac
}
wrong=0
for room in $rooms; do
    may=" $room $(allowed "$room") "
    while IFS=: read -r file line text; do
        case $room:$file in traces:traces/verbs/*) continue ;; esac # a room of its own
        target=$(sed -nE 's/^#include "([a-z]+)\/.*/\1/p' <<<"$text")
        [ -n "$target" ] || target="(no room)"
        # pure formats, which know no simulation: who reads and writes captures needs them
        case $text in *'"transport/wire.h"'* | *'"transport/psn.h"'*) target=wire ;; *'"traces/verbs/'*) target=verbs ;; esac
        [ "$target" = wire ] && [ "$room" != traces ] && [ "$room" != bench ] && target=transport
        case "$may" in
        *" $target "*) ;;
        *)
            # the speed bench of the kernel measures the kernel
            [ "$file" = bench/speed/kernel.c ] && [ "$target" = kernel ] && continue
            echo "$file:$line: $room may not include $target"
            wrong=1
            ;;
        esac
    done < <(grep -rnE '^#include "' "$(folder "$room")" --include=*.c --include=*.h)
done
exit $wrong
