/* Flow control by pause frames (IEEE 802.3 annex 31B, 802.1Qbb), where mac.pause is on.
 *
 * The receive FIFO is looked at when a frame is taken into it: from the threshold on, its depth less the headroom, a pause is asked for,
 * again before it ends, and taken back when the FIFO has fallen. The pause frame goes out before what waits for the line: so the line is a
 * decider of its own here (R3: it is the last point that can still stop a frame). At the peer a pause of the link stops the line, one of
 * a priority the port's input, at the end of a frame; what is past the port goes out. */
#ifndef NIC_PAUSE_H
#define NIC_PAUSE_H

#include <stddef.h>
#include <stdint.h>

#define PAUSE_TOLD_MAX 16 /* on the way to obedience, at once */

struct rnic;

struct pause_told { /* from an instant on: paused until; an earlier one ends there */
    int64_t from_ps, until_ps;
};

struct pause {
    int on, per_priority;
    int line; /* the line's decider */
    int look; /* the receive FIFO's */
    /* what is asked of the peer */
    uint32_t xoff_units, xon_units;
    int asked;
    int64_t refresh_ps; /* when it is asked again */
    int64_t frame_ps;   /* from when on a pause frame waits for the line; SIM_NEVER: none does */
    int64_t quanta;     /* of that */
    /* what the peer asked for */
    struct pause_told told[PAUSE_TOLD_MAX];
    uint32_t tolds;
    int64_t since_ps, ignored_ps;  /* paused without a break; a storm is ignored until */
    int64_t counted_ps, paused_ps; /* in all, up to counted_ps */
    uint64_t sent, received, lost, storms;
};

/* After the paths stand. Returns -1 and one line. */
int pause_init(struct rnic *rnic, char *error, size_t error_bytes);
/* Who reaches whom. Returns -1 without memory. */
int pause_declare(struct rnic *rnic);
/* A frame was taken into the receive FIFO, or space came back, now. */
int64_t pause_look(struct rnic *rnic, int64_t now);
/* Of the port (port.c), for the line's decider: when the next frame of the transmit path is there, SIM_NEVER: none; sends it now. */
int64_t port_ready_ps(const struct rnic *rnic);
void port_send(struct rnic *rnic, int64_t now);
/* For how long the peer's pauses have held, up to now. */
int64_t pause_paused_ps(const struct pause *pause, int64_t now_ps);

#endif
