/* rnicsim size: a burst whose depth follows from arithmetic, depths that another program run confirms, memory, parts. */
#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <jansson.h>

#include "tests/bench/command.h"

void suite_bench_size(void);

#define LATENCY COMMAND_SAMPLES "write_lat_2B.wqe"
#define LISTS COMMAND_SAMPLES "write_bw_1K_postlist16.wqe"
#define COLUMNS \
    "t_ps,host,thread,event,qpn,cqn,db_id,wr_id,opcode,flags,len,inline,nsge,laddr,lkey,raddr,rkey,imm,cmp,swap,dep\n"
#define QPS                                                         \
    "#qp host=0 qpn=2 type=RC peer_host=1 peer_qpn=1 sq_depth=64\n" \
    "#qp host=1 qpn=1 type=RC peer_host=0 peer_qpn=2\n"

static json_t *fifo_named(const json_t *size, const char *name)
{
    json_t *fifos = json_object_get(size, "fifos");
    for (size_t i = 0; i < json_array_size(fifos); i++)
        if (strcmp(json_string_value(json_object_get(json_array_get(fifos, i), "name")), name) == 0)
            return json_array_get(fifos, i);
    return NULL;
}

static long long number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value != NULL ? value : "";
}

/* ---- a burst ---- */

/* One doorbell for so many WRITEs of 1024 B. */
static void write_burst(const struct command *command, int frames)
{
    char trace[8192];
    size_t used = (size_t)snprintf(trace, sizeof trace, "#rnicsim-trace version=1\n" QPS COLUMNS);
    for (int i = 0; i < frames; i++)
        used += (size_t)snprintf(trace + used, sizeof trace - used,
                                 "0,0,0,SEND,2,1,1,%d,WRITE,SIGNALED,1024,0,1,0x1000,2,0x2000,1,0,0,0,\n", i);
    command_write(command, "burst.wqe", trace);
}

/* A frame is 14 + 20 + 8 + 12 + 16 + 1024 + 4 bytes: 18 beats of 64 B. The reader takes 4 us for a beat, so that nothing has left
 * before the last frame comes. */
#define BURST_BEATS 18
#define SLOW_READER "-s 'stage.rx.cdc.interval=1000 cycle'"

static long long drops_at_depth(struct command *command, int depth)
{
    command_run(command,
                "$R run -b u280_100g " SLOW_READER
                " -s 'stage.rx.cdc.depth=%d beats' -s transport.recovery=none --json burst.wqe 2>warnings",
                depth);
    json_t *summary = json_loads(command->out, 0, NULL);
    long long drops = number(json_object_get(summary, "drops"), "rx.cdc full");
    int is_complete = strcmp(text(summary, "status"), "complete") == 0;
    CU_ASSERT_EQUAL(is_complete, drops == 0);
    json_decref(summary);
    return drops;
}

static void check_burst(int frames)
{
    struct command command;
    int depth = frames * BURST_BEATS;
    command_open(&command);
    write_burst(&command, frames);
    CU_ASSERT_EQUAL(drops_at_depth(&command, depth), 0);
    CU_ASSERT_EQUAL(drops_at_depth(&command, depth - 1), 1);
    CU_ASSERT_EQUAL(command_run(&command, "$R size -b u280_100g " SLOW_READER " --json burst.wqe"), 0);
    json_t *size = json_loads(command.out, 0, NULL), *fifo = fifo_named(size, "rx cdc");
    CU_ASSERT_EQUAL(number(fifo, "hwm"), depth);
    CU_ASSERT_EQUAL(number(fifo, "depth"), depth);
    CU_ASSERT_EQUAL(number(fifo, "min_depth_zero_drop"), depth);
    CU_ASSERT_EQUAL(number(fifo, "min_depth_full_rate"), depth);
    CU_ASSERT_STRING_EQUAL(text(json_object_get(fifo, "one_less"), "result"), "drops");
    CU_ASSERT_EQUAL(number(json_object_get(fifo, "one_less"), "drops"), 1);
    json_decref(size);
    command_close(&command);
}

