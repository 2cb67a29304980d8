/* Between context.c and context_ask.c only: a request, what it needs next, and what becomes of it. */
#ifndef NIC_CONTEXT_ASK_H
#define NIC_CONTEXT_ASK_H

#include "nic/rnic.h"

#define CONTEXT_LEVEL_SHIFT 56 /* of an MTT line's key: its level, then the line's number there */
#define CONTEXT_WALK_BEGINS UINT8_MAX

static inline struct context_request *context_request_at(const struct contexts *contexts, uint32_t index)
{
    return (struct context_request *)contexts->requests.slot + index;
}

static inline struct context_fetch *context_fetch_at(const struct contexts *contexts, uint32_t index)
{
    return (struct context_fetch *)contexts->fetches.slot + index;
}

/* The first of those that it still wants (>= 1). */
static inline enum context_kind context_next_kind(const struct context_request *request)
{
    return (enum context_kind)__builtin_ctz(request->wants);
}

/* What it looks up next; a walk through the MTT's levels begins here. */
uint64_t context_next_key(const struct rnic *rnic, struct context_request *request);
/* That is there: on to the next. */
void context_advance(struct context_request *request);
/* All is there. */
void context_complete(struct rnic *rnic, uint32_t request, int64_t now_cyc);

#define CONTEXT_BIT(kind) (1u << (kind))
#define CONTEXT_TRANSLATION (CONTEXT_BIT(CONTEXT_MPT) | CONTEXT_BIT(CONTEXT_MTT))

/* What it needs of these kinds: those that can be missing. */
void context_want(const struct rnic *rnic, struct context_request *request, unsigned kinds);
/* The pages of [address, address + bytes), bytes >= 1. */
void context_translate(const struct rnic *rnic, struct context_request *request, uint64_t region, uint64_t address,
                       uint32_t bytes);
/* Where a received packet's payload goes, or what it asks for, as far as that is known: the bytes; 0: nothing, or not known. */
uint32_t context_place_of(const struct rnic *rnic, const struct item *item, uint32_t *region, uint64_t *address);
/* A request's index from now on. */
uint32_t context_keep(struct rnic *rnic, const struct context_request *request);

/* An access to an entry that is in the cache. */
void context_touch(struct context_table *table, enum context_kind kind, uint32_t entry);
/* Looks up one after the other: 1 when all is there; 0: it waits. may_fetch: inside the scheduler's decision. */
int context_go_on(struct rnic *rnic, uint32_t request, int64_t now_cyc, int may_fetch);

#endif
