/* UC, UD and XRC beside RC (IBTA vol. 1, 9.8; Annex A14 for XRC). */
#include "api/rnicsim.h"

#include <CUnit/CUnit.h>
#include <string.h>

void suite_system_transports(void);

#define MOST 64u
#define SRQN 9u

struct hosts {
    struct rnicsim *sim;
    struct rnicsim_event done[MOST], received[MOST], visible[MOST];
    uint32_t dones, receives, visibles;
    struct rnicsim_totals totals;
};

static struct hosts open_hosts(const struct rnicsim_fault *fault)
{
    struct rnicsim_options options = {.board = "u280_100g", .seed = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct hosts hosts = {0};
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &hosts.sim, &error), RNICSIM_OK);
    if (fault)
        CU_ASSERT_EQUAL_FATAL(rnicsim_fault_add(hosts.sim, fault, &error), RNICSIM_OK);
    for (uint32_t host = 0; host < 2; host++) {
        struct rnicsim_srq_attr srq = {.host = host, .srqn = SRQN, .depth = 64};
        CU_ASSERT_EQUAL_FATAL(rnicsim_srq_create(hosts.sim, &srq, &error), RNICSIM_OK);
    }
    return hosts;
}

/* QP qpn of host 0 and of host 1. */
static void add_pair(struct hosts *hosts, uint32_t qpn, enum rnicsim_transport transport)
{
    struct rnicsim_error error;
    for (uint32_t host = 0; host < 2; host++) {
        struct rnicsim_qp_attr qp = {.host = host,
                                     .qpn = qpn,
                                     .peer_host = host ^ 1,
                                     .peer_qpn = qpn,
                                     .mtu_bytes = 1024,
                                     .sq_depth = 64,
                                     .rq_depth = transport == RNICSIM_XRC ? 0 : 64,
                                     .max_rd_atomic = transport == RNICSIM_UC || transport == RNICSIM_UD ? 0 : 4,
                                     .transport = transport,
                                     .qkey = 0x1234};
        CU_ASSERT_EQUAL_FATAL(rnicsim_qp_create(hosts->sim, &qp, &error), RNICSIM_OK);
    }
}

static struct rnicsim_wr request(enum rnicsim_opcode opcode, uint32_t bytes)
{
    return (struct rnicsim_wr){.local_address = 1u << 24,
                               .remote_address = 1u << 25,
                               .length_bytes = bytes,
                               .opcode = opcode,
                               .flags = RNICSIM_SIGNALLED};
}

static void post(struct hosts *hosts, uint32_t qpn, struct rnicsim_wr wr)
{
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_post_send(hosts->sim, 0, qpn, &wr, 1, rnicsim_now(hosts->sim), &error), RNICSIM_OK);
}

static void refuse(struct hosts *hosts, uint32_t qpn, struct rnicsim_wr wr, const char *expected)
{
    struct rnicsim_error error;
    CU_ASSERT_EQUAL(rnicsim_post_send(hosts->sim, 0, qpn, &wr, 1, rnicsim_now(hosts->sim), &error), RNICSIM_EINPUT);
    CU_ASSERT(strstr(error.text, expected) != NULL);
}

static void post_receive(struct hosts *hosts, uint32_t qpn, uint64_t wr_id, uint32_t bytes)
{
    struct rnicsim_recv recv = {.wr_id = wr_id, .address = 1u << 26, .length_bytes = bytes};
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_post_recv(hosts->sim, 1, qpn, &recv, 1, rnicsim_now(hosts->sim), &error), RNICSIM_OK);
}

static void take(struct hosts *hosts, const struct rnicsim_event *event)
{
    if (event->kind == RNICSIM_SEND_DONE && hosts->dones < MOST)
        hosts->done[hosts->dones++] = *event;
    if (event->kind == RNICSIM_RECV_DONE && hosts->receives < MOST)
        hosts->received[hosts->receives++] = *event;
    if (event->kind == RNICSIM_WRITE_VISIBLE && hosts->visibles < MOST)
        hosts->visible[hosts->visibles++] = *event;
}

static void finish(struct hosts *hosts)
{
    struct rnicsim_error error;
    do {
        struct rnicsim_event event[16];
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(hosts->sim, RNICSIM_NEVER, NULL, &error), RNICSIM_OK);
        for (size_t n; (n = rnicsim_poll(hosts->sim, event, 16)) > 0;)
            for (size_t i = 0; i < n; i++)
                take(hosts, &event[i]);
    } while (rnicsim_next_at(hosts->sim) != RNICSIM_NEVER && !rnicsim_is_stuck(hosts->sim));
    CU_ASSERT_FALSE(rnicsim_is_stuck(hosts->sim));
    rnicsim_totals(hosts->sim, &hosts->totals);
}

