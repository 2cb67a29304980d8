/* The link towards the host: one TLP at a time, round robin over reads, payload writes and CQE writes. */
#include "pcie/up.h"

#include "pcie/tlp.h"

#define MSIX_BYTES 4u /* the message data of a table entry (PCI 3.0, 6.8.2) */

static inline int has_write(const struct pcie *pcie, int input)
{
    return pcie->writing[input - 1].active | !fifo_empty(pcie->write_in[input - 1]);
}

/* The first link cycle at which an input that has a TLP can send it: it is there and, as far as is known, its credit. */
static inline int64_t read_at(struct pcie *pcie)
{
    return replay_room_when(&pcie->replay[PCIE_UP], pcie->request_bytes,
                            up_read_credit_cyc(pcie, pcie->queue_first, up_queued_read(pcie)->at_cyc));
}

static inline int64_t write_at(const struct pcie *pcie, int input)
{
    const struct pcie_writing *writing = &pcie->writing[input - 1];
    int64_t came_cyc = writing->active ? writing->came_cyc : fifo_front(pcie->write_in[input - 1])->tail_cyc;
    int64_t at_cyc = up_later(came_cyc, writing->credit_cyc);
    if (pcie->np_blocks && pcie->queue_first != pcie->queue_next && up_queued_read(pcie)->at_cyc <= came_cyc)
        at_cyc = up_later(at_cyc, up_read_credit_cyc(pcie, pcie->queue_first, at_cyc));
    return at_cyc;
}

/* Nobody is sent what the host has no room for (Base Spec 2.6.1). */
static __attribute__((noinline)) void check_credits(struct pcie *pcie, struct flow_tlp tlp, int64_t start_cyc)
{
    enum flow_lack lack = FLOW_NO_PH;
    model_assert(pcie->sim, flow_posted_when(&pcie->flow, tlp, start_cyc, &lack) == start_cyc,
                 "a write is sent without its credits");
}

/* Books `tlps` TLPs of payload_bytes each from start_cyc on. */
static void send(struct pcie *pcie, int which, enum pcie_kind kind, uint32_t tlps, uint32_t payload_bytes,
                 struct flow_tlp tlp, int64_t start_cyc, int is_free)
{
    uint32_t bytes = pcie->request_bytes + payload_bytes;
    int64_t took = tlps * (int64_t)tlp.took_cyc;
    pcie->up_tlp_cyc = tlp.took_cyc;
    struct pcie_count *count = &pcie->count[PCIE_UP][kind];
    count->tlps += tlps;
    count->payload_bytes += tlps * payload_bytes;
    count->link_bytes += tlps * bytes;
    pcie->up_work_cyc += took;
    if (replay_is_on(&pcie->replay[PCIE_UP])) /* one */
        start_cyc = up_send_again(pcie, bytes, start_cyc, took) - took;
    pcie->up_free_cyc = start_cyc + took;
    if (!is_free)
        check_credits(pcie, tlp, start_cyc);
    pcie->writing[which].drained_cyc =
        is_free ? flow_send_free(&pcie->flow, tlp, tlps, start_cyc) : flow_send(&pcie->flow, tlp, start_cyc); /* one */
}

static __attribute__((noinline)) void make_piece(const struct pcie *pcie, uint64_t address, uint32_t left,
                                                 unsigned kind, int is_cqe, struct pcie_piece *piece)
{
    *piece = (struct pcie_piece){.offset = (uint32_t)(address & (TLP_PAGE_BYTES - 1)), .left = left, .bytes = left};
    if (!is_cqe)
        piece->bytes =
            tlp_write_piece(address, left, (uint32_t)pcie->params->mps, pcie->params->writes == PCIE_WRITES_ALIGNED);
    piece->payload_bytes = tlp_payload_bytes(address, piece->bytes);
    piece->tlp = (struct flow_tlp){(uint32_t)interface_occupancy_cyc(&pcie->requests_side, piece->payload_bytes,
                                                                     piece->payload_bytes + pcie->request_bytes),
                                   (piece->payload_bytes + TLP_CREDIT_BYTES - 1) / TLP_CREDIT_BYTES,
                                   tlp_blocks(address, piece->bytes, TLP_LINE_BYTES), pcie->relaxed[kind]};
    piece->is_sparse = flow_is_sparse(&pcie->flow, piece->tlp);
}

