/* The payload buffer in chunks, its free list, its RAM with a single port, and the table of packets that are not acknowledged, on the whole model:
 * by formula. */
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CYCLE_PS 4000 /* of u280_100g's user clock */
#define MESSAGES 400u

static struct rnicsim_fifo_info fifo_of(struct rnicsim *sim, const char *name)
{
    struct rnicsim_fifo_info info;
    for (size_t i = 0; rnicsim_fifo(sim, i, &info) == RNICSIM_OK; i++)
        if (strcmp(info.nic, "a") == 0 && strcmp(info.name, name) == 0)
            return info;
    CU_FAIL_FATAL("no such FIFO");
    return info;
}

/* Messages of one packet each, in batches, so that the host is never what binds. */
static struct scenario packets(uint32_t bytes, const char *const *set)
{
    struct scenario s = scenario_default();
    s.length_bytes = bytes;
    s.batch = 16;
    s.outstanding = 256;
    s.messages = MESSAGES;
    s.qps = 4;
    s.flags = RNICSIM_SIGNALLED;
    while (*set)
        s.set[s.sets++] = *set++;
    return s;
}

static uint64_t digest(const struct scenario *s)
{
    struct scenario_result result = scenario_run(s, NULL);
    CU_ASSERT(!result.failed && result.done == s->messages);
    return result.digest;
}

