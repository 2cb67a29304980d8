/* The host rings: its store, pushed with the WQE or 8 bytes, on its way to the NIC. Or user logic in the FPGA posts. */
#include "nic/rnic.h"

static int ring_from_fabric(struct rnic *rnic, struct qp *qp, uint32_t index, uint32_t count, int64_t at_ps)
{
    if (fabric_post(rnic, index, count, at_ps))
        return -1;
    qp->posted += count;
    rnic->requests += count;
    fabric_stream(rnic);
    return 0;
}

/* A WQE is written through the doorbell page, line by line. In which order the pieces of a line come does not matter: the NIC has the
 * WQE with the last of them. */
static void push(struct rnic *rnic, int64_t root_at, uint32_t wqe_bytes, uint32_t ref)
{
    for (uint32_t line = 0; line < wqe_bytes; line += HOST_PUSH_BYTES) {
        uint32_t piece = host_push_piece(&rnic->host);
        for (uint32_t sent = piece; sent < HOST_PUSH_BYTES; sent += piece)
            pcie_store(&rnic->pcie, root_at, piece, HOST_STORE_PART);
        pcie_store(&rnic->pcie, root_at, piece, line + HOST_PUSH_BYTES < wqe_bytes ? HOST_STORE_PART : ref);
    }
}

/* A doorbell is lost at its arrival; the next one of its QP tells of its WQEs, too, and then a pushed one is only a doorbell. */
static void drop(struct rnic *rnic, struct fifo *entry, uint32_t ref)
{
    const struct rnic_doorbell *doorbell = rnic_doorbell(rnic, ref);
    rnic->qp[doorbell->qp].rung_in_vain += doorbell->count;
    entry->drops++;
    pool_give(&rnic->doorbells, ref);
    pcie_store_take(&rnic->pcie, 0);
}

static void forward(struct rnic *rnic, struct fifo *entry, int64_t space_at, uint32_t ref)
{
    struct rnic_doorbell *doorbell = rnic_doorbell(rnic, ref);
    struct qp *qp = &rnic->qp[doorbell->qp];
    if (__builtin_expect(qp->rung_in_vain > 0, 0)) {
        doorbell->count += qp->rung_in_vain;
        doorbell->pushed = 0;
        qp->rung_in_vain = 0;
    }
    if (rnic->params->doorbell_coalesce == NIC_DOORBELL_COALESCE_ON)
        qp->doorbell = ref;
    rnic_forward(entry, pcie_store_take(&rnic->pcie, space_at), 1, ref);
}

/* Whether what becomes of the store is decided at its instant, which is still to come; I am woken then. With nic.doorbell_full = drop, when
 * it has no space at its arrival as far as is known; with nic.doorbell_coalesce, when another of its QP waits now. */
static int is_to_come(struct rnic *rnic, int64_t in_cyc)
{
    int64_t in_ps = rnic_ps(rnic, in_cyc);
    if (in_ps <= rnic->sim->now)
        return 0;
    sim_wake(rnic->sim, rnic->pcie.down_decider, in_ps);
    return 1;
}

/* Whether a doorbell in the path is not taken by the scheduler by the cycle, which is now: it is taken in the one in which it comes out. */
static int still_waits(const struct rnic *rnic, uint32_t ref, int64_t now_cyc)
{
    const struct fifo *out = &rnic->path[RNIC_DOORBELL].end;
    for (uint32_t i = out->first; i != out->next && out->slot[i & out->mask].head_cyc <= now_cyc; i++)
        if (out->slot[i & out->mask].ref == ref)
            return 0;
    return 1;
}

/* Nothing passes a push: behind one a doorbell has a place of its own. */
static int is_alike(const struct rnic *rnic, uint32_t ref)
{
    const struct rnic_doorbell *doorbell = rnic_doorbell(rnic, ref);
    uint32_t waiting = rnic->qp[doorbell->qp].doorbell;
    return waiting != POOL_NONE && !doorbell->pushed && !rnic_doorbell(rnic, waiting)->pushed;
}

enum coalesced { NOT_COALESCED, COALESCED, TO_COME };

