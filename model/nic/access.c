#include "nic/access.h"

#include "nic/rnic.h"

/* Rights that the answer's place needs (IBTA vol. 1, 10.6.3: what the NIC writes is to be writable). */
static uint32_t local_rights(const struct message *message)
{
    return message_answer_bytes(message) > 0 ? KEY_LOCAL_WRITE : 0;
}

static uint32_t remote_rights(const struct message *message)
{
    if (message_is_atomic(message))
        return KEY_REMOTE_ATOMIC;
    if (message->opcode == MESSAGE_READ)
        return KEY_REMOTE_READ;
    if (message->opcode != MESSAGE_FLUSH)
        return KEY_REMOTE_WRITE;
    return (message->immediate & MESSAGE_FLUSH_VISIBLE ? KEY_FLUSH_VISIBLE : 0) |
           (message->immediate & MESSAGE_FLUSH_PERSISTENT ? KEY_FLUSH_PERSISTENT : 0);
}

/* As much of the list as `left` bytes take. */
static int allows_list(const struct rnic *rnic, struct key_use use, const struct sge_list *list, uint64_t left)
{
    for (uint32_t i = 0; i < list->count; i++) {
        use.key = list->sge[i].lkey;
        use.address = list->sge[i].address;
        use.length_bytes = list->sge[i].bytes < left ? list->sge[i].bytes : left;
        left -= use.length_bytes;
        if (!keys_allow(&rnic->keys, &use))
            return 0;
    }
    return 1;
}

int access_local(const struct rnic *requester, const struct qp *qp, const struct message *message)
{
    if (message->has_inline || message->opcode == MESSAGE_FLUSH)
        return 1;
    struct key_use use = {.key = message->lkey,
                          .pd = qp->pd,
                          .qp = rnic_qp_index(requester, qp),
                          .access = local_rights(message),
                          .address = message->local_address,
                          .length_bytes = message->length_bytes};
    if (message->local_sges > 0)
        return allows_list(requester, use,
                           sges_of(requester->setup.sges, rnic_message_index(requester, message), SGE_OF_REQUEST),
                           message->length_bytes);
    return keys_allow(&requester->keys, &use);
}

int access_remote(const struct rnic *responder, const struct qp *qp, const struct message *message)
{
    if (message_is_send(message) || message_is_local(message))
        return 1;
    uint32_t rights = remote_rights(message);
    int is_whole_region = message->opcode == MESSAGE_FLUSH && (message->immediate & MESSAGE_FLUSH_REGION);
    struct key_use use = {.key = message->rkey,
                          .pd = qp->pd,
                          .qp = rnic_qp_index(responder, qp),
                          .access = rights,
                          .address = message->remote_address,
                          .length_bytes = is_whole_region ? 1 : message->length_bytes};
    return (qp->access & rights) == rights && keys_allow(&responder->keys, &use);
}

int access_receive(const struct rnic *responder, const struct qp *qp, const struct qp_receive *receive,
                   uint64_t length_bytes)
{
    struct key_use use = {.key = receive->lkey,
                          .pd = qp->pd,
                          .qp = rnic_qp_index(responder, qp),
                          .access = KEY_LOCAL_WRITE,
                          .address = receive->address,
                          .length_bytes = length_bytes};
    if (receive->list)
        return allows_list(responder, use, receive->list, length_bytes);
    return keys_allow(&responder->keys, &use);
}

int access_wrong_local(const struct rnic *requester, struct message *message)
{
    if ((message->wrong_keys & MESSAGE_KEYS_LATER) && !access_local(requester, &requester->qp[message->qp], message))
        message->wrong_keys |= MESSAGE_LOCAL_KEY;
    return message->wrong_keys & MESSAGE_LOCAL_KEY;
}

int access_wrong_remote(const struct rnic *responder, const struct qp *qp, struct message *message)
{
    if ((message->wrong_keys & MESSAGE_KEYS_LATER) && !access_remote(responder, qp, message))
        message->wrong_keys |= MESSAGE_REMOTE_KEY;
    return message->wrong_keys & MESSAGE_REMOTE_KEY;
}
