/* Lookups, fetches and write-backs: see context.h. Who asks for what: context_ask.c. */
#include "nic/context.h"

#include "nic/context_ask.h"
#include "nic/rnic.h"

#include <stdio.h>
#include <stdlib.h>

#define DESCRIPTOR_BYTES 1u
#define CONTEXT_ENTITY (UINT64_C(3) << 40) /* of the random streams, beside the NIC's own */

/* Tables in host memory, apart from all else: of each kind, of each level. A key's low part is its index. */
#define KIND_SHIFT 59
#define LEVEL_SHIFT 57

/* ---- init ---- */

struct shape {
    int64_t entries, ways, replacement, bytes, misses;
};

static struct shape shape_of(const struct nic_params *p, enum context_kind kind)
{
    switch (kind) {
    case CONTEXT_QPC:
        return (struct shape){p->qpc_entries, p->qpc_ways, p->qpc_replacement, p->qpc_bytes, p->qpc_misses};
    case CONTEXT_CQC:
        return (struct shape){p->cqc_entries, p->cqc_ways, p->cqc_replacement, p->cqc_bytes, p->cqc_misses};
    case CONTEXT_EQC:
        return (struct shape){p->eqc_entries, p->eqc_ways, p->eqc_replacement, p->eqc_bytes, p->eqc_misses};
    case CONTEXT_SRQC:
        return (struct shape){p->srqc_entries, p->srqc_ways, p->srqc_replacement, p->srqc_bytes, p->srqc_misses};
    case CONTEXT_RQE:
        return (struct shape){p->rqe_entries, p->rqe_ways, p->rqe_replacement, p->rqe_bytes, p->rqe_misses};
    case CONTEXT_MPT:
        return (struct shape){p->mpt_entries, p->mpt_ways, p->mpt_replacement, p->mpt_bytes, p->mpt_misses};
    default:
        return (struct shape){p->mtt_entries, p->mtt_ways, p->mtt_replacement, p->mtt_bytes, p->mtt_misses};
    }
}

const char *const context_name[CONTEXT_KINDS] = {"qpc", "cqc", "eqc", "srqc", "mpt", "mtt", "rqe"};

static int init_table(struct rnic *rnic, enum context_kind kind, char *error, size_t error_bytes)
{
    struct context_table *table = &rnic->contexts.table[kind];
    struct shape shape = shape_of(rnic->params, kind);
    *table = (struct context_table){.on = shape.entries > 0,
                                    .bytes = (uint32_t)shape.bytes,
                                    .fetches_most = (uint32_t)shape.misses,
                                    .waits_first = CONTEXT_NONE};
    if (!table->on)
        return 0;
    enum context_replacement replacement = (enum context_replacement)shape.replacement;
    const char *wrong = context_cache_wrong(shape.entries, shape.ways, replacement);
    if (wrong) {
        snprintf(error, error_bytes, "nic.%s_entries = %lld, nic.%s_ways = %lld: %s", context_name[kind],
                 (long long)shape.entries, context_name[kind], (long long)shape.ways, wrong);
        return -1;
    }
    rnic->contexts.on = 1;
    snprintf(error, error_bytes, "out of memory");
    return context_cache_init(
        &table->cache, (uint32_t)shape.entries, (uint32_t)shape.ways, replacement,
        rnd_stream(rnic->sim->seed, rnic->setup.entity + CONTEXT_ENTITY + ((uint64_t)kind << 32)));
}

int context_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    struct contexts *contexts = &rnic->contexts;
    uint32_t fetches = 0;
    contexts->on = rnic->lookup.on;
    for (int kind = 0; kind < CONTEXT_KINDS; kind++) {
        if (init_table(rnic, (enum context_kind)kind, error, error_bytes))
            return -1;
        fetches += contexts->table[kind].on ? contexts->table[kind].fetches_most : 0;
    }
    if (!contexts->on)
        return 0;
    while (INT64_C(1) << contexts->page_shift < rnic->params->mtt_page)
        contexts->page_shift++;
    snprintf(error, error_bytes, "out of memory");
    fetches = fetches > 0 ? fetches : 1;
    return pool_init(&contexts->requests, sizeof(struct context_request), 64) ||
                   pool_init(&contexts->fetches, sizeof(struct context_fetch), fetches) ||
                   heap_init(&contexts->arrived, fetches) || heap_init(&contexts->again, 64) ||
                   pcie_more_reads(&rnic->pcie, PCIE_CONTEXT_READ, fetches)
               ? -1
               : 0;
}

