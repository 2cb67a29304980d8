/* Operations beyond SEND, WRITE, READ and atomics: FLUSH, ATOMIC_WRITE; buffers in several places; what is refused when it is posted. */
#include "tests/system/ends.h"
#include "tests/system/pair.h"

#include <CUnit/CUnit.h>
#include <string.h>

void suite_system_operations(void);

/* ---- FLUSH and ATOMIC_WRITE ---- */

/* The answer to a FLUSH leaves when all that was written before is visible; without it the last ACK leaves earlier. */
static void flush_is_behind_writes(void)
{
    struct ends ends = ends_open_plain("pcie.host_write=0:60 100:900 ns");
    for (int i = 0; i < 4; i++)
        ends_post(&ends, 0, ends_request(RNICSIM_WRITE, 4000));
    struct rnicsim_wr flush = ends_request(RNICSIM_FLUSH, 4000);
    flush.immediate = RNICSIM_FLUSH_VISIBLE | RNICSIM_FLUSH_PERSISTENT;
    ends_post(&ends, 0, flush);
    ends_finish(&ends);
    CU_ASSERT_EQUAL_FATAL(ends.count[0], 5);
    int64_t visible_ps = 0;
    for (uint32_t i = 0; i < 4; i++)
        if (ends.event[0][i].delivered_at_ps > visible_ps)
            visible_ps = ends.event[0][i].delivered_at_ps;
    const struct rnicsim_event *done = &ends.event[0][4];
    CU_ASSERT(done->opcode == RNICSIM_FLUSH && done->status == 0);
    CU_ASSERT(done->stamp_ps[RNICSIM_AT_RESPONDED] > visible_ps);
    CU_ASSERT(ends.event[0][3].stamp_ps[RNICSIM_AT_RESPONDED] < visible_ps);
    for (int i = 1; i < RNICSIM_STAMP_COUNT; i++)
        CU_ASSERT(done->stamp_ps[i] >= done->stamp_ps[i - 1] && done->stamp_ps[i] != RNICSIM_NEVER);
    rnicsim_destroy(ends.sim);
}

/* Eight bytes are written once, also when the request or its answer comes twice or is lost; the answer is empty. */
static void atomic_write_is_done_once(void)
{
    const uint64_t value = UINT64_C(0x0123456789abcdef), other = 5;
    const unsigned frames[] = {RNICSIM_FRAME_ATOMIC_REQUEST, RNICSIM_FRAME_ANSWER};
    const enum rnicsim_fault_action actions[] = {RNICSIM_FAULT_DROP, RNICSIM_FAULT_DUPLICATE};
    for (int i = 0; i < 5; i++) {
        struct ends ends = ends_open_plain(NULL);
        struct rnicsim_error error;
        struct rnicsim_fault fault = pair_fault(actions[i / 2 % 2], frames[i % 2], 1);
        if (i < 4)
            CU_ASSERT_EQUAL(rnicsim_fault_add(ends.sim, &fault, &error), RNICSIM_OK);
        CU_ASSERT_EQUAL(rnicsim_memory_write(ends.sim, 0, LOCAL, &value, 8, &error), RNICSIM_OK);
        CU_ASSERT_EQUAL(rnicsim_memory_write(ends.sim, 0, LOCAL + 8, &other, 8, &error), RNICSIM_OK);
        ends_post(&ends, 0, ends_request(RNICSIM_ATOMIC_WRITE, 8));
        struct rnicsim_wr second = ends_request(RNICSIM_ATOMIC_WRITE, 8);
        second.local_address += 8;
        second.remote_address += 8;
        ends_post(&ends, 0, second);
        ends_finish(&ends);
        uint64_t found[2] = {0, 0};
        CU_ASSERT_EQUAL(rnicsim_memory_read(ends.sim, 1, REMOTE, found, 16, &error), RNICSIM_OK);
        CU_ASSERT(found[0] == value && found[1] == other);
        CU_ASSERT_EQUAL(ends.count[0], 2);
        CU_ASSERT(ends.event[0][0].status == 0 && ends.event[0][1].status == 0);
        CU_ASSERT_EQUAL(ends.count[1], 2); /* a program that looks at that memory sees each once */
        rnicsim_destroy(ends.sim);
    }
}