/* The next TLP of the write under way. It is worked out only when it differs from the one before of its kind. */
static inline const struct pcie_piece *next_piece(struct pcie *pcie, const struct pcie_write *write)
{
    int is_cqe = write->bytes == 0;
    uint64_t address = is_cqe ? write->cqe_address : write->address;
    uint32_t left = is_cqe ? write->cqe_bytes : write->bytes;
    unsigned kind = is_cqe ? write->last_kind : write->kind;
    struct pcie_piece *piece = &pcie->piece[kind];
    if (piece->left != left || piece->offset != (address & (TLP_PAGE_BYTES - 1)))
        make_piece(pcie, address, left, kind, is_cqe, piece);
    return piece;
}

/* Whether its credit, or room in the replay buffer, comes later than start_cyc; then the other inputs go on. */
static __attribute__((noinline)) int must_wait(struct pcie *pcie, int which, const struct pcie_piece *piece,
                                               int64_t start_cyc)
{
    const struct pcie_write *write = &pcie->writing[which].write;
    unsigned kind = write->bytes > 0 ? write->kind : write->last_kind;
    enum flow_lack lack = FLOW_NO_PH;
    int64_t credit_cyc = flow_posted_when(&pcie->flow, piece->tlp, start_cyc, &lack);
    int64_t room_cyc = replay_room_when(&pcie->replay[PCIE_UP], piece->payload_bytes + pcie->request_bytes, start_cyc);
    int64_t *account = room_cyc > credit_cyc ? &pcie->replay[PCIE_UP].wait_cyc : &pcie->wait[kind].credit_cyc[lack];
    credit_cyc = up_later(credit_cyc, room_cyc);
    if (credit_cyc == start_cyc)
        return 0;
    pcie->writing[which].credit_cyc = credit_cyc;
    pcie->writing[which].lack = account;
    if (pcie->writing[which].lack_from_cyc == SIM_NEVER)
        pcie->writing[which].lack_from_cyc = start_cyc;
    return 1;
}

/* The write that waited goes on at start_cyc: the time in which the link did nothing else is lost. */
static __attribute__((noinline)) void account_lack(struct pcie *pcie, int which, int64_t start_cyc)
{
    int64_t from_cyc = up_later(pcie->writing[which].lack_from_cyc, pcie->up_free_cyc);
    if (start_cyc > from_cyc)
        *pcie->writing[which].lack += start_cyc - from_cyc;
    pcie->writing[which].lack_from_cyc = SIM_NEVER;
}

static inline int64_t takes_ps(struct pcie *pcie, struct pcie_writing *writing)
{
    if (writing->takes_ps < 0)
        writing->takes_ps = root_write_takes_ps(&pcie->root);
    return writing->takes_ps;
}

/* A part of a write, payload or CQE, has left the link at last_cyc, sent_ps. */
static inline struct root_write reach_root(struct pcie *pcie, struct pcie_writing *writing, uint64_t address,
                                           uint32_t bytes, int64_t last_cyc, int64_t sent_ps, int relaxed)
{
    int64_t latency = pcie->params->link_latency;
    int64_t at_ps = pcie->flit_cyc == 0 ? sent_ps + latency : pcie_arrival_ps(pcie, last_cyc), drained_ps = at_ps;
    if (writing->drained_cyc != last_cyc)
        drained_ps = up_later(at_ps, clk_edge(&pcie->link_clk, writing->drained_cyc) + latency);
    struct root_write root =
        root_write(&pcie->root, at_ps, drained_ps, address, bytes, relaxed, takes_ps(pcie, writing));
    writing->takes_ps = -1;
    if (root.drained_at_ps > drained_ps)
        flow_hold(&pcie->flow, clk_at_or_after(&pcie->link_clk, root.drained_at_ps - latency));
    return root;
}

/* All payload is sent, and a CQE is to follow. */
static __attribute__((noinline)) void finish_payload(struct pcie *pcie, struct pcie_writing *writing, int64_t last_cyc)
{
    int relaxed = pcie->relaxed[writing->write.kind];
    int64_t sent_ps = clk_edge(&pcie->link_clk, last_cyc);
    writing->payload_visible_ps =
        reach_root(pcie, writing, writing->payload.address, writing->payload.bytes, last_cyc, sent_ps, relaxed)
            .visible_at_ps;
}

