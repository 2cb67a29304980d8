/* Whether a request's keys allow what it does, at either end of it. */
#ifndef NIC_ACCESS_H
#define NIC_ACCESS_H

#include "nic/message.h"

struct rnic;
struct qp;
struct qp_receive;

/* Its local buffer, as the requester's NIC sees it; its remote one, as the responder's does. 1: they allow it. */
int access_local(const struct rnic *requester, const struct qp *qp, const struct message *message);
int access_remote(const struct rnic *responder, const struct qp *qp, const struct message *message);
/* The same for a receive buffer that takes the message. */
int access_receive(const struct rnic *responder, const struct qp *qp, const struct qp_receive *receive,
                   uint64_t length_bytes);

/* A packet is granted, or comes in: its message's keys are looked at now if what they allow can change (MESSAGE_KEYS_LATER). Returns whether the
 * one that is asked for is wrong, as found now or when it was posted. */
int access_wrong_local(const struct rnic *requester, struct message *message);
int access_wrong_remote(const struct rnic *responder, const struct qp *qp, struct message *message);

#endif