static void test_burst(void)
{
    check_burst(5);
    check_burst(10);
    check_burst(30);
}

/* ---- another run confirms ---- */

/* "rnicsim run" with all proposed depths, as -s options. */
static void run_as_proposed(struct command *command, const json_t *size, const char *board, const char *trace)
{
    char line[3500];
    size_t used = (size_t)snprintf(line, sizeof line, "$R run -b %s --json %s", board, trace), index;
    json_t *fifo;
    json_array_foreach(json_object_get(size, "fifos"), index, fifo)
    {
        const char *key = text(fifo, "depth_key"), *unit = text(fifo, "unit");
        long long depth = number(fifo, "depth");
        if (!json_is_null(json_object_get(fifo, "fixed")))
            continue;
        int is_in_bytes = strncmp(key, "nic.", 4) == 0 && strcmp(unit, "packets") != 0;
        used += (size_t)snprintf(line + used, sizeof line - used, " -s '%s=%lld%s%s'", key,
                                 is_in_bytes ? depth * 64 : depth, is_in_bytes ? " B" : " ",
                                 strncmp(key, "stage.", 6) == 0 ? unit : "");
    }
    CU_ASSERT_EQUAL(command_run(command, "%s", line), 0);
}

static void check_fifos(const json_t *size)
{
    size_t index;
    json_t *fifo;
    json_array_foreach(json_object_get(size, "fifos"), index, fifo)
    {
        CU_ASSERT(number(fifo, "depth") >= number(fifo, "hwm"));
        if (!json_is_null(json_object_get(fifo, "fixed")))
            continue;
        long long depth = number(fifo, "depth"), rate = number(fifo, "min_depth_full_rate");
        const char *less = text(json_object_get(fifo, "one_less"), "result");
        CU_ASSERT_EQUAL(rate, depth - (strcmp(less, "no change") == 0));
        CU_ASSERT(number(fifo, "min_depth_zero_drop") <= rate);
        CU_ASSERT(number(fifo, "free_depth") >= depth);
        CU_ASSERT(number(fifo, text(fifo, "memory")) > 0);
    }
}

static void check_sample(const char *board, const char *trace)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R size -b %s --json %s", board, trace), 0);
    json_t *size = json_loads(command.out, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(size);
    CU_ASSERT_STRING_EQUAL(text(size, "status"), "complete");
    CU_ASSERT(json_is_true(json_object_get(size, "verified")));
    CU_ASSERT(json_is_true(json_object_get(size, "fits")));
    check_fifos(size);
    run_as_proposed(&command, size, board, trace);
    json_t *summary = json_loads(command.out, 0, NULL), *deep = json_object_get(size, "deep");
    json_t *mean = json_object_get(json_object_get(summary, "latency_ns"), "avg");
    CU_ASSERT_EQUAL(json_number_value(mean), json_number_value(json_object_get(deep, "avg_ns")));
    CU_ASSERT_EQUAL(json_number_value(json_object_get(summary, "goodput_gbps")),
                    json_number_value(json_object_get(deep, "goodput_gbps")));
    json_decref(summary);
    json_decref(size);
    command_close(&command);
}

static void test_samples(void)
{
    check_sample("u280_100g", LATENCY);
    check_sample("u280_100g", LISTS);
}

/* Where space comes back late, the high water is not enough: more is found, and it is the least. */
static void test_more_than_high_water(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R trace gen --qps 16 --size 64 --requests 3000 --opcode write -o t.wqe"),
                    0);
    CU_ASSERT_EQUAL(command_run(&command, "$R size -b u280_100g --json t.wqe"), 0);
    json_t *size = json_loads(command.out, 0, NULL), *fifo = fifo_named(size, "retire retire_fifo");
    CU_ASSERT(json_is_true(json_object_get(size, "verified")));
    CU_ASSERT(number(fifo, "depth") > number(fifo, "hwm"));
    CU_ASSERT_STRING_EQUAL(text(json_object_get(fifo, "one_less"), "result"), "changed");
    json_decref(size);
    command_close(&command);
}

