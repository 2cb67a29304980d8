#include "mac/headroom.h"

#include <stddef.h>

#define PS_PER_S INT64_C(1000000000000)
#define GBPS INT64_C(1000000000)
#define PAUSE_BYTES 60 /* without FCS */
#define PREAMBLE 8
#define QUANTUM_BITS 512

/* Quanta of 31B.3.7, and the interface delay in bit times, where Cisco's text has it (facts by besthub.dev from its storage networking
 * book): 10G 60 in the standard, 67 in SONiC's table, which is used for SONiC only. */
static const struct {
    int64_t gbps, quanta, interface_bits;
} limits[] = {{10, 60, 8192},     {25, 80, 6144}, {40, 118, 24576}, {50, 147, 0},
              {100, 394, 122880}, {200, 453, 0},  {400, 905, 0}};

static size_t limit_of(int64_t rate_bps)
{
    size_t i = 0;
    while (i < sizeof limits / sizeof *limits && limits[i].gbps * GBPS != rate_bps)
        i++;
    return i;
}

int64_t headroom_standard_quanta(int64_t rate_bps)
{
    size_t i = limit_of(rate_bps);
    return i < sizeof limits / sizeof *limits ? limits[i].quanta : 0;
}

int64_t headroom_quanta_ps(int64_t rate_bps, int64_t quanta)
{
    return (int64_t)((__int128)quanta * QUANTUM_BITS * PS_PER_S / rate_bps);
}

/* Octets of the line in a time, rounded up: one that has begun goes by. */
static int64_t octets_in(int64_t rate_bps, int64_t ps)
{
    return (int64_t)(((__int128)ps * rate_bps + 8 * PS_PER_S - 1) / (8 * PS_PER_S));
}

static int64_t slot_octets(const struct headroom *given, uint32_t bytes)
{
    return (bytes > given->frame_least ? bytes : given->frame_least) + given->overhead;
}

static int64_t cells_of(const struct headroom *given, uint32_t bytes)
{
    return (bytes + given->cell_bytes - 1) / given->cell_bytes;
}

/* Line and interfaces to the other end. */
static int64_t way_octets(const struct headroom *given)
{
    return octets_in(given->rate_bps, given->cable_ps) + octets_in(given->rate_bps, given->interface_ps);
}

int64_t headroom_window_octets(const struct headroom *given)
{
    return PREAMBLE + 2 * way_octets(given) + octets_in(given->rate_bps, given->request_ps) +
           slot_octets(given, given->own_bytes) - 1 + slot_octets(given, PAUSE_BYTES) -
           (given->overhead - PREAMBLE - 4) + octets_in(given->rate_bps, given->response_ps);
}

/* The frame that crosses the threshold may exceed it by all but one of its cells; behind it as many begin as the window has room for. */
int64_t headroom_cells(const struct headroom *given)
{
    int64_t slot = slot_octets(given, given->frame_bytes);
    int64_t behind = (headroom_window_octets(given) - 1) / slot;
    return (behind + 1) * cells_of(given, given->frame_bytes) - 1;
}

/* ---- the simulation, in octets ---- */

struct walk {
    int64_t peer_next, own_free; /* octets at which the peer's next frame begins, and the own line can begin one */
    int64_t request_at, obeyed_at;
    int64_t cells; /* above the threshold */
};

/* The peer's next frame begins. Its head comes a preamble and the way later; what began is taken. */
static void walk_peer(struct walk *w, const struct headroom *given)
{
    int64_t now = w->peer_next;
    w->cells += cells_of(given, given->frame_bytes);
    w->peer_next += slot_octets(given, given->frame_bytes);
    if (w->cells >= 0 && w->request_at < 0)
        w->request_at = now + PREAMBLE + way_octets(given) + octets_in(given->rate_bps, given->request_ps);
}

