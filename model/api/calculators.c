/* Calculators for the command line: arithmetic of the rooms, no simulation. */
#include "api/api_internal.h"

#include "mac/headroom.h"
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
        [RNICSIM_DURATION] =
            {.key = "latency", .unit = PARAM_TIME, .choices = "", .min_text = "1 ns", .max_text = "1 s"},
        [RNICSIM_LENGTH] =
            {.key = "cable", .unit = PARAM_LENGTH, .choices = "", .min_text = "0 m", .max_text = "100000 m"},
        [RNICSIM_BYTES] = {
            .key = "bytes", .unit = PARAM_BYTES, .choices = "", .min_text = "1 B", .max_text = "64 KiB"}};
    struct config_error wrong;
    if (!text || !value || (unsigned)quantity > RNICSIM_BYTES)
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
    if (check->segment_bits < 0 || (check->segment_bits > 0 && check->width_bits % check->segment_bits != 0))
        return api_fail(error, RNICSIM_EINPUT, "segments of %lld bit: allowed are those that divide the width",
                        (long long)check->segment_bits);
    struct linecheck given = {check->width_bits, check->clock_hz, check->rate_bps, check->fcs_on_bus,
                              check->segment_bits};
    struct linecheck_result result = linecheck(&given);
    check->worst_frame_bytes = result.worst_frame_bytes;
    check->clock_least_hz = result.clock_least_hz;
    check->bubble_cycles = result.bubble_cycles;
    return RNICSIM_OK;
}

#define OVERHEAD_BYTES 24u    /* preamble 8, FCS 4, gap 12 */
#define FRAME_LEAST_BYTES 60u /* IEEE 802.3, 3.2.8 */
#define CABLE_PS_A_METRE 5050 /* mac.cable_delay's default */

int rnicsim_headroom(struct rnicsim_headroom *h, struct rnicsim_error *error)
{
    if (!h || h->rate_bps < 1000000000 || h->rate_bps > INT64_C(800000000000) || h->cable_mm < 0 ||
        h->cable_mm > 100000000 || h->own_bytes == 0 || h->own_bytes > 65536 || h->frame_bytes == 0 ||
        h->frame_bytes > 65536 || h->cell_bytes == 0 || h->cell_bytes > 65536 || h->small_percent > 100)
        return api_fail(error, RNICSIM_EINPUT,
                        "allowed are 1 to 800 Gbps, a cable of up to 100 km, frames and cells of 1 B to 64 KiB");
    int64_t quanta = headroom_standard_quanta(h->rate_bps);
    if (h->response_ps < 0 && quanta == 0)
        return api_fail(
            error, RNICSIM_EINPUT,
            "the standard's response is known of 10, 25, 40, 50, 100, 200 and 400 Gbps, allowed of others is a "
            "time");
    int64_t response_ps = h->response_ps < 0 ? headroom_quanta_ps(h->rate_bps, quanta) : h->response_ps;
    struct headroom given = {.rate_bps = h->rate_bps,
                             .cable_ps = h->cable_mm * CABLE_PS_A_METRE / 1000,
                             .interface_ps = h->interface_ps,
                             .request_ps = h->request_ps,
                             .response_ps = response_ps,
                             .own_bytes = h->own_bytes,
                             .frame_bytes = h->frame_bytes,
                             .cell_bytes = h->cell_bytes,
                             .frame_least = FRAME_LEAST_BYTES,
                             .overhead = OVERHEAD_BYTES};
    struct headroom_sonic sonic = {h->rate_bps,        h->cable_mm,   h->own_bytes + 4,
                                   h->frame_bytes + 4, h->cell_bytes, h->small_percent};
    int64_t one_ps = headroom_quanta_ps(h->rate_bps, 1);
    h->quanta = (response_ps + one_ps - 1) / one_ps;
    h->cells = headroom_cells(&given);
    h->searched_cells = headroom_search_cells(&given);
    h->any_bytes = headroom_any_bytes(&given);
    h->sonic_bytes = headroom_sonic_bytes(&sonic);
    h->mlx5_bytes = headroom_mlx5_bytes(h->rate_bps, h->cable_mm, h->frame_bytes + 4);
    int64_t cisco = headroom_cisco_bytes(h->rate_bps, h->cable_mm, h->frame_bytes + 4);
    h->cisco_bytes = cisco > 0 ? cisco : -1;
    return RNICSIM_OK;
}