/* What stands on the line (IBTA vol. 1, table 38; rel. 1.5 for 0x1c and 0x1d), with headers and ICRC, without FCS. */
static void frames_of_operations(void)
{
    static const struct {
        enum rnicsim_opcode opcode;
        uint32_t bytes, immediate, request_opcode, request_bytes, answer_opcode;
    } row[] = {{RNICSIM_FLUSH, 4000, RNICSIM_FLUSH_VISIBLE, 0x1c, 58 + 4 + 16, 0x10},
               {RNICSIM_ATOMIC_WRITE, 8, 0, 0x1d, 58 + 16 + 8, 0x10},
               {RNICSIM_SEND_INV, 100, 0x300, 0x17, 58 + 4 + 100, 0x11}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct ends ends = ends_open_plain(NULL);
        struct rnicsim_error error;
        ends_key(&ends, 1, 0x300, RNICSIM_WINDOW_2);
        struct rnicsim_bind bind = {.key = 0x300, .new_key = 0x300, .region = RKEY, .base = REMOTE, .length_bytes = 8};
        CU_ASSERT_EQUAL(rnicsim_frames_watch(ends.sim, &error), RNICSIM_OK);
        ends_post(&ends, 1, ends_request_with(RNICSIM_BIND_MW, &bind));
        ends_receive(&ends, 1, 1, RKEY, 4096);
        struct rnicsim_wr wr = ends_request(row[i].opcode, row[i].bytes);
        wr.immediate = row[i].immediate;
        ends_post(&ends, 0, wr);
        ends_finish(&ends);
        struct rnicsim_frame frame[8];
        CU_ASSERT_EQUAL_FATAL(rnicsim_frames(ends.sim, frame, 8), 4); /* each at either end */
        CU_ASSERT(frame[0].opcode == row[i].request_opcode && frame[0].bytes == row[i].request_bytes);
        CU_ASSERT_EQUAL(frame[0].immediate, row[i].immediate);
        CU_ASSERT(frame[3].opcode == row[i].answer_opcode && frame[3].bytes == 62 && frame[3].payload_bytes == 0);
        rnicsim_destroy(ends.sim);
    }
}

/* Frames hold what payload does, as it is on the line: requests and answers, inline, and an atomic's words. */
static void frames_hold_payload(void)
{
    static uint8_t source[3000];
    const uint64_t word = 40;
    struct rnicsim_frame frame[32];
    for (uint32_t i = 0; i < sizeof source; i++)
        source[i] = (uint8_t)(i * 11 + i / 250);
    for (int n = 0; n < 3; n++) {
        struct ends ends = ends_open_plain(NULL);
        struct rnicsim_error error;
        CU_ASSERT_EQUAL(rnicsim_frames_watch(ends.sim, &error), RNICSIM_OK);
        CU_ASSERT_EQUAL(rnicsim_memory_write(ends.sim, n == 0 ? 0 : 1, n == 0 ? LOCAL : REMOTE,
                                             n < 2 ? (const void *)source : &word, n < 2 ? 3000 : 8, &error),
                        RNICSIM_OK);
        struct rnicsim_wr wr = ends_request(n == 0   ? RNICSIM_WRITE
                                            : n == 1 ? RNICSIM_READ
                                                     : RNICSIM_CMP_SWAP,
                                            n < 2 ? 3000 : 8);
        wr.compare = 40;
        wr.swap_or_add = 77;
        ends_post(&ends, 0, wr);
        ends_finish(&ends);
        size_t count = rnicsim_frames(ends.sim, frame, 32);
        uint32_t done[2] = {0, 0};
        for (size_t i = 0; i < count; i++) {
            if (frame[i].payload_bytes > 0) {
                CU_ASSERT_FATAL(frame[i].payload != NULL);
                CU_ASSERT_EQUAL(memcmp(frame[i].payload, source + done[frame[i].is_sent], frame[i].payload_bytes), 0);
                done[frame[i].is_sent] += frame[i].payload_bytes;
            }
            if (frame[i].opcode == 0x13)
                CU_ASSERT(frame[i].compare == 40 && frame[i].swap_or_add == 77);
            if (frame[i].opcode == 0x12)
                CU_ASSERT_EQUAL(frame[i].original, 40);
        }
        CU_ASSERT(done[0] == (n < 2 ? 3000 : 0) && done[1] == done[0]);
        rnicsim_destroy(ends.sim);
    }
}

