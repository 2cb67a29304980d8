/* Properties of one PCIe link that hold whatever the system and the load: what is lent comes home, nothing is taken that is not there,
 * bytes in are bytes out, and everything is done once and in order, also where TLPs are damaged and reads fail. */
#include "tests/pcie/drive_pcie.h"
#include "tests/pcie/random_pcie.h"
#include "tests/quick.h"

#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <stdio.h>

#define CASES 2000
#define FIRST_SEED 100000 /* other systems than those of the reference's test */

static struct ref_pcie_system system_of; /* large */
static struct ref_pcie_log log_of, log_without;

/* Without reads that fail, and TLPs that do. */
static void random_good(uint64_t seed)
{
    random_pcie(seed, &system_of);
    system_of.params.refused_reads = system_of.params.lost_completions = 0;
    system_of.params.damaged_tlps = system_of.params.lost_acks = 0;
    system_of.params.completion_timeout = INT64_C(50000000000);
}

static int run(const struct ref_pcie_system *system, struct ref_pcie_log *log)
{
    static const struct drive_options options = {.checks = 1};
    const char *wrong = drive_pcie_run(system, &options, log);
    if (wrong)
        fprintf(stderr, "\npcie property: seed %" PRIu64 ": %s\n", system->seed, wrong);
    CU_ASSERT_PTR_NULL(wrong);
    return wrong == NULL;
}

static int is_read(const struct ref_pcie_load *load)
{
    return load->kind == REF_READ || load->kind == REF_WQE_READ;
}

/* Everything has ended, once; writes of an input and stores in order. */
static void check_ends(const struct ref_pcie_system *system, const struct ref_pcie_log *log)
{
    int64_t last[REF_PCIE_KINDS] = {0};
    uint32_t not_once = 0, out_of_order = 0;
    for (uint32_t i = 0; i < system->loads; i++) {
        const struct ref_pcie_load *load = &system->load[i];
        const struct ref_pcie_times *times = &log->times[i];
        int64_t at = load->kind == REF_STORE ? times->done_cyc : times->sent_ps;
        if (is_read(load) && load->bytes == 0)
            continue; /* nobody is told */
        not_once += times->ends != 1;
        out_of_order += !is_read(load) && at < last[load->kind];
        last[load->kind] = at;
    }
    CU_ASSERT_EQUAL(not_once, 0);
    CU_ASSERT_EQUAL(out_of_order, 0);
}

static void random_systems(void)
{
    for (uint64_t i = 0; i < quick_cases(CASES); i++) {
        random_pcie(FIRST_SEED + i, &system_of);
        if (run(&system_of, &log_of))
            check_ends(&system_of, &log_of);
    }
}

/* In whole double words, so that no TLP carries a byte that was not asked for. */
static void bytes_in_are_bytes_out(void)
{
    for (uint64_t i = 0; i < quick_cases(CASES); i++) {
        uint64_t bytes[REF_PCIE_KINDS] = {0};
        random_good(FIRST_SEED + i);
        for (uint32_t l = 0; l < system_of.loads; l++) {
            struct ref_pcie_load *load = &system_of.load[l];
            load->bytes &= ~3u;
            load->address &= ~UINT64_C(3);
            bytes[load->kind] += load->bytes;
            bytes[REF_CQE] += load->cqe_bytes;
        }
        run(&system_of, &log_of);
        uint64_t other =
            log_of.count[REF_UP][REF_READ].payload_bytes + log_of.count[REF_UP][REF_WQE_READ].payload_bytes;
        for (int k = 0; k < REF_PCIE_KINDS; k++)
            other += log_of.count[REF_UP][k].payload_bytes + log_of.count[REF_DOWN][k].payload_bytes != bytes[k];
        CU_ASSERT_EQUAL(other, 0);
    }
}

/* TLPs that are damaged or lost on the way: each counts once, all is done once and in order, and nothing is done sooner in total. */
static void replay(void)
{
    for (uint64_t i = 0; i < quick_cases(CASES); i++) {
        random_good(FIRST_SEED + i);
        run(&system_of, &log_without);
        system_of.params.damaged_tlps = 30000000; /* 3% */
        system_of.params.lost_acks = 10000000;
        if (!run(&system_of, &log_of))
            continue;
        check_ends(&system_of, &log_of);
        for (int d = 0; d < REF_DIRECTIONS; d++)
            for (int k = 0; k < REF_PCIE_KINDS; k++) {
                CU_ASSERT_EQUAL(log_of.count[d][k].tlps, log_without.count[d][k].tlps);
                CU_ASSERT_EQUAL(log_of.count[d][k].link_bytes, log_without.count[d][k].link_bytes);
            }
    }
}

/* Reads that the host refuses, or answers too late: every one ends once, some failed, and every tag comes home. */
static void reads_that_fail(void)
{
    uint64_t failed = 0, good = 0;
    for (uint64_t i = 0; i < quick_cases(CASES); i++) {
        random_pcie(FIRST_SEED + i, &system_of);
        struct pcie_params *p = &system_of.params;
        p->refused_reads = 50000000; /* 5% */
        p->lost_completions = 0;
        p->completion_timeout = 50000000;
        p->host_read = (struct param_dist){3, {{0, 200000}, {950000000, 200000}, {1000000000, 90000000}}};
        if (!run(&system_of, &log_of))
            continue;
        check_ends(&system_of, &log_of);
        for (uint32_t l = 0; l < system_of.loads; l++) {
            failed += log_of.times[l].failed != 0;
            good += is_read(&system_of.load[l]) && !log_of.times[l].failed;
        }
    }
    CU_ASSERT(failed > 100 && good > 100);
}

void suite_pcie_property(void);
void suite_pcie_property(void)
{
    CU_pSuite suite = CU_add_suite("pcie: properties", NULL, NULL);
    CU_add_test(suite, "random systems", random_systems);
    CU_add_test(suite, "bytes in are bytes out", bytes_in_are_bytes_out);
    CU_add_test(suite, "replay", replay);
    CU_add_test(suite, "reads that fail", reads_that_fail);
}
