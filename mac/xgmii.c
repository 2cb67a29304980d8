#include "mac/xgmii.h"

struct xgmii_shape xgmii_shape_of(const struct mac_params *p)
{
    return (struct xgmii_shape){
        .rule = start_rule_of(p),
        .preamble = p->preamble,
        .fcs = p->fcs,
        .frame_least = p->frame_least,
        .tx_ask_cyc = p->tx_ask,
        .tx_accept_cyc = p->tx_accept,
        .tx_pipe_cyc = p->tx_pipe,
        .rx_cyc = p->rx_latency + p->rx_pipe,
        .rx_realign_cyc = p->rx_realign,
        .rx_conflict = (enum mac_rx_conflict)p->rx_conflict,
        .pause_request_cyc = p->pause_request,
        .pause_receive_cyc = p->pause_receive,
        .pause_more_cyc = p->pause_more,
    };
}

void xgmii_init(struct xgmii *mac, const struct xgmii_shape *shape)
{
    *mac = (struct xgmii){.shape = *shape, .start = start_of(&shape->rule), .taken_cyc = -1};
}

static int64_t beats_of(const struct xgmii_shape *shape, int64_t bytes)
{
    return (bytes + shape->rule.word - 1) / shape->rule.word;
}

static int64_t padded(const struct xgmii_shape *shape, int64_t bytes)
{
    return bytes > shape->frame_least ? bytes : shape->frame_least;
}

struct xgmii_frame xgmii_send(struct xgmii *mac, int64_t offered_cyc, uint32_t bytes)
{
    const struct xgmii_shape *shape = &mac->shape;
    int64_t word = shape->rule.word, body = padded(shape, bytes);
    int64_t before = mac->start.end_octet;
    int64_t mii = start_next(&shape->rule, &mac->start, word * (offered_cyc + shape->tx_ask_cyc));
    int64_t pipe = shape->tx_pipe_cyc * word;
    struct xgmii_frame frame = {.first_cyc = mii / word - shape->tx_accept_cyc,
                                .start_octet = mii + pipe,
                                .end_octet = mii + shape->preamble + body + shape->fcs + pipe,
                                .gap_octets = mac->frames == 0 ? -1 : mii - before};
    frame.last_cyc = frame.first_cyc + beats_of(shape, bytes) - 1;
    frame.rx_first_cyc =
        frame.start_octet / word + shape->rx_cyc + (frame.start_octet % word != 0 ? shape->rx_realign_cyc : 0);
    frame.rx_last_cyc = frame.rx_first_cyc + beats_of(shape, body) - 1;
    mac->start.end_octet = frame.end_octet - pipe;
    mac->taken_cyc = frame.last_cyc;
    mac->frames++;
    return frame;
}

int xgmii_pause_is_next(const struct xgmii *mac, int64_t request_cyc)
{
    return request_cyc + mac->shape.pause_request_cyc <= mac->taken_cyc;
}

struct xgmii_frame xgmii_send_pause(struct xgmii *mac, int64_t request_cyc)
{
    return xgmii_send(mac, request_cyc + mac->shape.pause_request_cyc + 1, XGMII_PAUSE_BYTES);
}

int64_t xgmii_paused_cyc(const struct xgmii *mac, const struct xgmii_frame *pause)
{
    return pause->rx_last_cyc + mac->shape.pause_receive_cyc;
}

int64_t xgmii_pause_lasts_cyc(const struct xgmii *mac, int64_t quanta)
{
    return quanta * XGMII_QUANTUM_BYTES / mac->shape.rule.word + mac->shape.pause_more_cyc;
}

/* A receiver that shifts a frame by half a word, so that it begins in the first lane, sees the frame's end so much later, the next
 * start where it came; one that does not, looks at the last octet of the FCS. It cannot end one frame and begin another in one cycle. */
struct xgmii_pair xgmii_receive_pair(const struct xgmii_shape *shape, uint32_t bytes, int64_t first_lane, int64_t gap)
{
    int64_t word = shape->rule.word;
    int64_t end = word + first_lane + shape->preamble + padded(shape, bytes) + shape->fcs, next = end + gap;
    int64_t seen = shape->rx_conflict == MAC_RX_CONFLICT_REALIGNED ? end + first_lane : end - 1;
    if (shape->rx_conflict == MAC_RX_CONFLICT_NEVER || seen / word < next / word)
        return (struct xgmii_pair){.ok = 2};
    /* a start in the first lane is lost in that cycle, one in another lane is held for the next one */
    return next % word == 0 ? (struct xgmii_pair){.bad = 1, .missing = 1} : (struct xgmii_pair){.ok = 1, .bad = 1};
}
