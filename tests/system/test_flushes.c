/* What becomes of a QP in error, at either end: what is before is done, what is behind is flushed. */
#include "tests/system/ends.h"

#include <CUnit/CUnit.h>
#include <string.h>

void suite_system_flushes(void);

/* A request in error is told of when those before it are done, which go on as usual; here their ACK is lost once. */
static void what_is_before_an_error(void)
{
    for (int i = 0; i < 2; i++) {
        struct ends ends = ends_open_plain(NULL);
        struct rnicsim_error error;
        struct rnicsim_fault fault = {.action = RNICSIM_FAULT_DROP,
                                      .frames = RNICSIM_FRAME_ACK,
                                      .from_host = 1,
                                      .psn = RNICSIM_FAULT_ANY,
                                      .to_ps = RNICSIM_NEVER,
                                      .nth = 1};
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

void suite_system_flushes(void)
{
    CU_pSuite suite = CU_add_suite("system: QPs in error", NULL, NULL);
    CU_add_test(suite, "what is before an error", what_is_before_an_error);
    CU_add_test(suite, "receives in error", receives_in_error);
    CU_add_test(suite, "half a message", half_a_message);
}
