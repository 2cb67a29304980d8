/* pcie-bench on the model: its device (nfp6000.h) drives the same struct pcie as a NIC does, against a host.
 *
 * LAT_RD and LAT_WRRD: one DMA at a time, from the command to the signal, in the device's time stamps. BW_*: all worker threads at once.
 * Addresses are units of the transaction with its offset, rounded up to 64 bytes, chosen at random in the window, none across 4 KiB. */
#ifndef SYSTEM_PCIEBENCH_H
#define SYSTEM_PCIEBENCH_H

#include "kernel/agenda.h"
#include "kernel/hist.h"
#include "pcie/pcie.h"
#include "system/nfp6000.h"

enum pciebench_test { PCIEBENCH_LAT_RD, PCIEBENCH_LAT_WRRD, PCIEBENCH_BW_RD, PCIEBENCH_BW_WR, PCIEBENCH_BW_RDWR };

#define PCIEBENCH_BYTES_MAX 4096u

struct pciebench_options {
    enum pciebench_test test;
    uint32_t bytes, offset; /* bytes + offset: 1 .. 4096, within the window */
    uint64_t window_bytes;
    int cold;
    uint64_t samples; /* latencies, or transactions */
    uint64_t seed;
};

struct pciebench_worker {
    uint64_t address;
    int reads;        /* its DMA under way */
    int64_t begin_ps; /* of a latency */
};

struct pciebench_engine {
    int64_t free_ps, busy_ps, before_ps, after_ps;
};

struct pciebench {
    struct sim sim;
    struct pcie_params params; /* the host's, with the device's own */
    struct pciebench_options options;
    struct clk user_clk;
    struct pcie pcie;
    struct fifo operations, writes, cqes;
    struct pciebench_engine engine[2]; /* write, read */
    int64_t shared_free_ps, shared_ps;
    int64_t
        drained_ps[NFP6000_WORKERS]; /* the newest writes: the host takes no more before these are out of its buffer */
    uint64_t writes_begun, writes_drained;
    struct agenda ready; /* workers, by when they can go on */
    int decider;
    struct pciebench_worker worker[NFP6000_WORKERS];
    uint64_t stream, begun, done;
    uint64_t first_done; /* transactions before counting begins */
    int64_t first_done_ps, last_done_ps;
    struct hist *latency, *exact; /* of LAT_*: the caller's, in stamps and, unless NULL, without */
};

/* latency, exact: NULL for BW_*. Returns -1 and a line in `error` when the host's parameters contradict each other, or without memory.
 * on_failure: as of struct sim. */
int pciebench_init(struct pciebench *bench, const struct pcie_params *host, const struct pciebench_options *options,
                   struct hist *latency, struct hist *exact, jmp_buf *on_failure, char *error, size_t error_bytes);
void pciebench_run(struct pciebench *bench);
void pciebench_free(struct pciebench *bench);

/* After a run of BW_*: transactions and the time that they took. Of BW_RDWR, pairs of a read and a write. */
uint64_t pciebench_transactions(const struct pciebench *bench);
int64_t pciebench_took_ps(const struct pciebench *bench);

#endif
