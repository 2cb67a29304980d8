/* Operations beyond SEND, WRITE, READ and atomics, keys that change, and what becomes of a QP in error: FLUSH, ATOMIC_WRITE, SEND_INV, LOCAL_INV,
 * BIND_MW, FAST_REG; rights, protection domains, windows; receive WQEs that are flushed or in error. */
#include "api/rnicsim.h"

#include <CUnit/CUnit.h>
#include <string.h>

void suite_system_operations(void);

#define MOST 64u
#define LOCAL UINT64_C(0x1000000)
#define REMOTE UINT64_C(0x2000000)
#define REGION_BYTES UINT64_C(0x20000)
#define LKEY 0x100u
#define RKEY 0x200u

struct ends {
    struct rnicsim *sim;
    struct rnicsim_event event[2][MOST]; /* by host, in order */
    uint32_t count[2], posted;
};

static void ends_qp(struct ends *ends, uint32_t host, uint32_t pd, uint32_t access)
{
    struct rnicsim_qp_attr qp = {.host = host,
                                 .qpn = 1,
                                 .peer_host = host ^ 1,
                                 .peer_qpn = 1,
                                 .mtu_bytes = 1024,
                                 .sq_depth = 32,
                                 .rq_depth = 32,
                                 .max_rd_atomic = 16,
                                 .pd = pd,
                                 .access = access};
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_qp_create(ends->sim, &qp, &error), RNICSIM_OK);
}

static struct ends ends_open(const char *setting)
{
    struct rnicsim_options options = {.board = "u280_100g",
                                      .seed = 1,
                                      .set = &setting,
                                      .set_count = setting != NULL,
                                      .data = 1,
                                      .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct ends ends = {0};
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &ends.sim, &error), RNICSIM_OK);
    return ends;
}

static struct rnicsim_mr_attr region(uint32_t host, uint32_t access)
{
    return (struct rnicsim_mr_attr){.host = host,
                                    .key = host == 0 ? LKEY : RKEY,
                                    .base = host == 0 ? LOCAL : REMOTE,
                                    .length_bytes = REGION_BYTES,
                                    .page_bytes = 4096,
                                    .access = access};
}

static void ends_register(struct ends *ends, struct rnicsim_mr_attr attr)
{
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_mr_register(ends->sim, &attr, &error), RNICSIM_OK);
}

static void ends_key(struct ends *ends, uint32_t host, uint32_t key, enum rnicsim_key_kind kind)
{
    ends_register(ends, (struct rnicsim_mr_attr){.host = host, .key = key, .page_bytes = 4096, .kind = kind});
}

/* QPs of one protection domain and a region each, with all rights. */
static struct ends ends_open_plain(const char *setting)
{
    struct ends ends = ends_open(setting);
    for (uint32_t host = 0; host < 2; host++) {
        ends_qp(&ends, host, 0, 0);
        ends_register(&ends, region(host, 0));
    }
    return ends;
}

static void ends_post(struct ends *ends, uint32_t host, struct rnicsim_wr wr)
{
    struct rnicsim_error error = {""};
    wr.wr_id = ends->posted++;
    wr.flags |= RNICSIM_SIGNALLED | RNICSIM_ANY_KEY;
    CU_ASSERT_EQUAL_FATAL(rnicsim_post_send(ends->sim, host, 1, &wr, 1, rnicsim_now(ends->sim), &error), RNICSIM_OK);
}

static struct rnicsim_wr request(enum rnicsim_opcode opcode, uint32_t bytes)
{
    return (struct rnicsim_wr){.local_address = LOCAL,
                               .remote_address = REMOTE,
                               .lkey = LKEY,
                               .rkey = RKEY,
                               .length_bytes = bytes,
                               .opcode = opcode};
}

static struct rnicsim_wr request_with(enum rnicsim_opcode opcode, const struct rnicsim_bind *bind)
{
    return (struct rnicsim_wr){.opcode = opcode, .bind = bind};
}

static void ends_receive(struct ends *ends, uint32_t host, uint64_t wr_id, uint32_t lkey, uint32_t bytes)
{
    struct rnicsim_recv recv = {
        .wr_id = wr_id, .address = host == 0 ? LOCAL : REMOTE, .lkey = lkey, .length_bytes = bytes};
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_post_recv(ends->sim, host, 1, &recv, 1, rnicsim_now(ends->sim), &error), RNICSIM_OK);
}

