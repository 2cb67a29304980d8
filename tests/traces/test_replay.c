/* The replay: each record is posted exactly when what it waits for has happened, in constant memory, and what cannot move
 * is told. */
#include <CUnit/CUnit.h>

#include "tests/traces/scratch.h"
#include "traces/replay.h"
#include "traces/replay_ready.h"
#include "traces/replay_source.h"
#include "traces/replay_wait.h"

void suite_traces_replay(void);

#define POSTS_MAX 64
#define SAMPLES RNICSIM_SOURCE_DIR "/traces/samples/"

/* What a run has shown, by wr_id. */
struct seen {
    int64_t arrival_ps[POSTS_MAX], post_ps[POSTS_MAX], done_ps[POSTS_MAX], visible_ps[POSTS_MAX],
        received_ps[POSTS_MAX];
    int64_t last_ps;
    uint64_t events;
    int backwards;
};

static void see(void *context, const struct rnicsim_event *event)
{
    struct seen *seen = context;
    seen->backwards |= event->at_ps < seen->last_ps;
    seen->last_ps = event->at_ps;
    seen->events++;
    if (event->wr_id >= POSTS_MAX)
        return;
    if (event->kind == RNICSIM_SEND_DONE)
        seen->done_ps[event->wr_id] = event->at_ps;
    if (event->kind == RNICSIM_WRITE_VISIBLE)
        seen->visible_ps[event->wr_id] = event->at_ps;
    if (event->kind == RNICSIM_RECV_DONE)
        seen->received_ps[event->wr_id] = event->at_ps;
    if (event->kind == RNICSIM_RECV_DONE)
        return;
    seen->arrival_ps[event->wr_id] = event->stamp_ps[RNICSIM_AT_ARRIVAL];
    seen->post_ps[event->wr_id] = event->stamp_ps[RNICSIM_AT_POST];
}

struct replayed {
    struct rnicsim *sim;
    struct trace_replay *replay;
    struct rnicsim_error error;
    int result;
    struct seen seen;
};

static void replay_file(struct replayed *replayed, const char *path)
{
    struct rnicsim_options options = {.board = "u280_100g", .seed = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    memset(replayed, 0, sizeof *replayed);
    CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &replayed->sim, &replayed->error), RNICSIM_OK);
    replayed->result = trace_replay_open(path, &replayed->replay, &replayed->error);
    if (replayed->result == RNICSIM_OK)
        replayed->result = trace_replay_create_objects(replayed->replay, replayed->sim, &replayed->error);
    if (replayed->result == RNICSIM_OK)
        replayed->result =
            trace_replay_run(replayed->replay, replayed->sim, RNICSIM_NEVER, see, &replayed->seen, &replayed->error);
}

static void replay_records(struct replayed *replayed, const char *records)
{
    struct scratch scratch;
    char *text = NULL;
    CU_ASSERT_FATAL(asprintf(&text, "%s%s", SCRATCH_HEADER, records) > 0);
    scratch_open(&scratch);
    scratch_write(scratch_path(&scratch, "t.wqe"), text, strlen(text));
    replay_file(replayed, scratch.path);
    free(text);
    scratch_close(&scratch);
}

static void replay_end(struct replayed *replayed)
{
    trace_replay_close(replayed->replay);
    rnicsim_destroy(replayed->sim);
}

/* wr_id is the digit after the db_id; the QP of host 0 is 2, of host 1 is 1. */
#define CLIENT "1,0x10000,2,0x20000,1,0,0,0,"
#define SERVER "1,0x20000,1,0x10000,2,0,0,0,"

static void test_times(void)
{
    struct replayed run;
    replay_records(&run, "5000,0,0,SEND,2,1,1,1,WRITE,SIGNALED,64,0," CLIENT "\n"      /* at 5 ns */
                         "0,0,0,SEND,2,1,2,2,WRITE,SIGNALED,64,0," CLIENT "cqe:1+20\n" /* 20 ns after the CQE is seen */
                         "0,0,0,SEND,2,1,3,3,WRITE,SIGNALED,64,0," CLIENT "post\n"     /* with the one before */
                         "0,0,0,SEND,2,1,3,4,WRITE,SIGNALED,64,0," CLIENT "\n"         /* one doorbell */
                         "0,0,0,SEND,2,1,4,5,WRITE,SIGNALED,64,0," CLIENT "post+100\n"
                         "0,1,0,SEND,1,1,1,6,WRITE,SIGNALED,64,0," SERVER "mem:2+7\n"
                         "0,1,0,SEND,1,1,2,7,WRITE,SIGNALED,64,0," SERVER "cqe:1&mem:3\n");
    const struct seen *seen = &run.seen;
    CU_ASSERT_EQUAL_FATAL(run.result, RNICSIM_OK);
    CU_ASSERT(trace_replay_is_whole(run.replay));
    CU_ASSERT(!seen->backwards);
    CU_ASSERT_EQUAL(seen->post_ps[1], 5000);
    CU_ASSERT_EQUAL(seen->post_ps[2], seen->done_ps[1] + 20000);
    /* the thread posts one call after the other: 50 ns a call and 20 ns a WQE */
    CU_ASSERT_EQUAL(seen->post_ps[3], seen->post_ps[2] + 70000);
    CU_ASSERT_EQUAL(seen->post_ps[4], seen->post_ps[3]);
    CU_ASSERT_EQUAL(seen->post_ps[5],
                    seen->post_ps[3] + 90000); /* asked for 100 ns after the call before was, which still runs */
    CU_ASSERT_EQUAL(seen->post_ps[6], seen->visible_ps[2] + 7000);
    int64_t later_ps = seen->done_ps[6] > seen->visible_ps[3] ? seen->done_ps[6] : seen->visible_ps[3];
    CU_ASSERT_EQUAL(seen->post_ps[7], later_ps);
    replay_end(&run);
}

