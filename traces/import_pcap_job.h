/* What the halves of the importer of captures share: the messages found, and the trace's header that follows from them. */
#ifndef TRACES_IMPORT_PCAP_JOB_H
#define TRACES_IMPORT_PCAP_JOB_H

#include <stdio.h>

#include "traces/capture_scan.h"
#include "traces/header.h"

#define IMPORT_LOCAL_BASE UINT64_C(0x100000000)
#define IMPORT_RECEIVES_MOST 512u /* that stand in a QP's receive queue */
#define IMPORT_RECEIVE_PS 100000  /* for each of them, before the first request: more than the CPU needs */

struct import_message {
    struct flow_message message;
    uint64_t ordinal;
    enum trace_opcode opcode;
};

/* A flow's ends in the trace. */
struct import_flow {
    uint32_t sender, receiver; /* hosts */
    uint32_t sender_qpn, receiver_qpn;
    int is_used, is_named;
    int has_made_up[2];          /* the sender's number, the receiver's */
    uint32_t requests, receives; /* found; of them such that take a RECV */
};

struct import_host {
    uint8_t address[16];
    uint32_t local_key;
    uint32_t made_up; /* QP numbers, so far */
    uint64_t largest_bytes;
};

struct import_region { /* of a key that requests name */
    uint32_t host, key;
    uint64_t from, to;
};

struct import_job {
    const char *path;
    struct capture_scan scan;
    struct import_message *message;
    size_t messages, room;
    uint64_t not_in_traces; /* FLUSH, ATOMIC WRITE */
    struct import_flow *flow;
    struct import_host *host;
    uint32_t hosts;
    struct import_region *region;
    size_t regions, region_room;
    struct trace_map region_index, qp_index; /* regions by host and key; QPs that are named */
    struct trace_header header;
    FILE *report;
    struct rnicsim_error *error;
};

static inline uint32_t import_first_receives(const struct import_flow *flow)
{
    return flow->receives < IMPORT_RECEIVES_MOST ? flow->receives : IMPORT_RECEIVES_MOST;
}

/* Hosts, QPs, memory and notes. 0, or -1 with job->error. */
int import_pcap_header(struct import_job *job);
/* Writes the records behind the header. 0, or -1. */
int import_pcap_records(struct import_job *job, const char *out_path);

#endif
