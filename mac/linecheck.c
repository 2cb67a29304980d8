#include "mac/linecheck.h"

static int64_t beats_of(const struct linecheck *given, uint32_t frame_bytes)
{
    int64_t bits = 8 * (int64_t)(given->fcs_on_bus ? frame_bytes : frame_bytes - 4);
    return (bits + given->width_bits - 1) / given->width_bits;
}

static int64_t floor_div(__int128 num, int64_t den)
{
    return (int64_t)(num >= 0 ? num / den : -((-num + den - 1) / den));
}

struct linecheck_result linecheck(const struct linecheck *given)
{
    struct linecheck_result result = {.bubble_cycles = INT64_MAX};
    for (uint32_t bytes = LINECHECK_FRAME_LEAST_BYTES; bytes <= LINECHECK_FRAME_MOST_BYTES; bytes++) {
        int64_t slot_bits = 8 * (int64_t)(bytes + LINECHECK_BETWEEN_BYTES), beats = beats_of(given, bytes);
        int64_t least_hz = (int64_t)(((__int128)beats * given->rate_bps + slot_bits - 1) / slot_bits);
        int64_t bubbles =
            floor_div((__int128)given->clock_hz * slot_bits - (__int128)beats * given->rate_bps, given->rate_bps);
        if (least_hz > result.clock_least_hz) {
            result.clock_least_hz = least_hz;
            result.worst_frame_bytes = bytes;
        }
        if (bubbles < result.bubble_cycles)
            result.bubble_cycles = bubbles;
    }
    return result;
}