int context_open_writes(struct rnic *rnic)
{
    struct fifo *writes = &rnic->contexts.writes;
    struct fifo_shape shape = {.name = "context_writes",
                               .depth = (uint32_t)rnic->params->context_writes,
                               .write_clk = &rnic->user_clk,
                               .read_clk = &rnic->pcie.link_clk,
                               .flops = 1,
                               .return_cyc = 1,
                               .write_bytes = (uint32_t)rnic->params->port_width / 8,
                               .read_bytes = (uint32_t)rnic->params->port_width / 8};
    if (rnic->pcie.has_updates)
        return 0;
    if (fifo_init(writes, rnic->sim, &shape))
        return -1;
    writes->write_decider = rnic->scheduler;
    writes->read_decider = rnic->pcie.up_decider;
    writes->reader_wants_tail = 1;
    rnic->pcie.write_in[PCIE_IN_UPDATE - 1] = writes;
    rnic->pcie.has_updates = 1;
    return 0;
}

int context_join(struct rnic *rnic)
{
    struct contexts *contexts = &rnic->contexts;
    if (!contexts->on)
        return 0;
    contexts->look_mask = rnic->path[RNIC_RX].end.mask;
    contexts->look = malloc(((size_t)contexts->look_mask + 1) * sizeof *contexts->look);
    return contexts->look ? context_open_writes(rnic) : -1;
}

void context_free(struct rnic *rnic)
{
    struct contexts *contexts = &rnic->contexts;
    for (int kind = 0; kind < CONTEXT_KINDS; kind++)
        context_cache_free(&contexts->table[kind].cache);
    pool_free(&contexts->requests);
    pool_free(&contexts->fetches);
    heap_free(&contexts->arrived);
    heap_free(&contexts->again);
    fifo_free(&contexts->writes);
    free(contexts->look);
}

/* ---- fetches ---- */

static uint64_t address_of(const struct rnic *rnic, enum context_kind kind, uint64_t key)
{
    uint64_t level = key >> CONTEXT_LEVEL_SHIFT, index = key & ((UINT64_C(1) << CONTEXT_LEVEL_SHIFT) - 1);
    return PCIE_CONTEXTS_ADDRESS + ((uint64_t)kind << KIND_SHIFT) + (level << LEVEL_SHIFT) +
           index * rnic->contexts.table[kind].bytes;
}

/* What is changed by its use. */
static int is_changed(enum context_kind kind)
{
    return kind == CONTEXT_QPC || kind == CONTEXT_CQC || kind == CONTEXT_SRQC;
}

/* In the FIFO of what is written back: the kind in the lowest bits, behind it the index, which is far below 2^29. */
#define KIND_BITS 2
#define KIND_MASK ((1u << KIND_BITS) - 1)
static const enum context_kind changed_kind[KIND_MASK + 1] = {CONTEXT_QPC, CONTEXT_CQC, CONTEXT_SRQC};

static void write_back(struct rnic *rnic, enum context_kind kind, uint64_t key, int64_t now_cyc)
{
    uint32_t low = 0;
    while (changed_kind[low] != kind)
        low++;
    rnic->contexts.table[kind].written_back++;
    rnic_forward(&rnic->contexts.writes, now_cyc, DESCRIPTOR_BYTES, (uint32_t)key << KIND_BITS | low);
}

void context_describe(const struct rnic *rnic, uint32_t ref, struct pcie_write *write)
{
    enum context_kind kind = changed_kind[ref & KIND_MASK];
    *write = (struct pcie_write){.address = address_of(rnic, kind, ref >> KIND_BITS),
                                 .bytes = rnic->contexts.table[kind].bytes,
                                 .kind = PCIE_CONTEXT_WRITE};
}

/* Whether the FIFO takes a descriptor now; else its reader wakes the scheduler, or it is known when: *again_cyc. */
static int has_space(struct fifo *fifo, int64_t now_cyc, int64_t *again_cyc)
{
    int64_t space_at = fifo_space_at(fifo, DESCRIPTOR_BYTES);
    if (space_at <= now_cyc)
        return 1;
    if (space_at == SIM_NEVER)
        fifo->writer_waits = 1;
    else if (space_at < *again_cyc)
        *again_cyc = space_at;
    return 0;
}

static int can_fetch(struct rnic *rnic, struct context_table *table, uint64_t key, int64_t now_cyc, int64_t *again_cyc)
{
    return table->fetches < table->fetches_most &&
           (!context_cache_victim(&table->cache, key).dirty || has_space(&rnic->contexts.writes, now_cyc, again_cyc)) &&
           has_space(path_entry(&rnic->path[RNIC_SCHED]), now_cyc, again_cyc);
}

