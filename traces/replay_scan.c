#include "traces/replay_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "traces/reader.h"

#define HOSTS 2u

struct doorbell { /* the one that is being read */
    struct trace_record previous;
    uint32_t count;
    int started;
};

static int is_posted(const struct trace_record *record)
{
    return record->event == TRACE_SEND || record->event == TRACE_RECV;
}

/* NULL: it can be simulated. */
static const char *refuse_record(const struct trace_record *record)
{
    /* Inline data lies in the WQE, in however many pieces it was given. */
    if (record->nsge > 1 && record->extra_count == 0 && !record->inlined)
        return "of its SGEs only the number is known; allowed is one SGE, or a list of all (column sges)";
    if (record->event == TRACE_RECV)
        return NULL;
    switch (record->opcode) {
    case TRACE_OP_SEND:
    case TRACE_OP_SEND_IMM:
    case TRACE_OP_WRITE:
    case TRACE_OP_WRITE_IMM:
    case TRACE_OP_READ:
    case TRACE_OP_CMP_SWAP:
    case TRACE_OP_FETCH_ADD:
        return NULL;
    default:
        return "this opcode is not simulated; allowed are SEND, SEND_IMM, WRITE, WRITE_IMM, READ, CMP_SWAP and "
               "FETCH_ADD";
    }
}

static int refuse(const struct trace_reader *reader, struct rnicsim_error *error, const char *what)
{
    trace_locate(reader, what, error);
    return -1;
}

static int add_thread(struct trace_replay_scan *scan, const struct trace_record *record, uint32_t *index)
{
    uint32_t count = scan->thread_count;
    if ((count & (count - 1)) == 0) { /* room doubles at powers of two */
        void *larger = realloc(scan->threads, (count == 0 ? 1 : 2 * (size_t)count) * sizeof *scan->threads);
        if (larger == NULL)
            return -1;
        scan->threads = larger;
    }
    if (trace_map_put(&scan->thread_index, trace_map_key(record->host, record->thread), count) != 0)
        return -1;
    scan->threads[count].host = record->host;
    scan->threads[count].thread = record->thread;
    scan->threads[count].records = 0;
    scan->thread_count++;
    *index = count;
    return 0;
}

static int count_record(struct trace_replay_scan *scan, const struct trace_record *record)
{
    uint32_t index;
    if (!trace_map_get(&scan->thread_index, trace_map_key(record->host, record->thread), &index) &&
        add_thread(scan, record, &index) != 0)
        return -1;
    scan->threads[index].records++;
    scan->requests += record->event == TRACE_SEND;
    scan->receives += record->event == TRACE_RECV;
    scan->any_think |= record->dep.think_ns != 0;
    return 0;
}

static int check_doorbell(const struct trace_reader *reader, struct doorbell *doorbell,
                          const struct trace_record *record, struct rnicsim_error *error)
{
    const struct trace_qp *qp = trace_header_qp(trace_header(reader), record->host, record->qpn);
    uint32_t depth = record->event == TRACE_SEND ? qp->sq_depth : qp->rq_depth;
    char text[160];
    doorbell->count = doorbell->started && trace_same_doorbell(&doorbell->previous, record) ? doorbell->count + 1 : 1;
    if (doorbell->count <= depth)
        return 0;
    snprintf(text, sizeof text, "doorbell %u has %u or more requests; the queue of QP %u allows %u", record->db_id,
             doorbell->count, record->qpn, depth);
    return refuse(reader, error, text);
}

static int scan_record(struct trace_replay_scan *scan, const struct trace_reader *reader, struct doorbell *doorbell,
                       const struct trace_record *record, struct rnicsim_error *error)
{
    if (is_posted(record)) {
        const char *wrong = refuse_record(record);
        if (wrong != NULL)
            return refuse(reader, error, wrong);
        if (check_doorbell(reader, doorbell, record, error) != 0)
            return -1;
        scan->has_answered |= trace_opcode_is_answered(record->opcode);
        if (count_record(scan, record) != 0)
            return refuse(reader, error, "out of memory");
    }
    memcpy(&doorbell->previous, record, offsetof(struct trace_record, extra));
    doorbell->started = 1;
    return 0;
}

static int check_header(const char *path, const struct trace_header *header, struct rnicsim_error *error)
{
    for (size_t i = 0; i < header->qp_count; i++) {
        const struct trace_qp *qp = &header->qps[i];
        const char *wrong = NULL;
        if (qp->host >= HOSTS || qp->peer_host >= HOSTS || qp->host == qp->peer_host)
            wrong = "two hosts are simulated: host and peer_host must be 0 and 1, or 1 and 0";
        else if (qp->peer_qpn == 0)
            wrong = "a UD QP whose requests go nowhere is not simulated: allowed is a peer_qpn";
        if (wrong != NULL && qp->line != 0)
            return trace_fail(error, "%.200s:%llu: QP %u of host %u: %s", path, (unsigned long long)qp->line, qp->qpn,
                              qp->host, wrong);
        if (wrong != NULL)
            return trace_fail(error, "%.200s: QP %u of host %u: %s", path, qp->qpn, qp->host, wrong);
    }
    return 0;
}

static int scan_reader(struct trace_replay_scan *scan, struct trace_reader *reader, struct rnicsim_error *error)
{
    struct doorbell doorbell = {0};
    struct trace_record record;
    int got;
    if (check_header(scan->path, trace_header(reader), error) != 0)
        return -1;
    while ((got = trace_next(reader, &record, error)) > 0)
        if (scan_record(scan, reader, &doorbell, &record, error) != 0)
            return -1;
    if (got == 0 && scan->requests == 0)
        return refuse(reader, error, "the trace has no request; at least one SEND event is needed");
    return got;
}

int trace_replay_scan_file(struct trace_replay_scan *scan, const char *path, struct rnicsim_error *error)
{
    struct trace_reader *reader;
    struct stat status;
    *scan = (struct trace_replay_scan){0};
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return trace_fail(error, "%.200s: not a regular file; a replay reads its trace twice", path);
    if (trace_open(path, &reader, error) != 0)
        return -1;
    scan->path = strdup(path);
    int result = scan->path != NULL ? scan_reader(scan, reader, error) : refuse(reader, error, "out of memory");
    trace_close(reader);
    if (result != 0)
        trace_replay_scan_free(scan);
    return result;
}

void trace_replay_scan_locate(const struct trace_replay_scan *scan, uint64_t line, const char *what,
                              struct rnicsim_error *error)
{
    struct trace_reader *reader;
    struct trace_record record;
    if (trace_open(scan->path, &reader, error) != 0)
        return;
    while (trace_next(reader, &record, error) > 0 && trace_line(reader) < line)
        continue;
    trace_locate(reader, what, error);
    trace_close(reader);
}

void trace_replay_scan_free(struct trace_replay_scan *scan)
{
    free(scan->path);
    free(scan->threads);
    trace_map_free(&scan->thread_index);
    *scan = (struct trace_replay_scan){0};
}
