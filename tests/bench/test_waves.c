/* run --timeline, --vcd, --golden, and rnicsim compare: read by tools of others, and held against each other. */
#include <CUnit/CUnit.h>
#include <jansson.h>

#include "tests/bench/command.h"

void suite_bench_waves(void);

#define SAMPLE COMMAND_SAMPLES "write_bw_4K_4qp.wqe"
#define RUN "$R run -b u280_100g --quiet "
#define BENCH RNICSIM_SOURCE_DIR "/tests/bench/golden_bench.v"

/* ---- the timeline ---- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

#define TRACKS 8192

/* Slices of a track do not overlap, nested ones end in the order in which they must, and every counter begins in the window. */
static void test_timeline(void)
{
    struct command command;
    static double free_at[TRACKS];
    static int depth[TRACKS];
    size_t index, slices = 0, nested = 0, counters = 0;
    json_t *event;
    char path[128];
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, RUN "--timeline t.json --window '2..30 us' " SAMPLE), 0);
    CU_ASSERT_STRING_EQUAL(command.err, "");
    snprintf(path, sizeof path, "%s/t.json", command.folder);
    json_t *all = json_load_file(path, 0, NULL), *events = json_object_get(all, "traceEvents");
    CU_ASSERT_STRING_EQUAL(text_of(all, "displayTimeUnit"), "ns");
    json_array_foreach(events, index, event)
    {
        const char *phase = text_of(event, "ph");
        double at = json_number_value(json_object_get(event, "ts"));
        size_t track = (size_t)json_integer_value(json_object_get(event, "pid")) * 512 +
                       (size_t)json_integer_value(json_object_get(event, "tid"));
        CU_ASSERT(strchr("MbeXC", phase[0]) != NULL && phase[1] == 0 && track < TRACKS &&
                  text_of(event, "name")[0] != 0);
        if (phase[0] == 'X') {
            double took = json_number_value(json_object_get(event, "dur"));
            CU_ASSERT(took >= 0 && at >= free_at[track] - 1e-6 && at >= 2 && at <= 30);
            free_at[track] = at + took;
            slices++;
        } else if (phase[0] == 'b' || phase[0] == 'e') {
            size_t id = (size_t)atoi(text_of(event, "id"));
            CU_ASSERT_FATAL(id > 0 && id < TRACKS);
            depth[id] += phase[0] == 'b' ? 1 : -1;
            CU_ASSERT(depth[id] >= 0 && depth[id] <= 2);
            nested++;
        } else if (phase[0] == 'C') {
            CU_ASSERT(at >= 2 && at <= 30 &&
                      json_integer_value(json_object_get(json_object_get(event, "args"), "level")) >= 0);
            counters++;
        }
    }
    for (size_t i = 0; i < TRACKS; i++)
        CU_ASSERT_EQUAL(depth[i], 0);
    CU_ASSERT(slices > 500 && nested > 500 && counters > 1000);
    json_decref(all);
    command_close(&command);
}

/* Watching changes no result. */
static void test_no_change(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(
        command_run(&command,
                    "$R run -b u280_100g --json " SAMPLE " | grep -v -e wall -e realtime >a && $R run -b "
                    "u280_100g --json --vcd v.vcd --timeline t.json --golden g --window 'request 3..9' " SAMPLE
                    " | grep -v -e wall -e realtime >b && diff a b"),
        0);
    command_close(&command);
}

/* ---- waveforms ---- */

/* vcd2fst reads it, and what comes back has the same number of items; a level is never above its depth, valid has a beginning and an end. */
static void test_vcd(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, RUN "--vcd v.vcd --golden g --window '0..20 us' " SAMPLE
                                              " && vcd2fst v.vcd v.fst >vcd2fst.out 2>&1 && fst2vcd v.fst >back.vcd"),
                    0);
    CU_ASSERT_STRING_EQUAL(command.err, "");
    CU_ASSERT_EQUAL(command_run(&command, "grep -i -e error -e warn vcd2fst.out"), 1);
    CU_ASSERT_EQUAL(command_run(&command, "$R compare g/passes.csv v.vcd"), 0);
    CU_ASSERT(command_holds(command.out, "Nothing departs."));
    CU_ASSERT_EQUAL(command_run(&command,
                                "$R compare g/passes.csv v.vcd | awk '/ [ab]\\./ && $2 > 20 && $2 == $3 {n++} "
                                "END {print (n > 20)}'"),
                    0);
    CU_ASSERT_STRING_EQUAL(command.out, "1\n");
    /* FST keeps a value an instant: items of one beat behind each other are told apart by the clock, as in RTL */
    CU_ASSERT_EQUAL(command_run(&command, "awk -F, '/^nic/ || ($1 == \"a\" && $2 ~ /doorbell|sched|payload/)' "
                                          "g/passes.csv >user.csv; $R compare user.csv back.vcd --clock "
                                          "rnicsim.clk_250000_kHz_0"),
                    0);
    CU_ASSERT(command_holds(command.out, "Nothing departs."));
    /* clocks: 250 MHz has an edge every 2 ns */
    CU_ASSERT_EQUAL(command_run(&command,
                                "c=$(awk '/clk_250000_kHz/ {print $4; exit}' v.vcd); awk -v c=\"$c\" '/^#/ {t = "
                                "substr($1, 2)} $1 == \"1\" c {n++} END {print n}' v.vcd"),
                    0);
    int edges = atoi(command.out);
    CU_ASSERT(edges >= 5000 && edges <= 5100);
    command_close(&command);
}

