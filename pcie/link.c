#include "pcie/link.h"

struct link_symbol link_symbol_ps(int64_t generation)
{
    /* 8b/10b takes 10 bits a byte, 128b/130b takes 130/16 */
    static const struct link_symbol symbol[] = {{4000, 1}, {2000, 1}, {8125, 8}, {8125, 16}, {8125, 32}};
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

int link_clock(const struct pcie_params *params, int64_t phase_ps, struct clk *byte_clk)
{
    if (params->generation < 1 || params->generation > 5 || (params->lanes & (params->lanes - 1)) != 0)
        return -1;
    struct link_symbol symbol = link_symbol_ps(params->generation);
    /* of each Ack interval of so many bytes two DLLPs of 8 bytes are gone, and of each skip interval one skip */
    int64_t interval_bytes = link_ack_symbols(params) * params->lanes;
    int64_t skip = params->generation <= 2 ? 4 : 1, skip_interval = params->generation <= 2 ? 1180 + 4 : 370 + 1;
    int64_t all = interval_bytes * skip_interval;
    return clk_init(byte_clk, symbol.num * all,
                    symbol.den * params->lanes * (all - 16 * skip_interval - skip * interval_bytes), phase_ps);
}
