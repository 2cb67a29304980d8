/* The host's stores: at the root complex, where each waits for posted credits (PH, PD) that the endpoint advertises, and in the
 * endpoint's receive buffer, where it holds them until the NIC takes it. UpdateFC then takes them back up the link.
 *
 * Nothing passes a store at the root complex, completions no more than stores (it is posted: PCIe Base Spec 3.0, 2.4.1). In the endpoint
 * completions have an interface and a buffer of their own: a store that waits in the receive buffer does not stop them. */
#ifndef PCIE_STORE_H
#define PCIE_STORE_H

#include "kernel/agenda.h"
#include "kernel/sim.h"
#include "pcie/params.h"

struct store_held {  /* in the receive buffer, or on the link to it; then, taken, until its credits are back */
    int64_t in_cyc;  /* user cycle from which the NIC can take it */
    int64_t back_ps; /* of its credits, when it is taken */
    uint64_t data;   /* credits that were taken since the start, its own too */
    uint32_t bytes;
    uint32_t ref;
};

struct stores {
    struct agenda at_root;   /* with their bytes; before completions of the same instant */
    uint64_t headers, data;  /* credits that the endpoint advertises */
    int64_t update_ps;       /* from taking a store until its credits are back at the root complex */
    struct store_held *held; /* a ring: the newest `headers` */
    uint64_t mask, sent, taken;
    uint64_t sent_data; /* credits */
    uint64_t needed;    /* the store that the last look-up of data ended in: later ones need no earlier */
    int64_t taken_cyc;  /* the latest */
    int wait;           /* the first at the root complex, for credits that nobody has given back yet */
};

/* Returns -1 without memory. */
int store_init(struct stores *stores, const struct pcie_params *params);
void store_free(struct stores *stores);

#endif
