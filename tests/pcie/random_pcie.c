#include "tests/pcie/random_pcie.h"

#include "kernel/rnd.h"
#include "pcie/pcie.h"

#include <string.h>

#define NS INT64_C(1000)
#define LOAD_BYTES_MAX 60000

static int64_t next(uint64_t *state)
{
    return (int64_t)(rnd_mix(*state += UINT64_C(0x9e3779b97f4a7c15)) >> 2);
}

static int64_t pick(uint64_t *state, const int64_t *from, size_t count)
{
    return from[next(state) % (int64_t)count];
}

#define PICK(...) pick(r, (const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static struct param_dist between(int64_t least_ps, int64_t most_ps)
{
    return (struct param_dist){2, {{0, least_ps}, {1000000000, most_ps}}};
}

static void random_link(uint64_t *r, struct pcie_params *p)
{
    p->generation = PICK(1, 2, 3, 3, 4, 5);
    p->lanes = PICK(1, 4, 8, 16);
    p->link_latency = PICK(1, 20, 100, 300) * NS + next(r) % NS;
    p->skips = PICK(PCIE_SKIPS_OFF, PCIE_SKIPS_ON);
    p->mps = PICK(128, 256, 512);
    p->mps_most = 4096;
    p->mrrs = PICK(128, 256, 512, 4096);
    p->header = PICK(PCIE_HEADER_3DW, PCIE_HEADER_4DW);
    p->ecrc = PICK(0, 1);
    p->rcb = PICK(64, 128);
    p->completions = PICK(PCIE_COMPLETIONS_MPS, PCIE_COMPLETIONS_RCB);
    p->partial_line = PICK(PCIE_PARTIAL_JOINED, PCIE_PARTIAL_APART);
    p->writes = PICK(PCIE_WRITES_GREEDY, PCIE_WRITES_ALIGNED);
    p->replay_buffer = PICK(p->mps + 32, 2048, 1 << 20);
    p->retrain = 3000 * NS;
    if (p->skips == PCIE_SKIPS_OFF) {
        p->damaged_tlps = PICK(0, 0, 0, 20000000, 200000000);
        p->lost_acks = PICK(0, 0, 0, 5000000, 100000000);
    }
}

static void random_endpoint(uint64_t *r, struct pcie_params *p)
{
    p->tags = PICK(1, 2, 4, 32, 256);
    p->completion_headers = p->mrrs / p->rcb + 1 + PICK(0, 1, 7, 60, 500);
    p->completion_buffer = p->mrrs + 16 + PICK(0, 16, 100, 1000, 32768);
    p->retire = PICK(PCIE_RETIRE_ARRIVAL, PCIE_RETIRE_ARRIVAL, PCIE_RETIRE_IN_ORDER);
    p->completion_timeout = 1000000000 * NS;
    p->user_width = PICK(64, 128, 256, 512, 1024);
    p->straddle = p->user_width >= 256 ? PICK(PCIE_STRADDLE_OFF, PCIE_STRADDLE_ON) : PCIE_STRADDLE_OFF;
    p->request_descriptor = PICK(0, 16);
    p->completion_descriptor = PICK(0, 12);
    p->read_latency = PICK(1, 5, 12);
    p->read_interval = PICK(1, 1, 2, 7);
    p->operation_interval = PICK(1, 2, 9);
    p->endpoint_posted_headers = PICK(1, 2, 5, 64);
    p->endpoint_posted_data = PICK(128, 256, 8192);
    p->np_blocks = PICK(PCIE_NP_BLOCKS_OFF, PCIE_NP_BLOCKS_ON);
}

static void random_host(uint64_t *r, struct pcie_params *p)
{
    p->posted_headers = PICK(1, 2, 5, 12, 127);
    p->posted_data = p->mps + 16 + PICK(0, 16, 272, 1024, 4096, 30000);
    p->nonposted_headers = PICK(1, 2, 9, 127);
    p->update_fc = PICK(0, 50, 500, 2000) * NS;
    p->host_write_order = PICK(0, 0, 0, 5, 60) * NS;
    p->host_write_lines = PICK(0, 1, 1, 1, 1) * (p->mps / 64 + 1 + PICK(0, 1, 8, 80));
    p->host_write_line = PICK(1, 50, 300) * NS;
    int64_t read_ps = PICK(1, 100, 400) * NS, write_ps = PICK(1, 60, 300) * NS;
    p->host_read = between(read_ps, read_ps + PICK(0, 0, 10, 500) * NS);
    p->host_write = between(write_ps, write_ps + PICK(0, 0, 20, 400) * NS);
    p->host_read_kib = PICK(0, 0, 60) * NS;
    p->host_write_ack = PICK(0, 0, 70, 500) * NS;
    p->relaxed_ordering = PICK(PCIE_RELAXED_OFF, PCIE_RELAXED_OFF, PCIE_RELAXED_PAYLOAD, PCIE_RELAXED_ALL);
    p->host_wake = p->host_stall = between(0, 0);
    p->host_ddio = 1 << 20;
    p->host_channels = 1;
    p->host_refresh_interval = 7800 * NS;
}

