#include "system/pciebench.h"

#include <stdio.h>
#include <string.h>

#define WARM_UP 2000 /* transactions before a bandwidth is counted */

enum { TO_HOST, FROM_HOST };

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int is_latency(const struct pciebench *bench)
{
    return bench->options.test <= PCIEBENCH_LAT_WRRD;
}

/* ---- commands ---- */

static uint64_t random_address(const struct pciebench *bench, uint64_t number)
{
    const struct pciebench_options *o = &bench->options;
    uint64_t unit = (o->bytes + o->offset + 63) / 64 * 64, units = o->window_bytes / unit, address;
    uint64_t attempt = 0;
    do {
        address = rnd_draw(bench->stream, number, attempt++) % units * unit + o->offset;
    } while (TLP_PAGE_BYTES - (address & (TLP_PAGE_BYTES - 1)) < o->bytes);
    return address;
}

/* The worker's DMA goes to its engine, which passes it on when it is free. */
static void command(struct pciebench *bench, uint32_t index, int64_t at_ps)
{
    struct pciebench_worker *worker = &bench->worker[index];
    struct pciebench_engine *engine = &bench->engine[worker->reads];
    int64_t start_ps = max2(at_ps + NFP6000_COMMAND_PS, max2(engine->free_ps, bench->shared_free_ps));
    if (!worker->reads &&
        bench->writes_begun++ >= NFP6000_WORKERS) /* that one is told: its thread, or another, is back */
        start_ps = max2(start_ps, bench->drained_ps[(bench->writes_begun - 1) % NFP6000_WORKERS]);
    engine->free_ps = start_ps + engine->busy_ps;
    bench->shared_free_ps = start_ps + bench->shared_ps;
    int64_t cyc = clk_at_or_after(&bench->user_clk, start_ps + engine->before_ps);
    if (!worker->reads) {
        fifo_push(&bench->writes, cyc, cyc + 1, cyc + 1, bench->options.bytes, index);
        return;
    }
    uint32_t read = pcie_read_begin(&bench->pcie, PCIE_PAYLOAD_READ, worker->address, bench->options.bytes, index);
    fifo_push(&bench->operations, cyc, cyc + 1, cyc + 1, bench->options.bytes, read);
    pcie_read_run(&bench->pcie);
}

/* The worker is free: its next DMA, if there are any left. */
static void begin(struct pciebench *bench, uint32_t index, int64_t at_ps)
{
    struct pciebench_worker *worker = &bench->worker[index];
    enum pciebench_test test = bench->options.test;
    if (test == PCIEBENCH_LAT_WRRD && worker->begin_ps != 0 && !worker->reads) { /* the second half */
        worker->reads = 1;
        command(bench, index, at_ps);
        return;
    }
    uint64_t number = bench->begun++;
    worker->begin_ps = at_ps;
    worker->address = random_address(bench, number);
    worker->reads = test == PCIEBENCH_LAT_RD || test == PCIEBENCH_BW_RD || (test == PCIEBENCH_BW_RDWR && number % 2);
    command(bench, index, at_ps);
}

static int64_t decide_workers(void *self, int64_t now)
{
    struct pciebench *bench = self;
    const struct agenda_entry *first;
    while ((first = agenda_first(&bench->ready)) != 0 && agenda_at(first) <= now) {
        uint32_t index = (uint32_t)first->ref;
        agenda_drop_first(&bench->ready);
        begin(bench, index, now);
    }
    return first ? agenda_at(first) : SIM_NEVER;
}

static void ready(struct pciebench *bench, uint32_t index, int64_t at_ps)
{
    model_assert(&bench->sim, agenda_put(&bench->ready, at_ps, 0, index) == 0, "out of memory");
    if (at_ps > bench->sim.now)
        sim_wake(&bench->sim, bench->decider, at_ps);
}

/* ---- signals ---- */

static int64_t stamp(int64_t at_ps)
{
    return at_ps * NFP6000_STAMP_DEN / NFP6000_STAMP_NUM;
}