static void wait_for(struct contexts *contexts, uint32_t fetch, uint32_t request)
{
    struct context_fetch *on = context_fetch_at(contexts, fetch);
    context_request_at(contexts, request)->next = CONTEXT_NONE;
    if (on->first == CONTEXT_NONE)
        on->first = request;
    else
        context_request_at(contexts, on->last)->next = request;
    on->last = request;
}

static void fetch(struct rnic *rnic, enum context_kind kind, uint64_t key, uint32_t request, int64_t now_cyc)
{
    struct contexts *contexts = &rnic->contexts;
    struct context_table *table = &contexts->table[kind];
    struct context_evicted evicted;
    int is_hit;
    uint32_t entry = context_cache_access(&table->cache, key, &is_hit, &evicted);
    uint32_t index = pool_take(&contexts->fetches);
    model_assert(rnic->sim, index != POOL_NONE, "out of memory");
    *context_fetch_at(contexts, index) = (struct context_fetch){
        .key = key, .begun_cyc = now_cyc, .entry = entry, .kind = (uint8_t)kind, .first = CONTEXT_NONE};
    table->cache.entry[entry].fetch = index;
    table->cache.entry[entry].dirty = (uint8_t)is_changed(kind);
    table->fetches++;
    table->fetched++;
    wait_for(contexts, index, request);
    if (evicted.dirty)
        write_back(rnic, kind, evicted.key, now_cyc);
    uint32_t read = pcie_read_begin(&rnic->pcie, PCIE_CONTEXT_READ, address_of(rnic, kind, key), table->bytes, index);
    rnic_forward(path_entry(&rnic->path[RNIC_SCHED]), now_cyc, DESCRIPTOR_BYTES, read);
    rnic_run_reads(rnic);
}

void context_arrived(struct rnic *rnic, uint32_t read, int64_t at_cyc)
{
    struct contexts *contexts = &rnic->contexts;
    uint32_t index = rnic->pcie.read[read].ref;
    struct context_fetch *fetch = context_fetch_at(contexts, index);
    fetch->failed = rnic->pcie.read[read].failed;
    contexts->table[fetch->kind].failed += fetch->failed;
    pcie_read_end(&rnic->pcie, read, at_cyc);
    model_assert(rnic->sim, heap_put(&contexts->arrived, at_cyc + 1, contexts->arrivals++, index) == 0,
                 "out of memory");
    sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, at_cyc + 1));
}

/* ---- a request goes on ---- */

static void look_again(struct rnic *rnic, uint32_t request, int64_t cyc)
{
    struct contexts *contexts = &rnic->contexts;
    model_assert(rnic->sim, heap_put(&contexts->again, cyc, contexts->agains++, request) == 0, "out of memory");
    sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, cyc));
}

static int has_port(const struct rnic *rnic, const struct context_table *table, int64_t now_cyc)
{
    return table->port_cyc != now_cyc || table->ports_used < rnic->params->context_ports;
}

static void use_port(struct context_table *table, int64_t now_cyc)
{
    if (table->port_cyc != now_cyc)
        table->ports_used = 0;
    table->port_cyc = now_cyc;
    table->ports_used++;
}

static void wait_for_fetch(struct contexts *contexts, struct context_table *table, uint32_t request, int64_t now_cyc)
{
    context_request_at(contexts, request)->since_cyc = now_cyc;
    context_request_at(contexts, request)->next = CONTEXT_NONE;
    if (table->waits_first == CONTEXT_NONE)
        table->waits_first = request;
    else
        context_request_at(contexts, table->waits_last)->next = request;
    table->waits_last = request;
}

void context_touch(struct context_table *table, enum context_kind kind, uint32_t entry)
{
    struct context_evicted evicted;
    int is_hit;
    context_cache_access(&table->cache, table->cache.entry[entry].key, &is_hit, &evicted);
    table->cache.entry[entry].dirty |= (uint8_t)is_changed(kind);
}

int context_go_on(struct rnic *rnic, uint32_t index, int64_t now_cyc, int may_fetch)
{
    struct contexts *contexts = &rnic->contexts;
    struct context_request *request = context_request_at(contexts, index);
    while (request->wants) {
        enum context_kind kind = context_next_kind(request);
        struct context_table *table = &contexts->table[kind];
        uint64_t key = context_next_key(rnic, request);
        uint32_t entry = context_cache_find(&table->cache, key);
        int64_t again_cyc = SIM_NEVER;
        if (!has_port(rnic, table, now_cyc) || (entry == CONTEXT_CACHE_NONE && !may_fetch)) {
            table->port_waits += (uint64_t)!has_port(rnic, table, now_cyc);
            look_again(rnic, index, now_cyc + 1);
            return 0;
        }
        if (entry == CONTEXT_CACHE_NONE &&
            (table->waits_first != CONTEXT_NONE || !can_fetch(rnic, table, key, now_cyc, &again_cyc))) {
            wait_for_fetch(contexts, table, index, now_cyc);
            if (again_cyc != SIM_NEVER)
                sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, again_cyc));
            return 0;
        }
        use_port(table, now_cyc);
        if (entry == CONTEXT_CACHE_NONE) {
            fetch(rnic, kind, key, index, now_cyc);
            return 0;
        }
        context_touch(table, kind, entry);
        if (table->cache.entry[entry].fetch != CONTEXT_CACHE_NONE) {
            table->joined++;
            wait_for(contexts, table->cache.entry[entry].fetch, index);
            return 0;
        }
        context_advance(request);
    }
    return 1;
}

