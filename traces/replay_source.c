#include "traces/replay_source.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

/* A reader, and whose doorbell its last record belongs to: that one may still grow. */
struct cursor {
    struct trace_reader *reader;
    struct trace_record previous;
    uint32_t open_thread; /* NOBODY: no doorbell is open */
    int started, ended;
};

/* One thread's records, read and not yet posted: a ring. */
struct queue {
    struct trace_replay_post *posts;
    uint32_t room; /* a power of two */
    uint32_t first, count, doorbells;
    uint64_t read;        /* records so far */
    struct cursor *alone; /* its own reader; NULL: the shared one */
};

struct trace_replay_source {
    const struct trace_replay_scan *scan;
    struct cursor shared;
    struct queue *queues; /* by thread */
    uint32_t waiting;     /* records that the shared reader has dealt out */
    uint32_t readers;     /* of their own */
};

static int cursor_open(struct cursor *cursor, const char *path, struct rnicsim_error *error)
{
    cursor->open_thread = NOBODY;
    return trace_open(path, &cursor->reader, error);
}

static int grow(struct queue *queue)
{
    uint32_t room = queue->room == 0 ? 8 : queue->room * 2;
    struct trace_replay_post *posts = malloc(room * sizeof *posts);
    if (posts == NULL)
        return -1;
    for (uint32_t i = 0; i < queue->count; i++)
        posts[i] = queue->posts[(queue->first + i) & (queue->room - 1)];
    free(queue->posts);
    queue->posts = posts;
    queue->room = room;
    queue->first = 0;
    return 0;
}

static enum rnicsim_opcode api_opcode(const struct trace_record *record)
{
    if (record->event == TRACE_RECV)
        return RNICSIM_RECV;
    switch (record->opcode) {
    case TRACE_OP_SEND:
        return RNICSIM_SEND;
    case TRACE_OP_SEND_IMM:
        return RNICSIM_SEND_IMM;
    case TRACE_OP_WRITE_IMM:
        return RNICSIM_WRITE_IMM;
    case TRACE_OP_READ:
        return RNICSIM_READ;
    case TRACE_OP_CMP_SWAP:
        return RNICSIM_CMP_SWAP;
    case TRACE_OP_FETCH_ADD:
        return RNICSIM_FETCH_ADD;
    default: /* the scan lets nothing else through */
        return RNICSIM_WRITE;
    }
}

/* The record's SGEs, where they are listed and looked at. */
static int list_of(const struct trace_record *record, struct rnicsim_sge **out)
{
    if (record->extra_count == 0 || record->inlined)
        return 0;
    struct rnicsim_sge *sge = malloc(record->nsge * sizeof *sge);
    if (sge == NULL)
        return -1;
    sge[0] = (struct rnicsim_sge){record->laddr, record->len, record->lkey};
    for (uint32_t i = 0; i < record->extra_count; i++) {
        const struct trace_sge *extra = &record->extra[i];
        sge[0].length_bytes -= extra->length_bytes; /* len is all of them */
        sge[i + 1] = (struct rnicsim_sge){extra->address, extra->length_bytes, extra->lkey};
    }
    *out = sge;
    return 0;
}

static int put(struct queue *queue, const struct trace_record *record, uint64_t line, int begins_doorbell)
{
    struct rnicsim_sge *sge = NULL;
    if ((queue->count == queue->room && grow(queue) != 0) || list_of(record, &sge) != 0)
        return -1;
    queue->posts[(queue->first + queue->count) & (queue->room - 1)] = (struct trace_replay_post){
        .dep = record->dep,
        .t_ps = record->t_ps,
        .line = line,
        .wr_id = record->wr_id,
        .local_address = record->laddr,
        .remote_address = record->raddr,
        .lkey = record->lkey,
        .rkey = record->rkey,
        .length_bytes = record->len,
        .immediate = record->imm,
        .qpn = record->qpn,
        .flags = record->flags,
        .host = record->host,
        .begins_doorbell = (uint8_t)begins_doorbell,
        .is_recv = record->event == TRACE_RECV,
        .opcode = api_opcode(record),
        .sge = sge,
        .sge_count = sge != NULL ? record->nsge : 0,
    };
    queue->count++;
    queue->doorbells += begins_doorbell != 0;
    queue->read++;
    return 0;
}

/* Reads one record and hands it to its thread, if that is `only` or, for the shared reader (NOBODY), one without a
 * reader of its own. */
static int read_one(struct trace_replay_source *source, struct cursor *cursor, uint32_t only, uint64_t *skip,
                    struct rnicsim_error *error)
{
    struct trace_record record;
    uint32_t thread = NOBODY;
    int got = trace_next(cursor->reader, &record, error);
    if (got < 0)
        return -1;
    if (got == 0) {
        cursor->ended = 1;
        cursor->open_thread = NOBODY;
        return 0;
    }
    int begins = !cursor->started || !trace_same_doorbell(&cursor->previous, &record);
    memcpy(&cursor->previous, &record, offsetof(struct trace_record, extra));
    cursor->started = 1;
    cursor->open_thread = NOBODY;
    if (record.event != TRACE_SEND && record.event != TRACE_RECV)
        return 0;
    if (!trace_map_get(&source->scan->thread_index, trace_map_key(record.host, record.thread), &thread))
        return trace_fail(error, "%.200s: the file has changed while it was replayed", source->scan->path);
    struct queue *queue = &source->queues[thread];
    if (only == NOBODY ? queue->alone != NULL : thread != only)
        return 0;
    if (*skip > 0) {
        --*skip;
        return 0;
    }
    cursor->open_thread = thread;
    if (put(queue, &record, trace_line(cursor->reader), begins) != 0)
        return trace_fail(error, "%.200s: out of memory for a replay", source->scan->path);
    source->waiting += only == NOBODY;
    return 0;
}

