/* The FIFOs: in front of each stage, at the end of each path but mac_rx (a frame that arrives there is taken or dropped at once: no
 * memory), the payload buffers of requests and of answers, contexts to be written back, memory on the board with what is behind it, and the table of packets that are not acknowledged. How full they were, which parameter sets their depth, and what they take in memory. */
#include "api/api_internal.h"

#include <stdio.h>
#include <string.h>

#define BUFFER_UNIT_BYTES 64u

enum {
    PAYLOAD_BUFFER = RNIC_PATHS,
    CONTEXT_WRITES,
    ANSWER_BUFFER,
    STAGING_BUFFER,
    STAGED_FIFO,
    RETRANSMIT_TABLE,
    PLACES_END
}; /* as paths */

/* One of them in its NIC. */
struct place {
    struct rnic *nic;
    int path;
    int stage; /* in the path; the path's count: at its end */
};

static size_t fifos_in(const struct rnic *nic, int path)
{
    const struct path *p = &nic->path[path];
    int has_end = path != RNIC_MAC_RX && (path != RNIC_FETCH || p->count > 0);
    return (size_t)(p->count + has_end);
}

/* Those that belong to no path, in the order of the enumeration. */
static int is_there(const struct rnic *nic, int place)
{
    return place == PAYLOAD_BUFFER || (place == CONTEXT_WRITES && nic->pcie.has_updates) ||
           (place == ANSWER_BUFFER && nic->answers.on) ||
           ((place == STAGING_BUFFER || place == STAGED_FIFO) && nic->staging.on) ||
           (place == RETRANSMIT_TABLE && nic->payload.entries.depth > 0);
}

static size_t fifos_of(const struct rnic *nic)
{
    size_t count = 0;
    for (int place = PAYLOAD_BUFFER; place < PLACES_END; place++)
        count += is_there(nic, place) != 0;
    for (int path = 0; path < RNIC_PATHS; path++)
        count += fifos_in(nic, path);
    return count;
}

size_t rnicsim_fifo_count(const struct rnicsim *sim)
{
    return fifos_of(&sim->system.nic[0]) + fifos_of(&sim->system.nic[1]);
}

static int find(struct rnicsim *sim, size_t index, struct place *place)
{
    *place = (struct place){.nic = api_pick_nic(sim, &index, fifos_of)};
    if (!place->nic)
        return -1;
    for (; place->path < RNIC_PATHS; place->path++) {
        size_t here = fifos_in(place->nic, place->path);
        if (index < here)
            break;
        index -= here;
    }
    place->stage = (int)index;
    if (place->path < PAYLOAD_BUFFER)
        return 0;
    for (;; place->path++)
        if (is_there(place->nic, place->path) && index-- == 0)
            return 0;
}

static int is_buffer(const struct place *place)
{
    return place->path == PAYLOAD_BUFFER || place->path == ANSWER_BUFFER || place->path == STAGING_BUFFER;
}

/* No FIFO: a buffer, or a table. */
static int is_pool(const struct place *place)
{
    return is_buffer(place) || place->path == RETRANSMIT_TABLE;
}

static uint32_t unit_bytes(const struct place *place)
{
    return place->path == PAYLOAD_BUFFER ? 1u << place->nic->payload.shift : BUFFER_UNIT_BYTES;
}

static int is_end(const struct place *place)
{
    return place->path == CONTEXT_WRITES || place->path == STAGED_FIFO ||
           place->stage == place->nic->path[place->path].count;
}

/* Whose items a FIFO holds. */
static enum rnic_path path_of(const struct place *place)
{
    return place->path == STAGED_FIFO ? RNIC_RESPOND : (enum rnic_path)place->path;
}

static struct fifo *fifo_of(const struct place *place)
{
    if (place->path == CONTEXT_WRITES)
        return &place->nic->contexts.writes;
    if (place->path == STAGED_FIFO)
        return &place->nic->staging.out;
    struct path *path = &place->nic->path[place->path];
    return is_end(place) ? &path->end : &path->stage[place->stage].in;
}

