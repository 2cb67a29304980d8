#include "pcie/root.h"

#include "config/param_dist.h"
#include "pcie/tlp.h"

#include <stdio.h>
#include <stdlib.h>

#define USUAL_DRAW (UINT64_MAX / 100 * 99) /* 99 of 100 reads take no longer than one of this draw */
#define ENTRIES_PER_LINE 8u                /* of a page table (Intel VT-d) */
#define WHOLE_PPM 1000000000               /* of a share, in 0.001 ppm */
#define LOAD_FACTOR_PERCENT \
    80 /* Understanding the Host Network, SIGCOMM 2024: contention makes latencies 1.26 to 1.8 times as long */

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t loaded_ps(const struct pcie_params *params, int64_t ps)
{
    return ps + ps * LOAD_FACTOR_PERCENT / 100 * (params->host_load / 1000) / (WHOLE_PPM / 1000);
}

static uint64_t share_of(int64_t milli_ppm)
{
    return ((uint64_t)milli_ppm << 32) / WHOLE_PPM;
}

static void find_plain(struct root *root)
{
    const struct pcie_params *p = root->params;
    root->is_plain = p->host_read_kib == 0 && p->host_remote == 0 && p->host_idle == 0 && !p->iommu &&
                     p->peer_bytes == 0 && root->dram_share == 0 && root->stall_share == 0;
}

/* Which lines were written shortly before matters where others are further away. */
static int keep_written(struct root *root)
{
    if (root->written || (root->dram_share == 0 && root->params->host_remote == 0))
        return 0;
    uint64_t lines = (uint64_t)root->params->host_ddio / TLP_LINE_BYTES;
    root->written = calloc(lines, sizeof *root->written);
    root->written_mask = lines - 1;
    return root->written ? 0 : -1;
}

int64_t root_line_ps(const struct pcie_params *params)
{
    return loaded_ps(params, params->host_write_line);
}

int root_init(struct root *root, struct sim *sim, const struct pcie_params *params, uint64_t entity, int64_t phase_ps,
              char *error, size_t error_bytes)
{
    *root = (struct root){.params = params,
                          .phase_ps = phase_ps,
                          .last_read_ps = INT64_MIN / 2, /* asleep, if it ever is */
                          .read_least_ps = params->host_read.point[0].ps,
                          .stream = rnd_stream(sim->seed, entity),
                          .read_most_ps = params->host_read.point[params->host_read.count - 1].ps,
                          .write_least_ps = params->host_write.point[0].ps,
                          .ack_ps = params->host_write_ack,
                          .write_varies = params->host_write.point[0].ps !=
                                          params->host_write.point[params->host_write.count - 1].ps,
                          .dram_ps = loaded_ps(params, params->host_dram),
                          .dram_share = share_of(params->host_dram_share),
                          .stall_share = share_of(params->host_stall_share)};
    peer_init(&root->peer, params);
    root->translates = params->iommu && !params->ats;
    root->visible_least_ps = root->write_least_ps;
    if (params->peer_bytes > 0) {
        root->read_least_ps = params->peer_read < root->read_least_ps ? params->peer_read : root->read_least_ps;
        root->visible_least_ps = params->peer_write < root->write_least_ps ? params->peer_write : root->write_least_ps;
    }
    find_plain(root);
    if (params->iommu && !iommu_page_exists((uint64_t)params->iommu_page)) {
        snprintf(error, error_bytes, "pcie.iommu_page: no such page, allowed 4 KiB, 2 MiB, 1 GiB");
        return -1;
    }
    if (param_dist_table(&params->host_read, &root->read_ps) || param_dist_table(&params->host_wake, &root->wake_ps) ||
        param_dist_table(&params->host_stall, &root->stall_ps) ||
        param_dist_table(&params->host_write, &root->write_ps) || keep_written(root))
        return -1;
    return params->iommu ? iommu_init(&root->iommu, params) : 0;
}

void root_free(struct root *root)
{
    iommu_free(&root->iommu);
    free(root->written);
}

int root_set_window(struct root *root, uint64_t window_bytes, int cold)
{
    uint64_t llc = (uint64_t)root->params->host_llc, share = cold ? share_of(WHOLE_PPM) : 0;
    if (!cold && window_bytes > llc)
        share = ((window_bytes - llc) << 32) / window_bytes;
    if (share > root->dram_share)
        root->dram_share = share;
    find_plain(root);
    return keep_written(root);
}