/* ---- memory and parts ---- */

static json_t *size_of(struct command *command, const char *options)
{
    CU_ASSERT_EQUAL(command_run(command, "$R size -b u280_100g --json %s " LATENCY, options), 0);
    json_t *size = json_loads(command->out, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(size);
    return size;
}

static void test_memory(void)
{
    struct command command;
    command_open(&command);
    json_t *size = size_of(&command, "--part xcu280"), *fifo = fifo_named(size, "rx cdc");
    CU_ASSERT_STRING_EQUAL(text(size, "part"), "xcu280");
    CU_ASSERT_EQUAL(number(json_object_get(size, "part_memory"), "bram36"), 2016);
    CU_ASSERT_EQUAL(number(fifo, "depth"), 72); /* the largest frame */
    CU_ASSERT_EQUAL(number(fifo, "words"), 128);
    CU_ASSERT_EQUAL(number(fifo, "bram36"), 9);
    CU_ASSERT_EQUAL(number(fifo, "m20k"), 15);
    CU_ASSERT(json_is_null(json_object_get(fifo, "uram")));   /* it crosses clocks */
    CU_ASSERT(json_is_null(json_object_get(fifo, "lutram"))); /* too deep */
    CU_ASSERT_EQUAL(number(fifo, "free_depth"), 512);
    CU_ASSERT_EQUAL(number(fifo_named(size, "rx judge"), "uram"), 9);
    CU_ASSERT_EQUAL(number(fifo_named(size, "mac_rx mac"), "bram36"), 0);
    long long bram36 = 0;
    size_t index;
    json_array_foreach(json_object_get(size, "fifos"), index, fifo) bram36 +=
        strcmp(text(fifo, "memory"), "bram36") == 0 ? number(fifo, "bram36") : 0;
    CU_ASSERT_EQUAL(number(json_object_get(size, "used"), "bram36"), bram36);
    json_decref(size);
    command_close(&command);
}

static void test_parts(void)
{
    struct command command;
    command_open(&command);
    json_t *size = size_of(&command, "--part agf014");
    CU_ASSERT(number(json_object_get(size, "used"), "m20k") > 0);
    CU_ASSERT_EQUAL(number(json_object_get(size, "used"), "bram36"), 0);
    json_decref(size);
    size = size_of(&command, "--bram 71");
    CU_ASSERT(json_is_false(json_object_get(size, "fits")));
    json_decref(size);
    size = size_of(&command, "--bram 72 --uram 0");
    CU_ASSERT(json_is_true(json_object_get(size, "fits")));
    json_decref(size);
    CU_ASSERT_EQUAL(command_run(&command, "$R size -b u280_100g --bram 100 " LATENCY " | grep -q 'over 70 %%'"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "$R size -b u280_100g --bram 50 " LATENCY " | grep -q 'does not fit'"), 0);
    command_close(&command);
}

/* ---- files and mistakes ---- */

static void test_files(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "for d in a b; do $R size -b u280_100g -o $d --quiet " LISTS "; done"), 0);
    CU_ASSERT_STRING_EQUAL(command.out, "");
    CU_ASSERT_STRING_EQUAL(command.err, "");
    CU_ASSERT_EQUAL(command_run(&command, "diff -r a b && ls -A a | tr '\\n' ' '"), 0);
    CU_ASSERT_STRING_EQUAL(command.out, "depths.h depths.svh size.csv size.json ");
    CU_ASSERT_EQUAL(command_run(&command, "head -1 a/size.csv"), 0);
    CU_ASSERT_STRING_EQUAL(command.out, "# rnicsim 0.1.0, schema 1, status complete\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R size -b u280_100g -o a --quiet " LISTS), 2);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o a --quiet --no-charts " LISTS), 2);
    CU_ASSERT_EQUAL(command_run(&command, "diff -r a b"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o a --force --quiet --no-charts " LISTS), 0);
    CU_ASSERT(!command_has(&command, "a/size.json"));
    CU_ASSERT_EQUAL(command_run(&command, "$R size -b u280_100g " LISTS " | awk 'length > 100'"), 0);
    CU_ASSERT_STRING_EQUAL(command.out, "");
    command_close(&command);
}

/* What can never be done is no depth's fault: nothing is established, and it is said. */
static void test_partial(void)
{
    struct command command;
    command_open(&command);
    command_write(&command, "t.wqe",
                  "#rnicsim-trace version=1\n" QPS COLUMNS
                  "0,0,0,SEND,2,1,1,0,WRITE,SIGNALED,64,0,1,0x1000,2,0x2000,1,0,0,0,\n"
                  "0,0,0,SEND,2,1,2,1,WRITE,SIGNALED,64,0,1,0x1000,2,0x2000,1,0,0,0,recv:1\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R size -b u280_100g --json t.wqe"), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.err, "warning: status partial"));
    json_t *size = json_loads(command.out, 0, NULL);
    CU_ASSERT_STRING_EQUAL(text(size, "status"), "partial");
    CU_ASSERT(json_is_null(json_object_get(fifo_named(size, "rx cdc"), "min_depth_zero_drop")));
    json_decref(size);
    command_close(&command);
}

