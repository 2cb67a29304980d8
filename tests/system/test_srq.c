/* Shared receive queues, on the whole model: order, the rate of the context's loop, WQEs that are fetched, the limit's event, contexts on chip, empty
 * queues, and what is refused. */
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_system_srq_slow(void);

#define SRQN 7u
#define CYCLE_PS 4000 /* of u280_100g's user clock */
#define EVENTS_MAX 4096u

static struct scenario sending(uint32_t qps, uint32_t messages)
{
    struct scenario s = scenario_default();
    s.opcode = RNICSIM_SEND;
    s.length_bytes = 64;
    s.flags = RNICSIM_INLINE;
    s.qps = qps;
    s.outstanding = messages;
    s.messages = messages;
    s.has_srq = 1;
    s.set[s.sets++] = "stage.rx.cdc.depth=65536 beats";
    s.set[s.sets++] = "host.post_cost=20 ns";
    return s;
}

struct pair {
    struct rnicsim *sim;
    struct rnicsim_event event[EVENTS_MAX];
    uint32_t events;
};

/* QPs of host 0 and of host 1, which has so many SRQs, of which QP q takes number q modulo that. */
static void open_pair(struct pair *pair, const char *const *set, size_t sets, uint32_t qps, uint32_t srqs,
                      uint32_t depth)
{
    struct rnicsim_options options = {
        .board = "u280_100g", .set = set, .set_count = sets, .seed = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct rnicsim_error error;
    pair->events = 0;
    CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &pair->sim, &error), RNICSIM_OK);
    for (uint32_t i = 0; i < srqs; i++) {
        struct rnicsim_srq_attr srq = {.host = 1, .srqn = SRQN + i, .depth = depth};
        CU_ASSERT_EQUAL_FATAL(rnicsim_srq_create(pair->sim, &srq, &error), RNICSIM_OK);
    }
    for (uint32_t i = 0; i < 2 * qps; i++) {
        struct rnicsim_qp_attr attr = {.host = i % 2,
                                       .qpn = i / 2 + 1,
                                       .peer_host = 1 - i % 2,
                                       .peer_qpn = i / 2 + 1,
                                       .mtu_bytes = 1024,
                                       .sq_depth = 256,
                                       .srqn = i % 2 ? SRQN + i / 2 % srqs : 0};
        CU_ASSERT_EQUAL_FATAL(rnicsim_qp_create(pair->sim, &attr, &error), RNICSIM_OK);
    }
}

static int post_receives(struct pair *pair, uint32_t srqn, uint64_t first, uint32_t count)
{
    struct rnicsim_error error;
    int result = RNICSIM_OK;
    for (uint32_t i = 0; i < count && result == RNICSIM_OK; i++) {
        struct rnicsim_recv recv = {.wr_id = first + i, .address = 1u << 26, .length_bytes = 8192};
        result = rnicsim_post_srq_recv(pair->sim, 1, srqn, &recv, 1, rnicsim_now(pair->sim), &error);
    }
    return result;
}

static void post_send(struct pair *pair, uint32_t qpn, uint32_t bytes)
{
    struct rnicsim_error error;
    struct rnicsim_wr wr = {
        .local_address = 1u << 24, .length_bytes = bytes, .opcode = RNICSIM_SEND, .flags = RNICSIM_SIGNALLED};
    CU_ASSERT_EQUAL_FATAL(rnicsim_post_send(pair->sim, 0, qpn, &wr, 1, rnicsim_now(pair->sim), &error), RNICSIM_OK);
}

static void run_out(struct pair *pair)
{
    struct rnicsim_error error;
    while (rnicsim_next_at(pair->sim) != RNICSIM_NEVER) {
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(pair->sim, RNICSIM_NEVER, NULL, &error), RNICSIM_OK);
        pair->events += (uint32_t)rnicsim_poll(pair->sim, pair->event + pair->events, EVENTS_MAX - pair->events);
    }
}

static uint32_t count_of(const struct pair *pair, enum rnicsim_event_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pair->events; i++)
        count += pair->event[i].kind == kind;
    return count;
}

