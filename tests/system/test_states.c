/* States of QPs: what they let through, which moves are legal, and a connection made as verbs programs make it. */
#include "api/rnicsim.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void suite_system_states(void);

static const struct rnicsim_retry retries = {.timeout = 8, .retry_count = 2, .rnr_retry = 7, .rnr_timer = 1};

static struct rnicsim *open_in_reset(void)
{
    struct rnicsim_options options = {.board = "u280_100g", .seed = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct rnicsim *sim;
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &sim, &error), RNICSIM_OK);
    for (uint32_t host = 0; host < 2; host++) {
        struct rnicsim_qp_attr attr = {.host = host,
                                       .qpn = 11 + host,
                                       .peer_host = host ^ 1,
                                       .sq_depth = 16,
                                       .rq_depth = 16,
                                       .state = RNICSIM_QP_RESET};
        CU_ASSERT_EQUAL_FATAL(rnicsim_qp_create(sim, &attr, &error), RNICSIM_OK);
    }
    return sim;
}

static struct rnicsim_qp_attr to(uint32_t host, enum rnicsim_qp_state state)
{
    return (struct rnicsim_qp_attr){.host = host,
                                    .qpn = 11 + host,
                                    .peer_qpn = 12 - host,
                                    .mtu_bytes = 1024,
                                    .max_rd_atomic = 4,
                                    .retry = &retries,
                                    .sq_psn = 1000 + host,
                                    .rq_psn = 1000 + (host ^ 1),
                                    .state = state};
}

static void move(struct rnicsim *sim, uint32_t host, enum rnicsim_qp_state state)
{
    struct rnicsim_error error = {""};
    struct rnicsim_qp_attr attr = to(host, state);
    struct rnicsim_qp_info info;
    CU_ASSERT_EQUAL(rnicsim_qp_modify(sim, &attr, &error), RNICSIM_OK);
    if (error.text[0])
        printf("\n    %s", error.text);
    if (state != RNICSIM_QP_ERROR) { /* to which the way takes a moment */
        CU_ASSERT_EQUAL(rnicsim_qp_query(sim, host, attr.qpn, &info), RNICSIM_OK);
        CU_ASSERT_EQUAL(info.state, state);
    }
}

static void connect_both(struct rnicsim *sim)
{
    for (uint32_t host = 0; host < 2; host++)
        move(sim, host, RNICSIM_QP_INIT);
    for (uint32_t host = 0; host < 2; host++)
        move(sim, host, RNICSIM_QP_RTR);
    for (uint32_t host = 0; host < 2; host++)
        move(sim, host, RNICSIM_QP_RTS);
}

static int post(struct rnicsim *sim, uint32_t host, enum rnicsim_opcode opcode, uint64_t wr_id)
{
    struct rnicsim_wr wr = {.wr_id = wr_id,
                            .local_address = 4096,
                            .remote_address = 8192,
                            .length_bytes = 3000,
                            .opcode = opcode,
                            .flags = RNICSIM_SIGNALLED};
    struct rnicsim_error error;
    return rnicsim_post_send(sim, host, 11 + host, &wr, 1, rnicsim_now(sim), &error);
}

static int receive(struct rnicsim *sim, uint32_t host, uint64_t wr_id)
{
    struct rnicsim_recv recv = {.wr_id = wr_id, .address = 4096, .length_bytes = 4096};
    struct rnicsim_error error;
    return rnicsim_post_recv(sim, host, 11 + host, &recv, 1, rnicsim_now(sim), &error);
}

/* All that is seen until nothing happens any more; the statuses of CQEs of a kind, as digits, in order. */
static void finish(struct rnicsim *sim, char *sent, char *received)
{
    struct rnicsim_event event;
    struct rnicsim_error error;
    size_t sends = 0, receives = 0;
    do {
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(sim, RNICSIM_NEVER, NULL, &error), RNICSIM_OK);
        while (rnicsim_poll(sim, &event, 1) == 1)
            if (event.kind == RNICSIM_SEND_DONE)
                sent[sends++] = (char)('0' + event.status);
            else if (event.kind == RNICSIM_RECV_DONE)
                received[receives++] = (char)('0' + event.status);
    } while (rnicsim_next_at(sim) != RNICSIM_NEVER);
    sent[sends] = received[receives] = '\0';
}

