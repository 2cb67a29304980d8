/* Random netlists: every item at every node starts and ends in the same cycle in the kernel and in the reference.
 *
 * RNICSIM_SOAK_SECONDS=n runs on with fresh seeds for so long; RNICSIM_PROPERTY_SEED=s runs that seed only. */
#include "kernel/rnd.h"
#include "tests/kernel/net_compare.h"
#include "tests/kernel/net_kernel.h"
#include "tests/kernel/net_random.h"
#include "tests/soak.h"

#include <CUnit/CUnit.h>
#include <string.h>

void suite_kernel_property(void);

#define CASES 1000
#define EDGES_MAX 20000000
#define SHRINK_TRIES 4000

enum variant { AHEAD = 1, REACH = 2, UNWATCHED = 4, OUTSIDE = 8, VARIANTS = 16 }; /* any of them together */

struct trial {
    int variant;
    uint64_t seed;
    char what[500];
};

static const struct ref_log *reference_of(const struct ref_net *net, int *error)
{
    static struct ref_log log;
    *error = ref_tick_run(net, &log, EDGES_MAX);
    return &log;
}

static struct net_options options_of(const struct trial *trial)
{
    return (struct net_options){.ahead_seed = trial->variant & AHEAD ? trial->seed | 1 : 0,
                                .reach = trial->variant & REACH,
                                .outside = trial->variant & OUTSIDE,
                                .unwatched = trial->variant & UNWATCHED};
}

static int trial_fails(const struct ref_net *net, void *context)
{
    static struct ref_log got;
    struct trial *trial = context;
    struct net_options options = options_of(trial);
    int error;
    const struct ref_log *want = reference_of(net, &error);
    if (error) {
        snprintf(trial->what, sizeof trial->what, "the reference did not end (%d)", error);
        return error == -2;
    }
    return net_kernel_run(net, &got, &options, trial->what, sizeof trial->what) != 0 ||
           net_compare(net, want, &got, trial->what, sizeof trial->what);
}

static void report(struct trial *trial, struct ref_net *net)
{
    fprintf(stderr, "\nkernel property: seed %" PRIu64 " variant %d: %s\n", trial->seed, trial->variant, trial->what);
    net_shrink(net, trial_fails, trial, SHRINK_TRIES);
    trial_fails(net, trial);
    fprintf(stderr, " shrunk to: %s\n", trial->what);
    net_print(net, stderr);
}

/* All variants of one seed against one run of the reference; the number of failures. */
static int run_seed(uint64_t seed, int quiet)
{
    static struct ref_net net;
    static struct ref_log got;
    int error, failures = 0;
    net_random(seed, &net);
    const struct ref_log *want = reference_of(&net, &error);
    struct trial trial = {.seed = seed};
    snprintf(trial.what, sizeof trial.what, "the reference did not end (%d)", error);
    for (int v = 0; v < VARIANTS; v++) {
        trial.variant = v;
        struct net_options options = options_of(&trial);
        if (!error && net_kernel_run(&net, &got, &options, trial.what, sizeof trial.what) == 0 &&
            net_compare(&net, want, &got, trial.what, sizeof trial.what) == 0)
            continue;
        failures++;
        if (quiet)
            continue;
        struct ref_net small = net;
        report(&trial, &small);
        want = reference_of(&net, &error);
    }
    return failures;
}

/* Two clocks of one period, 3,104 ps apart: their edges, rounded to picoseconds, now coincide and now do not, so that beats in
 * the middle of an item are late by a cycle where its ends are not. */
static void coincident_edges(void)
{
    for (int64_t phase_ps = 3102; phase_ps <= 3106; phase_ps++)
        for (int32_t slow = 1; slow <= 3; slow++) {
            static struct ref_net net;
            struct trial trial = {.variant = 0};
            net = (struct ref_net){.clks = 2, .nodes = 4, .fifos = 3};
            clk_init(&net.clk[0], 102400, 33, 0);
            clk_init(&net.clk[1], 102400, 33, phase_ps);
            for (int n = 0; n < 4; n++)
                net.node[n] = (struct ref_node){.kind = n == 0   ? REF_SOURCE
                                                        : n == 3 ? REF_SINK
                                                                 : REF_STAGE,
                                                .clk = n >= 2,
                                                .interval_cyc = n == 1 || n == 2 ? slow : 1,
                                                .latency_cyc = 1,
                                                .threshold_beats = 1,
                                                .inputs = n > 0,
                                                .in = {n - 1},
                                                .out = n};
            for (int f = 0; f < 3; f++)
                net.fifo[f] = (struct ref_fifo){f, f + 1, f == 1 ? 2 : 0, 1, 4, 0};
            for (int i = 0; i < 100; i++)
                net.item[net.items++] = (struct ref_item){.source = 0, .arrive_cyc = 1 + i * 37, .words = 5 + i % 20};
            if (trial_fails(&net, &trial))
                fprintf(stderr, "\nkernel property: phase %" PRId64 " ps: %s\n", phase_ps, trial.what);
            CU_ASSERT_FALSE(trial_fails(&net, &trial));
        }
}

static void random_netlists(void)
{
    CU_ASSERT_EQUAL(soak("kernel property", CASES, run_seed), 0);
}

void suite_kernel_property(void)
{
    CU_pSuite suite = CU_add_suite("kernel property", NULL, NULL);
    CU_add_test(suite, "edges that nearly coincide", coincident_edges);
    CU_add_test(suite, "random netlists against the reference", random_netlists);
}
