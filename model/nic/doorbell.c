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
    rnic_forward(entry, pcie_store_take(&rnic->pcie, space_at), 1, ref);
}

/* With nic.doorbell_full = drop: whether the store, which has no space at its arrival as far as is known, must still wait for that instant,
 * at which it is decided; I am woken then. */
static int is_to_come(struct rnic *rnic, int64_t in_cyc)
{
    int64_t in_ps = rnic_ps(rnic, in_cyc);
    if (in_ps <= rnic->sim->now)
        return 0;
    sim_wake(rnic->sim, rnic->pcie.down_decider, in_ps);
    return 1;
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
