/* Frames that pass on the line, for whoever listens. */
#include "api/api_internal.h"

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

size_t rnicsim_frames(struct rnicsim *sim, struct rnicsim_frame *frames, size_t max)
{
    struct tap_frame seen;
    size_t count = 0;
    while (count < max && tap_take(&sim->system.tap, sim->system.sim.now, &seen))
        frames[count++] = (struct rnicsim_frame){.at_ps = seen.at_ps - sim->system.shift_ps,
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
    return count;
}
