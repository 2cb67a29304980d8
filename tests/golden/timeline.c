#include "tests/golden/timeline.h"

#include "api/rnicsim.h"

#include <stdio.h>
#include <string.h>

const char *const golden_boards[] = {"cx5_100g",  "kcu116_25g",  "u280_100g",  "u50_100g",
                                     "u55c_100g", "vcu118_100g", "zcu106_10g", NULL};

struct load {
    const char *name;
    enum rnicsim_opcode opcode;
    uint32_t bytes, mtu, count; /* count requests behind one doorbell */
    unsigned flags;
};

static const struct load loads[] = {
    {"WRITE 8 B inline, pushed", RNICSIM_WRITE, 8, 4096, 1, RNICSIM_INLINE},
    {"WRITE 64 B, payload read", RNICSIM_WRITE, 64, 4096, 1, 0},
    {"WRITE 64 B, the last of 4 behind a doorbell", RNICSIM_WRITE, 64, 4096, 4, 0},
    {"WRITE 4096 B", RNICSIM_WRITE, 4096, 4096, 1, 0},
    {"WRITE 10000 B, MTU 1024", RNICSIM_WRITE, 10000, 1024, 1, 0},
    {"SEND 64 B", RNICSIM_SEND, 64, 4096, 1, 0},
    {"WRITE with immediate, 0 B", RNICSIM_WRITE_IMM, 0, 1024, 1, RNICSIM_INLINE},
};

static int create(const char *board, const char *data_dir, const struct load *load, struct rnicsim **sim,
                  struct rnicsim_error *error)
{
    struct rnicsim_options options = {.board = board, .seed = 1, .data_dir = data_dir};
    struct rnicsim_recv recv = {.address = 1 << 20, .length_bytes = 1 << 20};
    if (rnicsim_create(&options, sim, error))
        return -1;
    for (uint32_t host = 0; host < 2; host++) {
        struct rnicsim_qp_attr qp = {.host = host,
                                     .qpn = 1,
                                     .peer_host = host ^ 1,
                                     .peer_qpn = 1,
                                     .mtu_bytes = load->mtu,
                                     .sq_depth = 16,
                                     .rq_depth = 16,
                                     .max_inline_bytes = 64};
        if (rnicsim_qp_create(*sim, &qp, error))
            return -1;
    }
    return rnicsim_post_recv(*sim, 1, 1, &recv, 1, 0, error);
}

/* Posts the load, and returns the completion of its last request. */
static int run(struct rnicsim *sim, const struct load *load, struct rnicsim_event *last, struct rnicsim_error *error)
{
    struct rnicsim_wr wr[4];
    for (uint32_t i = 0; i < load->count; i++)
        wr[i] = (struct rnicsim_wr){.wr_id = i,
                                    .local_address = 1 << 20,
                                    .remote_address = 1 << 21,
                                    .length_bytes = load->bytes,
                                    .opcode = load->opcode,
                                    .flags = load->flags | RNICSIM_SIGNALLED};
    if (rnicsim_post_send(sim, 0, 1, wr, load->count, 0, error))
        return -1;
    for (uint32_t done = 0; done < load->count;) {
        struct rnicsim_event event;
        if (rnicsim_advance(sim, RNICSIM_NEVER, NULL, error))
            return -1;
        while (rnicsim_poll(sim, &event, 1) == 1)
            if (event.kind == RNICSIM_SEND_DONE) {
                *last = event;
                done++;
            }
    }
    return 0;
}

int golden_timeline(const char *board, const char *data_dir, char *text, size_t text_bytes)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        struct rnicsim *sim = NULL;
        struct rnicsim_error error;
        struct rnicsim_event last = {0};
        if (create(board, data_dir, &loads[i], &sim, &error) || run(sim, &loads[i], &last, &error)) {
            fprintf(stderr, "golden: %s, %s: %s\n", board, loads[i].name, error.text);
            rnicsim_destroy(sim);
            return -1;
        }
        used += (size_t)snprintf(text + used, text_bytes - used, "%s\n", loads[i].name);
        for (int stamp = 0; stamp < RNICSIM_STAMP_COUNT; stamp++)
            used += (size_t)snprintf(text + used, text_bytes - used, "  %-14s %10lld ps\n",
                                     rnicsim_stamp_name((enum rnicsim_stamp)stamp), (long long)last.stamp_ps[stamp]);
        used += (size_t)snprintf(text + used, text_bytes - used, "  %-14s %10lld ps\n", "delivered",
                                 (long long)last.delivered_at_ps);
        rnicsim_destroy(sim);
    }
    return 0;
}
