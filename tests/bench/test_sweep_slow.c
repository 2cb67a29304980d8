/* rnicsim sweep at work: killed at random moments, as a job array of a real Slurm, and as fast as promised. */
#include <CUnit/CUnit.h>
#include <time.h>

#include "tests/bench/command.h"

void suite_bench_sweep_slow(void);

#define SLURM RNICSIM_SOURCE_DIR "/tests/bench/slurm.sh"
#define KILLS 10
#define BUDGET_S 60.0

#define STUDY                                                                                                          \
    "[sweep]\nboard = u280_100g\ngen = --qps 8 --size 4096 --opcode write --arrival poisson --requests 3000\n"         \
    "axis.load = 10, 40, 70, 90, 95\naxis.pcie.tags = 16, 32, 64, 128\nrepeats = 2\nmetric = goodput_gbps, p50, p99\n" \
    "chart = load_latency\nchart = lines metric=p99\nchart = heatmap metric=goodput_gbps\n"

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* kill -9, ten times, at moments that differ; then the end of it: the same bytes as undisturbed. */
static void test_killed(void)
{
    struct command command;
    command_open(&command);
    command_write(&command, "s.sweep", STUDY);
    double begun_s = now_s();
    CU_ASSERT_EQUAL(command_run(&command, "$R sweep s.sweep -o whole --quiet"), 0);
    double took_s = now_s() - begun_s;
    unsigned state = 12345;
    for (int i = 0; i < KILLS; i++) {
        state = state * 1103515245u + 12345u;
        CU_ASSERT_EQUAL(command_run(&command,
                                    "$R sweep s.sweep -o killed --quiet & pid=$!; sleep %.3f; kill -9 $pid; wait $pid; "
                                    "ls killed/points/*.json | wc -l",
                                    took_s / KILLS * (0.2 + 0.8 * (double)(state >> 16 & 1023) / 1024)),
                        0);
        printf("\n  killed with %d of 41 files", atoi(command.out));
    }
    CU_ASSERT_EQUAL(command_run(&command, "$R sweep s.sweep -o killed --quiet"), 0);
    CU_ASSERT_STRING_EQUAL(command.err, "");
    CU_ASSERT_EQUAL(command_run(&command, "diff -r whole killed && ls -A killed | grep -c '^\\.'"), 1);
    CU_ASSERT_STRING_EQUAL(command.out, "0\n");
    command_close(&command);
}

/* 100 points, each a millisecond of simulated time and more. */
static void test_budget(void)
{
    struct command command;
    command_open(&command);
    command_write(
        &command, "s.sweep",
        "[sweep]\nboard = u280_100g\ngen = --qps 4 --size 4096 --opcode write --arrival poisson --rate '80 Gbps' "
        "--requests 2600\naxis.pcie.tags = 16..64 log 10\naxis.mac.cable = 1..91 step 10 m\n"
        "metric = goodput_gbps, p99, sim_time_ns\nchart = heatmap\n");
    double begun_s = now_s();
    CU_ASSERT_EQUAL(command_run(&command, "$R sweep s.sweep --quiet -j 2"), 0);
    double took_s = now_s() - begun_s;
    printf("\n  100 points in %.1f s", took_s);
    CU_ASSERT(took_s < BUDGET_S);
    CU_ASSERT_EQUAL(command_run(&command, "awk -F, '!/^#|^point/ && $7 >= 1e6' s.results/sweep.csv | wc -l"), 0);
    CU_ASSERT_EQUAL(atoi(command.out), 100);
    command_close(&command);
}

/* The array is smaller than the runs (slurm.sh allows nine tasks), some of which are there already. */
static void test_slurm(void)
{
    struct command command;
    if (geteuid() != 0) {
        printf("\n  not run: a Slurm of one's own needs root");
        return;
    }
    command_open(&command);
    command_write(&command, "s.sweep", STUDY);
    CU_ASSERT_EQUAL(command_run(&command, "$R sweep s.sweep -o whole --quiet && mkdir -p cluster/points && cp "
                                          "whole/points/plan.json whole/points/00000001?.json cluster/points"),
                    0);
    CU_ASSERT_EQUAL(command_run(&command, SLURM " slurm $R sweep s.sweep -o cluster --quiet --slurm=main"), 0);
    CU_ASSERT_STRING_EQUAL(command.err, "");
    CU_ASSERT_EQUAL(command_run(&command, "diff -r whole cluster"), 0);
    CU_ASSERT_STRING_EQUAL(command.out, "");
    /* A run that fails there is told with its reason; a partition that is not there, and no Slurm at all. */
    command_write(&command, "f.sweep",
                  "[sweep]\nboard = u280_100g\nperftest = write_bw -n 20\naxis.post_list = 1, 4\naxis.depth = 8, 2\n"
                  "metric = goodput_gbps\n");
    CU_ASSERT_EQUAL(command_run(&command, SLURM " slurm $R sweep f.sweep --quiet --slurm"), 2);
    CU_ASSERT(command_holds(command.err, "warning: point 3 failed: --perftest"));
    CU_ASSERT_EQUAL(command_run(&command, "rm -r f.results; " SLURM " slurm $R sweep f.sweep --quiet --slurm=none"), 2);
    CU_ASSERT(command_holds(command.err, "--slurm: no run was finished"));
    CU_ASSERT_EQUAL(command_run(&command, "rm -r f.results; mkdir bin; PATH=$PWD/bin $R sweep f.sweep --quiet --slurm"),
                    2);
    CU_ASSERT(command_lines(command.err) == 1 && command_holds(command.err, "--slurm: sbatch cannot be started"));
    command_close(&command);
}

void suite_bench_sweep_slow(void)
{
    CU_pSuite suite = CU_add_suite("bench/sweep: killed, fast, on a cluster", NULL, NULL);
    CU_add_test(suite, "killed ten times: the same bytes", test_killed);
    CU_add_test(suite, "100 points of a millisecond", test_budget);
    CU_add_test(suite, "Slurm: the same bytes", test_slurm);
}
