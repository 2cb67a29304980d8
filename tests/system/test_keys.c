/* Keys: what changes them (BIND_MW, FAST_REG, LOCAL_INV, SEND_INV), rights, protection domains. */
#include "tests/system/ends.h"
#include "tests/system/pair.h"

#include <CUnit/CUnit.h>
#include <string.h>

void suite_system_keys(void);

/* ---- windows and regions that work requests change ---- */

static void windows(void)
{
    struct ends ends = ends_open_plain(NULL);
    ends_key(&ends, 1, 0x300, RNICSIM_WINDOW_2);
    struct rnicsim_wr write = ends_request(RNICSIM_WRITE, 64);
    struct rnicsim_bind bind = {.key = 0x300,
                                .new_key = 0x3ab,
                                .region = RKEY,
                                .base = REMOTE + 4096,
                                .length_bytes = 4096,
                                .access = RNICSIM_ACCESS_REMOTE_WRITE};
    CU_ASSERT_EQUAL(ends_status(&ends, 1, ends_request_with(RNICSIM_BIND_MW, &bind)), 0);
    write.rkey = 0x3ab;
    write.remote_address = REMOTE + 4096;
    CU_ASSERT_EQUAL(ends_status(&ends, 0, write), 0);
    struct rnicsim_error error;
    CU_ASSERT_EQUAL(rnicsim_mr_deregister(ends.sim, 1, RKEY, &error), RNICSIM_EINPUT); /* it has a window */
    struct rnicsim_bind end = {.key = 0x3ab};
    CU_ASSERT_EQUAL(ends_status(&ends, 1, ends_request_with(RNICSIM_LOCAL_INV, &end)), 0);
    CU_ASSERT_EQUAL(rnicsim_mr_deregister(ends.sim, 1, RKEY, &error), RNICSIM_OK);
    CU_ASSERT_EQUAL(ends_status(&ends, 0, write), 10);
    rnicsim_destroy(ends.sim);
}

/* One byte outside, another operation, the old key: REM_ACCESS_ERR; each fails its QP, so each has its own run. */
static void windows_are_narrow(void)
{
    for (int i = 0; i < 5; i++) {
        struct ends ends = ends_open_plain(NULL);
        ends_key(&ends, 1, 0x300, RNICSIM_WINDOW_1);
        struct rnicsim_bind bind = {.key = 0x300,
                                    .new_key = 0x301,
                                    .region = RKEY,
                                    .base = REMOTE + 4096,
                                    .length_bytes = 4096,
                                    .access = RNICSIM_ACCESS_REMOTE_WRITE};
        ends_post(&ends, 1, ends_request_with(RNICSIM_BIND_MW, &bind));
        ends_finish(&ends);
        struct rnicsim_wr wr = ends_request(i == 1 ? RNICSIM_READ : RNICSIM_WRITE, 64);
        wr.rkey = i == 2 ? 0x300 : 0x301;
        wr.remote_address = REMOTE + 4096 + (i == 3 ? 4096 - 63 : 0);
        struct rnicsim_bind end = {.key = 0x301, .new_key = 0x302}; /* bound to nothing */
        if (i == 4)
            ends_post(&ends, 1, ends_request_with(RNICSIM_BIND_MW, &end));
        ends_finish(&ends);
        ends.count[0] = ends.count[1] = 0;
        CU_ASSERT_EQUAL(ends_status(&ends, 0, wr), i == 0 ? 0u : 10u);
        rnicsim_destroy(ends.sim);
    }
}