static int64_t random_bytes(uint64_t *r)
{
    switch (next(r) % 4) {
    case 0:
        return PICK(0, 1, 4, 8, 64, 64, 128, 512, 4096);
    case 1:
        return next(r) % 300;
    default:
        return next(r) % 3000;
    }
}

static struct ref_pcie_load random_load(uint64_t *r, const int64_t weight[REF_PCIE_KINDS])
{
    int64_t all = 0, which, kind = 0;
    for (int k = 0; k < REF_PCIE_KINDS; k++)
        all += weight[k];
    for (which = next(r) % all; which >= weight[kind]; kind++)
        which -= weight[kind];
    struct ref_pcie_load load = {.kind = (enum ref_pcie_kind)kind, .cqe_address = (uint64_t)PICK(0, 64, 4032)};
    load.address = (uint64_t)(next(r) % 65536 + PICK(0, 0, INT64_C(1) << 33));
    load.address &= ~(uint64_t)(PICK(1, 4, 64, 4096) - 1);
    load.bytes = (uint32_t)(load.kind == REF_STORE ? PICK(4, 8, 64) : load.kind == REF_CQE ? 0 : random_bytes(r));
    load.cqe_bytes = (uint32_t)(load.kind == REF_CQE     ? PICK(16, 32, 64)
                                : load.kind == REF_WRITE ? PICK(0, 0, 32, 64)
                                                         : 0);
    return load;
}

static void random_loads(uint64_t *r, struct ref_pcie_system *system)
{
    int64_t weight[REF_PCIE_KINDS] = {PICK(0, 1, 4), PICK(0, 1), PICK(0, 1, 4), PICK(0, 1, 3), PICK(0, 1)};
    int64_t gap = PICK(1, 4, 30, 200), cyc = 2, bytes = 0;
    weight[REF_READ] += weight[REF_WRITE] == 0;
    uint32_t loads = (uint32_t)(2 + next(r) % 70);
    for (; system->loads < loads && bytes < LOAD_BYTES_MAX; system->loads++) {
        struct ref_pcie_load *load = &system->load[system->loads];
        *load = random_load(r, weight);
        load->at_cyc = cyc += next(r) % (2 * gap);
        bytes += load->bytes;
    }
}

/* Reads that the host refuses, answers too late or never; what never comes back must not be all there is. */
static void random_failures(uint64_t *r, struct pcie_params *p)
{
    p->refused_reads = PICK(0, 0, 0, 20000000, 300000000);
    if (p->retire == PCIE_RETIRE_IN_ORDER)
        return;
    p->completion_timeout = PICK(1000000000, 1000000000, 2000, 500) * NS;
    p->lost_completions = p->completion_timeout < 10000 * NS ? PICK(0, 0, 50000000) : 0;
    if (p->lost_completions == 0)
        return;
    p->tags = 1024;
    p->completion_headers = 65536;
    p->completion_buffer = 1 << 20;
}

void random_pcie(uint64_t seed, struct ref_pcie_system *system)
{
    uint64_t state = seed, *r = &state;
    memset(system, 0, sizeof *system);
    system->seed = seed;
    char error[200];
    do {
        memset(&system->params, 0, sizeof system->params);
        random_link(r, &system->params);
        random_endpoint(r, &system->params);
        random_host(r, &system->params);
        random_failures(r, &system->params);
    } while (pcie_check(&system->params, error, sizeof error));
    static const int64_t period[][2] = {{4000, 1}, {2500, 3}, {102400, 33}, {2000, 1}, {8000, 1}};
    int64_t which = next(r) % 5;
    clk_init(&system->user, period[which][0], period[which][1], 0);
    system->store_interval_cyc = (int32_t)PICK(1, 1, 40, 2000);
    random_loads(r, system);
}
