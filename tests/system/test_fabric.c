/* Requests from user logic in the FPGA: what they do not cost, how full their staging buffer becomes, and when they must wait. */
#include "tests/system/scenario.h"

#include <CUnit/CUnit.h>
#include <string.h>

static struct scenario from_fabric(const char *source)
{
    struct scenario s = scenario_default();
    s.set[s.sets++] = source;
    return s;
}

static uint64_t tlps_of(const struct rnicsim *sim, const char *nic)
{
    uint64_t tlps = 0;
    for (size_t i = 0; i < rnicsim_tlp_count(sim); i++) {
        struct rnicsim_tlp_info info;
        rnicsim_tlp(sim, i, &info);
        tlps += strcmp(info.nic, nic) == 0 ? info.tlps : 0;
    }
    return tlps;
}

static struct rnicsim_fifo_info buffer_of(struct rnicsim *sim)
{
    struct rnicsim_fifo_info info = {0};
    for (size_t i = 0; i < rnicsim_fifo_count(sim); i++) {
        rnicsim_fifo(sim, i, &info);
        if (strcmp(info.nic, "a") == 0 && strcmp(info.name, "payload_buffer") == 0)
            return info;
    }
    return info;
}

/* The sender's PCIe carries nothing at all; the receiver's what it always does. */
static void no_pcie_at_the_sender(void)
{
    static const char *const source[] = {"nic.fabric=stream", "nic.fabric=memory"};
    for (int i = 0; i < 2; i++) {
        struct scenario s = from_fabric(source[i]);
        struct rnicsim *sim;
        s.length_bytes = 4096;
        s.messages = 100;
        struct scenario_result result = scenario_run(&s, &sim);
        CU_ASSERT_EQUAL(result.done, 100);
        while (rnicsim_next_at(sim) != RNICSIM_NEVER) /* acknowledged before it is written */
            CU_ASSERT_EQUAL_FATAL(rnicsim_advance(sim, RNICSIM_NEVER, NULL, NULL), RNICSIM_OK);
        CU_ASSERT_EQUAL(tlps_of(sim, "a"), 0);
        CU_ASSERT_EQUAL(tlps_of(sim, "b"), 100 * 4096 / 256);
        rnicsim_destroy(sim);
    }
}

/* One request on an idle NIC of one clock: seen after fabric_latency, granted when its last beat is there, and its completion is seen
 * the cycle after its retirement. */
static void timeline(void)
{
    struct scenario s = from_fabric("nic.fabric=stream");
    s.length_bytes = 4096;
    s.messages = 1;
    s.set[s.sets++] = "nic.fabric_latency=3 cycle";
    s.set[s.sets++] = "nic.fabric_interval=2 cycle";
    struct scenario_result result = scenario_run(&s, NULL);
    const int64_t *at = result.last.stamp_ps;
    CU_ASSERT_EQUAL(at[RNICSIM_AT_POST], 0);
    CU_ASSERT_EQUAL(at[RNICSIM_AT_MMIO], 0);
    CU_ASSERT_EQUAL(at[RNICSIM_AT_DOORBELL], 3 * 4000);
    CU_ASSERT_EQUAL(at[RNICSIM_AT_GRANT],
                    (63 * 2 + 1) * 4000); /* 64 beats, every second cycle, the last seen one later */
    CU_ASSERT_EQUAL(at[RNICSIM_AT_SEEN], at[RNICSIM_AT_RETIRED] + 4000);
    CU_ASSERT_EQUAL(result.last.at_ps, at[RNICSIM_AT_SEEN]);
}

/* From memory: its latency and 64 beats lie between the read's start and the payload. */
static void timeline_of_memory(void)
{
    int64_t took_ps[2];
    for (int i = 0; i < 2; i++) {
        struct scenario s = from_fabric("nic.fabric=memory");
        s.length_bytes = i == 0 ? 64 : 4096;
        s.messages = 1;
        s.set[s.sets++] = "nic.fabric_memory=400 ns";
        struct scenario_result result = scenario_run(&s, NULL);
        took_ps[i] = result.last.stamp_ps[RNICSIM_AT_PAYLOAD] - result.last.stamp_ps[RNICSIM_AT_PACKET];
        CU_ASSERT_EQUAL(result.done, 1);
    }
    CU_ASSERT_EQUAL(took_ps[0],
                    5 * 4000 + 400000 + 2 * 4000); /* the engine's 5 cycles, the edge after the data, one beat */
    CU_ASSERT_EQUAL(took_ps[1] - took_ps[0], 63 * 4000);
}