/* A part of the payload is sent, and another input may have its turn before the rest. */
static __attribute__((noinline)) void go_on(struct pcie *pcie, struct pcie_writing *writing)
{
    root_write_part(&pcie->root, clk_edge(&pcie->link_clk, writing->drained_cyc) + pcie->params->link_latency,
                    takes_ps(pcie, writing));
}

/* The next place that the payload goes to; what became of the one before it, as of a part. */
static __attribute__((noinline, cold)) void next_segment(struct pcie *pcie, struct pcie_writing *writing)
{
    writing->payload = pcie->segment_of(pcie->describe_context, 1, writing->ref, writing->write.segments--);
    writing->write.address = writing->payload.address;
    writing->write.bytes = writing->payload.bytes;
}

enum sent { SENT_NOTHING, SENT, SENT_AND_RESTS };

/* The next pieces of its write, from start_cyc on: alike, one after the other, and as many as start by last_cyc and before something
 * stops the link. SENT_NOTHING: its next TLP has no credit yet, or no translation. SENT_AND_RESTS: an EQE, whose MSI-X comes later. */
static enum sent send_write_pieces(struct pcie *pcie, int input, int64_t start_cyc, int64_t last_cyc)
{
    int which = input - 1;
    struct pcie_write *write = &pcie->writing[which].write;
    const struct pcie_piece *piece = next_piece(pcie, write);
    if (pcie->ats) {
        uint64_t address = write->bytes > 0 ? write->address : write->cqe_address;
        pcie->writing[which].credit_cyc = up_translated_cyc(pcie, input, address, start_cyc);
        if (pcie->writing[which].credit_cyc > start_cyc)
            return SENT_NOTHING;
    }
    int is_free =
        flow_is_free(&pcie->flow, piece->is_sparse, start_cyc) && !replay_is_on(&pcie->replay[PCIE_UP]) && !pcie->ats;
    if (!is_free && must_wait(pcie, which, piece, start_cyc))
        return SENT_NOTHING;
    if (pcie->writing[which].lack_from_cyc != SIM_NEVER)
        account_lack(pcie, which, start_cyc);
    stops_pass(&pcie->stops[PCIE_UP], start_cyc);
    uint32_t mps = (uint32_t)pcie->params->mps, pieces = 1;
    int is_payload = write->bytes > 0;
    if (is_payload && is_free && piece->bytes == mps &&
        (write->address & (mps - 1)) == 0) { /* aligned: no page boundary inside any */
        int64_t due_cyc = pcie->stops[PCIE_UP].due_cyc;
        int64_t fit = ((last_cyc < due_cyc ? last_cyc : due_cyc - 1) - start_cyc) / piece->tlp.took_cyc + 1;
        pieces = write->bytes / mps < fit ? write->bytes / mps : (uint32_t)fit;
    }
    send(pcie, which, (enum pcie_kind)(is_payload ? write->kind : write->last_kind), pieces, piece->payload_bytes,
         piece->tlp, start_cyc, is_free);
    if (!is_payload) {
        write->cqe_bytes = 0;
        return SENT;
    }
    write->address += (uint64_t)pieces * piece->bytes;
    write->bytes -= pieces * piece->bytes;
    if (__builtin_expect(write->segments > 0, 0) && write->bytes == 0)
        next_segment(pcie, &pcie->writing[which]);
    if (write->bytes > 0)
        go_on(pcie, &pcie->writing[which]);
    else if (write->cqe_bytes > 0) {
        finish_payload(pcie, &pcie->writing[which], pcie->up_free_cyc);
        if (input == PCIE_IN_EVENT && pcie->msix_gap_cyc > 0) {
            pcie->writing[which].came_cyc = pcie->up_free_cyc + pcie->msix_gap_cyc;
            return SENT_AND_RESTS;
        }
    }
    return SENT;
}

static void begin_write(struct pcie *pcie, int input, int64_t start_cyc)
{
    struct pcie_writing *writing = &pcie->writing[input - 1];
    struct fifo *in = pcie->write_in[input - 1];
    struct fifo_slot slot = fifo_take(in);
    pcie->describe(pcie->describe_context, input, slot.ref, &writing->write);
    writing->payload = (struct pcie_place){writing->write.address, writing->write.bytes};
    writing->ref = slot.ref;
    writing->slot_bytes = slot.bytes;
    if (!in->shape.in_beats) /* a descriptor's place is free at once: told now, as the end may be decided much later */
        fifo_release(in, slot.bytes, start_cyc, start_cyc);
    writing->came_cyc = slot.tail_cyc;
    writing->start_cyc = writing->drained_cyc = start_cyc;
    writing->payload_visible_ps = 0;
    writing->takes_ps = -1;
    writing->cqe_bytes = writing->write.cqe_bytes;
    writing->active = 1;
}