/* ---- lists of places ---- */

/* 9,000 bytes out of five places into four, at MTU 1024, with an empty place among each: SEND, WRITE, READ. Every byte lands where a plain copy puts it, and
 * with ten more reads and writes over PCIe at least than between two places. */
static void gather_and_scatter(void)
{
    static const uint32_t from_bytes[] = {1, 1023, 0, 4000, 3976}, to_bytes[] = {2500, 0, 5001, 1499};
    static uint8_t source[9000], found[9000];
    for (uint32_t i = 0; i < sizeof source; i++)
        source[i] = (uint8_t)(i * 7 + i / 251);
    for (int n = 0; n < 4; n++) {
        struct ends ends = ends_open_plain(n == 3 ? "transport.recovery=selective" : NULL);
        struct rnicsim_error error = {""};
        struct rnicsim_sge from[5], to[4];
        uint64_t place = LOCAL + 3;
        uint32_t done = 0;
        for (int i = 0; i < 5; i++, place += 5000) {
            from[i] = (struct rnicsim_sge){place, from_bytes[i], LKEY};
            if (n != 2)
                CU_ASSERT_EQUAL(rnicsim_memory_write(ends.sim, 0, place, source + done, from_bytes[i], &error), 0);
            done += from_bytes[i];
        }
        place = REMOTE + 5;
        for (int i = 0; i < 4; i++, place += 6000)
            to[i] = (struct rnicsim_sge){place, to_bytes[i], RKEY};
        if (n == 2)
            CU_ASSERT_EQUAL(rnicsim_memory_write(ends.sim, 1, REMOTE, source, 9000, &error), 0);
        struct rnicsim_recv recv = {.wr_id = 1, .length_bytes = 9000, .sge = to, .sge_count = 4};
        CU_ASSERT_EQUAL(rnicsim_post_recv(ends.sim, 1, 1, &recv, 1, 0, &error), RNICSIM_OK);
        struct rnicsim_wr wr = ends_request(n == 1 ? RNICSIM_WRITE : n == 2 ? RNICSIM_READ : RNICSIM_SEND, 9000);
        wr.sge = from;
        wr.sge_count = 5;
        CU_ASSERT_EQUAL(ends_status(&ends, 0, wr), 0);
        done = 0;
        if (n == 1)
            CU_ASSERT_EQUAL(rnicsim_memory_read(ends.sim, 1, REMOTE, found, 9000, &error), 0);
        for (int i = 0; n != 1 && i < (n == 2 ? 5 : 4); i++) {
            const struct rnicsim_sge *sge = n == 2 ? &from[i] : &to[i];
            CU_ASSERT_EQUAL(
                rnicsim_memory_read(ends.sim, n == 2 ? 0 : 1, sge->address, found + done, sge->length_bytes, &error),
                0);
            done += sge->length_bytes;
        }
        CU_ASSERT_EQUAL(memcmp(found, source, 9000), 0);
        rnicsim_destroy(ends.sim);
    }
}

/* Each place is a read of its own: 4,096 bytes out of 32 places take longer than out of one, in proportion to the reads that a gap of the engine lies
 * between; and a key that is wrong in the midst fails the request. */
