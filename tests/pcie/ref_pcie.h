/* The reference: one PCIe link with its endpoint and host, simulated cycle by cycle of the link's bytes and of the user clock, to hold
 * pcie/ against.
 *
 * It keeps queues, registers and counters as hardware would and takes no maximum over known times. Of pcie/ it knows the parameters and
 * the pure functions of tlp.h. At one instant the user clock's edge goes first; at the host a store goes before a completion.
 *
 * Rules, of PCIe Base Spec 3.0 unless another source is named:
 *  - a request is cut by MRRS and at 4 KiB (2.2.7); it takes a tag, a completion header for each RCB block that it touches and a data
 *    credit for each 16 bytes, or waits; what comes back is seen at the next user edge and used in the cycle behind that
 *  - one TLP at a time on each direction, for the longer of its bytes and its slots on the user interface; turns of reads, payload
 *    writes and CQE writes for each TLP among those that can be sent (credits); a turn is used by sending
 *  - skips that come due during a TLP are sent behind it, all of them (4.2.7); the link's idle time is theirs, too
 *  - a posted TLP takes PH and PD, drains in order with an entry for each of its lines, and then gives them back (2.6.1); a read takes
 *    NPH, which comes back at once
 *  - a TLP that is damaged is sent again when its Nak is back, a lost one when the replay timer ends; the fourth time behind a training
 *    (3.5.2.1); nothing else is sent meanwhile
 *  - a request that is refused gets a completion without data; one that is not completed within the timeout fails then, and its tag and its
 *    space come back with the late completion, if there is one (2.8)
 *  - a read is not served before every posted TLP that was sent before it is in memory (2.4.1); completions of different requests go in
 *    the order in which they are ready, those of one request in that of their addresses
 *  - a store takes PH and PD of the endpoint, which come back when the NIC has taken it; nothing passes one that has none
 *  - a TLP keeps its bytes of the replay buffer until its Ack, which the limit of table 3-7 may delay, is back (3.5.2.1)
 * Not in it: skips while a replay is awaited, timeouts where tags retire in order, IOMMU, DRAM and the other rare times of a host. */
#ifndef TESTS_PCIE_REF_PCIE_H
#define TESTS_PCIE_REF_PCIE_H

#include "kernel/clk.h"
#include "pcie/params.h"

#define REF_PCIE_LOADS_MAX 256u

enum ref_pcie_kind { REF_READ, REF_WQE_READ, REF_WRITE, REF_CQE, REF_STORE, REF_PCIE_KINDS };

struct ref_pcie_load {
    enum ref_pcie_kind kind;
    int64_t at_cyc; /* user cycle in which it is pushed, rising; of a store: at the root complex at that edge */
    uint64_t address, cqe_address;
    uint32_t bytes, cqe_bytes; /* WRITE: a CQE behind the payload; CQE: only that */
};

struct ref_pcie_system {
    struct pcie_params params; /* sound */
    struct clk user;
    uint64_t seed;
    int32_t store_interval_cyc; /* the NIC takes a store so many user cycles after another at the earliest */
    uint32_t loads;
    struct ref_pcie_load load[REF_PCIE_LOADS_MAX];
};

struct ref_pcie_times {
    int32_t ends; /* how often it was told to be done; only the model's */
    int32_t failed;
    int64_t done_cyc;                                    /* read: its last byte is in; store: taken */
    int64_t sent_ps, drained_ps, visible_ps, payload_ps; /* write; payload_ps: where both are written */
};

struct ref_pcie_count {
    uint64_t tlps, payload_bytes, link_bytes;
};

enum { REF_UP, REF_DOWN, REF_DIRECTIONS };

struct ref_pcie_log {
    struct ref_pcie_times times[REF_PCIE_LOADS_MAX];
    struct ref_pcie_count count[REF_DIRECTIONS][REF_PCIE_KINDS];            /* of TLPs */
    int64_t tags_most, headers_most, data_most, ph_most, pd_most, nph_most; /* in use at once */
};

/* Runs until all is done. NULL, or what went wrong. */
const char *ref_pcie_run(const struct ref_pcie_system *system, struct ref_pcie_log *log);

#endif
