/* What is kept of stretches of time for whoever looks at them afterwards: incidents at the hosts, and passes from stage to stage. */
#include "api/api_internal.h"

#include <stdlib.h>
#include <string.h>

struct watch_fifo { /* the context of a FIFO's callback */
    struct watch *watch;
    const struct fifo *fifo;
    const struct rnic *nic;
    size_t index;
    int path;
};

struct watch {
    struct rnicsim *sim;
    struct pcie_stretch *stretches; /* in the simulation's own time */
    size_t stretch_count;
    struct pcie_log logs[API_HOSTS];
    struct watch_fifo *fifos;
    struct rnicsim_pass *passes;
    size_t count, room;
    uint64_t missed;
};

void watch_free(struct rnicsim *sim)
{
    struct watch *watch = sim->watch;
    if (!watch)
        return;
    for (uint32_t host = 0; host < API_HOSTS; host++)
        free(watch->logs[host].entry);
    free(watch->stretches);
    free(watch->fifos);
    free(watch->passes);
    free(watch);
    sim->watch = 0;
}

/* The stretches are those of the first who asks. */
static int begin(struct rnicsim *sim, const struct rnicsim_stretch *stretches, size_t count, size_t room,
                 struct rnicsim_error *error)
{
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    if (sim->posted > 0)
        return api_fail(error, RNICSIM_EINPUT, "something has been posted: who watches comes before");
    if (!stretches || count < 1 || room < 1)
        return api_fail(error, RNICSIM_EINPUT, "a watch: allowed is room from 1, and a stretch at the least");
    if (sim->watch && sim->watch->stretch_count != count)
        return api_fail(error, RNICSIM_EINPUT, "a second watch: allowed with the same stretches");
    if (sim->watch)
        return RNICSIM_OK;
    sim->watch = calloc(1, sizeof *sim->watch);
    if (!sim->watch)
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    *sim->watch =
        (struct watch){.sim = sim, .stretch_count = count, .stretches = malloc(count * sizeof *sim->watch->stretches)};
    if (!sim->watch->stretches)
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    for (size_t i = 0; i < count; i++) {
        int64_t shift_ps = sim->system.shift_ps, to_ps = stretches[i].to_ps;
        sim->watch->stretches[i] =
            (struct pcie_stretch){stretches[i].from_ps + shift_ps, to_ps == RNICSIM_NEVER ? to_ps : to_ps + shift_ps};
    }
    return RNICSIM_OK;
}

/* ---- incidents ---- */

int rnicsim_incidents_watch(struct rnicsim *sim, const struct rnicsim_stretch *stretches, size_t count, size_t room,
                            struct rnicsim_error *error)
{
    int result = begin(sim, stretches, count, room, error);
    for (uint32_t host = 0; result == RNICSIM_OK && host < API_HOSTS; host++) {
        struct pcie_log *log = &sim->watch->logs[host];
        struct pcie *pcie = &sim->system.nic[host].pcie;
        *log = (struct pcie_log){.stretch = sim->watch->stretches,
                                 .stretches = count,
                                 .room = room,
                                 .entry = malloc(room * sizeof *log->entry)};
        if (!log->entry)
            return api_fail(error, RNICSIM_EINPUT, "out of memory");
        root_keep_log(&pcie->root, log);
        for (int direction = 0; direction < PCIE_DIRECTION_COUNT; direction++) {
            pcie->replay[direction].log = log;
            pcie->replay[direction].log_clk = &pcie->link_clk;
        }
    }
    return result;
}

size_t rnicsim_incidents(const struct rnicsim *sim, struct rnicsim_incident *out, size_t max)
{
    static const char *const what[PCIE_INCIDENTS] = {
        [PCIE_SLOW_READ] = "slow read",   [PCIE_REFRESH] = "DRAM refresh", [PCIE_IOTLB_MISS] = "IOTLB miss",
        [PCIE_HOST_STALL] = "host stall", [PCIE_HOST_WOKE] = "host woke",  [PCIE_REPLAYED] = "TLP replay"};
    size_t count = 0;
    for (uint32_t host = 0; sim->watch && host < API_HOSTS; host++)
        for (size_t i = 0; i < sim->watch->logs[host].count; i++, count++) {
            const struct pcie_log_entry *entry = &sim->watch->logs[host].entry[i];
            if (count < max)
                out[count] = (struct rnicsim_incident){.host = host,
                                                       .what = what[entry->what],
                                                       .at_ps = entry->at_ps - sim->system.shift_ps,
                                                       .took_ps = entry->took_ps};
        }
    return count;
}

/* ---- passes ---- */

static void name_qp(const struct rnic *nic, uint32_t qp, struct rnicsim_pass *pass)
{
    pass->qpn = qp < nic->qps ? nic->qp[qp].qpn : 0;
}

static void name_message(const struct rnic *nic, uint32_t index, struct rnicsim_pass *pass)
{
    if (index >= nic->setup.messages->room)
        return;
    const struct message *message = rnic_message(nic, index);
    pass->request = message->ordinal;
}

