/* The reference's link towards the host, in one cycle of it: turns, credits, the host's receive buffer and the way to memory. */
#include "pcie/tlp.h"
#include "tests/pcie/ref_parts.h"

enum { TURN_READ, TURN_PAYLOAD, TURN_CQE, TURNS };
enum { SENDS_NOTHING, SENDS_READ, SENDS_POSTED };

static void note_most(int64_t *most, int64_t all, int64_t left)
{
    if (all - left > *most)
        *most = all - left;
}

static uint32_t request_bytes(const struct ref *ref)
{
    return tlp_overhead_bytes(TLP_MRD, ref->p->header == PCIE_HEADER_4DW, (int)ref->p->ecrc);
}

static int64_t took_cyc(const struct ref *ref, uint32_t payload_bytes)
{
    uint32_t parts = ref->p->straddle == PCIE_STRADDLE_ON ? 2 : 1;
    return ref_tlp_cyc(ref, request_bytes(ref) + payload_bytes, payload_bytes, (uint32_t)ref->p->request_descriptor,
                       parts);
}

/* ---- credits come back ---- */

static void take_updates(struct ref *ref)
{
    const struct ref_delayed *due;
    for (; (due = ref_due(&ref->updates, ref->link_cyc)) != 0; ref->updates.first++) {
        ref->free_ph += due->a;
        ref->free_pd += due->b;
    }
    for (; (due = ref_due(&ref->np_updates, ref->link_cyc)) != 0; ref->np_updates.first++)
        ref->free_nph++;
    for (; (due = ref_due(&ref->lines, ref->link_cyc)) != 0; ref->lines.first++)
        ref->free_lines += due->a;
    for (; (due = ref_due(&ref->acks, ref->link_cyc)) != 0; ref->acks.first++)
        ref->free_replay_bytes += due->a;
    ref_wrong(ref, ref->free_ph <= ref->p->posted_headers && ref->free_nph <= ref->p->nonposted_headers,
              "more credits come back than there are");
}

/* ---- the host ---- */

static void seen(struct ref *ref, const struct ref_posted *tlp)
{
    struct ref_pcie_times *times = &ref->log->times[tlp->load];
    int64_t drained_ps = (tlp->is_empty ? tlp->sent_ps : ref->now_ps) + ref->p->link_latency;
    int64_t visible_ps = drained_ps + tlp->takes_ps;
    if (visible_ps < ref->visible_ps && !tlp->relaxed)
        visible_ps = ref->visible_ps; /* in order */
    if (visible_ps > ref->visible_ps) {
        ref->visible_ps = visible_ps;
        ref->known_ps = visible_ps + ref->p->host_write_ack;
    }
    if (!tlp->is_last)
        return;
    times->drained_ps = drained_ps;
    times->visible_ps = visible_ps;
    if (!tlp->is_cqe)
        times->payload_ps = visible_ps;
    const struct ref_pcie_load *load = &ref->system->load[tlp->load];
    ref->finished += tlp->is_cqe || load->cqe_bytes == 0;
}

static void draw_fate(struct ref *ref, struct ref_request *request)
{
    uint64_t draw = rnd_draw(ref->fate_stream, request->ordinal, 0) >> 32, whole = 1000000000; /* 0.001 ppm */
    uint64_t refused = ((uint64_t)ref->p->refused_reads << 32) / whole;
    uint64_t lost = ((uint64_t)ref->p->lost_completions << 32) / whole;
    request->is_refused = draw < refused;
    request->is_lost = draw >= refused && draw < refused + lost;
    ref->lost += (uint32_t)request->is_lost;
    ref->lost_headers += request->is_lost ? request->headers : 0;
    ref->lost_data += request->is_lost ? request->data : 0;
}

/* Reads go to memory when all posted TLPs before them are known to be seen. */
static void serve_reads(struct ref *ref)
{
    for (; ref->arrived_first != ref->arrived_next; ref->arrived_first++) {
        uint32_t index = ref->arrived[ref->arrived_first % REF_QUEUE_MAX];
        struct ref_request *request = &ref->request[index];
        if (request->behind > ref->posted_drained)
            return;
        int64_t from_ps = request->at_ps > ref->known_ps ? request->at_ps : ref->known_ps;
        request->ready_ps = from_ps + rnd_table_draw(&ref->host_read, rnd_draw(ref->host_stream, request->ordinal, 0)) +
                            ref->p->host_read_kib * request->bytes / 1024;
        draw_fate(ref, request);
        if (!request->is_lost)
            ref->ready[ref->ready_count++] = index;
    }
}

