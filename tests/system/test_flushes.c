/* What becomes of a QP in error, at either end: what is before is done, what is behind is flushed. */
#include "tests/system/ends.h"
#include "tests/system/pair.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void suite_system_flushes(void);

/* A request in error is told of when those before it are done, which go on as usual; here their ACK is lost once. */
static void what_is_before_an_error(void)
{
    for (int i = 0; i < 2; i++) {
        struct ends ends = ends_open_plain(NULL);
        struct rnicsim_error error;
        struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, RNICSIM_FRAME_ACK, 1);
        CU_ASSERT_EQUAL(rnicsim_fault_add(ends.sim, &fault, &error), RNICSIM_OK);
        ends_key(&ends, 0, 0x300, RNICSIM_WINDOW_2);
        struct rnicsim_bind bind = {.key = 0x300, .new_key = 0x300, .region = 0x999, .base = LOCAL, .length_bytes = 8};
        struct rnicsim_wr wrong = ends_request(RNICSIM_WRITE, 3000);
        wrong.lkey = 0x999;
        ends_post(&ends, 0, ends_request(RNICSIM_WRITE, 2000));
        ends_post(&ends, 0, ends_request(RNICSIM_READ, 2000));
        ends_post(&ends, 0, i == 0 ? wrong : ends_request_with(RNICSIM_BIND_MW, &bind));
        ends_post(&ends, 0, ends_request(RNICSIM_WRITE, 64));
        ends_finish(&ends);
        CU_ASSERT_EQUAL_FATAL(ends.count[0], 4);
        for (uint32_t n = 0; n < 4; n++)
            CU_ASSERT_EQUAL(ends.event[0][n].wr_id, n);
        CU_ASSERT(ends.event[0][0].status == 0 && ends.event[0][1].status == 0);
        CU_ASSERT(ends.event[0][2].status == (i == 0 ? 4u : 6u) && ends.event[0][3].status == 5);
        rnicsim_destroy(ends.sim);
    }
}

/* A SEND that its buffer cannot take: too long, or the buffer's key is wrong. Both ends are told, an event says that the QP has failed, and each
 * buffer that is posted, also later, has its CQE. */
static void receives_in_error(void)
{
    for (int i = 0; i < 2; i++) {
        struct ends ends = ends_open_plain(NULL);
        ends_receive(&ends, 1, 1, RKEY, 4096);
        ends_receive(&ends, 1, 2, i == 0 ? RKEY : 0x999, i == 0 ? 100 : 4096);
        ends_receive(&ends, 1, 3, RKEY, 4096);
        ends_post(&ends, 0, ends_request(RNICSIM_SEND, 2000));
        ends_post(&ends, 0, ends_request(RNICSIM_SEND, 2000));
        ends_post(&ends, 0, ends_request(RNICSIM_SEND, 2000));
        ends_post(&ends, 1, ends_request(RNICSIM_RECV + 1, 0)); /* a READ of nothing, which is done before */
        ends_finish(&ends);
        CU_ASSERT_EQUAL_FATAL(ends.count[0], 3);
        CU_ASSERT(ends.event[0][0].status == 0 && ends.event[0][1].status == (i == 0 ? 9u : 11u));
        CU_ASSERT_EQUAL(ends.event[0][2].status, 5);
        ends_receive(&ends, 1, 4, RKEY, 4096);
        ends_finish(&ends);
        uint64_t next = 1;
        int has_event = 0;
        for (uint32_t n = 0; n < ends.count[1]; n++) {
            const struct rnicsim_event *event = &ends.event[1][n];
            has_event += event->kind == RNICSIM_QP_FAILED && event->qpn == 1 && event->status == (i == 0 ? 9u : 11u);
            if (event->kind != RNICSIM_RECV_DONE)
                continue;
            CU_ASSERT_EQUAL(event->wr_id, next);
            CU_ASSERT_EQUAL(event->status, next == 1 ? 0u : next == 2 ? (i == 0 ? 1u : 4u) : 5u);
            CU_ASSERT_EQUAL(event->qpn, 1);
            next++;
        }
        CU_ASSERT(next == 5 && has_event == 1);
        rnicsim_destroy(ends.sim);
    }
}

/* A message of which only the first packets have come when its QP fails: its buffer is flushed in its turn. */
static void half_a_message(void)
{
    struct ends ends = ends_open_plain(NULL);
    struct rnicsim_error error;
    struct rnicsim_fault fault = {.action = RNICSIM_FAULT_BAD_KEY,
                                  .frames = RNICSIM_FRAME_SEND,
                                  .from_host = 0,
                                  .psn = 1,
                                  .to_ps = RNICSIM_NEVER};
    CU_ASSERT_EQUAL(rnicsim_fault_add(ends.sim, &fault, &error), RNICSIM_OK);
    for (uint64_t i = 1; i <= 3; i++)
        ends_receive(&ends, 1, i, RKEY, 4096);
    ends_post(&ends, 0, ends_request(RNICSIM_SEND, 3000));
    ends_finish(&ends);
    CU_ASSERT(ends.count[0] == 1 && ends.event[0][0].status == 10);
    uint64_t next = 1;
    for (uint32_t n = 0; n < ends.count[1]; n++)
        if (ends.event[1][n].kind == RNICSIM_RECV_DONE)
            CU_ASSERT(ends.event[1][n].wr_id == next++ && ends.event[1][n].status == 5);
    CU_ASSERT_EQUAL(next, 4);
    rnicsim_destroy(ends.sim);
}