static void finish_write(struct pcie *pcie, int input, int64_t last_cyc, struct pcie_up *up)
{
    struct pcie_writing *writing = &pcie->writing[input - 1];
    struct fifo *in = pcie->write_in[input - 1];
    int is_last = writing->cqe_bytes > 0; /* CQE or MSI-X, behind payload or without */
    int64_t sent_ps = clk_edge(&pcie->link_clk, last_cyc);
    int relaxed = pcie->relaxed[is_last ? writing->write.last_kind : writing->write.kind];
    struct root_write root =
        reach_root(pcie, writing, is_last ? writing->write.cqe_address : writing->payload.address,
                   is_last ? writing->cqe_bytes : writing->payload.bytes, last_cyc, sent_ps, relaxed);
    if (in && in->shape.in_beats)
        fifo_release(in, writing->slot_bytes, writing->start_cyc, last_cyc);
    writing->active = 0;
    up->input = input;
    up->ref = writing->ref;
    up->sent_at_ps = sent_ps;
    up->drained_at_ps = root.drained_at_ps;
    up->visible_at_ps = root.visible_at_ps;
    up->payload_visible_at_ps = is_last ? writing->payload_visible_ps : root.visible_at_ps;
}

static int64_t behind_stops(const struct pcie *pcie, int64_t start_cyc)
{
    return stops_behind(&pcie->stops[PCIE_UP], start_cyc, pcie->up_free_cyc);
}

static inline int64_t update_at(const struct pcie *pcie)
{
    return pcie->has_updates && has_write(pcie, PCIE_IN_UPDATE) ? write_at(pcie, PCIE_IN_UPDATE) : SIM_NEVER;
}

static int64_t waits_at(struct pcie *pcie, unsigned waiting, int input)
{
    return waiting >> input & 1 ? write_at(pcie, input) : SIM_NEVER;
}

