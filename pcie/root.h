/* The host behind the link: when its root complex has the data of a read, and when a write is in memory. Instants are picoseconds.
 *
 * Calls come in the order in which TLPs are at the root complex; what it answers depends on nothing that comes later. */
#ifndef PCIE_ROOT_H
#define PCIE_ROOT_H

#include "kernel/rnd.h"
#include "pcie/params.h"

struct root {
    const struct pcie_params *params;
    struct rnd_table read_ps;
    int64_t read_least_ps, read_most_ps;
    uint64_t stream, reads; /* the random stream and the ordinal in it */
    int64_t visible_ps;     /* of the newest posted write */
};

/* Returns -1 when memory is out. */
int root_init(struct root *root, const struct pcie_params *params, uint64_t seed, uint64_t entity);

/* A read request of `bytes` at `address` is there at at_ps: when its first completion can go. */
static inline int64_t root_read(struct root *root, int64_t at_ps, uint64_t address, uint32_t bytes)
{
    (void)address;
    (void)bytes;
    return at_ps + rnd_table_draw(&root->read_ps, rnd_draw(root->stream, root->reads++, 0));
}

/* The last TLP of a write is there at at_ps: when a core sees it. Posted writes reach memory in order (Base Spec 2.4.1). */
static inline int64_t root_write(struct root *root, int64_t at_ps)
{
    int64_t visible_ps = at_ps + root->params->host_write;
    if (visible_ps > root->visible_ps)
        root->visible_ps = visible_ps;
    return root->visible_ps;
}

#endif
