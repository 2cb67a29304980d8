/* Of what a capture tells, the trace's hosts, QPs and memory; of what it does not, the notes. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "traces/import_pcap_job.h"

#define PAGE_BYTES 4096u
#define QPN_MADE_UP 2u /* the first: 0 and 1 are for management */
#define DEPTH_LEAST 16u
#define DEPTH_MOST 32768u
#define MTU_USUAL 1024u /* of a netdev MTU of 1500 */

static int out_of_memory(const struct import_job *job)
{
    return trace_fail(job->error, "%s: out of memory", job->path);
}

__attribute__((format(printf, 2, 3))) static int note(struct import_job *job, const char *format, ...)
{
    char text[TRACE_NOTE_MAX + 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (job->report != NULL)
        fprintf(job->report, "%s\n", text);
    return trace_header_add_note(&job->header, text, job->error);
}

/* ---- hosts and QPs ---- */

static uint32_t host_of(struct import_job *job, const uint8_t *address)
{
    uint32_t host = 0;
    while (host < job->hosts && memcmp(job->host[host].address, address, 16) != 0)
        host++;
    if (host == job->hosts) {
        memcpy(job->host[host].address, address, 16);
        job->hosts++;
    }
    return host;
}

/* Host 0 is who posts first, and so on. */
static int find_hosts(struct import_job *job)
{
    size_t flows = job->scan.flows.count;
    job->flow = calloc(flows, sizeof *job->flow);
    job->host = calloc(2 * flows, sizeof *job->host);
    if (job->flow == NULL || job->host == NULL)
        return out_of_memory(job);
    for (size_t i = 0; i < job->messages; i++) {
        const struct import_message *message = &job->message[i];
        const struct flow *flow = job->scan.flows.flow[message->message.flow];
        struct import_flow *ends = &job->flow[flow->index];
        if (!ends->is_used) {
            ends->is_used = 1;
            ends->sender = host_of(job, flow->source);
            ends->receiver = host_of(job, flow->destination);
        }
        ends->requests++;
        ends->receives += (uint32_t)trace_opcode_is_received(message->opcode);
        struct import_host *sender = &job->host[ends->sender], *receiver = &job->host[ends->receiver];
        if (message->message.bytes > sender->largest_bytes)
            sender->largest_bytes = message->message.bytes;
        if (message->message.bytes > receiver->largest_bytes)
            receiver->largest_bytes = message->message.bytes;
    }
    return 0;
}

/* Whether a QP of the host has this number: one that is named, or that a flow goes to. */
static int is_taken(const struct import_job *job, uint32_t host, uint32_t qpn)
{
    uint32_t unused;
    if (trace_map_get(&job->qp_index, trace_map_key(host, qpn), &unused))
        return 1;
    for (size_t i = 0; i < job->scan.flows.count; i++)
        if (job->scan.flows.flow[i]->qpn == qpn &&
            memcmp(job->scan.flows.flow[i]->destination, job->host[host].address, 16) == 0)
            return 1;
    return 0;
}

/* An end's number: its own, or where that is not known (0) or another connection's, one that is free. -1 without memory. */
static int name_end(struct import_job *job, uint32_t host, uint32_t qpn, uint32_t *named, int *is_made_up)
{
    uint32_t unused;
    *named = qpn;
    *is_made_up = qpn == 0 || trace_map_get(&job->qp_index, trace_map_key(host, qpn), &unused);
    while (*is_made_up && is_taken(job, host, *named = QPN_MADE_UP + job->host[host].made_up))
        job->host[host].made_up++;
    return trace_map_put(&job->qp_index, trace_map_key(host, *named), 1) != 0 ? out_of_memory(job) : 0;
}

static int name_ends(struct import_job *job)
{
    for (size_t i = 0; i < job->scan.flows.count; i++) {
        const struct flow *flow = job->scan.flows.flow[i];
        struct import_flow *ends = &job->flow[i], *back = flow->peer != FLOW_NONE ? &job->flow[flow->peer] : NULL;
        uint32_t own = back != NULL ? job->scan.flows.flow[flow->peer]->qpn : 0;
        if (!ends->is_used || ends->is_named)
            continue;
        if (name_end(job, ends->sender, own, &ends->sender_qpn, &ends->has_made_up[0]) != 0 ||
            name_end(job, ends->receiver, flow->qpn, &ends->receiver_qpn, &ends->has_made_up[1]) != 0)
            return -1;
        ends->is_named = 1;
        if (back != NULL && back->is_used) {
            back->sender_qpn = ends->receiver_qpn;
            back->receiver_qpn = ends->sender_qpn;
            back->is_named = 1;
        }
    }
    return 0;
}

static uint32_t mtu_of(const struct flow *flow)
{
    uint32_t mtu_bytes = MTU_USUAL;
    if (flow->mtu_bytes != 0)
        return flow->mtu_bytes;
    while (mtu_bytes < flow->largest_bytes && mtu_bytes < WIRE_PAYLOAD_MAX_BYTES) /* all was in one packet */
        mtu_bytes *= 2;
    return mtu_bytes;
}

static uint32_t depth_of(uint64_t outstanding)
{
    uint32_t depth = DEPTH_LEAST;
    while (depth < outstanding && depth < DEPTH_MOST)
        depth *= 2;
    return depth;
}

/* One end of a connection: `out` are its own requests, `in` its peer's; either may not be there. */
static int add_qp(struct import_job *job, uint32_t host, uint32_t qpn, uint32_t peer_host, uint32_t peer_qpn,
                  const struct flow *out, const struct flow *in)
{
    const struct flow *any = out != NULL ? out : in;
    uint32_t mtu_bytes = out != NULL && in != NULL && mtu_of(in) > mtu_of(out) ? mtu_of(in) : mtu_of(any);
    struct trace_qp qp = {.host = host,
                          .qpn = qpn,
                          .type = any->transport == WIRE_UC ? TRACE_UC : TRACE_RC,
                          .peer_host = peer_host,
                          .peer_qpn = peer_qpn,
                          .mtu = mtu_bytes,
                          .sq_depth = depth_of(out != NULL ? out->most_outstanding : 0),
                          .rq_depth = in != NULL ? import_first_receives(&job->flow[in->index]) : 0};
    return trace_header_add_qp(&job->header, &qp, job->error);
}

/* A connection is added with the first of its flows that has requests. */
static int add_qps(struct import_job *job)
{
    for (size_t i = 0; i < job->scan.flows.count; i++) {
        const struct flow *flow = job->scan.flows.flow[i], *back = NULL;
        const struct import_flow *ends = &job->flow[i];
        if (flow->peer != FLOW_NONE && job->flow[flow->peer].is_used)
            back = job->scan.flows.flow[flow->peer];
        if (!ends->is_used || (back != NULL && back->index < i))
            continue;
        if (add_qp(job, ends->sender, ends->sender_qpn, ends->receiver, ends->receiver_qpn, flow, back) != 0 ||
            add_qp(job, ends->receiver, ends->receiver_qpn, ends->sender, ends->sender_qpn, back, flow) != 0)
            return -1;
    }
    return 0;
}

static int add_hosts(struct import_job *job)
{
    for (uint32_t i = 0; i < job->hosts; i++) {
        struct trace_host host = {.host = i};
        snprintf(host.name, sizeof host.name, "host%u", i);
        capture_address(job->host[i].address, host.device);
        if (trace_header_add_host(&job->header, &host, job->error) != 0)
            return -1;
    }
    return 0;
}

/* ---- memory ---- */

static int widen_region(struct import_job *job, uint32_t host, const struct flow_message *message)
{
    uint32_t index;
    uint64_t from = message->address, to = from + message->bytes;
    if (trace_map_get(&job->region_index, trace_map_key(host, message->rkey), &index)) {
        struct import_region *region = &job->region[index];
        region->from = from < region->from ? from : region->from;
        region->to = to > region->to ? to : region->to;
        return 0;
    }
    if (job->regions == job->region_room) {
        size_t room = job->region_room == 0 ? 16 : 2 * job->region_room;
        struct import_region *larger = realloc(job->region, room * sizeof *larger);
        if (larger == NULL)
            return out_of_memory(job);
        job->region = larger;
        job->region_room = room;
    }
    job->region[job->regions] = (struct import_region){host, message->rkey, from, to};
    if (trace_map_put(&job->region_index, trace_map_key(host, message->rkey), (uint32_t)job->regions++) != 0)
        return out_of_memory(job);
    return 0;
}

static int find_regions(struct import_job *job)
{
    for (size_t i = 0; i < job->messages; i++) {
        const struct import_message *message = &job->message[i];
        int is_send = trace_opcode_is_received(message->opcode) && message->opcode != TRACE_OP_WRITE_IMM;
        uint64_t address = message->message.address;
        if (is_send || message->message.bytes == 0 || address + message->message.bytes < address)
            continue; /* without a key; of no bytes it is not looked at */
        if (widen_region(job, job->flow[message->message.flow].receiver, &message->message) != 0)
            return -1;
    }
    return 0;
}

static int add_region(struct import_job *job, uint32_t host, uint32_t key, uint64_t from, uint64_t to)
{
    struct trace_mr mr = {.host = host,
                          .key = key,
                          .base = from / PAGE_BYTES * PAGE_BYTES,
                          .page_bytes = PAGE_BYTES,
                          .access = TRACE_LOCAL_WRITE | TRACE_REMOTE_WRITE | TRACE_REMOTE_READ | TRACE_REMOTE_ATOMIC};
    uint64_t end = to > UINT64_MAX - PAGE_BYTES ? to : (to + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    mr.length = end - mr.base;
    return trace_header_add_mr(&job->header, &mr, job->error);
}

/* What requests name; and of each host a region for what a capture says nothing of: buffers to send from, and behind them those to receive in. */
static int add_regions(struct import_job *job)
{
    for (size_t i = 0; i < job->regions; i++)
        if (add_region(job, job->region[i].host, job->region[i].key, job->region[i].from, job->region[i].to) != 0)
            return -1;
    for (uint32_t host = 0; host < job->hosts; host++) {
        struct import_host *one = &job->host[host];
        one->local_key = 1;
        while (trace_header_mr(&job->header, host, one->local_key) != NULL)
            one->local_key++;
        one->largest_bytes = (one->largest_bytes + PAGE_BYTES) / PAGE_BYTES * PAGE_BYTES;
        if (add_region(job, host, one->local_key, IMPORT_LOCAL_BASE, IMPORT_LOCAL_BASE + 2 * one->largest_bytes) != 0)
            return -1;
    }
    return 0;
}

/* ---- notes ---- */

static int note_flows(struct import_job *job)
{
    for (size_t i = 0; i < job->scan.flows.count; i++) {
        const struct flow *flow = job->scan.flows.flow[i];
        const struct import_flow *ends = &job->flow[i];
        if (!ends->is_used)
            continue;
        const struct flow *back = flow->peer != FLOW_NONE ? job->scan.flows.flow[flow->peer] : NULL;
        if (note(job,
                 "host %u QP %u -> host %u QP %u: %u requests, %" PRIu64 " ACKs, %" PRIu64 " responses, %" PRIu64
                 " packets sent again, %" PRIu64 " duplicates",
                 ends->sender, ends->sender_qpn, ends->receiver, ends->receiver_qpn, ends->requests,
                 back ? back->acks : 0, back ? back->responses : 0, flow->again, flow->duplicates) != 0)
            return -1;
        if (ends->has_made_up[0] &&
            note(job, "host %u QP %u: its number is made up, nothing tells it, or another has it", ends->sender,
                 ends->sender_qpn) != 0)
            return -1;
        if (ends->has_made_up[1] && note(job, "host %u QP %u: its number is made up, another connection has QP %u",
                                         ends->receiver, ends->receiver_qpn, flow->qpn) != 0)
            return -1;
        if (flow->mtu_bytes == 0 && note(job, "host %u QP %u: path MTU %u is made up, no message took several packets",
                                         ends->sender, ends->sender_qpn, mtu_of(flow)) != 0)
            return -1;
        if (flow->missing > flow->came_later &&
            note(job, "host %u QP %u: %" PRIu64 " packets are missing, %" PRIu64 " requests incomplete", ends->sender,
                 ends->sender_qpn, flow->missing - flow->came_later, flow->incomplete) != 0)
            return -1;
    }
    return 0;
}

static void say_rest(void *context, const char *line)
{
    struct import_job *job = context;
    note(job, "%s", line);
}

static int add_notes(struct import_job *job)
{
    if (note(job,
             "made by rnicsim %s trace import-pcap of %.1000s: %zu requests in %" PRIu64 " packets, t_ps is when the "
             "first packet of each was seen",
             RNICSIM_VERSION, job->path, job->messages, job->scan.packets) != 0 ||
        note_flows(job) != 0)
        return -1;
    capture_scan_rest(&job->scan, say_rest, job);
    if (job->not_in_traces > 0 &&
        note(job, "%" PRIu64 " requests FLUSH, ATOMIC WRITE or of XRC: traces have no such", job->not_in_traces) != 0)
        return -1;
    if (job->hosts > 2 && note(job, "%u hosts: a replay takes two", job->hosts) != 0)
        return -1;
    return note(job,
                "not in a capture, and therefore made up: local addresses and keys, inline and signalled (all are), "
                "fences, doorbells (one a request), queue depths, when RECVs were posted");
}

int import_pcap_header(struct import_job *job)
{
    if (find_hosts(job) != 0 || find_regions(job) != 0 || name_ends(job) != 0)
        return -1;
    return add_notes(job) != 0 || add_hosts(job) != 0 || add_qps(job) != 0 ? -1 : add_regions(job);
}