static void ends_finish(struct ends *ends)
{
    struct rnicsim_error error;
    struct rnicsim_event event;
    do {
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(ends->sim, RNICSIM_NEVER, NULL, &error), RNICSIM_OK);
        while (rnicsim_poll(ends->sim, &event, 1) == 1)
            if (ends->count[event.host] < MOST)
                ends->event[event.host][ends->count[event.host]++] = event;
    } while (rnicsim_next_at(ends->sim) != RNICSIM_NEVER);
}

/* The only event of a kind at a host since the last call of this, which forgets them all. */
static struct rnicsim_event ends_last(struct ends *ends, uint32_t host, enum rnicsim_event_kind kind)
{
    struct rnicsim_event found = {.status = 999};
    uint32_t count = 0;
    ends_finish(ends);
    for (uint32_t i = 0; i < ends->count[host]; i++)
        if (ends->event[host][i].kind == kind) {
            found = ends->event[host][i];
            count++;
        }
    CU_ASSERT_EQUAL(count, 1);
    ends->count[0] = ends->count[1] = 0;
    return found;
}

static uint32_t status_of(struct ends *ends, uint32_t host, struct rnicsim_wr wr)
{
    ends_post(ends, host, wr);
    return ends_last(ends, host, RNICSIM_SEND_DONE).status;
}

/* ---- FLUSH and ATOMIC_WRITE ---- */

/* The answer to a FLUSH leaves when all that was written before is visible; without it the last ACK leaves earlier. */
static void flush_is_behind_writes(void)
{
    struct ends ends = ends_open_plain("pcie.host_write=0:60 100:900 ns");
    for (int i = 0; i < 4; i++)
        ends_post(&ends, 0, request(RNICSIM_WRITE, 4000));
    struct rnicsim_wr flush = request(RNICSIM_FLUSH, 4000);
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
        struct rnicsim_fault fault = {.action = actions[i / 2 % 2],
                                      .frames = frames[i % 2],
                                      .from_host = RNICSIM_FAULT_ANY,
                                      .psn = RNICSIM_FAULT_ANY,
                                      .to_ps = RNICSIM_NEVER,
                                      .nth = 1};
        if (i < 4)
            CU_ASSERT_EQUAL(rnicsim_fault_add(ends.sim, &fault, &error), RNICSIM_OK);
        CU_ASSERT_EQUAL(rnicsim_memory_write(ends.sim, 0, LOCAL, &value, 8, &error), RNICSIM_OK);
        CU_ASSERT_EQUAL(rnicsim_memory_write(ends.sim, 0, LOCAL + 8, &other, 8, &error), RNICSIM_OK);
        ends_post(&ends, 0, request(RNICSIM_ATOMIC_WRITE, 8));
        struct rnicsim_wr second = request(RNICSIM_ATOMIC_WRITE, 8);
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
        ends_post(&ends, 1, request_with(RNICSIM_BIND_MW, &bind));
        ends_receive(&ends, 1, 1, RKEY, 4096);
        struct rnicsim_wr wr = request(row[i].opcode, row[i].bytes);
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

/* ---- windows and regions that work requests change ---- */

static void windows(void)
{
    struct ends ends = ends_open_plain(NULL);
    ends_key(&ends, 1, 0x300, RNICSIM_WINDOW_2);
    struct rnicsim_wr write = request(RNICSIM_WRITE, 64);
    struct rnicsim_bind bind = {.key = 0x300,
                                .new_key = 0x3ab,
                                .region = RKEY,
                                .base = REMOTE + 4096,
                                .length_bytes = 4096,
                                .access = RNICSIM_ACCESS_REMOTE_WRITE};
    CU_ASSERT_EQUAL(status_of(&ends, 1, request_with(RNICSIM_BIND_MW, &bind)), 0);
    write.rkey = 0x3ab;
    write.remote_address = REMOTE + 4096;
    CU_ASSERT_EQUAL(status_of(&ends, 0, write), 0);
    struct rnicsim_error error;
    CU_ASSERT_EQUAL(rnicsim_mr_deregister(ends.sim, 1, RKEY, &error), RNICSIM_EINPUT); /* it has a window */
    struct rnicsim_bind end = {.key = 0x3ab};
    CU_ASSERT_EQUAL(status_of(&ends, 1, request_with(RNICSIM_LOCAL_INV, &end)), 0);
    CU_ASSERT_EQUAL(rnicsim_mr_deregister(ends.sim, 1, RKEY, &error), RNICSIM_OK);
    CU_ASSERT_EQUAL(status_of(&ends, 0, write), 10);
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
        ends_post(&ends, 1, request_with(RNICSIM_BIND_MW, &bind));
        ends_finish(&ends);
        struct rnicsim_wr wr = request(i == 1 ? RNICSIM_READ : RNICSIM_WRITE, 64);
        wr.rkey = i == 2 ? 0x300 : 0x301;
        wr.remote_address = REMOTE + 4096 + (i == 3 ? 4096 - 63 : 0);
        struct rnicsim_bind end = {.key = 0x301, .new_key = 0x302}; /* bound to nothing */
        if (i == 4)
            ends_post(&ends, 1, request_with(RNICSIM_BIND_MW, &end));
        ends_finish(&ends);
        ends.count[0] = ends.count[1] = 0;
        CU_ASSERT_EQUAL(status_of(&ends, 0, wr), i == 0 ? 0u : 10u);
        rnicsim_destroy(ends.sim);
    }
}

