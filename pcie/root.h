/* The host behind the link: when its root complex has the data of a read, and when a write is in memory. Instants are picoseconds.
 *
 * Calls come in the order in which TLPs are at the root complex; what it answers depends on nothing that comes later.
 *
 * A read waits until the posted writes before it are in memory (Base Spec 2.4.1: it may not pass them), then takes
 *   pcie.host_read + its bytes * pcie.host_read_kib
 *   + pcie.host_remote, when its memory is the other node's
 *   + pcie.host_dram and the rest of a refresh of a channel that it touches, when its first line is not in the last-level cache; for one
 *     channel P(longer than x) = (host_refresh - x) / host_refresh_interval
 *   + pcie.host_stall, now and then
 * with the IOMMU's translation, and the host's waking, before it. A line that was written shortly before is in the cache of the near node:
 * as far back as pcie.host_ddio goes, so that a read of it meets neither the other node nor DRAM. */
#ifndef PCIE_ROOT_H
#define PCIE_ROOT_H

#include "kernel/rnd.h"
#include "kernel/sim.h"
#include "pcie/iommu.h"
#include "pcie/params.h"
#include "pcie/tlp.h"

#define ROOT_LINE_BYTES 64u

/* Entries for lines under way to the memory: those that are free, and those that a run of them holds until free_ps. */
struct root_lines {
    int64_t count, room, hold_ps;
    struct root_lines_run {
        int64_t free_ps, room;
    } * run;
    uint32_t mask, first, next; /* of the runs that are not counted as free yet */
};

struct root {
    const struct pcie_params *params;
    struct rnd_table read_ps;
    int64_t read_least_ps;
    uint64_t stream, reads; /* the random stream and the ordinal in it */
    int64_t phase_ps;
    int64_t visible_ps; /* of the newest posted write */
    int is_plain;       /* reads need read_ps alone */

    struct root_lines lines; /* for writes */
    int64_t write_from_ps;   /* when the newest write had its own */
    int64_t write_ps;

    struct iommu iommu;
    struct rnd_table wake_ps, stall_ps;
    int64_t dram_ps;                     /* with the load of others */
    uint64_t dram_share, stall_share;    /* of 2^32 */
    int64_t last_read_ps, awake_from_ps; /* the newest read had its data; the newest waking was over */
    uint64_t *written;                   /* NULL, or the newest line written in each place of DDIO, plus 1 */
    uint64_t written_mask;
};

/* phase_ps: when its time begins. Returns -1 when memory is out or the pages of the IOMMU do not exist, which `error` says. */
int root_init(struct root *root, struct sim *sim, const struct pcie_params *params, uint64_t entity, int64_t phase_ps,
              char *error, size_t error_bytes);
void root_free(struct root *root);

/* For a bench: the device's accesses lie in `window_bytes`, which were flushed to DRAM, or touched by a core (warm) and are in the
 * last-level cache as far as that goes. Before the first access. Returns -1 without memory. */
int root_set_window(struct root *root, uint64_t window_bytes, int cold);

/* The median of a small read, nothing being rare. */
int64_t root_typical_read_ps(const struct root *root);

/* root_read() for a plain host, behind the writes, and for any other: a loop over reads asks once for what does not change. */
static inline int64_t root_read_plain(struct root *root, int64_t from_ps)
{
    return from_ps + rnd_table_draw(&root->read_ps, rnd_draw(root->stream, root->reads++, 0));
}

int64_t root_read_all(struct root *root, int64_t at_ps, uint64_t address, uint32_t bytes);

/* A read request of `bytes` at `address` is there at at_ps: when its first completion can go. */
static inline int64_t root_read(struct root *root, int64_t at_ps, uint64_t address, uint32_t bytes)
{
    int64_t from_ps = at_ps > root->visible_ps ? at_ps : root->visible_ps;
    return root->is_plain ? root_read_plain(root, from_ps) : root_read_all(root, at_ps, address, bytes);
}

struct root_write {
    int64_t
        drained_at_ps; /* it has left the link's receive buffer for entries of pcie.host_write_lines: its credits can go back */
    int64_t visible_at_ps; /* a core sees it */
};

/* root_write() for a host that is not plain. */
struct root_write root_write_all(struct root *root, int64_t at_ps, uint64_t address, uint32_t bytes);

/* Takes entries for `bytes` (>= 1) at `address`, as many as there are at the most, when they are free but not before from_ps. */
static inline int64_t root_take_lines(struct root_lines *lines, int64_t from_ps, uint64_t address, uint32_t bytes)
{
    uint32_t wanted = tlp_blocks(address, bytes, ROOT_LINE_BYTES);
    int64_t room = lines->room - (wanted < lines->count ? wanted : lines->count);
    struct root_lines_run *new = &lines->run[lines->next++ & lines->mask];
    new->room = lines->room - room;
    while (room < 0) {
        const struct root_lines_run *old = &lines->run[lines->first++ & lines->mask];
        room += old->room;
        from_ps = old->free_ps > from_ps ? old->free_ps : from_ps;
    }
    lines->room = room;
    new->free_ps = from_ps + lines->hold_ps;
    return from_ps;
}

/* One TLP of a write, or all of one after the other, `bytes` (0: nothing) at `address`, of which the last is there at at_ps. Posted
 * writes reach memory in order (Base Spec 2.4.1): neither instant lies before an earlier write's. */
static inline struct root_write root_write(struct root *root, int64_t at_ps, uint64_t address, uint32_t bytes)
{
    if (__builtin_expect(!root->is_plain, 0))
        return root_write_all(root, at_ps, address, bytes);
    int64_t from_ps = at_ps > root->write_from_ps ? at_ps : root->write_from_ps;
    if (bytes > 0)
        from_ps = root_take_lines(&root->lines, from_ps, address, bytes);
    root->write_from_ps = from_ps;
    root->visible_ps = from_ps + root->write_ps;
    return (struct root_write){from_ps, root->visible_ps};
}

#endif
