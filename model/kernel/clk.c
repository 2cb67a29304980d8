#include "kernel/clk.h"

static unsigned __int128 gcd(unsigned __int128 a, unsigned __int128 b)
{
    while (b != 0) {
        unsigned __int128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int clk_init(struct clk *clk, int64_t num, int64_t den, int64_t phase_ps)
{
    if (num <= 0 || den <= 0 || num <= den || num / den >= (INT64_C(1) << 40) || num >= (INT64_C(1) << 61))
        return -1;
    int64_t common = (int64_t)gcd((unsigned __int128)num, (unsigned __int128)den);
    *clk = (struct clk){.num = num / common, .den = den / common, .phase_ps = phase_ps};
    clk->whole = clk->num / clk->den;
    clk->frac = (uint64_t)(clk->num % clk->den);
    clk->frac_reciprocal = (uint64_t)(((unsigned __int128)clk->frac << 64) / (uint64_t)clk->den);
    clk->reciprocal = (uint64_t)(((unsigned __int128)(uint64_t)clk->den << 64) / (uint64_t)clk->num);
    return 0;
}

int clk_init_hz(struct clk *clk, int64_t hz, int64_t off_ppb, int64_t phase_ps)
{
    const unsigned __int128 giga = 1000000000u;
    if (hz <= 0 || off_ppb <= -1000000000)
        return -1;
    unsigned __int128 num = giga * giga * 1000u;
    unsigned __int128 den = (unsigned __int128)hz * (uint64_t)(1000000000 + off_ppb);
    unsigned __int128 common = gcd(num, den);
    num /= common;
    den /= common;
    if (num >= ((unsigned __int128)1 << 61) || den >= ((unsigned __int128)1 << 61))
        return -1;
    return clk_init(clk, (int64_t)num, (int64_t)den, phase_ps);
}

int clk_same(const struct clk *a, const struct clk *b)
{
    return a->num == b->num && a->den == b->den && a->phase_ps == b->phase_ps;
}
