/* rnicsim size --full: the vectors pass together and one less of any fails, in runs of rnicsim run; the curve; what the RTL includes;
 * formulas. */
#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <jansson.h>

#include "bench/size_formula.h"
#include "tests/bench/command.h"

void suite_bench_size_full_slow(void);

static json_t *load(const struct command *command, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", command->folder, name);
    return json_load_file(path, 0, NULL);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

/* -s settings of a vector, with one FIFO (-1: none) one less. */
static void settings(const json_t *fifos, const char *criterion, int less, char *text, size_t text_bytes)
{
    size_t used = 0, index;
    json_t *fifo;
    json_array_foreach((json_t *)(uintptr_t)fifos, index, fifo)
    {
        json_int_t depth = json_integer_value(json_object_get(json_object_get(fifo, "least"), criterion));
        if (!json_is_null(json_object_get(fifo, "fixed")))
            continue;
        depth -= (int)index == less;
        used += (size_t)snprintf(text + used, text_bytes - used, "-s '%s=%" PRId64 " %s' ", text_of(fifo, "depth_key"),
                                 (int64_t)(depth * json_integer_value(json_object_get(fifo, "depth_scale"))),
                                 text_of(fifo, "depth_unit"));
    }
}

struct outcome {
    double goodput, tail, drops, done;
};

static struct outcome run_with(struct command *command, const char *load_options, const char *set)
{
    struct outcome outcome = {0};
    int status = command_run(command, "$R run -b u280_100g --quiet --no-charts -o r --force %s %s", load_options, set);
    if (status != 0)
        return outcome;
    json_t *summary = load(command, "r/summary.json"), *latency = json_object_get(summary, "latency_ns");
    json_t *tail = json_object_get(latency, "p99.9"), *drops = json_object_get(summary, "drops"), *count;
    const char *place;
    outcome.goodput = json_number_value(json_object_get(summary, "goodput_gbps"));
    outcome.tail = json_number_value(json_is_null(tail) ? json_object_get(latency, "avg") : tail);
    outcome.done = json_number_value(json_object_get(summary, "requests_done"));
    json_object_foreach(drops, place, count)
    {
        outcome.drops += json_number_value(count);
    }
    json_decref(summary);
    return outcome;
}

static int passes(const struct outcome *outcome, const json_t *deep, const char *criterion)
{
    json_t *tail = json_object_get(deep, "p99.9_ns");
    double deep_tail = json_number_value(json_is_null(tail) ? json_object_get(deep, "avg_ns") : tail);
    if (outcome->drops > json_number_value(json_object_get(deep, "drops")) ||
        outcome->done < json_number_value(json_object_get(deep, "requests_done")))
        return 0;
    if (strcmp(criterion, "full_rate") == 0)
        return outcome->goodput >= 0.999 * json_number_value(json_object_get(deep, "goodput_gbps"));
    return strcmp(criterion, "zero_drop") == 0 || outcome->tail <= 1.01 * deep_tail;
}

static const char *const loads[] = {
    "--perftest 'write_bw -s 4096 -n 60'",
    "--perftest 'read_bw -s 8192 -n 30'",
    "--gen '--qps 4 --size 64:0.7,4096:0.3 --opcode write --requests 300 --depth 8'",
    "--gen '--qps 3 --size 1500 --opcode send --requests 200 --arrival poisson --rate \"80 Gbps\"' "
    "-s 'stage.rx.judge.latency=30 cycle'",
    "-b kcu116_25g --perftest 'write_bw -s 1000 -n 60 -q 3'",
    "-b kcu116_25g --perftest 'send_bw -s 4096 -n 40' -s pcie.tags=8 -s 'stage.respond.context.interval=9 cycle'",
};

static void test_vectors(void)
{
    static const char *const criteria[] = {"zero_drop", "full_rate", "p99.9"};
    char set[4096];
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        struct command command;
        command_open(&command);
        CU_ASSERT_EQUAL(command_run(&command, "$R size -b u280_100g --full --json %s >s.json", loads[i]), 0);
        CU_ASSERT_STRING_EQUAL(command.err, "");
        json_t *size = load(&command, "s.json"), *fifos = json_object_get(size, "fifos"), *fifo;
        json_t *deep = json_object_get(size, "deep");
        for (size_t c = 0; c < sizeof criteria / sizeof *criteria; c++) {
            size_t index, lowered = 0;
            settings(fifos, criteria[c], -1, set, sizeof set);
            struct outcome whole = run_with(&command, loads[i], set);
            CU_ASSERT(whole.done > 0 && passes(&whole, deep, criteria[c]));
            json_array_foreach(fifos, index, fifo)
            {
                settings(fifos, criteria[c], (int)index, set, sizeof set);
                if (!json_is_null(json_object_get(fifo, "fixed")))
                    continue;
                struct outcome less = run_with(&command, loads[i], set);
                lowered += less.done > 0;
                /* a depth that is not allowed ends with status 2, without results */
                CU_ASSERT(command.status == 2 || !passes(&less, deep, criteria[c]));
            }
            CU_ASSERT(lowered > 0 || strcmp(criteria[c], "zero_drop") == 0);
        }
        json_decref(size);
        command_close(&command);
    }
}

