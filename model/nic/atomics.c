/* The atomic unit: locks by address, and the write of what was changed. */
#include "nic/rnic.h"

#include <stdlib.h>

#define WRITE_DESCRIPTOR_BYTES 1u

int atomics_init(struct rnic *rnic)
{
    struct atomics *atomics = &rnic->atomics;
    if (rnic->params->atomic == NIC_ATOMIC_HOST)
        return 0;
    atomics->count = (uint32_t)rnic->params->atomic_locks;
    atomics->lock = malloc(atomics->count * sizeof *atomics->lock);
    if (!atomics->lock || heap_init(&atomics->changed, 16) || heap_init(&atomics->freed, 16))
        return -1;
    for (uint32_t i = 0; i < atomics->count; i++)
        atomics->lock[i] = (struct atomic_lock){0, QP_NONE, QP_NONE, QP_NONE};
    return 0;
}

void atomics_free(struct rnic *rnic)
{
    free(rnic->atomics.lock);
    heap_free(&rnic->atomics.changed);
    heap_free(&rnic->atomics.freed);
}

/* Neighbouring values fall on different locks. */
static uint32_t lock_of(const struct atomics *atomics, uint64_t address)
{
    return (uint32_t)(address / ATOMIC_BYTES % atomics->count);
}

int atomics_must_wait(struct rnic *rnic, uint32_t index, const struct answer *answer)
{
    struct atomics *atomics = &rnic->atomics;
    if (answer->kind != ANSWER_ATOMIC || !atomics->lock)
        return 0;
    struct atomic_lock *lock = &atomics->lock[lock_of(atomics, answer->address)];
    if (lock->qp == QP_NONE)
        return 0;
    rnic->qp[index].next_answering = QP_NONE;
    *(lock->waiting_first == QP_NONE ? &lock->waiting_first : &rnic->qp[lock->waiting_last].next_answering) = index;
    lock->waiting_last = index;
    atomics->waited++;
    return 1;
}

uint32_t atomics_begin(struct rnic *rnic, uint32_t index, const struct answer *answer, uint32_t item)
{
    struct atomics *atomics = &rnic->atomics;
    const struct message *message = rnic_message(rnic, answer->message);
    atomics->done++;
    if (!atomics->lock) {
        enum pcie_kind kind = message->opcode == MESSAGE_CMP_SWAP ? PCIE_CMP_SWAP : PCIE_FETCH_ADD;
        return pcie_read_begin(&rnic->pcie, kind, answer->address, ATOMIC_BYTES, item);
    }
    struct atomic_lock *lock = &atomics->lock[lock_of(atomics, answer->address)];
    lock->qp = index;
    lock->address = answer->address;
    rnic->qp[index].atomics_unwritten++;
    return pcie_read_begin(&rnic->pcie, PCIE_PAYLOAD_READ, answer->address, ATOMIC_BYTES, item);
}

/* The lock goes to one of these heaps, and the scheduler is woken for it. */
static void schedule(struct rnic *rnic, struct heap *heap, int64_t at_cyc, uint32_t lock)
{
    model_assert(rnic->sim, heap_put(heap, at_cyc, lock, lock) == 0, "out of memory");
    sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, at_cyc));
}

void atomics_value_is_here(struct rnic *rnic, const struct item *item, int failed, int64_t at_cyc)
{
    struct atomics *atomics = &rnic->atomics;
    if (!atomics->lock)
        return;
    uint32_t lock = lock_of(atomics, rnic_message(rnic, item->message)->remote_address);
    if (failed)
        schedule(rnic, &atomics->freed, at_cyc + 1, lock);
    else
        schedule(rnic, &atomics->changed, at_cyc + rnic->params->atomic_latency, lock);
}

void atomics_describe(const struct rnic *rnic, uint32_t ref, struct pcie_write *write)
{
    *write = (struct pcie_write){.address = rnic->atomics.lock[ref & ~ATOMIC_WRITE_BIT].address,
                                 .bytes = ATOMIC_BYTES,
                                 .kind = PCIE_ATOMIC_WRITE};
}

void atomics_written(struct rnic *rnic, uint32_t ref, int64_t sent_cyc)
{
    schedule(rnic, &rnic->atomics.freed, sent_cyc, ref & ~ATOMIC_WRITE_BIT);
}

/* The QPs that wait for it have their turns again, and so has the one that had it, where its answers wait for the write. */
static void free_lock(struct rnic *rnic, struct atomic_lock *lock, int64_t now_cyc)
{
    uint32_t owner = lock->qp, next = lock->waiting_first;
    lock->qp = lock->waiting_first = QP_NONE;
    rnic->qp[owner].atomics_unwritten--;
    answers_await_turn(rnic, owner, now_cyc);
    while (next != QP_NONE) {
        uint32_t index = next;
        next = rnic->qp[index].next_answering;
        rnic->qp[index].answering = 0;
        answers_await_turn(rnic, index, now_cyc);
    }
}

int64_t atomics_run(struct rnic *rnic, int64_t now_cyc)
{
    struct atomics *atomics = &rnic->atomics;
    struct fifo *writes = &rnic->contexts.writes;
    const struct heap_entry *first;
    int64_t next = SIM_NEVER;
    if (!atomics->lock)
        return SIM_NEVER;
    while ((first = heap_first(&atomics->freed)) != 0 && first->at <= now_cyc)
        free_lock(rnic, &atomics->lock[heap_take(&atomics->freed).ref], now_cyc);
    if (first)
        next = first->at;
    while ((first = heap_first(&atomics->changed)) != 0) {
        int64_t space_at = fifo_space_at(writes, WRITE_DESCRIPTOR_BYTES);
        writes->writer_waits |= space_at == SIM_NEVER;
        int64_t at = first->at > space_at ? first->at : space_at;
        if (at > now_cyc)
            return at < next ? at : next;
        rnic_forward(writes, now_cyc, WRITE_DESCRIPTOR_BYTES,
                     (uint32_t)heap_take(&atomics->changed).ref | ATOMIC_WRITE_BIT);
    }
    return next;
}