/* A burst that comes at 128 Gb/s and leaves at the line's 98.0: the staging buffer holds the difference, and a few packets on their
 * way. */
static void staging_buffer(void)
{
    struct scenario s = from_fabric("nic.fabric=stream");
    struct rnicsim *sim;
    s.set[s.sets++] = "nic.payload_buffer=4 MiB";
    s.length_bytes = 65536;
    s.messages = s.outstanding = 64; /* 4 MiB at once */
    struct scenario_result result = scenario_run(&s, &sim);
    struct rnicsim_fifo_info buffer = buffer_of(sim);
    double burst = 64.0 * 65536, held = (double)buffer.high_water * 64;
    CU_ASSERT_EQUAL(result.done, 64);
    CU_ASSERT(held > burst * (1 - 98.006 / 128) && held < burst * (1 - 98.006 / 128) + 20 * 4096);
    CU_ASSERT_EQUAL(buffer.back_pressure_ps, 0);
    rnicsim_destroy(sim);
}

/* A small one stops the stream; nothing is lost, and the line is kept busy as long as it holds what is on its way. */
static void small_staging_buffer(void)
{
    struct scenario s = from_fabric("nic.fabric=stream");
    struct rnicsim *sim;
    int64_t waited_ps = 0;
    s.set[s.sets++] = "nic.payload_buffer=64 KiB";
    struct scenario_result result = scenario_run(&s, &sim);
    CU_ASSERT_EQUAL(result.done, s.messages);
    CU_ASSERT_DOUBLE_EQUAL(result.goodput_gbps, 98.0, 0.1);
    CU_ASSERT_EQUAL(buffer_of(sim).high_water, 1024);
    for (size_t i = 0; i < rnicsim_stage_count(sim); i++) {
        struct rnicsim_stage_info info;
        rnicsim_stage(sim, i, &info);
        if (strcmp(info.nic, "a") == 0 && strcmp(info.name, "fabric") == 0)
            waited_ps = info.time_ps[RNICSIM_NO_BUFFER];
    }
    CU_ASSERT(waited_ps > 0);
    rnicsim_destroy(sim);
}

/* What binds when it is slower than the line: the stream's gaps, its width, the memory's port. */
static void slow_sources(void)
{
    static const struct {
        const char *set[3];
        double gbps;
    } row[] = {
        {{"nic.fabric=stream", "nic.fabric_width=64 bit", "nic.fabric_clock=250 MHz"}, 16.0},
        {{"nic.fabric=stream", "nic.fabric_interval=4 cycle", "nic.fabric_clock=322.265625 MHz"}, 41.25},
        {{"nic.fabric=stream", "nic.fabric_gap=1024 cycle", "nic.fabric_clock=250 MHz"},
         64.0}, /* 1024 beats and as long a gap */
        {{"nic.fabric=memory", "nic.fabric_width=128 bit", "nic.fabric_clock=250 MHz"}, 32.0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct scenario s = scenario_default();
        for (int k = 0; k < 3; k++)
            s.set[s.sets++] = row[i].set[k];
        struct scenario_result result = scenario_run(&s, NULL);
        CU_ASSERT_EQUAL(result.done, s.messages);
        CU_ASSERT_DOUBLE_EQUAL(result.goodput_gbps, row[i].gbps, row[i].gbps * 0.005);
    }
}

void suite_system_fabric(void);
void suite_system_fabric(void)
{
    CU_pSuite suite = CU_add_suite("system: requests from user logic", NULL, NULL);
    CU_add_test(suite, "no PCIe at the sender", no_pcie_at_the_sender);
    CU_add_test(suite, "timeline", timeline);
    CU_add_test(suite, "timeline of memory", timeline_of_memory);
    CU_add_test(suite, "staging buffer", staging_buffer);
    CU_add_test(suite, "a small one", small_staging_buffer);
    CU_add_test(suite, "slow sources", slow_sources);
}
