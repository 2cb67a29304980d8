#include "traces/import_pcap.h"

#include <inttypes.h>
#include <stdlib.h>

#include "traces/import_pcap_job.h"

/* A request as traces have it; NONE: they have no such. */
static enum trace_opcode opcode_of(const struct flow_message *message)
{
    unsigned headers = wire_opcode(message->last_opcode).headers;
    unsigned operation = message->opcode & WIRE_OPERATION_MASK;
    if (operation <= WIRE_SEND_ONLY_IMM || operation == WIRE_SEND_LAST_INV || operation == WIRE_SEND_ONLY_INV)
        return headers & WIRE_IMMEDIATE ? TRACE_OP_SEND_IMM : headers & WIRE_IETH ? TRACE_OP_SEND_INV : TRACE_OP_SEND;
    if (operation <= WIRE_WRITE_ONLY_IMM)
        return headers & WIRE_IMMEDIATE ? TRACE_OP_WRITE_IMM : TRACE_OP_WRITE;
    return operation == WIRE_READ_REQUEST   ? TRACE_OP_READ
           : operation == WIRE_COMPARE_SWAP ? TRACE_OP_CMP_SWAP
           : operation == WIRE_FETCH_ADD    ? TRACE_OP_FETCH_ADD
                                            : TRACE_OP_NONE;
}

static int keep(void *context, const struct flow_message *message)
{
    struct import_job *job = context;
    enum trace_opcode opcode = opcode_of(message);
    if (opcode == TRACE_OP_NONE || (message->opcode & ~(unsigned)WIRE_OPERATION_MASK) == WIRE_XRC) {
        job->not_in_traces++;
        return 0;
    }
    if (job->messages == job->room) {
        size_t room = job->room == 0 ? 256 : 2 * job->room;
        struct import_message *larger = realloc(job->message, room * sizeof *larger);
        if (larger == NULL)
            return -1;
        job->message = larger;
        job->room = room;
    }
    job->message[job->messages] = (struct import_message){*message, job->messages, opcode};
    job->messages++;
    return 0;
}

static int by_time(const void *left, const void *right)
{
    const struct import_message *a = left, *b = right;
    if (a->message.at_ns != b->message.at_ns)
        return a->message.at_ns < b->message.at_ns ? -1 : 1;
    return a->ordinal < b->ordinal ? -1 : 1;
}

static int run(struct import_job *job, const char *out_path)
{
    if (capture_scan(&job->scan, job->path, job->error) != 0)
        return -1;
    if (job->messages == 0)
        return trace_fail(job->error,
                          "%s: no request in %" PRIu64 " packets; needed are requests of RC or UC, as RoCE (Ethernet "
                          "type 0x8915, UDP port 4791) or native InfiniBand",
                          job->path, job->scan.packets);
    qsort(job->message, job->messages, sizeof *job->message, by_time);
    return import_pcap_header(job) != 0 ? -1 : import_pcap_records(job, out_path);
}

int trace_import_pcap(const char *path, const char *out_path, FILE *report, struct rnicsim_error *error)
{
    struct import_job job = {.path = path, .report = report, .error = error};
    job.scan.flows.done = keep;
    job.scan.flows.context = &job;
    int result = run(&job, out_path);
    capture_scan_free(&job.scan);
    trace_header_free(&job.header);
    trace_map_free(&job.region_index);
    trace_map_free(&job.qp_index);
    free(job.message);
    free(job.flow);
    free(job.host);
    free(job.region);
    return result;
}
