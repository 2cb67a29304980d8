/* Bugs that were reported of other NICs and stacks, by their subject: what is right here. The numbers are of the list of cases from the linux-rdma
 * list and public issue trackers. */
#include "tests/system/pair.h"

#include <CUnit/CUnit.h>

void suite_system_reports_slow(void);

static const char *const recoveries[] = {"transport.recovery=go_back_n", "transport.recovery=selective"};

static void check_all_done(const struct pair *pair)
{
    CU_ASSERT_EQUAL(pair->count, pair->posted);
    for (uint32_t i = 0; i < pair->count; i++)
        CU_ASSERT(pair->done[i].status == 0 && pair->done[i].wr_id == i);
}

/* PSNs go round (rxe: absolute PSNs were compared, and the sender stopped near 0xFFFFFF for ever): 64 SENDs from 0xFFFFF0 on, any packet lost near
 * the turn; a READ across it, too, and any packet of its answer. */
static void psns_go_round(void)
{
    for (int r = 0; r < 2; r++)
        for (uint32_t lost = 0xfffff0; lost != 8; lost = (lost + 1) & 0xffffff) {
            struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_DROP, RNICSIM_FRAME_ANY, 1);
            fault.psn = lost;
            struct pair pair = pair_open_at(0xfffff0, recoveries[r], &pair_retries, &fault);
            for (int i = 0; i < 64; i++) {
                pair_post_receive(&pair, 0);
                pair_post(&pair, i == 5 ? RNICSIM_READ : RNICSIM_SEND, i == 5 ? 10 * 1024 : 100);
            }
            pair_finish(&pair);
            check_all_done(&pair);
            CU_ASSERT(pair.totals.drops_planned > 0); /* of each host the first frame with it */
            CU_ASSERT(pair.totals.repeated > 0);
            pair_close(&pair);
        }
}

/* READs and WRITEs without bytes check no key, take a PSN and are answered (IBTA C9-88; rxe checked them). */
static void zero_bytes(void)
{
    struct pair pair = pair_open(NULL, &pair_retries, NULL);
    pair_post(&pair, RNICSIM_WRITE, 0);
    pair_post(&pair, RNICSIM_READ, 0);
    pair_finish(&pair);
    check_all_done(&pair);
    CU_ASSERT_EQUAL(pair.totals.errors, 0);
    pair_close(&pair);
}

/* rnr_retry = 7 is for ever, retry_cnt = 7 is seven (blue-rdma took the one for the other): 20 RNR NAKs, then a buffer. A WRITE before it does not
 * end with an RNR error, whatever the SEND behind it does. */
static void seven_of_each(void)
{
    struct rnicsim_retry retry = {.timeout = 8, .retry_count = 3, .rnr_retry = 7, .rnr_timer = 1};
    struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_NOT_READY, RNICSIM_FRAME_SEND, 0);
    fault.most = 20;
    struct pair pair = pair_open(NULL, &retry, &fault);
    pair_post_receive(&pair, 0);
    pair_post(&pair, RNICSIM_WRITE, 64);
    pair_post(&pair, RNICSIM_SEND, 64);
    pair_finish(&pair);
    check_all_done(&pair);
    CU_ASSERT_EQUAL(pair.totals.retransmits_rnr, 20);
    pair_close(&pair);
    retry.rnr_retry = 3;
    pair = pair_open(NULL, &retry, &fault);
    pair_post_receive(&pair, 0);
    pair_post(&pair, RNICSIM_WRITE, 64);
    pair_post(&pair, RNICSIM_SEND, 64);
    pair_post(&pair, RNICSIM_WRITE, 64);
    pair_finish(&pair);
    CU_ASSERT_EQUAL_FATAL(pair.count, 3);
    CU_ASSERT_EQUAL(pair.done[0].status, 0);
    CU_ASSERT_EQUAL(pair.done[1].status, 13);
    CU_ASSERT_EQUAL(pair.done[2].status, 5);
    CU_ASSERT_EQUAL(pair.totals.retransmits_rnr, 3);
    pair_close(&pair);
}

/* 2^31 bytes are the most: 2,097,152 PSNs. What is behind them is done, too. */
static void the_longest_message(void)
{
    struct pair pair = pair_open("transport.window=8388608", &pair_retries, NULL);
    struct rnicsim_wr wr = {.length_bytes = 0x80000001u, .opcode = RNICSIM_READ};
    struct rnicsim_error error;
    CU_ASSERT_EQUAL(rnicsim_post_send(pair.sim, 0, 1, &wr, 1, 0, &error), RNICSIM_EINPUT);
    pair_post(&pair, RNICSIM_READ, 0x80000000u);
    pair_post(&pair, RNICSIM_WRITE, 64);
    pair_finish(&pair);
    check_all_done(&pair);
    pair_close(&pair);
}