static const struct {
    const char *command, *expected;
} mistakes[] = {
    {"$R size -b u280_100g", "which trace?"},
    {"$R size " LATENCY, "-b BOARD is needed"},
    {"$R size -b u280_100g " LATENCY " " LISTS, "one trace is allowed"},
    {"$R size -b u280_100g -o results missing.wqe", "missing.wqe: cannot be opened"},
    {"$R size -b u280_100g -o results --part xcu281 " LATENCY, "unknown part \"xcu281\"; --part takes one of xcvu9p, "},
    {"$R size -b u280_100g --part " LATENCY, "which trace?"},
    {"$R size -b u280_100g " LATENCY " --bram", "its value is missing"},
    {"$R size -b u280_100g --bram many " LATENCY, "--bram: \"many\" is no number"},
    {"$R size -b u280_100g --uram -1 " LATENCY, "--uram: \"-1\" is no number"},
    {"$R size -b u280_100g --part agf014 --bram 5 -o results " LATENCY, "agf014 has M20Ks"},
    {"$R size -b u281 -o results " LATENCY, "unknown board 'u281'"},
    {"$R size -b u280_100g -s nic.data_fifo=1 -o results " LATENCY, "missing unit"},
    {"$R size -b u280_100g --json " LATENCY " >/dev/full", "standard output cannot be written"},
    {"trap '' XFSZ; ulimit -f 1; $R size -b u280_100g -o results " LATENCY, "cannot be written"},
    {"sed 's/^part = .*/part = xyz/' " RNICSIM_SOURCE_DIR "/model/config/boards/u280_100g.board >my.board; "
     "$R size -b ./my.board -o results " LATENCY,
     "unknown part \"xyz\""},
};

static void test_mistakes(void)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct command command;
        command_open(&command);
        int status = command_run(&command, "%s", mistakes[i].command);
        int is_right = status == 2 && command_lines(command.err) == 1 && command.out[0] == 0 &&
                       strstr(command.err, mistakes[i].expected) != NULL && !command_has(&command, "results");
        if (!is_right)
            printf("\n%s: status %d, got \"%s\"\n", mistakes[i].command, status, command.err);
        CU_ASSERT(is_right);
        command_close(&command);
    }
}

void suite_bench_size(void)
{
    CU_pSuite suite = CU_add_suite("bench/size", NULL, NULL);
    CU_add_test(suite, "a burst of N needs a depth of N", test_burst);
    CU_add_test(suite, "a run with the proposed depths goes like the deep one", test_samples);
    CU_add_test(suite, "more than the high water", test_more_than_high_water);
    CU_add_test(suite, "what buffers take", test_memory);
    CU_add_test(suite, "parts, and what is given instead", test_parts);
    CU_add_test(suite, "files", test_files);
    CU_add_test(suite, "requests that are never done", test_partial);
    CU_add_test(suite, "mistakes", test_mistakes);
}
