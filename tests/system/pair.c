#include "tests/system/pair.h"

#include <CUnit/CUnit.h>

const struct rnicsim_retry pair_retries = {.timeout = 5, .retry_count = 7, .rnr_retry = 7, .rnr_timer = 1};

struct pair pair_open(const char *setting, const struct rnicsim_retry *retry, const struct rnicsim_fault *fault)
{
    return pair_open_at(0, setting, retry, fault);
}

struct pair pair_open_at(uint32_t sq_psn, const char *setting, const struct rnicsim_retry *retry,
                         const struct rnicsim_fault *fault)
{
    struct rnicsim_options options = {.board = "u280_100g",
                                      .seed = 1,
                                      .set = &setting,
                                      .set_count = setting != NULL,
                                      .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct pair pair = {0};
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &pair.sim, &error), RNICSIM_OK);
    if (fault)
        CU_ASSERT_EQUAL_FATAL(rnicsim_fault_add(pair.sim, fault, &error), RNICSIM_OK);
    for (uint32_t host = 0; host < 2; host++) {
        struct rnicsim_qp_attr qp = {.host = host,
                                     .qpn = 1,
                                     .peer_host = host ^ 1,
                                     .peer_qpn = 1,
                                     .mtu_bytes = 1024,
                                     .sq_depth = 64,
                                     .rq_depth = 64,
                                     .max_inline_bytes = 64,
                                     .max_rd_atomic = 16,
                                     .sq_psn = host == 0 ? sq_psn : 77,
                                     .retry = retry};
        CU_ASSERT_EQUAL_FATAL(rnicsim_qp_create(pair.sim, &qp, &error), RNICSIM_OK);
    }
    return pair;
}

struct rnicsim_fault pair_fault(enum rnicsim_fault_action action, unsigned frames, uint64_t nth)
{
    return (struct rnicsim_fault){.action = action,
                                  .frames = frames,
                                  .from_host = RNICSIM_FAULT_ANY,
                                  .psn = RNICSIM_FAULT_ANY,
                                  .to_ps = RNICSIM_NEVER,
                                  .nth = nth};
}

void pair_post(struct pair *pair, enum rnicsim_opcode opcode, uint32_t bytes)
{
    struct rnicsim_wr wr = {.wr_id = pair->posted++,
                            .local_address = 1u << 24,
                            .remote_address = 1u << 25,
                            .length_bytes = bytes,
                            .opcode = opcode,
                            .flags = RNICSIM_SIGNALLED};
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_post_send(pair->sim, 0, 1, &wr, 1, rnicsim_now(pair->sim), &error), RNICSIM_OK);
}

void pair_post_receive(struct pair *pair, int64_t at_ps)
{
    struct rnicsim_recv recv = {.wr_id = pair->receives++, .address = 1u << 26, .length_bytes = 65536};
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_post_recv(pair->sim, 1, 1, &recv, 1, at_ps, &error), RNICSIM_OK);
}

static void take_events(struct pair *pair)
{
    struct rnicsim_event event[16];
    for (size_t n; (n = rnicsim_poll(pair->sim, event, 16)) > 0;)
        for (size_t i = 0; i < n; i++)
            if (event[i].kind == RNICSIM_SEND_DONE && pair->count < PAIR_MOST)
                pair->done[pair->count++] = event[i];
            else if ((event[i].kind == RNICSIM_RECV_DONE || event[i].kind == RNICSIM_WRITE_VISIBLE) &&
                     pair->delivered < PAIR_MOST)
                pair->received[pair->delivered++] = event[i];
}

void pair_finish(struct pair *pair)
{
    struct rnicsim_error error;
    do {
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(pair->sim, RNICSIM_NEVER, NULL, &error), RNICSIM_OK);
        take_events(pair);
    } while (rnicsim_next_at(pair->sim) != RNICSIM_NEVER);
    rnicsim_totals(pair->sim, &pair->totals);
}

void pair_close(struct pair *pair)
{
    rnicsim_destroy(pair->sim);
}
