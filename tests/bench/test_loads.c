/* rnicsim run --gen and --loads: a workload made for the run, latency against load, the knee. */
#include <CUnit/CUnit.h>

#include "tests/bench/command.h"

void suite_bench_loads(void);

#define GEN "--qps 4 --size 4096 --requests 4000 --opcode write --arrival poisson"

/* A made workload is the trace that trace gen makes: the same results, and nothing is left in the folder for temporary files. */
static void made_for_the_run(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command,
                                "mkdir t; export TMPDIR=t; $R trace gen " GEN " --rate '50 Gbps' -o g.bin && "
                                "$R run -b u280_100g g.bin -o a --quiet --no-charts && "
                                "$R run -b u280_100g --gen \"" GEN " --rate '50 Gbps'\" -o b --quiet --no-charts && "
                                "for f in latency stages stalls fifos pcie; do "
                                "grep -v '^#' a/$f.csv >x; grep -v '^#' b/$f.csv | diff - x || echo $f; done; ls t"),
                    0);
    CU_ASSERT_STRING_EQUAL(command.out, "");
    command_close(&command);
}

/* 1 us a request at the CPU: an M/D/1 queue. At 10, 50 and 80 % of 4 Gb/s (4,096 bits at 1 MHz: 4.096) p99 passes twice its first
 * value, and latency never falls. */
static void knee(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command,
                                "$R run -b u280_100g --gen '--qps 1 --size 512 --requests 20000 --opcode write "
                                "--arrival poisson' --loads 0.5,2,3.5,3.9 -s 'host.post_cost=980 ns' -o r"),
                    0);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "<- knee"));
    char *csv = command_read(&command, "r/loads.csv");
    double load, before = 0, p50, p99;
    int rows = 0, knees = 0, is_knee;
    for (char *at = csv; at != NULL; at = strchr(at, '\n'), at = at != NULL ? at + 1 : NULL)
        if (sscanf(at, "%lf,%*f,%*f,%lf,%lf,%*[^,],%d", &load, &p50, &p99, &is_knee) == 4) {
            CU_ASSERT(p99 >= before && p50 > 0);
            before = p99;
            knees += is_knee;
            rows++;
        }
    CU_ASSERT_EQUAL(rows, 4);
    CU_ASSERT_EQUAL(knees, 1);
    CU_ASSERT(command_has(&command, "r/load_latency.svg"));
    free(csv);
    command_close(&command);
}

static void mistakes(void)
{
    static const char *const wrong[][2] = {
        {"--loads 10", "which trace"},
        {"--loads 10 x.wqe", "--loads needs --gen"},
        {"--gen '" GEN "' --loads 50,10", "ascending"},
        {"--gen '" GEN "' --loads 201", "to 200"},
        {"--gen '" GEN "' --loads ''", "allowed are"},
        {"--gen '--qps 2'", "are needed"},
        {"--gen '" GEN " -o f'", "no file is kept"},
        {"--gen '--qps 2 | --size 64'", "cannot be split"},
        {"--gen '--qps 1 --size 64 --requests 9 --opcode write' --loads 10", "open loop"},
        {"--gen '" GEN "' --perftest write_bw", "one workload"},
    };
    struct command command;
    command_open(&command);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o r %s", wrong[i][0]), 2);
        if (strstr(command.err, wrong[i][1]) == NULL)
            printf("\n    %s: %s", wrong[i][0], command.err);
        CU_ASSERT(strstr(command.err, wrong[i][1]) != NULL && command_lines(command.err) == 1);
        CU_ASSERT(command.out[0] == 0 && !command_has(&command, "r/summary.json"));
    }
    command_close(&command);
}

void suite_bench_loads(void)
{
    CU_pSuite suite = CU_add_suite("bench/loads", NULL, NULL);
    CU_add_test(suite, "a workload made for the run", made_for_the_run);
    CU_add_test(suite, "latency against load", knee);
    CU_add_test(suite, "mistakes", mistakes);
}
