/* Received payload in memory on the board: a decider that gives each channel to whoever asked first. */
#include "nic/rnic.h"

#include <stdio.h>
#include <stdlib.h>

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static struct staging_channel *channel_of(struct rnic *rnic, uint32_t packet)
{
    return &rnic->staging.channel[packet % (uint32_t)rnic->params->memory_channels];
}

/* ---- an access ---- */

/* Since the last refresh began; one begins with the user clock's first edge. */
static int64_t into_interval_ps(const struct rnic *rnic, int64_t at_ps)
{
    return (at_ps - rnic_ps(rnic, 0)) % rnic->params->memory_refresh_interval;
}

/* From the instant on, or behind the refresh that is under way then. */
static int64_t behind_refresh(const struct rnic *rnic, int64_t at_ps)
{
    int64_t into_ps = into_interval_ps(rnic, at_ps), refresh_ps = rnic->params->memory_refresh;
    return into_ps < refresh_ps ? at_ps - into_ps + refresh_ps : at_ps;
}

/* The end of an access that begins at start_ps and takes work_ps of the channel. */
static int64_t with_refreshes(const struct rnic *rnic, int64_t start_ps, int64_t work_ps)
{
    const struct nic_params *p = rnic->params;
    int64_t until_ps = p->memory_refresh_interval - into_interval_ps(rnic, start_ps);
    while (work_ps > until_ps) {
        start_ps += until_ps + p->memory_refresh;
        work_ps -= until_ps;
        until_ps = p->memory_refresh_interval - p->memory_refresh;
    }
    return start_ps + work_ps;
}

/* Rows of `bytes` from the place on that are not open yet; the last one is then. */
static uint32_t miss_rows(const struct nic_params *p, struct staging_channel *channel, uint64_t place, uint32_t bytes)
{
    uint64_t ring = (uint64_t)(p->staging_buffer / p->memory_channels);
    uint32_t misses = 0;
    for (uint64_t row = place / (uint64_t)p->memory_row; row <= (place + bytes - 1) / (uint64_t)p->memory_row; row++) {
        uint64_t which = row % (ring / (uint64_t)p->memory_row + 1);
        misses += which != channel->open_row;
        channel->open_row = which;
    }
    return misses;
}

/* Gives the channel to an access of the packet that asked at asked_ps; returns when it is over (ps). */
static int64_t access_memory(struct rnic *rnic, uint32_t packet, uint32_t bytes, int is_read, int64_t asked_ps)
{
    const struct nic_params *p = rnic->params;
    struct staging *staging = &rnic->staging;
    struct staging_channel *channel = channel_of(rnic, packet);
    uint64_t *place = is_read ? &channel->read : &channel->written;
    if (bytes == 0)
        return max2(asked_ps, channel->free_ps);
    uint32_t moved = (bytes + (uint32_t)p->memory_burst - 1) / (uint32_t)p->memory_burst * (uint32_t)p->memory_burst;
    uint32_t misses = miss_rows(p, channel, *place, moved);
    int64_t work_ps = (int64_t)((__int128)moved * 8 * INT64_C(1000000000000) / p->memory_rate);
    work_ps += misses * p->memory_row_miss + (channel->was_read != is_read ? p->memory_turnaround : 0);
    int64_t start_ps = behind_refresh(rnic, max2(asked_ps, channel->free_ps));
    *place += moved;
    channel->was_read = is_read;
    channel->free_ps = with_refreshes(rnic, start_ps, work_ps);
    staging->accesses++;
    staging->row_misses += misses;
    staging->work_ps += channel->free_ps - start_ps;
    return channel->free_ps;
}

/* ---- who is next ---- */

/* When the front packet of path respond could be written; SIM_NEVER: there is none, or no space that is decided. */
static int64_t write_at_ps(struct rnic *rnic)
{
    const struct fifo *in = &rnic->path[RNIC_RESPOND].end;
    if (fifo_empty(in))
        return SIM_NEVER;
    const struct fifo_slot *front = fifo_front(in);
    int64_t space_at = space_when(&rnic->staging.space, rnic_payload_units(front->bytes));
    if (space_at == SIM_NEVER)
        return SIM_NEVER; /* my own next read gives it back */
    return max2(rnic_ps(rnic, max2(front->tail_cyc, space_at)), channel_of(rnic, rnic->staging.taken)->free_ps);
}

