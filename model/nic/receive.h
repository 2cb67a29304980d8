/* The way in, from the line to memory: a frame is taken or dropped when it arrives (receive_arrive.c), judged when it is all there, then dispatched
 * (receive.c): data to the responder (receive_respond.c), ACKs and answers to the requester. */
#ifndef NIC_RECEIVE_H
#define NIC_RECEIVE_H

#include "nic/rnic.h"

int receive_init(struct rnic *rnic, char *error, size_t error_bytes);
/* Its decider for frames that arrive; -1: there are too many. */
int receive_arrive_init(struct rnic *rnic);
/* Dispatches what has come and whose fate is certain. */
void receive_dispatch_certain(struct rnic *rnic);
/* Takes frames from the line whose fate is certain: those that find space whatever happens, and those that arrive by now. Wakes the
 * arrival decider for the next. */
void receive_arrivals(struct rnic *rnic);
/* Sends the ACK (or NAK) for a data packet; it is made at from_cyc. */
void receive_acknowledge(struct rnic *rnic, const struct item *data, uint32_t status, int64_t from_cyc);

/* When there is space for an ACK and a CNP; SIM_NEVER: not decided yet, and I am woken. */
int64_t receive_two_acks_at(struct rnic *rnic);
/* Puts it, or another frame without payload, on its way. */
void receive_send_ack(struct rnic *rnic, uint32_t ref, int64_t from_cyc);

/* The place of a packet that is written is free at cyc, or as soon as those before it are. */
void receive_free_place(struct rnic *rnic, int64_t cyc);
/* Whether the packet, if it is accepted, takes a receive WQE. */
static inline int receive_takes_wqe(const struct item *item, const struct message *message)
{
    return message_is_send(message) ? item->first : item->last && message_is_received(message);
}
/* Gives the message its receive WQE. 0: that is too small. */
int receive_give_wqe(struct rnic *rnic, const struct qp *qp, struct message *message, const struct qp_receive *receive);
/* All before it have theirs: it is the queue's next. */
static inline void receive_count_wqe(struct receive_queue *queue, struct message *message)
{
    message->has_receive = 2;
    queue->taken++;
}
/* Sends the NAK for a packet that was taken ahead of a missing one. */
void receive_tell_ahead(struct rnic *rnic, const struct item *item, int64_t from_cyc);

/* A data packet ends here without being delivered. */
void receive_drop(struct rnic *rnic, uint32_t ref);
/* The same for any frame that is bad, which is counted. */
void receive_drop_bad(struct rnic *rnic, uint32_t ref);
/* When what a packet needs behind its dispatch is there; SIM_NEVER: not decided yet, and the writer is woken. */
int64_t receive_room_at(struct rnic *rnic, const struct item *item);
int64_t receive_ack_room_at(struct rnic *rnic);
/* A good data packet goes to the responder; an ACK for it is made at ack_cyc. 1: it goes on to the write engine. */
int receive_take(struct rnic *rnic, uint32_t ref, int64_t now_cyc, int64_t ack_cyc);
/* A good packet of an answer goes to the requester's memory. */
void receive_take_answer(struct rnic *rnic, uint32_t ref, int64_t now_cyc);

static inline int receive_acks_on_acceptance(const struct rnic *rnic)
{
    return rnic->setup.transport->ack_point == TRANSPORT_ACK_ACCEPTED;
}
/* A packet that was sent again is accepted: these of its message's stamps are its own. */
void receive_end_trip(struct rnic *rnic, struct item *item, int from, int to);

#endif