/* ---- order ---- */

/* Messages of one to five packets on QPs in turn: buffers are taken in the order of the messages' first packets. */
static void in_order_of_arrival(void)
{
    static struct pair pair;
    static const uint32_t bytes[] = {8, 5000, 64, 3000, 1024};
    uint64_t first[16];
    open_pair(&pair, NULL, 0, 5, 1, 1024);
    CU_ASSERT_EQUAL(post_receives(&pair, SRQN, 0, 200), RNICSIM_OK);
    for (uint32_t i = 0; i < 200; i++)
        post_send(&pair, i % 5 + 1, bytes[i * 7 % 5]);
    run_out(&pair);
    CU_ASSERT_EQUAL_FATAL(count_of(&pair, RNICSIM_RECV_DONE), 200);
    memset(first, 0, sizeof first);
    uint8_t seen[200] = {0};
    for (uint32_t i = 0; i < pair.events; i++) {
        const struct rnicsim_event *event = &pair.event[i];
        if (event->kind != RNICSIM_RECV_DONE)
            continue;
        CU_ASSERT(event->srqn == SRQN && event->wr_id < 200 && !seen[event->wr_id]);
        seen[event->wr_id] = 1;
        CU_ASSERT(event->wr_id >= first[event->qpn]); /* a QP's messages are taken in order */
        first[event->qpn] = event->wr_id + 1;
    }
    rnicsim_destroy(pair.sim);
    /* of one packet each: the order in which they are told of is that in which they came */
    open_pair(&pair, NULL, 0, 5, 1, 1024);
    CU_ASSERT_EQUAL(post_receives(&pair, SRQN, 0, 200), RNICSIM_OK);
    for (uint32_t i = 0; i < 200; i++)
        post_send(&pair, i * 3 % 5 + 1, 64);
    run_out(&pair);
    uint64_t next = 0;
    for (uint32_t i = 0; i < pair.events; i++)
        if (pair.event[i].kind == RNICSIM_RECV_DONE)
            CU_ASSERT_EQUAL(pair.event[i].wr_id, next++);
    CU_ASSERT_EQUAL(next, 200);
    rnicsim_destroy(pair.sim);
}

/* ---- the loop ---- */

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* However many QPs there are, one take a loop: from the second on, each is exactly a loop behind the one before. */
static void rate_of_the_loop(void)
{
    static const uint32_t qps[] = {1, 8, 40}, loop[] = {40, 100, 333};
    static struct pair pair;
    for (int i = 0; i < 9; i++) {
        char text[64];
        const char *set[] = {text, "stage.rx.cdc.depth=65536 beats", "host.post_cost=20 ns"};
        int64_t at[200];
        uint32_t count = 0;
        snprintf(text, sizeof text, "nic.srq_loop=%u cycle", loop[i / 3]);
        open_pair(&pair, set, 3, qps[i % 3], 1, 1024);
        CU_ASSERT_EQUAL(post_receives(&pair, SRQN, 0, 200), RNICSIM_OK);
        for (uint32_t n = 0; n < 200; n++)
            post_send(&pair, n % qps[i % 3] + 1, 64);
        run_out(&pair);
        for (uint32_t n = 0; n < pair.events; n++)
            if (pair.event[n].kind == RNICSIM_SEND_DONE)
                at[count++] = pair.event[n].stamp_ps[RNICSIM_AT_RESPONDED];
        CU_ASSERT_EQUAL_FATAL(count, 200);
        qsort(at, count, sizeof *at, by_time);
        uint32_t apart = 0;
        for (uint32_t n = 101; n < count; n++)
            apart += at[n] - at[n - 1] == (int64_t)loop[i / 3] * CYCLE_PS;
        CU_ASSERT_EQUAL(apart, count - 101);
        if (apart != count - 101)
            printf("\n    %u QPs, loop %u: %u of %u", qps[i % 3], loop[i / 3], apart, count - 101);
        CU_ASSERT(scenario_share(pair.sim, "b", "dispatch", RNICSIM_SRQ_BUSY) > 0.5);
        rnicsim_destroy(pair.sim);
    }
}