/* A key that another invalidates is gone with the message; the second time it is refused, at both ends (REM_INV_REQ_ERR). */
static void send_with_invalidate(void)
{
    struct ends ends = ends_open_plain(NULL);
    ends_key(&ends, 1, 0x300, RNICSIM_FAST_REGION);
    struct rnicsim_bind bind = {.key = 0x300, .new_key = 0x300, .base = REMOTE, .length_bytes = 4096};
    CU_ASSERT_EQUAL(ends_status(&ends, 1, ends_request_with(RNICSIM_FAST_REG, &bind)), 0);
    struct rnicsim_wr write = ends_request(RNICSIM_WRITE, 64), send = ends_request(RNICSIM_SEND_INV, 3000);
    write.rkey = send.immediate = 0x300;
    CU_ASSERT_EQUAL(ends_status(&ends, 0, write), 0);
    for (uint64_t i = 0; i < 3; i++)
        ends_receive(&ends, 1, i, RKEY, 4096);
    ends_post(&ends, 0, send);
    struct rnicsim_event received = ends_last(&ends, 1, RNICSIM_RECV_DONE);
    CU_ASSERT(received.status == 0 && received.sent_opcode == RNICSIM_SEND_INV && received.immediate == 0x300);
    ends_post(&ends, 0, send);
    ends_finish(&ends);
    CU_ASSERT(ends.count[0] == 1 && ends.event[0][0].status == 9);
    CU_ASSERT_EQUAL_FATAL(ends.count[1], 3);
    CU_ASSERT(ends.event[1][0].kind == RNICSIM_QP_FAILED || ends.event[1][1].kind == RNICSIM_QP_FAILED ||
              ends.event[1][2].kind == RNICSIM_QP_FAILED);
    rnicsim_destroy(ends.sim);
}

/* What is posted behind a FAST_REG may use the region; its time grows with the pages. Registered twice: LOC_QP_OP_ERR. */
static void fast_registration(void)
{
    int64_t took_ps[2];
    for (int i = 0; i < 2; i++) {
        struct ends ends = ends_open_plain(NULL);
        ends_key(&ends, 0, 0x300, RNICSIM_FAST_REGION);
        struct rnicsim_bind bind = {
            .key = 0x300, .new_key = 0x3ff, .base = LOCAL + (1u << 20), .length_bytes = i == 0 ? 4096 : 101 * 4096};
        ends_post(&ends, 0, ends_request_with(RNICSIM_FAST_REG, &bind));
        struct rnicsim_wr write = ends_request(RNICSIM_WRITE, 64);
        write.lkey = 0x3ff;
        write.local_address = bind.base;
        ends_post(&ends, 0, write);
        struct rnicsim_bind again = bind;
        again.key = again.new_key;
        ends_post(&ends, 0, ends_request_with(RNICSIM_FAST_REG, &again));
        ends_post(&ends, 0, write);
        ends_finish(&ends);
        CU_ASSERT_EQUAL_FATAL(ends.count[0], 4);
        CU_ASSERT(ends.event[0][0].status == 0 && ends.event[0][1].status == 0);
        CU_ASSERT(ends.event[0][2].status == 2 && ends.event[0][3].status == 5);
        took_ps[i] = ends.event[0][0].stamp_ps[RNICSIM_AT_PAYLOAD] - ends.event[0][0].stamp_ps[RNICSIM_AT_PACKET];
        CU_ASSERT(ends.event[0][1].stamp_ps[RNICSIM_AT_PACKET] > ends.event[0][0].stamp_ps[RNICSIM_AT_PAYLOAD]);
        rnicsim_destroy(ends.sim);
    }
    CU_ASSERT_EQUAL(took_ps[0], 101 * 4000); /* 100 cycles and one a page, at 250 MHz */
    CU_ASSERT_EQUAL(took_ps[1], 201 * 4000);
}

/* A LOCAL_INV of the region that a WRITE before it is sent from, whose ACK is lost: it waits, so that the WRITE can be sent again (a report on
 * irdma, linux-rdma list). */