/* Open loop: a request is due at its own time, though the thread (50 ns a call, 20 ns a WQE) is late; all behind one
 * doorbell are due with the first. Closed loop: when it is posted. */
static void test_arrival(void)
{
    struct replayed run;
    replay_records(&run, "0,0,0,SEND,2,1,1,1,WRITE,SIGNALED,64,0," CLIENT "\n"
                         "0,0,0,SEND,2,1,2,2,WRITE,SIGNALED,64,0," CLIENT "\n"
                         "1000,0,0,SEND,2,1,3,3,WRITE,SIGNALED,64,0," CLIENT "\n"
                         "1000,0,0,SEND,2,1,3,4,WRITE,SIGNALED,64,0," CLIENT "\n"
                         "2000,0,0,SEND,2,1,4,5,WRITE,SIGNALED,64,0," CLIENT "post\n"
                         "0,0,0,SEND,2,1,5,6,WRITE,SIGNALED,64,0," CLIENT "cqe:1+10\n"
                         "0,0,0,SEND,2,1,6,7,WRITE,SIGNALED,64,0," CLIENT "cqe:1+10\n"
                         "3000,0,0,SEND,2,1,7,8,WRITE,SIGNALED,64,0," CLIENT "\n");
    static const int64_t arrival_ps[] = {0, 0, 1000, 1000}, post_ps[] = {0, 70000, 140000, 140000, 230000};
    const struct seen *seen = &run.seen;
    CU_ASSERT_EQUAL_FATAL(run.result, RNICSIM_OK);
    for (int i = 0; i < 4; i++)
        CU_ASSERT_EQUAL(seen->arrival_ps[i + 1], arrival_ps[i]);
    for (int i = 0; i < 5; i++)
        CU_ASSERT_EQUAL(seen->post_ps[i + 1], post_ps[i]);
    for (int i = 5; i <= 7; i++)
        CU_ASSERT_EQUAL(seen->arrival_ps[i], seen->post_ps[i]);
    CU_ASSERT_EQUAL(seen->arrival_ps[8], 3000); /* program order held it up */
    CU_ASSERT_EQUAL(seen->post_ps[8], seen->done_ps[1] + 10000 + 140000);
    replay_end(&run);
}

/* A think time counts from its own event, also when later ones have passed by: the thread waits for the slow QP first. */
static void test_think_from_the_past(void)
{
    struct replayed run;
    replay_records(&run, "0,0,0,SEND,2,1,1,1,WRITE,SIGNALED,64,0," CLIENT "\n"
                         "0,0,0,SEND,2,1,2,2,WRITE,SIGNALED,64,0," CLIENT "cqe:1\n"
                         "0,0,0,SEND,2,1,3,3,WRITE,SIGNALED,64,0," CLIENT "cqe:2\n"
                         "0,0,0,SEND,2,1,4,4,WRITE,SIGNALED,64,0," CLIENT "cqe:1+9000\n");
    CU_ASSERT_EQUAL_FATAL(run.result, RNICSIM_OK);
    CU_ASSERT_EQUAL(run.seen.post_ps[4], run.seen.done_ps[1] + 9000000);
    replay_end(&run);
}