/* The plain host's way looks at no log. */
void root_keep_log(struct root *root, struct pcie_log *log)
{
    root->log = log;
    log->usual_ps = rnd_table_draw(&root->read_ps, USUAL_DRAW);
    root->is_plain = 0;
}

/* Of one read, in the order in which it meets them. */
static void log_read(struct root *root, int64_t at_ps, int64_t awake_ps, int64_t read_ps, int64_t refresh_ps,
                     int64_t stall_ps)
{
    struct pcie_log *log = root->log;
    pcie_log_put(log, PCIE_HOST_WOKE, at_ps, awake_ps - at_ps);
    if (read_ps > log->usual_ps)
        pcie_log_put(log, PCIE_SLOW_READ, awake_ps, read_ps - root_typical_read_ps(root));
    pcie_log_put(log, PCIE_REFRESH, awake_ps, refresh_ps);
    pcie_log_put(log, PCIE_HOST_STALL, awake_ps, stall_ps);
}

int64_t root_typical_read_ps(const struct root *root)
{
    int64_t far_ps = (int64_t)(root->dram_share * (uint64_t)root->dram_ps >> 32);
    return rnd_table_draw(&root->read_ps, UINT64_C(1) << 63) + root->params->host_remote + far_ps;
}

/* What is left, at at_ps, of the refresh of a channel in the interval before or in this one. It is somewhere in each: a controller may
 * postpone it (JESD79-4, 4.26). */
static int64_t channel_refresh_ps(const struct root *root, int64_t at_ps, uint64_t channel)
{
    at_ps -= root->phase_ps;
    int64_t interval_ps = root->params->host_refresh_interval, number = at_ps / interval_ps, left_ps = 0;
    for (int64_t i = number - (number > 0); i <= number; i++) {
        uint64_t draw = rnd_draw(root->stream, (uint64_t)i, ROOT_DRAW_REFRESH + channel) >> 32;
        int64_t begin_ps = i * interval_ps + (int64_t)(draw * (uint64_t)interval_ps >> 32);
        if (begin_ps <= at_ps)
            left_ps = max2(left_ps, begin_ps + root->params->host_refresh - at_ps);
    }
    return left_ps;
}

/* How long a read of `lines`, which go to the channels in turn, waits for those that it touches. */
static int64_t refresh_ps(const struct root *root, int64_t at_ps, uint64_t line, uint64_t lines)
{
    uint64_t channels = (uint64_t)root->params->host_channels;
    int64_t wait_ps = 0;
    for (uint64_t i = 0; i < lines && i < channels && root->params->host_refresh > 0; i++)
        wait_ps = max2(wait_ps, channel_refresh_ps(root, at_ps, (line + i) % channels));
    return wait_ps;
}

/* A line is in the cache or not, whoever asks; an access goes by its first. */
static int was_written(const struct root *root, uint64_t line)
{
    return root->written && root->written[line & root->written_mask] == line + 1;
}

static int is_in_cache(const struct root *root, uint64_t line)
{
    return rnd_draw(root->stream, line, ROOT_DRAW_MISS) >> 32 >= root->dram_share;
}

/* What the memory behind the cache takes longer, of which waits_ps for a refresh. */
static int64_t memory_ps(const struct root *root, int64_t at_ps, uint64_t address, uint32_t bytes, int64_t *waits_ps)
{
    uint64_t line = address / TLP_LINE_BYTES;
    if (was_written(root, line))
        return 0;
    int64_t ps = root->params->host_remote;
    if (is_in_cache(root, line))
        return ps;
    *waits_ps = refresh_ps(root, at_ps, line, tlp_blocks(address, bytes, TLP_LINE_BYTES));
    return ps + root->dram_ps + *waits_ps;
}

/* What a write takes longer, there and back, as no cache of this node has its line. */
static int64_t snoop_ps(const struct root *root, uint64_t address)
{
    uint64_t line = address / TLP_LINE_BYTES;
    if (!root->written || was_written(root, line) || is_in_cache(root, line))
        return 0;
    return root->params->host_snoop + 2 * root->params->host_remote;
}

/* A walk reads DRAM, also for a page that was touched a moment ago: behind an IOMMU a far read meets two refreshes where it met one, and
 * one of what was just written, which is in the cache, one where it met none (pcie-bench/data @b2abf2f, hsw-Xeon-E5-2637v3 and
 * ib-Xeon-E5-2620v2 iommu-nosp: LAT_RD and LAT_WRRD of 64 B). */
