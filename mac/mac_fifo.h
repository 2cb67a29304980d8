/* The asynchronous FIFOs between the user's clock and a MAC's: when a frame comes out of them, from the real phase of both clocks.
 *
 * A write pointer is a register of the writer's clock and passes flip-flops of the reader's; behind them the memory is read. A stored
 * frame is told of when its last beat is in, by a toggle with a flip-flop more. A user interface wider than the MAC's is split behind the
 * transmit FIFO and collected before the receive FIFO; a narrower one the other way round. Measured: tests/mac/test_mac_fifo.c. */
#ifndef MAC_MAC_FIFO_H
#define MAC_MAC_FIFO_H

#include "kernel/clk.h"
#include "mac/xgmii.h"

struct mac_fifo {
    struct clk user_clk, mac_clk;
    int64_t user_bytes, mac_bytes; /* widths */
    int store;
    int64_t flops; /* of a pointer, or of a stored frame's toggle */
    int64_t read_cyc, adapter_cyc;
};

/* user_bytes: a power of two. The clocks are filled in by the caller. */
struct mac_fifo mac_fifo_of(const struct mac_params *params, int64_t user_bytes);

/* The MAC's cycle in which a frame's first beat is offered to it, of a frame whose first beat is taken at the user's cycle user_cyc
 * and whose others follow in each cycle. */
int64_t mac_fifo_offered_cyc(const struct mac_fifo *fifo, int64_t user_cyc, uint32_t bytes);
/* Whether the MAC, which takes the first beat at first_cyc and a beat a cycle, runs dry: then the frame is bad. A stored one cannot. */
int mac_fifo_runs_dry(const struct mac_fifo *fifo, int64_t user_cyc, int64_t first_cyc, uint32_t bytes);
/* The user's cycle in which a received frame's first beat is there. */
int64_t mac_fifo_received_cyc(const struct mac_fifo *fifo, int64_t rx_first_cyc, int64_t rx_last_cyc);

#endif
