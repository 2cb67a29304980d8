/* Frames that pass on the line, for whoever listens. */
#include "api/api_internal.h"

#include <stdlib.h>
#include <string.h>

int rnicsim_frames_watch(struct rnicsim *sim, struct rnicsim_error *error)
{
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    if (sim->posted > 0)
        return api_fail(error, RNICSIM_EINPUT, "something has been posted: who listens comes before");
    return tap_turn_on(&sim->system.tap, sim->system.nic) ? api_fail(error, RNICSIM_EINPUT, "out of memory")
                                                          : RNICSIM_OK;
}

void frames_release(struct rnicsim *sim)
{
    while (sim->held_count > 0)
        content_give(sim->system.contents, sim->held[--sim->held_count]);
}

/* Keeps a frame's payload for the caller. 0: without memory, or there is none. */
static int hold(struct rnicsim *sim, uint32_t block)
{
    if (block == POOL_NONE)
        return 0;
    if (sim->held_count == sim->held_room) {
        size_t room = sim->held_room ? 2 * sim->held_room : 64;
        uint32_t *more = realloc(sim->held, room * sizeof *more);
        if (!more) {
            content_give(sim->system.contents, block);
            return 0;
        }
        sim->held = more;
        sim->held_room = room;
    }
    sim->held[sim->held_count++] = block;
    return 1;
}

/* What it holds. The answer to an atomic has its value in a header. */
static void add_content(struct rnicsim *sim, const struct tap_frame *seen, struct rnicsim_frame *frame)
{
    frame->swap_or_add = seen->swap_or_add;
    frame->compare = seen->compare;
    if (!hold(sim, seen->block))
        return;
    const uint8_t *bytes = content_bytes(sim->system.contents, seen->block);
    if (seen->payload_bytes > 0)
        frame->payload = bytes;
    else
        memcpy(&frame->original, bytes, sizeof frame->original);
}

size_t rnicsim_frames(struct rnicsim *sim, struct rnicsim_frame *frames, size_t max)
{
    struct tap_frame seen;
    size_t count = 0;
    frames_release(sim);
    while (count < max && tap_take(&sim->system.tap, sim->system.sim.now, &seen)) {
        frames[count] = (struct rnicsim_frame){.at_ps = seen.at_ps - sim->system.shift_ps,
                                               .host = seen.host,
                                               .is_sent = seen.is_sent,
                                               .is_bad = seen.is_bad,
                                               .again = seen.again,
                                               .opcode = seen.opcode,
                                               .ack_request = seen.ack_request,
                                               .solicited = seen.solicited,
                                               .syndrome = seen.syndrome,
                                               .service_level = seen.service_level,
                                               .bytes = seen.bytes,
                                               .payload_bytes = seen.payload_bytes,
                                               .source_qpn = seen.source_qpn,
                                               .destination_qpn = seen.destination_qpn,
                                               .psn = seen.psn,
                                               .msn = seen.msn,
                                               .address = seen.address,
                                               .rkey = seen.rkey,
                                               .dma_bytes = seen.dma_bytes,
                                               .immediate = seen.immediate,
                                               .ecn = seen.ecn,
                                               .qkey = seen.qkey,
                                               .srqn = seen.srqn};
        if (sim->system.contents)
            add_content(sim, &seen, &frames[count]);
        count++;
    }
    return count;
}
