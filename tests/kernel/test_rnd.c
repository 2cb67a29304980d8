/* Random numbers: functions of their key only; tables draw linearly between their points. */
#include "kernel/rnd.h"

#include <CUnit/CUnit.h>

void suite_kernel_rnd(void);

/* The same bytes on every machine: known answers, from the definition worked out once with arbitrary precision. */
static void mix_known(void)
{
    CU_ASSERT_EQUAL(rnd_mix(0), 0);
    /* SplitMix64 seeded with 0: its first three outputs (Vigna's reference code) */
    CU_ASSERT_EQUAL(rnd_mix(UINT64_C(0x9e3779b97f4a7c15)), UINT64_C(0xe220a8397b1dcdaf));
    CU_ASSERT_EQUAL(rnd_mix(2 * UINT64_C(0x9e3779b97f4a7c15)), UINT64_C(0x6e789e6aa1b965f4));
    CU_ASSERT_EQUAL(rnd_mix(3 * UINT64_C(0x9e3779b97f4a7c15)), UINT64_C(0x06c45d188009454f));
}

static int bits_differ(uint64_t a, uint64_t b)
{
    return __builtin_popcountll(a ^ b);
}

/* Changing any one part of the key changes about half of the bits. */
static void keys_are_apart(void)
{
    int64_t differ[4] = {0};
    const int64_t trials = 20000;
    for (uint64_t i = 0; i < (uint64_t)trials; i++) {
        uint64_t base = rnd_u64(i, 3, i * 7, 1);
        differ[0] += bits_differ(base, rnd_u64(i + 1, 3, i * 7, 1));
        differ[1] += bits_differ(base, rnd_u64(i, 4, i * 7, 1));
        differ[2] += bits_differ(base, rnd_u64(i, 3, i * 7 + 1, 1));
        differ[3] += bits_differ(base, rnd_u64(i, 3, i * 7, 2));
    }
    for (int k = 0; k < 4; k++)
        CU_ASSERT(differ[k] > 31 * trials && differ[k] < 33 * trials);
    CU_ASSERT_EQUAL(rnd_u64(5, 6, 7, 8), rnd_u64(5, 6, 7, 8));
    CU_ASSERT_NOT_EQUAL(rnd_u64(5, 6, 7, 0), rnd_u64(5, 6, 7, 256));
    CU_ASSERT_NOT_EQUAL(rnd_u64(5, 6, 7, 1), rnd_u64(5, 6, 8, 0));
}

static void tables_refused(void)
{
    struct rnd_table table;
    const int64_t p[] = {0, 500000000, 1000000000}, v[] = {10, 20, 40};
    const int64_t late[] = {1, 500000000, 1000000000}, short_of[] = {0, 500000000, 999999999};
    const int64_t flat[] = {0, 0, 1000000000}, falls[] = {10, 9, 40};
    CU_ASSERT_EQUAL(rnd_table_init(&table, 3, p, v), 0);
    CU_ASSERT_EQUAL(rnd_table_init(&table, 0, p, v), -1);
    CU_ASSERT_EQUAL(rnd_table_init(&table, RND_POINTS_MAX + 1, p, v), -1);
    CU_ASSERT_EQUAL(rnd_table_init(&table, 3, late, v), -1);
    CU_ASSERT_EQUAL(rnd_table_init(&table, 3, short_of, v), -1);
    CU_ASSERT_EQUAL(rnd_table_init(&table, 3, flat, v), -1);
    CU_ASSERT_EQUAL(rnd_table_init(&table, 3, p, falls), -1);
    CU_ASSERT_EQUAL(rnd_table_init(&table, 1, late, v), 0);
    CU_ASSERT_EQUAL(rnd_table_draw(&table, UINT64_MAX), 10);
}

static void table_quantiles(void)
{
    struct rnd_table table;
    const int64_t p[] = {0, 500000000, 1000000000}, v[] = {1000, 2000, 100000};
    rnd_table_init(&table, 3, p, v);
    CU_ASSERT_EQUAL(rnd_table_draw(&table, 0), 1000);
    CU_ASSERT_EQUAL(rnd_table_draw(&table, UINT64_C(1) << 62), 1500);
    CU_ASSERT_EQUAL(rnd_table_draw(&table, UINT64_C(1) << 63), 2000);
    CU_ASSERT_EQUAL(rnd_table_draw(&table, (UINT64_C(1) << 63) - 1), 1999);
    CU_ASSERT_EQUAL(rnd_table_draw(&table, (UINT64_C(1) << 63) + (UINT64_C(1) << 62)), 51000);
    int64_t top = rnd_table_draw(&table, UINT64_MAX);
    CU_ASSERT(top < 100000 && top > 99990);
    int64_t last = 0; /* monotone in the draw */
    for (uint64_t i = 0; i < 4096; i++) {
        int64_t value = rnd_table_draw(&table, i << 52);
        CU_ASSERT(value >= last);
        last = value;
    }
}

/* A rise of days over a whole table: the product needs 64 bits less 30. */
static void table_wide(void)
{
    struct rnd_table table;
    const int64_t p[] = {0, 1000000000}, v[] = {0, INT64_C(1) << 33};
    rnd_table_init(&table, 2, p, v);
    CU_ASSERT_EQUAL(rnd_table_draw(&table, UINT64_C(1) << 63), INT64_C(1) << 32);
    const int64_t day[] = {0, INT64_C(86400) * 1000000000000};
    rnd_table_init(&table, 2, p, day);
    CU_ASSERT_EQUAL(rnd_table_draw(&table, UINT64_C(1) << 63), INT64_C(43200) * 1000000000000);
}

void suite_kernel_rnd(void)
{
    CU_pSuite suite = CU_add_suite("kernel rnd", NULL, NULL);
    CU_add_test(suite, "mix: known answers", mix_known);
    CU_add_test(suite, "keys are apart", keys_are_apart);
    CU_add_test(suite, "tables refused", tables_refused);
    CU_add_test(suite, "table quantiles", table_quantiles);
    CU_add_test(suite, "table over days", table_wide);
}