/* The own line can begin a frame: the pause frame, once it is asked for, or another of its own, of which it never runs out. */
static void walk_own(struct walk *w, const struct headroom *given)
{
    int64_t now = w->own_free;
    if (w->request_at < 0 || w->request_at > now) {
        w->own_free += slot_octets(given, given->own_bytes);
        return;
    }
    int64_t length = slot_octets(given, PAUSE_BYTES) - (given->overhead - PREAMBLE - 4);
    w->obeyed_at = now + length + way_octets(given) + octets_in(given->rate_bps, given->response_ps);
    w->own_free = INT64_MAX;
}

/* Frame by frame, both lines back to back, until the peer obeys. `fill` cells lie below the threshold when its first frame begins, at
 * octet 0; the own line's last frame began `phase` octets before. */
static int64_t walk(const struct headroom *given, int64_t phase, int64_t fill)
{
    struct walk w = {.own_free = slot_octets(given, given->own_bytes) - phase,
                     .request_at = -1,
                     .obeyed_at = INT64_MAX,
                     .cells = -fill};
    while (w.peer_next < w.obeyed_at)
        if (w.peer_next <= w.own_free)
            walk_peer(&w, given);
        else
            walk_own(&w, given);
    return w.cells;
}

int64_t headroom_search_cells(const struct headroom *given)
{
    int64_t most = 0, cells = cells_of(given, given->frame_bytes);
    int64_t own_slot = slot_octets(given, given->own_bytes);
    for (int64_t phase = 0; phase < own_slot; phase++) {
        int64_t above = walk(given, phase, 1); /* one cell below: the first frame crosses with all its others */
        most = above > most ? above : most;
    }
    for (int64_t fill = 1; fill <= cells; fill++) {
        int64_t above = walk(given, 0, fill);
        most = above > most ? above : most;
    }
    return most;
}

int64_t headroom_any_bytes(const struct headroom *given)
{
    return slot_octets(given, given->own_bytes) + slot_octets(given, PAUSE_BYTES) + 2 * way_octets(given) +
           octets_in(given->rate_bps, given->request_ps) + octets_in(given->rate_bps, given->response_ps) +
           slot_octets(given, given->frame_bytes);
}

/* ---- published calculators ---- */

#define KIB 1024

/* All terms in KiB, as the script has them; the gearbox of the tables is 0. */
int64_t headroom_sonic_bytes(const struct headroom_sonic *given)
{
    double cell = given->cell_bytes, small = given->small_percent;
    double factor = cell > 128 ? cell / 64 : 2 * cell / (1 + cell);
    double occupancy = (100 - small + small * factor) / 100;
    int64_t quanta = given->rate_bps == 10 * GBPS ? 67 : headroom_standard_quanta(given->rate_bps);
    double response = quanta > 0 ? (double)quanta * QUANTUM_BITS / 8 / KIB : 3.8;
    double cable =
        2 * (double)given->length_mm / 1000 * ((double)given->rate_bps / 1e6) * 1e9 / 198000000 / (8 * KIB) / KIB;
    double propagation = (double)given->port_mtu / KIB + cable + 0.8 + response;
    double xoff = (double)given->lossless_mtu / KIB + propagation * occupancy;
    int64_t kib = (int64_t)xoff;
    return (kib + (xoff > (double)kib)) * KIB;
}

int64_t headroom_mlx5_bytes(int64_t rate_bps, int64_t length_mm, uint32_t mtu)
{
    return (int64_t)((301 + 2.16 * (double)length_mm / 1000) * ((double)rate_bps / 1e9) + 2.72 * mtu + 0.5);
}

int64_t headroom_cisco_bytes(int64_t rate_bps, int64_t length_mm, uint32_t frame_bytes)
{
    size_t i = limit_of(rate_bps);
    if (i == sizeof limits / sizeof *limits || limits[i].interface_bits == 0)
        return 0;
    double cable = 2 * (double)length_mm / 1000 * 5e-9 * (double)rate_bps; /* bit times */
    double bits = 2.0 * (frame_bytes + 20) * 8 + 672 + 2 * (double)limits[i].interface_bits + cable +
                  (double)limits[i].quanta * QUANTUM_BITS;
    return (int64_t)(bits / 8 + 0.5);
}
