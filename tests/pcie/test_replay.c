/* Replay: what a damaged or a lost TLP costs, retraining, and the replay buffer. */
#include "pcie/replay.h"

#include <CUnit/Basic.h>

static struct replay replay_of(int64_t damaged_ppm, int64_t lost_ppm, uint64_t buffer_bytes)
{
    struct pcie_params params = {.damaged_tlps = damaged_ppm * 1000, .lost_acks = lost_ppm * 1000};
    struct replay replay;
    CU_ASSERT_EQUAL_FATAL(
        replay_init(&replay, &params, buffer_bytes, 7, (struct replay_times){5000, 3000, 9000, 100000}), 0);
    return replay;
}

static void nothing_happens(void)
{
    struct replay replay = replay_of(0, 0, 32768);
    CU_ASSERT_FALSE(replay_is_on(&replay));
    CU_ASSERT_EQUAL(replay_room_when(&replay, 4120, 77), 77);
    CU_ASSERT_EQUAL(replay_send(&replay, 280, 77, 280), 357);
    replay_free(&replay);
}

/* Each TLP is delivered once, in order, after k replays of which every fourth comes behind a training; half are damaged, so that there
 * is one replay a TLP. Then the same with the timer. */
static void every_replay_counts(void)
{
    static const struct {
        int64_t damaged, lost, known;
    } row[] = {{500000, 0, 3000}, {0, 500000, 9000}};
    const int count = 20000;
    for (int i = 0; i < 2; i++) {
        struct replay replay = replay_of(row[i].damaged, row[i].lost, 0);
        int64_t free_cyc = 0;
        for (int n = 0; n < count; n++) {
            uint64_t replays = replay.replays, retrains = replay.retrains;
            int64_t end = replay_send(&replay, 280, free_cyc, 280);
            int64_t again = (int64_t)(replay.replays - replays), trained = (int64_t)(replay.retrains - retrains);
            CU_ASSERT_EQUAL(end, free_cyc + 280 + again * (row[i].known + 280) + trained * 100000);
            CU_ASSERT_EQUAL(trained, again / 4);
            free_cyc = end;
        }
        CU_ASSERT_DOUBLE_EQUAL((double)replay.replays / count, 1, 0.03);
        CU_ASSERT_EQUAL(replay.tlps, (uint64_t)count);
        CU_ASSERT_EQUAL(replay.lost_cyc, free_cyc - count * 280);
        replay_free(&replay);
    }
}

/* 14 TLPs of 280 bytes in 4 KiB over the time of an Ack; refused one cycle before, accepted at the cycle. */
static void buffer_over_an_ack(void)
{
    struct replay replay = replay_of(0, 0, 4096);
    CU_ASSERT(replay_is_on(&replay));
    int64_t free_cyc = 0, first = 0;
    for (int n = 0; n < 14 * 101; n++) {
        int64_t start = replay_room_when(&replay, 280, free_cyc);
        if (n == 14) {
            CU_ASSERT_EQUAL(free_cyc, 14 * 280);
            CU_ASSERT_EQUAL(start, 280 + 5000);
            CU_ASSERT_EQUAL(replay_room_when(&replay, 280, 5279), 5280);
            CU_ASSERT_EQUAL(replay_room_when(&replay, 280, 5280), 5280);
            CU_ASSERT_EQUAL(replay_room_when(&replay, 176, free_cyc), free_cyc); /* 4096 - 14 * 280 */
            CU_ASSERT_EQUAL(replay_room_when(&replay, 177, free_cyc), 5280);
            first = start;
        }
        free_cyc = replay_send(&replay, 280, start, 280);
    }
    CU_ASSERT_EQUAL(free_cyc - first, 99 * 5280 + 14 * 280);
    replay_free(&replay);
}

/* A large TLP that waits does not hide room from a small one. */
static void small_behind_large(void)
{
    struct replay replay = replay_of(0, 0, 600);
    replay_send(&replay, 280, 0, 280);
    replay_send(&replay, 280, 280, 280);
    CU_ASSERT_EQUAL(replay_room_when(&replay, 400, 560), 560 + 5000);
    CU_ASSERT_EQUAL(replay_room_when(&replay, 280, 560), 280 + 5000);
    CU_ASSERT_EQUAL(replay_room_when(&replay, 40, 560), 560);
    replay_free(&replay);
}

void suite_pcie_replay(void);
void suite_pcie_replay(void)
{
    CU_pSuite suite = CU_add_suite("pcie: replay", NULL, NULL);
    CU_add_test(suite, "nothing happens", nothing_happens);
    CU_add_test(suite, "every replay counts", every_replay_counts);
    CU_add_test(suite, "a buffer over the time of an Ack", buffer_over_an_ack);
    CU_add_test(suite, "a small TLP behind a large one", small_behind_large);
}
