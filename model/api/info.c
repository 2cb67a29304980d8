/* Reading what happened: totals, the time account of each stage, TLPs, and who waits for whom. */
#include "api/api_internal.h"

#include <stdio.h>
#include <string.h>

const char *rnicsim_stamp_name(enum rnicsim_stamp stamp)
{
    static const char *const name[RNICSIM_STAMP_COUNT] = {
        "arrival", "post",     "mmio",   "doorbell",  "grant",    "wqe",          "packet",  "payload", "port",
        "wire",    "received", "judged", "responded", "ack wire", "ack received", "retired", "cqe",     "seen"};
    return name[stamp];
}

const char *rnicsim_cause_name(enum rnicsim_cause cause)
{
    static const char *const name[RNICSIM_CAUSE_COUNT] = {"work",
                                                          "no_input",
                                                          "downstream_full",
                                                          "bubble",
                                                          "no_tag",
                                                          "no_credit_CPLH",
                                                          "no_credit_CPLD",
                                                          "no_credit_PH",
                                                          "no_credit_PD",
                                                          "no_credit_NPH",
                                                          "no_replay_buffer",
                                                          "replay",
                                                          "no_buffer",
                                                          "window_full",
                                                          "context_busy",
                                                          "no_wqe",
                                                          "no_receive_wqe",
                                                          "rate_limit",
                                                          "no_request",
                                                          "context_miss",
                                                          "srq_busy",
                                                          "no_retransmit",
                                                          "retry"};
    return name[cause];
}

void rnicsim_totals(const struct rnicsim *sim, struct rnicsim_totals *out)
{
    *out = (struct rnicsim_totals){.decisions = sim->system.sim.decisions};
    for (uint32_t i = 0; i < API_HOSTS; i++) {
        const struct rnic *nic = &sim->system.nic[i];
        out->requests += nic->requests;
        out->completions += nic->completions;
        out->errors += nic->errors;
        out->receives += nic->receives;
        out->payload_bytes += nic->payload_bytes;
        out->data_packets += nic->data_packets;
        out->ack_packets += nic->ack_packets;
        out->drops_full += nic->drops_full;
        out->drops_underrun += nic->drops_underrun;
        out->drops_not_read += nic->drops_not_read;
        out->drops_sequence += nic->drops_sequence;
        out->drops_unwanted += nic->drops_unwanted;
        out->drops_damaged += nic->drops_damaged;
        out->drops_planned += nic->drops_planned;
        out->retransmits_nak += nic->retransmits[RECOVER_NAK];
        out->retransmits_rnr += nic->retransmits[RECOVER_RNR];
        out->retransmits_implied += nic->retransmits[RECOVER_IMPLIED];
        out->retransmits_timeout += nic->retransmits[RECOVER_TIMEOUT];
        out->repeated += nic->repeated;
        out->seen_early += nic->seen_early;
        out->doorbells_coalesced += nic->coalesced;
        out->marked += nic->congestion.marked;
        out->cnps += nic->congestion.cnps;
        if (nic->pcie.retire) {
            out->reads_refused += nic->pcie.retire->refused;
            out->reads_timed_out += nic->pcie.retire->timed_out;
            out->tags_quarantined += nic->pcie.retire->quarantined;
        }
        if ((uint64_t)nic->line.work_cyc > out->wire_bytes)
            out->wire_bytes = (uint64_t)nic->line.work_cyc;
        for (uint32_t qp = 0; qp < nic->qps; qp++)
            out->in_flight += nic->qp[qp].posted - nic->qp[qp].retired;
        for (int direction = 0; direction < PCIE_DIRECTION_COUNT; direction++)
            for (int kind = 0; kind < PCIE_KIND_COUNT; kind++)
                out->tlps += nic->pcie.count[direction][kind].tlps;
    }
    if (sim->system.contents) {
        out->data_right_bytes = sim->system.contents->check.right_bytes;
        out->data_unknown_bytes = sim->system.contents->check.unknown_bytes;
        out->data_wrong_messages = sim->system.contents->check.wrong_messages;
    }
    out->drops = out->drops_full + out->drops_underrun + out->drops_not_read + out->drops_sequence +
                 out->drops_unwanted + out->drops_damaged + out->drops_planned;
    if (sim->first_post_ps != SIM_NEVER)
        out->first_post_ps = sim->first_post_ps - sim->system.shift_ps;
    if (sim->last_done_ps > 0)
        out->last_done_ps = sim->last_done_ps - sim->system.shift_ps;
}

