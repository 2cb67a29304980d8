/* Receive WQEs fetched over PCIe, receive buffers that are held until the payload is written, and what is told of a received message, step by
 * step. */
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>

static struct scenario receiving(const char *const *set, size_t sets)
{
    static const char *const common[] = {"transport.completion=sent", "pcie.skips=off"};
    struct scenario s = scenario_default();
    for (size_t i = 0; i < 2; i++)
        s.set[s.sets++] = common[i];
    for (size_t i = 0; i < sets; i++)
        s.set[s.sets++] = set[i];
    s.opcode = RNICSIM_SEND;
    s.length_bytes = 64;
    return s;
}

struct told {
    int64_t at_ps, delivered_ps; /* of one message, since its post */
};

static struct told one(enum rnicsim_opcode opcode, const char *const *set, size_t sets)
{
    struct rnicsim *sim;
    struct scenario s = receiving(set, sets);
    s.opcode = opcode;
    s.messages = 1;
    scenario_run(&s, &sim);
    struct told told = {0, 0};
    struct rnicsim_event event;
    struct rnicsim_error error;
    while (rnicsim_next_at(sim) != RNICSIM_NEVER && rnicsim_advance(sim, RNICSIM_NEVER, NULL, &error) == RNICSIM_OK)
        while (rnicsim_poll(sim, &event, 1) > 0)
            told = (struct told){event.at_ps, event.delivered_at_ps};
    rnicsim_destroy(sim);
    return told;
}

/* A SEND is delivered so much later as its WQE's read takes; a WRITE, which takes none, is not. 250 cycles more of the host's are 1 us. */
static void a_read_in_the_way(void)
{
    static const char *const on_chip[] = {"host.push=on", "nic.receive_reads=0", "pcie.host_read=500 ns"};
    static const char *const fetched[] = {"host.push=on", "nic.receive_reads=4", "pcie.host_read=500 ns"};
    static const char *const slow_on_chip[] = {"host.push=on", "nic.receive_reads=0", "pcie.host_read=1500 ns"};
    static const char *const slow[] = {"host.push=on", "nic.receive_reads=4", "pcie.host_read=1500 ns"};
    int64_t way = one(RNICSIM_SEND, fetched, 3).delivered_ps - one(RNICSIM_SEND, on_chip, 3).delivered_ps;
    int64_t slow_way = one(RNICSIM_SEND, slow, 3).delivered_ps - one(RNICSIM_SEND, slow_on_chip, 3).delivered_ps;
    CU_ASSERT(way > 700000 && way < 900000); /* with the links' 100 ns each way and the NIC's pipelines */
    CU_ASSERT_DOUBLE_EQUAL((double)(slow_way - way), 1e6, 8000);
    CU_ASSERT_EQUAL(one(RNICSIM_WRITE, fetched, 3).delivered_ps, one(RNICSIM_WRITE, on_chip, 3).delivered_ps);
}

/* What comes after the last SEND_DONE: the receiver may be far behind. Returns cycles from one delivery to the next, and how many came. */
static double drain(struct rnicsim *sim, int64_t *count)
{
    struct rnicsim_event event;
    struct rnicsim_error error;
    int64_t first = 0, last = 0;
    for (*count = 0;
         rnicsim_next_at(sim) != RNICSIM_NEVER && rnicsim_advance(sim, RNICSIM_NEVER, NULL, &error) == RNICSIM_OK;)
        while (rnicsim_poll(sim, &event, 1) > 0) {
            if (event.kind != RNICSIM_RECV_DONE)
                continue;
            first = (*count)++ == 0 ? event.delivered_at_ps : first;
            last = event.delivered_at_ps;
        }
    return (double)(last - first) / 4000.0 / (double)(*count - 1);
}

static double delivered_apart_cyc(const char *const *set, size_t sets)
{
    struct scenario s = receiving(set, sets);
    s.qps = 4;
    s.messages = 1000;
    struct rnicsim *sim;
    struct rnicsim_totals totals;
    int64_t count;
    scenario_run(&s, &sim);
    double cyc = drain(sim, &count);
    rnicsim_totals(sim, &totals);
    CU_ASSERT_EQUAL(totals.receives, 1000);
    rnicsim_destroy(sim);
    CU_ASSERT_FATAL(count > 300);
    return cyc;
}

/* Little's law: so many fetches over a read of 2 us and the links', each place held longer by nic.wqe_hold; so many buffers over the same
 * and the write, longer by nic.write_status. */