static void a_connection(void)
{
    struct rnicsim *sim = open_in_reset();
    char sent[16], received[16];
    CU_ASSERT_EQUAL(post(sim, 0, RNICSIM_WRITE, 1), RNICSIM_EINPUT);
    CU_ASSERT_EQUAL(receive(sim, 1, 1), RNICSIM_EINPUT);
    move(sim, 1, RNICSIM_QP_INIT);
    CU_ASSERT_EQUAL(receive(sim, 1, 1), RNICSIM_OK); /* from INIT on */
    CU_ASSERT_EQUAL(post(sim, 1, RNICSIM_WRITE, 1), RNICSIM_EINPUT);
    connect_both(sim);
    CU_ASSERT_EQUAL(post(sim, 0, RNICSIM_SEND, 1), RNICSIM_OK);
    CU_ASSERT_EQUAL(post(sim, 1, RNICSIM_READ, 2), RNICSIM_OK);
    finish(sim, sent, received);
    CU_ASSERT_STRING_EQUAL(sent, "00");
    CU_ASSERT_STRING_EQUAL(received, "0");
    rnicsim_destroy(sim);
}

/* A peer that is not in RTR drops what comes, and the sender gives up (RETRY_EXC_ERR, 12); in RTR it receives, and cannot post. */
static void who_is_deaf(void)
{
    for (int is_ready = 0; is_ready < 2; is_ready++) {
        struct rnicsim *sim = open_in_reset();
        char sent[16], received[16];
        move(sim, 0, RNICSIM_QP_INIT);
        move(sim, 1, RNICSIM_QP_INIT);
        move(sim, 0, RNICSIM_QP_RTR);
        move(sim, 0, RNICSIM_QP_RTS);
        if (is_ready)
            move(sim, 1, RNICSIM_QP_RTR);
        CU_ASSERT_EQUAL(post(sim, 0, RNICSIM_WRITE, 1), RNICSIM_OK);
        CU_ASSERT_EQUAL(post(sim, 1, RNICSIM_WRITE, 2), RNICSIM_EINPUT);
        finish(sim, sent, received);
        CU_ASSERT_EQUAL(sent[0], is_ready ? '0' : '0' + 12);
        rnicsim_destroy(sim);
    }
}

/* SQD: what has begun is done, what has not waits; back in RTS it goes on. */
static void draining(void)
{
    struct rnicsim *sim = open_in_reset();
    struct rnicsim_qp_info info;
    char sent[16], received[16];
    connect_both(sim);
    move(sim, 0, RNICSIM_QP_SQD);
    CU_ASSERT_EQUAL(post(sim, 0, RNICSIM_WRITE, 1), RNICSIM_OK);
    finish(sim, sent, received);
    CU_ASSERT_STRING_EQUAL(sent, "");
    CU_ASSERT_EQUAL(rnicsim_qp_query(sim, 0, 11, &info), RNICSIM_OK);
    CU_ASSERT(!info.is_draining && info.send_queued == 1);
    move(sim, 0, RNICSIM_QP_RTS);
    finish(sim, sent, received);
    CU_ASSERT_STRING_EQUAL(sent, "0");
    rnicsim_destroy(sim);
}

