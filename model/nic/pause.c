#include "nic/pause.h"

#include "mac/headroom.h"
#include "nic/rnic.h"

#include <stdio.h>

#define PAUSE_FRAME_BYTES 60u /* without FCS */

/* ---- what the peer asked for ---- */

/* The first instant from `at` on at which nothing is paused, of what was told. */
static int64_t allowed_at(const struct pause *pause, int64_t at_ps)
{
    for (uint32_t i = 0; i < pause->tolds; i++) {
        int64_t ends_ps = i + 1 < pause->tolds ? pause->told[i + 1].from_ps : SIM_NEVER;
        int64_t until_ps = pause->told[i].until_ps < ends_ps ? pause->told[i].until_ps : ends_ps;
        if (at_ps >= pause->told[i].from_ps && at_ps < until_ps)
            at_ps = until_ps;
    }
    return at_ps;
}

static int64_t paused_between(const struct pause_told *told, int64_t from_ps, int64_t to_ps)
{
    int64_t begin = told->from_ps > from_ps ? told->from_ps : from_ps;
    int64_t end = told->until_ps < to_ps ? told->until_ps : to_ps;
    return end > begin ? end - begin : 0;
}

int64_t pause_paused_ps(const struct pause *pause, int64_t now_ps)
{
    int64_t ps = pause->paused_ps;
    for (uint32_t i = 0; i < pause->tolds; i++) {
        int64_t ends_ps =
            i + 1 < pause->tolds && pause->told[i + 1].from_ps < now_ps ? pause->told[i + 1].from_ps : now_ps;
        ps += paused_between(&pause->told[i], pause->counted_ps, ends_ps);
    }
    return ps;
}

/* What is over by now is counted and forgotten, but for the last. */
static void forget(struct pause *pause, int64_t now_ps)
{
    uint32_t over = 0;
    while (over + 1 < pause->tolds && pause->told[over + 1].from_ps <= now_ps)
        over++;
    if (over == 0)
        return;
    int64_t upto_ps = pause->told[over].from_ps;
    pause->paused_ps = pause_paused_ps(pause, upto_ps);
    pause->counted_ps = upto_ps;
    for (uint32_t i = over; i < pause->tolds; i++)
        pause->told[i - over] = pause->told[i];
    pause->tolds -= over;
}

/* A pause that goes on and on is ended (a storm), and not listened to for as long again. */
static int64_t watched(struct rnic *rnic, struct pause *pause, int64_t at_ps, int64_t until_ps)
{
    int64_t longest_ps = rnic->setup.mac->pause_watchdog;
    if (at_ps < pause->ignored_ps)
        return at_ps;
    if (allowed_at(pause, at_ps) == at_ps)
        pause->since_ps = at_ps;
    if (longest_ps == 0 || until_ps - pause->since_ps < longest_ps)
        return until_ps;
    pause->storms++;
    int64_t ends_ps = pause->since_ps + longest_ps;
    pause->ignored_ps = ends_ps + longest_ps;
    return ends_ps > at_ps ? ends_ps : at_ps;
}

/* The peer's pause frame has come, and is obeyed from at_ps on. */
static void take(struct rnic *rnic, int64_t at_ps, int64_t quanta)
{
    struct pause *pause = &rnic->pause;
    int64_t until_ps = at_ps + headroom_quanta_ps(rnic->setup.mac->rate, quanta);
    pause->received++;
    forget(pause, rnic->sim->now);
    until_ps = watched(rnic, pause, at_ps, until_ps);
    model_assert(rnic->sim, pause->tolds < PAUSE_TOLD_MAX, "%s: more than %d pause frames on their way to obedience",
                 rnic->setup.name, PAUSE_TOLD_MAX);
    pause->told[pause->tolds++] = (struct pause_told){at_ps, until_ps};
    int who = pause->per_priority ? rnic->port.decider : pause->line;
    sim_wake(rnic->sim, who, at_ps);
    if (until_ps > at_ps) /* those that wait are to look again when it ends */
        sim_wake(rnic->sim, who, until_ps);
}

/* The port's gate: data and answers, ACKs have their priorities. */
static int64_t gate_port(void *self, int input, int64_t cyc)
{
    struct rnic *rnic = self;
    const struct mac_params *p = rnic->setup.mac;
    if (cyc == SIM_NEVER || (input == 0 && p->ack_priority != p->data_priority))
        return cyc;
    int64_t at_ps = rnic_ps(rnic, cyc);
    if (at_ps < rnic->sim->now) /* it could have been granted then, if it had not been paused */
        at_ps = rnic->sim->now;
    int64_t allowed_ps = allowed_at(&rnic->pause, at_ps);
    return allowed_ps == rnic_ps(rnic, cyc) ? cyc : rnic_cycle(rnic, allowed_ps);
}

/* ---- what is asked of the peer ---- */

