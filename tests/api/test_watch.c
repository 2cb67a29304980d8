/* Incidents and passes: whoever watches changes no instant, and what is kept is what was. */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "api/rnicsim.h"
#include "tests/golden/timeline.h"

void suite_api_watch(void);

#define REQUESTS 60u
#define EVENTS_MAX 400u
#define PASSES_MAX 200000u

enum watching { NOTHING, INCIDENTS, PASSES };

struct seen {
    struct rnicsim *sim;
    struct rnicsim_event event[EVENTS_MAX];
    size_t count;
};

static const struct rnicsim_stretch always = {0, RNICSIM_NEVER};

static int create(const char *board, enum watching watching, struct rnicsim **sim, struct rnicsim_error *error)
{
    const char *const set[] = {"pcie.host_stall_share=20000 ppm", "pcie.host_stall=3 us", "pcie.damaged_tlps=5000 ppm"};
    struct rnicsim_options options = {
        .board = board, .seed = 3, .set = set, .set_count = 3, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    if (rnicsim_create(&options, sim, error))
        return -1;
    for (uint32_t host = 0; host < 2; host++) {
        struct rnicsim_qp_attr qp = {.host = host,
                                     .qpn = 7,
                                     .peer_host = host ^ 1,
                                     .peer_qpn = 7,
                                     .mtu_bytes = 1024,
                                     .sq_depth = 64,
                                     .max_inline_bytes = 64};
        if (rnicsim_qp_create(*sim, &qp, error))
            return -1;
    }
    return watching == INCIDENTS ? rnicsim_incidents_watch(*sim, &always, 1, 1000, error)
           : watching == PASSES  ? rnicsim_passes_watch(*sim, &always, 1, PASSES_MAX, error)
                                 : 0;
}

static void run(const char *board, enum watching watching, struct seen *seen)
{
    struct rnicsim_error error;
    *seen = (struct seen){0};
    CU_ASSERT_EQUAL_FATAL(create(board, watching, &seen->sim, &error), 0);
    for (uint32_t i = 0; i < REQUESTS; i++) {
        struct rnicsim_wr wr = {.wr_id = i,
                                .local_address = 1 << 20,
                                .remote_address = 1 << 21,
                                .length_bytes = i * 300 % 6000,
                                .opcode = RNICSIM_WRITE,
                                .flags = RNICSIM_SIGNALLED};
        CU_ASSERT_EQUAL(rnicsim_post_send(seen->sim, i & 1u, 7, &wr, 1, (int64_t)(i / 2) * 400000, &error), 0);
    }
    while (rnicsim_next_at(seen->sim) != RNICSIM_NEVER && seen->count < EVENTS_MAX) {
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(seen->sim, RNICSIM_NEVER, NULL, &error), 0);
        seen->count += rnicsim_poll(seen->sim, seen->event + seen->count, EVENTS_MAX - seen->count);
    }
}

static void test_no_change(void)
{
    static struct seen seen[3];
    for (size_t b = 0; golden_boards[b] != NULL; b++) {
        for (int watching = NOTHING; watching <= PASSES; watching++)
            run(golden_boards[b], (enum watching)watching, &seen[watching]);
        CU_ASSERT_EQUAL(seen[NOTHING].count, 2 * REQUESTS);
        CU_ASSERT(rnicsim_incidents(seen[INCIDENTS].sim, NULL, 0) > 0);
        for (int watching = INCIDENTS; watching <= PASSES; watching++) {
            CU_ASSERT_EQUAL_FATAL(seen[watching].count, seen[NOTHING].count);
            for (size_t i = 0; i < seen[NOTHING].count; i++) {
                const struct rnicsim_event *a = &seen[NOTHING].event[i], *b_event = &seen[watching].event[i];
                CU_ASSERT(a->at_ps == b_event->at_ps && a->request == b_event->request && a->kind == b_event->kind);
                CU_ASSERT_EQUAL(memcmp(a->stamp_ps, b_event->stamp_ps, sizeof a->stamp_ps), 0);
            }
        }
        for (int watching = NOTHING; watching <= PASSES; watching++)
            rnicsim_destroy(seen[watching].sim);
    }
}

