/* Grants of whole requests: one turn of the scheduler a request, a table of requests that is taken at the grant, places of fetches that are
 * held longer than the read. */
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>
#include <string.h>

static struct scenario granting(const char *const *set, size_t sets)
{
    static const char *const common[] = {"nic.grant=request", "host.push=off", "nic.wqe_cache=64",
                                         "nic.wqe_prefetch=16", "transport.window=8388608"};
    struct scenario s = scenario_default();
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        s.set[s.sets++] = common[i];
    for (size_t i = 0; i < sets; i++)
        s.set[s.sets++] = set[i];
    s.flags = RNICSIM_SIGNALLED;
    s.length_bytes = 64;
    s.outstanding = 64;
    s.batch = 64;
    s.qps = 8;
    s.messages = 4096;
    return s;
}

static double apart_cyc(const struct scenario *s, struct rnicsim **sim)
{
    struct scenario_result result = scenario_run(s, sim);
    CU_ASSERT_EQUAL(result.done, s->messages);
    return (double)(result.last_done_ps - result.first_done_ps) / 4000.0 / (s->messages - 1);
}

static uint64_t grants(struct rnicsim *sim)
{
    struct rnicsim_stage_info info;
    for (size_t i = 0; i < rnicsim_stage_count(sim); i++)
        if (rnicsim_stage(sim, i, &info) == RNICSIM_OK && info.nic[0] == 'a' && strcmp(info.name, "scheduler") == 0)
            return info.items;
    return 0;
}

/* A fetch and its packets cost one turn; of a message of 20,000 B that are five packets. */
static void one_turn_a_request(void)
{
    for (int is_long = 0; is_long <= 1; is_long++) {
        struct rnicsim *sim;
        struct scenario s = granting(0, 0);
        s.messages = 512;
        s.length_bytes = is_long ? 20000 : 64;
        apart_cyc(&s, &sim);
        CU_ASSERT_EQUAL(grants(sim), 512);
        rnicsim_destroy(sim);
        s.set[0] = "nic.grant=step";
        s.set[s.sets++] = "nic.wqe_fetch_most=1";
        apart_cyc(&s, &sim);
        CU_ASSERT_EQUAL(grants(sim), is_long ? 512 * 6 : 512 * 2);
        rnicsim_destroy(sim);
    }
}

/* Little's law, the host's reads being 4 us: so many fetches under way, each with its place until so long after. */
static void places_of_fetches(void)
{
    double cyc[2];
    for (int held = 0; held <= 1; held++) {
        const char *set[] = {"nic.wqe_reads=4", held ? "nic.wqe_hold=1000 cycle" : "nic.wqe_hold=0 cycle",
                             "pcie.host_read=4 us", "pcie.skips=off"};
        struct scenario s = granting(set, 4);
        cyc[held] = apart_cyc(&s, 0);
    }
    CU_ASSERT(cyc[0] > 1050.0 / 4 && cyc[0] < 1150.0 / 4);
    CU_ASSERT_DOUBLE_EQUAL(cyc[1] - cyc[0], 1000.0 / 4, 2.5);
}

/* A table of requests, each held from its grant, over two reads of 4 us, until it is complete; and longer. */
static void places_of_requests(void)
{
    double cyc[2];
    for (int held = 0; held <= 1; held++) {
        const char *set[] = {"nic.requests=8", held ? "nic.request_hold=801 cycle" : "nic.request_hold=1 cycle",
                             "pcie.host_read=4 us", "pcie.skips=off", "nic.wqe_reads=64"};
        struct scenario s = granting(set, 5);
        cyc[held] = apart_cyc(&s, 0);
    }
    CU_ASSERT(cyc[0] > 2200.0 / 8 && cyc[0] < 2700.0 / 8); /* two reads, and the way to the peer and back */
    CU_ASSERT_DOUBLE_EQUAL(cyc[1] - cyc[0], 800.0 / 8, 2.5);
}

/* Requests whose packets cannot go on wait in order: for payload buffer, for a read, for the window. */
static void what_follows_waits(void)
{
    static const char *const row[][2] = {{"nic.payload_buffer=8 KiB", "nic.operations=64"},
                                         {"nic.payload_buffer=128 KiB", "nic.operations=1"},
                                         {"transport.window=2", "nic.operations=64"}};
    for (int i = 0; i < 3; i++) {
        struct scenario s = granting(row[i], 2);
        s.length_bytes = 10000;
        s.messages = 512;
        apart_cyc(&s, 0);
    }
}

void suite_system_grants(void);
void suite_system_grants(void)
{
    CU_pSuite suite = CU_add_suite("system: grants of requests", NULL, NULL);
    CU_add_test(suite, "one turn a request", one_turn_a_request);
    CU_add_test(suite, "places of fetches", places_of_fetches);
    CU_add_test(suite, "places of requests", places_of_requests);
    CU_add_test(suite, "what follows waits", what_follows_waits);
}
