/* A MAC, its PCS and their pipelines, cycle by cycle: from the first beat of a frame on the user interface to the word with its start
 * character, and from that word at the far end to the first beat there.
 *
 * Cycles are those of the MAC's clock, one word of the interface to the PHY each; an octet of the line is word * cycle + lane. A frame's
 * bytes are without FCS. What an RTL is, is said by the numbers of struct xgmii_shape; the cycles of public MACs come out of them
 * exactly (tests/mac/test_xgmii.c, measured with Verilator 5.006 on verilog-ethernet @77320a94 and taxi @2f2fe728). */
#ifndef MAC_XGMII_H
#define MAC_XGMII_H

#include <stdint.h>

#include "mac/params.h"
#include "mac/start.h"

struct xgmii_shape {
    struct start_rule rule;
    int64_t preamble, fcs, frame_least; /* octets */
    int64_t tx_ask_cyc;     /* a frame must be seen so many cycles before the word with its start character */
    int64_t tx_accept_cyc;  /* its first beat is taken so many cycles before that word */
    int64_t tx_pipe_cyc;    /* from that word to the one on the line */
    int64_t rx_cyc;         /* from a word with a start in its first lane to the first beat */
    int64_t rx_realign_cyc; /* more, where it is in another lane */
    enum mac_rx_conflict rx_conflict;
    int64_t pause_request_cyc; /* from a request for a pause frame until it can be chosen */
    int64_t pause_receive_cyc; /* from a pause frame's last beat to what it asks for */
    int64_t pause_more_cyc;    /* that it lasts beside its quanta */
};

struct xgmii_frame {
    int64_t first_cyc, last_cyc;    /* beats at the sender's user interface */
    int64_t start_octet, end_octet; /* start and terminate characters on the line */
    int64_t gap_octets; /* from the terminate character before to the start character; -1: the first frame */
    int64_t rx_first_cyc, rx_last_cyc;
};

struct xgmii {
    struct xgmii_shape shape;
    struct start start;
    int64_t frames;
    int64_t taken_cyc; /* the last beat of the last frame */
};

struct xgmii_shape xgmii_shape_of(const struct mac_params *params);
void xgmii_init(struct xgmii *mac, const struct xgmii_shape *shape);
/* Sends a frame of `bytes` (>= 1) that is offered, its first beat valid, from cycle offered_cyc on. */
struct xgmii_frame xgmii_send(struct xgmii *mac, int64_t offered_cyc, uint32_t bytes);

/* ---- pause frames (IEEE 802.3 annex 31B, 802.1Qbb) ---- */

#define XGMII_PAUSE_BYTES 60u  /* without FCS */
#define XGMII_QUANTUM_BYTES 64 /* 512 bit times */

/* Whether a pause frame asked for at request_cyc goes before a frame that waits behind the one sent last: the arbiter in front of the
 * MAC has chosen when that frame's last beat is taken. */
int xgmii_pause_is_next(const struct xgmii *mac, int64_t request_cyc);
/* Sends it: as a frame, offered when it is chosen. */
struct xgmii_frame xgmii_send_pause(struct xgmii *mac, int64_t request_cyc);
/* From when on, and for how many cycles, the receiver is told to pause. */
int64_t xgmii_paused_cyc(const struct xgmii *mac, const struct xgmii_frame *pause);
int64_t xgmii_pause_lasts_cyc(const struct xgmii *mac, int64_t quanta);

/* ---- frames that follow too soon, as behind a sublayer that deletes idles ---- */

struct xgmii_pair {
    int ok, bad, missing; /* of two frames */
};

/* A frame that begins in lane first_lane and the next one, whose start character comes `gap` octets behind its terminate character. */
struct xgmii_pair xgmii_receive_pair(const struct xgmii_shape *shape, uint32_t bytes, int64_t first_lane, int64_t gap);

#endif
