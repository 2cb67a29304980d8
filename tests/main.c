/* Runs every CUnit suite of the tree: each function named suite_* in tests/. With words: only suites whose name holds one of
 * them; with --quick: not the slow ones, whose name says so, and a fifth of the cases of random tests. Each suite's time is
 * printed: it has a budget. The last line is "N passed, N failed". */
#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SUITE_BUDGET_S 180

#define SUITE(name) void name(void);
#include "tests/suites.inc"
#undef SUITE

struct suite {
    const char *name;
    void (*add)(void);
};

static const struct suite suites[] = {
#define SUITE(name) {#name, name},
#include "tests/suites.inc"
#undef SUITE
};

static int wanted(const char *name, int count, char **words)
{
    int named = 0;
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--quick") == 0) {
            if (strstr(name, "slow"))
                return 0;
            continue;
        }
        named = 1;
        if (strstr(name, words[i]))
            return 1;
    }
    return !named;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct tally {
    unsigned passed, failed;
};

static void print_failures(void)
{
    for (CU_pFailureRecord record = CU_get_failure_list(); record; record = record->pNext)
        printf("  FAILED %s:%u: %s: %s\n", record->strFileName ? record->strFileName : "", record->uiLineNumber,
               record->pTest ? record->pTest->pName : "", record->strCondition ? record->strCondition : "");
}

static void run_suite(CU_pSuite suite, struct tally *tally)
{
    double began = now_s();
    CU_run_suite(suite);
    double took = now_s() - began;
    unsigned run = CU_get_number_of_tests_run(), failed = CU_get_number_of_tests_failed();
    if (CU_get_number_of_suites_failed() > 0)
        failed = run = run ? run : 1;
    if (took > SUITE_BUDGET_S && !getenv("RNICSIM_SOAK_SECONDS")) {
        failed++;
        printf("  FAILED: over its budget of %d s\n", SUITE_BUDGET_S);
    }
    print_failures();
    tally->failed += failed;
    tally->passed += run > failed ? run - failed : 0;
    printf("%-50s %3u run, %u failed, %6.2f s\n", suite->pName, run, failed, took);
}

int main(int count, char **words)
{
    struct tally tally = {0, 0};
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    for (int i = 1; i < count; i++)
        if (strcmp(words[i], "--quick") == 0)
            setenv("RNICSIM_QUICK", "1", 1); /* for tests/quick.h */
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        if (wanted(suites[i].name, count, words))
            suites[i].add();
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (CU_pSuite suite = CU_get_registry()->pSuite; suite; suite = suite->pNext)
        run_suite(suite, &tally);
    CU_cleanup_registry();
    printf("%u passed, %u failed\n", tally.passed, tally.failed);
    return tally.failed > 0 || tally.passed == 0;
}