/* ---- WQEs that are fetched ---- */

static uint64_t reads_of(struct rnicsim *sim)
{
    uint64_t tlps = 0;
    for (size_t i = 0; i < rnicsim_tlp_count(sim); i++) {
        struct rnicsim_tlp_info tlp;
        rnicsim_tlp(sim, i, &tlp);
        if (tlp.nic[0] == 'b' && strcmp(tlp.kind, "receive WQE read") == 0 && strcmp(tlp.direction, "up") == 0)
            tlps += tlp.tlps;
    }
    return tlps;
}

/* ps from one message to the next. */
static double apart_ps(uint32_t reads, uint32_t fetch, uint32_t srqs)
{
    static struct pair pair;
    struct rnicsim_error error;
    char text[2][64];
    const char *set[] = {text[0],
                         text[1],
                         "stage.rx.cdc.depth=65536 beats",
                         "host.post_cost=20 ns",
                         "pcie.host_read=1 us",
                         "nic.dispatch_fifo=64"};
    snprintf(text[0], sizeof text[0], "nic.receive_reads=%u", reads);
    snprintf(text[1], sizeof text[1], "nic.srq_fetch=%u", fetch);
    open_pair(&pair, set, 6, 16, srqs, 1024);
    for (uint32_t i = 0; i < srqs; i++)
        CU_ASSERT_EQUAL(post_receives(&pair, SRQN + i, 0, 320 / srqs), RNICSIM_OK);
    CU_ASSERT_EQUAL(rnicsim_advance(pair.sim, rnicsim_host_free_at(pair.sim, 1), NULL, &error), RNICSIM_OK);
    for (uint32_t n = 0; n < 320; n++)
        post_send(&pair, n % 16 + 1, 64);
    run_out(&pair);
    int64_t first = 0, last = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < pair.events; i++)
        if (pair.event[i].kind == RNICSIM_RECV_DONE) {
            first = count++ == 0 ? pair.event[i].at_ps : first;
            last = pair.event[i].at_ps;
        }
    CU_ASSERT_EQUAL(count, 320);
    CU_ASSERT_EQUAL(reads_of(pair.sim), 320 / fetch * (fetch > 8 ? fetch / 8 : 1)); /* MRRS is eight WQEs */
    rnicsim_destroy(pair.sim);
    return (double)(last - first) / (count - 1);
}

/* One read of an SRQ at a time, whatever there might be: a block a round trip. QPs with queues of their own would have eight. */
static void fetches_are_of_the_queue(void)
{
    double one = apart_ps(1, 1, 1), eight = apart_ps(8, 1, 1);
    CU_ASSERT(one > 1.2e6 && one < 1.5e6);
    CU_ASSERT_DOUBLE_EQUAL(eight, one, 5000);
    for (uint32_t fetch = 2; fetch <= 16; fetch *= 2)
        CU_ASSERT_DOUBLE_EQUAL(apart_ps(8, fetch, 1) * fetch / one, 1, 0.06);
}

/* ---- the limit ---- */

