#include "tests/system/jingzhao.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOARD RNICSIM_SOURCE_DIR "/tests/system/jingzhao.board"

void is_close(const char *event, double measured, double predicted, double tolerance)
{
    int is = fabs(predicted - measured) <= tolerance;
    CU_ASSERT(is);
    if (!is || getenv("RNICSIM_PRINT"))
        printf("\n    %-46s %8.1f measured %8.1f predicted %+.1f", event, measured, predicted, predicted - measured);
}

static void find_fifo(struct rnicsim *sim, struct watched *watch)
{
    struct rnicsim_error error;
    for (size_t i = 0; i < rnicsim_fifo_count(sim); i++) {
        struct rnicsim_fifo_info fifo;
        CU_ASSERT_EQUAL_FATAL(rnicsim_fifo(sim, i, &fifo), RNICSIM_OK);
        if (strcmp(fifo.nic, watch->nic) || strcmp(fifo.path, watch->path) || strcmp(fifo.name, watch->name))
            continue;
        watch->index = i;
        CU_ASSERT_EQUAL_FATAL(rnicsim_fifo_watch(sim, i, 0, RNICSIM_TIME_MAX, 4096, &error), RNICSIM_OK);
        return;
    }
    CU_FAIL_FATAL("no such FIFO");
}

void bench_open(struct bench *bench, uint32_t qps)
{
    static const char *const set[] = {"stage.tx.mac.latency=1 cycle",
                                      "stage.mac_rx.mac.latency=1 cycle", /* wired MAC to MAC */
                                      "stage.tx.mac.flow=cut"};
    struct rnicsim_options options = {
        .board = BOARD, .set = set, .set_count = 3, .seed = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct rnicsim_error error = {{0}};
    *bench = (struct bench){.watch = {{"a", "sched", "operation_fifo", 0},
                                      {"a", "wqe", "parse", 0},
                                      {"b", "respond", "write_fifo", 0},
                                      {"b", "tx", "mac", 0},
                                      {"a", "cqe", "cqe_fifo", 0},
                                      {"b", "rx", "cdc", 0},
                                      {"b", "sched", "operation_fifo", 0},
                                      {"a", "respond", "write_fifo", 0}}};
    if (rnicsim_create(&options, &bench->sim, &error))
        printf("%s", error.text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bench->sim);
    for (uint32_t i = 0; i < qps * 2; i++) {
        struct rnicsim_qp_attr qp = {.host = i % 2,
                                     .qpn = i / 2 + 1,
                                     .peer_host = 1 - i % 2,
                                     .peer_qpn = i / 2 + 1,
                                     .mtu_bytes = 4096,
                                     .sq_depth = 256,
                                     .rq_depth = 512,
                                     .max_rd_atomic = 16};
        CU_ASSERT_EQUAL_FATAL(rnicsim_qp_create(bench->sim, &qp, &error), RNICSIM_OK);
    }
    for (size_t i = 0; i < WATCHES; i++)
        find_fifo(bench->sim, &bench->watch[i]);
    for (uint32_t host = 0; host < 2; host++)
        CU_ASSERT_EQUAL_FATAL(rnicsim_lookup_watch(bench->sim, host, LOOKUPS_MAX, &error), RNICSIM_OK);
}

void bench_post(struct bench *bench, enum rnicsim_opcode opcode, uint32_t qpn, uint32_t bytes, uint32_t count)
{
    struct rnicsim_error error = {{0}};
    struct rnicsim_wr wr[256];
    struct rnicsim_recv recv = {.address = 1u << 25, .length_bytes = 4096};
    for (uint32_t i = 0; i < count; i++) {
        wr[i] = (struct rnicsim_wr){.wr_id = i,
                                    .local_address = 1u << 24,
                                    .remote_address = 1u << 25,
                                    .length_bytes = bytes,
                                    .opcode = opcode,
                                    .flags = RNICSIM_SIGNALLED};
        CU_ASSERT_EQUAL_FATAL(opcode == RNICSIM_SEND
                                  ? rnicsim_post_recv(bench->sim, 1, qpn, &recv, 1, rnicsim_now(bench->sim), &error)
                                  : RNICSIM_OK,
                              RNICSIM_OK);
    }
    CU_ASSERT_EQUAL_FATAL(rnicsim_post_send(bench->sim, 0, qpn, wr, count, rnicsim_now(bench->sim), &error),
                          RNICSIM_OK);
}

void bench_run(struct bench *bench)
{
    struct rnicsim_error error = {{0}};
    bench->events = 0;
    while (rnicsim_next_at(bench->sim) != RNICSIM_NEVER) {
        struct rnicsim_event event[64];
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(bench->sim, RNICSIM_NEVER, NULL, &error), RNICSIM_OK);
        for (size_t n; (n = rnicsim_poll(bench->sim, event, 64)) > 0;)
            for (size_t i = 0; i < n; i++)
                if (event[i].kind == RNICSIM_SEND_DONE && bench->events < 512)
                    bench->event[bench->events++] = event[i];
    }
}

int64_t first_change(struct bench *bench, int which, int64_t from_ps, int up)
{
    static struct rnicsim_level_change change[4097];
    size_t n = rnicsim_fifo_changes(bench->sim, bench->watch[which].index, change, 4097);
    for (size_t i = 1; i < n; i++)
        if (change[i].at_ps >= from_ps && (change[i].level > change[i - 1].level) == up)
            return change[i].at_ps;
    CU_FAIL("nothing happens in a FIFO");
    return 0;
}

struct rnicsim_lookup_info lookup_of(struct bench *bench, uint32_t host, const char *channel, const char *unit,
                                     int64_t from_ps)
{
    static struct rnicsim_lookup_info lookup[LOOKUPS_MAX];
    size_t n = rnicsim_lookups(bench->sim, host, lookup, LOOKUPS_MAX);
    for (size_t i = 0; i < n; i++)
        if (lookup[i].came_ps >= from_ps && !strcmp(lookup[i].channel, channel) && !strcmp(lookup[i].unit, unit))
            return lookup[i];
    CU_FAIL_FATAL("no such lookup");
    return lookup[0];
}

double cycles(int64_t at_ps, int64_t from_ps)
{
    return (double)(at_ps - from_ps) / CYCLE_PS;
}

void bench_warm(struct bench *bench, enum rnicsim_opcode opcode, uint32_t qps, uint32_t bytes)
{
    bench_open(bench, qps);
    for (int i = 0; i < 2; i++)
        for (uint32_t qpn = 1; qpn <= qps; qpn++) {
            bench_post(bench, opcode, qpn, bytes, 1);
            bench_run(bench);
        }
    CU_ASSERT_EQUAL_FATAL(bench->events, 1);
}