static void note_latency(struct pciebench *bench, const struct pciebench_worker *worker, int64_t at_ps)
{
    int64_t stamps = stamp(at_ps) - stamp(worker->begin_ps);
    model_assert(&bench->sim, hist_add(bench->latency, stamps * NFP6000_STAMP_NUM / NFP6000_STAMP_DEN) == 0,
                 "out of memory");
    model_assert(&bench->sim, !bench->exact || hist_add(bench->exact, at_ps - worker->begin_ps) == 0, "out of memory");
}

/* The worker's DMA is signalled at at_ps. */
static void signal(struct pciebench *bench, uint32_t index, int64_t at_ps)
{
    const struct pciebench_worker *worker = &bench->worker[index];
    if (bench->options.test == PCIEBENCH_LAT_WRRD && !worker->reads) {
        ready(bench, index, at_ps);
        return;
    }
    int64_t again_ps = at_ps + NFP6000_WORKER_PS;
    if (is_latency(bench)) {
        note_latency(bench, worker, at_ps);
        /* the loop is no multiple of a stamp: its phase drifts */
        again_ps = at_ps + NFP6000_LOOP_PS + (int64_t)(rnd_draw(bench->stream, bench->done, UINT64_MAX) % 13333);
    }
    bench->done++;
    if (bench->done == bench->first_done)
        bench->first_done_ps = at_ps;
    bench->last_done_ps = at_ps;
    if (bench->done >= bench->first_done + bench->options.samples)
        bench->sim.stop = 1;
    ready(bench, index, again_ps);
}

static int64_t decide_down(void *self, int64_t now)
{
    struct pciebench *bench = self;
    int64_t horizon = sim_horizon(&bench->sim, bench->pcie.down_decider), wake_at;
    (void)now;
    for (;;) {
        struct pcie_down down = pcie_down_next(&bench->pcie, horizon, &wake_at);
        if (down.event == PCIE_DOWN_NOTHING)
            break;
        uint32_t index = bench->pcie.read[down.ref].ref;
        pcie_read_end(&bench->pcie, down.ref, down.at_cyc);
        signal(bench, index, clk_edge(&bench->user_clk, down.at_cyc) + bench->engine[FROM_HOST].after_ps);
    }
    pcie_read_run(&bench->pcie);
    return wake_at;
}

static int64_t decide_up(void *self, int64_t now)
{
    struct pciebench *bench = self;
    pcie_up_begin(&bench->pcie, now, sim_horizon(&bench->sim, bench->pcie.up_decider));
    for (;;) {
        int64_t wake_at;
        struct pcie_up up;
        if (!pcie_up_next(&bench->pcie, &up, &wake_at))
            return wake_at;
        bench->drained_ps[bench->writes_drained++ % NFP6000_WORKERS] =
            up.drained_at_ps + bench->params.link_latency; /* when its credits are back */
        signal(bench, up.ref, up.sent_at_ps + bench->engine[TO_HOST].after_ps);
    }
}

static void describe(void *context, int input, uint32_t ref, struct pcie_write *write)
{
    const struct pciebench *bench = context;
    (void)input;
    *write = (struct pcie_write){
        .address = bench->worker[ref].address, .bytes = bench->options.bytes, .kind = PCIE_PAYLOAD_WRITE};
}

/* ---- building ---- */

static int init_fifo(struct pciebench *bench, struct fifo *fifo, const char *name, const struct clk *read_clk)
{
    struct fifo_shape shape = {.name = name,
                               .write_clk = &bench->user_clk,
                               .read_clk = read_clk,
                               .flops = read_clk == &bench->user_clk ? 0 : 2,
                               .return_cyc = 1,
                               .depth = 2 * NFP6000_WORKERS,
                               .write_bytes = 8,
                               .read_bytes = 8};
    return fifo_init(fifo, &bench->sim, &shape);
}