struct fifo *api_fifo(struct rnicsim *sim, size_t index, struct rnic **nic, int *path)
{
    struct place place;
    if (find(sim, index, &place) || is_pool(&place) || place.path == CONTEXT_WRITES)
        return 0;
    *nic = place.nic;
    *path = (int)path_of(&place);
    return fifo_of(&place);
}

static struct level *level_of(const struct place *place)
{
    return place->path == PAYLOAD_BUFFER     ? &place->nic->payload_level
           : place->path == ANSWER_BUFFER    ? &place->nic->answers.level
           : place->path == STAGING_BUFFER   ? &place->nic->staging.level
           : place->path == RETRANSMIT_TABLE ? &place->nic->payload.entries_level
                                             : &fifo_of(place)->level;
}

/* ---- what happened ---- */

static void fill_level(const struct rnicsim *sim, struct level *level, struct rnicsim_fifo_info *out)
{
    level_settle(level, sim->system.sim.now);
    out->depth = level->depth;
    out->high_water = level->high_water;
    out->high_water_at_ps = level->high_water == 0 ? 0 : level->high_water_at_ps - sim->system.shift_ps;
    out->p50 = level_percentile(level, 500000000);
    out->p99 = level_percentile(level, 990000000);
    out->p999 = level_percentile(level, 999000000);
    out->full_ps = level->time_ps[level->depth];
    out->pushes = level->entries;
}

static void fill_fifo(const struct place *place, struct rnicsim_fifo_info *out)
{
    static const char *const end_holds[RNIC_PATHS] = {"doorbells for the scheduler",
                                                      "operations for the read engine",
                                                      "fetched WQEs for the scheduler",
                                                      "built packets for the port",
                                                      "built ACKs for the port",
                                                      "words for the line",
                                                      "",
                                                      "frames for dispatch",
                                                      "payload for the write engine",
                                                      "ACKs to retire by",
                                                      "CQEs for the write engine",
                                                      "fetches for the read engine"};
    int has_path = place->path < RNIC_PATHS;
    const struct fifo *fifo = fifo_of(place);
    out->path = has_path ? rnic_path_name[place->path] : "core";
    out->name = fifo->shape.name;
    out->unit = fifo->shape.in_beats ? "beats" : "packets";
    out->holds = place->path == STAGED_FIFO ? end_holds[RNIC_RESPOND]
                 : !has_path                ? "contexts and atomics' values for the write engine"
                 : is_end(place)            ? end_holds[place->path]
                                            : place->nic->setup.holds[place->path][place->stage];
    out->drops = fifo->drops;
    out->back_pressure_ps = api_in_ps(fifo->shape.write_clk, fifo->back_pressure_cyc);
    out->crosses_clocks =
        fifo->shape.flops > 1; /* 1: the link's clock stands for the endpoint, which runs at the user clock */
}

/* ---- which parameter sets the depth ---- */

/* The parameter of the NIC's that sets the depth at a path's end. */
static const char *end_key(enum rnic_path path)
{
    static const char *const key[RNIC_PATHS] = {"nic.doorbell_fifo",
                                                "nic.operation_fifo",
                                                "nic.wqe_reads",
                                                "nic.data_fifo",
                                                "nic.ack_fifo",
                                                "nic.line_fifo",
                                                "",
                                                "nic.dispatch_fifo",
                                                "nic.write_fifo",
                                                "nic.retire_fifo",
                                                "nic.cqe_fifo",
                                                "nic.wqe_reads"};
    return key[path];
}

static const char *why_fixed(const struct place *place)
{
    if (place->path == RNIC_WQE || (place->path == RNIC_FETCH && is_end(place)))
        return "never pushes back: nic.wqe_reads bounds the fetches under way";
    if (place->path == RNIC_MAC_RX)
        return "inside the MAC";
    return place->path == RNIC_TX && is_end(place) ? "inside the MAC and on the line" : 0;
}

