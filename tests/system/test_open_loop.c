/* Does a queue of the real model keep to queueing theory? Poisson arrivals, one server that is slow, all before it fast:
 * the posting CPU, the doorbell decoder, the QP scheduler.
 *
 * Strict: the n-th leaves when it has come and the one before is done (Lindley), to the picosecond, where "has come" is
 * when it leaves in a second run of the same arrivals with a fast server. Loose: the mean wait is that of M/D/1,
 * load / (2 (1 - load)) services (Pollaczek and Khinchine), within 2 %. */
#include <CUnit/CUnit.h>
#include <stdlib.h>

#include "api/rnicsim.h"
#include "tests/quick.h"
#include "traces/arrivals.h"

void suite_system_open_loop(void);
void suite_system_open_loop_slow(void);

#define QPS 8u
#define SETS 4
#define DEPTH 4096u /* of a send queue and of the FIFO before the server: more than ever wait */
#define COST_FREE "host.post_cost=0 ns", "host.wqe_cost=0 ns"
#define ROOM "stage.doorbell.decode.depth=4096 packets"

struct server {
    const char *name;
    const char *fast[SETS], *slow[SETS];
    enum rnicsim_stamp leaves; /* the stamp that the server sets when it begins with a request */
    int64_t service_ps;
};

static const struct server servers[] = {
    {"posting CPU", {COST_FREE, ROOM}, {"host.post_cost=1 us", "host.wqe_cost=0 ns", ROOM}, RNICSIM_AT_POST, 1000000},
    {"doorbell decoder",
     {COST_FREE, ROOM, "stage.doorbell.decode.interval=1 cycle"},
     {COST_FREE, ROOM, "stage.doorbell.decode.interval=1000 cycle"},
     RNICSIM_AT_DOORBELL,
     4000000}, /* 1,000 cycles of 250 MHz */
    {"QP scheduler",
     {COST_FREE, ROOM, "nic.scheduler_interval=1 cycle"},
     {COST_FREE, ROOM, "nic.scheduler_interval=1000 cycle"},
     RNICSIM_AT_GRANT,
     4000000},
};

#define SERVERS (sizeof servers / sizeof *servers)

/* Times by request, in order. */
struct times {
    size_t count, seen;
    int64_t *due_ps, *left_ps;
};

static struct times make_times(size_t count)
{
    struct times times = {count, 0, calloc(count, sizeof(int64_t)), calloc(count, sizeof(int64_t))};
    if (times.due_ps == NULL || times.left_ps == NULL)
        abort();
    return times;
}

static void free_times(struct times *times)
{
    free(times->due_ps);
    free(times->left_ps);
}

