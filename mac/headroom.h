/* Headroom: how much room a receive buffer needs above its pause threshold so that it never drops. The model's own closed form, a search
 * by simulation that it is held against, and the calculators that vendors publish.
 *
 * Octets are those of the line at its rate. From the frame whose admission crosses the threshold on, the peer goes on until it obeys:
 *   the frame's head and the line to here + the request + the longest own frame, just begun + the pause frame + the line back + the
 *   peer's response (IEEE 802.3, 31B.3.7: at most so many quanta). */
#ifndef MAC_HEADROOM_H
#define MAC_HEADROOM_H

#include <stdint.h>

struct headroom {
    int64_t rate_bps;
    int64_t cable_ps;               /* one way, transceivers included */
    int64_t interface_ps;           /* MAC, PCS and PMA of one end, both ways together */
    int64_t request_ps;             /* from the threshold to the pause frame, on an idle line */
    int64_t response_ps;            /* from the pause frame's end at the peer until no frame begins there */
    uint32_t own_bytes;             /* the longest frame of the pausing side, without FCS */
    uint32_t frame_bytes;           /* the peer's frames */
    uint32_t cell_bytes;            /* what the buffer is given away in */
    uint32_t frame_least, overhead; /* padding; octets beside a frame: preamble, FCS and gap */
};

/* The quanta of the standard's limit for a rate, as SONiC's table and Cisco's text have them (31B.3.7); 0: the rate is not in it. */
int64_t headroom_standard_quanta(int64_t rate_bps);
/* So many quanta of 512 bit times, in ps. */
int64_t headroom_quanta_ps(int64_t rate_bps, int64_t quanta);

/* Octets that go by from the begin of the frame that crosses the threshold until the peer begins no more. */
int64_t headroom_window_octets(const struct headroom *given);
/* Cells above the threshold for frames of frame_bytes back to back: the closed form, */
int64_t headroom_cells(const struct headroom *given);
/* and by simulation, frame by frame, over every phase of the own traffic and every fill before: the least that never drops. */
int64_t headroom_search_cells(const struct headroom *given);
/* Bytes for frames of any size: the window as if it were all payload, and the longest frame. */
int64_t headroom_any_bytes(const struct headroom *given);

/* ---- published calculators, bytes ---- */

/* SONiC for Mellanox switches (sonic-swss @18913fa buffer_headroom_mellanox.lua; ASIC table of sonic-buildimage): xoff, in KiB steps. */
struct headroom_sonic {
    int64_t rate_bps, length_mm;
    uint32_t port_mtu, lossless_mtu, cell_bytes, small_percent;
};
int64_t headroom_sonic_bytes(const struct headroom_sonic *given);
/* Linux mlx5 port_buffer.c: (301 + 2.16 * metres) * Gb/s + 2.72 * MTU. */
int64_t headroom_mlx5_bytes(int64_t rate_bps, int64_t length_mm, uint32_t mtu);
/* The component list of Cisco's text: longest frame, PFC frame, interfaces and cable both ways, response, longest no-drop frame; 0: the
 * rate's figures are not known. */
int64_t headroom_cisco_bytes(int64_t rate_bps, int64_t length_mm, uint32_t frame_bytes);

#endif
