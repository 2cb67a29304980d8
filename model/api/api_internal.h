/* What the files of the API share. */
#ifndef API_API_INTERNAL_H
#define API_API_INTERNAL_H

#include "api/rnicsim.h"
#include "kernel/hist.h"
#include "system/system.h"

#define API_HOSTS 2u

struct rnicsim {
    struct system system;
    uint64_t posted;                     /* requests */
    int64_t first_post_ps, last_done_ps; /* SIM_NEVER, 0: none yet; in the simulation's own time */
    int64_t last_post_ps[API_HOSTS];
    uint32_t *held; /* blocks of the frames that were told of last */
    size_t held_count, held_room;
    struct watch *watch; /* NULL: nobody wants incidents or passes (model/api/watch.c) */
};

struct rnicsim_hist {
    struct hist hist;
};

/* Fills `error` (may be NULL) and returns `result`. */
int api_fail(struct rnicsim_error *error, int result, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* RNICSIM_EMODEL with the failure's text when the simulation is dead, RNICSIM_EINPUT when it is NULL, else RNICSIM_OK. */
int api_alive(const struct rnicsim *sim, struct rnicsim_error *error);

/* Does something inside the model. A library never exits: when a model_assert fails in it, this returns RNICSIM_EMODEL. */
typedef int api_call(struct rnicsim *sim, void *argument, struct rnicsim_error *error);
int api_guard(struct rnicsim *sim, api_call *call, void *argument, struct rnicsim_error *error);

/* What memories hold is as of now. */
int api_settle(struct rnicsim *sim, struct rnicsim_error *error);

/* What an attribute says of rights, for the NIC (enum key_access). */
static inline uint32_t api_access(uint32_t access)
{
    return access == 0 ? KEY_ALL : access & KEY_ALL;
}

static inline int api_access_is_wrong(uint32_t access)
{
    return (access & ~(uint32_t)(RNICSIM_ACCESS_ALL | RNICSIM_ACCESS_NO_MORE)) != 0;
}

/* The payload of frames that were told of. */
void frames_release(struct rnicsim *sim);
/* What was kept of incidents and passes. */
void watch_free(struct rnicsim *sim);
/* A FIFO by its number; NULL: there is none, or it is a buffer without an order. */
struct fifo *api_fifo(struct rnicsim *sim, size_t index, struct rnic **nic, int *path);

/* NULL, and one line: there is none. */
struct qp *api_find_qp(const struct rnicsim *sim, uint32_t host, uint32_t qpn, struct rnicsim_error *error);
struct srq *api_find_srq(const struct rnicsim *sim, uint32_t host, uint32_t srqn, struct rnicsim_error *error);

/* A duration of so many cycles, rounded down. */
static inline int64_t api_in_ps(const struct clk *clk, int64_t cyc)
{
    return (int64_t)((__int128)cyc * clk->num / clk->den);
}

/* The NIC that holds number *index of what each has count() of; *index becomes the number in that NIC. NULL: past the last. */
struct rnic *api_pick_nic(struct rnicsim *sim, size_t *index, size_t (*count)(const struct rnic *));

#endif
