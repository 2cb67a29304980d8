/* The library that stands in for libibverbs in a program under `rnicsim verbs`. One program is one host: what it asks of its device goes to
 * the launcher, which answers when virtual time is there. Between two calls a program takes no time. */
#ifndef VERBS_PRELOAD_SHIM_H
#define VERBS_PRELOAD_SHIM_H

#include <infiniband/verbs.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "traces/verbs/protocol.h"

#define SHIM_EXPORT __attribute__((visibility("default")))
#define SHIM_NEVER INT64_MAX
#define PS_PER_NS INT64_C(1000)
#define NS_PER_S INT64_C(1000000000)
#define SHIM_INLINE_MOST 220u /* what 256 bytes of a doorbell page hold beside the headers of a WRITE */
#define SHIM_SGE_MOST 30
#define SHIM_MAX_READS 16

struct shim {
    int fd; /* to the launcher; -1: not joined */
    int pid; /* that has joined: a child has not */
    int memory_fd;
    uint32_t host;
    int64_t now_ps, alarm_ps;
    int64_t tsc_hz, real_ns;
    uint64_t writes; /* of peers, as far as this program has been told */
    uint32_t empty_polls;
    int64_t nothing_at_ps; /* no completion waits for it then: a look needs no answer of the launcher's */
    volatile uint64_t entries; /* calls of this library so far */
    volatile int inside;       /* one of them is under way */
};

extern struct shim shim;

/* ---- link.c ---- */
int shim_is_joined(void);
/* Opens the connection, the first time. 0, or an errno. */
int shim_join(void);
/* Around whatever looks at the program's memory or asks the launcher. */
void shim_enter(void);
void shim_leave(void);
/* Asks, waits, takes the time of the answer. Returns its result; completions in it go to their CQs. */
int shim_ask(void *request, size_t bytes, struct verbs_reply *reply);
void shim_tell(const struct verbs_request *request);
/* Another call than a look at the clock: loops that only wait are known by having none. */
void shim_is_active(void);

/* ---- regions.c ---- */
int shim_share(uint64_t address, size_t length);
void shim_unshare(uint64_t address, size_t length);
int shim_is_shared(uint64_t address);
void shim_each_page(void (*each)(uint64_t page));

/* ---- spin.c ---- */
int shim_watch(void);
void shim_arm_again(void); /* pages on which the program waits cannot be read, so that each look is seen */
void shim_disarm(void);
void shim_forget_page(uint64_t page);
int shim_is_page_fault(const siginfo_t *info, ucontext_t *context);

/* ---- tsc.c ---- */
void shim_trap(void);
void shim_alarm_due(void);

/* ---- clock.c ---- */
/* What a look at the clock shows; where: who looks. A loop of looks makes time go on. */
int64_t shim_look(const void *where, int64_t least_ps, int64_t share);

/* ---- queues.c ---- */
void shim_complete(const struct verbs_completion *completion, uint32_t count);
int shim_poll(struct ibv_cq *cq, int most, struct ibv_wc *wc);

/* ---- events.c ---- */
struct shim_cq;
int shim_arm_cq(struct ibv_cq *cq, int solicited_only);
void shim_event(struct shim_cq *cq);
void shim_events_of(struct shim_cq *cq);     /* a new CQ */
void shim_events_forget(struct shim_cq *cq); /* which is destroyed */

/* ---- objects ---- */
struct shim_cq {
    struct ibv_cq cq;
    struct ibv_wc *wc;
    uint32_t first, count, room;
    int is_armed; /* the next completion is an event */
    uint32_t events; /* that the program has not got */
    struct shim_cq *next;
};

struct shim_qp {
    struct ibv_qp_ex ex; /* first: an ibv_qp can be cast */
    struct ibv_qp_init_attr init;
    struct ibv_qp_attr attr;
    struct shim_qp *next;
    struct shim_list *list; /* of ibv_wr_start() to ibv_wr_complete() */
};

struct shim_qp *shim_qp_find(uint32_t qpn);
void shim_wr_fill(struct shim_qp *qp);
void shim_wr_free(struct shim_qp *qp);
int shim_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int shim_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

#endif