static void test_window(void)
{
    struct command command;
    command_open(&command);
    /* a request's own passes, and no others before it was due */
    CU_ASSERT_EQUAL(command_run(&command, RUN "--golden g --window 'request 700' " SAMPLE
                                              " && awk -F, '$6 == 700' g/passes.csv | cut -d, -f1-3 | tr '\\n' ' '"),
                    0);
    CU_ASSERT_STRING_EQUAL(command.out, "a,sched,context a,sched,operation_fifo a,payload,build a,payload,data_fifo "
                                        "a,tx,mac a,tx,line_fifo b,mac_rx,mac b,rx,cdc "
                                        "b,rx,judge b,rx,dispatch_fifo b,respond,context b,respond,write_fifo ");
    command_close(&command);
}

/* ---- golden timings and RTL ---- */

static void test_golden(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command,
                                RUN "--golden g --window '0..20 us' " SAMPLE " && cp " BENCH
                                    " g && cd g && iverilog -g2009 -o bench golden_bench.v && "
                                    "vvp bench | grep -v VCD && awk -F, '$1 == \"a\" && $3 == \"data_fifo\" {n++; if "
                                    "(n == 1) first = $6 \" \" $11; if (n == 2) second = $12} END {print n, first, "
                                    "second}' passes.csv"),
                    0);
    const char *line = strchr(command.out, '\n');
    CU_ASSERT_PTR_NOT_NULL_FATAL(line);
    CU_ASSERT_EQUAL(strncmp(command.out, line + 1, (size_t)(line - command.out)), 0);
    /* what that RTL did is what was predicted, with its clock and without */
    CU_ASSERT_EQUAL(command_run(&command,
                                "cd g && $R compare passes.csv rtl.vcd --map a.payload.data_fifo=golden_bench.axis_t "
                                "--clock golden_bench.clk"),
                    0);
    CU_ASSERT(command_holds(command.out, "Nothing departs."));
    CU_ASSERT(command_holds(command.out, "a.tx.mac"));
    CU_ASSERT(command_holds(command.out, "not measured"));
    /* and an item that comes a cycle late is told */
    CU_ASSERT_EQUAL(command_run(&command,
                                "cd g && vvp bench +late=7 >log && $R compare passes.csv rtl.vcd --json --map "
                                "a.payload.data_fifo=golden_bench.axis_t --clock golden_bench.clk >c.json"),
                    1);
    json_error_t error;
    char path[128];
    size_t index;
    json_t *row;
    snprintf(path, sizeof path, "%s/g/c.json", command.folder);
    json_t *all = json_load_file(path, 0, &error);
    int found = 0;
    json_array_foreach(json_object_get(all, "fifos"), index, row)
    {
        if (strcmp(text_of(row, "fifo"), "a.payload.data_fifo") != 0)
            continue;
        found = 1;
        CU_ASSERT_EQUAL(json_integer_value(json_object_get(row, "first")), 7);
        CU_ASSERT_EQUAL(json_integer_value(json_object_get(row, "most_ps")), 4000);
        CU_ASSERT_EQUAL(json_integer_value(json_object_get(row, "departed")),
                        json_integer_value(json_object_get(row, "predicted")) - 7);
    }
    CU_ASSERT(found);
    json_decref(all);
    command_close(&command);
}

