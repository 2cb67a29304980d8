/* What is rare at the host and on its link, one by one, for whoever asks why a request was late: only within given stretches of time, and
 * only what took longer than it mostly does. Without a log nothing of this is looked at. Instants are picoseconds. */
#ifndef PCIE_LOG_H
#define PCIE_LOG_H

#include <stddef.h>
#include <stdint.h>

enum pcie_incident {
    PCIE_SLOW_READ,  /* memory answered later than 99 of 100 times */
    PCIE_REFRESH,    /* a channel of the DRAM refreshed */
    PCIE_IOTLB_MISS, /* a page walk, or the wait for one */
    PCIE_HOST_STALL, /* pcie.host_stall */
    PCIE_HOST_WOKE,  /* from an idle state */
    PCIE_REPLAYED,   /* a TLP was damaged or lost, and sent again */
    PCIE_INCIDENTS
};

struct pcie_stretch {
    int64_t from_ps, to_ps;
};

struct pcie_log_entry {
    int64_t at_ps, took_ps; /* when it began; how much longer that made it */
    enum pcie_incident what;
};

struct pcie_log {
    const struct pcie_stretch *stretch; /* outlives the log */
    size_t stretches;
    int64_t usual_ps; /* what a read of memory takes at most, 99 of 100 times */
    struct pcie_log_entry *entry;
    size_t count, room; /* what does not fit is not kept */
};

/* Keeps it if it is within a stretch, and took time. */
static inline void pcie_log_put(struct pcie_log *log, enum pcie_incident what, int64_t at_ps, int64_t took_ps)
{
    for (size_t i = 0; took_ps > 0 && i < log->stretches; i++)
        if (at_ps <= log->stretch[i].to_ps && at_ps + took_ps >= log->stretch[i].from_ps && log->count < log->room) {
            log->entry[log->count++] = (struct pcie_log_entry){at_ps, took_ps, what};
            return;
        }
}

#endif
