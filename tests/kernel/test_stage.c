/* Stages, FIFOs and arbiters at the gate: each time exact, worked out by hand; refused one cycle before, accepted at it. */
#include "kernel/arb.h"
#include "kernel/path.h"

#include <CUnit/CUnit.h>

void suite_kernel_stage(void);

struct bench {
    struct sim sim;
    struct clk slow, fast; /* 4,000 and 2,500 ps */
    struct path path;
};

static void bench_init(struct bench *bench)
{
    sim_init(&bench->sim, 1);
    clk_init(&bench->slow, 4000, 1, 0);
    clk_init(&bench->fast, 2500, 1, 0);
}

static void bench_free(struct bench *bench)
{
    path_free(&bench->path);
    sim_free(&bench->sim);
}

static struct path_stage stage_of(const struct clk *clk, int64_t interval, int64_t latency, int store)
{
    return (struct path_stage){.name = "stage",
                               .clk = clk,
                               .interval_cyc = interval,
                               .latency_cyc = latency,
                               .width_bytes = 64,
                               .store = store,
                               .threshold_beats = 1,
                               .flops = 2,
                               .depth = 2};
}

static int build(struct bench *bench, const struct path_stage *stages, int count, uint32_t end_depth,
                 uint32_t bytes_max)
{
    struct fifo_shape end = {.name = "end",
                             .read_clk = count ? stages[count - 1].clk : &bench->slow,
                             .flops = 2,
                             .return_cyc = 1,
                             .depth = end_depth,
                             .read_bytes = count ? stages[count - 1].width_bytes : 64};
    int which;
    return path_init(&bench->path, &bench->sim, "path", &bench->slow, 64, stages, count, &end, bytes_max, &which);
}

/* Pushes an item of so many 64-byte beats, one every `interval`, seen from cycle head on. */
static void push(struct bench *bench, int64_t head, int64_t beats, int64_t interval, uint32_t ref)
{
    fifo_push(path_entry(&bench->path), head - 1, head, head + (beats - 1) * interval, (uint32_t)beats * 64, ref);
}

static void expect_end(struct bench *bench, int64_t head, int64_t tail, uint32_t ref)
{
    CU_ASSERT_FALSE_FATAL(fifo_empty(&bench->path.end));
    struct fifo_slot slot = fifo_take(&bench->path.end);
    CU_ASSERT(slot.head_cyc == head && slot.tail_cyc == tail && slot.ref == ref);
    fifo_release(&bench->path.end, slot.bytes, tail, tail);
}

/* Latency 5, interval 2: alone, behind another, one cycle before and at the cycle when the server is free. */
static void server_free(void)
{
    for (int64_t second = 16; second <= 19; second++) {
        struct bench bench;
        bench_init(&bench);
        struct path_stage stage = stage_of(&bench.slow, 2, 5, 0);
        CU_ASSERT_EQUAL_FATAL(build(&bench, &stage, 1, 8, 4096), 0);
        push(&bench, 10, 4, 2, 1); /* reads at 10, 12, 14, 16: free at 18 */
        push(&bench, second, 1, 1, 2);
        expect_end(&bench, 15, 21, 1);
        int64_t start = second < 18 ? 18 : second;
        expect_end(&bench, start + 5, start + 5, 2);
        CU_ASSERT_EQUAL(bench.path.stage[0].server.work_cyc, 10);
        CU_ASSERT_EQUAL(bench.path.stage[0].server.bubble_cyc, 0);
        CU_ASSERT_EQUAL(bench.path.stage[0].server.blocked_cyc, 0);
        bench_free(&bench);
    }
}

/* A slow writer: cut-through waits inside the item (bubbles), store-and-forward before it. */
static void cut_and_store(void)
{
    for (int store = 0; store <= 1; store++) {
        struct bench bench;
        bench_init(&bench);
        struct path_stage stage = stage_of(&bench.slow, 1, 3, store);
        CU_ASSERT_EQUAL_FATAL(build(&bench, &stage, 1, 8, 4096), 0);
        push(&bench, 10, 4, 5, 1); /* beats at 10, 15, 20, 25 */
        expect_end(&bench, store ? 28 : 13, store ? 31 : 28, 1);
        CU_ASSERT_EQUAL(bench.path.stage[0].server.work_cyc, 4);
        CU_ASSERT_EQUAL(bench.path.stage[0].server.bubble_cyc, store ? 0 : 12);
        bench_free(&bench);
    }
}