static int init_deciders(struct pciebench *bench)
{
    struct pcie *pcie = &bench->pcie;
    pcie->up_decider = sim_add(&bench->sim, decide_up, bench, "pcie up", 1);
    pcie->down_decider = sim_add(&bench->sim, decide_down, bench, "pcie down", 1);
    bench->decider = sim_add(&bench->sim, decide_workers, bench, "workers", 1);
    if (init_fifo(bench, &bench->operations, "operations", &bench->user_clk) ||
        init_fifo(bench, &bench->writes, "writes", &pcie->link_clk) ||
        init_fifo(bench, &bench->cqes, "no CQEs", &pcie->link_clk))
        return -1;
    pcie->operations = &bench->operations;
    pcie->write_in[0] = &bench->writes;
    pcie->write_in[1] = &bench->cqes;
    pcie->describe = describe;
    pcie->describe_context = bench;
    for (int i = 0; i < 2; i++) {
        pcie->write_in[i]->read_decider = pcie->up_decider;
        pcie->write_in[i]->reader_wants_tail = 1;
    }
    return bench->decider < 0 ? -1 : 0;
}

static void init_engines(struct pciebench *bench)
{
    struct nfp6000_times times = nfp6000_times(&bench->params, root_typical_read_ps(&bench->pcie.root),
                                               bench->options.bytes, bench->options.offset % 64);
    bench->engine[FROM_HOST] = (struct pciebench_engine){0, times.read_ps, 0, times.read_after_ps};
    bench->engine[TO_HOST] = (struct pciebench_engine){0, times.write_ps, times.write_before_ps, times.write_after_ps};
    bench->shared_ps = times.shared_ps;
}

int pciebench_init(struct pciebench *bench, const struct pcie_params *host, const struct pciebench_options *options,
                   struct hist *latency, struct hist *exact, jmp_buf *on_failure, char *error, size_t error_bytes)
{
    memset(bench, 0, sizeof *bench);
    bench->params = *host;
    bench->options = *options;
    bench->latency = latency;
    bench->exact = exact;
    nfp6000_params(&bench->params);
    snprintf(error, error_bytes, "out of memory");
    if (sim_init(&bench->sim, options->seed))
        return -1;
    bench->sim.on_failure = on_failure;
    bench->stream = rnd_stream(options->seed, 1);
    if (clk_init(&bench->user_clk, 2500, 3, 0) || pcie_init(&bench->pcie, &bench->sim, &bench->params, &bench->user_clk,
                                                            0, 2 * NFP6000_WORKERS, 1, 0, error, error_bytes))
        return -1;
    snprintf(error, error_bytes, "out of memory");
    if (root_set_window(&bench->pcie.root, options->window_bytes, options->cold) || init_deciders(bench) ||
        agenda_init(&bench->ready, 128))
        return -1;
    init_engines(bench);
    bench->first_done = is_latency(bench) ? 0 : WARM_UP;
    uint32_t workers = is_latency(bench) ? 1 : NFP6000_WORKERS;
    for (uint32_t i = 0; i < workers; i++)
        ready(bench, i, 1000000 + 1000 * (int64_t)i);
    return 0;
}

void pciebench_run(struct pciebench *bench)
{
    sim_run(&bench->sim, INT64_C(1) << 62);
}

void pciebench_free(struct pciebench *bench)
{
    pcie_free(&bench->pcie);
    fifo_free(&bench->operations);
    fifo_free(&bench->writes);
    fifo_free(&bench->cqes);
    agenda_free(&bench->ready);
    sim_free(&bench->sim);
}

uint64_t pciebench_transactions(const struct pciebench *bench)
{
    uint64_t counted = bench->done - bench->first_done;
    return bench->options.test == PCIEBENCH_BW_RDWR ? counted / 2 : counted;
}

int64_t pciebench_took_ps(const struct pciebench *bench)
{
    return bench->last_done_ps - bench->first_done_ps;
}