/* The receive buffer drains, in order, as far as there are entries for lines. */
static void drain(struct ref *ref)
{
    while (ref->posted_drained < ref->posted_sent) {
        const struct ref_posted *tlp = &ref->posted[ref->posted_drained % REF_QUEUE_MAX];
        if (tlp->is_empty) {
            seen(ref, tlp);
            ref->posted_drained++;
            serve_reads(ref);
            continue;
        }
        if ((ref->p->host_write_lines > 0 && ref->free_lines < tlp->lines) ||
            (!tlp->relaxed && ref->link_cyc < ref->last_drained_cyc + ref->order_cyc))
            return;
        ref->free_lines -= tlp->lines;
        ref_delay(&ref->lines, ref->link_cyc + ref->line_cyc, tlp->lines, 0);
        ref_delay(&ref->updates, ref->link_cyc + ref->update_cyc, 1, tlp->data);
        ref->last_drained_cyc = ref->link_cyc;
        seen(ref, tlp);
        ref->posted_drained++;
        serve_reads(ref);
    }
}

/* ---- TLPs leave ---- */

static void end_tlp(struct ref *ref)
{
    if (ref->sending != SENDS_NOTHING)
        ref_delay(&ref->acks, ref->link_cyc + ref->ack_cyc, ref->sending_bytes, 0);
    if (ref->sending == SENDS_READ) {
        struct ref_request *request = ref->sending_read;
        request->at_ps = ref->now_ps + ref->p->link_latency;
        request->deadline_ps = ref->now_ps + ref->p->completion_timeout;
        ref->pending[ref->pendings++] = (uint32_t)(request - ref->request);
        ref->arrived[ref->arrived_next++ % REF_QUEUE_MAX] = (uint32_t)(request - ref->request);
        serve_reads(ref);
        ref_delay(&ref->np_updates, ref->link_cyc + ref->update_cyc, 0, 0);
    } else {
        ref->sending_posted.sent_ps = ref->now_ps;
        ref->posted[ref->posted_sent++ % REF_QUEUE_MAX] = ref->sending_posted;
        if (ref->sending_posted.is_last)
            ref->log->times[ref->sending_posted.load].sent_ps = ref->now_ps;
    }
    ref->sending = SENDS_NOTHING;
}

static void put_on_link(struct ref *ref, enum ref_pcie_kind kind, uint32_t payload_bytes)
{
    ref->sending_bytes = request_bytes(ref) + payload_bytes;
    ref->free_replay_bytes -= ref->sending_bytes;
    ref_wrong(ref, ref->free_replay_bytes >= 0, "the replay buffer runs over");
    ref_wire_send(&ref->wire[REF_UP], took_cyc(ref, payload_bytes));
    ref_count(ref, REF_UP, kind, payload_bytes, ref->sending_bytes);
}

static int has_read(const struct ref *ref)
{
    return ref->to_send.first != ref->to_send.next;
}

static void send_read(struct ref *ref)
{
    struct ref_request *request = &ref->request[ref->to_send.entry[ref->to_send.first++ % REF_QUEUE_MAX].a];
    ref->free_nph--;
    note_most(&ref->log->nph_most, ref->p->nonposted_headers, ref->free_nph);
    request->ordinal = ref->reads_drawn++;
    request->behind = ref->posted_sent; /* nothing posted is under way while it begins */
    ref->sending = SENDS_READ;
    ref->sending_read = request;
    put_on_link(ref, ref->system->load[request->load].kind, 0);
}

/* What is left of a write, and its next TLP. */
struct rest {
    uint32_t load;
    uint64_t address;
    uint32_t bytes, cqe_bytes;
};

struct part {
    uint64_t address;
    uint32_t bytes, payload_bytes, data;
    int is_cqe, relaxed;
};

static struct rest rest_of(const struct ref *ref, const struct ref_write_port *port)
{
    uint32_t index = port->in_sync[port->first];
    const struct ref_pcie_load *load = &ref->system->load[index];
    if (!port->active)
        return (struct rest){index, load->address, load->bytes, load->cqe_bytes};
    return (struct rest){index, port->address, port->bytes, port->cqe_bytes};
}

static struct part part_of(const struct ref *ref, const struct rest *rest)
{
    const struct pcie_params *p = ref->p;
    struct part part = {.address = rest->address, .is_cqe = rest->bytes == 0 && rest->cqe_bytes > 0};
    if (part.is_cqe) {
        part.address = ref->system->load[rest->load].cqe_address;
        part.bytes = rest->cqe_bytes;
    } else if (rest->bytes > 0) {
        part.bytes = tlp_write_piece(rest->address, rest->bytes, (uint32_t)p->mps, p->writes == PCIE_WRITES_ALIGNED);
    }
    part.payload_bytes = part.bytes == 0 ? 0 : tlp_payload_bytes(part.address, part.bytes);
    part.data = tlp_blocks(0, part.payload_bytes, TLP_CREDIT_BYTES);
    part.relaxed =
        p->relaxed_ordering == PCIE_RELAXED_ALL || (p->relaxed_ordering == PCIE_RELAXED_PAYLOAD && !part.is_cqe);
    return part;
}

static int has_write(const struct ref_write_port *port)
{
    return port->active || port->first != port->last;
}