/* Latency 1: a gap of 3 behind every item, and 1 more behind one of 3 beats, up to 4 behind those of more; ready one cycle before, and at it. */
static void gap_and_pause(void)
{
    for (int64_t beats = 2; beats <= 8; beats++)
        for (int64_t early = 0; early <= 1; early++) {
            struct bench bench;
            bench_init(&bench);
            struct path_stage stage = stage_of(&bench.slow, 1, 1, 1);
            stage.gap_cyc = 3;
            stage.pause_cyc = 4;
            stage.pause_beats = 2;
            int64_t lost = beats - 2 < 4 ? beats - 2 : 4, ready = 12 + beats + 3 + lost;
            CU_ASSERT_EQUAL_FATAL(build(&bench, &stage, 1, 8, 4096), 0);
            push(&bench, 12 - beats + 1, beats, 1, 1); /* stored at 12: free at 12 + beats + 3 and what is lost */
            push(&bench, ready - early, 1, 1, 2);
            expect_end(&bench, 13, 12 + beats, 1);
            expect_end(&bench, ready + 1, ready + 1, 2);
            CU_ASSERT_EQUAL(bench.path.stage[0].server.work_cyc, beats + 3 + lost + 4);
            bench_free(&bench);
        }
}

static void threshold(void)
{
    static const int64_t start_cyc[] = {0, 10, 15, 20, 25, 25}; /* by threshold 1 .. 5 of 4 beats */
    for (int64_t t = 1; t <= 5; t++) {
        struct bench bench;
        bench_init(&bench);
        struct path_stage stage = stage_of(&bench.slow, 1, 3, 0);
        stage.threshold_beats = t;
        CU_ASSERT_EQUAL_FATAL(build(&bench, &stage, 1, 8, 4096), 0);
        push(&bench, 10, 4, 5, 1);
        int64_t last = start_cyc[t] + 3 > 25 ? start_cyc[t] + 3 : 25;
        expect_end(&bench, start_cyc[t] + 3, last + 3, 1);
        bench_free(&bench);
    }
}

/* The end holds one: the second waits for the reader's release, seen a cycle later, and the stall is counted as blocked. */
static void space_behind(void)
{
    struct bench bench;
    bench_init(&bench);
    struct path_stage stage = stage_of(&bench.slow, 1, 1, 0);
    CU_ASSERT_EQUAL_FATAL(build(&bench, &stage, 1, 1, 4096), 0);
    push(&bench, 10, 1, 1, 1);
    push(&bench, 11, 1, 1, 2);
    CU_ASSERT(bench.path.end.writer_waits);
    CU_ASSERT_EQUAL(fifo_space_at(path_entry(&bench.path), 64), 11); /* the first has left the entry at 10 */
    struct fifo_slot slot = fifo_take(&bench.path.end);
    CU_ASSERT(slot.ref == 1 && fifo_empty(&bench.path.end));
    fifo_release(&bench.path.end, slot.bytes, 30, 30);
    expect_end(&bench, 32, 32, 2); /* starts at 31 */
    CU_ASSERT_EQUAL(bench.path.stage[0].server.blocked_cyc, 20);
    CU_ASSERT_EQUAL(bench.path.end.back_pressure_cyc, 20);
    bench_free(&bench);
}

/* In beats: 8 of 10 taken, an item of 2 fits, one of 3 does not before the first is read to its end. */
static void space_in_beats(void)
{
    struct bench bench;
    struct fifo_shape end = {.name = "end", .return_cyc = 3, .depth = 10, .in_beats = 1, .read_bytes = 64};
    int which;
    bench_init(&bench);
    end.read_clk = &bench.slow;
    CU_ASSERT_EQUAL(path_init(&bench.path, &bench.sim, "path", &bench.slow, 64, NULL, 0, &end, 640, &which), 0);
    push(&bench, 10, 8, 1, 1);
    CU_ASSERT_EQUAL(fifo_space_at(&bench.path.end, 128), 0);
    CU_ASSERT_EQUAL(fifo_space_at(&bench.path.end, 129), SIM_NEVER);
    CU_ASSERT_EQUAL(fifo_space_at(&bench.path.end, 641), SIM_NEVER);
    (void)fifo_take(&bench.path.end);
    fifo_release(&bench.path.end, 512, 10, 17);
    CU_ASSERT_EQUAL(fifo_space_at(&bench.path.end, 129), 20);
    CU_ASSERT_EQUAL(fifo_units_away(&bench.path.end), 0);
    bench_free(&bench);
}

