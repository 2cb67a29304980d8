/* Random netlists on the kernel alone: what must not change a result does not, byte for byte. */
#include "kernel/rnd.h"
#include "tests/kernel/net_compare.h"
#include "tests/kernel/net_kernel.h"
#include "tests/kernel/net_random.h"
#include "tests/quick.h"

#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <string.h>

void suite_kernel_metamorphic(void);

#define CASES 400
#define FIRST_SEED 5000000
#define SHRINK_TRIES 3000

enum change { SPURIOUS, NO_HORIZON, SLICES, AHEAD, OTHER_NETLIST, REACH, UNWATCHED, OUTSIDE, EVERYTHING, SHIFTED };

struct trial {
    enum change change;
    uint64_t seed;
    char what[500];
};

static struct net_options options_of(const struct trial *trial, const struct ref_net *other)
{
    struct net_options options = {0};
    int all = trial->change == EVERYTHING;
    if (trial->change == SPURIOUS || all)
        options.spurious_seed = trial->seed | 1;
    if (trial->change == NO_HORIZON)
        options.horizon_off = 1;
    if (trial->change == SLICES || all)
        options.slice_seed = trial->seed | 1;
    if (trial->change == AHEAD || all)
        options.ahead_seed = trial->seed | 1;
    options.unwatched = trial->change == UNWATCHED || (all && trial->seed % 2);
    options.outside = trial->change == OUTSIDE || (all && trial->seed % 3 == 0);
    options.reach = trial->change == REACH || all;
    if (trial->change == OTHER_NETLIST || all)
        options.other = other;
    return options;
}

static int64_t gcd(int64_t a, int64_t b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/* A time of which every clock's period is a whole part: at least 1 ms; 0 when there is none below 2^55 ps. */
static int64_t common_multiple(const struct ref_net *net)
{
    int64_t multiple = 1;
    for (int c = 0; c < net->clks; c++) {
        int64_t factor = net->clk[c].num / gcd(net->clk[c].num, multiple);
        if (multiple > (INT64_C(1) << 55) / factor)
            return 0;
        multiple *= factor;
    }
    return multiple * (1 + 1000000000 / multiple);
}

static int64_t cycles_in(const struct clk *clk, int64_t ps)
{
    return ps / clk->num * clk->den;
}

static void shift_net(struct ref_net *net, int64_t ps)
{
    for (int i = 0; i < net->items; i++)
        net->item[i].arrive_cyc += cycles_in(&net->clk[net->node[net->item[i].source].clk], ps);
}

static void shift_log_back(const struct ref_net *net, struct ref_log *log, int64_t ps)
{
    for (int n = 0; n < net->nodes; n++)
        for (int i = 0; i < log->count[n]; i++) {
            log->serve[n][i].start_cyc -= cycles_in(&net->clk[net->node[n].clk], ps);
            log->serve[n][i].end_cyc -= cycles_in(&net->clk[net->node[n].clk], ps);
        }
}

/* Runs the netlist as it is and changed; whether the two differ. */
static int trial_fails(const struct ref_net *net, void *context)
{
    static struct ref_log want, got;
    static struct ref_net other, base, shifted;
    struct trial *trial = context;
    const struct net_options plain = {0};
    int64_t shift_ps = trial->change == SHIFTED ? common_multiple(net) : 0;
    net_random(trial->seed ^ 0x5555, &other);
    base = *net;
    shift_net(&base, shift_ps); /* once for both: every clock has begun */
    shifted = base;
    shift_net(&shifted, shift_ps);
    struct net_options options = options_of(trial, &other);
    if (net_kernel_run(&base, &want, &plain, trial->what, sizeof trial->what) ||
        net_kernel_run(&shifted, &got, &options, trial->what, sizeof trial->what))
        return 1;
    shift_log_back(net, &got, shift_ps);
    return net_compare(net, &want, &got, trial->what, sizeof trial->what);
}

static void check(enum change change)
{
    int failures = 0;
    for (uint64_t i = 0; i < quick_cases(CASES); i++) {
        static struct ref_net net;
        struct trial trial = {.change = change, .seed = FIRST_SEED + i};
        net_random(trial.seed, &net);
        if (!trial_fails(&net, &trial) || failures++ > 0)
            continue;
        fprintf(stderr, "\nkernel metamorphic: change %d, seed %" PRIu64 ": %s\n", change, trial.seed, trial.what);
        net_shrink(&net, trial_fails, &trial, SHRINK_TRIES);
        trial_fails(&net, &trial);
        fprintf(stderr, " shrunk to: %s\n", trial.what);
        net_print(&net, stderr);
    }
    CU_ASSERT_EQUAL(failures, 0);
}

static void spurious_wakes(void)
{
    check(SPURIOUS);
}

static void no_horizon(void)
{
    check(NO_HORIZON);
}

static void slices(void)
{
    check(SLICES);
}

static void ahead(void)
{
    check(AHEAD);
}

static void other_netlist(void)
{
    check(OTHER_NETLIST);
}

static void reach(void)
{
    check(REACH);
}

static void unwatched(void)
{
    check(UNWATCHED);
}

static void outside(void)
{
    check(OUTSIDE);
}

static void everything(void)
{
    check(EVERYTHING);
}

static void shifted(void)
{
    check(SHIFTED);
    int shiftable = 0;
    static struct ref_net net;
    for (uint64_t i = 0; i < quick_cases(CASES); i++) {
        net_random(FIRST_SEED + i, &net);
        shiftable += common_multiple(&net) != 0;
    }
    CU_ASSERT((uint64_t)shiftable > quick_cases(CASES) / 2); /* the test is not an empty one */
}

void suite_kernel_metamorphic(void)
{
    CU_pSuite suite = CU_add_suite("kernel metamorphic", NULL, NULL);
    CU_add_test(suite, "spurious wakes", spurious_wakes);
    CU_add_test(suite, "horizon 0", no_horizon);
    CU_add_test(suite, "random slices", slices);
    CU_add_test(suite, "ahead of time", ahead);
    CU_add_test(suite, "another netlist beside", other_netlist);
    CU_add_test(suite, "lookahead from declared edges", reach);
    CU_add_test(suite, "FIFOs not watched", unwatched);
    CU_add_test(suite, "driven from outside", outside);
    CU_add_test(suite, "all of these", everything);
    CU_add_test(suite, "shifted by a common multiple", shifted);
}