static void limit_once(void)
{
    static const char *const how[] = {"host.completion=poll", "host.completion=interrupt"};
    static struct pair pair;
    for (int i = 0; i < 2; i++) {
        struct rnicsim_error error;
        struct rnicsim_srq_info info;
        open_pair(&pair, &how[i], 1, 2, 1, 16);
        CU_ASSERT_EQUAL(rnicsim_srq_arm(pair.sim, 1, SRQN, 5, &error), RNICSIM_OK);
        CU_ASSERT_EQUAL(post_receives(&pair, SRQN, 0, 10), RNICSIM_OK);
        for (uint32_t n = 0; n < 5; n++) /* five are left, not fewer */
            post_send(&pair, n % 2 + 1, 64);
        run_out(&pair);
        CU_ASSERT_EQUAL(count_of(&pair, RNICSIM_SRQ_LIMIT), 0);
        post_send(&pair, 1, 64);
        run_out(&pair);
        CU_ASSERT_EQUAL(count_of(&pair, RNICSIM_SRQ_LIMIT), 1);
        for (uint32_t n = 0; n < 3; n++)
            post_send(&pair, n % 2 + 1, 64);
        run_out(&pair);
        CU_ASSERT_EQUAL(count_of(&pair, RNICSIM_SRQ_LIMIT), 1); /* disarmed */
        CU_ASSERT(rnicsim_srq(pair.sim, 1, SRQN, &info) == RNICSIM_OK && info.limit == 0 && info.limits == 1);
        CU_ASSERT_EQUAL(rnicsim_srq_arm(pair.sim, 1, SRQN, 16, &error), RNICSIM_OK);
        CU_ASSERT_EQUAL(post_receives(&pair, SRQN, 10, 15), RNICSIM_OK); /* it holds 16 */
        post_send(&pair, 1, 64);
        run_out(&pair);
        CU_ASSERT_EQUAL(count_of(&pair, RNICSIM_SRQ_LIMIT), 2);
        for (uint32_t n = 0; n < pair.events; n++)
            if (pair.event[n].kind == RNICSIM_SRQ_LIMIT)
                CU_ASSERT(pair.event[n].host == 1 && pair.event[n].srqn == SRQN && pair.event[n].qpn == 0);
        rnicsim_destroy(pair.sim);
    }
}

/* ---- contexts ---- */

#define CACHED_SRQS 48u

static int stack_hits(uint32_t *stack, uint32_t *height, uint32_t key, uint32_t ways)
{
    uint32_t at = 0;
    while (at < *height && stack[at] != key)
        at++;
    int hits = at < *height && at < ways;
    *height += at == *height;
    memmove(stack + 1, stack, at * sizeof *stack);
    stack[0] = key;
    return hits;
}

static struct rnicsim_cache_info srqc_of(struct rnicsim *sim)
{
    struct rnicsim_cache_info cache;
    for (size_t i = 0; rnicsim_cache(sim, i, &cache) == RNICSIM_OK; i++)
        if (cache.nic[0] == 'b' && strcmp(cache.name, "srqc") == 0)
            return cache;
    CU_FAIL_FATAL("no such cache");
    return cache;
}

/* A packet that takes a buffer looks its SRQ's context up, whichever of two QPs it is of; those of a long message that follow do not. */
static void hits_equal_stack_distances(void)
{
    static const uint32_t shape[][2] = {{16, 16}, {16, 2}, {32, 8}, {8, 1}};
    static struct pair pair;
    for (int i = 0; i < 4; i++) {
        static uint32_t stack[32][CACHED_SRQS], height[32];
        uint32_t entries = shape[i][0], ways = shape[i][1], sets = entries / ways;
        uint64_t random = 5, hits = 0, count = 0;
        char text[2][64];
        const char *set[] = {text[0], text[1], "host.post_cost=20 ns"};
        memset(height, 0, sizeof height);
        snprintf(text[0], sizeof text[0], "nic.srqc_entries=%u", entries);
        snprintf(text[1], sizeof text[1], "nic.srqc_ways=%u", ways);
        open_pair(&pair, set, 3, 2 * CACHED_SRQS, CACHED_SRQS, 1024);
        for (uint32_t srq = 0; srq < CACHED_SRQS; srq++)
            CU_ASSERT_EQUAL(post_receives(&pair, SRQN + srq, 0, 1000), RNICSIM_OK);
        struct rnicsim_error error;
        CU_ASSERT_EQUAL(rnicsim_advance(pair.sim, rnicsim_host_free_at(pair.sim, 1), NULL, &error), RNICSIM_OK);
        for (uint32_t n = 0; n < 1000; n++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            uint32_t least = (uint32_t)(random >> 33) % (2 * CACHED_SRQS),
                     other = (uint32_t)(random >> 43) % CACHED_SRQS;
            post_send(&pair, (least < other ? least : other) + 1, n % 3 ? 64 : 1024);
            if (n % 16 == 15)
                run_out(&pair);
        }
        run_out(&pair);
        for (uint32_t n = 0; n < pair.events; n++)
            if (pair.event[n].kind == RNICSIM_RECV_DONE) {
                uint32_t srq = pair.event[n].srqn - SRQN;
                hits += (uint64_t)stack_hits(stack[srq % sets], &height[srq % sets], srq, ways);
                count++;
            }
        struct rnicsim_cache_info cache = srqc_of(pair.sim);
        CU_ASSERT_EQUAL(count, 1000);
        CU_ASSERT_EQUAL(cache.hits + cache.joined, hits);
        CU_ASSERT_EQUAL(cache.hits + cache.joined + cache.misses, count);
        CU_ASSERT_EQUAL(cache.written_back, cache.evictions);
        rnicsim_destroy(pair.sim);
    }
}

