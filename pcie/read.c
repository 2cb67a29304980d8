/* The DMA engine's read side: cuts operations into requests by MRRS and 4 KiB, one an interval, each with a tag and space
 * reserved for its completions. In order and without a choice, so it is arithmetic as far as tags and space are known (R7). */
#include "pcie/pcie.h"
#include "pcie/tlp.h"

const uint8_t pcie_reads_of[PCIE_KIND_COUNT] = {[PCIE_WQE_READ] = PCIE_WQE_READ,
                                                [PCIE_RECORD_READ] = PCIE_WQE_READ,
                                                [PCIE_CONTEXT_READ] = PCIE_CONTEXT_READ,
                                                [PCIE_RECEIVE_READ] = PCIE_RECEIVE_READ};

uint32_t pcie_read_begin(struct pcie *pcie, enum pcie_kind kind, uint64_t address, uint32_t bytes, uint32_t ref)
{
    space_take(&pcie->reads[pcie_reads_of[kind]], 1);
    uint32_t index = pcie->read_unused[--pcie->read_unused_count];
    pcie->read[index] = (struct pcie_read){.address = address, .bytes = bytes, .ref = ref, .kind = (uint8_t)kind};
    return index;
}

void pcie_read_end(struct pcie *pcie, uint32_t read, int64_t at_cyc)
{
    space_give(&pcie->reads[pcie_reads_of[pcie->read[read].kind]], 1, at_cyc + 1);
    pcie->read_unused[pcie->read_unused_count++] = read;
}

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
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
static inline int64_t wait_for_resources(struct pcie_wait *wait, const struct clk *user, int64_t ready_cyc,
                                         const struct needs *needs, int counts_data)
{
    int64_t latest_ps = clk_edge(user, ready_cyc - 1) - 1, *cause = 0;
    if (needs->tag_ps > latest_ps) {
        latest_ps = needs->tag_ps;
        cause = &wait->tag_cyc;
    }
    for (int kind = 0; kind <= counts_data; kind++)
        if (needs->room_ps[kind] > latest_ps) {
            latest_ps = needs->room_ps[kind];
            cause = &wait->room_cyc[kind];
        }
    if (!cause)
        return ready_cyc;
    int64_t start_cyc = clk_after(user, latest_ps) + 1; /* what came back can be used in the cycle behind its own */
    *cause += start_cyc - ready_cyc;
    return start_cyc;
}

/* One request of the current operation: to be on the link from the user cycle at_cyc on. */
static inline void queue_request(struct pcie *pcie, const struct clk *user, const struct clk *link, int64_t at_cyc,
                                 struct pcie_request what)
{
    model_assert(pcie->sim, pcie->request_free_count > 0, "more requests are under way than there are tags");
    uint32_t index = pcie->request_free[--pcie->request_free_count];
    pcie->request[index] = what;
    pcie->queue[pcie->queue_next++ & pcie->queue_mask] =
        (struct pcie_queued){clk_at_or_after(link, clk_edge(user, at_cyc)), index};
}

/* Queues `count` requests alike, one after the other, that start every read_interval from start_cyc on. */
static __attribute__((noinline)) void queue_requests(struct pcie *pcie, int64_t start_cyc, struct pcie_request what,
                                                     uint32_t count)
{
    const struct clk link = pcie->link_clk, user = *pcie->user_clk; /* copies of their own: kept in registers */
    int64_t at_cyc = start_cyc + pcie->params->read_latency, interval = pcie->params->read_interval;
    for (uint32_t i = 0; i < count; i++) {
        queue_request(pcie, &user, &link, at_cyc, what);
        at_cyc += interval;
        what.address += what.bytes;
    }
}

/* Queues as many of `count` requests alike as tags and space are known for, each when they are there; *start_cyc is when the first
 * is ready, and then when the last one sent starts. Returns how many. */
static inline uint32_t queue_waiting(struct pcie *pcie, int64_t *start_cyc, struct pcie_request what, uint32_t count,
                                     struct needs *needs, int counts_data)
{
    const struct clk link = pcie->link_clk, user = *pcie->user_clk;
    int64_t latency = pcie->params->read_latency, interval = pcie->params->read_interval, ready = *start_cyc;
    uint32_t sent = 0;
    for (; sent < count && look_for(&pcie->reserve, needs, 1, counts_data) != SIM_NEVER; sent++) {
        *start_cyc = wait_for_resources(&pcie->wait[what.kind], &user, ready, needs, counts_data);
        take(&pcie->reserve, needs, 1, counts_data);
        queue_request(pcie, &user, &link, *start_cyc + latency, what);
        what.address += what.bytes;
        ready = *start_cyc + interval;
    }
    return sent;
}

/* The same where nothing but headers can run out, and some were given back before: the usual case, and the leanest loop. */
static __attribute__((noinline)) uint32_t queue_behind_headers(struct pcie *pcie, int64_t *start_cyc,
                                                               struct pcie_request what, uint32_t count, uint32_t units)
{
    const struct clk link = pcie->link_clk, user = *pcie->user_clk;
    struct reserve_room *room = &pcie->reserve.room[RESERVE_HEADERS];
    const struct reserve_return *back = room->back;
    uint64_t need = room->taken + units - room->depth, given = room->given, which = room->first;
    uint64_t mask = pcie->reserve.mask;
    int64_t latency = pcie->params->read_latency, interval = pcie->params->read_interval, ready = *start_cyc;
    int64_t waited = 0;
    uint32_t sent = 0;
    for (; sent < count && need <= given; sent++, need += units) {
        while (back[which & mask].given < need)
            which++;
        int64_t start = clk_after(&user, back[which & mask].at_ps) + 1;
        if (start > ready)
            waited += start - ready;
        *start_cyc = start = max2(start, ready);
        queue_request(pcie, &user, &link, start + latency, what);
        what.address += what.bytes;
        ready = start + interval;
    }
    pcie->wait[what.kind].room_cyc[RESERVE_HEADERS] += waited;
    reserve_take_tags(&pcie->reserve, sent);
    reserve_take_room(&pcie->reserve, RESERVE_HEADERS, sent * units, which);
    return sent;
}