/* Among several that have TLPs. */
static __attribute__((noinline)) struct pcie_choice choose_among(struct pcie *pcie, unsigned waiting, int64_t from_cyc)
{
    struct pcie_choice choice = {-1, SIM_NEVER, SIM_NEVER};
    int64_t at[PCIE_INPUTS] = {waiting & 1 ? read_at(pcie) : SIM_NEVER, waits_at(pcie, waiting, PCIE_IN_PAYLOAD),
                               waits_at(pcie, waiting, PCIE_IN_CQE), waits_at(pcie, waiting, PCIE_IN_EVENT),
                               update_at(pcie)};
    int64_t first = up_earlier(up_earlier(up_earlier(at[0], at[1]), up_earlier(at[2], at[3])), at[4]);
    if (first == SIM_NEVER) /* only where contexts are written, too */
        return choice;
    choice.start_cyc = behind_stops(pcie, up_later(first, from_cyc));
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

/* Chooses the input to be served next and when, and tells when the first of the others waits; input -1: none has a TLP. */
static inline struct pcie_choice choose(struct pcie *pcie)
{
    int64_t from_cyc = up_later(pcie->up_from_cyc, pcie->up_free_cyc);
    unsigned waiting = (unsigned)(pcie->queue_first != pcie->queue_next) << PCIE_IN_READ |
                       (unsigned)has_write(pcie, PCIE_IN_PAYLOAD) << PCIE_IN_PAYLOAD |
                       (unsigned)has_write(pcie, PCIE_IN_CQE) << PCIE_IN_CQE |
                       (unsigned)pcie->writing[PCIE_IN_EVENT - 1].active << PCIE_IN_EVENT;
    if ((waiting & (waiting - 1)) != 0 || pcie->has_updates)
        return choose_among(pcie, waiting, from_cyc);
    struct pcie_choice choice = {-1, SIM_NEVER, SIM_NEVER};
    if (waiting == 0)
        return choice;
    choice.input = __builtin_ctz(waiting);
    choice.start_cyc = behind_stops(
        pcie, up_later(choice.input == PCIE_IN_READ ? read_at(pcie) : write_at(pcie, choice.input), from_cyc));
    return choice;
}

/* Serves one input from start_cyc on, TLP after TLP, as long as they start by last_cyc; 1 when a write is done. */
static int serve(struct pcie *pcie, int input, int64_t start_cyc, int64_t last_cyc, struct pcie_up *written)
{
    if (input == PCIE_IN_READ) {
        pcie->up_last = input;
        up_send_reads(pcie, start_cyc, last_cyc);
        return 0;
    }
    struct pcie_write *write = &pcie->writing[input - 1].write;
    for (; start_cyc <= last_cyc; start_cyc = behind_stops(pcie, pcie->up_free_cyc)) {
        int empty = write->bytes + write->cqe_bytes == 0; /* nothing to write: done at once */
        enum sent sent = empty ? SENT : send_write_pieces(pcie, input, start_cyc, last_cyc);
        if (sent == SENT_NOTHING)
            return 0;
        pcie->up_last = input; /* a turn is used by sending */
        if (sent == SENT_AND_RESTS)
            return 0;
        int64_t end_cyc = empty ? start_cyc : pcie->up_free_cyc;
        if (write->bytes + write->cqe_bytes == 0) {
            finish_write(pcie, input, end_cyc, written);
            return 1;
        }
    }
    return 0;
}

/* Whether a write that begins later than now would be cut in two by the horizon: then its own decision takes it whole. */
static int is_better_later(const struct pcie *pcie, const struct pcie_choice *choice)
{
    return choice->start_cyc > pcie->up_from_cyc && choice->input != PCIE_IN_READ &&
           !pcie->writing[choice->input - 1].active &&
           choice->start_cyc + fifo_front(pcie->write_in[choice->input - 1])->bytes > pcie->up_horizon_cyc;
}

void pcie_raise(struct pcie *pcie, int64_t at_ps, uint32_t eqe_bytes)
{
    struct pcie_writing *event = &pcie->writing[PCIE_IN_EVENT - 1];
    int64_t at_cyc = clk_at_or_after(&pcie->link_clk, at_ps);
    if (event->active) { /* what it has not sent yet comes behind all that is written by then, and tells of it */
        if (at_cyc < event->came_cyc && event->write.bytes > 0)
            event->came_cyc = at_cyc;
        return;
    }
    *event = (struct pcie_writing){
        .write = {.bytes = eqe_bytes, .cqe_bytes = MSIX_BYTES, .kind = PCIE_EQE_WRITE, .last_kind = PCIE_MSIX},
        .payload = {0, eqe_bytes},
        .cqe_bytes = MSIX_BYTES,
        .takes_ps = -1,
        .came_cyc = at_cyc,
        .lack_from_cyc = SIM_NEVER,
        .active = 1};
}

void pcie_up_begin(struct pcie *pcie, int64_t now, int64_t horizon_ps)
{
    pcie->up_from_cyc = now == pcie->up_wake_ps ? pcie->up_wake_cyc : clk_at_or_after(&pcie->link_clk, now);
    pcie->up_horizon_cyc = clk_after(&pcie->link_clk, horizon_ps) - 1; /* the last edge within it */
}

int pcie_up_next(struct pcie *pcie, struct pcie_up *up, int64_t *wake_at)
{
    int64_t horizon_cyc = pcie->up_horizon_cyc;
    for (;;) {
        struct pcie_choice choice = choose(pcie);
        if (choice.start_cyc > horizon_cyc || is_better_later(pcie, &choice)) { /* also SIM_NEVER: none */
            *wake_at = SIM_NEVER;
            if (choice.input >= 0) {
                pcie->up_wake_cyc = choice.start_cyc;
                *wake_at = pcie->up_wake_ps = clk_edge(&pcie->link_clk, choice.start_cyc);
            }
            return 0;
        }
        if (choice.input != PCIE_IN_READ && !pcie->writing[choice.input - 1].active)
            begin_write(pcie, choice.input, choice.start_cyc);
        /* alone until another waits: then it has its turn */
        int64_t start = choice.start_cyc, others = choice.others_cyc;
        int64_t last = others <= start ? start : others <= horizon_cyc ? others - 1 : horizon_cyc;
        if (serve(pcie, choice.input, start, last, up))
            return 1;
    }
}