int64_t root_translate(struct root *root, int64_t at_ps, uint64_t address, int is_write)
{
    int64_t wait_ps = 0;
    if (iommu_walks(&root->iommu, address))
        wait_ps = refresh_ps(root, at_ps, (address >> root->iommu.page_shift) / ENTRIES_PER_LINE, 1);
    int64_t done_ps = iommu_translate(&root->iommu, at_ps, address, is_write, wait_ps);
    if (root->log && done_ps > at_ps + root->params->iommu_lookup)
        pcie_log_put(root->log, PCIE_IOTLB_MISS, at_ps, done_ps - at_ps);
    return done_ps;
}

/* When a host that may sleep can serve a read. */
static int64_t awake_at(struct root *root, int64_t from_ps, uint64_t ordinal)
{
    int64_t idle_ps = root->params->host_idle;
    if (idle_ps == 0)
        return from_ps;
    if (from_ps > root->last_read_ps + idle_ps)
        root->awake_from_ps = from_ps + rnd_table_draw(&root->wake_ps, rnd_draw(root->stream, ordinal, ROOT_DRAW_WAKE));
    return max2(from_ps, root->awake_from_ps);
}

int64_t root_read_all(struct root *root, int64_t at_ps, uint64_t address, uint32_t bytes)
{
    uint64_t ordinal = root->reads++;
    int64_t from_ps = max2(at_ps, root->acked_ps);
    if (peer_has(&root->peer, address))
        return peer_read(&root->peer, from_ps, bytes);
    if (root->translates)
        from_ps = max2(from_ps, root_translate(root, at_ps, address, 0));
    int64_t asked_ps = from_ps, refresh_waits_ps = 0, stall_ps = 0;
    from_ps = awake_at(root, from_ps, ordinal);
    int64_t read_ps = rnd_table_draw(&root->read_ps, rnd_draw(root->stream, ordinal, ROOT_DRAW_READ));
    int64_t ready_ps = from_ps + read_ps + root->params->host_read_kib * bytes / 1024 +
                       memory_ps(root, from_ps, address, bytes, &refresh_waits_ps);
    if (rnd_draw(root->stream, ordinal, ROOT_DRAW_HAS_STALL) >> 32 < root->stall_share)
        stall_ps = rnd_table_draw(&root->stall_ps, rnd_draw(root->stream, ordinal, ROOT_DRAW_STALL));
    ready_ps += stall_ps;
    if (root->log)
        log_read(root, asked_ps, from_ps, read_ps, refresh_waits_ps, stall_ps);
    root->last_read_ps = max2(root->last_read_ps, ready_ps);
    return ready_ps;
}

static void note_written(struct root *root, uint64_t address, uint64_t lines)
{
    for (uint64_t line = address / TLP_LINE_BYTES; lines > 0; lines--, line++)
        root->written[line & root->written_mask] = line + 1;
}

static int64_t write_translated(struct root *root, int64_t at_ps, uint64_t address, uint32_t bytes)
{
    int64_t ready_ps = at_ps;
    uint64_t page = (uint64_t)root->params->iommu_page;
    for (uint64_t from = address; from < address + bytes; from = (from / page + 1) * page)
        ready_ps = max2(ready_ps, root_translate(root, at_ps, from, 1));
    return ready_ps;
}

struct root_write root_write_all(struct root *root, int64_t at_ps, int64_t drained_ps, uint64_t address, uint32_t bytes,
                                 int relaxed, int64_t takes_ps)
{
    if (bytes == 0) /* no TLP */
        return (struct root_write){drained_ps, root_in_order(root, drained_ps + takes_ps, relaxed)};
    int64_t visible_ps;
    drained_ps = max2(drained_ps, root->drained_ps); /* in order */
    if (peer_has(&root->peer, address)) {
        visible_ps = peer_write(&root->peer, drained_ps, bytes, &drained_ps);
    } else {
        if (root->translates)
            drained_ps = max2(drained_ps, write_translated(root, at_ps, address, bytes));
        visible_ps = drained_ps + takes_ps + snoop_ps(root, address);
        if (root->written)
            note_written(root, address, tlp_blocks(address, bytes, TLP_LINE_BYTES));
    }
    root->drained_ps = drained_ps;
    return (struct root_write){drained_ps, root_in_order(root, visible_ps, relaxed)};
}
