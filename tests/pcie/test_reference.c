/* Random links, endpoints, hosts and loads: every read is done, every write sent, drained and seen, and every store taken at the same
 * instant in the model and in the reference, and the TLPs and bytes of each kind are the same in each direction.
 *
 * RNICSIM_SOAK_SECONDS=n runs on with fresh seeds for so long; RNICSIM_PROPERTY_SEED=s runs that seed only. */
#include "tests/pcie/drive_pcie.h"
#include "tests/pcie/random_pcie.h"
#include "tests/soak.h"

#include <CUnit/CUnit.h>

#define CASES 300

struct difference {
    const char *what;
    uint32_t load;
    int64_t want, got;
};

static void differ(struct difference *first, const char *what, uint32_t load, int64_t want, int64_t got)
{
    if (!first->what && want != got)
        *first = (struct difference){what, load, want, got};
}

/* The first load that differs. */
static struct difference compare(const struct ref_pcie_system *system, const struct ref_pcie_log *want,
                                 const struct ref_pcie_log *got)
{
    struct difference first = {0};
    for (uint32_t i = 0; i < system->loads; i++) {
        const struct ref_pcie_times *a = &want->times[i], *b = &got->times[i];
        differ(&first, "done, cycle", i, a->done_cyc, b->done_cyc);
        differ(&first, "failed", i, a->failed, b->failed);
        differ(&first, "sent, ps", i, a->sent_ps, b->sent_ps);
        if (system->load[i].bytes + system->load[i].cqe_bytes > 0)
            differ(&first, "drained, ps", i, a->drained_ps, b->drained_ps);
        differ(&first, "payload seen, ps", i, a->payload_ps, b->payload_ps);
        differ(&first, "seen, ps", i, a->visible_ps, b->visible_ps);
    }
    for (uint32_t d = 0; d < REF_DIRECTIONS; d++)
        for (uint32_t k = 0; k < REF_PCIE_KINDS; k++) {
            const struct ref_pcie_count *a = &want->count[d][k], *b = &got->count[d][k];
            differ(&first, "TLPs of kind", k, (int64_t)a->tlps, (int64_t)b->tlps);
            differ(&first, "payload bytes of kind", k, (int64_t)a->payload_bytes, (int64_t)b->payload_bytes);
            differ(&first, "link bytes of kind", k, (int64_t)a->link_bytes, (int64_t)b->link_bytes);
        }
    return first;
}

static void print_load(const struct ref_pcie_load *load, uint32_t index)
{
    static const char *const name[] = {"read", "WQE read", "write", "CQE", "store"};
    fprintf(stderr, "   %u: cycle %" PRId64 " %s 0x%" PRIx64 " %u B, CQE %u B\n", index, load->at_cyc, name[load->kind],
            load->address, load->bytes, load->cqe_bytes);
}

static void print_system(const struct ref_pcie_system *system, uint32_t last)
{
    const unsigned char *params = (const void *)&system->params;
    for (size_t i = 0; i < pcie_param_table.count; i++) {
        const struct param_desc *row = &pcie_param_table.desc[i];
        if (row->unit != PARAM_DIST)
            fprintf(stderr, " %s=%" PRId64, row->key + 5, *(const int64_t *)(const void *)(params + row->offset));
    }
    fprintf(stderr, "\n   user %" PRId64 "/%" PRId64 " ps, store interval %d\n", system->user.num, system->user.den,
            system->store_interval_cyc);
    for (uint32_t i = 0; i < system->loads && i <= last + 3; i++)
        print_load(&system->load[i], i);
}

static int fails(const struct ref_pcie_system *system, const struct drive_options *options,
                 const struct ref_pcie_log *want, int is_shown)
{
    static struct ref_pcie_log got;
    const char *wrong = drive_pcie_run(system, options, &got);
    struct difference first = {.what = wrong};
    if (!wrong)
        first = compare(system, want, &got);
    if (!first.what)
        return 0;
    if (is_shown) {
        fprintf(stderr, "\npcie reference: seed %" PRIu64 "%s%s: %s %u: %" PRId64 " in the reference, %" PRId64 "\n",
                system->seed, options->horizon_off ? ", no horizon" : "", options->spurious_seed ? ", spurious" : "",
                first.what, first.load, first.want, first.got);
        print_system(system, first.load);
    }
    return 1;
}

/* The number of failures of one seed, in all variants. */
static int run_seed(uint64_t seed, int quiet)
{
    static const struct drive_options variants[] = {{.checks = 0}, {.horizon_off = 1}, {.spurious_seed = 7}};
    static struct ref_pcie_system system;
    static struct ref_pcie_log want;
    random_pcie(seed, &system);
    const char *wrong = ref_pcie_run(&system, &want);
    if (wrong) {
        if (!quiet) {
            fprintf(stderr, "\npcie reference: seed %" PRIu64 ": the reference: %s\n", seed, wrong);
            print_system(&system, system.loads);
        }
        return 1;
    }
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (fails(&system, &variants[i], &want, !quiet))
            return 1;
    return 0;
}

static void random_systems(void)
{
    CU_ASSERT_EQUAL(soak("pcie reference", CASES, run_seed), 0);
}

void suite_pcie_reference(void);
void suite_pcie_reference(void)
{
    CU_pSuite suite = CU_add_suite("pcie: reference", NULL, NULL);
    CU_add_test(suite, "random systems against the reference", random_systems);
}
