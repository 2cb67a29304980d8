/* What passes on the line, as somebody sees it who listens there: every frame that the NICs count, at the times of the stamps, and nothing is changed by
 * listening. */
#include "tests/system/scenario.h"
#include "transport/wire.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX 20000u
#define WIRE_OVERHEAD_BYTES 24u /* preamble, FCS, gap */
#define LEAST_BYTES 60u

struct heard {
    struct rnicsim_frame frame[FRAMES_MAX];
    size_t count;
    struct scenario_result result;
};

static void listen(const struct scenario *s, struct heard *heard)
{
    struct rnicsim *sim;
    struct scenario listening = *s;
    listening.listens = 1;
    heard->result = scenario_run(&listening, &sim);
    heard->count = rnicsim_frames(sim, heard->frame, FRAMES_MAX);
    rnicsim_destroy(sim);
    for (size_t i = 1; i < heard->count; i++)
        CU_ASSERT_FATAL(heard->frame[i].at_ps >= heard->frame[i - 1].at_ps);
}

static uint64_t sent_bytes(const struct heard *heard, uint32_t host)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < heard->count; i++) {
        const struct rnicsim_frame *frame = &heard->frame[i];
        if (frame->host == host && frame->is_sent)
            bytes += (frame->bytes > LEAST_BYTES ? frame->bytes : LEAST_BYTES) + WIRE_OVERHEAD_BYTES;
    }
    return bytes;
}

static size_t count(const struct heard *heard, int is_sent, int is_bad)
{
    size_t frames = 0;
    for (size_t i = 0; i < heard->count; i++)
        frames += heard->frame[i].is_sent == is_sent && heard->frame[i].is_bad >= is_bad;
    return frames;
}

/* Single packets: the n-th frame of a kind begins when the n-th request's stamp says. */
static void expect_stamps(enum rnicsim_opcode opcode, enum rnicsim_stamp stamp, uint8_t on_wire)
{
    static struct heard heard;
    static int64_t stamps[200];
    struct scenario s = scenario_default();
    s.opcode = opcode;
    s.length_bytes = 64;
    s.stamps = stamps;
    s.stamp = stamp;
    listen(&s, &heard);
    size_t n = 0;
    for (size_t i = 0; i < heard.count; i++) {
        const struct rnicsim_frame *frame = &heard.frame[i];
        if (!frame->is_sent || frame->opcode != on_wire)
            continue;
        CU_ASSERT_EQUAL_FATAL(frame->at_ps, stamps[n]);
        CU_ASSERT_EQUAL(frame->psn, n);
        n++;
    }
    CU_ASSERT_EQUAL(n, 200);
}

static void times_of_stamps(void)
{
    expect_stamps(RNICSIM_WRITE, RNICSIM_AT_WIRE, WIRE_WRITE_ONLY);
    expect_stamps(RNICSIM_WRITE, RNICSIM_AT_ACK_WIRE, WIRE_ACKNOWLEDGE);
    expect_stamps(RNICSIM_SEND_IMM, RNICSIM_AT_WIRE, WIRE_SEND_ONLY_IMM);
    expect_stamps(RNICSIM_READ, RNICSIM_AT_WIRE, WIRE_READ_REQUEST);
    expect_stamps(RNICSIM_READ, RNICSIM_AT_ACK_WIRE, WIRE_READ_RESPONSE_ONLY);
    expect_stamps(RNICSIM_FETCH_ADD, RNICSIM_AT_ACK_WIRE, WIRE_ATOMIC_ACKNOWLEDGE);
}

static const enum rnicsim_opcode mixture[] = {RNICSIM_WRITE,     RNICSIM_READ,     RNICSIM_SEND,
                                              RNICSIM_WRITE_IMM, RNICSIM_CMP_SWAP, RNICSIM_SEND_IMM};

static struct scenario mixed(void)
{
    struct scenario s = scenario_default();
    s.more = mixture;
    s.more_count = 6;
    s.length_bytes = 3000;
    s.mtu_bytes = 1024;
    s.qps = 3;
    s.outstanding = 16;
    s.messages = 300;
    s.both_ways = 1;
    return s;
}

