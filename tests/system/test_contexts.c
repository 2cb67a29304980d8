/* Contexts that are not all on chip, on the whole model: hits against stack distances, the knee of the message rate against the number
 * of QPs, what a miss costs, pages touched, walks, write-backs, and that nothing depends on how far deciders run ahead. */
#include "tests/system/scenario.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_system_contexts_slow(void);

static struct rnicsim_cache_info cache_of(struct rnicsim *sim, const char *nic, const char *name)
{
    struct rnicsim_cache_info cache;
    for (size_t i = 0; i < rnicsim_cache_count(sim); i++) {
        CU_ASSERT_EQUAL_FATAL(rnicsim_cache(sim, i, &cache), RNICSIM_OK);
        if (strcmp(cache.nic, nic) == 0 && strcmp(cache.name, name) == 0)
            return cache;
    }
    CU_FAIL_FATAL("no such cache");
    return cache;
}

static uint64_t tlps_of(struct rnicsim *sim, const char *nic, const char *kind)
{
    uint64_t tlps = 0;
    for (size_t i = 0; i < rnicsim_tlp_count(sim); i++) {
        struct rnicsim_tlp_info tlp;
        rnicsim_tlp(sim, i, &tlp);
        if (strcmp(tlp.nic, nic) == 0 && strcmp(tlp.kind, kind) == 0 && strcmp(tlp.direction, "up") == 0)
            tlps += tlp.tlps;
    }
    return tlps;
}

/* ---- the knee ---- */

/* Small messages of so many QPs in turn, one of each under way; the host posts faster than the scheduler grants. */
static double rate_mps(uint32_t qps, uint32_t rounds, uint32_t entries, uint32_t misses, struct rnicsim **sim)
{
    char text[3][64];
    struct scenario s = scenario_default();
    snprintf(text[0], sizeof text[0], "nic.qpc_entries=%u", entries);
    snprintf(text[1], sizeof text[1], "nic.qpc_ways=%u", entries > 0 ? entries : 1);
    snprintf(text[2], sizeof text[2], "nic.qpc_misses=%u", misses);
    for (int i = 0; i < 3; i++)
        s.set[s.sets++] = text[i];
    s.set[s.sets++] = "host.post_cost=1 ns";
    s.length_bytes = 32;
    s.flags = RNICSIM_INLINE;
    s.qps = qps;
    s.outstanding = 1;
    s.set[s.sets++] =
        "stage.rx.cdc.depth=65536 beats"; /* the receiver may be the slower one for a while: no frame is to be lost */
    s.messages = rounds * qps + 4000;
    struct scenario_result result = scenario_run(&s, sim);
    CU_ASSERT_FATAL(!result.failed && result.done == s.messages);
    return (result.done - 1) * 1e6 / (double)(result.last_done_ps - result.first_done_ps);
}

/* LRU and QPs in turn: with one QP more than entries nothing hits any more. */
static void the_knee_lies_at_the_entries(void)
{
    for (uint32_t entries = 64; entries <= 1024; entries *= 4) {
        struct rnicsim *sim;
        double all_on_chip = rate_mps(entries, 30, 0, 8, &sim);
        CU_ASSERT(cache_of(sim, "a", "qpc").hits == 0 && tlps_of(sim, "a", "context read") == 0);
        rnicsim_destroy(sim);
        double at = rate_mps(entries, 30, entries, 8, &sim);
        CU_ASSERT_EQUAL(cache_of(sim, "a", "qpc").misses, entries); /* each once */
        CU_ASSERT_EQUAL(cache_of(sim, "b", "qpc").misses, entries);
        CU_ASSERT_EQUAL(cache_of(sim, "a", "qpc").evictions, 0);
        rnicsim_destroy(sim);
        double beyond = rate_mps(entries + 1, 30, entries, 8, &sim);
        struct rnicsim_cache_info b = cache_of(sim, "b", "qpc");
        CU_ASSERT(b.hits + b.joined < b.misses / 30);
        rnicsim_destroy(sim);
        CU_ASSERT(at > 0.85 * all_on_chip); /* the first accesses miss, an eighth of all */
        CU_ASSERT(beyond < 0.5 * at);
        if (!(at > 0.85 * all_on_chip && beyond < 0.5 * at) || getenv("RNICSIM_PRINT"))
            printf("\n    %4u entries: %.2f M/s on chip, %.2f at the knee, %.2f with one QP more", entries, all_on_chip,
                   at, beyond);
    }
}