static void begin_write(struct ref *ref, struct ref_write_port *port)
{
    const struct ref_pcie_load *load = &ref->system->load[port->in_sync[port->first]];
    port->active = 1;
    port->address = load->address;
    port->bytes = load->bytes;
    port->cqe_bytes = load->cqe_bytes;
    port->part_begun = 0;
}

static void send_part(struct ref *ref, struct ref_write_port *port)
{
    struct rest rest = rest_of(ref, port);
    struct part part = part_of(ref, &rest);
    if (!port->part_begun)
        port->takes_ps =
            rnd_table_draw(&ref->host_write, rnd_draw(ref->host_stream, ref->writes_drawn++, 5 /* of writes */));
    uint32_t left = port->bytes - (part.is_cqe ? 0 : part.bytes);
    struct ref_posted tlp = {.load = rest.load,
                             .data = part.data,
                             .lines = tlp_blocks(part.address, part.bytes, TLP_LINE_BYTES),
                             .relaxed = part.relaxed,
                             .is_cqe = part.is_cqe,
                             .is_last = left == 0,
                             .is_empty = part.bytes == 0,
                             .takes_ps = port->takes_ps};
    ref->sending_posted = tlp;
    port->part_begun = !tlp.is_last;
    port->address += part.bytes;
    port->bytes = left;
    port->cqe_bytes = part.is_cqe ? 0 : port->cqe_bytes;
    if (port->bytes + port->cqe_bytes == 0) {
        port->active = 0;
        port->first++;
    }
    if (tlp.is_empty) {
        end_tlp(ref);
        return;
    }
    ref->sending = SENDS_POSTED;
    ref->free_ph--;
    ref->free_pd -= part.data;
    note_most(&ref->log->ph_most, ref->p->posted_headers, ref->free_ph);
    note_most(&ref->log->pd_most, ref->p->posted_data / TLP_CREDIT_BYTES, ref->free_pd);
    put_on_link(ref, part.is_cqe ? REF_CQE : REF_WRITE, part.payload_bytes);
}

/* ---- turns ---- */

/* A read without credit that came first stands before it at the endpoint's port. */
static int is_blocked(const struct ref *ref, const struct ref_write_port *port)
{
    int64_t came_ps = clk_edge(&ref->link, port->there_cyc[port->first]);
    return ref->p->np_blocks == PCIE_NP_BLOCKS_ON && has_read(ref) && ref->free_nph == 0 &&
           ref->to_send.entry[ref->to_send.first % REF_QUEUE_MAX].at <= came_ps;
}

static int can_send(struct ref *ref, int turn)
{
    if (turn == TURN_READ)
        return has_read(ref) && ref->free_nph > 0 && ref->free_replay_bytes >= request_bytes(ref);
    struct ref_write_port *port = &ref->port[turn - 1];
    if (!has_write(port) || is_blocked(ref, port))
        return 0;
    struct rest rest = rest_of(ref, port);
    struct part part = part_of(ref, &rest);
    return part.bytes == 0 || (ref->free_ph > 0 && ref->free_pd >= part.data &&
                               ref->free_replay_bytes >= request_bytes(ref) + part.payload_bytes);
}

static void arbitrate(struct ref *ref)
{
    for (int turn = (ref->turn + 1) % TURNS, tried = 0; tried < TURNS; tried++, turn = (turn + 1) % TURNS) {
        if (!can_send(ref, turn))
            continue;
        ref->turn = turn;
        if (turn == TURN_READ) {
            send_read(ref);
            return;
        }
        struct ref_write_port *port = &ref->port[turn - 1];
        if (!port->active)
            begin_write(ref, port);
        send_part(ref, port);
        return;
    }
}

/* Writes come out of the user clock one cycle after they are pushed and pass two flip-flops, each for itself. */
static void synchronise(struct ref *ref, int which)
{
    struct ref_write_port *port = &ref->port[which];
    const struct ref_pcie_system *system = ref->system;
    for (uint32_t i = port->next_load; i < system->loads; i++) {
        const struct ref_pcie_load *load = &system->load[i];
        if (load->at_cyc + 1 > ref->user_cyc || clk_edge(&system->user, load->at_cyc + 1) >= ref->now_ps)
            return;
        int is_mine = load->kind == (which == 0 ? REF_WRITE : REF_CQE);
        if (is_mine && ++port->edges[i] < 2)
            continue;
        if (i == port->next_load)
            port->next_load++;
        if (!is_mine)
            continue;
        port->there_cyc[port->last] = ref->link_cyc;
        port->in_sync[port->last++] = i;
    }
}

void ref_up_cycle(struct ref *ref)
{
    take_updates(ref);
    if (ref_wire_cycle(ref, &ref->wire[REF_UP]))
        end_tlp(ref);
    drain(ref);
    for (int which = 0; which < 2; which++)
        synchronise(ref, which);
    while (ref->wire[REF_UP].busy_cyc == 0) {
        uint64_t sent = ref->posted_sent;
        arbitrate(ref);
        drain(ref);
        if (ref->posted_sent == sent) /* else a write of nothing: no time */
            break;
    }
}