static void ask(struct rnic *rnic, int64_t now, int64_t quanta)
{
    const struct mac_params *p = rnic->setup.mac;
    struct pause *pause = &rnic->pause;
    int64_t at_ps = now + (p->pause_request > 0 ? p->pause_request : 1) * rnic->mac_clk.whole;
    if (at_ps < pause->frame_ps)
        pause->frame_ps = at_ps;
    pause->quanta = quanta; /* one that was not sent yet is overtaken by this one */
    pause->refresh_ps = quanta > 0 ? at_ps + headroom_quanta_ps(p->rate, quanta) * p->pause_refresh / 100 : SIM_NEVER;
    sim_wake(rnic->sim, pause->line, pause->frame_ps > now ? pause->frame_ps : now + 1);
}

int64_t pause_look(struct rnic *rnic, int64_t now)
{
    struct pause *pause = &rnic->pause;
    struct fifo *fifo = path_entry(&rnic->path[RNIC_RX]);
    uint64_t units = fifo_writer_level(fifo, clk_after(&rnic->mac_clk, now) - 1);
    if (!pause->asked && units >= pause->xoff_units) {
        pause->asked = 1;
        ask(rnic, now, rnic->setup.mac->pause_quanta);
    } else if (pause->asked && units <= pause->xon_units) {
        pause->asked = 0;
        ask(rnic, now, 0);
    } else if (pause->asked && now >= pause->refresh_ps) {
        ask(rnic, now, rnic->setup.mac->pause_quanta);
    }
    if (!pause->asked)
        return SIM_NEVER;
    int64_t falls_cyc = fifo_falls_at(fifo, pause->xon_units);
    if (falls_cyc == SIM_NEVER)
        fifo->writer_waits = 1; /* whoever frees space wakes this decider */
    int64_t falls_ps = falls_cyc == SIM_NEVER ? SIM_NEVER : clk_edge(&rnic->mac_clk, falls_cyc);
    if (falls_ps <= now) /* it has fallen, but more came in */
        falls_ps = now + 1;
    return falls_ps < pause->refresh_ps ? falls_ps : pause->refresh_ps;
}

static int64_t decide_look(void *self, int64_t now)
{
    return pause_look(self, now);
}

/* ---- the line ---- */

/* The pause frame is sent: the peer obeys when its MAC has judged it. */
static void send_pause(struct rnic *rnic, int64_t now)
{
    struct rnic *peer = rnic->peer;
    struct pause *pause = &rnic->pause;
    int64_t head_cyc = clk_at_or_after(&rnic->line.clk, now);
    struct line_frame frame = line_send(&rnic->line, PAUSE_FRAME_BYTES, head_cyc, head_cyc, PAUSE_FRAME_BYTES);
    pause->frame_ps = SIM_NEVER;
    pause->sent++;
    if (frame.bad) {
        peer->pause.lost++;
        return;
    }
    const struct mac_params *p = peer->setup.mac;
    int64_t at_ps = clk_edge(&rnic->line.clk, frame.last_at_cyc) + path_least_ps(&peer->path[RNIC_MAC_RX]) +
                    p->pause_receive * peer->mac_clk.whole + p->pause_response;
    take(peer, at_ps, pause->quanta);
}

/* One frame a decision's instant: what is still to come may be a pause, either way. */
static int64_t decide_line(void *self, int64_t now)
{
    struct rnic *rnic = self;
    struct pause *pause = &rnic->pause;
    for (;;) {
        int64_t free_ps = clk_edge(&rnic->line.clk, line_free_cyc(&rnic->line));
        int64_t frame_ps = pause->frame_ps > free_ps ? pause->frame_ps : free_ps;
        if (frame_ps <= now) {
            send_pause(rnic, now);
            continue;
        }
        int64_t ready_ps = port_ready_ps(rnic);
        if (ready_ps == SIM_NEVER)
            return frame_ps;
        ready_ps = ready_ps > free_ps ? ready_ps : free_ps;
        if (!pause->per_priority)
            ready_ps = allowed_at(pause, ready_ps > now ? ready_ps : now);
        if (ready_ps > now)
            return ready_ps < frame_ps ? ready_ps : frame_ps;
        port_send(rnic, now);
    }
}

/* ---- set-up ---- */

/* The closed form for this line: frames of the path MTU's largest both ways. */
static int64_t headroom_of(const struct rnic *rnic)
{
    const struct mac_params *p = rnic->setup.mac;
    const struct fifo *fifo = path_entry((struct path *)&rnic->path[RNIC_RX]);
    struct headroom given = {.rate_bps = p->rate,
                             .cable_ps = rnic->line.delay_cyc * (rnic->line.clk.whole + 1),
                             .interface_ps = 2 * path_least_ps(&rnic->path[RNIC_MAC_RX]) + 16 * rnic->mac_clk.whole,
                             .request_ps = (p->pause_request + 2) * rnic->mac_clk.whole,
                             .response_ps = p->pause_receive * rnic->mac_clk.whole + p->pause_response,
                             .own_bytes = RNIC_FRAME_BYTES_MAX,
                             .frame_bytes = RNIC_FRAME_BYTES_MAX,
                             .cell_bytes = fifo->shape.read_bytes,
                             .frame_least = (uint32_t)p->frame_least,
                             .overhead = (uint32_t)(p->preamble + p->fcs + p->gap)};
    int64_t bytes = headroom_any_bytes(&given);
    if (p->pause == MAC_PAUSE_PRIORITY) { /* what is past the port goes out */
        const struct fifo *out = path_entry((struct path *)&rnic->path[RNIC_TX]);
        bytes += (int64_t)out->shape.depth * (out->shape.in_beats ? out->shape.read_bytes : RNIC_FRAME_BYTES_MAX) +
                 rnic->params->line_fifo;
    }
    return bytes;
}