/* Beyond it the fetches are busy all the time: misses x latency / outstanding misses. */
static void beyond_the_knee_misses_bind(void)
{
    for (uint32_t qps = 512; qps <= 4096; qps *= 2)
        for (uint32_t misses = 1; misses <= 8; misses *= 2) {
            struct rnicsim *sim;
            double rate = rate_mps(qps, 5, 256, misses, &sim);
            struct rnicsim_cache_info a = cache_of(sim, "a", "qpc");
            struct rnicsim_totals totals;
            rnicsim_totals(sim, &totals);
            double each = (double)a.misses / (double)totals.requests,
                   latency_us = (double)a.fetch_ps / (double)a.misses / 1e6;
            double formula = misses / (each * latency_us);
            CU_ASSERT(fabs(rate / formula - 1) < 0.05);
            if (fabs(rate / formula - 1) >= 0.05 || getenv("RNICSIM_PRINT"))
                printf("\n    %4u QPs, 256 entries, %u misses: %.3f M/s, formula %.3f (%+.1f %%)", qps, misses, rate,
                       formula, 100 * (rate / formula - 1));
            CU_ASSERT(each > 1.9 && each < 2.1); /* the grant, and the ACK so much later */
            CU_ASSERT(scenario_share(sim, "a", "scheduler", RNICSIM_CONTEXT_MISS) > 0.5);
            rnicsim_destroy(sim);
        }
}

/* ---- hits against stack distances ---- */

#define RANDOM_QPS 300u
#define RANDOM_MESSAGES 12000u

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 33;
}

/* Zipf by a table of running sums; s = 0: all alike. */
static uint32_t pick_qp(uint64_t *state, const double *sum)
{
    double at = (double)next_random(state) / 2147483648.0 * sum[RANDOM_QPS - 1];
    uint32_t qp = 0;
    while (qp < RANDOM_QPS - 1 && sum[qp] <= at)
        qp++;
    return qp;
}

/* A plain stack of QPs a set, the newest first: 1 when the QP is among the first `ways`. */
static int stack_hits(uint32_t *stack, uint32_t *height, uint32_t qp, uint32_t ways)
{
    uint32_t at = 0;
    while (at < *height && stack[at] != qp)
        at++;
    int hits = at < *height && at < ways;
    if (at == *height)
        ++*height;
    memmove(stack + 1, stack, at * sizeof *stack);
    stack[0] = qp;
    return hits;
}

static struct rnicsim *random_system(uint32_t entries, uint32_t ways)
{
    char text[2][64];
    const char *set[] = {text[0], text[1], "host.post_cost=20 ns"};
    struct rnicsim_options options = {
        .board = "u280_100g", .set = set, .set_count = 3, .seed = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct rnicsim *sim;
    struct rnicsim_error error;
    snprintf(text[0], sizeof text[0], "nic.qpc_entries=%u", entries);
    snprintf(text[1], sizeof text[1], "nic.qpc_ways=%u", ways);
    CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &sim, &error), RNICSIM_OK);
    for (uint32_t qp = 0; qp < 2 * RANDOM_QPS; qp++) {
        struct rnicsim_qp_attr attr = {.host = qp % 2,
                                       .qpn = qp / 2 + 1,
                                       .peer_host = 1 - qp % 2,
                                       .peer_qpn = qp / 2 + 1,
                                       .mtu_bytes = 4096,
                                       .sq_depth = 64};
        CU_ASSERT_EQUAL_FATAL(rnicsim_qp_create(sim, &attr, &error), RNICSIM_OK);
    }
    return sim;
}