static void fill_depth_key(const struct place *place, struct rnicsim_fifo_info *out)
{
    out->depth_scale = 1;
    out->depth_unit = "";
    if (is_buffer(place)) {
        snprintf(out->depth_key, sizeof out->depth_key, "nic.%s", out->name);
        out->depth_unit = "B";
        out->depth_scale = unit_bytes(place);
        return;
    }
    if (place->path == RETRANSMIT_TABLE) {
        snprintf(out->depth_key, sizeof out->depth_key, "nic.retransmit_entries");
        return;
    }
    const struct fifo *fifo = fifo_of(place);
    out->fixed = why_fixed(place);
    if (!is_end(place)) {
        snprintf(out->depth_key, sizeof out->depth_key, "stage.%s.%s.depth", out->path, out->name);
        out->depth_unit = out->unit;
        return;
    }
    if (place->path == STAGED_FIFO || place->path == RNIC_RESPOND)
        snprintf(out->depth_key, sizeof out->depth_key, "nic.%s", fifo->shape.name);
    else
        snprintf(out->depth_key, sizeof out->depth_key, "%s",
                 place->path == CONTEXT_WRITES ? "nic.context_writes" : end_key((enum rnic_path)place->path));
    if (fifo->shape.in_beats) {
        out->depth_unit = "B";
        out->depth_scale = fifo->shape.read_bytes;
    }
}

/* A FIFO in beats must hold the largest item of its path. */
static void fill_depth_range(const struct rnicsim *sim, const struct place *place, struct rnicsim_fifo_info *out)
{
    int64_t least = 1, most = INT64_MAX;
    config_range(sim->system.config, out->depth_key, &least, &most);
    out->depth_least = ((uint64_t)least + out->depth_scale - 1) / out->depth_scale;
    out->depth_most = (uint64_t)most / out->depth_scale;
    if (out->depth_least == 0) /* which stands for no limit */
        out->depth_least = 1;
    if (is_pool(place) || !fifo_of(place)->shape.in_beats)
        return;
    uint32_t item = fifo_units(fifo_of(place), rnic_largest_item_bytes(place->nic, path_of(place)));
    if (out->depth_least < item)
        out->depth_least = item;
}

/* ---- memory ---- */

/* Data, TKEEP, TLAST. */
static uint32_t beat_bits(uint32_t bytes)
{
    return 8 * bytes + bytes + 1;
}

/* The largest of those that are written back, and its address. */
static int64_t context_bits(const struct rnic *nic)
{
    const struct context_table *table = nic->contexts.table;
    uint32_t qpc = table[CONTEXT_QPC].on ? table[CONTEXT_QPC].bytes : 0;
    uint32_t cqc = table[CONTEXT_CQC].on ? table[CONTEXT_CQC].bytes : 0;
    uint32_t srqc = table[CONTEXT_SRQC].on ? table[CONTEXT_SRQC].bytes : 0;
    uint32_t bytes = qpc > cqc ? qpc : cqc;
    bytes = srqc > bytes ? srqc : bytes;
    return 8 * (bytes > ATOMIC_BYTES ? bytes : ATOMIC_BYTES) + 64;
}

/* Bits of a descriptor; 0: the items themselves are held. */
static int64_t entry_bits(const struct rnicsim *sim, const struct place *place)
{
    const struct nic_params *p = place->nic->params;
    const struct stage_spec *spec;
    if (place->path == CONTEXT_WRITES)
        return context_bits(place->nic);
    if (is_end(place))
        return place->path == RNIC_DOORBELL                             ? p->doorbell_entry
               : place->path == RNIC_SCHED || place->path == RNIC_FETCH ? p->operation_entry
               : place->path == RNIC_RETIRE                             ? p->retire_entry
               : place->path == RNIC_CQE                                ? 8 * p->cqe_bytes + 64 /* and its address */
                                                                        : 0;
    for (size_t i = 0; (spec = config_stage(sim->system.config, i)); i++)
        if (strcmp(spec->path, rnic_path_name[place->path]) == 0 &&
            strcmp(spec->name, place->nic->path[place->path].stage[place->stage].name) == 0)
            return spec->entry_bits;
    return 0;
}