/* ---- stages ---- */

enum core {
    CORE_HOST,
    CORE_SCHEDULER,
    CORE_READ_ENGINE,
    CORE_UP,
    CORE_DOWN,
    CORE_PORT,
    CORE_LINE,
    CORE_DISPATCH,
    CORE_RETIRE,
    CORE_FABRIC,
    CORE_CONTEXT_UNIT, /* these two with nic.context_unit only */
    CORE_TRANSLATION_UNIT,
    CORE_MEMORY,      /* with nic.staging only */
    CORE_FREE_LIST,   /* with nic.payload_free_list only */
    CORE_PAYLOAD_RAM, /* of one bank with one port only */
    CORE_COUNT
};

static const char *const core_name[CORE_COUNT] = {
    "host_cpu", "scheduler", "read_engine",  "pcie_up",          "pcie_down", "port",      "line",       "dispatch",
    "retire",   "fabric",    "context_unit", "translation_unit", "memory",    "free_list", "payload_ram"};

static void fill_server(const struct server *server, struct rnicsim_stage_info *out)
{
    out->items = server->items;
    out->time_ps[RNICSIM_WORK] = api_in_ps(server->clk, server->work_cyc);
    out->time_ps[RNICSIM_DOWNSTREAM_FULL] = api_in_ps(server->clk, server->blocked_cyc);
    out->time_ps[RNICSIM_BUBBLE] = api_in_ps(server->clk, server->bubble_cyc);
}

static void fill_decision(const struct rnic *nic, const struct rnic_decision *decision, struct rnicsim_stage_info *out)
{
    static const enum rnicsim_cause cause[RNIC_WAITS] = {[RNIC_WAIT_INPUT] = RNICSIM_NO_INPUT,
                                                         [RNIC_WAIT_DOWNSTREAM] = RNICSIM_DOWNSTREAM_FULL,
                                                         [RNIC_WAIT_BUFFER] = RNICSIM_NO_BUFFER,
                                                         [RNIC_WAIT_WINDOW] = RNICSIM_WINDOW_FULL,
                                                         [RNIC_WAIT_CONTEXT] = RNICSIM_CONTEXT_BUSY,
                                                         [RNIC_WAIT_WQE] = RNICSIM_NO_WQE,
                                                         [RNIC_WAIT_RATE] = RNICSIM_RATE_LIMIT,
                                                         [RNIC_WAIT_REQUEST] = RNICSIM_NO_REQUEST,
                                                         [RNIC_WAIT_CONTEXT_MISS] = RNICSIM_CONTEXT_MISS,
                                                         [RNIC_WAIT_RECEIVE_WQE] = RNICSIM_NO_RECEIVE_WQE,
                                                         [RNIC_WAIT_SRQ] = RNICSIM_SRQ_BUSY,
                                                         [RNIC_WAIT_RETRANSMIT] = RNICSIM_NO_RETRANSMIT,
                                                         [RNIC_WAIT_RETRY] = RNICSIM_RETRY};
    out->items = decision->items;
    out->time_ps[RNICSIM_WORK] = api_in_ps(&nic->user_clk, decision->work_cyc);
    for (int wait = 0; wait < RNIC_WAITS; wait++)
        if (wait != RNIC_WAIT_INPUT)
            out->time_ps[cause[wait]] += api_in_ps(&nic->user_clk, decision->wait_cyc[wait]);
}

/* The FIFO behind a stage: in front of the path's stage `index`, or the path's end. */
static void name_behind(const struct path *path, int index, struct rnicsim_stage_info *out)
{
    out->behind_path = path->name;
    out->behind = index < path->count ? path->stage[index].name : path->end.shape.name;
}