/* The order in which the receiver's packets are dispatched is the one in which their writes become visible. */
static void check_random(uint32_t entries, uint32_t ways, const double *sum)
{
    struct rnicsim *sim = random_system(entries, ways);
    struct rnicsim_error error;
    uint32_t sets = entries / ways, posted = 0, seen = 0;
    uint32_t *stack = calloc((size_t)sets * RANDOM_QPS, sizeof *stack), *height = calloc(sets, sizeof *height);
    uint64_t random = 7, hits = 0;
    CU_ASSERT_FATAL(stack != NULL && height != NULL);
    while (seen < RANDOM_MESSAGES) {
        for (; posted < RANDOM_MESSAGES && posted < seen + 24; posted++) {
            struct rnicsim_wr wr = {
                .remote_address = 1u << 25, .length_bytes = 8, .opcode = RNICSIM_WRITE, .flags = RNICSIM_SIGNALLED};
            CU_ASSERT_EQUAL_FATAL(
                rnicsim_post_send(sim, 0, pick_qp(&random, sum) + 1, &wr, 1, rnicsim_now(sim), &error), RNICSIM_OK);
        }
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(sim, RNICSIM_NEVER, NULL, &error), RNICSIM_OK);
        struct rnicsim_event event[64];
        for (size_t n; (n = rnicsim_poll(sim, event, 64)) > 0;)
            for (size_t i = 0; i < n; i++)
                if (event[i].kind == RNICSIM_WRITE_VISIBLE) {
                    uint32_t qp = event[i].qpn - 1;
                    hits +=
                        (uint64_t)stack_hits(stack + (size_t)(qp % sets) * RANDOM_QPS, &height[qp % sets], qp, ways);
                    seen++;
                }
    }
    struct rnicsim_cache_info b = cache_of(sim, "b", "qpc");
    CU_ASSERT_EQUAL(b.hits + b.joined, hits);
    CU_ASSERT_EQUAL(b.hits + b.joined + b.misses, RANDOM_MESSAGES);
    CU_ASSERT_EQUAL(tlps_of(sim, "b", "context read"), b.misses);
    CU_ASSERT_EQUAL(tlps_of(sim, "b", "context write"), b.written_back);
    CU_ASSERT_EQUAL(b.written_back, b.evictions); /* each use changes it */
    rnicsim_destroy(sim);
    free(stack);
    free(height);
}

static void hits_equal_stack_distances(void)
{
    static const double exponents[] = {0, 0.7, 1.1};
    static const uint32_t shapes[][2] = {{64, 64}, {64, 2}, {100, 25}, {256, 1}};
    double sum[RANDOM_QPS];
    for (int e = 0; e < 3; e++) {
        double total = 0;
        for (uint32_t qp = 0; qp < RANDOM_QPS; qp++)
            sum[qp] = total += pow(qp + 1, -exponents[e]);
        for (int s = 0; s < 4; s++)
            check_random(shapes[s][0], shapes[s][1], sum);
    }
}

/* ---- what a miss costs ---- */

static int64_t latency_ps(const struct scenario *s, struct rnicsim **sim)
{
    struct scenario_result result = scenario_run(s, sim);
    CU_ASSERT_FATAL(!result.failed && result.done == 1 && result.last.status == 0);
    return result.last.at_ps - result.last.stamp_ps[RNICSIM_AT_POST];
}

static struct scenario one_message(uint32_t bytes)
{
    struct scenario s = scenario_default();
    s.length_bytes = bytes;
    s.outstanding = s.messages = 1;
    return s;
}

