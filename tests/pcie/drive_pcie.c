#include "tests/pcie/drive_pcie.h"

#include "pcie/pcie.h"

#include <stdio.h>
#include <string.h>

struct drive {
    const struct ref_pcie_system *system;
    struct ref_pcie_log *log;
    struct sim sim;
    struct pcie pcie;
    struct fifo operations, writes, cqes;
    uint32_t next_load;
    uint32_t load_of_read[REF_PCIE_LOADS_MAX];
    int64_t store_from_cyc;
    int decider, checks;
    uint64_t runs_checked;
    char error[400];
};

static void push(struct drive *drive, uint32_t index)
{
    const struct ref_pcie_load *load = &drive->system->load[index];
    int64_t cyc = load->at_cyc;
    struct fifo *fifo = load->kind == REF_WRITE ? &drive->writes : &drive->cqes;
    if (load->kind == REF_WRITE || load->kind == REF_CQE) {
        fifo_push(fifo, cyc, cyc + 1, cyc + 1, load->bytes + load->cqe_bytes, index);
        return;
    }
    enum pcie_kind kind = load->kind == REF_READ ? PCIE_PAYLOAD_READ : PCIE_WQE_READ;
    uint32_t read = pcie_read_begin(&drive->pcie, kind, load->address, load->bytes, index);
    fifo_push(&drive->operations, cyc, cyc + 1, cyc + 1, load->bytes, read);
    pcie_read_run(&drive->pcie);
}

/* Loads at their cycles; a store is told when the load before it is pushed, as it must lie in the future. */
static int64_t decide_loads(void *self, int64_t now)
{
    struct drive *drive = self;
    const struct ref_pcie_system *system = drive->system;
    for (; drive->next_load < system->loads; drive->next_load++) {
        const struct ref_pcie_load *load = &system->load[drive->next_load];
        int64_t at_ps = clk_edge(&system->user, load->at_cyc);
        if (load->kind == REF_STORE)
            continue; /* put before the start */
        if (at_ps > now)
            return at_ps;
        push(drive, drive->next_load);
    }
    return SIM_NEVER;
}

/* Each tag is free, or between the engine and the link, or at the host; or its completion waits to retire, or is lost. */
static void check_tags(struct drive *drive)
{
    struct pcie *pcie = &drive->pcie;
    uint8_t places[1024] = {0};
    uint32_t tags = (uint32_t)pcie->params->tags, twice = 0, nowhere = 0;
    for (uint32_t i = 0; i < pcie->request_free_count; i++)
        places[pcie->request_free[i]]++;
    for (uint32_t i = pcie->queue_first; i != pcie->queue_next; i++)
        places[pcie->queue[i & pcie->queue_mask].request]++;
    for (uint32_t i = pcie->at_host.first; i != pcie->at_host.next; i++)
        if (pcie->at_host.entry[i & pcie->at_host.mask].ref < tags) /* else a timeout */
            places[pcie->at_host.entry[i & pcie->at_host.mask].ref]++;
    for (uint32_t i = 0; i < tags; i++) {
        twice += places[i] > 1;
        nowhere += places[i] == 0;
    }
    model_assert(&drive->sim, twice == 0, "a tag is in two places");
    model_assert(&drive->sim, nowhere == 0 || pcie->retire, "a tag is nowhere");
}

static uint64_t taken_of(const struct flow *flow, const struct flow_pool *pool, const struct flow_run *run)
{
    return pool == &flow->headers ? 1 : pool == &flow->data ? run->tlp.data : run->tlp.lines;
}

/* What TLPs that were sent before have not given back at start_cyc; the last `index` of the newest run among them. */
static uint64_t held(const struct flow *flow, const struct flow_pool *pool, uint64_t newest, uint32_t index,
                     int64_t start_cyc)
{
    uint64_t units = 0, oldest = newest > flow->mask ? newest - flow->mask : 0;
    for (uint64_t r = oldest; r <= newest; r++) {
        const struct flow_run *run = &flow->run[r & flow->mask];
        uint32_t count = r == newest ? index : run->count;
        for (uint32_t i = 0; i < count; i++)
            if (run->first_drained_cyc + (int64_t)i * run->tlp.took_cyc + pool->back_cyc > start_cyc)
                units += taken_of(flow, pool, run);
    }
    return units;
}

