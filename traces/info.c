#include "traces/info.h"

#include <string.h>

#include "traces/reader.h"

#define SIZE_CLASSES 33 /* 0, then one a power of two */

struct info {
    uint64_t events[TRACE_EVENT_COUNT], opcodes[TRACE_OPCODE_COUNT], deps[TRACE_DEP_KIND_COUNT];
    uint64_t sizes[SIZE_CLASSES]; /* of SEND events */
    uint64_t doorbells, signalled, inlined, payload_bytes, two_terms;
    uint32_t smallest, largest;
    int64_t first_ps, last_ps; /* of records that stand at an absolute time */
    struct trace_record previous;
    int started;
};

static unsigned size_class(uint32_t bytes)
{
    unsigned result = 0;
    for (; bytes != 0; bytes >>= 1)
        result++;
    return result;
}

static void count_send(struct info *info, const struct trace_record *record, const struct trace_qp *qp, int follows)
{
    uint64_t sends = info->events[TRACE_SEND]; /* with this one */
    info->doorbells += !follows;
    info->signalled += qp->sig_all != 0 || (record->flags & TRACE_SIGNALED) != 0;
    info->inlined += record->inlined;
    info->payload_bytes += record->len;
    info->sizes[size_class(record->len)]++;
    info->smallest = sends == 1 || record->len < info->smallest ? record->len : info->smallest;
    info->largest = record->len > info->largest ? record->len : info->largest;
}

static void count_record(struct info *info, const struct trace_header *header, const struct trace_record *record)
{
    int follows = info->started && trace_same_doorbell(&info->previous, record);
    info->events[record->event]++;
    info->opcodes[record->opcode]++;
    if (record->event == TRACE_SEND)
        count_send(info, record, trace_header_qp(header, record->host, record->qpn), follows);
    if (!follows) {
        info->deps[record->dep.term[0].kind]++;
        info->two_terms += record->dep.term[1].kind != TRACE_DEP_NONE;
    }
    if (!follows && record->dep.term[0].kind == TRACE_DEP_NONE) {
        info->first_ps = record->t_ps < info->first_ps ? record->t_ps : info->first_ps;
        info->last_ps = record->t_ps > info->last_ps ? record->t_ps : info->last_ps;
    }
    memcpy(&info->previous, record, offsetof(struct trace_record, extra));
    info->started = 1;
}

static void print_header(FILE *out, const struct trace_header *header)
{
    fprintf(out, "version   %u\nhosts     %u\nQPs       %zu\nMRs       %zu\n", header->version,
            trace_header_hosts_needed(header), header->qp_count, header->mr_count);
    for (size_t i = 0; i < header->note_count; i++)
        fprintf(out, "note      %s\n", header->notes[i]);
}

static void print_sizes(FILE *out, const struct info *info)
{
    uint64_t sends = info->events[TRACE_SEND];
    if (sends == 0)
        return;
    fprintf(out, "payload   %llu bytes in %llu requests, %u to %u, mean %.1f\n",
            (unsigned long long)info->payload_bytes, (unsigned long long)sends, info->smallest, info->largest,
            (double)info->payload_bytes / (double)sends);
    for (unsigned i = 0; i < SIZE_CLASSES; i++) {
        unsigned long long low = i == 0 ? 0 : 1ull << (i - 1), high = i == 0 ? 0 : (1ull << i) - 1;
        if (info->sizes[i] != 0)
            fprintf(out, "size      %llu..%llu: %llu\n", low, high, (unsigned long long)info->sizes[i]);
    }
    fprintf(out, "doorbells %llu, %.2f requests each\n", (unsigned long long)info->doorbells,
            (double)sends / (double)info->doorbells);
    fprintf(out, "signalled %.2f %%\ninline    %.2f %%\n", 100.0 * (double)info->signalled / (double)sends,
            100.0 * (double)info->inlined / (double)sends);
}

static void print_deps(FILE *out, const struct info *info)
{
    fprintf(out, "posts     at an absolute time: %llu", (unsigned long long)info->deps[TRACE_DEP_NONE]);
    for (unsigned i = TRACE_DEP_CQE; i < TRACE_DEP_KIND_COUNT; i++)
        fprintf(out, ", after %s: %llu", trace_dep_kind_name((enum trace_dep_kind)i),
                (unsigned long long)info->deps[i]);
    fprintf(out, "; of two terms: %llu\n", (unsigned long long)info->two_terms);
    if (info->deps[TRACE_DEP_NONE] != 0)
        fprintf(out, "duration  %.3f us, from the first to the last absolute time\n",
                (double)(info->last_ps - info->first_ps) / 1e6);
}

static void print(FILE *out, const struct trace_header *header, const struct info *info)
{
    print_header(out, header);
    for (unsigned i = 0; i < TRACE_EVENT_COUNT; i++)
        if (info->events[i] != 0)
            fprintf(out, "event     %s: %llu\n", trace_event_name((enum trace_event)i),
                    (unsigned long long)info->events[i]);
    for (unsigned i = TRACE_OP_SEND; i < TRACE_OPCODE_COUNT; i++)
        if (info->opcodes[i] != 0)
            fprintf(out, "opcode    %s: %llu\n", trace_opcode_name((enum trace_opcode)i),
                    (unsigned long long)info->opcodes[i]);
    print_sizes(out, info);
    print_deps(out, info);
}

int trace_info(const char *path, FILE *out, struct rnicsim_error *error)
{
    struct info info = {.first_ps = INT64_MAX};
    struct trace_reader *reader;
    struct trace_record record;
    int got;
    if (trace_open(path, &reader, error) != 0)
        return -1;
    while ((got = trace_next(reader, &record, error)) > 0)
        count_record(&info, trace_header(reader), &record);
    if (got == 0)
        print(out, trace_header(reader), &info);
    trace_close(reader);
    return got;
}