static uint64_t next(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *random >> 33;
}

/* One of some requests is in error, here, there, or at a key that is none; frames are lost both ways, ACKs are rare or not. All before it are done, it has its
 * reason, all behind it are flushed, in order, each once; so are the receive WQEs of whoever failed. */
static void random_errors(void)
{
    static const enum rnicsim_opcode opcodes[] = {RNICSIM_WRITE, RNICSIM_SEND, RNICSIM_READ, RNICSIM_FETCH_ADD,
                                                  RNICSIM_WRITE_IMM};
    static const char *const settings[] = {NULL, "transport.recovery=selective", "transport.ack_request_every=64",
                                           "transport.retx_source=buffer", "transport.ack_point=visible"};
    for (uint64_t seed = 1; seed <= 400; seed++) {
        uint64_t r = seed;
        struct ends ends = ends_open_plain(settings[next(&r) % 5]);
        struct rnicsim_error error;
        struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, RNICSIM_FRAME_ANY, 0);
        fault.probability_ppb = next(&r) % 2 ? 100000000 : 1;
        fault.most = 3;
        uint32_t requests = 2 + (uint32_t)next(&r) % 10, wrong = (uint32_t)next(&r) % requests,
                 kind = (uint32_t)next(&r) % 3;
        CU_ASSERT_EQUAL(rnicsim_fault_add(ends.sim, &fault, &error), RNICSIM_OK);
        ends_key(&ends, 0, 0x300, RNICSIM_WINDOW_2);
        for (uint64_t i = 0; i < 16; i++)
            ends_receive(&ends, 1, i, RKEY, 8192);
        struct rnicsim_bind bind = {.key = 0x300, .new_key = 0x300, .region = 0x999, .base = LOCAL, .length_bytes = 8};
        for (uint32_t i = 0; i < requests; i++) {
            enum rnicsim_opcode opcode = opcodes[next(&r) % 5];
            struct rnicsim_wr wr =
                ends_request(opcode, opcode == RNICSIM_FETCH_ADD ? 8 : 1 + (uint32_t)next(&r) % 5000);
            if (i == wrong && kind == 0)
                wr.lkey = 0x999;
            else if (i == wrong && kind == 1) {
                wr.opcode = RNICSIM_WRITE;
                wr.rkey = 0x999;
            } else if (i == wrong)
                wr = ends_request_with(RNICSIM_BIND_MW, &bind);
            ends_post(&ends, 0, wr);
        }
        ends_finish(&ends);
        int is_right = ends.count[0] == requests;
        uint32_t failed = 0, reason = kind == 0 ? 4 : kind == 1 ? 10 : 6;
        while (failed < ends.count[0] && ends.event[0][failed].status == 0)
            failed++;
        for (uint32_t i = 0; i < ends.count[0]; i++)
            is_right &= ends.event[0][i].wr_id == i && (i <= failed || ends.event[0][i].status == 5);
        is_right &= failed < ends.count[0];
        /* a NAK that is lost, or an answer before it: nobody is there any more (RETRY_EXC_ERR) */
        uint32_t status = ends.event[0][failed % ENDS_MOST].status;
        is_right &= status == reason ? failed == wrong
                                     : kind == 1 && fault.probability_ppb > 1 && status == 12 && failed <= wrong;
        uint64_t receives = 0;
        for (uint32_t i = 0; i < ends.count[1]; i++)
            if (ends.event[1][i].kind == RNICSIM_RECV_DONE)
                is_right &= ends.event[1][i].wr_id == receives++;
        is_right &= kind != 1 || receives == 16;
        CU_ASSERT(is_right);
        if (!is_right)
            printf("\n    seed %llu: %u requests, wrong is %u (kind %u), %u done, %llu received",
                   (unsigned long long)seed, requests, wrong, kind, ends.count[0], (unsigned long long)receives);
        rnicsim_destroy(ends.sim);
    }
}

void suite_system_flushes(void)
{
    CU_pSuite suite = CU_add_suite("system: QPs in error", NULL, NULL);
    CU_add_test(suite, "what is before an error", what_is_before_an_error);
    CU_add_test(suite, "receives in error", receives_in_error);
    CU_add_test(suite, "random errors", random_errors);
    CU_add_test(suite, "half a message", half_a_message);
}
