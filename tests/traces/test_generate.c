/* Generated workloads: the same bytes for the same options, each record as its options say, and every one replays to its
 * end without an error. */
#include <CUnit/CUnit.h>
#include <math.h>

#include "tests/traces/scratch.h"
#include "traces/check.h"
#include "traces/generate.h"
#include "traces/replay.h"

void suite_traces_generate_slow(void);

static const struct trace_generate plain = {
    .requests = 1000, .qps = 4, .mtu = 4096, .seed = 1, .size = "64-4096", .opcode = "write"};

/* What a reader finds in a generated trace, by QP. */
struct found {
    uint64_t requests[64], receives[64], opcodes[TRACE_OPCODE_COUNT], inlined, bytes;
    uint64_t wrong; /* records that are not as wanted */
    int64_t last_ps;
};

typedef void judge_record(const struct trace_generate *generate, const struct trace_record *record,
                          struct found *found);

static void count_fault(void *context, uint64_t line, const char *text)
{
    (void)context;
    printf("\n    line %llu: %s", (unsigned long long)line, text);
}

/* Generates, checks and reads; the scratch's path is the trace. */
static void look(struct scratch *scratch, const struct trace_generate *generate, judge_record *judge,
                 struct found *found)
{
    struct trace_reader *reader;
    struct trace_record record;
    struct rnicsim_error error = {""};
    *found = (struct found){0};
    int result = trace_generate(generate, scratch_path(scratch, "t.bin"), &error);
    if (result != 0)
        printf("\n    %s", error.text);
    CU_ASSERT_EQUAL_FATAL(result, 0);
    CU_ASSERT_EQUAL(trace_check(scratch->path, count_fault, NULL, 10), 0);
    CU_ASSERT_EQUAL_FATAL(trace_open(scratch->path, &reader, &error), 0);
    while (trace_next(reader, &record, &error) > 0) {
        uint64_t *count = record.event == TRACE_SEND ? found->requests : found->receives;
        count[record.qpn - 1]++;
        found->opcodes[record.opcode]++;
        found->inlined += record.inlined;
        if (record.event == TRACE_SEND) {
            found->bytes += record.len;
            judge(generate, &record, found);
            found->last_ps = record.t_ps;
        }
    }
    trace_close(reader);
    CU_ASSERT_EQUAL(found->wrong, 0);
}

/* The e-th request of a QP waits for CQE e - depth; before that for nothing. */
static void judge_closed(const struct trace_generate *generate, const struct trace_record *record, struct found *found)
{
    uint64_t ordinal = found->requests[record->qpn - 1], depth = generate->depth != 0 ? generate->depth : 16;
    const struct trace_dep_term *term = &record->dep.term[0];
    if (ordinal <= depth)
        found->wrong += term->kind != TRACE_DEP_POST;
    else
        found->wrong += term->kind != TRACE_DEP_CQE || term->count != ordinal - depth;
    found->wrong += record->dep.term[1].kind != TRACE_DEP_NONE || !(record->flags & TRACE_SIGNALED);
    found->wrong += record->thread != (generate->zipf != NULL ? 0 : record->qpn - 1);
}

static void judge_open(const struct trace_generate *generate, const struct trace_record *record, struct found *found)
{
    (void)generate;
    found->wrong += record->dep.term[0].kind != TRACE_DEP_NONE || record->t_ps < found->last_ps || record->thread != 0;
}

static void test_closed(void)
{
    struct scratch scratch;
    struct found found;
    struct trace_generate generate = plain;
    scratch_open(&scratch);
    look(&scratch, &generate, judge_closed, &found);
    for (int i = 0; i < 4; i++)
        CU_ASSERT_EQUAL(found.requests[i], 250);
    CU_ASSERT_EQUAL(found.opcodes[TRACE_OP_WRITE], 1000);
    generate.depth = 3;
    generate.opcode = "write:0.5,send:0.3,send_imm:0.1,write_imm:0.1";
    generate.size = "100:0.5,101";
    generate.inline_bytes = 100;
    generate.requests = 20000;
    look(&scratch, &generate, judge_closed, &found);
    CU_ASSERT_DOUBLE_EQUAL((double)found.opcodes[TRACE_OP_WRITE], 10000, 354); /* five sigma */
    CU_ASSERT_DOUBLE_EQUAL((double)found.opcodes[TRACE_OP_SEND], 6000, 325);
    CU_ASSERT_DOUBLE_EQUAL((double)found.opcodes[TRACE_OP_SEND_IMM], 2000, 213);
    CU_ASSERT_DOUBLE_EQUAL((double)found.inlined, 20000 / 3.0, 334);
    /* 2 x depth RECVs a QP, and one more for each message that takes one */
    CU_ASSERT_EQUAL(found.opcodes[TRACE_OP_RECV], 4 * 6 + 20000 - found.opcodes[TRACE_OP_WRITE]);
    scratch_close(&scratch);
}

