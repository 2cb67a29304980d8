/* A MAC alone, cycle by cycle. */
#include "api/api_internal.h"

#include "mac/mac_fifo.h"
#include "mac/xgmii.h"
#include "nic/params.h"

#include <stdlib.h>

#define CYCLES_MAX (INT64_C(1) << 48)
#define BYTES_MAX 65536u

struct rnicsim_mac {
    struct xgmii mac;
    struct mac_fifo fifo;
    int has_fifo;
    int64_t offered_cyc; /* of the last frame */
};

static int build(struct rnicsim_mac *mac, const struct config *config, struct rnicsim_error *error)
{
    const struct mac_params *params = config_room(config, "mac");
    const struct nic_params *nic = config_room(config, "nic");
    struct xgmii_shape shape = xgmii_shape_of(params);
    if (shape.rule.word < shape.rule.align)
        return api_fail(error, RNICSIM_EINPUT, "mac.word: %lld bit are less than mac.start, allowed %lld bit and more",
                        (long long)params->word, (long long)(8 * shape.rule.align));
    if (nic->port_width % 8 != 0 || (nic->port_width & (nic->port_width - 1)) != 0)
        return api_fail(error, RNICSIM_EINPUT, "nic.port_width: allowed 64, 128, 256, 512 or 1024 bit");
    xgmii_init(&mac->mac, &shape);
    mac->fifo = mac_fifo_of(params, nic->port_width / 8);
    mac->has_fifo = params->fifo != MAC_FIFO_NONE;
    if (clk_init_hz(&mac->fifo.user_clk, nic->user_clock, nic->user_offset, nic->user_phase) ||
        clk_init_hz(&mac->fifo.mac_clk, nic->mac_clock, nic->mac_offset, nic->mac_phase))
        return api_fail(error, RNICSIM_EINPUT,
                        "nic.user_clock with nic.user_offset, or nic.mac_clock with nic.mac_offset: the period has no "
                        "exact form, allowed: another frequency or offset");
    return RNICSIM_OK;
}

int rnicsim_mac_create(const char *data_dir, const char *name, const char *const *set, size_t set_count,
                       struct rnicsim_mac **out, struct rnicsim_error *error)
{
    struct config_error wrong;
    if (!out || (set_count > 0 && !set))
        return api_fail(error, RNICSIM_EINPUT, "out is NULL, or set is and set_count is not 0");
    *out = 0;
    struct config *config = system_configure_mac(data_dir, name, set, set_count, &wrong);
    if (!config)
        return api_fail(error, RNICSIM_EINPUT, "%s", wrong.text);
    struct rnicsim_mac *mac = calloc(1, sizeof *mac);
    int result = mac ? build(mac, config, error) : api_fail(error, RNICSIM_EINPUT, "out of memory");
    config_destroy(config);
    if (result != RNICSIM_OK)
        free(mac);
    else
        *out = mac;
    return result;
}

void rnicsim_mac_destroy(struct rnicsim_mac *mac)
{
    free(mac);
}

static void take(struct rnicsim_mac_frame *out, const struct xgmii_frame *frame)
{
    out->first_cyc = frame->first_cyc;
    out->last_cyc = frame->last_cyc;
    out->start_octet = frame->start_octet;
    out->end_octet = frame->end_octet;
    out->gap_octets = frame->gap_octets;
    out->rx_first_cyc = frame->rx_first_cyc;
    out->rx_last_cyc = frame->rx_last_cyc;
}

static void send_through_fifo(struct rnicsim_mac *mac, struct rnicsim_mac_frame *out)
{
    const struct mac_fifo *fifo = &mac->fifo;
    struct xgmii_frame frame =
        xgmii_send(&mac->mac, mac_fifo_offered_cyc(fifo, out->offered_cyc, out->bytes), out->bytes);
    int64_t start_ps = clk_edge(&fifo->mac_clk, frame.start_octet / mac->mac.shape.rule.word);
    int64_t out_cyc = mac_fifo_received_cyc(fifo, frame.rx_first_cyc, frame.rx_last_cyc);
    take(out, &frame);
    out->runs_dry = mac_fifo_runs_dry(fifo, out->offered_cyc, frame.first_cyc, out->bytes);
    out->tx_ps = start_ps - clk_edge(&fifo->user_clk, out->offered_cyc);
    out->rx_ps = clk_edge(&fifo->user_clk, out_cyc) - start_ps;
}

int rnicsim_mac_send(struct rnicsim_mac *mac, struct rnicsim_mac_frame *frame, struct rnicsim_error *error)
{
    if (!mac || !frame || frame->bytes > BYTES_MAX || frame->offered_cyc < 0 || frame->offered_cyc > CYCLES_MAX)
        return api_fail(error, RNICSIM_EINPUT, "a frame: allowed up to %u B, offered in cycle 0 to 2^48", BYTES_MAX);
    if (frame->bytes > 0 && frame->offered_cyc < mac->offered_cyc)
        return api_fail(error, RNICSIM_EINPUT,
                        "a frame is offered in cycle %lld, the one before in %lld: allowed is in "
                        "order",
                        (long long)frame->offered_cyc, (long long)mac->offered_cyc);
    frame->runs_dry = 0;
    frame->tx_ps = frame->rx_ps = 0;
    if (frame->bytes == 0) {
        struct xgmii_frame pause = xgmii_send_pause(&mac->mac, frame->offered_cyc);
        take(frame, &pause);
        return RNICSIM_OK;
    }
    mac->offered_cyc = frame->offered_cyc;
    if (mac->has_fifo) {
        send_through_fifo(mac, frame);
        return RNICSIM_OK;
    }
    struct xgmii_frame sent = xgmii_send(&mac->mac, frame->offered_cyc, frame->bytes);
    take(frame, &sent);
    return RNICSIM_OK;
}

int rnicsim_mac_pause_is_next(const struct rnicsim_mac *mac, int64_t request_cyc)
{
    return mac ? xgmii_pause_is_next(&mac->mac, request_cyc) : 0;
}

int64_t rnicsim_mac_word_bytes(const struct rnicsim_mac *mac)
{
    return mac ? mac->mac.shape.rule.word : 0;
}

int rnicsim_mac_has_fifo(const struct rnicsim_mac *mac)
{
    return mac ? mac->has_fifo : 0;
}

int rnicsim_mac_pair(const struct rnicsim_mac *mac, struct rnicsim_mac_pair *pair, struct rnicsim_error *error)
{
    if (!mac || !pair || pair->bytes == 0 || pair->bytes > BYTES_MAX || pair->gap_octets < 1 ||
        pair->gap_octets > CYCLES_MAX || pair->first_lane < 0 || pair->first_lane >= mac->mac.shape.rule.word)
        return api_fail(error, RNICSIM_EINPUT, "a pair: allowed 1 to %u B, a lane of the word, a gap from 1 octet on",
                        BYTES_MAX);
    struct xgmii_pair seen = xgmii_receive_pair(&mac->mac.shape, pair->bytes, pair->first_lane, pair->gap_octets);
    pair->ok = seen.ok;
    pair->bad = seen.bad;
    pair->missing = seen.missing;
    return RNICSIM_OK;
}