/* The curve has the chosen depth and one less in it, and goodput at the chosen one as proposed. */
static void test_curve(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R size -b u280_100g --curve rx.cdc -o s --quiet --charts svg,png "
                                          "--perftest 'write_bw -s 4096 -n 60' && ls s"),
                    0);
    CU_ASSERT_STRING_EQUAL(command.out, "depth_curve.dat\ndepth_curve.gp\ndepth_curve.png\ndepth_curve.svg\ndepths.h\n"
                                        "depths.svh\nsize.csv\nsize.json\n");
    json_t *size = load(&command, "s/size.json"), *curve = json_object_get(size, "curve"), *point;
    json_int_t chosen = json_integer_value(json_object_get(curve, "chosen"));
    size_t index, found = 0;
    json_int_t before = 0;
    json_array_foreach(json_object_get(curve, "points"), index, point)
    {
        json_int_t depth = json_integer_value(json_object_get(point, "depth"));
        CU_ASSERT(depth > before);
        before = depth;
        found += depth == chosen - 1;
        if (depth == chosen) {
            found++;
            CU_ASSERT_EQUAL(json_number_value(json_object_get(point, "goodput_gbps")),
                            json_number_value(json_object_get(json_object_get(size, "proposed"), "goodput_gbps")));
        }
    }
    CU_ASSERT(found == 2 ||
              (found == 1 && json_integer_value(json_object_get(json_array_get(json_object_get(curve, "points"), 0),
                                                                "depth")) == chosen));
    CU_ASSERT(before > chosen);
    json_decref(size);
    CU_ASSERT_EQUAL(command_run(&command, "$R size -b u280_100g --curve none -o t --perftest 'write_bw -n 20'"), 2);
    CU_ASSERT(command_lines(command.err) == 1 && command_holds(command.err, "--curve \"none\": allowed is"));
    CU_ASSERT(!command_has(&command, "t"));
    command_close(&command);
}