/* A cold message is later by what it waits for: all fetches, one after the other, and a few cycles to ask and to come back. */
static void a_cold_message_is_later_by_its_fetches(void)
{
    static const struct {
        const char *set[6];
        uint32_t fetches_a, fetches_b; /* on the way of the message */
    } row[] = {{{"nic.qpc_entries=4"}, 1, 1},
               {{"nic.qpc_entries=4", "nic.mpt_entries=4"}, 2, 2},
               {{"nic.qpc_entries=4", "nic.mpt_entries=4", "nic.mtt_entries=4"}, 3, 3},
               {{"nic.qpc_entries=4", "nic.cqc_entries=4", "nic.mpt_entries=4", "nic.mtt_entries=4"}, 4, 3},
               {{"nic.mtt_entries=8", "nic.mtt_levels=3"}, 3, 3}};
    struct rnicsim *sim;
    struct scenario s = one_message(256);
    int64_t warm = latency_ps(&s, &sim);
    rnicsim_destroy(sim);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        s = one_message(256);
        for (int k = 0; row[i].set[k]; k++)
            s.set[s.sets++] = row[i].set[k];
        int64_t cold = latency_ps(&s, &sim), fetches = 0;
        uint64_t misses[2] = {0, 0};
        for (size_t c = 0; c < rnicsim_cache_count(sim); c++) {
            struct rnicsim_cache_info cache;
            rnicsim_cache(sim, c, &cache);
            misses[cache.nic[0] == 'b'] += cache.misses;
            fetches += cache.fetch_ps;
        }
        CU_ASSERT_EQUAL(misses[0], row[i].fetches_a);
        CU_ASSERT_EQUAL(misses[1], row[i].fetches_b);
        CU_ASSERT(cold - warm >= fetches - 50000 && cold - warm <= fetches + 100000);
        if (!(cold - warm >= fetches - 50000 && cold - warm <= fetches + 100000))
            printf("\n    row %zu: later by %lld ps, fetches %lld ps", i, (long long)(cold - warm), (long long)fetches);
        rnicsim_destroy(sim);
    }
}

/* Addresses of a scenario are 2^24 and 2^25: aligned. A page of 4 KiB is touched for each begun. */
static void pages_touched(void)
{
    static const struct {
        uint32_t offset, bytes, pages;
    } row[] = {{0, 4096, 1}, {1, 4096, 2}, {4095, 1, 1}, {4095, 2, 2}, {2048, 16384, 5}, {0, 16384, 4}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int levels = 1; levels <= 4; levels++) {
            char text[32];
            const char *set[] = {"nic.mtt_entries=64", "nic.mtt_bytes=8 B", text};
            snprintf(text, sizeof text, "nic.mtt_levels=%d", levels);
            struct rnicsim_options options = {.board = "u280_100g",
                                              .set = set,
                                              .set_count = 3,
                                              .seed = 1,
                                              .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
            struct rnicsim *sim;
            struct rnicsim_error error;
            CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &sim, &error), RNICSIM_OK);
            for (uint32_t host = 0; host < 2; host++) {
                struct rnicsim_qp_attr attr = {
                    .host = host, .qpn = 1, .peer_host = 1 - host, .peer_qpn = 1, .mtu_bytes = 4096, .sq_depth = 1};
                CU_ASSERT_EQUAL_FATAL(rnicsim_qp_create(sim, &attr, &error), RNICSIM_OK);
            }
            struct rnicsim_wr wr = {.local_address = (1u << 24) + row[i].offset,
                                    .remote_address = 1u << 25,
                                    .length_bytes = row[i].bytes,
                                    .opcode = RNICSIM_WRITE,
                                    .flags = RNICSIM_SIGNALLED};
            CU_ASSERT_EQUAL_FATAL(rnicsim_post_send(sim, 0, 1, &wr, 1, 0, &error), RNICSIM_OK);
            while (rnicsim_next_at(sim) != RNICSIM_NEVER)
                CU_ASSERT_EQUAL_FATAL(rnicsim_advance(sim, RNICSIM_NEVER, NULL, &error), RNICSIM_OK);
            /* the first page walks down all levels; the others of a table of 512 find the upper ones */
            CU_ASSERT_EQUAL(cache_of(sim, "a", "mtt").misses, row[i].pages + (uint32_t)levels - 1);
            CU_ASSERT_EQUAL(cache_of(sim, "b", "mtt").misses, (row[i].bytes + 4095) / 4096 + (uint32_t)levels - 1);
            rnicsim_destroy(sim);
        }
}

/* ---- what must not matter, where misses are everywhere ---- */

