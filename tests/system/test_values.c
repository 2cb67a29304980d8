/* Any value within its range, in any combination: the model is never found wrong. It completes, or it refuses, or, where the values
 * make it drop frames, it says who waits. Draws up to six parameters of all that there are; a failing seed is printed. */
#include "tests/system/scenario.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETS 6
#define KEYS_MAX 512

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static size_t read_keys(const char *board, char keys[KEYS_MAX][96])
{
    struct rnicsim_options options = {.board = board, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct rnicsim *sim;
    struct rnicsim_error error;
    size_t count = 0;
    CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &sim, &error), RNICSIM_OK);
    for (; count < rnicsim_param_count(sim) && count < KEYS_MAX; count++) {
        struct rnicsim_param_info info;
        rnicsim_param(sim, count, &info);
        snprintf(keys[count], 96, "%s", info.key);
    }
    rnicsim_destroy(sim);
    return count;
}

/* A value that may be legal: small and large numbers with the units and words that parameters have. */
static void draw_value(uint64_t *random, char *text, size_t bytes)
{
    static const char *const word[] = {"cut",    "store",     "user",        "mac",    "on",      "off",
                                       "mps",    "rcb",       "accepted",    "issued", "visible", "host",
                                       "buffer", "ack_first", "round_robin", "3dw"};
    static const char *const unit[] = {"",     "",     " cycle",   " cycle", " ns",    " ps",  " us",   " B", " KiB",
                                       " bit", " bit", " packets", " beats", " beats", " MHz", " Gbps", " m", " ppm"};
    static const unsigned number[] = {1,  2,  3,   4,   5,   8,   10,  16,   25,   32,
                                      50, 64, 100, 128, 256, 500, 512, 1024, 2048, 4096};
    if (next_random(random) % 4 == 0)
        snprintf(text, bytes, "%s", word[next_random(random) % (sizeof word / sizeof *word)]);
    else
        snprintf(text, bytes, "%u%s", number[next_random(random) % (sizeof number / sizeof *number)],
                 unit[next_random(random) % (sizeof unit / sizeof *unit)]);
}

/* Draws until the value is accepted for the key: most are refused for their unit. */
static int draw_setting(const char *board, const char *key, uint64_t *random, char *setting, size_t bytes)
{
    for (int attempt = 0; attempt < 40; attempt++) {
        char value[64];
        draw_value(random, value, sizeof value);
        snprintf(setting, bytes, "%s=%s", key, value);
        const char *set[] = {setting};
        struct rnicsim_options options = {
            .board = board, .set = set, .set_count = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
        struct rnicsim *sim;
        if (rnicsim_create(&options, &sim, NULL) == RNICSIM_OK) {
            rnicsim_destroy(sim);
            return 1;
        }
    }
    return 0;
}

static void try_seed(uint64_t seed, char keys[KEYS_MAX][96], size_t count, const char *board)
{
    static char setting[SETS][160];
    uint64_t random = seed;
    struct scenario s = scenario_default();
    s.board = board;
    s.seed = seed;
    for (int i = 0; i < SETS; i++)
        if (draw_setting(board, keys[next_random(&random) % count], &random, setting[i], sizeof setting[i]))
            s.set[s.sets++] = setting[i];
    s.opcode = next_random(&random) & 1 ? RNICSIM_WRITE : RNICSIM_SEND;
    s.length_bytes = (uint32_t)(next_random(&random) % 9000);
    s.mtu_bytes = 256u << next_random(&random) % 5;
    s.qps = 1 + (uint32_t)(next_random(&random) % 4);
    s.batch = 1 + (uint32_t)(next_random(&random) % 4);
    s.outstanding = 2 * s.batch;
    s.messages = 24 * s.batch;
    struct rnicsim_options options = {
        .board = board, .set = s.set, .set_count = s.sets, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct rnicsim *sim;
    if (rnicsim_create(&options, &sim, NULL) != RNICSIM_OK)
        return; /* legal one by one, refused together */
    rnicsim_destroy(sim);
    struct scenario_result result = scenario_run(&s, NULL);
    int explained = result.done == s.messages || result.totals.drops > 0;
    if (result.failed || !explained) {
        printf("    seed %llu on %s: %u of %u done;", (unsigned long long)seed, board, result.done, s.messages);
        for (size_t i = 0; i < s.sets; i++)
            printf(" %s;", s.set[i]);
        printf("\n");
    }
    CU_ASSERT_FALSE(result.failed);
    CU_ASSERT(explained);
}

static void any_values(void)
{
    static char keys[KEYS_MAX][96];
    static const char *const board[] = {"u280_100g", "kcu116_25g"};
    const char *seeds = getenv("RNICSIM_VALUE_SEEDS");
    uint64_t last = seeds ? strtoull(seeds, NULL, 10) : 120;
    for (int b = 0; b < 2; b++) {
        size_t count = read_keys(board[b], keys);
        for (uint64_t seed = 1; seed <= last; seed++)
            try_seed(seed * 2 + (uint64_t)b, keys, count, board[b]);
    }
}

void suite_system_values_slow(void);
void suite_system_values_slow(void)
{
    CU_pSuite suite = CU_add_suite("system: any values", NULL, NULL);
    CU_add_test(suite, "any values within their ranges", any_values);
}