/* Every packet of a message passes, and what is told of a pass agrees with the FIFO's counters and with the events' stamps. */
static void test_passes(void)
{
    static struct seen seen;
    size_t count, fifos;
    uint64_t missed;
    run("u280_100g", PASSES, &seen);
    const struct rnicsim_pass *passes = rnicsim_passes(seen.sim, &count, &missed);
    CU_ASSERT_EQUAL(missed, 0);
    fifos = rnicsim_fifo_count(seen.sim);
    uint64_t *pushes = calloc(fifos, sizeof *pushes);
    CU_ASSERT_PTR_NOT_NULL_FATAL(pushes);
    for (size_t i = 0; i < count; i++) {
        const struct rnicsim_pass *pass = &passes[i];
        CU_ASSERT(pass->start_ps < pass->head_ps && pass->head_ps <= pass->tail_ps);
        CU_ASSERT(pass->request <= REQUESTS && pass->what != NULL);
        pushes[pass->fifo]++;
    }
    for (size_t i = 0; i < fifos; i++) {
        struct rnicsim_fifo_info info;
        struct rnicsim_clock write, read;
        rnicsim_fifo(seen.sim, i, &info);
        int has_clocks = rnicsim_fifo_clocks(seen.sim, i, &write, &read) == RNICSIM_OK;
        CU_ASSERT_EQUAL(has_clocks, strstr(info.name, "buffer") == NULL && strcmp(info.path, "core") != 0);
        if (has_clocks)
            CU_ASSERT_EQUAL(pushes[i], info.pushes);
    }
    /* the last packet of a request comes out of the port's FIFO when its stamp says so */
    for (size_t e = 0; e < seen.count; e++) {
        int64_t judged_ps = 0;
        if (seen.event[e].kind != RNICSIM_SEND_DONE)
            continue;
        for (size_t i = 0; i < count; i++) {
            struct rnicsim_fifo_info info;
            rnicsim_fifo(seen.sim, passes[i].fifo, &info);
            if (passes[i].request == seen.event[e].request && strcmp(info.name, "dispatch_fifo") == 0)
                judged_ps = passes[i].tail_ps > judged_ps ? passes[i].tail_ps : judged_ps;
        }
        CU_ASSERT_EQUAL(judged_ps, seen.event[e].stamp_ps[RNICSIM_AT_JUDGED]);
    }
    free(pushes);
    rnicsim_destroy(seen.sim);
}

static void test_wrong(void)
{
    static struct seen seen;
    struct rnicsim_error error;
    struct rnicsim *sim;
    CU_ASSERT_EQUAL_FATAL(create("u280_100g", NOTHING, &sim, &error), 0);
    CU_ASSERT_EQUAL(rnicsim_incidents_watch(sim, &always, 0, 10, &error), RNICSIM_EINPUT);
    CU_ASSERT_EQUAL(rnicsim_passes_watch(sim, &always, 1, 0, &error), RNICSIM_EINPUT);
    rnicsim_destroy(sim);
    run("u280_100g", NOTHING, &seen);
    CU_ASSERT_EQUAL(rnicsim_passes_watch(seen.sim, &always, 1, 10, &error), RNICSIM_EINPUT);
    rnicsim_destroy(seen.sim);
    /* what does not fit is counted */
    size_t count;
    uint64_t missed;
    CU_ASSERT_EQUAL_FATAL(create("u280_100g", NOTHING, &sim, &error), 0);
    CU_ASSERT_EQUAL(rnicsim_passes_watch(sim, &always, 1, 1, &error), RNICSIM_OK);
    struct rnicsim_wr wr = {.length_bytes = 64, .opcode = RNICSIM_WRITE, .flags = RNICSIM_SIGNALLED};
    CU_ASSERT_EQUAL(rnicsim_post_send(sim, 0, 7, &wr, 1, 0, &error), 0);
    CU_ASSERT_EQUAL(rnicsim_advance(sim, 100000000, NULL, &error), 0);
    rnicsim_passes(sim, &count, &missed);
    CU_ASSERT(count == 1 && missed > 0);
    rnicsim_destroy(sim);
}

void suite_api_watch(void)
{
    CU_pSuite suite = CU_add_suite("api/watch", NULL, NULL);
    CU_add_test(suite, "who watches changes nothing", test_no_change);
    CU_add_test(suite, "passes are what was", test_passes);
    CU_add_test(suite, "what is refused, and what does not fit", test_wrong);
}
