/* The link towards the host: one TLP at a time, round robin over reads, payload writes and CQE writes. */
#include "pcie/pcie.h"
#include "pcie/tlp.h"

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The first link cycle at which an input has a TLP. */
static int64_t waiting_at(const struct pcie *pcie, int input)
{
    if (input == PCIE_IN_READ) {
        if (pcie->queue_first == pcie->queue_next)
            return SIM_NEVER;
        return pcie->queue[pcie->queue_first & pcie->queue_mask].at_cyc;
    }
    if (pcie->writing[input - 1].active)
        return pcie->writing[input - 1].start_cyc;
    const struct fifo *in = pcie->write_in[input - 1];
    return fifo_empty(in) ? SIM_NEVER : fifo_front(in)->tail_cyc;
}

/* Books `tlps` TLPs of payload_bytes each from start_cyc on. */
static void send(struct pcie *pcie, enum pcie_kind kind, uint32_t tlps, uint32_t payload_bytes, int64_t start_cyc)
{
    uint32_t bytes = TLP_REQUEST_BYTES + payload_bytes;
    int64_t took = tlps * pcie_occupancy_cyc(pcie, payload_bytes, bytes);
    struct pcie_count *count = &pcie->count[PCIE_UP][kind];
    count->tlps += tlps;
    count->payload_bytes += tlps * payload_bytes;
    count->link_bytes += tlps * bytes;
    pcie->up_work_cyc += took;
    pcie->up_free_cyc = start_cyc + took;
}

/* Read requests go to the host, which has the data after its memory's latency: from start_cyc on, as many as start by last_cyc.
 * Each takes the same time on the link: its header, or a beat of the user interface. to_plain_host, the root's, is a constant: each case
 * has code of its own. */
static inline __attribute__((always_inline)) void send_reads(struct pcie *pcie, int64_t start_cyc, int64_t last_cyc,
                                                             int to_plain_host)
{
    const struct clk link = pcie->link_clk; /* a copy of its own: kept in registers */
    const int64_t written = pcie->root.visible_ps;
    int64_t took = pcie_occupancy_cyc(pcie, 0, TLP_REQUEST_BYTES), latency = pcie->params->link_latency, free_cyc;
    uint32_t next = pcie->queue_first, end = pcie->queue_next, mask = pcie->queue_mask;
    uint32_t wqes = 0, first = next;
    const struct pcie_queued *queued = &pcie->queue[next & mask];
    do {
        free_cyc = start_cyc + took;
        const struct pcie_request *request = &pcie->request[queued->request];
        int64_t at = clk_edge(&link, free_cyc) + latency;
        int64_t ready = to_plain_host ? root_read_plain(&pcie->root, max2(at, written))
                                      : root_read_all(&pcie->root, at, request->address, request->bytes);
        model_assert(pcie->sim, agenda_put(&pcie->at_host, ready, 0, queued->request) == 0, "out of memory");
        wqes += queued->is_wqe;
        if (++next == end)
            break;
        queued = &pcie->queue[next & mask];
        start_cyc = max2(free_cyc, queued->at_cyc);
    } while (start_cyc <= last_cyc);
    pcie->queue_first = next;
    pcie->up_free_cyc = free_cyc;
    uint32_t sent = next - first;
    pcie->count[PCIE_UP][PCIE_WQE_READ].tlps += wqes;
    pcie->count[PCIE_UP][PCIE_WQE_READ].link_bytes += wqes * TLP_REQUEST_BYTES;
    pcie->count[PCIE_UP][PCIE_PAYLOAD_READ].tlps += sent - wqes;
    pcie->count[PCIE_UP][PCIE_PAYLOAD_READ].link_bytes += (sent - wqes) * TLP_REQUEST_BYTES;
    pcie->up_work_cyc += sent * took;
    int64_t first_at = agenda_at(agenda_first(&pcie->at_host));
    if (first_at > pcie->sim->now) /* else a store stops the link, and its space wakes it */
        sim_wake(pcie->sim, pcie->down_decider, first_at);
}

/* The next pieces of the write under way, from start_cyc on: alike, one after the other, and as many as start by last_cyc. */
static void send_write_pieces(struct pcie *pcie, int which, int64_t start_cyc, int64_t last_cyc)
{
    struct pcie_write *write = &pcie->writing[which].write;
    if (write->bytes == 0) {
        send(pcie, PCIE_CQE_WRITE, 1, write->cqe_bytes, start_cyc);
        write->cqe_bytes = 0;
        return;
    }
    uint32_t mps = (uint32_t)pcie->params->mps;
    int aligned = pcie->params->writes == PCIE_WRITES_ALIGNED;
    uint32_t piece = tlp_write_piece(write->address, write->bytes, mps, aligned), pieces = 1;
    if (piece == mps && (write->address & (mps - 1)) == 0) { /* aligned: no page boundary inside any */
        int64_t took = pcie_occupancy_cyc(pcie, mps, mps + TLP_REQUEST_BYTES);
        int64_t fit = (last_cyc - start_cyc) / took + 1;
        pieces = write->bytes / mps < fit ? write->bytes / mps : (uint32_t)fit;
    }
    send(pcie, write->kind, pieces, tlp_payload_bytes(write->address, piece), start_cyc);
    write->address += (uint64_t)pieces * piece;
    write->bytes -= pieces * piece;
}