static struct rnicsim_fault drop_nth(uint64_t nth)
{
    return (struct rnicsim_fault){.action = RNICSIM_FAULT_DROP,
                                  .frames = RNICSIM_FRAME_ANY,
                                  .from_host = RNICSIM_FAULT_ANY,
                                  .psn = RNICSIM_FAULT_ANY,
                                  .to_ps = RNICSIM_NEVER,
                                  .nth = nth};
}

/* ---- UC ---- */

/* Nothing comes back, and it is complete without waiting for the way there. */
static void uc_writes(void)
{
    struct hosts hosts = open_hosts(NULL);
    add_pair(&hosts, 1, RNICSIM_UC);
    add_pair(&hosts, 2, RNICSIM_RC);
    post(&hosts, 1, request(RNICSIM_WRITE, 10 * 1024));
    post(&hosts, 2, request(RNICSIM_WRITE, 10 * 1024));
    finish(&hosts);
    CU_ASSERT_EQUAL_FATAL(hosts.dones, 2);
    CU_ASSERT_EQUAL(hosts.visibles, 2);
    CU_ASSERT_EQUAL(hosts.totals.ack_packets, 1); /* of RC */
    CU_ASSERT_EQUAL(hosts.done[0].qpn, 1);
    CU_ASSERT_EQUAL(hosts.done[0].stamp_ps[RNICSIM_AT_RECEIVED], RNICSIM_NEVER);
    CU_ASSERT(hosts.done[0].stamp_ps[RNICSIM_AT_RETIRED] > hosts.done[0].stamp_ps[RNICSIM_AT_WIRE]);
    CU_ASSERT(hosts.done[0].stamp_ps[RNICSIM_AT_RETIRED] < hosts.done[1].stamp_ps[RNICSIM_AT_RESPONDED]);
    rnicsim_destroy(hosts.sim);
}

/* A packet is lost: its message is, whichever packet it was, and the next one is not (IBTA vol. 1, 9.8.2.2). Its program does not know. */
static void uc_loses_a_message(void)
{
    for (uint64_t nth = 1; nth <= 3; nth++) {
        struct rnicsim_fault fault = drop_nth(nth);
        struct hosts hosts = open_hosts(&fault);
        add_pair(&hosts, 1, RNICSIM_UC);
        post(&hosts, 1, request(RNICSIM_WRITE, 3000));
        post(&hosts, 1, request(RNICSIM_WRITE, 3000));
        finish(&hosts);
        CU_ASSERT_EQUAL(hosts.dones, 2);
        CU_ASSERT_EQUAL(hosts.totals.errors, 0);
        CU_ASSERT_EQUAL(hosts.visibles, 1);
        CU_ASSERT_EQUAL(hosts.totals.drops_planned, 1);
        CU_ASSERT_EQUAL(hosts.totals.drops_sequence, 3 - nth); /* what follows of it */
        CU_ASSERT_EQUAL(hosts.totals.repeated, 0);
        rnicsim_destroy(hosts.sim);
    }
}

/* Without a receive WQE a message is dropped: its first packet as nobody wants it, the others behind it. */
static void uc_without_a_buffer(void)
{
    struct hosts hosts = open_hosts(NULL);
    add_pair(&hosts, 1, RNICSIM_UC);
    post(&hosts, 1, request(RNICSIM_SEND, 3000));
    finish(&hosts);
    CU_ASSERT_EQUAL(hosts.dones, 1);
    CU_ASSERT_EQUAL(hosts.done[0].status, 0);
    CU_ASSERT_EQUAL(hosts.receives, 0);
    CU_ASSERT_EQUAL(hosts.totals.drops_unwanted, 1);
    CU_ASSERT_EQUAL(hosts.totals.drops_sequence, 2);
    post_receive(&hosts, 1, 77, 4096);
    post(&hosts, 1, request(RNICSIM_SEND, 3000));
    finish(&hosts);
    CU_ASSERT_EQUAL_FATAL(hosts.receives, 1);
    CU_ASSERT_EQUAL(hosts.received[0].wr_id, 77);
    CU_ASSERT_EQUAL(hosts.received[0].length_bytes, 3000);
    CU_ASSERT_EQUAL(hosts.totals.retransmits_rnr, 0);
    refuse(&hosts, 1, request(RNICSIM_READ, 8), "READs and atomics");
    rnicsim_destroy(hosts.sim);
}