static struct rnicsim *create(const char *const *set)
{
    size_t sets = 0;
    while (sets < SETS && set[sets] != NULL)
        sets++;
    struct rnicsim_options options = {
        .board = "u280_100g", .set = set, .set_count = sets, .seed = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct rnicsim *sim;
    struct rnicsim_error error = {""};
    int result = rnicsim_create(&options, &sim, &error);
    for (uint32_t i = 0; result == RNICSIM_OK && i < 2 * QPS; i++) {
        struct rnicsim_qp_attr qp = {.host = i % 2,
                                     .qpn = i / 2 + 1,
                                     .peer_host = 1 - i % 2,
                                     .peer_qpn = i / 2 + 1,
                                     .mtu_bytes = 4096,
                                     .sq_depth = DEPTH,
                                     .max_inline_bytes = 64};
        result = rnicsim_qp_create(sim, &qp, &error);
    }
    if (result != RNICSIM_OK)
        printf("\n    %s", error.text);
    CU_ASSERT_EQUAL_FATAL(result, RNICSIM_OK);
    return sim;
}

static size_t take_events(struct rnicsim *sim, const struct server *server, struct times *times)
{
    struct rnicsim_event events[64];
    size_t count = rnicsim_poll(sim, events, 64);
    for (size_t i = 0; i < count; i++)
        if (events[i].kind == RNICSIM_SEND_DONE) {
            CU_ASSERT_EQUAL(events[i].stamp_ps[RNICSIM_AT_ARRIVAL], times->due_ps[events[i].wr_id]);
            times->left_ps[events[i].wr_id] = events[i].stamp_ps[server->leaves];
            times->seen++;
        }
    return count;
}

static void advance(struct rnicsim *sim, int64_t until_ps, const struct server *server, struct times *times)
{
    struct rnicsim_error error;
    do {
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(sim, until_ps, NULL, &error), RNICSIM_OK);
        while (take_events(sim, server, times) > 0)
            continue;
    } while (rnicsim_now(sim) < until_ps && times->seen < times->count);
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Small inline WRITEs, one a doorbell, of each QP in turn. The scheduler may take another QP first: what is asked is when
 * the n-th leaves, whichever that is. */
static void run(const struct server *server, int is_slow, double load, struct times *times)
{
    struct rnicsim *sim = create(is_slow ? server->slow : server->fast);
    struct trace_arrivals arrivals = {.arrival = TRACE_POISSON, .seed = 1};
    struct rnicsim_error error;
    arrivals.gap = (unsigned __int128)((double)server->service_ps / load * 0x1p32);
    times->seen = 0;
    for (size_t i = 0; i < times->count; i++) {
        struct rnicsim_wr wr = {.wr_id = i,
                                .length_bytes = 8,
                                .opcode = RNICSIM_WRITE,
                                .flags = RNICSIM_SIGNALLED | RNICSIM_INLINE | RNICSIM_HAS_ARRIVAL};
        times->due_ps[i] = wr.arrival_ps = trace_arrivals_next(&arrivals, i);
        advance(sim, wr.arrival_ps, server, times);
        CU_ASSERT_EQUAL_FATAL(rnicsim_post_send(sim, 0, (uint32_t)(i % QPS) + 1, &wr, 1, wr.arrival_ps, &error),
                              RNICSIM_OK);
    }
    advance(sim, RNICSIM_NEVER, server, times);
    CU_ASSERT_EQUAL_FATAL(times->seen, times->count);
    qsort(times->left_ps, times->count, sizeof *times->left_ps, compare);
    rnicsim_destroy(sim);
}

static void lindley(const struct server *server, double load)
{
    struct times come = make_times(quick_cases(10000)), left = make_times(come.count);
    size_t wrong = 0;
    run(server, 0, load, &come);
    run(server, 1, load, &left);
    int64_t free_ps = 0;
    for (size_t i = 0; i < come.count; i++) {
        int64_t expected_ps = come.left_ps[i] > free_ps ? come.left_ps[i] : free_ps;
        wrong += left.left_ps[i] != expected_ps;
        free_ps = expected_ps + server->service_ps;
    }
    if (wrong > 0)
        printf("\n    %s at load %.2f: %zu of %zu leave at another time", server->name, load, wrong, come.count);
    CU_ASSERT_EQUAL(wrong, 0);
    free_times(&come);
    free_times(&left);
}

static const struct {
    double load;
    size_t requests; /* for a sampling error below 0.9 %, one sigma */
} loads[] = {{0.1, 400000}, {0.3, 200000}, {0.5, 150000}, {0.7, 100000}, {0.9, 100000}, {0.95, 100000}, {0.98, 100000}};

#define LOADS (sizeof loads / sizeof *loads)

static void every_departure(void)
{
    for (size_t i = 0; i < SERVERS; i++)
        for (size_t k = 0; k < LOADS; k++)
            lindley(&servers[i], loads[k].load);
}

/* The mean delay before the server, where nobody waits there. */
static double mean_way_ps(const struct server *server, double load)
{
    struct times times = make_times(10000);
    double sum_ps = 0;
    run(server, 0, load, &times);
    for (size_t i = 0; i < times.count; i++)
        sum_ps += (double)(times.left_ps[i] - times.due_ps[i]);
    sum_ps /= (double)times.count;
    free_times(&times);
    return sum_ps;
}

/* The mean wait, with its sampling error cut, at 98 % load to a thirtieth: a wait does not depend on the gap that follows, so the mean of
 * wait x (gap - mean gap) is zero, and what it is in this sample is taken out (at high loads that leaves what the idle
 * times tell). The sample ends where the server was last idle, so that it holds whole busy periods. */
static double mean_wait_ps(const struct server *server, const struct times *times, double way_ps, double load)
{
    double gap_ps = (double)server->service_ps / load, sum = 0, product = 0, result = 0;
    for (size_t i = 0; i + 1 < times->count; i++) {
        double wait_ps = (double)(times->left_ps[i] - times->due_ps[i]) - way_ps;
        if (i > 0 && wait_ps < 0.002 * (double)server->service_ps) /* a clock cycle's rounding */
            result = (sum + product / (gap_ps - (double)server->service_ps)) / (double)i;
        sum += wait_ps;
        product += wait_ps * ((double)(times->due_ps[i + 1] - times->due_ps[i]) - gap_ps);
    }
    return result;
}

static void mean_wait(const struct server *server, double load, size_t requests)
{
    struct times times = make_times(requests);
    run(server, 1, load, &times);
    double expected_ps = load / (2 * (1 - load)) * (double)server->service_ps;
    double share = mean_wait_ps(server, &times, mean_way_ps(server, load), load) / expected_ps;
    if (share <= 0.98 || share >= 1.02)
        printf("\n    %s at load %.2f: mean wait %.0f ps in theory, the model's differs by %+.2f %%", server->name,
               load, expected_ps, (share - 1) * 100);
    CU_ASSERT(share > 0.98 && share < 1.02);
    free_times(&times);
}

static void every_mean(void)
{
    for (size_t i = 0; i < SERVERS; i++)
        for (size_t k = 0; k < LOADS; k++)
            mean_wait(&servers[i], loads[k].load, loads[k].requests);
}

void suite_system_open_loop(void)
{
    CU_pSuite suite = CU_add_suite("system: open loop", NULL, NULL);
    CU_add_test(suite, "every departure, to the picosecond", every_departure);
}

void suite_system_open_loop_slow(void)
{
    CU_pSuite suite = CU_add_suite("system: open loop, slow", NULL, NULL);
    CU_add_test(suite, "mean wait as M/D/1 from 10 to 98 % load", every_mean);
}