/* A pipeline two cycles longer departs first behind that stage. */
static void test_compare(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command,
                                RUN "--golden g --window '0..20 us' " SAMPLE " && " RUN
                                    "--golden h --window '0..20 us' -s 'stage.payload.build.latency=43 cycle' " SAMPLE),
                    0);
    CU_ASSERT_EQUAL(command_run(&command, "$R compare g/passes.csv g/passes.csv"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "$R compare g/passes.csv h/passes.csv | grep first | head -1"), 0);
    CU_ASSERT(strncmp(command.out, "  a.payload.data_fifo", 21) == 0);
    CU_ASSERT_EQUAL(command_run(&command, "$R compare g/passes.csv h/passes.csv --tolerance '1 us'"), 0);
    /* a CSV of one's own, without tails, with another start */
    CU_ASSERT_EQUAL(command_run(&command,
                                "awk -F, 'BEGIN {print \"fifo,head_ps,nic,path\"} !/^#|^nic/ && $2 == \"tx\" {print "
                                "$3 \",\" $14 + 5000000 \",\" $1 \",\" $2}' g/passes.csv >m.csv && $R compare "
                                "g/passes.csv m.csv"),
                    0);
    CU_ASSERT(command_holds(command.out, "5000.000 ns later"));
    CU_ASSERT_EQUAL(command_run(&command, "$R compare g/passes.csv m.csv --offset '4 us'"), 1);
    command_close(&command);
}

/* ---- what is wrong ---- */

static const struct {
    const char *command, *expected;
} wrong[] = {
    {RUN "--vcd none/v.vcd " SAMPLE, "--vcd none/v.vcd: cannot be made in none"},
    {RUN "--timeline none/t.json " SAMPLE, "--timeline none/t.json: cannot be made"},
    {RUN "--golden none/g " SAMPLE, "--golden none/g: cannot be made"},
    {RUN "--vcd v.vcd --window '3..1 us' " SAMPLE, "--window \"3..1 us\": allowed is"},
    {RUN "--vcd v.vcd --window '3..5' " SAMPLE, "--window \"3..5\": allowed is"},
    {RUN "--vcd v.vcd --window 'request 0' " SAMPLE, "--window \"request 0\""},
    {RUN "--vcd v.vcd --window 'request 5000' " SAMPLE, "none of the requests 5000 to 5000"},
    {RUN "--window '1..2 us' " SAMPLE, "--window: of what?"},
    {RUN "--vcd v.vcd --perftest 'write_bw -a -n 5'", "of one run"},
    {"$R compare", "which files?"},
    {"$R compare a.csv b.csv", "a.csv: No such file"},
    {"echo x >a.csv; $R compare a.csv a.csv", "a.csv:1: no column \"nic\""},
    {"echo nic,path,fifo,head_ps >a.csv; $R compare a.csv a.csv", "no passes in it"},
    {"printf 'nic,path,fifo,head_ps\\na,b,c,soon\\n' >a.csv; $R compare a.csv a.csv", "a.csv:2: \"soon\" is no time"},
    {"printf 'nic,path,fifo,head_ps\\na,b,c,1\\n' >a.csv; echo hello >b.vcd; $R compare a.csv b.vcd", "this is no VCD"},
    {"printf 'nic,path,fifo,head_ps\\na,b,c,1\\n' >a.csv; echo '$enddefinitions $end' >b.vcd; $R compare a.csv b.vcd",
     "no $timescale"},
    {"printf 'nic,path,fifo,head_ps\\na,b,c,1\\n' >a.csv; echo '$timescale 1 ns $end $enddefinitions $end' >b.vcd; $R "
     "compare a.csv b.vcd",
     "no signal NIC.PATH.FIFO.valid"},
    {"printf 'nic,path,fifo,head_ps\\na,b,c,1\\n' >a.csv; echo '$timescale 1 ns $end $enddefinitions $end' >b.vcd; $R "
     "compare a.csv b.vcd --map a.b.c=tb.x",
     "there is no signal tb.x.valid"},
    {"$R compare a.csv b.vcd --map nothing", "--map \"nothing\": allowed is"},
    {"$R compare a.csv b.vcd --tolerance 5", "--tolerance: "},
};

static void test_wrong(void)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct command command;
        command_open(&command);
        CU_ASSERT_EQUAL(command_run(&command, "%s", wrong[i].command), 2);
        CU_ASSERT_EQUAL(command_lines(command.err), 1);
        CU_ASSERT(command_holds(command.err, wrong[i].expected));
        CU_ASSERT_STRING_EQUAL(command.out, "");
        CU_ASSERT(!command_has(&command, "v.vcd"));
        command_close(&command);
    }
}

void suite_bench_waves(void)
{
    CU_pSuite suite = CU_add_suite("bench/waves", NULL, NULL);
    CU_add_test(suite, "the timeline", test_timeline);
    CU_add_test(suite, "watching changes nothing", test_no_change);
    CU_add_test(suite, "waveforms", test_vcd);
    CU_add_test(suite, "a window of a request", test_window);
    CU_add_test(suite, "golden timings in Icarus Verilog", test_golden);
    CU_add_test(suite, "where it departs", test_compare);
    CU_add_test(suite, "one line, exit 2", test_wrong);
}