/* ---- UD ---- */

/* One QP sends to two; each receive has 40 bytes in front and says who sent. A frame has a DETH of 8 bytes. */
static void ud_sends(void)
{
    struct hosts hosts = open_hosts(NULL);
    for (uint32_t qpn = 1; qpn <= 2; qpn++)
        add_pair(&hosts, qpn, RNICSIM_UD);
    struct rnicsim_wr wr = request(RNICSIM_SEND, 100);
    for (uint32_t qpn = 1; qpn <= 2; qpn++) {
        post_receive(&hosts, qpn, qpn, 140);
        wr.remote_qpn = qpn;
        wr.remote_qkey = 0x1234;
        post(&hosts, 1, wr);
    }
    finish(&hosts);
    CU_ASSERT_EQUAL(hosts.dones, 2);
    CU_ASSERT_EQUAL_FATAL(hosts.receives, 2);
    for (uint32_t i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(hosts.received[i].qpn, i + 1);
        CU_ASSERT_EQUAL(hosts.received[i].wr_id, i + 1);
        CU_ASSERT_EQUAL(hosts.received[i].src_qpn, 1);
        CU_ASSERT_EQUAL(hosts.received[i].length_bytes, 100);
    }
    CU_ASSERT_EQUAL(hosts.totals.payload_bytes, 200);
    CU_ASSERT_EQUAL(hosts.totals.wire_bytes, 2 * (58 + 8 + 100 + 24)); /* preamble, FCS and gap are 24 */
    CU_ASSERT_EQUAL(hosts.totals.ack_packets, 0);
    rnicsim_destroy(hosts.sim);
}

/* Another Q_Key, a buffer that is a byte too short, no buffer: dropped without a word, and a buffer is there for the next one (linux-rdma on
 * UD messages longer than a buffer). */
static void ud_drops(void)
{
    struct hosts hosts = open_hosts(NULL);
    add_pair(&hosts, 1, RNICSIM_UD);
    struct rnicsim_wr wr = request(RNICSIM_SEND, 100);
    wr.remote_qpn = 1;
    wr.remote_qkey = 0x1235;
    post(&hosts, 1, request(RNICSIM_SEND, 100)); /* no buffer */
    finish(&hosts);
    post_receive(&hosts, 1, 5, 139);
    post(&hosts, 1, wr);                         /* another Q_Key */
    post(&hosts, 1, request(RNICSIM_SEND, 100)); /* 140 bytes do not fit */
    post(&hosts, 1, request(RNICSIM_SEND, 99));
    finish(&hosts);
    CU_ASSERT_EQUAL(hosts.dones, 4);
    CU_ASSERT_EQUAL(hosts.totals.errors, 0);
    CU_ASSERT_EQUAL(hosts.totals.drops_unwanted, 3);
    CU_ASSERT_EQUAL_FATAL(hosts.receives, 1);
    CU_ASSERT_EQUAL(hosts.received[0].wr_id, 5);
    CU_ASSERT_EQUAL(hosts.received[0].length_bytes, 99);
    rnicsim_destroy(hosts.sim);
}

static void ud_refuses(void)
{
    struct hosts hosts = open_hosts(NULL);
    add_pair(&hosts, 1, RNICSIM_UD);
    add_pair(&hosts, 2, RNICSIM_RC);
    refuse(&hosts, 1, request(RNICSIM_SEND, 1025), "up to its MTU");
    refuse(&hosts, 1, request(RNICSIM_WRITE, 10), "allowed SEND, SEND_IMM");
    struct rnicsim_wr wr = request(RNICSIM_SEND, 10);
    wr.remote_qpn = 2;
    refuse(&hosts, 1, wr, "names no UD QP");
    struct rnicsim_error error;
    struct rnicsim_qp_attr qp = {
        .host = 0, .qpn = 3, .peer_host = 1, .peer_qpn = 2, .mtu_bytes = 1024, .sq_depth = 8, .transport = RNICSIM_UC};
    CU_ASSERT_EQUAL(rnicsim_qp_create(hosts.sim, &qp, &error), RNICSIM_EINPUT);
    CU_ASSERT(strstr(error.text, "another transport") != NULL);
    rnicsim_destroy(hosts.sim);
}

