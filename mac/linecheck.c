#include "mac/linecheck.h"

/* What a frame takes of the bus, in segments: those of whole beats, or its own, but of a beat in which only one may begin (PG203: at most
 * one SOP a cycle) at least all. */
static int64_t segments_of(const struct linecheck *given, uint32_t frame_bytes)
{
    int64_t bits = 8 * (int64_t)(given->fcs_on_bus ? frame_bytes : frame_bytes - 4);
    int64_t segment = given->segment_bits > 0 ? given->segment_bits : given->width_bits;
    int64_t segments = (bits + segment - 1) / segment, in_a_beat = given->width_bits / segment;
    return segments > in_a_beat ? segments : in_a_beat;
}

static int64_t floor_div(__int128 num, int64_t den)
{
    return (int64_t)(num >= 0 ? num / den : -((-num + den - 1) / den));
}

struct linecheck_result linecheck(const struct linecheck *given)
{
    struct linecheck_result result = {.bubble_cycles = INT64_MAX};
    int64_t in_a_beat = given->segment_bits > 0 ? given->width_bits / given->segment_bits : 1;
    for (uint32_t bytes = LINECHECK_FRAME_LEAST_BYTES; bytes <= LINECHECK_FRAME_MOST_BYTES; bytes++) {
        int64_t slot_bits = 8 * (int64_t)(bytes + LINECHECK_BETWEEN_BYTES), segments = segments_of(given, bytes);
        __int128 needed = (__int128)segments * given->rate_bps;
        int64_t least_hz = (int64_t)((needed + slot_bits * in_a_beat - 1) / (slot_bits * in_a_beat));
        int64_t bubbles =
            floor_div((__int128)given->clock_hz * slot_bits * in_a_beat - needed, given->rate_bps * in_a_beat);
        if (least_hz > result.clock_least_hz) {
            result.clock_least_hz = least_hz;
            result.worst_frame_bytes = bytes;
        }
        if (bubbles < result.bubble_cycles)
            result.bubble_cycles = bubbles;
    }
    return result;
}