static void test_send_and_recv(void)
{
    struct replayed run;
    replay_records(&run, "0,1,0,RECV,1,1,1,1,RECV,,64,0,"
                         "1,0x20000,1,0,0,0,0,0,"
                         "\n"
                         "1000000,0,0,SEND,2,1,1,2,SEND,SIGNALED,64,0,"
                         "1,0x10000,2,0,0,0,0,0,"
                         "\n"
                         "0,1,0,SEND,1,1,2,3,WRITE,SIGNALED,64,0," SERVER "recv:1+30\n");
    struct trace_replay_counts counts;
    CU_ASSERT_EQUAL_FATAL(run.result, RNICSIM_OK);
    trace_replay_counts(run.replay, &counts);
    CU_ASSERT_EQUAL(counts.posted_requests, 2);
    CU_ASSERT_EQUAL(counts.posted_receives, 1);
    CU_ASSERT_EQUAL(run.seen.post_ps[3], run.seen.received_ps[1] + 30000);
    replay_end(&run);
}

static void test_stuck(void)
{
    struct replayed run;
    struct rnicsim_error text;
    replay_records(&run, "0,0,0,SEND,2,1,1,1,WRITE,SIGNALED,64,0," CLIENT "\n"
                         "0,0,0,SEND,2,1,2,2,WRITE,SIGNALED,64,0," CLIENT "cqe:1&mem:3\n"
                         "0,1,0,SEND,1,1,1,3,WRITE,SIGNALED,64,0," SERVER "\n");
    CU_ASSERT_EQUAL_FATAL(run.result, RNICSIM_OK);
    CU_ASSERT(!trace_replay_is_whole(run.replay));
    /* The place is found by reading the file again, which is gone here: then the error says so, and nothing breaks. */
    CU_ASSERT_EQUAL(trace_replay_explain(run.replay, 0, &text), 1);
    CU_ASSERT_EQUAL(trace_replay_explain(run.replay, 1, &text), 0);
    CU_ASSERT_EQUAL(trace_replay_explain(run.replay, 2, &text), -1);
    replay_end(&run);
}

/* Forty at once into a queue of four, closed or open loop: the latter are due at their times though they wait. */
static void replay_full_queue(const char *dep)
{
    struct scratch scratch;
    struct replayed run;
    struct trace_replay_counts counts;
    scratch_open(&scratch);
    FILE *file = fopen(scratch_path(&scratch, "t.wqe"), "w");
    fputs("#rnicsim-trace version=1\n#qp host=0 qpn=2 type=RC peer_host=1 peer_qpn=1 sq_depth=4\n"
          "#qp host=1 qpn=1 type=RC peer_host=0 peer_qpn=2\n" TRACE_CSV_COLUMNS "\n",
          file);
    for (int i = 0; i < 40; i++) /* without #mr lines any key will do */
        fprintf(file, "0,0,0,SEND,2,1,%d,%d,WRITE,SIGNALED,64,0,1,0x10000,7,0x20000,9,0,0,0,%s\n", i + 1, i, dep);
    fclose(file);
    replay_file(&run, scratch.path);
    CU_ASSERT_EQUAL_FATAL(run.result, RNICSIM_OK);
    CU_ASSERT(trace_replay_is_whole(run.replay));
    trace_replay_counts(run.replay, &counts);
    CU_ASSERT(counts.queue_full > 0 && counts.queue_full <= 36);
    for (int i = 1; i < 40; i++)
        CU_ASSERT(run.seen.post_ps[i] >= run.seen.post_ps[i - 1]);
    for (int i = 0; i < 40; i++)
        CU_ASSERT_EQUAL(run.seen.arrival_ps[i], dep[0] == 0 ? 0 : run.seen.post_ps[i]);
    replay_end(&run);
    scratch_close(&scratch);
}

static void test_full_queue(void)
{
    replay_full_queue("post");
    replay_full_queue("");
}

static void write_far_apart(const char *path, int records)
{
    FILE *file = fopen(path, "w");
    fputs(SCRATCH_HEADER, file);
    for (int host = 0; host < 2; host++)
        for (int i = 1; i <= records; i++)
            fprintf(file, "0,%d,0,SEND,%d,1,%d,%d,WRITE,INLINE|SIGNALED,8,1,1,0,0,%s,%d,0,0,0,%s:%d\n", host,
                    host ? 1 : 2, i, i + POSTS_MAX, host ? "0x10000" : "0x20000", host ? 2 : 1,
                    i == 1 && host == 0 ? "post" : "mem", i - 1 + host);
    fclose(file);
}

/* Host 1's records begin further on than the window reaches: it gets a reader of its own. */
static void test_far_apart(void)
{
    const int records = (int)TRACE_REPLAY_WINDOW + 100;
    struct scratch scratch;
    struct replayed run;
    scratch_open(&scratch);
    char command[400];
    write_far_apart(scratch_path(&scratch, "t.wqe"), records);
    snprintf(command, sizeof command, "sed -i 's/post:0$/post/' %s", scratch.path);
    CU_ASSERT_EQUAL_FATAL(system(command), 0);
    replay_file(&run, scratch.path);
    if (run.result != RNICSIM_OK)
        printf("\n%s\n", run.error.text);
    CU_ASSERT_EQUAL_FATAL(run.result, RNICSIM_OK);
    CU_ASSERT(trace_replay_is_whole(run.replay));
    CU_ASSERT_EQUAL(run.seen.events, 4u * (unsigned)records);
    replay_end(&run);
    scratch_close(&scratch);
}

