/* Who reaches whom, and how soon at the earliest: the edges from which the kernel computes each decider's horizon (R6). Every way in
 * which one decision point's act can wake or feed another stands here: a path's least latency, or, where space comes back, a cycle. */
#include "nic/rnic.h"

/* A push at a cycle is seen one later, then the path's stages follow. */
static int64_t through(const struct rnic *rnic, enum rnic_path path)
{
    return rnic->user_clk.whole + path_least_ps(&rnic->path[path]);
}

#define OTHER_CLOCK_PS 1 /* space that comes back from another clock's edge can be seen a picosecond later */

int answers_turn_on(struct rnic *rnic)
{
    int64_t cycle = rnic->user_clk.whole;
    int up = rnic->pcie.up_decider;
    if (rnic->answers.on)
        return 0;
    rnic->answers.on = rnic->has_more_inputs = rnic->holds_requests = 1;
    if (atomics_init(rnic) || (rnic->atomics.lock && context_open_writes(rnic)))
        return -1;
    rnic->pcie.sends_one_by_one |= !rnic->atomics.lock; /* AtomicOps carry operands */
    scheduler_grant_answers(rnic);
    rnic->port.divert = answers_divert_ack;
    rnic->port.divert_self = rnic;
    /* a request that is answered, the writes before it, and the data that is written at the requester */
    return sim_reach(rnic->sim, rnic->scheduler, up, cycle, SIM_FORWARD) ||
                   sim_reach(rnic->sim, rnic->dispatch, rnic->scheduler, rnic->params->answer_latency * cycle,
                             SIM_FORWARD) ||
                   sim_reach(rnic->sim, up, rnic->scheduler, OTHER_CLOCK_PS, SIM_FORWARD) ||
                   sim_reach(rnic->sim, up, rnic->retire, OTHER_CLOCK_PS, SIM_FORWARD) ||
                   sim_reach(rnic->sim, rnic->dispatch, rnic->retire, cycle, SIM_FORWARD) /* an answer is missing */
               ? -1
               : 0;
}

int sent_turn_on(struct rnic *rnic)
{
    if (rnic->tells_when_sent)
        return 0;
    rnic->tells_when_sent = 1;
    return agenda_init(&rnic->sent, 64) ||
                   sim_reach(rnic->sim, rnic->port.decider, rnic->retire,
                             rnic->params->port_latency * rnic->user_clk.whole + path_least_ps(&rnic->path[RNIC_TX]) +
                                 through(rnic, RNIC_RETIRE),
                             SIM_FORWARD)
               ? -1
               : 0;
}

