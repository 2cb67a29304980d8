/* A clock: a rational period and a phase; edges are computed, never accumulated.
 *
 * Edge n (n >= 0) is at floor(n * num / den) + phase_ps. 322.265625 MHz is 102400/33 ps, exact after any time; a serial
 * line is a clock too (100 Gb/s: 80 ps a byte). Divisions are by a reciprocal with one correction, as exact as a
 * 128-bit division for n and t below 2^62. */
#ifndef KERNEL_CLK_H
#define KERNEL_CLK_H

#include <stdint.h>

#define SIM_NEVER INT64_MAX

struct clk {
    int64_t num, den; /* period in ps = num / den, reduced; 1 ps < period */
    int64_t phase_ps; /* edge 0 */
    int64_t whole;    /* num / den */
    uint64_t frac;    /* num % den */
    uint64_t frac_reciprocal;
    uint64_t reciprocal; /* floor(den * 2^64 / num) */
};

/* Period num/den ps. Returns 0, or -1 when the period is not above 1 ps or not below 2^40 ps. */
int clk_init(struct clk *clk, int64_t num, int64_t den, int64_t phase_ps);
/* A frequency in Hz, off by ppb (parts in 1e9). Returns -1 when the exact period does not fit 62 bits. */
int clk_init_hz(struct clk *clk, int64_t hz, int64_t off_ppb, int64_t phase_ps);
int clk_same(const struct clk *a, const struct clk *b);

static inline uint64_t clk_mul_high(uint64_t a, uint64_t b)
{
    return (uint64_t)(((unsigned __int128)a * b) >> 64);
}

/* The instant (ps) of edge n where the period is whole picoseconds, as of 250 MHz and the like; */
static inline int64_t clk_edge_whole(const struct clk *clk, int64_t n)
{
    return n * clk->whole + clk->phase_ps;
}

/* where it is not; */
static inline int64_t clk_edge_broken(const struct clk *clk, int64_t n)
{
    uint64_t q = clk_mul_high((uint64_t)n, clk->frac_reciprocal);
    uint64_t rest = (uint64_t)n * clk->frac - q * (uint64_t)clk->den;
    if (rest >= (uint64_t)clk->den)
        q++;
    return clk_edge_whole(clk, n) + (int64_t)q;
}

/* of any. */
static inline int64_t clk_edge(const struct clk *clk, int64_t n)
{
    return clk->frac == 0 ? clk_edge_whole(clk, n) : clk_edge_broken(clk, n);
}

/* The first edge at or after the instant t (ps). */
static inline int64_t clk_at_or_after(const struct clk *clk, int64_t t_ps)
{
    if (t_ps <= clk->phase_ps)
        return 0;
    uint64_t since = (uint64_t)t_ps - (uint64_t)clk->phase_ps;
    uint64_t q = clk_mul_high(since, clk->reciprocal);
    uint64_t rest = since * (uint64_t)clk->den - q * (uint64_t)clk->num;
    if (rest >= (uint64_t)clk->num) {
        q++;
        rest -= (uint64_t)clk->num;
    }
    return (int64_t)q + (rest != 0);
}

/* The first edge strictly after the instant t (ps). */
static inline int64_t clk_after(const struct clk *clk, int64_t t_ps)
{
    return clk_at_or_after(clk, t_ps + 1);
}

/* The reader's edge at which a signal that changes at the writer's edge n is seen through `flops` synchroniser
 * flip-flops: the first edge strictly after the change, and flops - 1 more. flops = 0: one clock, no crossing. */
static inline int64_t clk_cross(const struct clk *from, int64_t n, const struct clk *to, int64_t flops)
{
    return flops == 0 ? n : clk_after(to, clk_edge(from, n)) + flops - 1;
}

#endif