/* ---- empty, and what is refused ---- */

/* Whoever finds nothing ends with an RNR error, for good; the others go on with what is posted then. */
static void empty(void)
{
    static const char *const sets[][2] = {{"nic.receive_reads=0", "transport.rnr_retry=0"},
                                          {"nic.receive_reads=4", "transport.rnr_retry=0"}};
    static struct pair pair;
    for (int i = 0; i < 2; i++) {
        struct rnicsim_srq_info info;
        open_pair(&pair, sets[i], 2, 3, 1, 8);
        CU_ASSERT_EQUAL(post_receives(&pair, SRQN, 0, 1), RNICSIM_OK);
        post_send(&pair, 1, 64);
        post_send(&pair, 2, 64);
        run_out(&pair);
        CU_ASSERT_EQUAL(post_receives(&pair, SRQN, 1, 2), RNICSIM_OK);
        post_send(&pair, 3, 64);
        post_send(&pair, 1, 64);
        run_out(&pair);
        CU_ASSERT_EQUAL(count_of(&pair, RNICSIM_RECV_DONE), 3);
        for (uint32_t n = 0; n < pair.events; n++)
            if (pair.event[n].kind == RNICSIM_SEND_DONE)
                CU_ASSERT_EQUAL(pair.event[n].status, pair.event[n].qpn == 2 ? 13u : 0u);
        CU_ASSERT(rnicsim_srq(pair.sim, 1, SRQN, &info) == RNICSIM_OK);
        CU_ASSERT(info.qps == 3 && info.posted == 3 && info.taken == 3 && info.accesses == 4 && info.empty == 1);
        rnicsim_destroy(pair.sim);
    }
}

static void refused(void)
{
    static struct pair pair;
    struct rnicsim_error error;
    struct rnicsim_srq_info info;
    open_pair(&pair, NULL, 0, 1, 1, 4);
    static const struct rnicsim_srq_attr wrong[] = {
        {.host = 2, .srqn = 1, .depth = 1},        {.host = 1, .srqn = 0, .depth = 1},
        {.host = 1, .srqn = 1u << 24, .depth = 1}, {.host = 1, .srqn = 1, .depth = 0},
        {.host = 1, .srqn = 1, .depth = 32769},    {.host = 1, .srqn = 1, .depth = 8, .limit = 9},
        {.host = 1, .srqn = SRQN, .depth = 8}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CU_ASSERT_EQUAL(rnicsim_srq_create(pair.sim, &wrong[i], &error), RNICSIM_EINPUT);
    CU_ASSERT_EQUAL(rnicsim_srq_create(pair.sim, NULL, &error), RNICSIM_EINPUT);
    CU_ASSERT_EQUAL(rnicsim_srq_arm(pair.sim, 1, SRQN, 5, &error), RNICSIM_EINPUT);
    CU_ASSERT_EQUAL(rnicsim_srq_arm(pair.sim, 0, SRQN, 1, &error), RNICSIM_EINPUT);
    CU_ASSERT_EQUAL(rnicsim_srq(pair.sim, 0, SRQN, &info), RNICSIM_EINPUT);
    struct rnicsim_qp_attr qp = {
        .host = 1, .qpn = 9, .peer_host = 0, .peer_qpn = 9, .mtu_bytes = 1024, .sq_depth = 4, .srqn = 99};
    CU_ASSERT_EQUAL(rnicsim_qp_create(pair.sim, &qp, &error), RNICSIM_EINPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "has no SRQ 99"));
    qp.srqn = SRQN;
    qp.rq_depth = 1;
    CU_ASSERT_EQUAL(rnicsim_qp_create(pair.sim, &qp, &error), RNICSIM_EINPUT);
    struct rnicsim_recv recv[5] = {{.wr_id = 1, .address = 1u << 26, .length_bytes = 64}};
    CU_ASSERT_EQUAL(rnicsim_post_recv(pair.sim, 1, 1, recv, 1, 0, &error), RNICSIM_EINPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "allowed is a post to that"));
    CU_ASSERT_EQUAL(rnicsim_post_srq_recv(pair.sim, 1, SRQN, recv, 5, 0, &error), RNICSIM_EINPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "receive queue full: SRQ 7"));
    CU_ASSERT_EQUAL(rnicsim_post_srq_recv(pair.sim, 1, SRQN, recv, 0, 0, &error), RNICSIM_EINPUT);
    CU_ASSERT_EQUAL(rnicsim_post_srq_recv(pair.sim, 1, 8, recv, 1, 0, &error), RNICSIM_EINPUT);
    rnicsim_destroy(pair.sim);
}