static void places(void)
{
    static const char *const reads[] = {"pcie.host_read=2 us", "nic.receive_reads=3", "host.push=on",
                                        "nic.dispatch_fifo=64", "nic.wqe_hold=0 cycle"};
    static const char *const held[] = {"pcie.host_read=2 us", "nic.receive_reads=3", "host.push=on",
                                       "nic.dispatch_fifo=64", "nic.wqe_hold=300 cycle"};
    double cyc = delivered_apart_cyc(reads, 5);
    CU_ASSERT(cyc > 550.0 / 3 && cyc < 610.0 / 3);
    CU_ASSERT_DOUBLE_EQUAL(delivered_apart_cyc(held, 5) - cyc, 300.0 / 3, 2);
    static const char *const buffers[] = {
        "pcie.host_read=2 us", "nic.receive_reads=64",       "host.push=on",
        "nic.dispatch_fifo=3", "nic.dispatch_place=written", "nic.write_status=310 cycle"};
    static const char *const longer[] = {
        "pcie.host_read=2 us", "nic.receive_reads=64",       "host.push=on",
        "nic.dispatch_fifo=3", "nic.dispatch_place=written", "nic.write_status=610 cycle"};
    static const char *const returned[] = {
        "pcie.host_read=2 us",         "nic.receive_reads=64",       "host.push=on",
        "nic.dispatch_fifo=3",         "nic.dispatch_place=written", "nic.write_status=310 cycle",
        "nic.dispatch_return=61 cycle"};
    cyc = delivered_apart_cyc(buffers, 6);
    CU_ASSERT(cyc > 880.0 / 3 && cyc < 960.0 / 3);
    CU_ASSERT_DOUBLE_EQUAL(delivered_apart_cyc(longer, 6) - cyc, 300.0 / 3, 2);
    CU_ASSERT_DOUBLE_EQUAL(delivered_apart_cyc(returned, 7) - cyc, 60.0 / 3, 2);
}

/* Each step later moves what comes behind it by as much. */
static void what_is_told_later(void)
{
    static const char *const base[] = {"nic.receive_cqe=when_written", "host.completion=interrupt",
                                       "nic.write_status=40 cycle",    "nic.receive_cqe_latency=1 cycle",
                                       "nic.event_latency=0 cycle",    "nic.interrupt_latency=0 cycle"};
    static const struct {
        int which;
        const char *set;
        int64_t delivered_ps, told_ps;
    } row[] = {{2, "nic.write_status=90 cycle", 200000, 200000},
               {3, "nic.receive_cqe_latency=26 cycle", 100000, 100000},
               {4, "nic.event_latency=50 cycle", 0, 200000},
               {5, "nic.interrupt_latency=25 cycle", 0, 100000}};
    struct told before = one(RNICSIM_SEND, base, 6);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const char *set[6];
        for (int k = 0; k < 6; k++)
            set[k] = k == row[i].which ? row[i].set : base[k];
        struct told after = one(RNICSIM_SEND, set, 6);
        CU_ASSERT_DOUBLE_EQUAL((double)(after.delivered_ps - before.delivered_ps), (double)row[i].delivered_ps, 4000);
        CU_ASSERT_DOUBLE_EQUAL((double)(after.at_ps - before.at_ps), (double)row[i].told_ps, 4000);
    }
}

/* Reads of receive WQEs that the host refuses: the packet is dropped, the others go on. */
static void what_cannot_be_read(void)
{
    static const char *const set[] = {"nic.receive_reads=4", "pcie.refused_reads=300000 ppm", "host.push=on"};
    struct scenario s = receiving(set, 3);
    s.flags = RNICSIM_INLINE; /* no other reads */
    s.messages = 400;
    struct rnicsim *sim;
    struct rnicsim_totals totals;
    int64_t count;
    CU_ASSERT_EQUAL(scenario_run(&s, &sim).done, 400);
    drain(sim, &count);
    rnicsim_totals(sim, &totals);
    CU_ASSERT_EQUAL(totals.errors, 0);
    CU_ASSERT(totals.drops_not_read > 60 && totals.drops_not_read < 180);
    CU_ASSERT_EQUAL(totals.drops_not_read + totals.receives, 400);
    rnicsim_destroy(sim);
}

void suite_system_receive_wqe(void);
void suite_system_receive_wqe(void)
{
    CU_pSuite suite = CU_add_suite("system: receive WQEs and buffers", NULL, NULL);
    CU_add_test(suite, "a read in the way", a_read_in_the_way);
    CU_add_test(suite, "places", places);
    CU_add_test(suite, "what is told later", what_is_told_later);
    CU_add_test(suite, "what cannot be read", what_cannot_be_read);
}
