#include "pcie/link.h"

#include "kernel/sim.h"

struct link_symbol link_symbol_ps(int64_t generation)
{
    /* 8b/10b takes 10 bits a byte, 128b/130b takes 130/16, 1b/1b 8 */
    static const struct link_symbol symbol[] = {{4000, 1}, {2000, 1}, {8125, 8}, {8125, 16}, {8125, 32}, {125, 1}};
    return symbol[generation - 1];
}

int64_t link_ack_symbols(const struct pcie_params *params)
{
    int64_t internal = params->generation == 1 ? 19 : params->generation == 2 ? 70 : 115;
    int64_t factor = 10; /* tenths */
    if (params->mps <= 256)
        factor = params->lanes <= 4 ? 14 : params->lanes == 8 ? 25 : 30;
    else if (params->lanes == 16)
        factor = 20;
    return (params->mps + 28) * factor / 10 / params->lanes + internal;
}

int link_init(const struct pcie_params *params, int64_t phase_ps, struct clk *byte_clk, struct link_skips *skips)
{
    if (params->generation < 1 || params->generation > LINK_FLITS || (params->lanes & (params->lanes - 1)) != 0)
        return -1;
    struct link_symbol symbol = link_symbol_ps(params->generation);
    int64_t skip = params->generation <= 2 ? 4 : 1, skip_interval = params->generation <= 2 ? 1180 + 4 : 370 + 1;
    int64_t skip_symbols = params->generation <= 2 ? 4 : 16;
    /* of each Ack interval of so many bytes, skips among them, two DLLPs of 8 bytes are gone from what skips leave */
    int64_t interval_bytes = link_ack_symbols(params) * params->lanes;
    int64_t left = interval_bytes * (skip_interval - skip), all = left - 16 * skip_interval;
    if (params->generation == LINK_FLITS) { /* DLLPs have their place in the flits */
        left = LINK_FLIT_BYTES;
        all = LINK_FLIT_TLP_BYTES;
    }
    if (clk_init(byte_clk, symbol.num * left, symbol.den * params->lanes * all, phase_ps))
        return -1;
    int64_t took = (skip_symbols * params->lanes * all + left / 2) / left; /* to the nearest byte */
    *skips = (struct link_skips){SIM_NEVER, took * skip_interval / skip, took};
    return 0;
}

void link_skips_begin(struct link_skips *skips, uint64_t share)
{
    skips->due_cyc = (int64_t)(((unsigned __int128)share * (uint64_t)skips->every_cyc) >> 64);
}

int64_t link_behind_late_skip(const struct link_skips *skips, int64_t start_cyc, int64_t free_cyc)
{
    int64_t due = skips->due_cyc, end = free_cyc;
    for (; due <= end; due += skips->every_cyc)
        end += skips->took_cyc;
    if (start_cyc >= due) { /* the others were sent while nothing else was; the last one may be under way */
        due = start_cyc - (start_cyc - due) % skips->every_cyc;
        end = due + skips->took_cyc;
    }
    return start_cyc > end ? start_cyc : end;
}
