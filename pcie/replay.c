#include "pcie/replay.h"

#include "kernel/rnd.h"

#include <stdlib.h>

#define REPLAYS_MOST 4         /* REPLAY_NUM has 2 bits */
#define TLP_LEAST_BYTES 20u    /* on the link: 3 double words of header */
#define TLP_MOST_BYTES 4124u   /* 4 KiB, 4 double words, ECRC, framing */
#define PPM_WHOLE 1000000000ll /* in 0.001 ppm */

int replay_init(struct replay *replay, const struct pcie_params *params, uint64_t buffer_bytes, uint64_t stream,
                struct replay_times times)
{
    *replay = (struct replay){.makes_errors = params->damaged_tlps + params->lost_acks > 0,
                              .buffer_binds = buffer_bytes > 0 && buffer_bytes < (uint64_t)times.ack + TLP_MOST_BYTES,
                              .stream = stream,
                              .damaged_share = ((uint64_t)params->damaged_tlps << 32) / PPM_WHOLE,
                              .lost_share = ((uint64_t)params->lost_acks << 32) / PPM_WHOLE,
                              .times = times,
                              .buffer_bytes = buffer_bytes};
    uint64_t room = 1;
    while (room < replay->buffer_bytes / TLP_LEAST_BYTES + 2)
        room *= 2;
    replay->mask = room - 1;
    replay->sent = replay->buffer_binds ? malloc(room * sizeof *replay->sent) : 0;
    return replay->buffer_binds && !replay->sent ? -1 : 0;
}

void replay_free(struct replay *replay)
{
    free(replay->sent);
}

int64_t replay_room_back(struct replay *replay, uint32_t bytes, int64_t at_cyc)
{
    if (replay->bytes + bytes <= replay->buffer_bytes)
        return at_cyc;
    uint64_t need = replay->bytes + bytes - replay->buffer_bytes; /* so many must be acknowledged */
    uint64_t oldest = replay->count > replay->mask ? replay->count - replay->mask - 1 : 0, first = replay->first;
    while (first > oldest && replay->sent[(first - 1) & replay->mask].bytes >= need) /* a larger one had asked */
        first--;
    while (replay->sent[first & replay->mask].bytes < need)
        first++;
    replay->first = first;
    int64_t acked_cyc = replay->sent[first & replay->mask].acked_cyc;
    return acked_cyc > at_cyc ? acked_cyc : at_cyc;
}

/* When the sender knows that the attempt which ended at end_cyc failed; -1: it did not. */
static int64_t failure_known(const struct replay *replay, uint32_t attempt, int64_t end_cyc)
{
    uint64_t draw = rnd_draw(replay->stream, replay->tlps, attempt) >> 32;
    if (draw < replay->damaged_share)
        return end_cyc + replay->times.nak;
    if (draw - replay->damaged_share < replay->lost_share)
        return end_cyc + replay->times.timer;
    return -1;
}

int64_t replay_send(struct replay *replay, uint32_t bytes, int64_t start_cyc, int64_t took_cyc)
{
    int64_t end_cyc = start_cyc + took_cyc, known_cyc;
    for (uint32_t attempt = 0; replay->makes_errors && (known_cyc = failure_known(replay, attempt, end_cyc)) >= 0;
         attempt++) {
        if (attempt % REPLAYS_MOST == REPLAYS_MOST - 1) {
            known_cyc += replay->times.retrain;
            replay->retrains++;
        }
        replay->replays++;
        end_cyc = known_cyc + took_cyc;
        if (replay->log)
            pcie_log_put(replay->log, PCIE_REPLAYED, clk_edge(replay->log_clk, start_cyc),
                         clk_edge(replay->log_clk, end_cyc - took_cyc) - clk_edge(replay->log_clk, start_cyc));
    }
    replay->lost_cyc += end_cyc - took_cyc - start_cyc;
    replay->tlps++;
    if (replay->buffer_binds) {
        replay->bytes += bytes;
        replay->sent[replay->count++ & replay->mask] = (struct replay_sent){end_cyc + replay->times.ack, replay->bytes};
    }
    return end_cyc;
}