/* Chooses the input to be served next and when, and tells when the first of the others waits; input -1: none has a TLP. */
static struct pcie_choice choose(const struct pcie *pcie)
{
    struct pcie_choice choice = {-1, SIM_NEVER, SIM_NEVER};
    int64_t from_cyc = max2(pcie->up_from_cyc, pcie->up_free_cyc);
    int reads = pcie->queue_first != pcie->queue_next, cqes = !fifo_empty(pcie->write_in[1]);
    if (!cqes && (!reads || fifo_empty(pcie->write_in[0]))) { /* at most one of them */
        choice.input = reads ? PCIE_IN_READ : fifo_empty(pcie->write_in[0]) ? -1 : PCIE_IN_PAYLOAD;
        if (choice.input >= 0)
            choice.start_cyc = max2(waiting_at(pcie, choice.input), from_cyc);
        return choice;
    }
    int64_t at[PCIE_INPUTS], first = SIM_NEVER;
    for (int i = 0; i < PCIE_INPUTS; i++) {
        at[i] = waiting_at(pcie, i);
        if (at[i] < first)
            first = at[i];
    }
    choice.start_cyc = max2(first, from_cyc);
    choice.input = pcie->up_last;
    do {
        choice.input = choice.input + 1 == PCIE_INPUTS ? 0 : choice.input + 1;
    } while (at[choice.input] > choice.start_cyc);
    at[choice.input] = SIM_NEVER;
    for (int i = 0; i < PCIE_INPUTS; i++)
        if (at[i] < choice.others_cyc)
            choice.others_cyc = at[i];
    return choice;
}

static void begin_write(struct pcie *pcie, int input, int64_t start_cyc)
{
    struct pcie_write *write = &pcie->writing[input - 1].write;
    pcie->describe(pcie->describe_context, input, fifo_front(pcie->write_in[input - 1])->ref, write);
    pcie->written[input - 1] =
        (struct pcie_place){write->bytes > 0 ? write->address : write->cqe_address, write->bytes + write->cqe_bytes};
    pcie->writing[input - 1].start_cyc = start_cyc;
    pcie->writing[input - 1].active = 1;
}

static struct pcie_up finish_write(struct pcie *pcie, int input, int64_t sent_at_ps, int64_t last_cyc)
{
    struct fifo *in = pcie->write_in[input - 1];
    struct fifo_slot slot = fifo_take(in);
    pcie->writing[input - 1].active = 0;
    fifo_release(in, slot.bytes, pcie->writing[input - 1].start_cyc, last_cyc);
    struct root_write written = root_write(&pcie->root, sent_at_ps + pcie->params->link_latency,
                                           pcie->written[input - 1].address, pcie->written[input - 1].bytes);
    return (struct pcie_up){PCIE_UP_WRITTEN, input, slot.ref, sent_at_ps, written.drained_at_ps, written.visible_at_ps};
}

/* Serves one input from start_cyc on, TLP after TLP, as long as they start by last_cyc; 1 when a write is done. */
static int serve(struct pcie *pcie, int input, int64_t start_cyc, int64_t last_cyc, struct pcie_up *written)
{
    pcie->up_last = input;
    if (input == PCIE_IN_READ) {
        if (pcie->root.is_plain)
            send_reads(pcie, start_cyc, last_cyc, 1);
        else
            send_reads(pcie, start_cyc, last_cyc, 0);
        return 0;
    }
    struct pcie_write *write = &pcie->writing[input - 1].write;
    for (; start_cyc <= last_cyc; start_cyc = pcie->up_free_cyc) {
        int empty = write->bytes + write->cqe_bytes == 0; /* nothing to write: done at once */
        if (!empty)
            send_write_pieces(pcie, input - 1, start_cyc, last_cyc);
        int64_t end_cyc = empty ? start_cyc : pcie->up_free_cyc;
        if (write->bytes + write->cqe_bytes == 0) {
            *written = finish_write(pcie, input, clk_edge(&pcie->link_clk, end_cyc), end_cyc);
            return 1;
        }
    }
    return 0;
}

/* Whether a write that begins later than now would be cut in two by the horizon: then its own decision takes it whole. */
static int is_better_later(const struct pcie *pcie, const struct pcie_choice *choice)
{
    return choice->input != PCIE_IN_READ && choice->start_cyc > pcie->up_from_cyc &&
           choice->start_cyc + fifo_front(pcie->write_in[choice->input - 1])->bytes > pcie->up_horizon_cyc &&
           !pcie->writing[choice->input - 1].active;
}

void pcie_up_begin(struct pcie *pcie, int64_t now, int64_t horizon_ps)
{
    pcie->up_from_cyc = now == pcie->up_wake_ps ? pcie->up_wake_cyc : clk_at_or_after(&pcie->link_clk, now);
    pcie->up_horizon_cyc = clk_after(&pcie->link_clk, horizon_ps) - 1; /* the last edge within it */
}

struct pcie_up pcie_up_next(struct pcie *pcie, int64_t *wake_at)
{
    int64_t horizon_cyc = pcie->up_horizon_cyc;
    for (;;) {
        struct pcie_up written;
        struct pcie_choice choice = choose(pcie);
        if (choice.start_cyc > horizon_cyc || is_better_later(pcie, &choice)) { /* also SIM_NEVER: none */
            *wake_at = SIM_NEVER;
            if (choice.input >= 0) {
                pcie->up_wake_cyc = choice.start_cyc;
                *wake_at = pcie->up_wake_ps = clk_edge(&pcie->link_clk, choice.start_cyc);
            }
            return (struct pcie_up){.event = PCIE_UP_NOTHING};
        }
        if (choice.input != PCIE_IN_READ && !pcie->writing[choice.input - 1].active)
            begin_write(pcie, choice.input, choice.start_cyc);
        /* alone until another waits: then it has its turn */
        int64_t start = choice.start_cyc, others = choice.others_cyc;
        int64_t last = others <= start ? start : others <= horizon_cyc ? others - 1 : horizon_cyc;
        if (serve(pcie, choice.input, start, last, &written))
            return written;
    }
}
