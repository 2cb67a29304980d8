/* Clocks: edges and their inverse against 128-bit division, and the synchroniser's rule at its edges. */
#include "kernel/clk.h"
#include "kernel/rnd.h"

#include <CUnit/CUnit.h>

void suite_kernel_clk(void);

#define RANDOM_TRIALS 3000000

static int64_t edge_by_division(const struct clk *clk, int64_t n)
{
    return (int64_t)((unsigned __int128)(uint64_t)n * (uint64_t)clk->num / (uint64_t)clk->den) + clk->phase_ps;
}

static int64_t at_or_after_by_division(const struct clk *clk, int64_t t_ps)
{
    if (t_ps <= clk->phase_ps)
        return 0;
    unsigned __int128 product = (unsigned __int128)(uint64_t)(t_ps - clk->phase_ps) * (uint64_t)clk->den;
    return (int64_t)((product + (uint64_t)clk->num - 1) / (uint64_t)clk->num);
}

/* A period from one of the shapes that break reciprocals: tiny, huge, near 1 ps, near a whole number, coprime giants. */
static int random_clk(struct clk *clk, uint64_t ordinal)
{
    uint64_t a = rnd_u64(1, 0, ordinal, 0), b = rnd_u64(1, 1, ordinal, 0), shape = rnd_u64(1, 2, ordinal, 0);
    int64_t den = 1 + (int64_t)(a >> (4 + shape % 58));
    int64_t num = 1 + (int64_t)(b >> (4 + (shape >> 8) % 58));
    if ((shape >> 16) % 8 == 0)
        num = den + 1;
    if ((shape >> 16) % 8 == 1 && den < (INT64_C(1) << 40))
        num = den * (1 + (int64_t)(b % 5000)) + (int64_t)(b >> 32) % 3 - 1;
    int64_t phase_ps = (int64_t)((shape >> 24) % 20001) - 10000;
    return clk_init(clk, num, den, phase_ps);
}