/* The store at the front is added to the doorbell of its QP that waits in the path, if that is there when its turn comes. */
static enum coalesced coalesce(struct rnic *rnic, const struct store_held *store)
{
    uint32_t ref = store->ref;
    if (rnic->params->doorbell_coalesce == NIC_DOORBELL_COALESCE_OFF || !is_alike(rnic, ref))
        return NOT_COALESCED;
    int64_t turn_cyc = store->in_cyc > rnic->pcie.stores.taken_cyc ? store->in_cyc : rnic->pcie.stores.taken_cyc;
    if (is_to_come(rnic, turn_cyc))
        return TO_COME;
    const struct rnic_doorbell *doorbell = rnic_doorbell(rnic, ref);
    struct qp *qp = &rnic->qp[doorbell->qp];
    if (!still_waits(rnic, qp->doorbell, turn_cyc))
        return NOT_COALESCED;
    rnic_doorbell(rnic, qp->doorbell)->count += doorbell->count;
    rnic->coalesced++;
    pool_give(&rnic->doorbells, ref);
    pcie_store_take(&rnic->pcie, 0);
    return COALESCED;
}

void doorbell_forward(struct rnic *rnic)
{
    struct fifo *entry = path_entry(&rnic->path[RNIC_DOORBELL]);
    const struct store_held *store;
    rnic->stores_wait = 0;
    while ((store = pcie_store_front(&rnic->pcie)) != 0) {
        if (store->ref == HOST_STORE_PART) { /* the register that puts a push together always takes its pieces */
            pcie_store_take(&rnic->pcie, 0);
            continue;
        }
        enum coalesced coalesced = coalesce(rnic, store);
        rnic->stores_wait = coalesced == TO_COME;
        if (coalesced == TO_COME)
            return;
        if (coalesced == COALESCED)
            continue;
        int64_t space_at = fifo_space_at(entry, 1);
        uint32_t ref = store->ref;
        if (rnic->params->doorbell_full == NIC_DOORBELL_FULL_DROP && space_at > store->in_cyc) {
            rnic->stores_wait = is_to_come(rnic, store->in_cyc);
            if (rnic->stores_wait)
                return;
            drop(rnic, entry, ref);
            continue;
        }
        if (space_at == SIM_NEVER) {
            rnic->stores_wait = 1;
            return;
        }
        forward(rnic, entry, space_at, ref);
    }
}

int rnic_ring(struct rnic *rnic, uint32_t index, uint32_t count, int64_t at_ps)
{
    struct qp *qp = &rnic->qp[index];
    if (rnic->fabric_source != NIC_FABRIC_OFF)
        return ring_from_fabric(rnic, qp, index, count, at_ps);
    uint32_t ref = pool_take(&rnic->doorbells);
    if (ref == POOL_NONE)
        return -1;
    int64_t begin_ps;
    int64_t store_at = host_post(&rnic->host, at_ps, count, &begin_ps);
    for (uint32_t i = 0; i < count; i++) {
        struct message *message = rnic_message(rnic, qp->send[(qp->posted + i) & qp->send_mask]);
        if (message->stamp_ps[MESSAGE_AT_ARRIVAL] == SIM_NEVER)
            message->stamp_ps[MESSAGE_AT_ARRIVAL] = begin_ps;
        message->stamp_ps[MESSAGE_AT_POST] = begin_ps;
        message->stamp_ps[MESSAGE_AT_MMIO] = store_at;
    }
    const struct message *first = rnic_message(rnic, qp->send[qp->posted & qp->send_mask]);
    uint32_t wqe_bytes = host_wqe_bytes(!message_is_send(first), first->has_inline, first->length_bytes);
    int pushed = count == 1 && rnic->host.params->push == HOST_PUSH_ON && wqe_bytes <= rnic->host.params->push_limit;
    *rnic_doorbell(rnic, ref) = (struct rnic_doorbell){.qp = index, .count = count, .pushed = pushed};
    qp->posted += count;
    rnic->requests += count;
    int64_t root_at = store_at + rnic->host.params->store_latency;
    if (pushed)
        push(rnic, root_at, wqe_bytes, ref);
    else
        pcie_store(&rnic->pcie, root_at, (uint32_t)rnic->host.params->doorbell, ref);
    if (rnic->host.params->mmio_read == HOST_MMIO_READ_ON) /* it goes behind the store, which nothing passes */
        host_wait(&rnic->host,
                  rnic->host.params->load_latency + pcie_register_read(&rnic->pcie, rnic->params->register_latency));
    return 0;
}
