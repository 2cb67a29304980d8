/* Runs every CUnit suite of the tree: each function named suite_* in tests/. With words: only suites whose name holds one of
 * them; with --quick: not the slow ones, whose name says so. Each suite's time is printed, since it has a budget. The last
 * line is "N passed, N failed". */
#include <CUnit/Basic.h>
#include <stdio.h>
#include <string.h>

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

int main(int count, char **words)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        if (wanted(suites[i].name, count, words))
            suites[i].add();
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned run = CU_get_number_of_tests_run();
    unsigned failed = CU_get_number_of_tests_failed();
    int broken = CU_get_number_of_failure_records() > 0 || CU_get_number_of_suites_failed() > 0;
    CU_cleanup_registry();
    printf("%u passed, %u failed\n", run - failed, failed);
    return run == 0 || failed > 0 || broken;
}
