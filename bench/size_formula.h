/* Buffers that no trace fills: what a retransmission buffer must keep, and the headroom of a lossless class. Formulas, not runs. */
#ifndef BENCH_SIZE_FORMULA_H
#define BENCH_SIZE_FORMULA_H

#include "bench/result.h"

#define SIZE_KEPT_CASES 3

struct size_formula {
    int64_t rate_bps, round_trip_ps, coalesced_ps, timeout_ps;
    uint64_t kept_bytes
        [SIZE_KEPT_CASES]; /* at line rate for a round trip; and until a coalesced ACK; and until the timer ends */
    double cable_m;
    uint64_t headroom_bytes;
};

/* What is unacknowledged at `rate` for so long. */
uint64_t size_formula_kept_bytes(int64_t rate_bps, int64_t time_ps);
/* What still comes after a PFC frame was asked for: 2 * cable / (0.198 m/ns) * rate + the sender's response, so many quanta of 64 bytes, + a
 * longest frame that has just begun at either end (IEEE 802.1Q, annex O; facts: 100 Gb/s, 100 m, 394 quanta, 4154 B: 46.2 KB). */
uint64_t size_formula_headroom_bytes(int64_t rate_bps, double cable_m, uint64_t quanta, uint64_t frame_bytes);
/* A sender's response to PFC in quanta, of a port of this rate: 10G 67, 25G 80, 100G 394, 400G 905 (sonic-net/sonic-swss,
 * buffer_headroom_mellanox.lua); rates between take the next one's. */
uint64_t size_formula_quanta(int64_t rate_bps);
/* Of a run: the round trip is the mean time from a packet's grant until its ACK is judged. */
struct size_formula size_formula_of(const struct result *result);
const char *size_formula_case(int number);

#endif