/* Another function's TLPs until now. */
static struct pcie_count others_of(const struct rnic *nic, enum pcie_direction direction)
{
    const struct pcie *pcie = &nic->pcie;
    const struct stops *stops = &pcie->stops[direction];
    uint64_t tlps = stops_others_by(stops, clk_at_or_after(&pcie->link_clk, nic->sim->now));
    return (struct pcie_count){tlps, tlps * (uint64_t)pcie->params->mps, tlps * (uint64_t)stops->others.took_cyc};
}

static void add_endpoint_waits(const struct rnic *nic, const struct pcie_wait *wait, int64_t *time_ps)
{
    time_ps[RNICSIM_NO_TAG] += api_in_ps(&nic->user_clk, wait->tag_cyc);
    time_ps[RNICSIM_NO_CREDIT_CPLH] += api_in_ps(&nic->user_clk, wait->room_cyc[RESERVE_HEADERS]);
    time_ps[RNICSIM_NO_CREDIT_CPLD] += api_in_ps(&nic->user_clk, wait->room_cyc[RESERVE_DATA]);
}

static void add_credit_waits(const struct rnic *nic, const struct pcie_wait *wait, int64_t *time_ps)
{
    static const enum rnicsim_cause cause_of[FLOW_LACKS] = {[FLOW_NO_PH] = RNICSIM_NO_CREDIT_PH,
                                                            [FLOW_NO_PD] = RNICSIM_NO_CREDIT_PD,
                                                            [FLOW_NO_NPH] = RNICSIM_NO_CREDIT_NPH};
    for (int lack = 0; lack < FLOW_LACKS; lack++)
        time_ps[cause_of[lack]] += api_in_ps(&nic->pcie.link_clk, wait->credit_cyc[lack]);
}

static void fill_unit(const struct rnic *nic, enum lookup_unit unit, struct rnicsim_stage_info *out)
{
    out->items = nic->lookup.unit[unit].items;
    out->time_ps[RNICSIM_WORK] = api_in_ps(&nic->user_clk, nic->lookup.unit[unit].work_cyc);
}