/* An item's QP is that of the NIC that receives it. */
static void name_item(const struct rnic *nic, uint32_t index, struct rnicsim_pass *pass)
{
    static const char *const kind[] = {[ITEM_DATA] = "packet", [ITEM_ACK] = "ack", [ITEM_ANSWER] = "answer"};
    pass->what = "write";
    if (index >= nic->setup.items->room)
        return;
    const struct item *item = rnic_item(nic, index);
    pass->what = kind[item->kind];
    pass->psn = item->psn;
    if (item->kind != ITEM_ACK)
        name_message(nic, item->message, pass);
}

/* An operation of the read engine. */
static void name_read(const struct rnic *nic, uint32_t index, struct rnicsim_pass *pass)
{
    const struct pcie_read *read = &nic->pcie.read[index];
    if (read->kind == PCIE_PAYLOAD_READ)
        name_item(nic, read->ref, pass);
    else if (read->kind == PCIE_WQE_READ)
        name_qp(nic, RNIC_QP_OF(read->ref), pass);
    pass->what = "read";
}

static void name_what(const struct rnic *nic, int path, uint32_t ref, struct rnicsim_pass *pass)
{
    switch (path) {
    case RNIC_DOORBELL:
        pass->what = "doorbell";
        name_qp(nic, rnic_doorbell(nic, ref)->qp, pass);
        break;
    case RNIC_SCHED:
    case RNIC_FETCH:
        name_read(nic, ref, pass);
        break;
    case RNIC_WQE:
        pass->what = "wqe";
        if (!(ref & RNIC_IS_RECEIVE))
            name_qp(nic, RNIC_QP_OF(ref & ~(RNIC_IS_RECORD | RNIC_HAS_FAILED)), pass);
        break;
    case RNIC_CQE:
        pass->what = "cqe";
        name_message(nic, ref & ~RNIC_CQE_OF_RECEIVE, pass);
        break;
    default:
        name_item(nic, ref, pass);
        break;
    }
}

static int is_within(const struct watch *watch, int64_t from_ps, int64_t to_ps)
{
    for (size_t i = 0; i < watch->stretch_count; i++)
        if (from_ps <= watch->stretches[i].to_ps && to_ps >= watch->stretches[i].from_ps)
            return 1;
    return 0;
}

static void take_pass(void *context, int64_t start_cyc, int64_t head_cyc, int64_t tail_cyc, uint32_t bytes,
                      uint32_t ref)
{
    struct watch_fifo *own = context;
    struct watch *watch = own->watch;
    const struct clk *clk = own->fifo->shape.write_clk;
    int64_t start_ps = clk_edge(clk, start_cyc), shift_ps = watch->sim->system.shift_ps;
    if (!is_within(watch, start_ps, start_ps))
        return;
    if (watch->count == watch->room) {
        watch->missed++;
        return;
    }
    struct rnicsim_pass *pass = &watch->passes[watch->count++];
    *pass = (struct rnicsim_pass){.fifo = own->index,
                                  .bytes = bytes,
                                  .start_cycle = start_cyc,
                                  .head_cycle = head_cyc,
                                  .tail_cycle = tail_cyc,
                                  .start_ps = start_ps - shift_ps,
                                  .head_ps = clk_edge(clk, head_cyc) - shift_ps,
                                  .tail_ps = clk_edge(clk, tail_cyc) - shift_ps};
    name_what(own->nic, own->path, ref, pass);
}

int rnicsim_passes_watch(struct rnicsim *sim, const struct rnicsim_stretch *stretches, size_t count, size_t room,
                         struct rnicsim_error *error)
{
    size_t fifos = rnicsim_fifo_count(sim);
    int result = begin(sim, stretches, count, room, error);
    if (result != RNICSIM_OK)
        return result;
    struct watch *watch = sim->watch;
    watch->room = room;
    watch->passes = malloc(room * sizeof *watch->passes);
    watch->fifos = calloc(fifos, sizeof *watch->fifos);
    if (!watch->passes || !watch->fifos)
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    for (size_t i = 0; i < fifos; i++) {
        struct rnic *nic = 0;
        int path = 0;
        struct fifo *fifo = api_fifo(sim, i, &nic, &path);
        watch->fifos[i] = (struct watch_fifo){watch, fifo, nic, i, path};
        if (fifo)
            fifo_watch(fifo, take_pass, &watch->fifos[i]);
    }
    return RNICSIM_OK;
}

const struct rnicsim_pass *rnicsim_passes(const struct rnicsim *sim, size_t *count, uint64_t *missed)
{
    *count = sim->watch ? sim->watch->count : 0;
    *missed = sim->watch ? sim->watch->missed : 0;
    return sim->watch ? sim->watch->passes : 0;
}

static struct rnicsim_clock clock_of(const struct rnicsim *sim, const struct clk *clk)
{
    return (struct rnicsim_clock){clk->num, clk->den, clk->phase_ps - sim->system.shift_ps};
}

int rnicsim_fifo_clocks(struct rnicsim *sim, size_t index, struct rnicsim_clock *write, struct rnicsim_clock *read)
{
    struct rnic *nic;
    int path;
    const struct fifo *fifo = api_fifo(sim, index, &nic, &path);
    if (!fifo)
        return RNICSIM_EINPUT;
    *write = clock_of(sim, fifo->shape.write_clk);
    *read = clock_of(sim, fifo->shape.read_clk);
    return RNICSIM_OK;
}
