#include "pcie/link.h"

/* Symbol times between Acks (and, as guideline, between UpdateFCs): floor((MPS + 28) * AF / lanes) + the receiver's internal
 * delay, 19, 70 or 115 symbol times. AF in tenths. Base Spec 3.0 tables 3-7 to 3-9 follow it. */
static int64_t ack_symbols(const struct pcie_params *params)
{
    int64_t internal = params->generation == 1 ? 19 : params->generation == 2 ? 70 : 115;
    int64_t factor = 10;
    if (params->mps <= 256)
        factor = params->lanes <= 4 ? 14 : params->lanes == 8 ? 25 : 30;
    else if (params->lanes == 16)
        factor = 20;
    return (params->mps + 28) * factor / 10 / params->lanes + internal;
}

int link_clock(const struct pcie_params *params, int64_t phase_ps, struct clk *byte_clk)
{
    /* ps a symbol and lane: 8b/10b takes 10 bits a byte, 128b/130b takes 130/16 */
    static const struct {
        int64_t num, den;
    } symbol_ps[] = {{4000, 1}, {2000, 1}, {8125, 8}, {8125, 16}, {8125, 32}};
    if (params->generation < 1 || params->generation > 5 || (params->lanes & (params->lanes - 1)) != 0)
        return -1;
    int64_t num = symbol_ps[params->generation - 1].num;
    int64_t den = symbol_ps[params->generation - 1].den * params->lanes;
    /* the share left by two DLLPs of 8 bytes in each Ack interval of (symbols * lanes) bytes */
    int64_t interval_bytes = ack_symbols(params) * params->lanes;
    num *= interval_bytes;
    den *= interval_bytes - 16;
    /* skips: Gen1/2 4 symbols in 1180 to 1538, Gen3 on one block in 370 to 375; the longest interval */
    num *= params->generation <= 2 ? 1538 + 4 : 375 + 1;
    den *= params->generation <= 2 ? 1538 : 375;
    return clk_init(byte_clk, num, den, phase_ps);
}
