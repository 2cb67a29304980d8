#include "tests/system/ends.h"

#include <CUnit/CUnit.h>

void ends_qp(struct ends *ends, uint32_t host, uint32_t pd, uint32_t access)
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

struct ends ends_open(const char *setting)
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

struct rnicsim_mr_attr ends_region(uint32_t host, uint32_t access)
{
    return (struct rnicsim_mr_attr){.host = host,
                                    .key = host == 0 ? LKEY : RKEY,
                                    .base = host == 0 ? LOCAL : REMOTE,
                                    .length_bytes = REGION_BYTES,
                                    .page_bytes = 4096,
                                    .access = access};
}

void ends_register(struct ends *ends, struct rnicsim_mr_attr attr)
{
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_mr_register(ends->sim, &attr, &error), RNICSIM_OK);
}

void ends_key(struct ends *ends, uint32_t host, uint32_t key, enum rnicsim_key_kind kind)
{
    ends_register(ends, (struct rnicsim_mr_attr){.host = host, .key = key, .page_bytes = 4096, .kind = kind});
}

/* QPs of one protection domain and a region each, with all rights. */
struct ends ends_open_plain(const char *setting)
{
    struct ends ends = ends_open(setting);
    for (uint32_t host = 0; host < 2; host++) {
        ends_qp(&ends, host, 0, 0);
        ends_register(&ends, ends_region(host, 0));
    }
    return ends;
}

void ends_post(struct ends *ends, uint32_t host, struct rnicsim_wr wr)
{
    struct rnicsim_error error = {""};
    wr.wr_id = ends->posted++;
    wr.flags |= RNICSIM_SIGNALLED | RNICSIM_ANY_KEY;
    CU_ASSERT_EQUAL_FATAL(rnicsim_post_send(ends->sim, host, 1, &wr, 1, rnicsim_now(ends->sim), &error), RNICSIM_OK);
}

struct rnicsim_wr ends_request(enum rnicsim_opcode opcode, uint32_t bytes)
{
    return (struct rnicsim_wr){.local_address = LOCAL,
                               .remote_address = REMOTE,
                               .lkey = LKEY,
                               .rkey = RKEY,
                               .length_bytes = bytes,
                               .opcode = opcode};
}

struct rnicsim_wr ends_request_with(enum rnicsim_opcode opcode, const struct rnicsim_bind *bind)
{
    return (struct rnicsim_wr){.opcode = opcode, .bind = bind};
}

void ends_receive(struct ends *ends, uint32_t host, uint64_t wr_id, uint32_t lkey, uint32_t bytes)
{
    struct rnicsim_recv recv = {
        .wr_id = wr_id, .address = host == 0 ? LOCAL : REMOTE, .lkey = lkey, .length_bytes = bytes};
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_post_recv(ends->sim, host, 1, &recv, 1, rnicsim_now(ends->sim), &error), RNICSIM_OK);
}

void ends_finish(struct ends *ends)
{
    struct rnicsim_error error;
    struct rnicsim_event event;
    do {
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(ends->sim, RNICSIM_NEVER, NULL, &error), RNICSIM_OK);
        while (rnicsim_poll(ends->sim, &event, 1) == 1)
            if (ends->count[event.host] < ENDS_MOST)
                ends->event[event.host][ends->count[event.host]++] = event;
    } while (rnicsim_next_at(ends->sim) != RNICSIM_NEVER);
}

/* The only event of a kind at a host since the last call of this, which forgets them all. */
struct rnicsim_event ends_last(struct ends *ends, uint32_t host, enum rnicsim_event_kind kind)
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

uint32_t ends_status(struct ends *ends, uint32_t host, struct rnicsim_wr wr)
{
    ends_post(ends, host, wr);
    return ends_last(ends, host, RNICSIM_SEND_DONE).status;
}