/* 64 places are 64 places, of 64 B each or of 4 KiB, of which then all but 64 B is lost. */
static void a_packet_takes_whole_chunks(void)
{
    static const char *const small[] = {"nic.payload_buffer=4 KiB", NULL};
    static const char *const large[] = {"nic.payload_buffer=256 KiB", "nic.payload_chunk=4 KiB", NULL};
    static const char *const plain[] = {"nic.payload_chunk=64 B", "nic.payload_banks=1", "nic.payload_ports=2", NULL};
    static const char *const none[] = {NULL};
    struct scenario s = packets(64, small), t = packets(64, large), u = packets(3000, plain), v = packets(3000, none);
    CU_ASSERT_EQUAL(digest(&s), digest(&t));
    CU_ASSERT_EQUAL(digest(&u), digest(&v));
    for (uint32_t chunk = 128; chunk <= 4096; chunk *= 2) {
        char text[64];
        const char *set[] = {"nic.payload_buffer=64 KiB", text, NULL};
        struct rnicsim *sim;
        snprintf(text, sizeof text, "nic.payload_chunk=%u B", chunk);
        s = packets(3000, set);
        CU_ASSERT_EQUAL(scenario_run(&s, &sim).done, MESSAGES);
        struct rnicsim_fifo_info fifo = fifo_of(sim, "payload_buffer");
        uint32_t each = (3000 + chunk - 1) / chunk;
        CU_ASSERT_EQUAL(fifo.depth, 65536 / chunk);
        CU_ASSERT_EQUAL(fifo.depth_scale, chunk);
        CU_ASSERT_EQUAL(fifo.words * fifo.word_bits, chunk * 8);
        CU_ASSERT(fifo.high_water <= fifo.depth && fifo.high_water % each == 0);
        CU_ASSERT_EQUAL(fifo.asked_bytes, 3000 * MESSAGES);
        CU_ASSERT_EQUAL(fifo.held_bytes, (uint64_t)each * chunk * MESSAGES);
        rnicsim_destroy(sim);
    }
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* How many of the last half come exactly so many cycles behind the one before; *too_soon: how many sooner. */
static uint32_t apart(struct scenario *s, enum rnicsim_stamp stamp, int64_t cyc, uint32_t *too_soon)
{
    int64_t at[MESSAGES];
    uint32_t exact = 0, count = MESSAGES;
    s->stamps = at;
    s->stamp = stamp;
    CU_ASSERT_EQUAL_FATAL(scenario_run(s, NULL).stamps, count);
    s->stamps = NULL;
    qsort(at, count, sizeof *at, by_time);
    *too_soon = 0;
    for (uint32_t i = count / 2; i < count; i++) {
        exact += at[i] - at[i - 1] == cyc * CYCLE_PS;
        *too_soon += at[i] - at[i - 1] < cyc * CYCLE_PS;
    }
    return exact;
}

/* A packet of n chunks is granted n times the list's cycles behind the one before: 1,000 B, chunks of 64 B to 1 KiB. */
static void rate_of_the_free_list(void)
{
    static const uint32_t chunk[] = {64, 256, 1024}, list[] = {4, 16, 64};
    for (int i = 0; i < 3; i++) {
        char text[2][64];
        const char *set[] = {text[0], text[1], NULL};
        snprintf(text[0], sizeof text[0], "nic.payload_chunk=%u B", chunk[i]);
        snprintf(text[1], sizeof text[1], "nic.payload_free_list=%u cycle", list[i]);
        struct scenario s = packets(1000, set);
        uint32_t too_soon, exact = apart(&s, RNICSIM_AT_PACKET, (1000 + chunk[i] - 1) / chunk[i] * list[i], &too_soon);
        CU_ASSERT_EQUAL(too_soon, 0);
        CU_ASSERT(exact > MESSAGES / 2 * 8 / 10); /* a fetch of WQEs may have the scheduler just then */
        if (exact <= MESSAGES / 2 * 8 / 10)
            printf("\n    chunk %u: %u", chunk[i], exact);
        struct rnicsim *sim;
        CU_ASSERT_EQUAL(scenario_run(&s, &sim).done, MESSAGES);
        CU_ASSERT(scenario_share(sim, "a", "free_list", RNICSIM_WORK) > 0.85);
        CU_ASSERT(scenario_share(sim, "a", "scheduler", RNICSIM_NO_BUFFER) > 0.5);
        rnicsim_destroy(sim);
    }
}

/* One port: a packet of n beats keeps each side for 2n cycles, so 64 Gb/s of 512 bit at 250 MHz; with two ports, or two banks, nothing changes. */
static void rate_of_a_single_port(void)
{
    static const char *const one[] = {"nic.payload_ports=1", NULL};
    static const char *const banks[] = {"nic.payload_ports=1", "nic.payload_banks=2", NULL};
    static const char *const none[] = {NULL};
    static const uint32_t bytes[] = {4096, 4001, 2048};
    for (int i = 0; i < 3; i++) {
        struct scenario s = packets(bytes[i], one), t = packets(bytes[i], banks), u = packets(bytes[i], none);
        uint32_t too_soon, exact = apart(&s, RNICSIM_AT_PAYLOAD, 2 * ((bytes[i] + 63) / 64), &too_soon);
        CU_ASSERT_EQUAL(too_soon, 0);
        CU_ASSERT_EQUAL(exact, MESSAGES / 2);
        CU_ASSERT_EQUAL(digest(&t), digest(&u));
        struct rnicsim *sim;
        struct scenario_result result = scenario_run(&s, &sim);
        double bound_gbps = bytes[i] * 8.0 / (2 * ((bytes[i] + 63) / 64) * 4.0);
        CU_ASSERT_DOUBLE_EQUAL(result.goodput_gbps / bound_gbps, 1, 0.001); /* polls are 10 ns apart */
        CU_ASSERT(scenario_share(sim, "a", "payload_ram", RNICSIM_WORK) > 0.9);
        rnicsim_destroy(sim);
    }
}

/* A single message of n beats: written, and read, at half the rate: its last beat n cycles later. Completions that come slower than a beat in two
 * cycles are written as they come. */
static void latency_of_a_single_port(void)
{
    static const char *const one[] = {"nic.payload_ports=1", NULL};
    static const char *const none[] = {NULL};
    for (uint32_t beats = 1; beats <= 64; beats *= 4) {
        struct scenario s = packets(64 * beats, one), t = packets(64 * beats, none);
        s.messages = t.messages = s.batch = t.batch = s.outstanding = t.outstanding = 1;
        const struct rnicsim_event slow = scenario_run(&s, NULL).last, fast = scenario_run(&t, NULL).last;
        CU_ASSERT_EQUAL(slow.stamp_ps[RNICSIM_AT_PAYLOAD] - fast.stamp_ps[RNICSIM_AT_PAYLOAD],
                        (int64_t)beats * CYCLE_PS);
    }
}

/* ---- the table ---- */

/* At most so many packets of all QPs are under way, whoever has them; with enough of them it is as if there were none. */
static void entries_bound_what_is_under_way(void)
{
    static const char *const none[] = {NULL};
    struct scenario s = packets(9000, none);
    uint64_t without = digest(&s);
    double before = 0;
    for (uint32_t entries = 1; entries <= 4096; entries *= 4) {
        char text[64];
        const char *set[] = {text, NULL};
        struct rnicsim *sim;
        snprintf(text, sizeof text, "nic.retransmit_entries=%u", entries);
        s = packets(9000, set);
        struct scenario_result result = scenario_run(&s, &sim);
        struct rnicsim_fifo_info fifo = fifo_of(sim, "retransmit_table");
        CU_ASSERT_EQUAL(result.done, MESSAGES);
        CU_ASSERT(fifo.high_water <= entries && fifo.depth == entries &&
                  strcmp(fifo.depth_key, "nic.retransmit_entries") == 0);
        CU_ASSERT_EQUAL(fifo.pushes, 3 * MESSAGES);
        CU_ASSERT(result.goodput_gbps >= before);
        if (entries <= 16) {
            CU_ASSERT_EQUAL(fifo.high_water, entries);
            CU_ASSERT_NOT_EQUAL(result.digest, without);
            CU_ASSERT(scenario_share(sim, "a", "scheduler", RNICSIM_NO_RETRANSMIT) > 0.3);
        }
        CU_ASSERT(entries < 4096 || result.digest == without);
        before = result.goodput_gbps;
        rnicsim_destroy(sim);
    }
}

/* A QP that fails gives its entries back: the others go on. READs have one each, until their data is there. */
static void entries_come_back(void)
{
    static const char *const few[] = {"nic.retransmit_entries=3", "pcie.refused_reads=20000 ppm", NULL};
    static const enum rnicsim_opcode mix[] = {RNICSIM_WRITE, RNICSIM_READ, RNICSIM_FETCH_ADD, RNICSIM_WRITE};
    struct scenario s = packets(20000, few);
    s.qps = 16;
    s.batch = 1;
    s.outstanding = 4;
    struct scenario_result result = scenario_run(&s, NULL);
    CU_ASSERT(!result.failed && result.done == MESSAGES && result.totals.errors > 16);
    s = packets(20000, few);
    s.sets--;
    s.more = mix;
    s.more_count = 4;
    s.max_rd_atomic = 2;
    CU_ASSERT_EQUAL(scenario_run(&s, NULL).done, MESSAGES);
    s.set[s.sets++] = "transport.retx_source=buffer";
    s.set[s.sets++] = "nic.payload_chunk=2048 B";
    s.set[s.sets++] = "nic.payload_buffer=16 KiB";
    CU_ASSERT_EQUAL(scenario_run(&s, NULL).done, MESSAGES);
}

static void nothing_depends_on_the_horizon(void)
{
    for (int i = 0; i < 16; i++) {
        static const char *const none[] = {NULL};
        struct scenario s = packets(i % 3 == 0 ? 64 : i % 3 == 1 ? 3000 : 9000, none);
        s.set[s.sets++] = i % 2 ? "nic.payload_chunk=512 B" : "nic.payload_chunk=64 B";
        s.set[s.sets++] = i % 4 > 1 ? "nic.payload_free_list=9 cycle" : "nic.payload_free_list=0 cycle";
        s.set[s.sets++] = i % 3 ? "nic.payload_ports=1" : "nic.payload_ports=2";
        s.set[s.sets++] = i > 7 ? "nic.retransmit_entries=6" : "nic.retransmit_entries=0";
        s.set[s.sets++] = i % 5 ? "transport.retx_source=host" : "transport.retx_source=buffer";
        s.set[s.sets++] = i % 7 == 6 ? "nic.fabric=stream" : i % 7 == 5 ? "nic.fabric=memory" : "nic.fabric=off";
        s.set[s.sets++] = i % 6 == 4 ? "nic.grant=request" : "nic.grant=step";
        s.set[s.sets++] = "nic.payload_buffer=16 KiB";
        s.both_ways = i % 4 == 1;
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

void suite_system_payload(void);
void suite_system_payload(void)
{
    CU_pSuite suite = CU_add_suite("system: payload buffer and retransmit table", NULL, NULL);
    CU_add_test(suite, "a packet takes whole chunks", a_packet_takes_whole_chunks);
    CU_add_test(suite, "rate of the free list", rate_of_the_free_list);
    CU_add_test(suite, "rate of a single port", rate_of_a_single_port);
    CU_add_test(suite, "latency of a single port", latency_of_a_single_port);
    CU_add_test(suite, "entries bound what is under way", entries_bound_what_is_under_way);
    CU_add_test(suite, "entries come back", entries_come_back);
    CU_add_test(suite, "nothing depends on the horizon", nothing_depends_on_the_horizon);
}