/* A key that another invalidates is gone with the message; the second time it is refused, at both ends (REM_INV_REQ_ERR). */
static void send_with_invalidate(void)
{
    struct ends ends = ends_open_plain(NULL);
    ends_key(&ends, 1, 0x300, RNICSIM_FAST_REGION);
    struct rnicsim_bind bind = {.key = 0x300, .new_key = 0x300, .base = REMOTE, .length_bytes = 4096};
    CU_ASSERT_EQUAL(status_of(&ends, 1, request_with(RNICSIM_FAST_REG, &bind)), 0);
    struct rnicsim_wr write = request(RNICSIM_WRITE, 64), send = request(RNICSIM_SEND_INV, 3000);
    write.rkey = send.immediate = 0x300;
    CU_ASSERT_EQUAL(status_of(&ends, 0, write), 0);
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
        ends_post(&ends, 0, request_with(RNICSIM_FAST_REG, &bind));
        struct rnicsim_wr write = request(RNICSIM_WRITE, 64);
        write.lkey = 0x3ff;
        write.local_address = bind.base;
        ends_post(&ends, 0, write);
        struct rnicsim_bind again = bind;
        again.key = again.new_key;
        ends_post(&ends, 0, request_with(RNICSIM_FAST_REG, &again));
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
    struct rnicsim_fault fault = {.action = RNICSIM_FAULT_DROP,
                                  .frames = RNICSIM_FRAME_ACK,
                                  .from_host = 1,
                                  .psn = RNICSIM_FAULT_ANY,
                                  .to_ps = RNICSIM_NEVER,
                                  .nth = 1};
    CU_ASSERT_EQUAL(rnicsim_fault_add(ends.sim, &fault, &error), RNICSIM_OK);
    ends_key(&ends, 0, 0x300, RNICSIM_FAST_REGION);
    struct rnicsim_bind bind = {.key = 0x300, .new_key = 0x300, .base = LOCAL, .length_bytes = 4096};
    struct rnicsim_wr write = request(RNICSIM_WRITE, 64);
    write.lkey = 0x300;
    ends_post(&ends, 0, request_with(RNICSIM_FAST_REG, &bind));
    ends_post(&ends, 0, write);
    ends_post(&ends, 0, request_with(RNICSIM_LOCAL_INV, &bind));
    ends_post(&ends, 0, write);
    ends_finish(&ends);
    CU_ASSERT_EQUAL_FATAL(ends.count[0], 4);
    for (uint32_t i = 0; i < 4; i++)
        CU_ASSERT_EQUAL(ends.event[0][i].status, i < 3 ? 0u : 4u);
    CU_ASSERT(ends.event[0][2].stamp_ps[RNICSIM_AT_PACKET] >= ends.event[0][1].stamp_ps[RNICSIM_AT_ACK_RECEIVED]);
    rnicsim_destroy(ends.sim);
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
        struct rnicsim_wr wr = request(n == 1 ? RNICSIM_WRITE : n == 2 ? RNICSIM_READ : RNICSIM_SEND, 9000);
        wr.sge = from;
        wr.sge_count = 5;
        CU_ASSERT_EQUAL(status_of(&ends, 0, wr), 0);
        done = 0;
        if (n == 1)
            CU_ASSERT_EQUAL(rnicsim_memory_read(ends.sim, 1, REMOTE, found, 9000, &error), 0);
        for (int i = 0; n != 1 && i < (n == 2 ? 5 : 4); i++) {
            const struct rnicsim_sge *sge = n == 2 ? &from[i] : &to[i];
            CU_ASSERT_EQUAL(
                rnicsim_memory_read(ends.sim, n == 2 ? 0 : 1, sge->address, found + done, sge->length_bytes, &error), 0);
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
        struct rnicsim_wr wr = request(RNICSIM_WRITE, 1024);
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
    CU_ASSERT(took_ps[1] > took_ps[0] + 20 * 4000); /* from one read of 512 B twice to 32: a cycle each at least, at 250 MHz */
}

/* ---- errors ---- */

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
        struct rnicsim_wr wrong = request(RNICSIM_WRITE, 3000);
        wrong.lkey = 0x999;
        ends_post(&ends, 0, request(RNICSIM_WRITE, 2000));
        ends_post(&ends, 0, request(RNICSIM_READ, 2000));
        ends_post(&ends, 0, i == 0 ? wrong : request_with(RNICSIM_BIND_MW, &bind));
        ends_post(&ends, 0, request(RNICSIM_WRITE, 64));
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
        ends_post(&ends, 0, request(RNICSIM_SEND, 2000));
        ends_post(&ends, 0, request(RNICSIM_SEND, 2000));
        ends_post(&ends, 0, request(RNICSIM_SEND, 2000));
        ends_post(&ends, 1, request(RNICSIM_RECV + 1, 0)); /* a READ of nothing, which is done before */
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
    ends_post(&ends, 0, request(RNICSIM_SEND, 3000));
    ends_finish(&ends);
    CU_ASSERT(ends.count[0] == 1 && ends.event[0][0].status == 10);
    uint64_t next = 1;
    for (uint32_t n = 0; n < ends.count[1]; n++)
        if (ends.event[1][n].kind == RNICSIM_RECV_DONE)
            CU_ASSERT(ends.event[1][n].wr_id == next++ && ends.event[1][n].status == 5);
    CU_ASSERT_EQUAL(next, 4);
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
        ends_register(&ends, region(0, row[i].local));
        ends_register(&ends, region(1, row[i].remote));
        struct rnicsim_wr wr = request(row[i].opcode, 8);
        wr.immediate = row[i].opcode == RNICSIM_FLUSH ? RNICSIM_FLUSH_VISIBLE : 0;
        CU_ASSERT_EQUAL(status_of(&ends, 0, wr), row[i].status);
        rnicsim_destroy(ends.sim);
    }
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
    refused(&ends, request(RNICSIM_FLUSH, 8), "VISIBLE or PERSISTENT");
    refused(&ends, request(RNICSIM_ATOMIC_WRITE, 4), "8 bytes");
    refused(&ends, request_with(RNICSIM_BIND_MW, &bind), "when the host has a window");
    ends_key(&ends, 0, 0x300, RNICSIM_WINDOW_1);
    refused(&ends, request_with(RNICSIM_BIND_MW, NULL), "bind is NULL");
    struct rnicsim_sge sge[33] = {{LOCAL, 100, LKEY}};
    struct rnicsim_wr list = request(RNICSIM_WRITE, 99);
    list.sge = sge;
    list.sge_count = 1;
    refused(&ends, list, "sum of its SGEs");
    list.sge_count = 33;
    refused(&ends, list, "allowed 0 to 32");
    struct rnicsim_wr wr = request_with(RNICSIM_BIND_MW, &bind);
    wr.length_bytes = 1;
    refused(&ends, wr, "carry nothing");
    struct rnicsim_mr_attr window = {.host = 0, .key = 0x400, .length_bytes = 8, .page_bytes = 4096, .kind = 2};
    CU_ASSERT_EQUAL(rnicsim_mr_register(ends.sim, &window, &error), RNICSIM_EINPUT);
    CU_ASSERT_EQUAL(rnicsim_mr_deregister(ends.sim, 0, 0x999, &error), RNICSIM_EINPUT);
    rnicsim_destroy(ends.sim);
}

void suite_system_operations(void)
{
    CU_pSuite suite = CU_add_suite("system: operations, keys and errors", NULL, NULL);
    CU_add_test(suite, "FLUSH behind writes", flush_is_behind_writes);
    CU_add_test(suite, "ATOMIC_WRITE once", atomic_write_is_done_once);
    CU_add_test(suite, "frames", frames_of_operations);
    CU_add_test(suite, "windows", windows);
    CU_add_test(suite, "windows are narrow", windows_are_narrow);
    CU_add_test(suite, "SEND with invalidate", send_with_invalidate);
    CU_add_test(suite, "fast registration", fast_registration);
    CU_add_test(suite, "LOCAL_INV waits", local_invalidate_waits);
    CU_add_test(suite, "gather and scatter", gather_and_scatter);
    CU_add_test(suite, "places cost", places_cost);
    CU_add_test(suite, "what is before an error", what_is_before_an_error);
    CU_add_test(suite, "receives in error", receives_in_error);
    CU_add_test(suite, "half a message", half_a_message);
    CU_add_test(suite, "rights", rights);
    CU_add_test(suite, "bad input", bad_input);
}