/* Icarus Verilog and gcc read them, and they say the same. */
static void test_headers(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R size -b u280_100g -o s --quiet --perftest 'write_bw -s 4096 -n 60'"), 0);
    command_write(&command, "t.sv",
                  "module t;\n`include \"s/depths.svh\"\ninitial $display(\"%0d %0d %0d\", RX_CDC_DEPTH, "
                  "RX_CDC_BITS, PAYLOAD_DATA_FIFO_PROG_FULL); endmodule\n");
    command_write(&command, "t.c",
                  "#include <stdio.h>\n#include \"s/depths.h\"\nint main(void) { printf(\"%u %u %u\\n\", "
                  "RX_CDC_DEPTH, RX_CDC_BITS, PAYLOAD_DATA_FIFO_PROG_FULL); return 0; }\n");
    CU_ASSERT_EQUAL(command_run(&command,
                                "iverilog -g2012 -o t t.sv && vvp t >sv.out && gcc -Wall -Werror -o c t.c && ./c "
                                "| diff - sv.out && cat sv.out"),
                    0);
    unsigned depth = 0, bits = 0, full = 0;
    CU_ASSERT_EQUAL(sscanf(command.out, "%u %u %u", &depth, &bits, &full), 3);
    CU_ASSERT_EQUAL(bits, 577);
    /* payload.build has 41 cycles at a beat a cycle, and the flag two more */
    json_t *size = load(&command, "s/size.json"), *fifo;
    size_t index;
    json_array_foreach(json_object_get(size, "fifos"), index, fifo)
    {
        json_int_t own = json_integer_value(json_object_get(fifo, "depth"));
        if (strcmp(text_of(fifo, "name"), "rx cdc") == 0)
            CU_ASSERT_EQUAL(own, depth);
        if (strcmp(text_of(fifo, "name"), "payload data_fifo") == 0)
            CU_ASSERT_EQUAL(own - 41 - 2, full);
    }
    json_decref(size);
    command_close(&command);
}

/* 2^17 B last 41.94 us at 25 Gb/s; the headroom of 100 m at 100G with 394 quanta and frames of 4154 B is 46.2 KB. */
static void test_formulas(void)
{
    CU_ASSERT_EQUAL(size_formula_kept_bytes(INT64_C(25000000000), INT64_C(41943040)), 131072);
    CU_ASSERT_DOUBLE_EQUAL((double)size_formula_headroom_bytes(INT64_C(100000000000), 100, 394, 4154), 46200, 100);
    CU_ASSERT_EQUAL(size_formula_headroom_bytes(INT64_C(100000000000), 0, 0, 1), 2);
    CU_ASSERT_DOUBLE_EQUAL((double)size_formula_headroom_bytes(INT64_C(100000000000), 3, 394, 4154), 33900, 100);
    CU_ASSERT_DOUBLE_EQUAL((double)size_formula_headroom_bytes(INT64_C(100000000000), 1000, 394, 4154), 159800, 100);
    CU_ASSERT_EQUAL(size_formula_quanta(INT64_C(10000000000)), 67);
    CU_ASSERT_EQUAL(size_formula_quanta(INT64_C(25000000000)), 80);
    CU_ASSERT_EQUAL(size_formula_quanta(INT64_C(100000000000)), 394);
    CU_ASSERT_EQUAL(size_formula_quanta(INT64_C(400000000000)), 905);
    /* an ACK for 256 packets of 4096 B: 1 MiB, even without a round trip; 2^18 B at 25G last 83.9 us, longer than a timer of 52 us */
    CU_ASSERT_EQUAL(size_formula_kept_bytes(INT64_C(100000000000), INT64_C(256) * 4096 * 80), 1 << 20);
    CU_ASSERT(size_formula_kept_bytes(INT64_C(25000000000), INT64_C(52000000)) < 1 << 18);
    CU_ASSERT_EQUAL(size_formula_kept_bytes(INT64_C(25000000000), INT64_C(83886080)), 1 << 18);
}