/* As many frames, and as many bytes of the line, as the NICs count. */
static void counters(void)
{
    static struct heard heard;
    struct scenario s = mixed();
    listen(&s, &heard);
    const struct rnicsim_totals *totals = &heard.result.totals;
    size_t sent = count(&heard, 1, 0);
    CU_ASSERT_EQUAL(sent, totals->data_packets + totals->ack_packets);
    CU_ASSERT_EQUAL(count(&heard, 0, 0), sent);
    uint64_t a = sent_bytes(&heard, 0), b = sent_bytes(&heard, 1);
    CU_ASSERT_EQUAL(a > b ? a : b, totals->wire_bytes);
}

/* What comes in, for each action of a plan. */
static void faults(void)
{
    static struct heard heard;
    static const struct {
        enum rnicsim_fault_action action;
        int fewer, bad;
    } row[] = {{RNICSIM_FAULT_DROP, 3, 0},
               {RNICSIM_FAULT_CORRUPT, 0, 3},
               {RNICSIM_FAULT_DUPLICATE, -3, 0},
               {RNICSIM_FAULT_DELAY, 0, 0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct scenario s = scenario_default();
        s.faults = 1;
        s.fault[0] = (struct rnicsim_fault){.action = row[i].action,
                                            .frames = RNICSIM_FRAME_WRITE,
                                            .from_host = 0,
                                            .psn = RNICSIM_FAULT_ANY,
                                            .to_ps = RNICSIM_NEVER,
                                            .every = 700,
                                            .most = 3,
                                            .delay_ps = 1000000};
        listen(&s, &heard);
        CU_ASSERT_EQUAL((int)count(&heard, 1, 0) - (int)count(&heard, 0, 0), row[i].fewer);
        CU_ASSERT_EQUAL((int)count(&heard, 0, 1), row[i].bad);
        CU_ASSERT_EQUAL(count(&heard, 1, 1), 0);
        size_t again = 0, naks = 0;
        for (size_t k = 0; k < heard.count; k++) {
            again += heard.frame[k].is_sent && heard.frame[k].again;
            naks +=
                heard.frame[k].is_sent && heard.frame[k].opcode == WIRE_ACKNOWLEDGE && heard.frame[k].syndrome == 0x60;
        }
        CU_ASSERT_EQUAL(again, heard.result.totals.repeated);
        CU_ASSERT(row[i].action == RNICSIM_FAULT_DUPLICATE ? naks == 0 : naks >= 1);
    }
}

/* Listening changes nothing, and what is heard does not depend on how the simulation is run. */
static void metamorphic(void)
{
    static struct heard plain, other;
    struct scenario s = mixed();
    s.faults = 1;
    s.fault[0] = (struct rnicsim_fault){.action = RNICSIM_FAULT_DROP,
                                        .frames = RNICSIM_FRAME_ANY,
                                        .from_host = RNICSIM_FAULT_ANY,
                                        .psn = RNICSIM_FAULT_ANY,
                                        .to_ps = RNICSIM_NEVER,
                                        .every = 97};
    CU_ASSERT_EQUAL(scenario_run(&s, NULL).digest, (listen(&s, &plain), plain.result.digest));
    for (int way = 0; way < 5; way++) {
        struct scenario changed = s;
        changed.horizon_off = way == 0;
        changed.spurious_seed = way == 1 ? 5 : 0;
        changed.slice_ps = way == 2 ? 300000 : 0;
        changed.shift_ps = way == 3 ? INT64_C(407040013) : 0;
        changed.idle_pair = way == 4;
        listen(&changed, &other);
        CU_ASSERT_EQUAL(other.count, plain.count);
        size_t same = 0;
        for (size_t i = 0; i < other.count && i < plain.count; i++)
            same += memcmp(&other.frame[i], &plain.frame[i], sizeof other.frame[i]) == 0;
        CU_ASSERT_EQUAL(same, plain.count);
    }
}

void suite_system_frames(void);
void suite_system_frames(void)
{
    CU_pSuite suite = CU_add_suite("system/frames: what passes on the line", NULL, NULL);
    CU_add_test(suite, "the times of the stamps", times_of_stamps);
    CU_add_test(suite, "as many as are counted", counters);
    CU_add_test(suite, "what goes wrong", faults);
    CU_add_test(suite, "however it is run", metamorphic);
}