/* When the oldest packet that is written could be read again. */
static int64_t read_at_ps(struct rnic *rnic)
{
    struct staging *staging = &rnic->staging;
    if (staging->first == staging->next)
        return SIM_NEVER;
    const struct staging_packet *packet = &staging->packet[staging->first & staging->mask];
    int64_t space_at = fifo_space_at(&staging->out, packet->bytes);
    if (space_at == SIM_NEVER) {
        staging->out.writer_waits = 1;
        return SIM_NEVER;
    }
    return max2(rnic_ps(rnic, max2(packet->written_cyc, space_at)), channel_of(rnic, staging->first)->free_ps);
}

static void write_one(struct rnic *rnic, int64_t asked_ps, int64_t now_cyc)
{
    struct staging *staging = &rnic->staging;
    struct fifo *in = &rnic->path[RNIC_RESPOND].end;
    struct fifo_slot slot = fifo_take(in);
    uint32_t units = rnic_payload_units(slot.bytes);
    int64_t end_cyc = rnic_cycle(rnic, access_memory(rnic, staging->taken++, slot.bytes, 0, asked_ps));
    if (units > 0) {
        space_take(&staging->space, units);
        level_in(&staging->level, now_cyc, units);
    }
    end_cyc = max2(end_cyc, now_cyc);
    staging->released_cyc = max2(staging->released_cyc, end_cyc);
    fifo_release(in, slot.bytes, staging->released_cyc, staging->released_cyc);
    staging->packet[staging->next++ & staging->mask] =
        (struct staging_packet){.ref = slot.ref, .bytes = slot.bytes, .written_cyc = end_cyc + 1};
}

static void read_one(struct rnic *rnic, int64_t asked_ps, int64_t now_cyc)
{
    struct staging *staging = &rnic->staging;
    struct staging_packet packet = staging->packet[staging->first & staging->mask];
    int64_t end_ps = access_memory(rnic, staging->first++, packet.bytes, 1, asked_ps);
    int64_t end_cyc = max2(rnic_cycle(rnic, end_ps), now_cyc), units = rnic_payload_units(packet.bytes);
    staging->forwarded_cyc = max2(staging->forwarded_cyc, rnic_cycle(rnic, end_ps + rnic->params->memory_latency));
    rnic_forward(&staging->out, staging->forwarded_cyc, packet.bytes, packet.ref);
    if (units == 0)
        return;
    staging->given_cyc = max2(staging->given_cyc, end_cyc);
    space_give(&staging->space, (uint32_t)units, staging->given_cyc + 1);
    level_out(&staging->level, staging->given_cyc, (uint32_t)units);
}

static int64_t decide(void *self, int64_t now)
{
    struct rnic *rnic = self;
    int64_t now_cyc = rnic_cycle(rnic, now);
    if (rnic_ps(rnic, now_cyc) != now)
        return rnic_ps(rnic, now_cyc); /* woken between two edges */
    for (;;) {
        int64_t write_ps = write_at_ps(rnic), read_ps = read_at_ps(rnic);
        int64_t first_ps = write_ps <= read_ps ? write_ps : read_ps;
        if (first_ps == SIM_NEVER || rnic_cycle(rnic, first_ps) > now_cyc)
            return first_ps == SIM_NEVER ? SIM_NEVER : rnic_ps(rnic, rnic_cycle(rnic, first_ps));
        if (write_ps <= read_ps)
            write_one(rnic, write_ps, now_cyc);
        else
            read_one(rnic, read_ps, now_cyc);
    }
}

/* ---- set up ---- */

uint32_t staging_packets(const struct rnic *rnic)
{
    const struct staging *staging = &rnic->staging;
    return staging->next - staging->first + staging->out.next - staging->out.first;
}

