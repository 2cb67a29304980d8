/* Congestion control (transport.congestion = dcqcn): the notification point, which answers marked packets with CNPs, and what the reaction
 * point does to the rate of a QP (transport/dcqcn.h).
 *
 * A CNP is made where ACKs are, one for each QP in transport.cnp_interval, and takes their way; retire takes it. The rate is brought up to the
 * time whenever a packet of the QP is granted, which sets when the next one may be: what happens in between counts from the one after that. */
#ifndef NIC_CONGESTION_H
#define NIC_CONGESTION_H

#include "transport/dcqcn.h"

#include <stddef.h>
#include <stdint.h>

struct congestion_qp {
    struct dcqcn dcqcn;
    int64_t limit_bps; /* the QP's own limit, 0: none */
    int64_t cnp_at_ps; /* when its last CNP was made, at the receiver */
};

struct congestion {
    int on;
    uint32_t count;
    struct congestion_qp *qp;
    uint64_t marked, cnps, cnps_taken; /* packets; CNPs made, and taken */
};

struct rnic;
struct item;

/* Whether what is asked for can be; else -1 with one line in `error`. */
int congestion_check(const struct rnic *rnic, char *error, size_t error_bytes);
/* A new QP, with this index. Returns -1 without memory. */
int congestion_open(struct rnic *rnic, uint32_t index);
void congestion_free(struct rnic *rnic);

/* Dispatch, at cyc: whether the packet, if it is marked, is to be answered with a CNP; and that. */
int congestion_is_told(const struct rnic *rnic, const struct item *item, int64_t cyc);
void congestion_tell(struct rnic *rnic, const struct item *item, int64_t cyc);
/* Retire: a CNP has come for the QP. */
void congestion_react(struct rnic *rnic, uint32_t qp);
/* The scheduler: a frame of the QP is about to be granted, of so many bytes; its rate is as of now. */
void congestion_sent(struct rnic *rnic, uint32_t qp, uint32_t frame_bytes);

#endif
