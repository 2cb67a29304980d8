/* The DMA engine's read side: cuts operations into requests by MRRS and 4 KiB, one an interval, each with a tag and space
 * reserved for its completions. In order and without a choice, so it is arithmetic as far as tags and space are known (R7). */
#include "pcie/pcie.h"
#include "pcie/tlp.h"

uint32_t pcie_read_begin(struct pcie *pcie, enum pcie_kind kind, uint64_t address, uint32_t bytes, uint32_t ref)
{
    space_take(&pcie->reads[kind == PCIE_WQE_READ], 1);
    uint32_t index = pcie->read_unused[--pcie->read_unused_count];
    pcie->read[index] = (struct pcie_read){.address = address, .bytes = bytes, .ref = ref, .kind = (uint8_t)kind};
    return index;
}

void pcie_read_end(struct pcie *pcie, uint32_t read, int64_t at_cyc)
{
    space_give(&pcie->reads[pcie->read[read].kind == PCIE_WQE_READ], 1, at_cyc + 1);
    pcie->read_unused[pcie->read_unused_count++] = read;
}

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The user cycle in which what came back at at_ps can be used again. */
static int64_t usable_cyc(const struct pcie *pcie, int64_t at_ps)
{
    return at_ps == RESERVE_ALREADY ? 0 : clk_after(pcie->user_clk, at_ps) + 1;
}

/* What requests need at the endpoint, and when that comes back. */
struct needs {
    uint32_t units[RESERVE_KINDS]; /* of one request */
    int64_t tag_ps, room_ps[RESERVE_KINDS];
    uint64_t which[RESERVE_KINDS];
};

/* For `count` of them. Returns the latest instant. */
static inline int64_t look_for(const struct reserve *reserve, struct needs *needs, uint32_t count, int counts_data)
{
    needs->tag_ps = reserve_tags_when(reserve, count);
    needs->room_ps[RESERVE_HEADERS] = reserve_room_when(reserve, RESERVE_HEADERS, count * needs->units[RESERVE_HEADERS],
                                                        &needs->which[RESERVE_HEADERS]);
    int64_t latest = max2(needs->tag_ps, needs->room_ps[RESERVE_HEADERS]);
    if (counts_data) {
        needs->room_ps[RESERVE_DATA] =
            reserve_room_when(reserve, RESERVE_DATA, count * needs->units[RESERVE_DATA], &needs->which[RESERVE_DATA]);
        latest = max2(latest, needs->room_ps[RESERVE_DATA]);
    }
    return latest;
}

static inline void take(struct reserve *reserve, const struct needs *needs, uint32_t count, int counts_data)
{
    reserve_take_tags(reserve, count);
    reserve_take_room(reserve, RESERVE_HEADERS, count * needs->units[RESERVE_HEADERS], needs->which[RESERVE_HEADERS]);
    if (counts_data)
        reserve_take_room(reserve, RESERVE_DATA, count * needs->units[RESERVE_DATA], needs->which[RESERVE_DATA]);
}

/* The cycle in which a request that is ready at ready_cyc starts; the wait is the resource's that comes last. */
static int64_t wait_for_resources(struct pcie *pcie, int64_t ready_cyc, const struct needs *needs)
{
    int64_t latest = ready_cyc, at = usable_cyc(pcie, needs->tag_ps), *cause = 0;
    if (at > latest) {
        latest = at;
        cause = &pcie->tag_wait_cyc;
    }
    for (int kind = 0; kind <= pcie->reserve.counts_data; kind++)
        if ((at = usable_cyc(pcie, needs->room_ps[kind])) > latest) {
            latest = at;
            cause = &pcie->room_wait_cyc[kind];
        }
    if (cause)
        *cause += latest - ready_cyc;
    return latest;
}

/* Queues `count` requests of `bytes` each, one after the other, that start every read_interval from start_cyc on. */
static __attribute__((noinline)) void queue_requests(struct pcie *pcie, int64_t start_cyc, uint64_t address,
                                                     uint32_t bytes, uint32_t count)
{
    const struct clk link = pcie->link_clk, user = *pcie->user_clk;
    int64_t at_cyc = start_cyc + pcie->params->read_latency, interval = pcie->params->read_interval;
    uint32_t current = pcie->current, next = pcie->queue_next, unused = pcie->request_free_count;
    uint8_t kind = pcie->read[current].kind;
    /* all of the run, as its steps are aligned, too */
    uint8_t full = bytes == (uint32_t)pcie->params->mrrs && ((address | bytes) & pcie->full_misaligned) == 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = pcie->request_free[--unused];
        struct pcie_request *request = &pcie->request[index];
        request->address = address;
        request->bytes = bytes;
        request->read = current;
        request->kind = kind;
        request->full = full;
        pcie->queue[next++ & pcie->queue_mask] =
            (struct pcie_queued){clk_at_or_after(&link, clk_edge(&user, at_cyc)), index, kind == PCIE_WQE_READ};
        at_cyc += interval;
        address += bytes;
    }
    pcie->queue_next = next;
    pcie->request_free_count = unused;
}