static void test_samples(void)
{
    static const struct {
        const char *path;
        uint64_t requests;
    } samples[] = {{SAMPLES "write_lat_2B.wqe", 2000},
                   {SAMPLES "write_bw_4K_4qp.wqe", 2000},
                   {SAMPLES "write_bw_1K_postlist16.wqe", 1600}};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct replayed run;
        struct trace_replay_counts counts;
        replay_file(&run, samples[i].path);
        CU_ASSERT_EQUAL_FATAL(run.result, RNICSIM_OK);
        CU_ASSERT(trace_replay_is_whole(run.replay));
        trace_replay_counts(run.replay, &counts);
        CU_ASSERT_EQUAL(counts.posted_requests, samples[i].requests);
        CU_ASSERT_EQUAL(counts.queue_full, 0); /* perftest never posts into a full queue */
        CU_ASSERT_EQUAL(run.seen.events, 2 * samples[i].requests);
        CU_ASSERT(!run.seen.backwards);
        replay_end(&run);
    }
}

static void test_ready(void)
{
    static const int64_t at_ps[] = {50, 10, 30, 10, 20, 50, 0};
    static const uint32_t order[] = {6, 1, 3, 4, 2, 0, 5};
    struct trace_replay_ready ready;
    uint32_t thread;
    CU_ASSERT_EQUAL_FATAL(trace_replay_ready_init(&ready, 7), 0);
    CU_ASSERT_EQUAL(trace_replay_ready_at(&ready), RNICSIM_NEVER);
    for (uint32_t i = 0; i < 7; i++)
        trace_replay_ready_put(&ready, at_ps[i], i);
    for (uint32_t i = 0; i < 7; i++) {
        int64_t first_ps = trace_replay_ready_at(&ready);
        CU_ASSERT_EQUAL(first_ps, at_ps[order[i]]);
        CU_ASSERT(!trace_replay_ready_take(&ready, first_ps - 1, &thread)); /* a picosecond early: not yet */
        CU_ASSERT(trace_replay_ready_take(&ready, first_ps, &thread));
        CU_ASSERT_EQUAL(thread, order[i]);
    }
    trace_replay_ready_free(&ready);
}

static void test_wait(void)
{
    struct trace_replay_wait wait;
    CU_ASSERT_EQUAL_FATAL(trace_replay_wait_init(&wait, 2, 1), 0);
    for (int64_t i = 1; i <= 1000; i++) {
        struct rnicsim_event event = {.kind = RNICSIM_RECV_DONE, .at_ps = i * 10};
        trace_replay_wait_hear(&wait, 1, &event);
    }
    CU_ASSERT_EQUAL(trace_replay_wait_count(&wait, 1, TRACE_DEP_RECV), 1000);
    CU_ASSERT_EQUAL(trace_replay_wait_count(&wait, 1, TRACE_DEP_CQE), 0);
    CU_ASSERT_EQUAL(trace_replay_wait_count(&wait, 0, TRACE_DEP_RECV), 0);
    CU_ASSERT_EQUAL(trace_replay_wait_since(&wait, 1, TRACE_DEP_RECV, 1000), 10000);
    CU_ASSERT_EQUAL(trace_replay_wait_since(&wait, 1, TRACE_DEP_RECV, 800), 8000);
    CU_ASSERT_EQUAL(trace_replay_wait_since(&wait, 1, TRACE_DEP_RECV, 1001), RNICSIM_NEVER);
    int64_t oldest = 1000 - (int64_t)TRACE_REPLAY_REMEMBERED + 1;
    CU_ASSERT_EQUAL(trace_replay_wait_since(&wait, 1, TRACE_DEP_RECV, 1), oldest * 10);
    trace_replay_wait_free(&wait);
}

void suite_traces_replay(void)
{
    CU_pSuite suite = CU_add_suite("traces/replay", NULL, NULL);
    CU_add_test(suite, "times of posts", test_times);
    CU_add_test(suite, "when a request was due", test_arrival);
    CU_add_test(suite, "think time from an event that lies back", test_think_from_the_past);
    CU_add_test(suite, "send and recv", test_send_and_recv);
    CU_add_test(suite, "stuck", test_stuck);
    CU_add_test(suite, "full queue", test_full_queue);
    CU_add_test(suite, "records far apart", test_far_apart);
    CU_add_test(suite, "samples", test_samples);
    CU_add_test(suite, "ready heap", test_ready);
    CU_add_test(suite, "what has happened", test_wait);
}
