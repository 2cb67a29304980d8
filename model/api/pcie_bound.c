/* Bounds of the PCIe side: of a simulation, or of a link alone. */
#include "api/api_internal.h"

#include "pcie/bound.h"

_Static_assert((int)BOUND_LIMITS == (int)RNICSIM_PCIE_LIMITS && (int)BOUND_DATA == (int)RNICSIM_PCIE_DATA,
               "the limits are those of the API");

static const char *wrong_with(const struct rnicsim_pcie_bound *bound)
{
    if (!bound)
        return "bound is NULL, allowed: what is asked, and where the answer goes";
    if (bound->bytes < 1 || bound->bytes > 1048576)
        return "transfer: allowed 1 B to 1 MiB";
    if (bound->clock_hz < 1000000 || bound->clock_hz > INT64_C(10000000000))
        return "clock: allowed 1 MHz to 10 GHz";
    if (bound->is_read && (bound->latency_ps < 1000 || bound->latency_ps > INT64_C(1000000000000)))
        return "latency: allowed 1 ns to 1 s";
    if (bound->rate_bps < 0 || bound->rate_bps > INT64_C(10000000000000))
        return "rate: allowed 0 to 10000 Gbps";
    return NULL;
}

static int answer(const struct pcie_params *given, struct rnicsim_pcie_bound *bound, struct rnicsim_error *error)
{
    char unfit[256];
    const struct pcie_params path = pcie_params_of_path(given), *params = &path;
    const char *wrong = wrong_with(bound);
    if (wrong)
        return api_fail(error, RNICSIM_EINPUT, "%s", wrong);
    if (pcie_check(params, unfit, sizeof unfit))
        return api_fail(error, RNICSIM_EINPUT, "%s", unfit);
    struct bound found = bound->is_read ? bound_read(params, bound->clock_hz, bound->bytes, bound->latency_ps)
                                        : bound_write(params, bound->clock_hz, bound->bytes);
    bound->raw_bps = found.raw_bps;
    for (int i = 0; i < BOUND_LIMITS; i++)
        bound->limit_bps[i] = found.bps[i];
    bound->binds = (enum rnicsim_pcie_limit)found.binds;
    bound->latency_most_ps = bound->is_read && bound->rate_bps > 0
                                 ? bound_latency_most_ps(params, bound->clock_hz, bound->bytes, bound->rate_bps)
                                 : 0;
    bound->generation = params->generation;
    bound->lanes = params->lanes;
    bound->mps_bytes = params->mps;
    bound->mrrs_bytes = params->mrrs;
    bound->rcb_bytes = params->rcb;
    bound->tags = params->tags;
    bound->completion_headers = params->completion_headers;
    bound->completion_buffer_bytes = params->completion_buffer;
    bound->user_width_bits = params->user_width;
    bound->request_descriptor_bytes = params->request_descriptor;
    bound->completion_descriptor_bytes = params->completion_descriptor;
    bound->straddle = params->straddle == PCIE_STRADDLE_ON;
    return RNICSIM_OK;
}

int rnicsim_pcie_bound(const struct rnicsim *sim, struct rnicsim_pcie_bound *bound, struct rnicsim_error *error)
{
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    const struct nic_params *nic = config_room(sim->system.config, "nic");
    if (bound && bound->clock_hz == 0)
        bound->clock_hz = nic->user_clock;
    return answer(config_room(sim->system.config, "pcie"), bound, error);
}

int rnicsim_pcie_bound_of(const char *const *set, size_t set_count, struct rnicsim_pcie_bound *bound,
                          struct rnicsim_error *error)
{
    static const struct param_table *const tables[] = {&pcie_param_table};
    struct config_error wrong;
    struct config *config = config_create(tables, 1, &wrong);
    int failed = !config;
    for (size_t i = 0; i < set_count && !failed; i++)
        failed = config_set(config, set[i], &wrong);
    int result =
        failed ? api_fail(error, RNICSIM_EINPUT, "%s", wrong.text) : answer(config_room(config, "pcie"), bound, error);
    config_destroy(config);
    return result;
}

const char *rnicsim_pcie_limit_name(enum rnicsim_pcie_limit limit)
{
    static const char *const names[RNICSIM_PCIE_LIMITS] = {"link", "user_interface", "no_tag", "no_credit_CPLH",
                                                           "no_credit_CPLD"};
    return (unsigned)limit < RNICSIM_PCIE_LIMITS ? names[limit] : "";
}