/* Sends the next requests of the current operation: all of the same size when nothing keeps them waiting, else one. Returns how
 * many; 0: a tag or space is not decided yet. counts_data, the reserve's, is a constant: each case has code of its own. */
static inline __attribute__((always_inline)) uint32_t send_requests(struct pcie *pcie, int counts_data)
{
    const struct pcie_params *params = pcie->params;
    struct pcie_read *read = &pcie->read[pcie->current];
    uint32_t most = (uint32_t)params->mrrs, bytes = tlp_piece(pcie->current_address, pcie->current_bytes, most);
    uint32_t count = 1;
    if (bytes == most && (pcie->current_address & (most - 1)) == 0)
        count = pcie->current_bytes / most;
    struct needs needs; /* not all set to 0: that is not free here */
    needs.units[RESERVE_HEADERS] = tlp_blocks(pcie->current_address, bytes, (uint32_t)params->rcb);
    if (counts_data)
        needs.units[RESERVE_DATA] = tlp_blocks(pcie->current_address, bytes, TLP_CREDIT_BYTES);
    int64_t ready = max2(read->begun_cyc, pcie->issue_free_cyc), start = ready;
    if (look_for(&pcie->reserve, &needs, count, counts_data) >=
        clk_edge(pcie->user_clk, ready - 1)) { /* the last of them may have to wait: one at a time */
        count = 1;
        if (look_for(&pcie->reserve, &needs, count, counts_data) == SIM_NEVER)
            return 0;
        start = wait_for_resources(pcie, ready, &needs);
    }
    take(&pcie->reserve, &needs, count, counts_data);
    queue_requests(pcie, start, pcie->current_address, bytes, count);
    pcie->current_address += count * bytes;
    pcie->current_bytes -= count * bytes;
    int64_t busy = (count - 1) * params->read_interval +
                   (pcie->current_bytes > 0 ? params->read_interval : params->operation_interval);
    pcie->issue_work_cyc += busy;
    pcie->issue_free_cyc = start + busy;
    read->in_flight += count;
    read->sent = pcie->current_bytes == 0;
    if (pcie->queue_next - pcie->queue_first == count) { /* the first of them is the link's next */
        pcie->up_wake_cyc = pcie->queue[pcie->queue_first & pcie->queue_mask].at_cyc;
        pcie->up_wake_ps = clk_edge(&pcie->link_clk, pcie->up_wake_cyc);
        sim_wake(pcie->sim, pcie->up_decider, pcie->up_wake_ps);
    }
    return count;
}

static void begin_operation(struct pcie *pcie)
{
    struct fifo_slot slot = fifo_take(pcie->operations);
    int64_t from_cyc = max2(slot.tail_cyc, pcie->issue_free_cyc);
    pcie->current = slot.ref;
    pcie->current_address = pcie->read[slot.ref].address;
    pcie->current_bytes = pcie->read[slot.ref].bytes;
    pcie->read[slot.ref].begun_cyc = from_cyc;
    pcie->operations_done++;
    fifo_release(pcie->operations, slot.bytes, from_cyc, from_cyc);
}

int pcie_read_run(struct pcie *pcie)
{
    int done = 0;
    for (;;) {
        if (pcie->current_bytes == 0) {
            if (fifo_empty(pcie->operations))
                return done;
            begin_operation(pcie);
            struct pcie_read *read = &pcie->read[pcie->current];
            if (pcie->current_bytes == 0) { /* nothing to read: done at once, in its turn */
                pcie->issue_free_cyc = read->begun_cyc + pcie->params->operation_interval;
                read->done_cyc = read->begun_cyc + pcie->params->read_latency;
                done = 1;
                continue;
            }
        }
        if ((pcie->reserve.counts_data ? send_requests(pcie, 1) : send_requests(pcie, 0)) == 0)
            return done;
    }
}
