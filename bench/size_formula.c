#include "bench/size_formula.h"

#include <stdlib.h>
#include <string.h>

#include "bench/model_options.h"

#define CABLE_M_PER_NS 0.198
#define QUANTUM_BYTES 64u
#define FRAME_BYTES 4154u /* MTU 4096 with RoCE v2's headers, FCS, preamble; two of them */
#define TIMER_UNIT_PS INT64_C(4096000)
#define TIMEOUT_MOST 31

uint64_t size_formula_kept_bytes(int64_t rate_bps, int64_t time_ps)
{
    return (uint64_t)((double)rate_bps / 8 * (double)time_ps / 1e12 + 0.5);
}

uint64_t size_formula_headroom_bytes(int64_t rate_bps, double cable_m, uint64_t quanta, uint64_t frame_bytes)
{
    double cable_bytes = 2 * cable_m / CABLE_M_PER_NS * (double)rate_bps / 8e9;
    return (uint64_t)(cable_bytes + 0.5) + quanta * QUANTUM_BYTES + 2 * frame_bytes;
}

uint64_t size_formula_quanta(int64_t rate_bps)
{
    static const struct {
        int64_t rate_bps;
        uint64_t quanta;
    } table[] = {{INT64_C(10000000000), 67}, {INT64_C(25000000000), 80}, {INT64_C(100000000000), 394}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (rate_bps <= table[i].rate_bps)
            return table[i].quanta;
    return 905;
}

const char *size_formula_case(int number)
{
    static const char *const name[SIZE_KEPT_CASES] = {"a round trip", "and until a coalesced ACK",
                                                      "and until the timer ends"};
    return name[number];
}

/* A parameter's number; 0: there is none. */
static double number_of(const struct rnicsim *sim, const char *key)
{
    struct rnicsim_param_info param;
    return model_param(sim, key, &param) ? strtod(param.value, NULL) : 0;
}

struct size_formula size_formula_of(const struct result *result)
{
    struct size_formula formula = {.rate_bps = (int64_t)(result->line_gbps * 1e9),
                                   .cable_m = number_of(result->sim, "mac.cable")};
    double timeout = number_of(result->sim, "transport.timeout"),
           every = number_of(result->sim, "transport.ack_request_every");
    double round_trip_ns = 0;
    for (int row = RNICSIM_AT_PACKET; row < RNICSIM_AT_ACK_RECEIVED; row++)
        round_trip_ns += result->waterfall.rows[row].mean_ns;
    formula.round_trip_ps = (int64_t)(round_trip_ns * 1e3);
    if (formula.rate_bps > 0)
        formula.coalesced_ps = (int64_t)(every * FRAME_BYTES * 8e12 / (double)formula.rate_bps);
    if (timeout > 0 && timeout <= TIMEOUT_MOST)
        formula.timeout_ps = TIMER_UNIT_PS << (int)timeout;
    int64_t until_ps = formula.round_trip_ps;
    const int64_t more_ps[SIZE_KEPT_CASES] = {0, formula.coalesced_ps, formula.timeout_ps};
    for (int i = 0; i < SIZE_KEPT_CASES; i++) {
        until_ps += more_ps[i];
        formula.kept_bytes[i] = size_formula_kept_bytes(formula.rate_bps, until_ps);
    }
    formula.headroom_bytes = size_formula_headroom_bytes(formula.rate_bps, formula.cable_m,
                                                         size_formula_quanta(formula.rate_bps), FRAME_BYTES);
    return formula;
}
