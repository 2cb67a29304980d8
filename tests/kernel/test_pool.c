/* The pool: no slot is given out twice, contents stay when it doubles, and what is given back comes again. */
#include "kernel/pool.h"

#include <CUnit/CUnit.h>

void suite_kernel_pool(void);

#define SLOTS 100u

static void grows_and_reuses(void)
{
    struct pool pool;
    CU_ASSERT_EQUAL_FATAL(pool_init(&pool, sizeof(uint64_t), 3), 0);
    uint32_t index[SLOTS];
    for (uint32_t i = 0; i < SLOTS; i++) {
        index[i] = pool_take(&pool);
        CU_ASSERT_FATAL(index[i] < pool.room);
        ((uint64_t *)pool.slot)[index[i]] = i;
    }
    CU_ASSERT_EQUAL(pool.room, 192);
    for (uint32_t i = 0; i < SLOTS; i++)
        CU_ASSERT_EQUAL(((uint64_t *)pool.slot)[index[i]], i); /* a slot given out twice would hold the later one */
    pool_give(&pool, index[7]);
    pool_give(&pool, index[50]);
    CU_ASSERT_EQUAL(pool_take(&pool), index[50]);
    CU_ASSERT_EQUAL(pool_take(&pool), index[7]);
    CU_ASSERT_EQUAL(pool.room, 192);
    pool_free(&pool);
}

void suite_kernel_pool(void)
{
    CU_pSuite suite = CU_add_suite("kernel pool", NULL, NULL);
    CU_add_test(suite, "grows, and reuses what is given back", grows_and_reuses);
}
