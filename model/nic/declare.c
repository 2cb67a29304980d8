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
    int up = pcie->up_decider, down = pcie->down_decider, read = pcie->read_decider, port = rnic->port.decider;
    const struct {
        int from, to;
        int64_t least_ps;
    } edge[] = {
        /* what goes forward */
        {outbox, down, rnic->sim->outside_lookahead_ps},
        {down, rnic->scheduler, link},
        {down, port, link + through(rnic, RNIC_PAYLOAD)},
        {rnic->scheduler, read, through(rnic, RNIC_SCHED)},
        {read, up, pcie_up_lookahead_ps(pcie)},
        {read, port, through(rnic, RNIC_PAYLOAD)},
        {up, down, pcie_down_lookahead_ps(pcie)},
        {port, rnic->line_decider, rnic->params->port_latency * cycle + path_least_ps(&rnic->path[RNIC_TX])},
        {rnic->line_decider, rnic->peer->arrival,
         rnic->line.delay_cyc * rnic->line.clk.whole + path_least_ps(&rnic->peer->path[RNIC_MAC_RX])},
        {rnic->arrival, rnic->dispatch, path_least_ps(&rnic->path[RNIC_RX])},
        {rnic->dispatch, up, through(rnic, RNIC_RESPOND)},
        {rnic->dispatch, port, through(rnic, RNIC_ACK)},
        {up, port, through(rnic, RNIC_ACK)},
        {rnic->dispatch, rnic->retire, through(rnic, RNIC_RETIRE)},
        {rnic->scheduler, rnic->retire, cycle},
        {rnic->retire, up, through(rnic, RNIC_CQE)},
        {rnic->retire, outbox, cycle},
        {up, outbox, link + pcie->params->host_write},
        /* what comes back: tags, the window, space */
        {down, read, link},
        {rnic->retire, rnic->scheduler, cycle},
        {read, rnic->scheduler, cycle},
        {port, rnic->scheduler, cycle},
        {port, read, cycle},
        {port, rnic->dispatch, cycle},
        {port, up, cycle},
        {rnic->scheduler, down, cycle},
        {rnic->retire, rnic->dispatch, cycle},
        {rnic->line_decider, port, OTHER_CLOCK_PS},
        {up, rnic->dispatch, OTHER_CLOCK_PS},
        {up, rnic->retire, OTHER_CLOCK_PS},
    };
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++)
        if (sim_reach(rnic->sim, edge[i].from, edge[i].to, edge[i].least_ps))
            return -1;
    return 0;
}