static int set_thresholds(struct rnic *rnic, char *error, size_t error_bytes)
{
    const struct mac_params *p = rnic->setup.mac;
    const struct fifo *fifo = path_entry(&rnic->path[RNIC_RX]);
    int64_t unit = fifo->shape.read_bytes, room = (int64_t)fifo->shape.depth * unit;
    int64_t headroom = p->headroom > 0 ? p->headroom : headroom_of(rnic);
    if (!fifo->shape.in_beats) {
        snprintf(error, error_bytes, "mac.pause: path rx begins with a FIFO of packets, allowed with one of beats");
        return -1;
    }
    if (headroom + unit > room) {
        snprintf(
            error, error_bytes,
            "mac.headroom: %lld B%s are not less than the %lld B of the receive FIFO %s, allowed is less, or a deeper "
            "FIFO",
            (long long)headroom, p->headroom > 0 ? "" : ", which the closed form asks for,", (long long)room,
            fifo->shape.name);
        return -1;
    }
    rnic->pause.xoff_units = (uint32_t)((room - headroom) / unit);
    int64_t xon = (int64_t)rnic->pause.xoff_units - p->xon / unit;
    rnic->pause.xon_units = xon > 0 ? (uint32_t)xon : 0;
    return 0;
}

int pause_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    struct pause *pause = &rnic->pause;
    const struct mac_params *p = rnic->setup.mac;
    if (p->pause == MAC_PAUSE_OFF)
        return 0;
    if (rnic->line_holds) {
        snprintf(error, error_bytes,
                 "mac.pause: with mac.back_pressure = on nothing is ever to be paused, allowed is off");
        return -1;
    }
    if (p->switches > 0) {
        snprintf(error, error_bytes,
                 "mac.switches: with mac.pause the pauses of switches would be missing, allowed is 0 (or rnicsim net)");
        return -1;
    }
    if (set_thresholds(rnic, error, error_bytes))
        return -1;
    pause->on = 1;
    pause->per_priority = p->pause == MAC_PAUSE_PRIORITY;
    pause->refresh_ps = pause->frame_ps = SIM_NEVER;
    snprintf(error, error_bytes, "out of memory");
    pause->line = sim_add(rnic->sim, decide_line, rnic, "line", 1);
    pause->look = sim_add(rnic->sim, decide_look, rnic, "pause", 1);
    if (pause->line < 0 || pause->look < 0)
        return -1;
    path_entry(&rnic->path[RNIC_RX])->write_decider = pause->look;
    rnic->path[RNIC_TX].end.takes_at_once = 0;
    rnic->path[RNIC_TX].end.read_decider = pause->line;
    if (pause->per_priority) {
        rnic->port.gate = gate_port;
        rnic->port.gate_self = rnic;
    }
    return 0;
}

int pause_declare(struct rnic *rnic)
{
    const struct pause *pause = &rnic->pause, *other = &rnic->peer->pause;
    struct rnic *peer = rnic->peer;
    int64_t line_ps = rnic->line.delay_cyc * rnic->line.clk.whole, mac_ps = rnic->mac_clk.whole;
    if (!pause->on)
        return 0;
    const struct {
        int from, to;
        int64_t least_ps;
        enum sim_way way;
    } edge[] = {
        {rnic->port.decider, pause->line, path_least_ps(&rnic->path[RNIC_TX]) + 1, SIM_FORWARD},
        {pause->line, rnic->port.decider, 1, SIM_BY_RELEASE},
        {pause->line, peer->arrival, line_ps + path_least_ps(&peer->path[RNIC_MAC_RX]), SIM_FORWARD},
        {rnic->port.decider, peer->arrival, line_ps + path_least_ps(&peer->path[RNIC_MAC_RX]),
         SIM_FORWARD}, /* faults */
        {pause->line, other->line, line_ps, SIM_FORWARD},
        {pause->line, peer->port.decider, line_ps, SIM_FORWARD},
        {rnic->arrival, pause->line, mac_ps, SIM_FORWARD},
        {rnic->arrival, pause->look, 1, SIM_FORWARD},
        {pause->look, pause->line, mac_ps, SIM_FORWARD},
        /* whoever frees the receive FIFO, however far behind it */
        {rnic->dispatch, pause->look, 1, SIM_FORWARD},
        {rnic->scheduler, pause->look, 1, SIM_FORWARD},
        {rnic->retire, pause->look, 1, SIM_FORWARD},
        {rnic->pcie.up_decider, pause->look, 1, SIM_FORWARD},
        {pause->line, rnic->retire, 1, SIM_FORWARD}, /* what is sent */
    };
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++)
        if (sim_reach(rnic->sim, edge[i].from, edge[i].to, edge[i].least_ps, edge[i].way))
            return -1;
    return 0;
}
