/* Simulated errors are data: a SEND without a receive WQE, one too long for it; and what the caller does wrong is refused. */
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <string.h>

#define FLUSHED 5u           /* IBV_WC_WR_FLUSH_ERR */
#define INVALID_REQUEST 9u   /* IBV_WC_REM_INV_REQ_ERR */
#define RNR_RETRIES_OVER 13u /* IBV_WC_RNR_RETRY_EXC_ERR */

static const struct rnicsim_retry at_once = {.timeout = 14, .retry_count = 7, .rnr_retry = 0, .rnr_timer = 12};

static struct rnicsim *pair_of_nics(void)
{
    struct rnicsim_options options = {.board = "u280_100g", .seed = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct rnicsim *sim;
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &sim, &error), RNICSIM_OK);
    for (uint32_t host = 0; host < 2; host++) {
        struct rnicsim_qp_attr qp = {.host = host,
                                     .qpn = 1,
                                     .peer_host = host ^ 1,
                                     .peer_qpn = 1,
                                     .mtu_bytes = 1024,
                                     .sq_depth = 8,
                                     .rq_depth = 8,
                                     .max_inline_bytes = 64,
                                     .retry = &at_once};
        CU_ASSERT_EQUAL_FATAL(rnicsim_qp_create(sim, &qp, &error), RNICSIM_OK);
    }
    return sim;
}

/* Runs until all is quiet; the statuses of host 0's send completions in order. */
static uint32_t statuses(struct rnicsim *sim, uint32_t *status, uint32_t room)
{
    struct rnicsim_event event[16];
    struct rnicsim_error error;
    uint32_t count = 0;
    do {
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(sim, RNICSIM_NEVER, NULL, &error), RNICSIM_OK);
        for (size_t n; (n = rnicsim_poll(sim, event, 16)) > 0;)
            for (size_t i = 0; i < n; i++)
                if (event[i].kind == RNICSIM_SEND_DONE && count < room)
                    status[count++] = event[i].status;
    } while (rnicsim_next_at(sim) != RNICSIM_NEVER);
    return count;
}

static void post(struct rnicsim *sim, enum rnicsim_opcode opcode, uint32_t bytes, unsigned flags)
{
    struct rnicsim_wr wr = {
        .local_address = 4096, .remote_address = 8192, .length_bytes = bytes, .opcode = opcode, .flags = flags};
    struct rnicsim_error error;
    CU_ASSERT_EQUAL(rnicsim_post_send(sim, 0, 1, &wr, 1, rnicsim_now(sim), &error), RNICSIM_OK);
}

static void send_without_receive(void)
{
    struct rnicsim *sim = pair_of_nics();
    uint32_t status[8];
    struct rnicsim_totals totals;
    post(sim, RNICSIM_WRITE, 3000, RNICSIM_SIGNALLED);
    post(sim, RNICSIM_SEND, 3000, 0);
    post(sim, RNICSIM_WRITE, 3000, 0);
    CU_ASSERT_EQUAL_FATAL(statuses(sim, status, 8), 3);
    CU_ASSERT_EQUAL(status[0], 0);
    CU_ASSERT_EQUAL(status[1],
                    RNR_RETRIES_OVER); /* rnr_retry is 0: unsignalled requests complete with their error too */
    CU_ASSERT_EQUAL(status[2], FLUSHED);
    post(sim, RNICSIM_WRITE, 8, RNICSIM_SIGNALLED); /* the QP is in state ERROR: posting works, and is flushed */
    CU_ASSERT_EQUAL_FATAL(statuses(sim, status, 8), 1);
    CU_ASSERT_EQUAL(status[0], FLUSHED);
    rnicsim_totals(sim, &totals);
    CU_ASSERT_EQUAL(totals.errors, 3);
    CU_ASSERT_EQUAL(totals.in_flight, 0);
    rnicsim_destroy(sim);
}

