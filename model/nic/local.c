#include "nic/local.h"

#include "nic/rnic.h"

#include <stdio.h>

int local_turn_on(struct rnic *rnic, char *error, unsigned long error_bytes)
{
    snprintf(error, error_bytes,
             "windows and regions that work requests register: allowed with nic.context_unit = 0, nic.grant = step, "
             "nic.fabric = off");
    if (rnic->lookup.on || rnic->grants_requests || rnic->fabric_source != NIC_FABRIC_OFF)
        return -1;
    rnic->has_local = rnic->holds_requests = 1;
    return 0;
}

int local_holds(const struct rnic *rnic, const struct qp *qp)
{
    const struct message *message = rnic_message(rnic, qp->send[qp->cut & qp->send_mask]);
    if (qp->local_under_way)
        return 1;
    if (!message_is_local(message) || message->returned)
        return 0;
    return (message->fenced && qp->answers_due > 0) || (message->opcode == MESSAGE_LOCAL_INV && qp->acked != qp->cut);
}

/* What stands in a local message in other fields' places. */
static struct key_change change_of(const struct rnic *rnic, const struct message *message)
{
    return (struct key_change){.key = message->rkey,
                               .new_key = message->immediate,
                               .region = message->lkey,
                               .access = message->access,
                               .base = message->local_address,
                               .length_bytes = message->remote_address,
                               .pd = rnic->qp[message->qp].pd,
                               .qp = message->qp};
}

static int64_t takes_cyc(const struct rnic *rnic, const struct message *message)
{
    const struct key *key = keys_find(&rnic->keys, message->rkey);
    if (message->opcode != MESSAGE_FAST_REG || !key)
        return rnic->params->bind_latency;
    uint64_t pages = (message->remote_address + key->page_bytes - 1) / key->page_bytes;
    return rnic->params->fast_register_latency + (int64_t)pages * rnic->params->fast_register_page;
}

void local_begin(struct rnic *rnic, uint32_t index, int64_t now_cyc)
{
    struct qp *qp = &rnic->qp[index];
    uint32_t ref = qp->send[qp->cut & qp->send_mask];
    struct message *message = rnic_message(rnic, ref);
    qp->cut++;
    if (message->returned) /* the QP went back to what was before it */
        return;
    if (message->stamp_ps[MESSAGE_AT_GRANT] == SIM_NEVER) /* it was pushed */
        message->stamp_ps[MESSAGE_AT_GRANT] = message->stamp_ps[MESSAGE_AT_WQE] = rnic->sim->now;
    message->stamp_ps[MESSAGE_AT_PACKET] = rnic->sim->now;
    message->cut = 1;
    message->last_psn = psn_add(requester_end(&qp->requester), PSN_MASK); /* acknowledged with what is before it */
    qp->local_under_way = 1;
    message_hold(rnic->setup.messages, ref);
    retire_returned(rnic, ref, now_cyc + takes_cyc(rnic, message));
}

uint32_t local_end(struct rnic *rnic, struct message *message)
{
    struct key_change change = change_of(rnic, message);
    int failed;
    if (message->opcode == MESSAGE_LOCAL_INV)
        failed = keys_invalidate(&rnic->keys, change.key, change.pd, change.qp);
    else if (message->opcode == MESSAGE_BIND_MW)
        failed = keys_bind(&rnic->keys, &change);
    else
        failed = keys_register(&rnic->keys, &change);
    for (int stamp = MESSAGE_AT_PAYLOAD; stamp <= MESSAGE_AT_ACK_RECEIVED; stamp++)
        message->stamp_ps[stamp] = rnic->sim->now;
    message->returned = 1;
    if (failed)
        message->status = message->opcode == MESSAGE_BIND_MW ? MESSAGE_BIND_FAILED : MESSAGE_QP_OPERATION;
    return message->status;
}

uint32_t local_request(const struct qp *qp, uint32_t message)
{
    uint32_t request = qp->acked;
    while (qp->send[request & qp->send_mask] != message)
        request++;
    return request;
}