/* 4,000 ps to 2,500 ps through two flip-flops: out at 44,000 ps, edges 45,000 (18) and 47,500 (19). Space: freed at edge 19,
 * leaves at 20 = 50,000 ps, seen at the second slow edge after it, 56,000 = 14. */
static void crossing(void)
{
    struct bench bench;
    bench_init(&bench);
    struct path_stage stage = stage_of(&bench.fast, 1, 1, 0);
    CU_ASSERT_EQUAL_FATAL(build(&bench, &stage, 1, 8, 4096), 0);
    push(&bench, 11, 1, 1, 1);
    push(&bench, 12, 1, 1, 2); /* 48,000: edges 20 and 21 */
    CU_ASSERT_EQUAL(fifo_space_at(path_entry(&bench.path), 64), 14);
    expect_end(&bench, 20, 20, 1);
    expect_end(&bench, 22, 22, 2);
    push(&bench, 15, 1, 1, 3); /* 60,000 is an edge of both: not seen at 24 but by 25 and 26 */
    expect_end(&bench, 27, 27, 3);
    bench_free(&bench);
}

/* Widths: four narrow beats make a wide one and the other way about. */
static void widths(void)
{
    struct bench bench;
    bench_init(&bench);
    struct path_stage narrow = stage_of(&bench.slow, 1, 1, 0), wide = narrow;
    narrow.width_bytes = 16;
    struct path_stage stages[] = {narrow, wide};
    CU_ASSERT_EQUAL_FATAL(build(&bench, stages, 2, 8, 4096), 0);
    push(&bench, 10, 2, 1, 1);  /* narrow reads 10 .. 17, out 11 .. 18; wide reads at 14 and 18 */
    push(&bench, 40, 2, 10, 2); /* narrow reads 40 .. 43, 50 .. 53, out one later; wide at 44 and 54 */
    expect_end(&bench, 15, 19, 1);
    struct fifo_slot slot = fifo_take(&bench.path.end);
    CU_ASSERT_EQUAL(slot.tail_cyc, 55);
    bench_free(&bench);
}

static void refused(void)
{
    struct bench bench;
    struct server server;
    int which;
    bench_init(&bench);
    CU_ASSERT_EQUAL(server_init(&server, &bench.slow, 0, 1, 64, 0), -1);
    CU_ASSERT_EQUAL(server_init(&server, &bench.slow, 1, 0, 64, 0), -1);
    CU_ASSERT_EQUAL(server_init(&server, &bench.slow, 1, 1, 48, 0), -1);
    struct path_stage stages[] = {stage_of(&bench.fast, 1, 1, 0), stage_of(&bench.slow, 1, 1, 0)};
    stages[1].width_bytes = 1;
    CU_ASSERT_EQUAL(build(&bench, stages, 2, 8, 4096), -3); /* two crossings need every beat: too many to keep */
    path_free(&bench.path);
    stages[1].width_bytes = 64;
    stages[0].in_beats = 1;
    CU_ASSERT_EQUAL(build(&bench, stages, 2, 8, 4096), -2); /* two beats never hold 4,096 bytes */
    path_free(&bench.path);
    struct fifo fifo;
    struct fifo_shape shape = {.name = "x",
                               .write_clk = &bench.slow,
                               .read_clk = &bench.slow,
                               .return_cyc = 1,
                               .depth = 1,
                               .write_bytes = 64,
                               .read_bytes = 64},
                      bad;
    bad = shape, bad.depth = 0;
    CU_ASSERT_EQUAL(fifo_init(&fifo, &bench.sim, &bad), -1);
    bad = shape, bad.return_cyc = 0;
    CU_ASSERT_EQUAL(fifo_init(&fifo, &bench.sim, &bad), -1);
    bad = shape, bad.read_bytes = 63;
    CU_ASSERT_EQUAL(fifo_init(&fifo, &bench.sim, &bad), -1);
    stages[0].in_beats = 0;
    struct fifo_shape end = {.name = "end", .read_clk = &bench.slow, .return_cyc = 1, .depth = 4, .read_bytes = 64};
    CU_ASSERT_EQUAL(path_init(&bench.path, &bench.sim, "path", &bench.slow, 64, stages, 2, &end, 4096, &which), 0);
    CU_ASSERT_PTR_NOT_NULL(bench.path.end.beat_cyc); /* two crossings: every beat */
    struct fifo *in = &bench.path.end;
    server_init(&server, &bench.slow, 1, 1, 64, 0);
    struct arb arb;
    struct path out;
    CU_ASSERT_EQUAL(path_init(&out, &bench.sim, "out", &bench.slow, 64, NULL, 0, &end, 4096, &which), 0);
    CU_ASSERT_EQUAL(arb_init(&arb, &bench.sim, "arb", &server, &in, 1, 0, &out.end, 1, NULL, NULL), -1);
    CU_ASSERT_EQUAL(path_keep_beats(&out, 4096, &which), 0);
    CU_ASSERT_EQUAL(arb_init(&arb, &bench.sim, "arb", &server, &in, 1, 0, &out.end, 1, NULL, NULL), 0);
    path_free(&out);
    bench_free(&bench);
}