static void places_cost(void)
{
    int64_t took_ps[2];
    for (int n = 0; n < 3; n++) {
        struct ends ends = ends_open_plain(NULL);
        struct rnicsim_sge sge[32];
        struct rnicsim_wr wr = ends_request(RNICSIM_WRITE, 1024);
        for (uint32_t i = 0; i < 32; i++)
            sge[i] = (struct rnicsim_sge){LOCAL + i * 1024, 32, n == 2 && i == 17 ? 0x999 : LKEY};
        if (n > 0) {
            wr.sge = sge;
            wr.sge_count = 32;
        }
        ends_post(&ends, 0, wr);
        struct rnicsim_event done = ends_last(&ends, 0, RNICSIM_SEND_DONE);
        CU_ASSERT_EQUAL(done.status, n == 2 ? 4u : 0u);
        if (n < 2)
            took_ps[n] = done.stamp_ps[RNICSIM_AT_PAYLOAD] - done.stamp_ps[RNICSIM_AT_PACKET];
        rnicsim_destroy(ends.sim);
    }
    CU_ASSERT(took_ps[1] >
              took_ps[0] + 20 * 4000); /* from one read of 512 B twice to 32: a cycle each at least, at 250 MHz */
}

static void refused(struct ends *ends, struct rnicsim_wr wr, const char *expected)
{
    struct rnicsim_error error = {""};
    CU_ASSERT_EQUAL(rnicsim_post_send(ends->sim, 0, 1, &wr, 1, rnicsim_now(ends->sim), &error), RNICSIM_EINPUT);
    CU_ASSERT(strstr(error.text, expected) != NULL);
}

static void bad_input(void)
{
    struct ends ends = ends_open_plain(NULL);
    struct rnicsim_error error;
    struct rnicsim_bind bind = {.key = 0x300};
    refused(&ends, ends_request(RNICSIM_FLUSH, 8), "VISIBLE or PERSISTENT");
    refused(&ends, ends_request(RNICSIM_ATOMIC_WRITE, 4), "8 bytes");
    refused(&ends, ends_request_with(RNICSIM_BIND_MW, &bind), "when the host has a window");
    ends_key(&ends, 0, 0x300, RNICSIM_WINDOW_1);
    refused(&ends, ends_request_with(RNICSIM_BIND_MW, NULL), "bind is NULL");
    struct rnicsim_sge sge[33] = {{LOCAL, 100, LKEY}};
    struct rnicsim_wr list = ends_request(RNICSIM_WRITE, 99);
    list.sge = sge;
    list.sge_count = 1;
    refused(&ends, list, "sum of its SGEs");
    list.sge_count = 33;
    refused(&ends, list, "allowed 0 to 32");
    struct rnicsim_wr wr = ends_request_with(RNICSIM_BIND_MW, &bind);
    wr.length_bytes = 1;
    refused(&ends, wr, "carry nothing");
    struct rnicsim_mr_attr window = {.host = 0, .key = 0x400, .length_bytes = 8, .page_bytes = 4096, .kind = 2};
    CU_ASSERT_EQUAL(rnicsim_mr_register(ends.sim, &window, &error), RNICSIM_EINPUT);
    CU_ASSERT_EQUAL(rnicsim_mr_deregister(ends.sim, 0, 0x999, &error), RNICSIM_EINPUT);
    rnicsim_destroy(ends.sim);
}

void suite_system_operations(void)
{
    CU_pSuite suite = CU_add_suite("system: operations", NULL, NULL);
    CU_add_test(suite, "FLUSH behind writes", flush_is_behind_writes);
    CU_add_test(suite, "ATOMIC_WRITE once", atomic_write_is_done_once);
    CU_add_test(suite, "frames", frames_of_operations);
    CU_add_test(suite, "frames hold payload", frames_hold_payload);
    CU_add_test(suite, "gather and scatter", gather_and_scatter);
    CU_add_test(suite, "places cost", places_cost);
    CU_add_test(suite, "bad input", bad_input);
}
