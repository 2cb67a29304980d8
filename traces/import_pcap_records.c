/* The records of an imported capture: its requests, and the RECVs that they take. */
#include <stdlib.h>

#include "traces/import_pcap_job.h"
#include "traces/writer.h"

#define PS_PER_NS 1000

struct records {
    struct import_job *job;
    struct trace_writer *writer;
    uint32_t *db_id;    /* of each host, the last */
    uint32_t *receives; /* of each flow, posted so far */
    int64_t start_ps;
};

/* A thread for each end's requests, another for its RECVs: none waits for another. */
static int put_receive(struct records *records, uint32_t index, struct trace_dep dep)
{
    struct import_job *job = records->job;
    const struct import_flow *ends = &job->flow[index];
    const struct import_host *host = &job->host[ends->receiver];
    struct trace_record record = {.event = TRACE_RECV,
                                  .opcode = TRACE_OP_RECV,
                                  .host = (uint16_t)ends->receiver,
                                  .thread = (uint32_t)job->scan.flows.count + index,
                                  .qpn = ends->receiver_qpn,
                                  .db_id = records->db_id[ends->receiver],
                                  .wr_id = records->receives[index]++,
                                  .len = (uint32_t)job->scan.flows.flow[index]->largest_bytes,
                                  .nsge = 1,
                                  .laddr = IMPORT_LOCAL_BASE + host->largest_bytes,
                                  .lkey = host->local_key,
                                  .dep = dep};
    return trace_put(records->writer, &record, job->error);
}

static int put_first_receives(struct records *records)
{
    struct import_job *job = records->job;
    const struct trace_dep none = {0};
    for (uint32_t i = 0; i < job->scan.flows.count; i++) {
        uint32_t count = job->flow[i].is_used ? import_first_receives(&job->flow[i]) : 0;
        records->start_ps += (int64_t)count * IMPORT_RECEIVE_PS;
        if (count > 0)
            records->db_id[job->flow[i].receiver]++;
        for (uint32_t k = 0; k < count; k++)
            if (put_receive(records, i, none) != 0)
                return -1;
    }
    return 0;
}

/* One more for each that came, until there are as many as messages. */
static int put_receive_again(struct records *records, uint32_t index)
{
    const struct import_flow *ends = &records->job->flow[index];
    uint32_t come = records->receives[index] - import_first_receives(ends) + 1;
    struct trace_dep dep = {.term = {{TRACE_DEP_RECV, come}, {TRACE_DEP_NONE, 0}}};
    if (records->receives[index] >= ends->receives)
        return 0;
    records->db_id[ends->receiver]++;
    return put_receive(records, index, dep);
}

/* FETCH_ADD: `cmp` is what is added, which the wire has in the first of the two words. */
static void fill_memory(const struct import_host *sender, const struct import_message *message,
                        struct trace_record *record)
{
    const struct flow_message *from = &message->message;
    record->laddr = IMPORT_LOCAL_BASE;
    record->lkey = sender->local_key;
    record->cmp = message->opcode == TRACE_OP_CMP_SWAP ? from->compare : 0;
    record->swap = message->opcode == TRACE_OP_CMP_SWAP ? from->swap : 0;
    record->cmp = message->opcode == TRACE_OP_FETCH_ADD ? from->swap : record->cmp;
    if (message->opcode == TRACE_OP_SEND || message->opcode == TRACE_OP_SEND_IMM ||
        message->opcode == TRACE_OP_SEND_INV)
        return;
    record->raddr = from->address;
    record->rkey = from->rkey;
}

static int put_request(struct records *records, const struct import_message *message)
{
    struct import_job *job = records->job;
    const struct flow_message *from = &message->message;
    const struct import_flow *ends = &job->flow[from->flow];
    int is_told = message->opcode == TRACE_OP_SEND_IMM || message->opcode == TRACE_OP_WRITE_IMM ||
                  message->opcode == TRACE_OP_SEND_INV;
    int takes_receive = trace_opcode_is_received(message->opcode);
    int64_t after_ns = from->at_ns - job->message[0].message.at_ns;
    if (after_ns > (RNICSIM_TIME_MAX - records->start_ps) / PS_PER_NS)
        return trace_fail(job->error, "%s: a request comes %lld ns after the first; up to 2^62 ps are allowed",
                          job->path, (long long)after_ns);
    struct trace_record record = {.event = TRACE_SEND,
                                  .opcode = message->opcode,
                                  .t_ps = after_ns * PS_PER_NS + records->start_ps,
                                  .host = (uint16_t)ends->sender,
                                  .thread = from->flow,
                                  .qpn = ends->sender_qpn,
                                  .db_id = ++records->db_id[ends->sender],
                                  .wr_id = message->ordinal,
                                  .flags = TRACE_SIGNALED | (takes_receive && from->solicited ? TRACE_SOLICITED : 0),
                                  .len = from->bytes,
                                  .nsge = 1,
                                  .imm = is_told ? from->immediate : 0};
    fill_memory(&job->host[ends->sender], message, &record);
    if (trace_put(records->writer, &record, job->error) != 0)
        return -1;
    return takes_receive ? put_receive_again(records, from->flow) : 0;
}

static int put_all(struct records *records)
{
    if (put_first_receives(records) != 0)
        return -1;
    for (size_t i = 0; i < records->job->messages; i++)
        if (put_request(records, &records->job->message[i]) != 0)
            return -1;
    return 0;
}

int import_pcap_records(struct import_job *job, const char *out_path)
{
    struct records records = {.job = job};
    records.db_id = calloc(job->hosts, sizeof *records.db_id);
    records.receives = calloc(job->scan.flows.count, sizeof *records.receives);
    int result = -1;
    if (records.db_id == NULL || records.receives == NULL)
        trace_fail(job->error, "%s: out of memory", job->path);
    else if (trace_create(out_path, &job->header, &records.writer, job->error) == 0) {
        result = put_all(&records);
        if (result == 0)
            result = trace_finish(records.writer, job->error);
        else
            trace_discard(records.writer);
    }
    free(records.db_id);
    free(records.receives);
    return result;
}