/* The requests of the current operation that are alike: pieces of pcie.mrrs from an aligned address on, or one. */
static uint32_t alike(const struct pcie *pcie, uint32_t bytes)
{
    uint32_t most = (uint32_t)pcie->params->mrrs;
    return bytes == most && (pcie->current_address & (most - 1)) == 0 ? pcie->current_bytes / most : 1;
}

/* The engine goes on with the next place that the operation reads from, as with another operation. */
static __attribute__((noinline, cold)) void next_segment(struct pcie *pcie)
{
    struct pcie_place place =
        pcie->segment_of(pcie->describe_context, 0, pcie->read[pcie->current].ref, pcie->current_segments--);
    pcie->current_address = place.address;
    pcie->current_bytes = place.bytes;
}

/* `count` requests of `bytes` are sent, the last of them in start_cyc. */
static void account(struct pcie *pcie, uint32_t bytes, uint32_t count, int64_t start_cyc)
{
    const struct pcie_params *params = pcie->params;
    struct pcie_read *read = &pcie->read[pcie->current];
    pcie->current_address += count * bytes;
    pcie->current_bytes -= count * bytes;
    int64_t last_busy = pcie->current_bytes > 0 ? params->read_interval : params->operation_interval;
    pcie->issue_work_cyc += (count - 1) * params->read_interval + last_busy;
    pcie->issue_free_cyc = start_cyc + last_busy;
    read->in_flight += count;
    pcie->count[PCIE_UP][read->kind].tlps += count;
    pcie->count[PCIE_UP][read->kind].link_bytes += count * pcie->request_bytes;
    read->sent = (pcie->current_bytes | pcie->current_segments) == 0;
    if (pcie->queue_next - pcie->queue_first == count) { /* the first of them is the link's next */
        pcie->up_wake_cyc = pcie->queue[pcie->queue_first & pcie->queue_mask].at_cyc;
        pcie->up_wake_ps = clk_edge(&pcie->link_clk, pcie->up_wake_cyc);
        sim_wake(pcie->sim, pcie->up_decider, pcie->up_wake_ps);
    }
}

/* Sends the next requests of the current operation, those that are alike, as far as tags and space are known. Returns how many; 0: not
 * decided yet. counts_data, the reserve's, is a constant: each case has code of its own. */
static inline __attribute__((always_inline)) uint32_t send_requests(struct pcie *pcie, int counts_data)
{
    const struct pcie_params *params = pcie->params;
    struct pcie_read *read = &pcie->read[pcie->current];
    struct pcie_request what = {.address = pcie->current_address, .read = pcie->current, .kind = read->kind};
    what.bytes = tlp_piece(pcie->current_address, pcie->current_bytes, (uint32_t)params->mrrs);
    /* all that are alike, as their steps are aligned, too */
    what.full = what.bytes == (uint32_t)params->mrrs && ((what.address | what.bytes) & pcie->full_misaligned) == 0;
    uint32_t count = alike(pcie, what.bytes);
    struct needs needs; /* not all set to 0: that is not free here */
    needs.units[RESERVE_HEADERS] = tlp_blocks(what.address, what.bytes, (uint32_t)params->rcb);
    if (counts_data)
        needs.units[RESERVE_DATA] = tlp_blocks(what.address, what.bytes, TLP_CREDIT_BYTES);
    int64_t start = max2(read->begun_cyc, pcie->issue_free_cyc);
    if (look_for(&pcie->reserve, &needs, count, counts_data) < clk_edge(pcie->user_clk, start - 1)) {
        take(&pcie->reserve, &needs, count, counts_data);
        queue_requests(pcie, start, what, count);
        start += (count - 1) * params->read_interval;
    } else { /* the last of them may have to wait: one by one */
        uint32_t units = needs.units[RESERVE_HEADERS];
        int64_t tags_ps = reserve_tags_when(&pcie->reserve, count);
        if (!counts_data && tags_ps < clk_edge(pcie->user_clk, start - 1) &&
            pcie->reserve.room[RESERVE_HEADERS].taken + units > pcie->reserve.room[RESERVE_HEADERS].depth)
            count = queue_behind_headers(pcie, &start, what, count, units);
        else
            count = queue_waiting(pcie, &start, what, count, &needs, counts_data);
        if (count == 0)
            return 0;
    }
    account(pcie, what.bytes, count, start);
    return count;
}

static void begin_operation(struct pcie *pcie)
{
    struct fifo_slot slot = fifo_take(pcie->operations);
    int64_t from_cyc = max2(slot.tail_cyc, pcie->issue_free_cyc);
    pcie->current = slot.ref;
    pcie->current_address = pcie->read[slot.ref].address;
    pcie->current_bytes = pcie->read[slot.ref].bytes;
    pcie->current_segments = pcie->read[slot.ref].segments;
    pcie->read[slot.ref].begun_cyc = from_cyc;
    pcie->operations_done++;
    fifo_release(pcie->operations, slot.bytes, from_cyc, from_cyc);
}

int pcie_read_run(struct pcie *pcie)
{
    int done = 0;
    for (;;) {
        if (__builtin_expect(pcie->current_segments > 0, 0) && pcie->current_bytes == 0)
            next_segment(pcie);
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