static void fill_core(const struct rnic *nic, enum core core, struct rnicsim_stage_info *out)
{
    const struct pcie *pcie = &nic->pcie;
    out->path = "core";
    out->name = core_name[core];
    switch (core) {
    case CORE_HOST:
        out->items = nic->host.calls;
        out->time_ps[RNICSIM_WORK] = nic->host.work_ps;
        break;
    case CORE_SCHEDULER:
        fill_decision(nic, &nic->scheduling, out);
        break;
    case CORE_DISPATCH:
        fill_decision(nic, &nic->dispatching, out);
        name_behind(&nic->path[RNIC_RESPOND], 0, out);
        break;
    case CORE_RETIRE:
        fill_decision(nic, &nic->retiring, out);
        break;
    case CORE_PORT:
        fill_server(&nic->port.server, out);
        name_behind(&nic->path[RNIC_TX], 0, out);
        break;
    case CORE_READ_ENGINE:
        out->items = pcie->operations_done;
        out->time_ps[RNICSIM_WORK] = api_in_ps(&nic->user_clk, pcie->issue_work_cyc);
        for (int kind = 0; kind < PCIE_KIND_COUNT; kind++)
            add_endpoint_waits(nic, &pcie->wait[kind], out->time_ps);
        break;
    case CORE_FABRIC:
        out->items = nic->fabric.packets;
        out->time_ps[RNICSIM_WORK] = api_in_ps(&nic->fabric.clk, nic->fabric.work_cyc);
        out->time_ps[RNICSIM_NO_BUFFER] = api_in_ps(&nic->fabric.clk, nic->fabric.wait_cyc);
        break;
    case CORE_CONTEXT_UNIT:
    case CORE_TRANSLATION_UNIT:
        fill_unit(nic, core == CORE_CONTEXT_UNIT ? LOOKUP_CONTEXT : LOOKUP_TRANSLATION, out);
        break;
    case CORE_MEMORY: /* the mean of its channels */
        out->items = nic->staging.accesses;
        out->time_ps[RNICSIM_WORK] = nic->staging.work_ps / nic->params->memory_channels;
        break;
    case CORE_FREE_LIST: /* its giving side */
        out->items = nic->payload.allocations;
        out->time_ps[RNICSIM_WORK] = api_in_ps(&nic->user_clk, nic->payload.list_work_cyc);
        break;
    case CORE_PAYLOAD_RAM:
        out->items = nic->payload.packets;
        out->time_ps[RNICSIM_WORK] = api_in_ps(&nic->user_clk, nic->payload.ram_work_cyc);
        break;
    case CORE_LINE:
        out->items = nic->line.frames;
        out->time_ps[RNICSIM_WORK] = api_in_ps(&nic->line.clk, nic->line.work_cyc);
        break;
    default:
        for (int kind = 0; kind < PCIE_KIND_COUNT; kind++)
            out->items += pcie->count[core == CORE_UP ? PCIE_UP : PCIE_DOWN][kind].tlps;
        out->time_ps[RNICSIM_WORK] =
            api_in_ps(&pcie->link_clk, core == CORE_UP ? pcie->up_work_cyc : pcie->down_work_cyc);
        out->time_ps[RNICSIM_WORK] +=
            api_in_ps(&pcie->link_clk, (int64_t)others_of(nic, core == CORE_UP ? PCIE_UP : PCIE_DOWN).link_bytes);
        const struct replay *replay = &pcie->replay[core == CORE_UP ? PCIE_UP : PCIE_DOWN];
        out->time_ps[RNICSIM_NO_REPLAY_BUFFER] = api_in_ps(&pcie->link_clk, replay->wait_cyc);
        out->time_ps[RNICSIM_REPLAY] = api_in_ps(&pcie->link_clk, replay->lost_cyc);
        for (int kind = 0; kind < PCIE_KIND_COUNT; kind++)
            if ((kind == PCIE_DOORBELL) == (core == CORE_DOWN))
                add_credit_waits(nic, &pcie->wait[kind], out->time_ps);
        break;
    }
}

/* Some are there only with what they stand for. */
static int is_there(const struct rnic *nic, int core)
{
    switch (core) {
    case CORE_CONTEXT_UNIT:
    case CORE_TRANSLATION_UNIT:
        return nic->lookup.on;
    case CORE_MEMORY:
        return nic->staging.on;
    case CORE_FREE_LIST:
        return nic->params->payload_free_list > 0;
    case CORE_PAYLOAD_RAM:
        return nic->payload.is_slow;
    default:
        return 1;
    }
}

/* Stages of one NIC: those of its paths, then the decision points. */
static size_t stages_of(const struct rnic *nic)
{
    size_t count = 0;
    for (int core = 0; core < CORE_COUNT; core++)
        count += is_there(nic, core) != 0;
    for (int path = 0; path < RNIC_PATHS; path++)
        count += (size_t)nic->path[path].count;
    return count;
}

size_t rnicsim_stage_count(const struct rnicsim *sim)
{
    return stages_of(&sim->system.nic[0]) + stages_of(&sim->system.nic[1]);
}

struct rnic *api_pick_nic(struct rnicsim *sim, size_t *index, size_t (*count)(const struct rnic *))
{
    for (uint32_t i = 0; i < API_HOSTS; i++) {
        size_t own = count(&sim->system.nic[i]);
        if (*index < own)
            return &sim->system.nic[i];
        *index -= own;
    }
    return 0;
}

/* What a stage did not account for is time without input; what it has booked beyond now is taken off its work. */
static void balance(const struct rnicsim *sim, struct rnicsim_stage_info *out)
{
    int64_t total = sim->first_post_ps == SIM_NEVER ? 0 : sim->system.sim.now - sim->first_post_ps;
    for (int cause = 0; cause < RNICSIM_CAUSE_COUNT; cause++)
        total -= cause == RNICSIM_NO_INPUT ? 0 : out->time_ps[cause];
    out->time_ps[RNICSIM_NO_INPUT] = total > 0 ? total : 0;
    for (int cause = 0; cause < RNICSIM_CAUSE_COUNT && total < 0; cause++) {
        int64_t off = -total < out->time_ps[cause] ? -total : out->time_ps[cause];
        out->time_ps[cause] -= off;
        total += off;
    }
}