static void random_against_division(void)
{
    uint64_t wrong = 0, tried = 0;
    for (uint64_t i = 0; tried < RANDOM_TRIALS; i++) {
        struct clk clk;
        if (random_clk(&clk, i))
            continue;
        for (uint64_t k = 0; k < 8; k++, tried++) {
            uint64_t draw = rnd_u64(2, k, i, 0);
            int64_t t_ps = (int64_t)((draw >> 8) >> (draw % 56)) * 32;
            int64_t n = at_or_after_by_division(&clk, t_ps + (int64_t)(draw % 64));
            wrong += clk_at_or_after(&clk, t_ps) != at_or_after_by_division(&clk, t_ps);
            wrong += clk_edge(&clk, n) != edge_by_division(&clk, n);
            int64_t edge_ps = clk_edge(&clk, n); /* and exactly at an edge, one before, one after */
            for (int64_t off = -1; off <= 1; off++)
                wrong += clk_at_or_after(&clk, edge_ps + off) != at_or_after_by_division(&clk, edge_ps + off);
            wrong += clk_after(&clk, edge_ps) != n + 1;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void limits(void)
{
    struct clk clk;
    const int64_t big = INT64_C(1) << 61;
    CU_ASSERT_EQUAL(clk_init(&clk, big - 1, (INT64_C(1) << 60) + 5, 0), 0);
    for (int64_t i = 0; i < 1000; i++) {
        int64_t n = (INT64_C(1) << 61) - 1 - i * 999999937;
        CU_ASSERT_EQUAL_FATAL(clk_edge(&clk, n), edge_by_division(&clk, n));
        CU_ASSERT_EQUAL_FATAL(clk_at_or_after(&clk, 2 * n), at_or_after_by_division(&clk, 2 * n));
    }
    CU_ASSERT_EQUAL(clk_init(&clk, 1, 1, 0), -1);
    CU_ASSERT_EQUAL(clk_init(&clk, 0, 1, 0), -1);
    CU_ASSERT_EQUAL(clk_init(&clk, 5, 0, 0), -1);
    CU_ASSERT_EQUAL(clk_init(&clk, 5, 6, 0), -1);
    CU_ASSERT_EQUAL(clk_init(&clk, INT64_C(1) << 40, 1, 0), -1);
    CU_ASSERT_EQUAL(clk_init(&clk, big, 3, 0), -1);
    CU_ASSERT_EQUAL(clk_init_hz(&clk, 0, 0, 0), -1);
    CU_ASSERT_EQUAL(clk_init_hz(&clk, 250000000, -1000000000, 0), -1);
}

static void known_clocks(void)
{
    struct clk clk;
    CU_ASSERT_EQUAL(clk_init_hz(&clk, 322265625, 0, 0), 0);
    CU_ASSERT(clk.num == 102400 && clk.den == 33);
    static const struct {
        int64_t n, edge_ps;
    } rows[] = {{0, 0},
                {1, 3103},
                {2, 6206},
                {3, 9309},
                {32, 99296},
                {33, 102400},
                {34, 105503},
                /* one second, and seven days, to the picosecond */
                {322265625, 1000000000000},
                {INT64_C(322265625) * 604800, INT64_C(604800) * 1000000000000},
                {INT64_C(322265625) * 604800 + 1, INT64_C(604800) * 1000000000000 + 3103}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CU_ASSERT_EQUAL(clk_edge(&clk, rows[i].n), rows[i].edge_ps);
        CU_ASSERT_EQUAL(clk_at_or_after(&clk, rows[i].edge_ps), rows[i].n);
        CU_ASSERT_EQUAL(clk_at_or_after(&clk, rows[i].edge_ps + 1), rows[i].n + 1);
        CU_ASSERT_EQUAL(clk_after(&clk, rows[i].edge_ps - 1), rows[i].n);
        CU_ASSERT_EQUAL(clk_after(&clk, rows[i].edge_ps), rows[i].n + 1);
    }
    CU_ASSERT_EQUAL(clk_init_hz(&clk, 250000000, 0, 0), 0);
    CU_ASSERT(clk.num == 4000 && clk.den == 1);
    CU_ASSERT_EQUAL(clk_init_hz(&clk, 250000000, 100000, 0), 0); /* 100 ppm fast: a second of it is 25,000 edges more */
    CU_ASSERT_EQUAL(clk_edge(&clk, 250025000), 1000000000000);
    CU_ASSERT_EQUAL(clk_init_hz(&clk, 156250000, -100000, 0), 0);
    CU_ASSERT_EQUAL(clk_edge(&clk, 156234375), 1000000000000);
}

static void phases(void)
{
    struct clk clk, other;
    clk_init(&clk, 4000, 1, 700);
    CU_ASSERT_EQUAL(clk_edge(&clk, 3), 12700);
    CU_ASSERT_EQUAL(clk_at_or_after(&clk, 0), 0);
    CU_ASSERT_EQUAL(clk_at_or_after(&clk, 700), 0);
    CU_ASSERT_EQUAL(clk_at_or_after(&clk, 701), 1);
    clk_init(&other, 8000, 2, 700);
    CU_ASSERT(clk_same(&clk, &other));
    clk_init(&other, 4000, 1, 701);
    CU_ASSERT(!clk_same(&clk, &other));
    clk_init(&clk, 4000, 1, -700);
    CU_ASSERT_EQUAL(clk_edge(&clk, 1), 3300);
    CU_ASSERT_EQUAL(clk_at_or_after(&clk, 3300), 1);
    CU_ASSERT_EQUAL(clk_at_or_after(&clk, 3301), 2);
}

/* The change is not seen by a coincident edge, but by one a picosecond later. */
static void synchroniser(void)
{
    struct clk from, to;
    clk_init(&from, 4000, 1, 0);
    clk_init(&to, 5000, 1, 0);
    CU_ASSERT_EQUAL(clk_cross(&from, 5, &to, 2),
                    6); /* 20,000 ps coincides with edge 4: edge 5 is the first, 6 the second */
    CU_ASSERT_EQUAL(clk_cross(&from, 5, &to, 3), 7);
    CU_ASSERT_EQUAL(clk_cross(&from, 5, &to, 0), 5);
    clk_init(&to, 5000, 1, 1);
    CU_ASSERT_EQUAL(clk_cross(&from, 5, &to, 2), 5); /* edge 4 is at 20,001 ps */
    clk_init(&to, 5000, 1, 1000000);
    CU_ASSERT_EQUAL(clk_cross(&from, 5, &to, 2), 1); /* the reader's clock has not begun */
}

void suite_kernel_clk(void)
{
    CU_pSuite suite = CU_add_suite("kernel clk", NULL, NULL);
    CU_add_test(suite, "edges against 128-bit division", random_against_division);
    CU_add_test(suite, "limits", limits);
    CU_add_test(suite, "known clocks, after days", known_clocks);
    CU_add_test(suite, "phases", phases);
    CU_add_test(suite, "synchroniser", synchroniser);
}
