/* Every sample on every board and host runs to its end. */
#include <CUnit/CUnit.h>

#include "tests/bench/command.h"

void suite_bench_samples(void);

static void test_every_combination(void)
{
    static const char *const board[] = {"u280_100g", "kcu116_25g"};
    static const char *const host[] = {"hsw_e5_2620v3", "bdw_e5_2630v4", "hsw_e3_1226v3"};
    static const char *const sample[] = {"write_lat_2B.wqe", "write_bw_1K_postlist16.wqe", "write_bw_4K_4qp.wqe"};
    struct command command;
    char line[512];
    command_open(&command);
    for (size_t i = 0; i < sizeof board / sizeof *board * sizeof host / sizeof *host * sizeof sample / sizeof *sample;
         i++) {
        snprintf(line, sizeof line, "$R run -b %s --host %s --json --quiet " COMMAND_SAMPLES "%s", board[i / 9],
                 host[i / 3 % 3], sample[i % 3]);
        CU_ASSERT_EQUAL(command_run(&command, line), 0);
        if (!strstr(command.out, "\"status\": \"complete\""))
            printf("    %s: not complete: %s\n", line, command.err);
        CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "\"status\": \"complete\""));
    }
    command_close(&command);
}

void suite_bench_samples(void)
{
    CU_pSuite suite = CU_add_suite("bench/samples", NULL, NULL);
    CU_add_test(suite, "every board, host and sample", test_every_combination);
}
