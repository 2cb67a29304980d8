/* Calculators for the command line: arithmetic of the rooms, no simulation. */
#include "api/api_internal.h"

#include "mac/linecheck.h"

int rnicsim_parse(const char *text, enum rnicsim_quantity quantity, int64_t *value, struct rnicsim_error *error)
{
    static const struct param_desc desc[] = {
        [RNICSIM_BITS] =
            {.key = "width", .unit = PARAM_BITS, .choices = "", .min_text = "8 bit", .max_text = "65536 bit"},
        [RNICSIM_FREQUENCY] =
            {.key = "clock", .unit = PARAM_FREQUENCY, .choices = "", .min_text = "1 MHz", .max_text = "10 GHz"},
        [RNICSIM_RATE] =
            {.key = "rate", .unit = PARAM_RATE, .choices = "", .min_text = "1 Mbps", .max_text = "10000 Gbps"},
        [RNICSIM_REQUEST_RATE] =
            {.key = "rate", .unit = PARAM_FREQUENCY, .choices = "", .min_text = "1 Hz", .max_text = "10 GHz"},
        [RNICSIM_DURATION] = {
            .key = "latency", .unit = PARAM_TIME, .choices = "", .min_text = "1 ns", .max_text = "1 s"}};
    struct config_error wrong;
    if (!text || !value || (unsigned)quantity > RNICSIM_DURATION)
        return api_fail(error, RNICSIM_EINPUT, "no text, no place for its value, or no such quantity");
    if (param_parse(&desc[quantity], text, value, &wrong))
        return api_fail(error, RNICSIM_EINPUT, "%s", wrong.text);
    return RNICSIM_OK;
}

int rnicsim_linecheck(struct rnicsim_linecheck *check, struct rnicsim_error *error)
{
    if (!check || check->width_bits < 8 || check->width_bits > 65536 || check->clock_hz < 1000000 ||
        check->clock_hz > INT64_C(10000000000) || check->rate_bps < 1000000 ||
        check->rate_bps > INT64_C(10000000000000))
        return api_fail(error, RNICSIM_EINPUT,
                        "width, clock or rate: allowed 8 to 65536 bit, 1 MHz to 10 GHz, 1 Mbps to 10000 Gbps");
    struct linecheck given = {check->width_bits, check->clock_hz, check->rate_bps, check->fcs_on_bus};
    struct linecheck_result result = linecheck(&given);
    check->worst_frame_bytes = result.worst_frame_bytes;
    check->clock_least_hz = result.clock_least_hz;
    check->bubble_cycles = result.bubble_cycles;
    return RNICSIM_OK;
}