static struct cursor *give_reader(struct trace_replay_source *source, struct queue *queue, struct rnicsim_error *error)
{
    if (source->readers == TRACE_REPLAY_READERS) {
        trace_fail(error,
                   "%.200s: the records of more than %u threads lie over %u records apart; order the records by time",
                   source->scan->path, TRACE_REPLAY_READERS, TRACE_REPLAY_WINDOW);
        return NULL;
    }
    struct cursor *cursor = calloc(1, sizeof *cursor);
    if (cursor == NULL || cursor_open(cursor, source->scan->path, error) != 0) {
        if (cursor == NULL)
            trace_fail(error, "%.200s: out of memory for a reader", source->scan->path);
        free(cursor);
        return NULL;
    }
    source->readers++;
    queue->alone = cursor;
    return cursor;
}

/* 1: the queue's first doorbell is whole. */
static int is_whole(const struct trace_replay_source *source, uint32_t thread)
{
    const struct queue *queue = &source->queues[thread];
    const struct cursor *cursor = queue->alone != NULL ? queue->alone : &source->shared;
    return queue->doorbells > 1 || (queue->doorbells == 1 && cursor->open_thread != thread);
}

static int fill(struct trace_replay_source *source, uint32_t thread, struct rnicsim_error *error)
{
    struct queue *queue = &source->queues[thread];
    uint64_t skip = 0;
    while (!is_whole(source, thread) && queue->read + (queue->count == 0) <= source->scan->threads[thread].records) {
        /* An open doorbell is read to its end whatever the window: the scan has bounded it. */
        if (queue->alone == NULL && source->waiting >= TRACE_REPLAY_WINDOW && queue->count == 0) {
            skip = queue->read;
            if (give_reader(source, queue, error) == NULL)
                return -1;
        }
        struct cursor *cursor = queue->alone != NULL ? queue->alone : &source->shared;
        if (cursor->ended)
            return trace_fail(error, "%.200s: the file has changed while it was replayed", source->scan->path);
        if (read_one(source, cursor, queue->alone != NULL ? thread : NOBODY, &skip, error) != 0)
            return -1;
    }
    return 0;
}

int trace_replay_source_open(const struct trace_replay_scan *scan, struct trace_replay_source **out,
                             struct rnicsim_error *error)
{
    struct trace_replay_source *source = calloc(1, sizeof *source);
    if (source != NULL)
        source->queues = calloc(scan->thread_count, sizeof *source->queues);
    if (source == NULL || source->queues == NULL) {
        free(source);
        return trace_fail(error, "%.200s: out of memory for a replay", scan->path);
    }
    source->scan = scan;
    if (cursor_open(&source->shared, scan->path, error) != 0) {
        trace_replay_source_close(source);
        return -1;
    }
    *out = source;
    return 0;
}

const struct trace_header *trace_replay_source_header(const struct trace_replay_source *source)
{
    return trace_header(source->shared.reader);
}

int64_t trace_replay_source_next(struct trace_replay_source *source, uint32_t thread, struct rnicsim_error *error)
{
    struct queue *queue = &source->queues[thread];
    uint32_t count = 1;
    if (fill(source, thread, error) != 0)
        return -1;
    if (queue->count == 0)
        return 0;
    while (count < queue->count && !trace_replay_source_post(source, thread, count)->begins_doorbell)
        count++;
    return count;
}

const struct trace_replay_post *trace_replay_source_post(const struct trace_replay_source *source, uint32_t thread,
                                                         uint32_t index)
{
    const struct queue *queue = &source->queues[thread];
    return &queue->posts[(queue->first + index) & (queue->room - 1)];
}

void trace_replay_source_drop(struct trace_replay_source *source, uint32_t thread, uint32_t count)
{
    struct queue *queue = &source->queues[thread];
    for (uint32_t i = 0; i < count; i++)
        free(queue->posts[(queue->first + i) & (queue->room - 1)].sge);
    queue->first = (queue->first + count) & (queue->room - 1);
    queue->count -= count;
    queue->doorbells--;
    if (queue->alone == NULL)
        source->waiting -= count;
}

void trace_replay_source_close(struct trace_replay_source *source)
{
    if (source == NULL)
        return;
    for (uint32_t i = 0; i < source->scan->thread_count; i++) {
        const struct queue *queue = &source->queues[i];
        for (uint32_t n = 0; n < queue->count; n++)
            free(queue->posts[(queue->first + n) & (queue->room - 1)].sge);
        free(queue->posts);
        if (source->queues[i].alone != NULL)
            trace_close(source->queues[i].alone->reader);
        free(source->queues[i].alone);
    }
    trace_close(source->shared.reader);
    free(source->queues);
    free(source);
}