static const char *wrong_with(const struct nic_params *p)
{
    if (p->memory_refresh >= p->memory_refresh_interval)
        return "nic.memory_refresh takes all of nic.memory_refresh_interval: allowed is less";
    if (p->staging_buffer / p->memory_channels < RNIC_FRAME_BYTES_MAX)
        return "nic.staging_buffer: allowed is a largest frame, 4608 B, for each of nic.memory_channels";
    return p->memory_row < p->memory_burst ? "nic.memory_row is smaller than nic.memory_burst" : 0;
}

int staging_init(struct rnic *rnic, char *error, size_t error_bytes)
{
    struct staging *staging = &rnic->staging;
    staging->on = rnic->params->staging == NIC_STAGING_ON;
    if (!staging->on)
        return 0;
    const char *wrong = wrong_with(rnic->params);
    snprintf(error, error_bytes, "%s", wrong ? wrong : "out of memory");
    if (wrong)
        return -1;
    uint32_t units = (uint32_t)(rnic->params->staging_buffer / 64), ring = 1;
    while (ring < units + (uint32_t)rnic->params->staging_fifo) /* packets without payload take no unit */
        ring *= 2;
    staging->mask = ring - 1;
    staging->packet = malloc(ring * sizeof *staging->packet);
    if (!staging->packet || space_init(&staging->space, rnic->sim, "staging buffer", units) ||
        level_init(&staging->level, units, 0))
        return -1;
    level_set_clocks(&staging->level, &rnic->user_clk, &rnic->user_clk);
    for (uint32_t i = 0; i < STAGING_CHANNELS_MAX; i++)
        staging->channel[i].open_row = UINT64_MAX;
    return 0;
}

int staging_join(struct rnic *rnic)
{
    struct staging *staging = &rnic->staging;
    uint32_t bytes = (uint32_t)rnic->params->port_width / 8;
    struct fifo_shape shape = {.name = "write_fifo",
                               .depth = (uint32_t)rnic->params->write_fifo / bytes,
                               .in_beats = 1,
                               .write_clk = &rnic->user_clk,
                               .read_clk = &rnic->pcie.link_clk,
                               .flops = 1,
                               .return_cyc = 1,
                               .write_bytes = bytes,
                               .read_bytes = bytes};
    if (!staging->on)
        return 0;
    staging->decider = sim_add(rnic->sim, decide, rnic, "staging", rnic->user_clk.whole);
    if (staging->decider < 0 || fifo_init(&staging->out, rnic->sim, &shape))
        return -1;
    rnic->path[RNIC_RESPOND].end.read_decider = staging->decider;
    rnic->path[RNIC_RESPOND].end.reader_wants_tail = 1;
    staging->out.write_decider = staging->decider;
    staging->out.read_decider = rnic->pcie.up_decider;
    staging->out.reader_wants_tail = 1;
    rnic->pcie.write_in[PCIE_IN_PAYLOAD - 1] = &staging->out;
    return 0;
}

int staging_declare(struct rnic *rnic)
{
    int64_t cycle = rnic->user_clk.whole;
    int up = rnic->pcie.up_decider, staging = rnic->staging.decider;
    if (!rnic->staging.on)
        return 0;
    int64_t respond = cycle + path_least_ps(&rnic->path[RNIC_RESPOND]);
    return sim_reach(rnic->sim, rnic->dispatch, staging, respond, SIM_FORWARD) ||
                   sim_reach(rnic->sim, rnic->scheduler, staging, respond, SIM_FORWARD) || /* with units */
                   sim_reach(rnic->sim, staging, up, cycle, SIM_FORWARD) ||
                   sim_reach(rnic->sim, up, staging, 1, SIM_FORWARD) ||
                   sim_reach(rnic->sim, staging, rnic->dispatch, cycle, SIM_FORWARD) ||
                   sim_reach(rnic->sim, staging, rnic->scheduler, cycle, SIM_FORWARD)
               ? -1
               : 0;
}

void staging_free(struct rnic *rnic)
{
    free(rnic->staging.packet);
    fifo_free(&rnic->staging.out);
    space_free(&rnic->staging.space);
    level_free(&rnic->staging.level);
}
