#!/usr/bin/env bash
# Installs into a prefix and uses what is there as a stranger would, from another folder: the program with its charts, the
# library linked statically and shared, both after the prefix was moved as well. install.sh WORK_FOLDER
set -eu
cd "$(dirname "$0")/.."
source=$PWD
rm -rf "$1"
mkdir -p "$1"
work=$(cd "$1" && pwd)
first=$work/first second=$work/second
failed=0
wrong() {
    echo "tests/install.sh: $*" >&2
    failed=1
}
build() { # make variables and targets
    make --no-print-directory -s -j2 BUILD="$work/build" PROGRAM="$work/rnicsim" OPT=-O1 "$@" >"$work/make.log" 2>&1 ||
        { cat "$work/make.log" >&2; exit 1; }
}
runs() { # the program of a prefix
    rm -rf "$work/results"
    (cd / && "$1/bin/rnicsim" run -b u280_100g "$1/share/rnicsim/samples/write_lat_2B.wqe" -o "$work/results" --quiet) \
        2>"$work/err" || wrong "$1/bin/rnicsim fails: $(cat "$work/err")"
    [ ! -s "$work/err" ] || wrong "$1/bin/rnicsim says: $(cat "$work/err")"
    [ -s "$work/results/waterfall.svg" ] || wrong "$1/bin/rnicsim draws no chart"
    (cd / && "$1/bin/rnicsim" trace gen --qps 1 --size websearch --requests 1 --opcode write -o "$work/t.wqe") ||
        wrong "$1/bin/rnicsim finds no published sizes"
    (cd / && "$1/bin/rnicsim" size -b u280_100g --part xcu50 --quiet "$1/share/rnicsim/samples/write_lat_2B.wqe") ||
        wrong "$1/bin/rnicsim finds no parts"
    (cd / && "$1/bin/rnicsim" validate cx4lx_send_bw_2K) >/dev/null || wrong "$1/bin/rnicsim finds no targets"
    (cd / && "$1/bin/rnicsim" boards) | grep -q '^u280_100g' || wrong "$1/bin/rnicsim boards lists no u280_100g"
}
# "Cflags", "Libs" or "Libs.private" as pkg-config would give it
flags() { sed -n "s/^$2: //p" "$1/lib/pkgconfig/rnicsim.pc" | sed "s|\${prefix}|$1|g"; }

build PREFIX="$source/nowhere" "$work/rnicsim"
build PREFIX="$first" install # only now the prefix is told: the program must know it
grep -q "$first/share/rnicsim" "$work/rnicsim" || wrong "the program was not built again for another PREFIX"
runs "$first"

cat >"$work/app.c" <<'END'
#include <rnicsim.h>
#include <stdio.h>
int main(void)
{
    struct rnicsim_options options = {.board = "u280_100g", .seed = 1};
    struct rnicsim_error error;
    struct rnicsim *sim;
    if (rnicsim_create(&options, &sim, &error) != RNICSIM_OK)
        return puts(error.text), 1;
    printf("%s\n", rnicsim_board_name(sim));
    rnicsim_destroy(sim);
    return 0;
}
END
cc=${CC:-gcc}
mkdir "$work/app"
# shellcheck disable=SC2046 # flags are words
$cc $(flags "$first" Cflags) -o "$work/app/static" "$work/app.c" "$first/lib/librnicsim.a" $(flags "$first" Libs.private)
# shellcheck disable=SC2046
$cc $(flags "$first" Cflags) -o "$work/app/shared" "$work/app.c" $(flags "$first" Libs)
app() { # kind, library folder
    said=$(cd / && LD_LIBRARY_PATH=$2 "$work/app/$1") || true
    [ "$said" = u280_100g ] || wrong "a program with the $1 library in $2 says: $said"
}
app static "$first/lib"
app shared "$first/lib"
readelf -d "$work/app/shared" | grep -q 'NEEDED.*librnicsim\.so\.0\]' || wrong "the shared library has no SONAME"
extra=$(nm -D --defined-only "$first/lib/librnicsim.so" | awk '$3 !~ /^rnicsim_/ {print $3}')
[ -z "$extra" ] || wrong "the shared library also exports:" $extra

mv "$first" "$second"
runs "$second"
app shared "$second/lib"
mkdir "$work/alone"
cp "$second/bin/rnicsim" "$work/alone/"
status=0
"$work/alone/rnicsim" boards >"$work/out" 2>"$work/err" || status=$?
[ "$status" = 2 ] && [ ! -s "$work/out" ] && grep -q 'no board is found' "$work/err" ||
    wrong "without boards, 'boards' exits with $status and says: $(cat "$work/out" "$work/err")"
build PREFIX="$second" OPT=-O0 "$work/rnicsim"
readelf --debug-dump=info "$work/rnicsim" 2>/dev/null | grep -m1 -q 'DW_AT_producer.*-O0' || wrong "not built again for another OPT"
exit $failed