/* A datagram that is lost is lost; the next one is received, whatever its PSN. */
static void ud_loses(void)
{
    struct rnicsim_fault fault = drop_nth(1);
    struct hosts hosts = open_hosts(&fault);
    add_pair(&hosts, 1, RNICSIM_UD);
    post_receive(&hosts, 1, 1, 1064);
    post(&hosts, 1, request(RNICSIM_SEND, 1024));
    post(&hosts, 1, request(RNICSIM_SEND, 1024));
    finish(&hosts);
    CU_ASSERT_EQUAL(hosts.dones, 2);
    CU_ASSERT_EQUAL(hosts.receives, 1);
    rnicsim_destroy(hosts.sim);
}

/* ---- XRC ---- */

/* Messages take buffers of the SRQ that they name, whichever QP they come on; all else is RC: a lost packet is sent again, a READ is
 * answered. Requests have an XRCETH of 4 bytes. */
static void xrc(void)
{
    struct rnicsim_fault fault = drop_nth(2);
    struct hosts hosts = open_hosts(&fault);
    struct rnicsim_error error;
    struct rnicsim_recv recv[3] = {
        {.wr_id = 10, .length_bytes = 4096}, {.wr_id = 11, .length_bytes = 4096}, {.wr_id = 12, .length_bytes = 4096}};
    for (uint32_t qpn = 1; qpn <= 2; qpn++)
        add_pair(&hosts, qpn, RNICSIM_XRC);
    CU_ASSERT_EQUAL_FATAL(rnicsim_post_srq_recv(hosts.sim, 1, SRQN, recv, 3, 0, &error), RNICSIM_OK);
    struct rnicsim_wr wr = request(RNICSIM_SEND, 3000);
    refuse(&hosts, 1, wr, "names no SRQ");
    wr.remote_srqn = SRQN;
    post(&hosts, 1, wr);
    post(&hosts, 2, wr);
    wr.opcode = RNICSIM_WRITE_IMM;
    post(&hosts, 1, wr);
    post(&hosts, 2, request(RNICSIM_READ, 2000));
    finish(&hosts);
    CU_ASSERT_EQUAL(hosts.dones, 4);
    CU_ASSERT_EQUAL(hosts.totals.errors, 0);
    CU_ASSERT_EQUAL(hosts.receives, 3);
    for (uint32_t i = 0; i < hosts.receives; i++)
        CU_ASSERT_EQUAL(hosts.received[i].srqn, SRQN);
    CU_ASSERT_EQUAL(hosts.totals.retransmits_nak, 1);
    rnicsim_destroy(hosts.sim);
}

/* Not ready: RNR NAKs until the SRQ has a buffer. */
static void xrc_waits_for_a_buffer(void)
{
    struct hosts hosts = open_hosts(NULL);
    struct rnicsim_error error;
    struct rnicsim_recv recv = {.wr_id = 10, .length_bytes = 4096};
    add_pair(&hosts, 1, RNICSIM_XRC);
    struct rnicsim_wr wr = request(RNICSIM_SEND, 100);
    wr.remote_srqn = SRQN;
    post(&hosts, 1, wr);
    CU_ASSERT_EQUAL_FATAL(rnicsim_post_srq_recv(hosts.sim, 1, SRQN, &recv, 1, INT64_C(2000000000), &error), RNICSIM_OK);
    finish(&hosts);
    CU_ASSERT_EQUAL(hosts.dones, 1);
    CU_ASSERT_EQUAL(hosts.receives, 1);
    CU_ASSERT(hosts.totals.retransmits_rnr > 0);
    rnicsim_destroy(hosts.sim);
}

void suite_system_transports(void)
{
    CU_pSuite suite = CU_add_suite("system: UC, UD, XRC", NULL, NULL);
    CU_add_test(suite, "UC: writes", uc_writes);
    CU_add_test(suite, "UC: loses a message", uc_loses_a_message);
    CU_add_test(suite, "UC: without a buffer", uc_without_a_buffer);
    CU_add_test(suite, "UD: sends", ud_sends);
    CU_add_test(suite, "UD: drops", ud_drops);
    CU_add_test(suite, "UD: refuses", ud_refuses);
    CU_add_test(suite, "UD: loses", ud_loses);
    CU_add_test(suite, "XRC", xrc);
    CU_add_test(suite, "XRC: waits for a buffer", xrc_waits_for_a_buffer);
}