int rnicsim_stage(struct rnicsim *sim, size_t index, struct rnicsim_stage_info *out)
{
    const struct rnic *nic = api_pick_nic(sim, &index, stages_of);
    if (!nic)
        return RNICSIM_EINPUT;
    *out = (struct rnicsim_stage_info){.nic = nic->setup.name};
    for (int path = 0; path < RNIC_PATHS; path++) {
        if (index < (size_t)nic->path[path].count) {
            out->path = rnic_path_name[path];
            out->name = nic->path[path].stage[index].name;
            fill_server(&nic->path[path].stage[index].server, out);
            name_behind(&nic->path[path], (int)index + 1, out);
            balance(sim, out);
            return RNICSIM_OK;
        }
        index -= (size_t)nic->path[path].count;
    }
    int core = 0;
    while (!is_there(nic, core) || index-- > 0)
        core++;
    fill_core(nic, (enum core)core, out);
    balance(sim, out);
    return RNICSIM_OK;
}

/* ---- TLPs ---- */

size_t rnicsim_tlp_count(const struct rnicsim *sim)
{
    (void)sim;
    return API_HOSTS * PCIE_DIRECTION_COUNT * PCIE_KIND_COUNT;
}

int rnicsim_tlp(const struct rnicsim *sim, size_t index, struct rnicsim_tlp_info *out)
{
    static const char *const kind[PCIE_KIND_COUNT] = {[PCIE_PAYLOAD_READ] = "payload read",
                                                      [PCIE_WQE_READ] = "wqe read",
                                                      [PCIE_PAYLOAD_WRITE] = "payload write",
                                                      [PCIE_CQE_WRITE] = "cqe write",
                                                      [PCIE_RECEIVE_READ] = "receive WQE read",
                                                      [PCIE_CONTEXT_READ] = "context read",
                                                      [PCIE_CONTEXT_WRITE] = "context write",
                                                      [PCIE_EQE_WRITE] = "eqe write",
                                                      [PCIE_MSIX] = "msi-x",
                                                      [PCIE_TRANSLATION] = "translation",
                                                      [PCIE_OTHERS] = "others",
                                                      [PCIE_DOORBELL] = "doorbell",
                                                      [PCIE_RECORD_READ] = "record read",
                                                      [PCIE_REGISTER_READ] = "register read",
                                                      [PCIE_FETCH_ADD] = "fetch and add",
                                                      [PCIE_CMP_SWAP] = "compare and swap",
                                                      [PCIE_ATOMIC_WRITE] = "atomic write"};
    if (index >= rnicsim_tlp_count(sim))
        return RNICSIM_EINPUT;
    size_t which = index % PCIE_KIND_COUNT, direction = index / PCIE_KIND_COUNT % PCIE_DIRECTION_COUNT;
    const struct rnic *nic = &sim->system.nic[index / PCIE_KIND_COUNT / PCIE_DIRECTION_COUNT];
    struct pcie_count all =
        which == PCIE_OTHERS ? others_of(nic, (enum pcie_direction)direction) : nic->pcie.count[direction][which];
    const struct pcie_count *count = &all;
    *out = (struct rnicsim_tlp_info){.nic = nic->setup.name,
                                     .direction = direction == PCIE_UP ? "up" : "down",
                                     .kind = kind[which],
                                     .tlps = count->tlps,
                                     .payload_bytes = count->payload_bytes,
                                     .link_bytes = count->link_bytes,
                                     .link_time_ps = api_in_ps(&nic->pcie.link_clk, (int64_t)count->link_bytes)};
    if ((direction == PCIE_DOWN) == (which == PCIE_DOORBELL)) {
        add_endpoint_waits(nic, &nic->pcie.wait[which], out->stall_ps);
        add_credit_waits(nic, &nic->pcie.wait[which], out->stall_ps);
    }
    return RNICSIM_OK;
}

