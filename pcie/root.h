/* The host behind the link: when its root complex has the data of a read, and when a write is in memory. Instants are picoseconds.
 *
 * Calls come in the order in which TLPs are at the root complex; what it answers depends on nothing that comes later.
 *
 * A read waits until the posted writes before it are in memory (Base Spec 2.4.1: it may not pass them) and the root complex knows, which takes
 * pcie.host_write_ack more, then takes
 *   pcie.host_read + its bytes * pcie.host_read_kib
 *   + pcie.host_remote, when its memory is the other node's
 *   + pcie.host_dram and the rest of a refresh of a channel that it touches, when its first line is not in the last-level cache; for one
 *     channel P(longer than x) = (host_refresh - x) / host_refresh_interval
 *   + pcie.host_stall, now and then
 * with the IOMMU's translation, and the host's waking, before it; or it goes to another device (pcie/peer.h). A line that was written shortly before is in the cache of the near node:
 * as far back as pcie.host_ddio goes, so that a read of it meets neither the other node nor DRAM. A write of a line that is not in the near
 * node's cache takes pcie.host_snoop longer, as the other node is asked for it, and twice pcie.host_remote where the memory is that node's. */
#ifndef PCIE_ROOT_H
#define PCIE_ROOT_H

#include "kernel/rnd.h"
#include "kernel/sim.h"
#include "pcie/iommu.h"
#include "pcie/log.h"
#include "pcie/params.h"
#include "pcie/peer.h"

enum { /* attempts */
       ROOT_DRAW_READ,
       ROOT_DRAW_MISS,
       ROOT_DRAW_STALL,
       ROOT_DRAW_HAS_STALL,
       ROOT_DRAW_WAKE,
       ROOT_DRAW_WRITE,
       ROOT_DRAW_REFRESH /* and on: a channel each */
};                       /* attempts */

struct root {
    const struct pcie_params *params;
    int64_t phase_ps;
    struct rnd_table read_ps;
    int64_t read_least_ps, read_most_ps;
    uint64_t stream, reads; /* the random stream and the ordinal in it */
    int64_t visible_ps;     /* of the newest posted write */
    int64_t acked_ps;       /* the root complex knows: reads behind it can go */
    int is_plain;           /* reads need read_ps alone */

    struct rnd_table write_ps;
    int64_t write_least_ps, visible_least_ps; /* in the host's memory; anywhere */
    int64_t ack_ps;
    int write_varies;
    uint64_t writes;

    struct peer peer;
    struct iommu iommu;
    int translates;     /* what comes; with ATS the endpoint asks for it before */
    int64_t drained_ps; /* of the newest write that was translated */
    struct rnd_table wake_ps, stall_ps;
    int64_t dram_ps;                     /* with the load of others */
    uint64_t dram_share, stall_share;    /* of 2^32 */
    int64_t last_read_ps, awake_from_ps; /* the newest read had its data; the newest waking was over */
    uint64_t *written;                   /* NULL, or the newest line written in each place of DDIO, plus 1 */
    uint64_t written_mask;
    struct pcie_log *log; /* NULL, or takes what is rare */
};

/* phase_ps: of the simulation's clocks. Returns -1 when memory is out or the pages of the IOMMU do not exist, which `error` says. */
int root_init(struct root *root, struct sim *sim, const struct pcie_params *params, uint64_t entity, int64_t phase_ps,
              char *error, size_t error_bytes);
void root_free(struct root *root);

/* For a bench: the device's accesses lie in `window_bytes`, which were flushed to DRAM, or touched by a core (warm) and are in the
 * last-level cache as far as that goes. Before the first access. Returns -1 without memory. */
int root_set_window(struct root *root, uint64_t window_bytes, int cold);

/* From now on what is rare goes to the log. Changes no instant. */
void root_keep_log(struct root *root, struct pcie_log *log);

/* The median of a small read, nothing being rare. */
int64_t root_typical_read_ps(const struct root *root);

/* root_read() for a plain host, behind the writes, and for any other: a loop over reads asks once for what does not change. */
static inline int64_t root_read_plain(struct root *root, int64_t from_ps)
{
    return from_ps + rnd_table_draw(&root->read_ps, rnd_draw(root->stream, root->reads++, ROOT_DRAW_READ));
}

int64_t root_read_all(struct root *root, int64_t at_ps, uint64_t address, uint32_t bytes);
/* When the IOMMU has translated the address of an access, or of a request for its translation (ATS), that is there at at_ps. */
int64_t root_translate(struct root *root, int64_t at_ps, uint64_t address, int is_write);

/* A read request of `bytes` at `address` is there at at_ps: when its first completion can go. */
static inline int64_t root_read(struct root *root, int64_t at_ps, uint64_t address, uint32_t bytes)
{
    int64_t from_ps = at_ps > root->acked_ps ? at_ps : root->acked_ps;
    return root->is_plain ? root_read_plain(root, from_ps) : root_read_all(root, at_ps, address, bytes);
}

struct root_write {
    int64_t drained_at_ps; /* out of the link's receive buffer: its credits can go back */
    int64_t visible_at_ps; /* a core sees it */
};

/* root_write() for a host that is not plain. */
struct root_write root_write_all(struct root *root, int64_t at_ps, int64_t drained_ps, uint64_t address, uint32_t bytes,
                                 int relaxed, int64_t takes_ps);

/* How long the TLPs of the next write take, each from draining until a core sees it. */
static inline int64_t root_write_takes_ps(struct root *root)
{
    return root->write_varies ? rnd_table_draw(&root->write_ps, rnd_draw(root->stream, root->writes++, ROOT_DRAW_WRITE))
                              : root->write_least_ps;
}

/* A write is visible at visible_ps: reads behind it wait for it. */
static inline void root_hold_reads(struct root *root, int64_t visible_ps)
{
    if (visible_ps <= root->visible_ps)
        return;
    root->visible_ps = visible_ps;
    root->acked_ps = visible_ps + root->ack_ps;
}

/* So is a part of a write that goes on, which is out of the receive buffer at drained_ps. */
static inline void root_write_part(struct root *root, int64_t drained_ps, int64_t takes_ps)
{
    root_hold_reads(root, drained_ps + takes_ps);
}

/* Posted writes are visible in order (Base Spec 2.4.1): not before an earlier one, unless it is relaxed. */
static inline int64_t root_in_order(struct root *root, int64_t visible_ps, int relaxed)
{
    if (visible_ps < root->visible_ps && !relaxed)
        visible_ps = root->visible_ps;
    root_hold_reads(root, visible_ps);
    return visible_ps;
}

/* A write of `bytes` (0: nothing, no TLP) at `address` is there at at_ps, and out of the receive buffer at drained_ps as far as entries for
 * its lines go (pcie/flow.h); takes_ps: root_write_takes_ps(). */
static inline struct root_write root_write(struct root *root, int64_t at_ps, int64_t drained_ps, uint64_t address,
                                           uint32_t bytes, int relaxed, int64_t takes_ps)
{
    if (__builtin_expect(!root->is_plain, 0))
        return root_write_all(root, at_ps, drained_ps, address, bytes, relaxed, takes_ps);
    return (struct root_write){drained_ps, root_in_order(root, drained_ps + takes_ps, relaxed)};
}

/* How long a written line holds its entry, with the load of others. */
int64_t root_line_ps(const struct pcie_params *params);

#endif