static void fill_memory(const struct rnicsim *sim, const struct place *place, struct rnicsim_fifo_info *out)
{
    if (is_pool(place)) {
        int is_table = place->path == RETRANSMIT_TABLE;
        out->words = is_table ? 1 : unit_bytes(place) / BUFFER_UNIT_BYTES;
        out->word_bits = is_table ? (uint32_t)place->nic->params->retransmit_entry : 8 * BUFFER_UNIT_BYTES;
        return;
    }
    const struct fifo *fifo = fifo_of(place);
    if (place->path == RNIC_MAC_RX || (place->path == RNIC_TX && is_end(place)))
        return;
    int64_t entry = fifo->shape.in_beats ? 0 : entry_bits(sim, place);
    out->words = 1;
    out->word_bits = entry > 0 ? (uint32_t)entry : beat_bits(fifo->shape.read_bytes);
    if (entry == 0 && !fifo->shape.in_beats)
        out->words = fifo_beats(rnic_largest_item_bytes(place->nic, path_of(place)), fifo->read_shift);
}

static void fill_pool(const struct place *place, struct rnicsim_fifo_info *out)
{
    static const char *const unit[] = {"64 B", "128 B", "256 B", "512 B", "1 KiB", "2 KiB", "4 KiB"};
    out->path = "core";
    out->name = place->path == ANSWER_BUFFER      ? "answer_buffer"
                : place->path == STAGING_BUFFER   ? "staging_buffer"
                : place->path == RETRANSMIT_TABLE ? "retransmit_table"
                                                  : "payload_buffer";
    out->unit = place->path == PAYLOAD_BUFFER     ? unit[place->nic->payload.shift - 6]
                : place->path == RETRANSMIT_TABLE ? "entries"
                                                  : unit[0];
    out->holds =
        place->path == RETRANSMIT_TABLE ? "packets that are not acknowledged" : "payload from its read until it leaves";
    if (place->path == PAYLOAD_BUFFER) {
        out->asked_bytes = place->nic->payload.asked_bytes;
        out->held_bytes = place->nic->payload.held_bytes;
    }
}

int rnicsim_fifo(struct rnicsim *sim, size_t index, struct rnicsim_fifo_info *out)
{
    struct place place;
    if (find(sim, index, &place))
        return RNICSIM_EINPUT;
    *out = (struct rnicsim_fifo_info){.nic = place.nic->setup.name};
    if (is_pool(&place))
        fill_pool(&place, out);
    else
        fill_fifo(&place, out);
    fill_level(sim, level_of(&place), out);
    fill_depth_key(&place, out);
    fill_depth_range(sim, &place, out);
    fill_memory(sim, &place, out);
    return RNICSIM_OK;
}

size_t rnicsim_fifo_levels(struct rnicsim *sim, size_t index, int64_t *time_ps, size_t max)
{
    struct place place;
    if (find(sim, index, &place))
        return 0;
    struct level *level = level_of(&place);
    level_settle(level, sim->system.sim.now);
    for (size_t i = 0; i <= level->depth && i < max; i++)
        time_ps[i] = level->time_ps[i];
    return (size_t)level->depth + 1;
}

int rnicsim_fifo_watch(struct rnicsim *sim, size_t index, int64_t from_ps, int64_t to_ps, size_t room,
                       struct rnicsim_error *error)
{
    struct place place;
    struct level *level = sim && find(sim, index, &place) == 0 ? level_of(&place) : 0;
    if (!level || level->watch || room < 1 || from_ps < 0 || to_ps < from_ps || to_ps > RNICSIM_TIME_MAX)
        return api_fail(error, RNICSIM_EINPUT,
                        "a watch on FIFO %zu: allowed is one a FIFO, room from 1, and 0 <= from <= to <= 2^62 ps",
                        index);
    if (level_watch(level, from_ps + sim->system.shift_ps, to_ps + sim->system.shift_ps, room))
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    return RNICSIM_OK;
}

size_t rnicsim_fifo_changes(struct rnicsim *sim, size_t index, struct rnicsim_level_change *changes, size_t max)
{
    struct place place;
    struct level *level = find(sim, index, &place) == 0 ? level_of(&place) : 0;
    if (!level || !level->watch)
        return 0;
    level_settle(level, sim->system.sim.now);
    const struct level_watch *watch = level->watch;
    for (size_t i = 0; i <= watch->count && i < max; i++)
        changes[i] = i == 0 ? (struct rnicsim_level_change){watch->from_ps - sim->system.shift_ps, watch->before}
                            : (struct rnicsim_level_change){watch->change[i - 1].at_ps - sim->system.shift_ps,
                                                            watch->change[i - 1].level};
    return watch->count + 1;
}