/* Every TLP since the last look: with it, no more is taken than the host advertised. It began when it drained less its time, or before. */
static void check_credits(struct drive *drive)
{
    const struct flow *flow = &drive->pcie.flow;
    const struct flow_pool *pools[] = {&flow->headers, &flow->data};
    uint64_t kept = flow->runs > flow->mask + 1 ? flow->runs - flow->mask - 1 : 0;
    uint64_t r = drive->runs_checked > kept ? drive->runs_checked : kept;
    for (; r < flow->runs; r++) {
        const struct flow_run *run = &flow->run[r & flow->mask];
        for (uint32_t i = 0; i < run->count; i++)
            for (int p = 0; p < 2; p++) {
                int64_t start_cyc = run->first_drained_cyc + ((int64_t)i - 1) * run->tlp.took_cyc;
                uint64_t all = held(flow, pools[p], r, i, start_cyc) + taken_of(flow, pools[p], run);
                model_assert(&drive->sim, all <= pools[p]->depth, "more credits are taken than there are");
            }
    }
    drive->runs_checked = flow->runs;
}

static int64_t decide_down(void *self, int64_t now)
{
    struct drive *drive = self;
    int64_t horizon = sim_horizon(&drive->sim, drive->pcie.down_decider), wake_at;
    (void)now;
    for (;;) {
        struct pcie_down down = pcie_down_next(&drive->pcie, horizon, &wake_at);
        if (down.event == PCIE_DOWN_NOTHING)
            break;
        if (down.event == PCIE_DOWN_READ_DONE) {
            drive->log->times[drive->pcie.read[down.ref].ref].ends++;
            continue;
        }
        pcie_store_send(&drive->pcie); /* its credits are known: all before it are taken */
        int64_t at_cyc = pcie_store_take(&drive->pcie, drive->store_from_cyc);
        drive->store_from_cyc = at_cyc + drive->system->store_interval_cyc;
        drive->log->times[down.ref].done_cyc = at_cyc;
        drive->log->times[down.ref].ends++;
    }
    pcie_read_run(&drive->pcie);
    if (drive->checks)
        check_tags(drive);
    return wake_at;
}

static int64_t decide_up(void *self, int64_t now)
{
    struct drive *drive = self;
    pcie_up_begin(&drive->pcie, now, sim_horizon(&drive->sim, drive->pcie.up_decider));
    for (;;) {
        int64_t wake_at;
        struct pcie_up up;
        int is_done = pcie_up_next(&drive->pcie, &up, &wake_at);
        if (drive->checks)
            check_credits(drive);
        if (!is_done)
            return wake_at;
        drive->log->times[up.ref].ends++;
        drive->log->times[up.ref].sent_ps = up.sent_at_ps;
        drive->log->times[up.ref].drained_ps = up.drained_at_ps;
        drive->log->times[up.ref].visible_ps = up.visible_at_ps;
        drive->log->times[up.ref].payload_ps = up.payload_visible_at_ps;
    }
}

static void describe(void *context, int input, uint32_t ref, struct pcie_write *write)
{
    (void)input;
    const struct drive *drive = context;
    const struct ref_pcie_load *load = &drive->system->load[ref];
    *write = (struct pcie_write){.address = load->address,
                                 .bytes = load->bytes,
                                 .cqe_bytes = load->cqe_bytes,
                                 .cqe_address = load->cqe_address,
                                 .kind = PCIE_PAYLOAD_WRITE,
                                 .last_kind = PCIE_CQE_WRITE};
}

static int init_fifo(struct drive *drive, struct fifo *fifo, const struct clk *read_clk)
{
    struct fifo_shape shape = {.name = "loads",
                               .write_clk = &drive->system->user,
                               .read_clk = read_clk,
                               .flops = read_clk == &drive->system->user ? 0 : 2,
                               .return_cyc = 1,
                               .depth = REF_PCIE_LOADS_MAX,
                               .write_bytes = 8,
                               .read_bytes = 8};
    return fifo_init(fifo, &drive->sim, &shape);
}

static int init_deciders(struct drive *drive)
{
    struct pcie *pcie = &drive->pcie;
    pcie->up_decider = sim_add(&drive->sim, decide_up, drive, "pcie up", 1);
    pcie->down_decider = sim_add(&drive->sim, decide_down, drive, "pcie down", 1);
    drive->decider = sim_add(&drive->sim, decide_loads, drive, "loads", 1);
    if (init_fifo(drive, &drive->operations, &drive->system->user) ||
        init_fifo(drive, &drive->writes, &pcie->link_clk) || init_fifo(drive, &drive->cqes, &pcie->link_clk))
        return -1;
    pcie->operations = &drive->operations;
    pcie->write_in[0] = &drive->writes;
    pcie->write_in[1] = &drive->cqes;
    pcie->describe = describe;
    pcie->describe_context = drive;
    for (int i = 0; i < 2; i++) {
        pcie->write_in[i]->read_decider = pcie->up_decider;
        pcie->write_in[i]->reader_wants_tail = 1;
    }
    return drive->decider < 0 ? -1 : 0;
}