/* Under several traces and seeds the depths are those of the most demanding, FIFO by FIFO, or more. */
static void test_several(void)
{
    static const char *const runs[] = {"", "--also b.wqe", "--seeds 3"};
    struct command command;
    json_t *size[3];
    size_t index;
    json_t *fifo;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command,
                                "$R trace gen --qps 1 --size 64 --opcode write --requests 200 --depth 64 -o a.wqe && "
                                "$R trace gen --qps 8 --size 4096 --opcode send --requests 200 --depth 16 -o b.wqe"),
                    0);
    for (int i = 0; i < 3; i++) {
        char name[32];
        CU_ASSERT_EQUAL(command_run(&command, "$R size -b u280_100g --json %s a.wqe >%d.json", runs[i], i), 0);
        snprintf(name, sizeof name, "%d.json", i);
        size[i] = load(&command, name);
    }
    CU_ASSERT_EQUAL(command_run(&command, "$R size -b u280_100g --json b.wqe >b.json"), 0);
    json_t *b = load(&command, "b.json");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(size[1], "traces_and_seeds")), 2);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(size[2], "traces_and_seeds")), 3);
    CU_ASSERT(json_is_true(json_object_get(size[1], "verified")));
    json_array_foreach(json_object_get(size[1], "fifos"), index, fifo)
    {
        json_int_t own = json_integer_value(json_object_get(fifo, "hwm"));
        json_int_t a_hwm =
            json_integer_value(json_object_get(json_array_get(json_object_get(size[0], "fifos"), index), "hwm"));
        json_int_t b_hwm =
            json_integer_value(json_object_get(json_array_get(json_object_get(b, "fifos"), index), "hwm"));
        CU_ASSERT_EQUAL(own, a_hwm > b_hwm ? a_hwm : b_hwm);
    }
    for (int i = 0; i < 3; i++)
        json_decref(size[i]);
    json_decref(b);
    static const struct {
        const char *options, *expected;
    } wrong[] = {{"--seeds 0 a.wqe", "--seeds 0: allowed are 1"},
                 {"--seeds 20 --also b.wqe a.wqe", "allowed are 32 runs together"},
                 {"--also none.wqe a.wqe", "none.wqe"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CU_ASSERT_EQUAL(command_run(&command, "$R size -b u280_100g %s", wrong[i].options), 2);
        CU_ASSERT(command_lines(command.err) == 1 && command_holds(command.err, wrong[i].expected));
    }
    command_close(&command);
}

static void test_largest(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(
        command_run(&command, "$R size -b u280_100g --bram 100 --uram 960 " COMMAND_SAMPLES "write_bw_4K_4qp.wqe"), 0);
    CU_ASSERT(command_holds(command.out, "  largest of RAMB36: tx mac 520, "));
    CU_ASSERT(command_holds(command.out, "It does not fit."));
    CU_ASSERT(command_holds(command.out, "PFC headroom of a class, 3 m of cable"));
    CU_ASSERT_EQUAL(
        command_run(&command, "$R size -b u280_100g --quiet --assert 'used_percent.uram < 70' --assert 'fifos.rx "
                              "cdc.depth == 132' --assert 'used.bram36 < 600' " COMMAND_SAMPLES "write_bw_4K_4qp.wqe"),
        0);
    CU_ASSERT_EQUAL(command_run(&command,
                                "$R size -b u280_100g --quiet --assert 'used_percent.bram36 < 20' " COMMAND_SAMPLES
                                "write_bw_4K_4qp.wqe"),
                    1);
    CU_ASSERT(command_lines(command.err) == 1 && command_holds(command.err, "it is 28.9"));
    CU_ASSERT_EQUAL(command_run(&command, "$R size -b u280_100g --ecc " COMMAND_SAMPLES "write_bw_4K_4qp.wqe"), 0);
    CU_ASSERT(command_holds(command.out, "256 x 720    10 RAMB36"));
    command_close(&command);
}

void suite_bench_size_full_slow(void)
{
    CU_pSuite suite = CU_add_suite("bench/size --full", NULL, NULL);
    CU_add_test(suite, "vectors pass together, one less fails", test_vectors);
    CU_add_test(suite, "several traces and seeds", test_several);
    CU_add_test(suite, "the curve", test_curve);
    CU_add_test(suite, "what the RTL includes", test_headers);
    CU_add_test(suite, "formulas", test_formulas);
    CU_add_test(suite, "the largest consumers", test_largest);
}