static void test_zipf(void)
{
    struct scratch scratch;
    struct found found;
    struct trace_generate generate = plain;
    double sum = 0;
    scratch_open(&scratch);
    generate.zipf = "0.99";
    generate.qps = 50;
    generate.requests = 100000;
    look(&scratch, &generate, judge_closed, &found);
    for (int i = 1; i <= 50; i++)
        sum += pow(i, -0.99);
    for (int i = 1; i <= 50; i++) {
        double expected = pow(i, -0.99) / sum * 100000;
        CU_ASSERT_DOUBLE_EQUAL((double)found.requests[i - 1], expected, 5 * sqrt(expected));
    }
    scratch_close(&scratch);
}

static void test_open(void)
{
    struct scratch scratch;
    struct found found;
    struct trace_generate generate = plain;
    scratch_open(&scratch);
    generate.arrival = TRACE_POISSON;
    generate.rate = "40 Gbps";
    generate.requests = 100000;
    look(&scratch, &generate, judge_open, &found);
    double gbps = (double)found.bytes * 8e3 / (double)found.last_ps;
    CU_ASSERT_DOUBLE_EQUAL(gbps, 40, 40 * 0.02); /* five sigma of gaps and sizes */
    generate.arrival = TRACE_PERIODIC;
    generate.rate = "1 MHz";
    generate.opcode = "send";
    look(&scratch, &generate, judge_open, &found);
    CU_ASSERT_EQUAL(found.last_ps, 99999 * INT64_C(1000000) + 4 * 64 * 100000); /* when 64 RECVs a QP are posted */
    scratch_close(&scratch);
}

/* FNV-1a of a file. */
static uint64_t digest(const char *path)
{
    size_t length;
    char *bytes = scratch_read(path, &length);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; bytes != NULL && i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    free(bytes);
    return hash;
}

/* The digest was taken once: it holds on any machine, since nothing is drawn in floating point. */
static void test_same_bytes(void)
{
    static const char *const names[] = {"a.wqe", "a.bin", "a.wqe.zst"};
    struct trace_generate generate = plain;
    struct scratch scratch;
    struct rnicsim_error error;
    generate.arrival = TRACE_BURST;
    generate.rate = "20 Gbps";
    generate.burst_rate = "80 Gbps";
    generate.burst = 16;
    generate.zipf = "0.9";
    generate.opcode = "write:0.7,send:0.3";
    scratch_open(&scratch);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(trace_generate(&generate, scratch_path(&scratch, names[i]), &error), 0);
        uint64_t first = digest(scratch.path);
        if (i == 0)
            CU_ASSERT_EQUAL(first, UINT64_C(0x3847d82faf81564c));
        CU_ASSERT_EQUAL(trace_generate(&generate, scratch.path, &error), 0);
        CU_ASSERT_EQUAL(digest(scratch.path), first);
        generate.seed = 2;
        CU_ASSERT_EQUAL(trace_generate(&generate, scratch.path, &error), 0);
        CU_ASSERT_NOT_EQUAL(digest(scratch.path), first);
        generate.seed = 1;
    }
    CU_ASSERT_EQUAL(scratch_count(&scratch), 3);
    scratch_close(&scratch);
}

/* ---- replayed ---- */

struct outcome {
    uint64_t done, errors;
};

static void take_event(void *context, const struct rnicsim_event *event)
{
    struct outcome *outcome = context;
    outcome->done += event->kind == RNICSIM_SEND_DONE;
    outcome->errors += event->status != 0;
}

static void replay(const char *path, uint64_t requests)
{
    struct rnicsim_options options = {.board = "u280_100g", .seed = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct rnicsim *sim;
    struct trace_replay *replay;
    struct rnicsim_error error = {""};
    struct outcome outcome = {0};
    CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &sim, &error), RNICSIM_OK);
    CU_ASSERT_EQUAL_FATAL(trace_replay_open(path, &replay, &error), RNICSIM_OK);
    CU_ASSERT_EQUAL_FATAL(trace_replay_create_objects(replay, sim, &error), RNICSIM_OK);
    CU_ASSERT_EQUAL(trace_replay_run(replay, sim, RNICSIM_NEVER, take_event, &outcome, &error), RNICSIM_OK);
    CU_ASSERT(trace_replay_is_whole(replay));
    CU_ASSERT_EQUAL(outcome.done, requests);
    CU_ASSERT_EQUAL(outcome.errors, 0);
    trace_replay_close(replay);
    rnicsim_destroy(sim);
}