/* Each request has one completion when its QP fails, in order (duplicates when a QP was moved to ERROR twice, linux-rdma): two reasons to fail at
 * once, a bad key and a timeout behind it. */
static void one_completion_each(void)
{
    struct rnicsim_fault fault = pair_fault(RNICSIM_FAULT_BAD_KEY, RNICSIM_FRAME_WRITE, 0);
    fault.every = 5;
    struct pair pair = pair_open(NULL, &pair_retries, &fault);
    for (int i = 0; i < 20; i++)
        pair_post(&pair, RNICSIM_WRITE, 64);
    pair_finish(&pair);
    CU_ASSERT_EQUAL_FATAL(pair.count, 20);
    for (uint32_t i = 0; i < 20; i++) {
        CU_ASSERT_EQUAL(pair.done[i].wr_id, i);
        CU_ASSERT_EQUAL(pair.done[i].status, i < 4 ? 0u : i == 4 ? 10u : 5u);
    }
    pair_close(&pair);
}

/* Keys that name nothing: of the own buffer, LOC_PROT_ERR; of the peer's, REM_ACCESS_ERR, also of a READ, whose NAK is no response, and where no
 * receive WQE is involved (rxe sent none then). What is before is done, what is behind is flushed; without bytes no key is looked at. */
static void wrong_keys(void)
{
    static const struct {
        enum rnicsim_opcode opcode;
        uint32_t lkey, rkey, bytes, status;
    } row[] = {{RNICSIM_WRITE, 1, 2, 3000, 0}, {RNICSIM_WRITE, 9, 2, 3000, 4}, {RNICSIM_WRITE, 1, 9, 3000, 10},
               {RNICSIM_READ, 1, 9, 3000, 10}, {RNICSIM_SEND, 9, 0, 64, 4},    {RNICSIM_FETCH_ADD, 1, 9, 8, 10},
               {RNICSIM_WRITE, 9, 9, 0, 0},    {RNICSIM_READ, 9, 9, 0, 0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int r = 0; r < 2; r++) {
            struct pair pair = pair_open(recoveries[r], &pair_retries, NULL);
            struct rnicsim_error error;
            for (uint32_t host = 0; host < 2; host++) {
                struct rnicsim_mr_attr region = {.host = host,
                                                 .key = 1 + host,
                                                 .base = (1u << 24) + (host << 24),
                                                 .length_bytes = 1u << 20,
                                                 .page_bytes = 4096};
                CU_ASSERT_EQUAL(rnicsim_mr_register(pair.sim, &region, &error), RNICSIM_OK);
            }
            for (uint32_t n = 0; n < 3; n++) {
                struct rnicsim_wr wr = {.wr_id = n,
                                        .local_address = 1u << 24,
                                        .remote_address = 1u << 25,
                                        .lkey = 1,
                                        .rkey = 2,
                                        .length_bytes = 100,
                                        .opcode = RNICSIM_WRITE,
                                        .flags = RNICSIM_SIGNALLED | RNICSIM_ANY_KEY};
                if (n == 1) {
                    wr.opcode = row[i].opcode;
                    wr.lkey = row[i].lkey;
                    wr.rkey = row[i].rkey;
                    wr.length_bytes = row[i].bytes;
                }
                CU_ASSERT_EQUAL_FATAL(rnicsim_post_send(pair.sim, 0, 1, &wr, 1, rnicsim_now(pair.sim), &error),
                                      RNICSIM_OK);
                if (n == 0)
                    pair_finish(&pair);
            }
            pair_post_receive(&pair, rnicsim_now(pair.sim));
            pair_finish(&pair);
            CU_ASSERT_EQUAL_FATAL(pair.count, 3);
            CU_ASSERT_EQUAL(pair.done[0].status, 0);
            CU_ASSERT_EQUAL(pair.done[1].status, row[i].status);
            CU_ASSERT_EQUAL(pair.done[2].status, row[i].status == 0 ? 0u : 5u);
            pair_close(&pair);
        }
}

void suite_system_reports_slow(void)
{
    CU_pSuite suite = CU_add_suite("system: reported of others", NULL, NULL);
    CU_add_test(suite, "PSNs go round", psns_go_round);
    CU_add_test(suite, "zero bytes", zero_bytes);
    CU_add_test(suite, "wrong keys", wrong_keys);
    CU_add_test(suite, "seven retries of each kind", seven_of_each);
    CU_add_test(suite, "the longest message", the_longest_message);
    CU_add_test(suite, "one completion each", one_completion_each);
}