static void local_invalidate_waits(void)
{
    struct ends ends = ends_open_plain(NULL);
    struct rnicsim_error error;
    struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, RNICSIM_FRAME_ACK, 1);
    CU_ASSERT_EQUAL(rnicsim_fault_add(ends.sim, &fault, &error), RNICSIM_OK);
    ends_key(&ends, 0, 0x300, RNICSIM_FAST_REGION);
    struct rnicsim_bind bind = {.key = 0x300, .new_key = 0x300, .base = LOCAL, .length_bytes = 4096};
    struct rnicsim_wr write = ends_request(RNICSIM_WRITE, 64);
    write.lkey = 0x300;
    ends_post(&ends, 0, ends_request_with(RNICSIM_FAST_REG, &bind));
    ends_post(&ends, 0, write);
    ends_post(&ends, 0, ends_request_with(RNICSIM_LOCAL_INV, &bind));
    ends_post(&ends, 0, write);
    ends_finish(&ends);
    CU_ASSERT_EQUAL_FATAL(ends.count[0], 4);
    for (uint32_t i = 0; i < 4; i++)
        CU_ASSERT_EQUAL(ends.event[0][i].status, i < 3 ? 0u : 4u);
    CU_ASSERT(ends.event[0][2].stamp_ps[RNICSIM_AT_PACKET] >= ends.event[0][1].stamp_ps[RNICSIM_AT_ACK_RECEIVED]);
    rnicsim_destroy(ends.sim);
}

/* Rights of regions and QPs, and protection domains (IBTA vol. 1, 10.6.3). */
static void rights(void)
{
    const uint32_t only = RNICSIM_ACCESS_NO_MORE;
    const struct {
        uint32_t local, remote, qp, pd;
        enum rnicsim_opcode opcode;
        uint32_t status;
    } row[] = {
        {only, RNICSIM_ACCESS_REMOTE_WRITE, RNICSIM_ACCESS_REMOTE_WRITE, 0, RNICSIM_WRITE, 0},
        {only, RNICSIM_ACCESS_REMOTE_READ, 0, 0, RNICSIM_WRITE, 10},
        {only, 0, RNICSIM_ACCESS_REMOTE_READ, 0, RNICSIM_WRITE, 10},
        {only, 0, 0, 0, RNICSIM_READ, 4}, /* its data are to be written */
        {only | RNICSIM_ACCESS_LOCAL_WRITE, 0, 0, 0, RNICSIM_READ, 0},
        {0, RNICSIM_ACCESS_REMOTE_READ, 0, 0, RNICSIM_FETCH_ADD, 10},
        {0, RNICSIM_ACCESS_REMOTE_ATOMIC, 0, 0, RNICSIM_FETCH_ADD, 0},
        {0, RNICSIM_ACCESS_REMOTE_WRITE, 0, 0, RNICSIM_ATOMIC_WRITE, 0},
        {0, RNICSIM_ACCESS_REMOTE_WRITE, 0, 0, RNICSIM_FLUSH, 10},
        {0, RNICSIM_ACCESS_FLUSH_VISIBLE, 0, 0, RNICSIM_FLUSH, 0},
        {0, 0, 0, 7, RNICSIM_WRITE, 10}, /* the peer's QP is of another domain than its region */
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct ends ends = ends_open(NULL);
        ends_qp(&ends, 0, 0, 0);
        ends_qp(&ends, 1, row[i].pd, row[i].qp);
        ends_register(&ends, ends_region(0, row[i].local));
        ends_register(&ends, ends_region(1, row[i].remote));
        struct rnicsim_wr wr = ends_request(row[i].opcode, 8);
        wr.immediate = row[i].opcode == RNICSIM_FLUSH ? RNICSIM_FLUSH_VISIBLE : 0;
        CU_ASSERT_EQUAL(ends_status(&ends, 0, wr), row[i].status);
        rnicsim_destroy(ends.sim);
    }
}

void suite_system_keys(void)
{
    CU_pSuite suite = CU_add_suite("system: keys", NULL, NULL);
    CU_add_test(suite, "windows", windows);
    CU_add_test(suite, "windows are narrow", windows_are_narrow);
    CU_add_test(suite, "SEND with invalidate", send_with_invalidate);
    CU_add_test(suite, "fast registration", fast_registration);
    CU_add_test(suite, "LOCAL_INV waits", local_invalidate_waits);
    CU_add_test(suite, "rights", rights);
}