static void begin(struct drive *drive)
{
    const struct ref_pcie_system *system = drive->system;
    for (uint32_t i = 0; i < system->loads; i++)
        if (system->load[i].kind == REF_STORE)
            pcie_store(&drive->pcie, clk_edge(&system->user, system->load[i].at_cyc), system->load[i].bytes, i);
    sim_wake(&drive->sim, drive->decider, clk_edge(&system->user, 1));
}

static void read_log(struct drive *drive)
{
    static const enum pcie_kind kind_of[REF_PCIE_KINDS] = {[REF_READ] = PCIE_PAYLOAD_READ,
                                                           [REF_WQE_READ] = PCIE_WQE_READ,
                                                           [REF_WRITE] = PCIE_PAYLOAD_WRITE,
                                                           [REF_CQE] = PCIE_CQE_WRITE,
                                                           [REF_STORE] = PCIE_DOORBELL};
    const struct pcie *pcie = &drive->pcie;
    for (uint32_t i = 0; i < 2 * REF_PCIE_LOADS_MAX; i++) /* reads are never taken over: all are there still */
        if (pcie->read[i].bytes > 0 || pcie->read[i].done_cyc > 0) {
            struct ref_pcie_times *times = &drive->log->times[pcie->read[i].ref];
            times->done_cyc = pcie->read[i].done_cyc;
            times->failed = pcie->read[i].failed;
        }
    for (int d = 0; d < REF_DIRECTIONS; d++)
        for (int k = 0; k < REF_PCIE_KINDS; k++) {
            const struct pcie_count *count = &pcie->count[d][kind_of[k]];
            drive->log->count[d][k] = (struct ref_pcie_count){count->tlps, count->payload_bytes, count->link_bytes};
        }
}

/* Whether everything that was lent is back. */
static const char *check_home(struct drive *drive)
{
    const struct pcie *pcie = &drive->pcie;
    const struct reserve *reserve = &pcie->reserve;
    uint64_t lost = pcie->retire ? pcie->retire->quarantined : 0;
    if (reserve->given + lost != reserve->taken || pcie->request_free_count + lost != (uint64_t)pcie->params->tags)
        return "a tag is gone";
    for (int kind = 0; lost == 0 && kind <= reserve->counts_data; kind++)
        if (reserve->room[kind].given != reserve->room[kind].taken)
            return "completion space is gone";
    for (uint32_t i = 0; i < pcie->request_free_count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (pcie->request_free[i] == pcie->request_free[j])
                return "a tag is free twice";
    return 0;
}

static const char *run(struct drive *drive)
{
    const struct ref_pcie_system *system = drive->system;
    if (pcie_init(&drive->pcie, &drive->sim, &system->params, &system->user, 0, REF_PCIE_LOADS_MAX, REF_PCIE_LOADS_MAX,
                  0, drive->error, sizeof drive->error) ||
        init_deciders(drive))
        return drive->error;
    begin(drive);
    sim_run(&drive->sim, INT64_C(1) << 60);
    read_log(drive);
    return check_home(drive);
}

const char *drive_pcie_run(const struct ref_pcie_system *system, const struct drive_options *options,
                           struct ref_pcie_log *log)
{
    static struct drive drive;
    static char failure[400];
    jmp_buf on_failure;
    memset(&drive, 0, sizeof drive);
    memset(log, 0, sizeof *log);
    drive.system = system;
    drive.log = log;
    drive.checks = options->checks;
    if (sim_init(&drive.sim, system->seed))
        return "out of memory";
    drive.sim.on_failure = &on_failure;
    drive.sim.horizon_off = options->horizon_off;
    drive.sim.spurious_seed = options->spurious_seed;
    const char *wrong = 0;
    if (setjmp(on_failure) == 0)
        wrong = run(&drive);
    else
        wrong = drive.sim.failure;
    if (wrong) {
        snprintf(failure, sizeof failure, "%s", wrong);
        wrong = failure;
    }
    pcie_free(&drive.pcie);
    fifo_free(&drive.operations);
    fifo_free(&drive.writes);
    fifo_free(&drive.cqes);
    sim_free(&drive.sim);
    return wrong;
}