int rnic_declare(struct rnic *rnic, int outbox)
{
    const struct pcie *pcie = &rnic->pcie;
    int64_t cycle = rnic->user_clk.whole, link = pcie->params->link_latency;
    int up = pcie->up_decider, down = pcie->down_decider, port = rnic->port.decider;
    int64_t engine = pcie_up_lookahead_ps(pcie); /* the read engine, which runs inside its callers */
    int writes_acknowledge = rnic->setup.transport->ack_point != TRANSPORT_ACK_ACCEPTED;
    const struct {
        int from, to;
        int64_t least_ps;
        enum sim_way way;
    } edge[] = {
        /* what goes forward */
        {outbox, down, rnic->sim->outside_lookahead_ps, SIM_FORWARD},
        {down, rnic->scheduler, link, SIM_FORWARD},
        {down, port, link + through(rnic, RNIC_PAYLOAD), SIM_FORWARD},
        {rnic->scheduler, up, through(rnic, RNIC_SCHED) + engine, SIM_FORWARD},
        {rnic->scheduler, port, through(rnic, RNIC_SCHED) + engine + through(rnic, RNIC_PAYLOAD), SIM_FORWARD},
        {down, up, link + engine, SIM_FORWARD},
        {up, down, pcie_down_lookahead_ps(pcie), SIM_FORWARD},
        {port, rnic->peer->arrival,
         rnic->params->port_latency * cycle + path_least_ps(&rnic->path[RNIC_TX]) +
             rnic->line.delay_cyc * rnic->line.clk.whole + path_least_ps(&rnic->peer->path[RNIC_MAC_RX]),
         SIM_FORWARD},
        {rnic->arrival, rnic->dispatch, path_least_ps(&rnic->path[RNIC_RX]), SIM_FORWARD},
        {rnic->dispatch, up, through(rnic, RNIC_RESPOND), SIM_FORWARD},
        {writes_acknowledge ? up : rnic->dispatch, port, through(rnic, RNIC_ACK), SIM_FORWARD},
        {rnic->dispatch, port, through(rnic, RNIC_ACK), SIM_FORWARD}, /* a NAK, whatever is acknowledged where */
        {rnic->dispatch, rnic->retire, through(rnic, RNIC_RETIRE), SIM_FORWARD},
        {rnic->scheduler, rnic->retire, cycle, SIM_FORWARD},
        {rnic->retire, up, through(rnic, RNIC_CQE), SIM_FORWARD},
        {rnic->retire, outbox, cycle, SIM_FORWARD},
        {up, outbox, link + pcie->root.visible_least_ps, SIM_FORWARD},
        /* what comes back: tags, the window, space */
        {rnic->retire, rnic->scheduler, cycle, SIM_FORWARD},
        {port, rnic->scheduler, cycle, SIM_FORWARD},
        {port, writes_acknowledge ? up : rnic->dispatch, cycle, SIM_BY_RELEASE},
        /* A doorbell that is taken makes room for a store in the receive buffer, which the scheduler itself sends on. Its credits go up
         * the link to a store at the root complex, which without them stops all behind it. */
        {rnic->scheduler, down, link, SIM_UNBLOCKS},
        {rnic->retire, rnic->dispatch, cycle, SIM_BY_RELEASE},
        {up, rnic->dispatch, OTHER_CLOCK_PS, SIM_BY_RELEASE},
        {up, rnic->retire, OTHER_CLOCK_PS, SIM_BY_RELEASE},
    };
    if (rnic->fabric_source != NIC_FABRIC_OFF &&
        sim_reach(rnic->sim, outbox, rnic->scheduler, fabric_least_ps(rnic), SIM_FORWARD))
        return -1;
    /* contexts: who misses asks the scheduler, which tells when they are there, and writes back what is thrown out */
    if (rnic->contexts.on && (sim_reach(rnic->sim, rnic->dispatch, rnic->scheduler, cycle, SIM_FORWARD) ||
                              sim_reach(rnic->sim, rnic->scheduler, rnic->dispatch, cycle, SIM_FORWARD) ||
                              sim_reach(rnic->sim, rnic->scheduler, up, cycle, SIM_FORWARD) ||
                              sim_reach(rnic->sim, up, rnic->scheduler, OTHER_CLOCK_PS, SIM_FORWARD)))
        return -1;
    /* the MAC tells of what is sent */
    if (rnic->completes_when_sent && (sim_reach(rnic->sim, port, rnic->retire,
                                                rnic->params->port_latency * cycle +
                                                    path_least_ps(&rnic->path[RNIC_TX]) + through(rnic, RNIC_RETIRE),
                                                SIM_FORWARD) ||
                                      sim_reach(rnic->sim, rnic->retire, port, cycle, SIM_BY_RELEASE)))
        return -1;
    if (rnic->receives_fetched.on && (sim_reach(rnic->sim, rnic->dispatch, rnic->scheduler, cycle, SIM_FORWARD) ||
                                      sim_reach(rnic->sim, rnic->scheduler, rnic->dispatch, cycle, SIM_FORWARD) ||
                                      sim_reach(rnic->sim, down, rnic->dispatch, link, SIM_FORWARD)))
        return -1;
    /* what is written gives a place back to the receive path, or its CQE to be made */
    if ((rnic->place_until_written && sim_reach(rnic->sim, up, rnic->dispatch, cycle, SIM_FORWARD)) ||
        (rnic->receive_cqe_apart && sim_reach(rnic->sim, up, rnic->retire, cycle, SIM_FORWARD)))
        return -1;
    /* units: what dispatch does otherwise */
    if (rnic->lookup.on &&
        (sim_reach(rnic->sim, rnic->arrival, rnic->scheduler, path_least_ps(&rnic->path[RNIC_RX]), SIM_FORWARD) ||
         sim_reach(rnic->sim, rnic->scheduler, up, through(rnic, RNIC_RESPOND), SIM_FORWARD) ||
         sim_reach(rnic->sim, rnic->scheduler, port, through(rnic, RNIC_ACK), SIM_FORWARD) ||
         sim_reach(rnic->sim, rnic->scheduler, rnic->retire, through(rnic, RNIC_RETIRE), SIM_FORWARD)))
        return -1;
    /* a line that holds up frames: whoever frees the receiver's FIFO, however far behind it */
    const struct rnic *peer = rnic->peer;
    if (rnic->line_holds) {
        path_entry(&rnic->peer->path[RNIC_RX])->write_decider = port;
        if (sim_reach(rnic->sim, peer->arrival, port, OTHER_CLOCK_PS, SIM_FORWARD) ||
            sim_reach(rnic->sim, peer->dispatch, port, OTHER_CLOCK_PS, SIM_FORWARD) ||
            sim_reach(rnic->sim, peer->scheduler, port, OTHER_CLOCK_PS, SIM_FORWARD) ||
            sim_reach(rnic->sim, peer->retire, port, OTHER_CLOCK_PS, SIM_FORWARD) ||
            sim_reach(rnic->sim, peer->pcie.up_decider, port, OTHER_CLOCK_PS, SIM_FORWARD))
            return -1;
    }
    if (pcie->retire && (sim_reach(rnic->sim, down, rnic->retire, link, SIM_FORWARD) || /* a read that failed */
                         sim_reach(rnic->sim, port, rnic->retire, cycle, SIM_FORWARD)))
        return -1;
    if (staging_declare(rnic) || pause_declare(rnic))
        return -1;
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++)
        if (sim_reach(rnic->sim, edge[i].from, edge[i].to, edge[i].least_ps, edge[i].way))
            return -1;
    return 0;
}
