/* The QPs that have something to send: a tree of two levels, traffic class and then QP. A QP of service level s is of class s modulo
 * nic.classes. With one class the QPs are all there is. A class may have a rate limit: then it has its turn only when that allows.
 *
 * A decision costs what the arbiters' policies cost (arbiter.h), and up to NIC_CLASSES_MAX steps while a class waits for its rate. */
#ifndef NIC_READY_H
#define NIC_READY_H

#include "kernel/clk.h"
#include "nic/arbiter.h"
#include "nic/params.h"
#include "nic/rate.h"

#define NIC_CLASSES_MAX 8u

struct ready {
    const struct clk *clk; /* of the scheduler */
    struct arbiter classes, qps[NIC_CLASSES_MAX];
    struct arbiter_entity *qp; /* by the QP's index; its level is its service level */
    uint32_t room;
    struct arbiter_entity class[NIC_CLASSES_MAX];
    uint32_t class_count;
    int in_order; /* who gets ready later, comes later */
    struct rate rate[NIC_CLASSES_MAX];
    uint32_t in_turn, waiting; /* bits of the classes that the arbiter of classes has; that have QPs but must wait */
};

/* The least quantum that counts bytes: no frame may be larger. INT64_MAX: none does. */
int64_t ready_quantum_bytes(const struct nic_params *params);
/* Whether traffic classes share by bytes, of turns or in virtual time. */
int ready_counts_class_bytes(const struct nic_params *params);
/* Returns 0, or -1 with one line in `error`. */
int ready_init(struct ready *ready, const struct clk *clk, const struct nic_params *params, char *error,
               size_t error_bytes);
void ready_free(struct ready *ready);
/* There are `qps` QPs now; the newest has this service level and weight. Returns -1 without memory. */
int ready_add(struct ready *ready, uint32_t qps, uint32_t service_level, uint32_t weight);

/* The QP, which is not ready, gets ready at a cycle (they come in order of their cycles): its next frame's bytes. */
void ready_put(struct ready *ready, uint32_t qp, uint32_t bytes, int64_t cyc);
/* When the next class's rate allows a turn; SIM_NEVER: none waits. Those that are allowed by `cyc` get their turn. */
int64_t ready_class_cyc(const struct ready *ready);
void ready_allow(struct ready *ready, int64_t cyc);
/* Whose turn it is; ARBITER_NONE: nobody's. */
uint32_t ready_first(struct ready *ready);
/* The first was served at a cycle: see arbiter_served(). */
int ready_served(struct ready *ready, uint32_t qp, uint32_t bytes, int ends_message, uint32_t next_bytes,
                 int is_backlogged, int64_t cyc);
/* A QP that is not ready will not be again without something new. */
void ready_leave(struct ready *ready, uint32_t qp);

#endif