/* ---- what must not matter ---- */

static void nothing_depends_on_the_horizon(void)
{
    for (int i = 0; i < 16; i++) {
        struct scenario s = sending(12, 400);
        s.set[s.sets++] = i % 2 ? "nic.receive_reads=4" : "nic.receive_reads=0";
        s.set[s.sets++] = i % 3 ? "nic.srq_fetch=5" : "nic.srq_fetch=1";
        s.set[s.sets++] = i % 4 > 1 ? "nic.srq_loop=60 cycle" : "nic.srq_loop=1 cycle";
        s.set[s.sets++] = i > 7 ? "nic.srqc_entries=2" : "nic.srqc_entries=0";
        s.set[s.sets++] = i % 5 ? "host.completion=poll" : "host.completion=interrupt";
        s.set[s.sets++] = i % 7 ? "nic.event_latency=0 cycle" : "nic.event_latency=40 cycle";
        s.set[s.sets++] = i % 4 == 3 ? "pcie.refused_reads=20000 ppm" : "pcie.refused_reads=0 ppm";
        s.srq_limit = (uint32_t)i % 3;
        s.outstanding = 3;
        s.both_ways = i % 4 == 1;
        s.length_bytes = i % 3 == 2 ? 9000 : 64;
        s.flags = i % 3 == 2 ? 0 : RNICSIM_INLINE;
        struct scenario_result reference = scenario_run(&s, NULL);
        CU_ASSERT(!reference.failed && (reference.done == s.messages || reference.totals.drops > 0));
        for (int change = 0; change < 4; change++) {
            struct scenario changed = s;
            changed.horizon_off = change == 0;
            changed.spurious_seed = change == 1 ? 11 : change == 3 ? 12345 : 0;
            changed.shift_ps = change == 2 ? 123456789 : 0;
            struct scenario_result result = scenario_run(&changed, NULL);
            if (result.digest != reference.digest)
                printf("\n    case %d, change %d: %u of %u done", i, change, result.done, reference.done);
            CU_ASSERT_EQUAL(result.digest, reference.digest);
        }
    }
}

void suite_system_srq_slow(void)
{
    CU_pSuite suite = CU_add_suite("system: shared receive queues", NULL, NULL);
    CU_add_test(suite, "in order of arrival", in_order_of_arrival);
    CU_add_test(suite, "rate of the loop", rate_of_the_loop);
    CU_add_test(suite, "fetches are of the queue", fetches_are_of_the_queue);
    CU_add_test(suite, "limit, once", limit_once);
    CU_add_test(suite, "hits equal stack distances", hits_equal_stack_distances);
    CU_add_test(suite, "empty", empty);
    CU_add_test(suite, "refused", refused);
    CU_add_test(suite, "nothing depends on the horizon", nothing_depends_on_the_horizon);
}
