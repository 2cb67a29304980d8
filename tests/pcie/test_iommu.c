/* The IOMMU: what its IOTLB holds, which entry goes first, and what its walkers let through. */
#include "pcie/iommu.h"

#include <CUnit/Basic.h>

#define PAGE UINT64_C(4096)

static struct iommu make(int64_t entries, int64_t walkers)
{
    struct pcie_params params = {.iommu_page = (int64_t)PAGE,
                                 .iommu_entries = entries,
                                 .iommu_walkers = walkers,
                                 .iommu_miss = 200000,
                                 .iommu_walk = 300000};
    struct iommu iommu;
    CU_ASSERT_EQUAL_FATAL(iommu_init(&iommu, &params), 0);
    return iommu;
}

static void least_recently_used_goes_first(void)
{
    static const struct {
        uint64_t page;
        int hits;
    } row[] = {{1, 0}, {2, 0}, {3, 0}, {1, 1}, {4, 0}, {1, 1}, {3, 1}, {2, 0}, {4, 0}, {3, 1}, {1, 0}};
    struct iommu iommu = make(3, 1);
    int64_t at = 0;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++, at += 1000000) {
        uint64_t hits = iommu.hits;
        int64_t done = iommu_translate(&iommu, at, row[i].page * PAGE + 64 * i, 0, 0);
        CU_ASSERT_EQUAL(iommu.hits - hits, (uint64_t)row[i].hits);
        CU_ASSERT_EQUAL(done, row[i].hits ? at : at + 200000);
    }
    iommu_free(&iommu);
}

static void a_window_that_fits_never_misses_again(void)
{
    struct iommu iommu = make(128, 4);
    for (uint64_t i = 0; i < 10 * 128; i++)
        iommu_translate(&iommu, (int64_t)i * 1000000, i * 37 % 128 * PAGE, 0, 0);
    CU_ASSERT_EQUAL(iommu.misses, 128);
    CU_ASSERT_EQUAL(iommu.hits, 9 * 128);
    iommu_free(&iommu);
}

/* In round robin over one page more than it holds, least recently used misses always. */
static void one_page_more_always_misses(void)
{
    struct iommu iommu = make(128, 4);
    for (uint64_t i = 0; i < 10 * 129; i++)
        iommu_translate(&iommu, (int64_t)i * 1000000, i % 129 * PAGE, 0, 0);
    CU_ASSERT_EQUAL(iommu.hits, 0);
    iommu_free(&iommu);
}

static void misses_on_one_page_share_a_walk(void)
{
    struct iommu iommu = make(8, 2);
    CU_ASSERT_EQUAL(iommu_translate(&iommu, 0, 0, 0, 0), 200000);
    CU_ASSERT_EQUAL(iommu_translate(&iommu, 1000, 64, 0, 0), 200000);
    CU_ASSERT_EQUAL(iommu_translate(&iommu, 250000, 128, 0, 0), 250000);
    CU_ASSERT_EQUAL(iommu.misses, 1);
    CU_ASSERT(!iommu_walks(&iommu, 192));
    CU_ASSERT(iommu_walks(&iommu, PAGE));
    CU_ASSERT_EQUAL(iommu_translate(&iommu, 300000, PAGE, 0, 70000), 570000); /* its walk takes longer */
    CU_ASSERT_EQUAL(iommu_translate(&iommu, 310000, PAGE, 0, 70000), 570000); /* waits for the same walk */
    iommu_free(&iommu);
}

/* So many walkers, each held for a walk: never more than walkers / walk. */
static void walkers_bound_the_rate(void)
{
    for (int64_t walkers = 1; walkers <= 6; walkers++) {
        struct iommu iommu = make(4, walkers);
        int64_t last = 0;
        for (uint64_t i = 0; i < 600; i++)
            last = iommu_translate(&iommu, 0, i * PAGE, 0, 0);
        CU_ASSERT_EQUAL(last, (599 / walkers) * 300000 + 200000);
        iommu_free(&iommu);
    }
}

/* With one walker nothing enters while it walks, whether it would hit or not; reads that hit are a lookup apart, writes are not. */
static void nothing_enters_while_all_walk(void)
{
    struct iommu iommu = make(8, 1);
    iommu.lookup_ps = 13000;
    iommu.write_walk_ps = 100000;
    CU_ASSERT_EQUAL(iommu_translate(&iommu, 0, 0, 0, 0), 200000);
    CU_ASSERT_EQUAL(iommu_translate(&iommu, 1000, 64, 0, 0), 300000);
    CU_ASSERT_EQUAL(iommu_translate(&iommu, 2000, 128, 0, 0), 313000);
    CU_ASSERT_EQUAL(iommu_translate(&iommu, 3000, 128, 1, 0), 326000);
    CU_ASSERT_EQUAL(iommu_translate(&iommu, 4000, 128, 1, 0), 326000);
    CU_ASSERT_EQUAL(iommu_translate(&iommu, 5000, PAGE, 1, 0), 526000);
    CU_ASSERT_EQUAL(iommu_translate(&iommu, 6000, 0, 1, 0), 526000); /* enters at 426 ns, leaves in its turn */
    CU_ASSERT_EQUAL(iommu_translate(&iommu, 600000, 0, 1, 0), 600000);
    iommu_free(&iommu);
}

static void pages_are_those_of_vt_d(void)
{
    static const uint64_t bytes[] = {1 << 12, 1 << 21, 1 << 30, 1 << 13, 1 << 20, 1 << 29};
    for (int i = 0; i < 6; i++)
        CU_ASSERT_EQUAL(iommu_page_exists(bytes[i]), i < 3);
}

void suite_pcie_iommu(void);
void suite_pcie_iommu(void)
{
    CU_pSuite suite = CU_add_suite("pcie/iommu", NULL, NULL);
    CU_add_test(suite, "least recently used goes first", least_recently_used_goes_first);
    CU_add_test(suite, "a window that fits", a_window_that_fits_never_misses_again);
    CU_add_test(suite, "one page more", one_page_more_always_misses);
    CU_add_test(suite, "misses on one page", misses_on_one_page_share_a_walk);
    CU_add_test(suite, "walkers", walkers_bound_the_rate);
    CU_add_test(suite, "nothing enters while all walk", nothing_enters_while_all_walk);
    CU_add_test(suite, "pages", pages_are_those_of_vt_d);
}