static void send_longer_than_the_buffer(void)
{
    struct rnicsim *sim = pair_of_nics();
    struct rnicsim_recv recv = {.address = 4096, .length_bytes = 100};
    struct rnicsim_error error;
    uint32_t status[8];
    CU_ASSERT_EQUAL(rnicsim_post_recv(sim, 1, 1, &recv, 1, 0, &error), RNICSIM_OK);
    post(sim, RNICSIM_SEND, 101, 0);
    CU_ASSERT_EQUAL_FATAL(statuses(sim, status, 8), 1);
    CU_ASSERT_EQUAL(status[0], INVALID_REQUEST);
    rnicsim_destroy(sim);
}

static void refused(struct rnicsim *sim, struct rnicsim_wr wr, uint32_t qpn, size_t count, const char *says)
{
    struct rnicsim_wr list[16];
    struct rnicsim_error error = {""};
    for (size_t i = 0; i < 16; i++)
        list[i] = wr;
    CU_ASSERT_EQUAL(rnicsim_post_send(sim, 0, qpn, list, count, rnicsim_now(sim), &error), RNICSIM_EINPUT);
    if (!strstr(error.text, says))
        printf("\n    '%s' does not say '%s'", error.text, says);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, says));
}

static void callers_mistakes(void)
{
    struct rnicsim *sim = pair_of_nics();
    struct rnicsim_error error;
    struct rnicsim_wr wr = {.length_bytes = 8, .opcode = RNICSIM_WRITE};
    refused(sim, wr, 2, 1, "no QP 2");
    refused(sim, wr, 1, 9, "send queue full");
    wr.length_bytes = RNICSIM_MESSAGE_MAX_BYTES + 1;
    refused(sim, wr, 1, 1, "length");
    wr.length_bytes = 8;
    wr.flags = RNICSIM_HAS_ARRIVAL;
    wr.arrival_ps = rnicsim_now(sim) + 1;
    refused(sim, wr, 1, 1, "arrival: allowed 0 to");
    wr.arrival_ps = -1;
    refused(sim, wr, 1, 1, "arrival: allowed 0 to");
    wr.length_bytes = 65;
    wr.flags = RNICSIM_INLINE;
    refused(sim, wr, 1, 1, "max_inline");
    struct rnicsim_qp_attr qp = {.host = 0, .qpn = 7, .peer_host = 1, .peer_qpn = 9, .mtu_bytes = 1024, .sq_depth = 8};
    CU_ASSERT_EQUAL(rnicsim_qp_create(sim, &qp, &error), RNICSIM_OK);
    wr.length_bytes = 8;
    refused(sim, wr, 7, 1, "not in RTS");
    qp.qpn = 1;
    CU_ASSERT_EQUAL(rnicsim_qp_create(sim, &qp, &error), RNICSIM_EINPUT);
    qp.qpn = 8;
    qp.mtu_bytes = 1500;
    CU_ASSERT_EQUAL(rnicsim_qp_create(sim, &qp, &error), RNICSIM_EINPUT);
    struct rnicsim_mr_attr mr = {.host = 0, .key = 3, .base = 4096, .length_bytes = 100, .page_bytes = 4096};
    CU_ASSERT_EQUAL(rnicsim_mr_register(sim, &mr, &error), RNICSIM_OK);
    CU_ASSERT_EQUAL(rnicsim_mr_register(sim, &mr, &error), RNICSIM_EINPUT);
    wr = (struct rnicsim_wr){.local_address = 4096, .length_bytes = 101, .lkey = 3, .opcode = RNICSIM_WRITE};
    refused(sim, wr, 1, 1, "lkey");
    CU_ASSERT_EQUAL(rnicsim_advance(sim, 1000, NULL, &error), RNICSIM_OK);
    CU_ASSERT_EQUAL(rnicsim_advance(sim, 999, NULL, &error), RNICSIM_EINPUT);
    rnicsim_destroy(sim);
}