/* Loops that the sender, its queues or the line cannot follow are among them. */
static void test_replay(void)
{
    static const struct trace_generate rows[] = {
        {.qps = 1, .depth = 1, .size = "8", .opcode = "send"},
        {.qps = 64, .size = "64:0.99,65536:0.01", .opcode = "send,write,write_imm,send_imm"},
        {.qps = 300, .depth = 4, .size = "64", .opcode = "send_imm"},
        {.qps = 16, .size = "64-4096", .opcode = "send:0.2,write:0.8", .zipf = "1.5"},
        {.qps = 8, .size = "8", .opcode = "send", .arrival = TRACE_POISSON, .rate = "13 MHz", .inline_bytes = 64},
        {.qps = 8, .depth = 8, .size = "8", .opcode = "send", .arrival = TRACE_POISSON, .rate = "30 MHz"},
        {.qps = 40, .size = "4096", .opcode = "write,send", .arrival = TRACE_POISSON, .rate = "120 Gbps", .zipf = "1"},
        {.qps = 3, .size = "1000", .opcode = "send", .arrival = TRACE_PERIODIC, .rate = "100 kHz"},
        {.qps = 3,
         .size = "1-5000",
         .opcode = "read,fetch_add,cmp_swap,write,send",
         .rd_atomic = 2,
         .inline_bytes = 64},
        {.qps = 4,
         .size = "64-4096",
         .opcode = "send",
         .arrival = TRACE_BURST,
         .rate = "10 Gbps",
         .burst = 256,
         .burst_rate = "200 Gbps"}};
    struct scratch scratch;
    struct rnicsim_error error = {""};
    scratch_open(&scratch);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace_generate generate = rows[i];
        generate.requests = 2000;
        generate.mtu = 4096;
        CU_ASSERT_EQUAL_FATAL(trace_generate(&generate, scratch_path(&scratch, "t.bin"), &error), 0);
        replay(scratch.path, 2000);
    }
    scratch_close(&scratch);
}

/* ---- refused ---- */

/* What is not given is plain. */
static void refuse(struct trace_generate generate, const char *expected)
{
    struct scratch scratch;
    struct rnicsim_error error = {""};
    generate.requests = generate.requests != 0 ? generate.requests : plain.requests;
    generate.qps = generate.qps != 0 ? generate.qps : plain.qps;
    generate.mtu = generate.mtu != 0 ? generate.mtu : plain.mtu;
    generate.size = generate.size != NULL ? generate.size : plain.size;
    generate.opcode = generate.opcode != NULL ? generate.opcode : plain.opcode;
    scratch_open(&scratch);
    CU_ASSERT_EQUAL(trace_generate(&generate, scratch_path(&scratch, "t.wqe"), &error), -1);
    if (strstr(error.text, expected) == NULL)
        printf("\n    expected \"%s\", got \"%s\"", expected, error.text);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, expected));
    CU_ASSERT_EQUAL(scratch_count(&scratch), 0);
    scratch_close(&scratch);
}

static void test_refused(void)
{
    refuse((struct trace_generate){.requests = 4000000001}, "requests 4000000001: allowed are 1 to 4000000000");
    refuse((struct trace_generate){.qps = 32769}, "qps 32769: allowed are 1 to 32768");
    refuse((struct trace_generate){.depth = 32769}, "depth 32769: allowed are 1 to 32768");
    refuse((struct trace_generate){.inline_bytes = 1025}, "inline 1025: allowed are 0 to 1024");
    refuse((struct trace_generate){.mtu = 1500}, "mtu 1500: allowed are 256");
    refuse((struct trace_generate){.size = "big"}, "size \"big\" is not known; allowed are");
    refuse((struct trace_generate){.opcode = "bind_mw"}, "opcode \"bind_mw\": allowed are write, write_imm");
    refuse((struct trace_generate){.opcode = "write:0"}, "opcode: \"write\" has the weight 0");
    refuse((struct trace_generate){.zipf = "11"}, "zipf: \"11\"");
    refuse((struct trace_generate){.rate = "1 MHz"}, "a rate is of an open loop");
    refuse((struct trace_generate){.arrival = TRACE_POISSON}, "arrival poisson needs a rate");
    refuse((struct trace_generate){.arrival = TRACE_POISSON, .rate = "1 MHz", .burst = 4}, "are of arrival burst");
    refuse((struct trace_generate){.arrival = TRACE_BURST, .rate = "1 MHz"}, "needs burst and burst-rate");
    refuse((struct trace_generate){.arrival = TRACE_BURST, .rate = "1 MHz", .burst_rate = "2 MHz"}, "burst 0: allowed");
    refuse((struct trace_generate){.arrival = TRACE_BURST, .rate = "1 MHz", .burst = 4, .burst_rate = "1 MHz"},
           "allowed is more than");
    refuse((struct trace_generate){.arrival = TRACE_PERIODIC, .rate = "1 Hz", .requests = 5000000}, "after 2^62 ps");
}

void suite_traces_generate_slow(void)
{
    CU_pSuite suite = CU_add_suite("traces/generate", NULL, NULL);
    CU_add_test(suite, "closed loop", test_closed);
    CU_add_test(suite, "Zipf over QPs", test_zipf);
    CU_add_test(suite, "open loop", test_open);
    CU_add_test(suite, "same options, same bytes", test_same_bytes);
    CU_add_test(suite, "replayed", test_replay);
    CU_add_test(suite, "what is refused", test_refused);
}
