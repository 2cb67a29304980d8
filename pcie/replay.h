/* The data link layer's replay, one direction: a TLP with a wrong LCRC is asked for again by a Nak; one that nothing is heard of is sent
 * again when the replay timer ends; with the fourth replay of one TLP the link is trained first (PCIe Base Spec 3.0, 3.5.2.1).
 *
 * What was sent behind a bad TLP is discarded and sent again, so until the replay the link carries nothing: the good copy begins when
 * the sender knows, and all behind it follows in order. The replay buffer keeps what is not acknowledged; a TLP for which it has no
 * room waits. Cycles are the link's, a byte each. */
#ifndef PCIE_REPLAY_H
#define PCIE_REPLAY_H

#include "kernel/clk.h"
#include "pcie/log.h"
#include "pcie/params.h"

#include <stdint.h>

struct replay_times { /* link cycles */
    int64_t ack, nak; /* from a TLP's end until its Ack, at the latest, or a Nak is back */
    int64_t timer, retrain;
};

struct replay_sent {
    int64_t acked_cyc;
    uint64_t bytes; /* so far, with it */
};

struct replay {
    int makes_errors, buffer_binds; /* neither: nothing of this is looked at */
    uint64_t stream, tlps;
    uint64_t damaged_share, lost_share; /* of 2^32 */
    struct replay_times times;
    uint64_t replays, retrains;
    int64_t lost_cyc; /* link time that carried nothing that counts */

    uint64_t buffer_bytes, bytes;
    int64_t wait_cyc;
    struct replay_sent *sent; /* the newest mask + 1 TLPs */
    uint64_t count, first, mask;

    struct pcie_log *log; /* NULL, or is told of replays; with the link's clock */
    const struct clk *log_clk;
};

/* buffer_bytes 0: it never binds. Returns -1 when memory is out. */
int replay_init(struct replay *replay, const struct pcie_params *params, uint64_t buffer_bytes, uint64_t stream,
                struct replay_times times);
void replay_free(struct replay *replay);

/* Whether TLPs must be sent one by one. */
static inline int replay_is_on(const struct replay *replay)
{
    return replay->makes_errors | replay->buffer_binds;
}

int64_t replay_room_back(struct replay *replay, uint32_t bytes, int64_t at_cyc);

/* From which cycle, not before at_cyc, there is room for a TLP of `bytes` on the link. */
static inline int64_t replay_room_when(struct replay *replay, uint32_t bytes, int64_t at_cyc)
{
    return replay->buffer_binds ? replay_room_back(replay, bytes, at_cyc) : at_cyc;
}

/* It is sent at start_cyc and takes took_cyc: when its good copy ends, and the next one may begin. */
int64_t replay_send(struct replay *replay, uint32_t bytes, int64_t start_cyc, int64_t took_cyc);

#endif
