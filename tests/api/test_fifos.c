/* What the API tells of each FIFO as a memory: which parameter sets its depth and within which range, and its words. */
#include "api/rnicsim.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void suite_api_fifos(void);

static struct rnicsim *create(const char *board, const char *set)
{
    struct rnicsim_options options = {.board = board,
                                      .set = &set,
                                      .set_count = set != NULL,
                                      .seed = 1,
                                      .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct rnicsim_error error;
    struct rnicsim *sim;
    return rnicsim_create(&options, &sim, &error) == RNICSIM_OK ? sim : NULL;
}

/* "stage.rx.cdc.depth=9 beats" */
static void assignment(const struct rnicsim_fifo_info *fifo, uint64_t depth, char *text, size_t bytes)
{
    snprintf(text, bytes, "%s=%llu %s", fifo->depth_key, (unsigned long long)(depth * fifo->depth_scale),
             fifo->depth_unit);
}

/* The depth that FIFO `index` has when it is set; 0: refused. */
static uint64_t depth_when_set(const char *board, size_t index, const struct rnicsim_fifo_info *fifo, uint64_t depth)
{
    char set[160];
    struct rnicsim_fifo_info info;
    assignment(fifo, depth, set, sizeof set);
    struct rnicsim *sim = create(board, set);
    if (sim == NULL)
        return 0;
    CU_ASSERT_EQUAL(rnicsim_fifo(sim, index, &info), RNICSIM_OK);
    rnicsim_destroy(sim);
    return info.depth;
}

static void check_depths(const char *board)
{
    struct rnicsim *sim = create(board, NULL);
    struct rnicsim_fifo_info fifo;
    CU_ASSERT_PTR_NOT_NULL_FATAL(sim);
    for (size_t i = 0; i < rnicsim_fifo_count(sim) / 2; i++) { /* both NICs are built alike */
        CU_ASSERT_EQUAL(rnicsim_fifo(sim, i, &fifo), RNICSIM_OK);
        CU_ASSERT(fifo.depth >= fifo.depth_least && fifo.depth <= fifo.depth_most);
        uint64_t depths[] = {fifo.depth_least, fifo.depth + 1};
        for (int k = 0; k < 2; k++)
            if (depth_when_set(board, i, &fifo, depths[k]) != depths[k])
                printf("\n%s: not set to %llu\n", fifo.depth_key, (unsigned long long)depths[k]);
        CU_ASSERT_EQUAL(depth_when_set(board, i, &fifo, fifo.depth_least), fifo.depth_least);
        CU_ASSERT_EQUAL(depth_when_set(board, i, &fifo, fifo.depth + 1), fifo.depth + 1);
        CU_ASSERT_EQUAL(depth_when_set(board, i, &fifo, fifo.depth_least - 1), 0);
        CU_ASSERT_EQUAL(depth_when_set(board, i, &fifo, fifo.depth_most + 1), 0);
    }
    rnicsim_destroy(sim);
}

static void depths(void)
{
    check_depths("u280_100g");
    check_depths("kcu116_25g");
}

static const struct {
    const char *key;
    uint32_t words, bits, words_128, bits_128; /* of the 512-bit NIC and the 128-bit one */
    int crosses_clocks;
} memories[] = {
    {"stage.doorbell.decode.depth", 1, 640, 1, 640, 0},
    {"nic.doorbell_fifo", 1, 64, 1, 64, 0},
    {"nic.operation_fifo", 1, 128, 1, 128, 0},
    {"stage.wqe.completion.depth", 8, 577, 32, 145, 0}, /* 8 WQEs of 64 B */
    {"nic.data_fifo", 1, 577, 1, 145, 0},
    {"nic.ack_fifo", 1, 577, 4, 145, 0}, /* 62 B */
    {"stage.tx.mac.depth", 1, 577, 1, 73, 1},
    {"nic.line_fifo", 0, 0, 0, 0, 0},
    {"stage.mac_rx.mac.depth", 0, 0, 0, 0, 0},
    {"stage.rx.cdc.depth", 1, 577, 1, 145, 1},
    {"stage.rx.judge.depth", 1, 577, 1, 145, 0},
    {"nic.dispatch_fifo", 72, 577, 288, 145, 0}, /* whole frames: 4608 B */
    {"nic.write_fifo", 1, 577, 1, 145, 0},
    {"nic.retire_fifo", 1, 80, 1, 80, 0},
    {"nic.cqe_fifo", 1, 576, 1, 576, 0},
    {"nic.payload_buffer", 1, 512, 1, 512, 0},
};

static int find(struct rnicsim *sim, const char *key, struct rnicsim_fifo_info *fifo)
{
    for (size_t i = 0; rnicsim_fifo(sim, i, fifo) == RNICSIM_OK; i++)
        if (strcmp(fifo->depth_key, key) == 0)
            return 0;
    return -1;
}

static void memory(void)
{
    struct rnicsim *wide = create("u280_100g", NULL), *narrow = create("kcu116_25g", NULL);
    struct rnicsim_fifo_info fifo;
    CU_ASSERT_PTR_NOT_NULL_FATAL(wide);
    CU_ASSERT_PTR_NOT_NULL_FATAL(narrow);
    CU_ASSERT_STRING_EQUAL(rnicsim_board_part(wide), "xcu280");
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        CU_ASSERT_EQUAL(find(wide, memories[i].key, &fifo), 0);
        CU_ASSERT(fifo.words == memories[i].words && fifo.word_bits == memories[i].bits);
        if (memories[i].words > 0)
            CU_ASSERT_EQUAL(fifo.crosses_clocks, memories[i].crosses_clocks);
        CU_ASSERT_EQUAL(find(narrow, memories[i].key, &fifo), 0);
        CU_ASSERT(fifo.words == memories[i].words_128 && fifo.word_bits == memories[i].bits_128);
    }
    CU_ASSERT(find(wide, "nic.wqe_reads", &fifo) == 0 && fifo.fixed != NULL);
    CU_ASSERT(find(wide, "nic.data_fifo", &fifo) == 0 && fifo.fixed == NULL);
    rnicsim_destroy(wide);
    rnicsim_destroy(narrow);
}

void suite_api_fifos(void)
{
    CU_pSuite suite = CU_add_suite("api/fifos", NULL, NULL);
    CU_add_test(suite, "the parameter that sets the depth", depths);
    CU_add_test(suite, "what they take in memory", memory);
}