/* A lost frame is counted; without recovery what waits for it is told, with it all is delivered in the end. */
static void a_full_receive_fifo_drops(int recovers)
{
    struct scenario s = scenario_default();
    struct rnicsim *sim;
    struct rnicsim_totals totals;
    char text[1024];
    s.set[s.sets++] = "pcie.lanes=2"; /* 15 Gb/s behind a line of 100 */
    s.set[s.sets++] = "pcie.completions=mps";
    s.set[s.sets++] = "nic.payload_buffer=1 MiB";
    s.set[s.sets++] = "stage.rx.cdc.depth=128 beats";
    s.opcode = RNICSIM_WRITE;
    s.length_bytes = 1000;
    s.flags = RNICSIM_INLINE; /* nothing is read: the sender is fast */
    s.messages = 2000;
    s.outstanding = 256;
    s.set[s.sets++] = recovers ? "transport.recovery=go_back_n" : "transport.recovery=none";
    s.set[s.sets++] = "transport.timeout=4";
    struct scenario_result result = scenario_run(&s, &sim);
    rnicsim_totals(sim, &totals);
    rnicsim_explain_stuck(sim, text, sizeof text);
    CU_ASSERT_FALSE(result.failed);
    CU_ASSERT(totals.drops > 0);
    CU_ASSERT_EQUAL(totals.errors, 0);
    if (recovers) {
        CU_ASSERT_EQUAL(result.done, s.messages);
    } else {
        CU_ASSERT(result.done < s.messages);
        CU_ASSERT_PTR_NOT_NULL(strstr(text, "unfinished"));
        CU_ASSERT_PTR_NOT_NULL(strstr(text, "dropped"));
    }
    rnicsim_destroy(sim);
}

static void drops_without_recovery(void)
{
    a_full_receive_fifo_drops(0);
}

static void drops_with_recovery(void)
{
    a_full_receive_fifo_drops(1);
}

/* Frames that cut through to the line: 128 Gb/s behind it keep up; 77 Gb/s run dry unless the frame is stored first. */
static void transmit_start_threshold(void)
{
    static const struct {
        const char *clock, *flow, *start;
        int underruns;
    } row[] = {{"nic.user_clock=250 MHz", "stage.tx.mac.flow=cut", "stage.tx.mac.start_beats=1", 0},
               {"nic.user_clock=150 MHz", "stage.tx.mac.flow=cut", "stage.tx.mac.start_beats=1", 1},
               {"nic.user_clock=150 MHz", "stage.tx.mac.flow=cut", "stage.tx.mac.start_beats=40", 0},
               {"nic.user_clock=150 MHz", "stage.tx.mac.flow=store", "stage.tx.mac.start_beats=1", 0}};
    int64_t took_ps[4];
    for (int i = 0; i < 4; i++) {
        struct scenario s = scenario_default();
        s.length_bytes = 4096;
        s.messages = 1;
        s.set[s.sets++] = row[i].clock;
        s.set[s.sets++] = row[i].flow;
        s.set[s.sets++] = row[i].start;
        s.set[s.sets++] = "transport.recovery=none";
        struct scenario_result result = scenario_run(&s, NULL);
        CU_ASSERT_FALSE(result.failed);
        CU_ASSERT_EQUAL(result.totals.drops, (uint64_t)row[i].underruns);
        CU_ASSERT_EQUAL(result.done, row[i].underruns ? 0u : 1u);
        took_ps[i] = result.last_done_ps;
    }
    CU_ASSERT(took_ps[2] < took_ps[3]); /* starting early saves time */
}

void suite_system_errors(void);
void suite_system_errors(void)
{
    CU_pSuite suite = CU_add_suite("system: errors", NULL, NULL);
    CU_add_test(suite, "a SEND without a receive WQE", send_without_receive);
    CU_add_test(suite, "a SEND longer than the buffer", send_longer_than_the_buffer);
    CU_add_test(suite, "the caller's mistakes", callers_mistakes);
    CU_add_test(suite, "a full receive FIFO drops", drops_without_recovery);
    CU_add_test(suite, "a full receive FIFO drops, and all is sent again", drops_with_recovery);
    CU_add_test(suite, "transmit start threshold and underrun", transmit_start_threshold);
}
