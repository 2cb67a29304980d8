/* The device of pcie-bench: the bulk DMA engines of Netronome's NFP6000, Gen3 x8, seen from its firmware. Times are picoseconds.
 *
 * What its two engines (towards the device, towards the host) do inside is not published. Their times are tables over the bytes of a
 * transaction, class calibrated: fitted to pcie-bench/data @b2abf2f (Apache-2.0) of machines of which nothing is predicted here
 * (hsw-Xeon-E5-2637v3, ib-Xeon-E5-2620v2, snb-Xeon-E5-2630; for MRRS over 512 B, which one machine has, its runs on remote memory). */
#ifndef SYSTEM_NFP6000_H
#define SYSTEM_NFP6000_H

#include "pcie/params.h"

#define NFP6000_WORKERS \
    88u /* threads that wait for a DMA each, in the bandwidth tests: 11 engines of 8 (pciebench-nfp @3dd5ca9) */
#define NFP6000_WORKER_PS \
    20000                      /* from a DMA's signal to the thread's next command; calibrated, not felt with so many */
#define NFP6000_LOOP_PS 193600 /* from a latency test's second stamp to the next's first: TAvg - Avg of every machine */
#define NFP6000_STAMP_NUM 40000 /* a time stamp is 16 cycles of 1.2 GHz: 40000/3 ps (pciebench-nfp @3dd5ca9) */
#define NFP6000_STAMP_DEN 3
#define NFP6000_COMMAND_PS 40000 /* from the command to the engine; only the sum with what follows is measured */

/* Sets what is the device's in `params`, which has the host's. */
void nfp6000_params(struct pcie_params *params);

struct nfp6000_times {
    int64_t read_ps, write_ps; /* from one transaction of its engine to the next */
    int64_t shared_ps;         /* the same for both engines together */
    int64_t read_after_ps;     /* from a read's last byte at the link to its signal */
    int64_t write_before_ps;   /* from the engine to the link: a write is read out of the device's memory first */
    int64_t write_after_ps;    /* from a write's last byte at the link to its signal */
};

/* For transactions of `bytes` (1 .. 4096) at `offset` into a cache line, against a host whose reads take host_read_ps. */
struct nfp6000_times nfp6000_times(const struct pcie_params *params, int64_t host_read_ps, uint32_t bytes,
                                   uint32_t offset);

#endif
