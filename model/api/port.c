/* What a port did. */
#include "api/api_internal.h"

int rnicsim_port(const struct rnicsim *sim, uint32_t host, struct rnicsim_port *out)
{
    if (!sim || !out || host >= API_HOSTS)
        return RNICSIM_EINPUT;
    const struct rnic *nic = &sim->system.nic[host];
    const struct pause *pause = &nic->pause;
    const struct bit_errors *errors = &nic->line.errors;
    struct fifo *fifo = path_entry((struct path *)&nic->path[RNIC_RX]);
    uint32_t unit = fifo->shape.in_beats ? fifo->shape.read_bytes : 0;
    level_settle(&fifo->level, sim->system.sim.now);
    *out = (struct rnicsim_port){.nic = nic->setup.name,
                                 .frames = nic->line.frames,
                                 .other_frames = nic->line.other.frames,
                                 .wire_bytes = (uint64_t)nic->line.work_cyc,
                                 .rate_bps = nic->setup.mac->rate,
                                 .underruns = nic->line.underruns,
                                 .has_errors = nic->setup.mac->bit_errors > 0,
                                 .fec_corrected = errors->corrected,
                                 .fec_symbols = errors->corrected_symbols,
                                 .fec_uncorrectable = errors->uncorrectable,
                                 .has_pause = pause->on,
                                 .pauses_sent = pause->sent,
                                 .pauses_received = pause->received,
                                 .pauses_lost = pause->lost,
                                 .pause_storms = pause->storms,
                                 .paused_ps = pause_paused_ps(pause, sim->system.sim.now),
                                 .pause_from_bytes = pause->xoff_units * unit,
                                 .pause_headroom_bytes = pause->on ? (fifo->shape.depth - pause->xoff_units) * unit : 0,
                                 .high_water_bytes = fifo->level.high_water * unit};
    return RNICSIM_OK;
}