/* To ERROR: all is flushed, later posts, too; then RESET, and the connection works anew. */
static void error_and_again(void)
{
    struct rnicsim *sim = open_in_reset();
    struct rnicsim_error error;
    struct rnicsim_qp_attr attr = to(0, RNICSIM_QP_RESET);
    char sent[16], received[16];
    connect_both(sim);
    CU_ASSERT_EQUAL(receive(sim, 0, 1), RNICSIM_OK);
    CU_ASSERT_EQUAL(post(sim, 0, RNICSIM_SEND, 1), RNICSIM_OK); /* its peer has no buffer */
    CU_ASSERT_EQUAL(rnicsim_advance(sim, 20000000, NULL, &error), RNICSIM_OK);
    CU_ASSERT_EQUAL(rnicsim_qp_modify(sim, &attr, &error), RNICSIM_EINPUT);
    CU_ASSERT(strstr(error.text, "under way") != NULL);
    move(sim, 0, RNICSIM_QP_ERROR);
    CU_ASSERT_EQUAL(post(sim, 0, RNICSIM_SEND, 2), RNICSIM_OK);
    CU_ASSERT_EQUAL(receive(sim, 0, 2), RNICSIM_OK);
    finish(sim, sent, received);
    CU_ASSERT_STRING_EQUAL(sent, "55");
    CU_ASSERT_STRING_EQUAL(received, "55");
    move(sim, 0, RNICSIM_QP_RESET);
    move(sim, 1, RNICSIM_QP_RESET);
    connect_both(sim);
    CU_ASSERT_EQUAL(receive(sim, 1, 3), RNICSIM_OK);
    CU_ASSERT_EQUAL(post(sim, 0, RNICSIM_SEND, 3), RNICSIM_OK);
    CU_ASSERT_EQUAL(post(sim, 0, RNICSIM_READ, 4), RNICSIM_OK);
    finish(sim, sent, received);
    CU_ASSERT_STRING_EQUAL(sent, "00");
    CU_ASSERT_STRING_EQUAL(received, "0");
    rnicsim_destroy(sim);
}

/* Every pair of states: legal as IBTA vol. 1, 10.3.1 has it, else one line. */
static void moves(void)
{
    static const char *const legal[] = {
        /* to: RTS RESET INIT RTR SQD ERROR */
        [RNICSIM_QP_RTS] = "110011", [RNICSIM_QP_RESET] = "011001", [RNICSIM_QP_INIT] = "011101",
        [RNICSIM_QP_RTR] = "110001", [RNICSIM_QP_SQD] = "110011",   [RNICSIM_QP_ERROR] = "010001"};
    static const enum rnicsim_qp_state way[][5] = {
        [RNICSIM_QP_RTS] = {RNICSIM_QP_INIT, RNICSIM_QP_RTR, RNICSIM_QP_RTS},
        [RNICSIM_QP_RESET] = {RNICSIM_QP_RESET},
        [RNICSIM_QP_INIT] = {RNICSIM_QP_INIT},
        [RNICSIM_QP_RTR] = {RNICSIM_QP_INIT, RNICSIM_QP_RTR},
        [RNICSIM_QP_SQD] = {RNICSIM_QP_INIT, RNICSIM_QP_RTR, RNICSIM_QP_RTS, RNICSIM_QP_SQD},
        [RNICSIM_QP_ERROR] = {RNICSIM_QP_ERROR}};
    static const int steps[] = {3, 1, 1, 2, 4, 1};
    for (int from = 0; from < 6; from++)
        for (int next = 0; next < 6; next++) {
            struct rnicsim *sim = open_in_reset();
            struct rnicsim_error error = {""};
            char sent[16], received[16];
            for (int i = 0; i < steps[from]; i++)
                move(sim, 0, way[from][i]);
            finish(sim, sent, received);
            struct rnicsim_qp_attr attr = to(0, (enum rnicsim_qp_state)next);
            int result = rnicsim_qp_modify(sim, &attr, &error);
            CU_ASSERT_EQUAL(result, legal[from][next] == '1' ? RNICSIM_OK : RNICSIM_EINPUT);
            CU_ASSERT_EQUAL(strstr(error.text, "no way from") != NULL, result != RNICSIM_OK);
            rnicsim_destroy(sim);
        }
}

void suite_system_states(void)
{
    CU_pSuite suite = CU_add_suite("system: states of QPs", NULL, NULL);
    CU_add_test(suite, "a connection", a_connection);
    CU_add_test(suite, "who is deaf", who_is_deaf);
    CU_add_test(suite, "draining", draining);
    CU_add_test(suite, "error and again", error_and_again);
    CU_add_test(suite, "moves", moves);
}