static void misses_do_not_depend_on_the_horizon(void)
{
    static const char *const replacement[] = {"nic.qpc_replacement=lru", "nic.qpc_replacement=random",
                                              "nic.qpc_replacement=plru"};
    for (int i = 0; i < 18; i++) {
        struct scenario s = scenario_default();
        s.set[s.sets++] = i % 2 ? "nic.qpc_entries=8" : "nic.qpc_entries=16";
        s.set[s.sets++] = i < 9 ? "nic.qpc_ways=4" : "nic.qpc_ways=8";
        s.set[s.sets++] = replacement[i % 3];
        s.set[s.sets++] = i % 4 ? "nic.qpc_misses=3" : "nic.qpc_misses=1";
        s.set[s.sets++] = "nic.cqc_entries=8";
        s.set[s.sets++] = "nic.mtt_entries=4";
        s.set[s.sets++] = i % 5 ? "nic.mtt_levels=2" : "nic.mtt_levels=1";
        s.set[s.sets++] = "nic.mpt_entries=2";
        s.set[s.sets++] = i % 3 == 1 ? "nic.context_writes=1" : "nic.context_writes=32";
        s.set[s.sets++] = i % 6 == 5 ? "transport.ack_point=visible" : "transport.ack_point=accepted";
        s.qps = 24;
        s.outstanding = 4;
        s.messages = 1200;
        s.length_bytes = i % 3 == 0 ? 32 : i % 3 == 1 ? 3000 : 9000;
        s.flags = i % 3 == 0 ? RNICSIM_INLINE : 0;
        s.opcode = i % 4 == 3 ? RNICSIM_SEND : RNICSIM_WRITE;
        struct rnicsim *sim;
        struct scenario_result reference = scenario_run(&s, &sim);
        struct rnicsim_cache_info a = cache_of(sim, "a", "qpc"), b = cache_of(sim, "b", "qpc");
        rnicsim_destroy(sim);
        CU_ASSERT(!reference.failed && (reference.done == s.messages || reference.totals.drops > 0) && a.misses > 100 &&
                  b.misses > 100);
        for (int change = 0; change < 4; change++) {
            struct scenario changed = s;
            changed.horizon_off = change == 0;
            changed.spurious_seed = change == 1 ? 11 : change == 3 ? 12345 : 0;
            changed.shift_ps = change == 2 ? 123456789 : 0;
            struct scenario_result result = scenario_run(&changed, &sim);
            struct rnicsim_cache_info again = cache_of(sim, "a", "qpc");
            if (result.digest != reference.digest)
                printf("\n    case %d, change %d: %u of %u done, drops %llu and %llu", i, change, result.done,
                       reference.done, (unsigned long long)result.totals.drops,
                       (unsigned long long)reference.totals.drops);
            CU_ASSERT_EQUAL(result.digest, reference.digest);
            CU_ASSERT(again.hits == a.hits && again.misses == a.misses && again.wait_ps == a.wait_ps &&
                      again.port_waits == a.port_waits);
            rnicsim_destroy(sim);
        }
    }
}

/* Every read over PCIe is refused: contexts, too. Each request ends with an error, none is left. */
static void contexts_that_cannot_be_read(void)
{
    struct scenario s = scenario_default();
    s.set[s.sets++] = "nic.qpc_entries=8";
    s.set[s.sets++] = "pcie.refused_reads=999999 ppm";
    s.qps = 4;
    s.outstanding = 4;
    s.messages = 16;
    struct rnicsim *sim;
    struct scenario_result result = scenario_run(&s, &sim);
    CU_ASSERT(!result.failed && result.done == 16);
    CU_ASSERT_EQUAL(result.totals.errors, 16);
    CU_ASSERT_EQUAL(cache_of(sim, "a", "qpc").failed, 4);
    rnicsim_destroy(sim);
}

void suite_system_contexts_slow(void)
{
    CU_pSuite suite = CU_add_suite("system: contexts", NULL, NULL);
    CU_add_test(suite, "the knee lies at the entries", the_knee_lies_at_the_entries);
    CU_add_test(suite, "beyond the knee misses bind", beyond_the_knee_misses_bind);
    CU_add_test(suite, "hits equal stack distances", hits_equal_stack_distances);
    CU_add_test(suite, "a cold message is later by its fetches", a_cold_message_is_later_by_its_fetches);
    CU_add_test(suite, "pages touched", pages_touched);
    CU_add_test(suite, "misses do not depend on the horizon", misses_do_not_depend_on_the_horizon);
    CU_add_test(suite, "contexts that cannot be read", contexts_that_cannot_be_read);
}
