/* Who reaches whom, and how soon at the earliest: the edges from which the kernel computes each decider's horizon (R6). Every way in
 * which one decision point's act can wake or feed another stands here: a path's least latency, or, where space comes back, a cycle. */
#include "nic/rnic.h"

/* A push at a cycle is seen one later, then the path's stages follow. */
static int64_t through(const struct rnic *rnic, enum rnic_path path)
{
    return rnic->user_clk.whole + path_least_ps(&rnic->path[path]);
}

#define OTHER_CLOCK_PS 1 /* space that comes back from another clock's edge can be seen a picosecond later */

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
        int by_release;
    } edge[] = {
        /* what goes forward */
        {outbox, down, rnic->sim->outside_lookahead_ps, 0},
        {down, rnic->scheduler, link, 0},
        {down, port, link + through(rnic, RNIC_PAYLOAD), 0},
        {rnic->scheduler, up, through(rnic, RNIC_SCHED) + engine, 0},
        {rnic->scheduler, port, through(rnic, RNIC_SCHED) + engine + through(rnic, RNIC_PAYLOAD), 0},
        {down, up, link + engine, 0},
        {rnic->payload, port, through(rnic, RNIC_PAYLOAD), 0},
        {up, down, pcie_down_lookahead_ps(pcie), 0},
        {port, rnic->line_decider, rnic->params->port_latency * cycle + path_least_ps(&rnic->path[RNIC_TX]), 0},
        {rnic->line_decider, rnic->peer->arrival,
         rnic->line.delay_cyc * rnic->line.clk.whole + path_least_ps(&rnic->peer->path[RNIC_MAC_RX]), 0},
        {rnic->arrival, rnic->dispatch, path_least_ps(&rnic->path[RNIC_RX]), 0},
        {rnic->dispatch, up, through(rnic, RNIC_RESPOND), 0},
        {writes_acknowledge ? up : rnic->dispatch, port, through(rnic, RNIC_ACK), 0},
        {rnic->dispatch, port, through(rnic, RNIC_ACK), 0}, /* a NAK, whatever is acknowledged where */
        {rnic->dispatch, rnic->retire, through(rnic, RNIC_RETIRE), 0},
        {rnic->scheduler, rnic->retire, cycle, 0},
        {rnic->retire, up, through(rnic, RNIC_CQE), 0},
        {rnic->retire, outbox, cycle, 0},
        {up, outbox, link + pcie->params->host_write, 0},
        /* what comes back: tags, the window, space */
        {rnic->retire, rnic->scheduler, cycle, 0},
        {rnic->payload, rnic->scheduler, cycle, 0},
        {port, rnic->scheduler, cycle, 0},
        {port, rnic->payload, cycle, 1},
        {port, writes_acknowledge ? up : rnic->dispatch, cycle, 1},
        {rnic->scheduler, down, cycle, 1},
        {rnic->retire, rnic->dispatch, cycle, 1},
        {rnic->line_decider, port, OTHER_CLOCK_PS, 1},
        {up, rnic->dispatch, OTHER_CLOCK_PS, 1},
        {up, rnic->retire, OTHER_CLOCK_PS, 1},
    };
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++)
        if (sim_reach(rnic->sim, edge[i].from, edge[i].to, edge[i].least_ps, edge[i].by_release))
            return -1;
    return 0;
}