struct arb_bench {
    struct bench bench;
    struct path in[3];
    struct arb arb;
};

/* Three inputs of one-beat items, a free output: which is granted when. */
static void arb_order(int strict, const int *want_input, const int64_t *want_start)
{
    struct arb_bench b;
    struct fifo *in[3];
    struct server server;
    int which;
    bench_init(&b.bench);
    struct fifo_shape end = {.name = "end", .read_clk = &b.bench.slow, .return_cyc = 1, .depth = 16, .read_bytes = 64};
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL_FATAL(path_init(&b.in[i], &b.bench.sim, "in", &b.bench.slow, 64, NULL, 0, &end, 64, &which), 0);
        in[i] = &b.in[i].end;
    }
    CU_ASSERT_EQUAL_FATAL(path_init(&b.bench.path, &b.bench.sim, "out", &b.bench.slow, 64, NULL, 0, &end, 64, &which),
                          0);
    server_init(&server, &b.bench.slow, 2, 1, 64, 0);
    CU_ASSERT_EQUAL_FATAL(
        arb_init(&b.arb, &b.bench.sim, "arb", &server, in, 3, strict, &b.bench.path.end, 1, NULL, NULL), 0);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 2; k++)
            fifo_push(in[i], 9 + k, 10 + k, 10 + k, 64, i); /* all there at 10, the second ones at 11 */
    fifo_push(in[0], 50, 51, 51, 64, 0);                    /* and a late one */
    sim_run(&b.bench.sim, SIM_NEVER);
    for (int g = 0; g < 7; g++) {
        CU_ASSERT_FALSE_FATAL(fifo_empty(&b.bench.path.end));
        struct fifo_slot slot = fifo_take(&b.bench.path.end);
        CU_ASSERT_EQUAL(slot.ref, (uint32_t)want_input[g]);
        CU_ASSERT_EQUAL(slot.head_cyc, want_start[g] + 1);
    }
    for (int i = 0; i < 3; i++)
        path_free(&b.in[i]);
    bench_free(&b.bench);
}

static void arbiter(void)
{
    static const int64_t start[] = {10, 12, 14, 16, 18, 20, 51};
    static const int round_robin[] = {0, 1, 2, 0, 1, 2, 0}, strict[] = {0, 0, 1, 1, 2, 2, 0};
    arb_order(0, round_robin, start);
    arb_order(1, strict, start);
}

void suite_kernel_stage(void)
{
    CU_pSuite suite = CU_add_suite("kernel stage", NULL, NULL);
    CU_add_test(suite, "server free", server_free);
    CU_add_test(suite, "cut-through and store-and-forward", cut_and_store);
    CU_add_test(suite, "gap and pause", gap_and_pause);
    CU_add_test(suite, "start threshold", threshold);
    CU_add_test(suite, "space behind", space_behind);
    CU_add_test(suite, "space in beats", space_in_beats);
    CU_add_test(suite, "clock crossing", crossing);
    CU_add_test(suite, "widths", widths);
    CU_add_test(suite, "refused", refused);
    CU_add_test(suite, "arbiter", arbiter);
}