static void go_on(struct rnic *rnic, uint32_t request, int64_t now_cyc)
{
    if (context_go_on(rnic, request, now_cyc, 1))
        context_complete(rnic, request, now_cyc);
}

/* A fetch is over: those who wait for it go on. */
static void finish_fetch(struct rnic *rnic, uint32_t index, int64_t now_cyc)
{
    struct contexts *contexts = &rnic->contexts;
    struct context_fetch fetch = *context_fetch_at(contexts, index);
    struct context_table *table = &contexts->table[fetch.kind];
    if (table->cache.entry[fetch.entry].fetch == index) /* else it was thrown out before it came */
        table->cache.entry[fetch.entry].fetch = CONTEXT_CACHE_NONE;
    pool_give(&contexts->fetches, index);
    table->fetches--;
    table->fetch_cyc += now_cyc - fetch.begun_cyc;
    for (uint32_t i = fetch.first, next; i != CONTEXT_NONE; i = next) {
        struct context_request *request = context_request_at(contexts, i);
        next = request->next;
        request->failed |= fetch.failed;
        request->misses++;
        request->block_missed |= fetch.kind == CONTEXT_RQE;
        context_advance(request);
        if (request->failed)
            request->wants = 0;
        go_on(rnic, i, now_cyc);
    }
}

/* Those who wait for a fetch of this kind, in order. Returns when to come again. */
static int64_t run_waits(struct rnic *rnic, struct context_table *table, int64_t now_cyc)
{
    struct contexts *contexts = &rnic->contexts;
    int64_t again_cyc = SIM_NEVER;
    while (table->waits_first != CONTEXT_NONE) {
        uint32_t first = table->waits_first;
        struct context_request *request = context_request_at(contexts, first);
        uint64_t key = context_next_key(rnic, request);
        if (context_cache_find(&table->cache, key) == CONTEXT_CACHE_NONE &&
            !can_fetch(rnic, table, key, now_cyc, &again_cyc))
            return again_cyc;
        if (!has_port(rnic, table, now_cyc))
            return now_cyc + 1;
        table->wait_cyc += now_cyc - request->since_cyc;
        uint32_t others = request->next, last = table->waits_last;
        table->waits_first = CONTEXT_NONE; /* the way is free for it */
        go_on(rnic, first, now_cyc);
        if (others == CONTEXT_NONE)
            continue;
        if (table->waits_first == CONTEXT_NONE)
            table->waits_first = others;
        else /* it waits for its next page: before the others still */
            context_request_at(contexts, first)->next = others;
        table->waits_last = last;
    }
    return again_cyc;
}

int64_t context_run(struct rnic *rnic, int64_t now_cyc)
{
    struct contexts *contexts = &rnic->contexts;
    const struct heap_entry *first;
    while ((first = heap_first(&contexts->arrived)) != 0 && first->at <= now_cyc)
        finish_fetch(rnic, (uint32_t)heap_take(&contexts->arrived).ref, now_cyc);
    while ((first = heap_first(&contexts->again)) != 0 && first->at <= now_cyc)
        go_on(rnic, (uint32_t)heap_take(&contexts->again).ref, now_cyc);
    int64_t next_cyc = SIM_NEVER;
    for (int kind = 0; kind < CONTEXT_KINDS; kind++) {
        int64_t again_cyc = run_waits(rnic, &contexts->table[kind], now_cyc);
        next_cyc = again_cyc < next_cyc ? again_cyc : next_cyc;
    }
    if ((first = heap_first(&contexts->arrived)) != 0 && first->at < next_cyc)
        next_cyc = first->at;
    if ((first = heap_first(&contexts->again)) != 0 && first->at < next_cyc)
        next_cyc = first->at;
    int64_t lookup_cyc = rnic->lookup.on ? lookup_run(rnic, now_cyc) : SIM_NEVER;
    return lookup_cyc < next_cyc ? lookup_cyc : next_cyc;
}