/* ---- who waits for whom ---- */

static void explain_qp(const struct rnic *nic, const struct qp *qp, char *text, size_t room)
{
    uint32_t left = qp->posted - qp->retired;
    const char *waits = qp->known == qp->retired     ? "its doorbell has not reached the scheduler"
                        : qp->fetched == qp->retired ? "its WQE is not in the NIC"
                        : qp->recovery.waits         ? "its peer has no receive WQE, or is not asked again yet"
                        : qp->cut == qp->retired     ? "its packets are not all cut"
                                                     : "no ACK of its last packet came back";
    snprintf(text, room,
             "host %s QP %u: %u requests unfinished, the oldest waits: %s (not acknowledged from PSN %u on, the next "
             "one is %u; the peer expects %u); ",
             nic->setup.name, qp->qpn, left, waits, qp->requester.psn_oldest, qp->requester.psn_next,
             nic->peer->qp[qp->peer].responder.psn_expected);
}

/* Returns the length of what it has written. */
static size_t explain_drops(const struct rnic *nic, char *text, size_t room)
{
    uint64_t bad = nic->drops_underrun + nic->drops_not_read + nic->drops_damaged;
    if (room < 2 || nic->drops_full + bad + nic->drops_planned + nic->drops_sequence + nic->drops_unwanted == 0)
        return 0;
    snprintf(text, room,
             "NIC %s dropped %llu frames without space, %llu with a wrong FCS, %llu out of sequence, %llu that "
             "nobody wanted; %llu were lost on the line; ",
             nic->setup.name, (unsigned long long)nic->drops_full, (unsigned long long)bad,
             (unsigned long long)nic->drops_sequence, (unsigned long long)nic->drops_unwanted,
             (unsigned long long)nic->drops_planned);
    return strlen(text);
}

void rnicsim_explain_stuck(const struct rnicsim *sim, char *text, size_t text_bytes)
{
    size_t used = 0;
    int is_any = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < API_HOSTS; i++) {
        const struct rnic *nic = &sim->system.nic[i];
        for (uint32_t q = 0; q < nic->qps && used + 1 < text_bytes; q++)
            if (nic->qp[q].posted != nic->qp[q].retired) {
                is_any = 1;
                explain_qp(nic, &nic->qp[q], text + used, text_bytes - used);
                used += strlen(text + used);
            }
        used += explain_drops(nic, text + used, text_bytes - used);
    }
    if (!is_any)
        text[0] = 0; /* all that was lost was sent again */
}

/* ---- what was sent again ---- */

static uint64_t retransmits_of(const struct rnic *nic)
{
    uint64_t count = 0;
    for (int i = 0; i < RECOVER_CAUSES; i++)
        count += nic->retransmits[i];
    return count < RECOVER_EVENTS ? count : RECOVER_EVENTS;
}

size_t rnicsim_retransmit_count(const struct rnicsim *sim)
{
    return (size_t)(retransmits_of(&sim->system.nic[0]) + retransmits_of(&sim->system.nic[1]));
}

int rnicsim_retransmit(const struct rnicsim *sim, size_t index, struct rnicsim_retransmit_info *out)
{
    static const char *const cause[RECOVER_CAUSES] = {"nak", "rnr", "implied_nak", "timeout"};
    size_t first = (size_t)retransmits_of(&sim->system.nic[0]);
    uint32_t host = index >= first;
    if (index >= rnicsim_retransmit_count(sim) || !out)
        return RNICSIM_EINPUT;
    const struct rnic *nic = &sim->system.nic[host];
    const struct recover_event *event = &nic->recovered[host ? index - first : index];
    *out = (struct rnicsim_retransmit_info){.at_ps = event->at_ps - sim->system.shift_ps,
                                            .host = host,
                                            .qpn = nic->qp[event->qp].qpn,
                                            .psn = event->psn,
                                            .cause = cause[event->cause]};
    return RNICSIM_OK;
}
