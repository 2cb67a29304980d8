#include "traces/rules.h"

#include <stdlib.h>

int trace_rules_init(struct trace_rules *rules, const struct trace_header *header, struct rnicsim_error *error)
{
    *rules = (struct trace_rules){.header = header};
    rules->qps = calloc(header->qp_count + 1, sizeof *rules->qps);
    return rules->qps == NULL ? trace_fail(error, "out of memory for %zu QPs", header->qp_count) : 0;
}

static int check_fields(const struct trace_record *record, struct rnicsim_error *error)
{
    if ((uint32_t)record->event >= TRACE_EVENT_COUNT || (uint32_t)record->opcode >= TRACE_OPCODE_COUNT)
        return trace_fail(error, "event %u, opcode %u; allowed are 0 to %u and 0 to %u", (unsigned)record->event,
                          (unsigned)record->opcode, TRACE_EVENT_COUNT - 1, TRACE_OPCODE_COUNT - 1);
    if (record->flags >> TRACE_FLAG_COUNT != 0)
        return trace_fail(error, "flags 0x%x; allowed are SIGNALED, INLINE, SOLICITED and FENCE", record->flags);
    if (record->t_ps < 0 || record->t_ps > RNICSIM_TIME_MAX)
        return trace_fail(error, "t_ps is %lld; 0 to %lld (2^62) are allowed", (long long)record->t_ps,
                          (long long)RNICSIM_TIME_MAX);
    if (record->len > RNICSIM_MESSAGE_MAX_BYTES)
        return trace_fail(error, "len is %u bytes; at most %u (2^31) are allowed", record->len,
                          RNICSIM_MESSAGE_MAX_BYTES);
    if (record->inlined != ((record->flags & TRACE_INLINE) != 0))
        return trace_fail(error, "inline is %u, but the flags say %u; both must say the same", record->inlined,
                          (record->flags & TRACE_INLINE) != 0);
    if (record->event == TRACE_SEND && (record->opcode == TRACE_OP_NONE || record->opcode == TRACE_OP_RECV))
        return trace_fail(error, "a SEND event with opcode \"%s\"; allowed is any opcode but RECV",
                          trace_opcode_name(record->opcode));
    if (record->event == TRACE_RECV && record->opcode != TRACE_OP_RECV)
        return trace_fail(error, "a RECV event with opcode \"%s\"; allowed is RECV", trace_opcode_name(record->opcode));
    return 0;
}

static int check_sges(const struct trace_record *record, struct rnicsim_error *error)
{
    if (record->nsge > TRACE_SGE_MAX)
        return trace_fail(error, "nsge is %u; at most %u are allowed", record->nsge, TRACE_SGE_MAX);
    if (record->extra_count != 0 && record->extra_count + 1 != record->nsge)
        return trace_fail(error, "nsge is %u, but %u SGEs are listed; list one or all", record->nsge,
                          record->extra_count + 1u);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < record->extra_count; i++)
        sum += record->extra[i].length_bytes;
    if (sum > record->len)
        return trace_fail(error, "the SGEs hold %llu bytes or more, but len is %u; their sum must be len",
                          (unsigned long long)sum, record->len);
    return 0;
}

static int check_dep(const struct trace_dep *dep, struct rnicsim_error *error)
{
    enum trace_dep_kind first = dep->term[0].kind, second = dep->term[1].kind;
    if ((uint32_t)first >= TRACE_DEP_KIND_COUNT || (uint32_t)second >= TRACE_DEP_KIND_COUNT)
        return trace_fail(error, "dep of kind %u or %u; allowed are 0 to %u", (unsigned)first, (unsigned)second,
                          TRACE_DEP_KIND_COUNT - 1);
    for (int i = 0; i < 2; i++) {
        int counts = dep->term[i].kind != TRACE_DEP_NONE && dep->term[i].kind != TRACE_DEP_POST;
        if (counts != (dep->term[i].count != 0))
            return trace_fail(error, "dep counts %u; cqe, recv and mem count from 1, post does not count",
                              dep->term[i].count);
    }
    if (second != TRACE_DEP_NONE &&
        (first == second || first == TRACE_DEP_NONE || first == TRACE_DEP_POST || second == TRACE_DEP_POST))
        return trace_fail(
            error, "dep with terms that do not go together; allowed are two different ones of cqe, recv and mem");
    if (first == TRACE_DEP_NONE && dep->think_ns != 0)
        return trace_fail(error, "a think time of %u ns without a dep; it follows one", dep->think_ns);
    return 0;
}

static int check_qp(const struct trace_rules *rules, const struct trace_record *record, struct rnicsim_error *error)
{
    if (record->qpn == 0 && record->event != TRACE_SEND && record->event != TRACE_RECV && record->event != TRACE_DB)
        return 0;
    const struct trace_qp *qp = trace_header_qp(rules->header, record->host, record->qpn);
    if (qp == NULL)
        return trace_fail(error, "QP %u of host %u has no #qp line; only those that have one are allowed", record->qpn,
                          record->host);
    if (record->inlined && record->len > qp->max_inline)
        return trace_fail(error, "%u bytes inline; QP %u of host %u allows %u (max_inline)", record->len, record->qpn,
                          record->host, qp->max_inline);
    if (record->event > TRACE_RECV)
        return 0;
    uint32_t last = rules->qps[qp - rules->header->qps].db_id[record->event];
    if (record->db_id < last)
        return trace_fail(error, "db_id goes back from %u to %u; on one QP it may not", last, record->db_id);
    return 0;
}

/* The index of a thread's last time; -1: error. */
static int64_t thread_index(struct trace_rules *rules, const struct trace_record *record, struct rnicsim_error *error)
{
    uint64_t key = trace_map_key(record->host, record->thread);
    uint32_t index;
    if (trace_map_get(&rules->threads, key, &index))
        return index;
    size_t count = rules->threads.count;
    if (count >= TRACE_TABLE_MAX)
        return trace_fail(error, "more than %u threads; that many are allowed", TRACE_TABLE_MAX);
    if (count == 0 || (count & (count - 1)) == 0) {
        int64_t *larger = realloc(rules->last_ps, (count == 0 ? 1 : 2 * count) * sizeof *larger);
        if (larger == NULL)
            return trace_fail(error, "out of memory for a thread");
        rules->last_ps = larger;
    }
    rules->last_ps[count] = 0;
    if (trace_map_put(&rules->threads, key, (uint32_t)count) != 0)
        return trace_fail(error, "out of memory for a thread");
    return (int64_t)count;
}

static void remember(struct trace_rules *rules, const struct trace_record *record, int open_loop)
{
    if (record->event <= TRACE_RECV) {
        const struct trace_qp *qp = trace_header_qp(rules->header, record->host, record->qpn);
        rules->qps[qp - rules->header->qps].db_id[record->event] = record->db_id;
    }
    rules->previous.event = record->event;
    rules->previous.host = record->host;
    rules->previous.thread = record->thread;
    rules->previous.qpn = record->qpn;
    rules->previous.db_id = record->db_id;
    rules->open_loop = open_loop;
    rules->started = 1;
}

int trace_rules_check(struct trace_rules *rules, const struct trace_record *record, struct rnicsim_error *error)
{
    if (check_fields(record, error) != 0 || check_sges(record, error) != 0 || check_dep(&record->dep, error) != 0 ||
        check_qp(rules, record, error) != 0)
        return -1;
    int follows = rules->started && trace_same_doorbell(&rules->previous, record);
    int has_dep = record->dep.term[0].kind != TRACE_DEP_NONE;
    if (follows && has_dep)
        return trace_fail(
            error, "a dep on a record that shares the doorbell before it (db_id %u); only the first may have one",
            record->db_id);
    int open_loop = follows ? rules->open_loop : !has_dep;
    if (open_loop) {
        int64_t index = thread_index(rules, record, error);
        if (index < 0)
            return -1;
        if (record->t_ps < rules->last_ps[index])
            return trace_fail(error,
                              "t_ps goes back from %lld to %lld; without a dep, on one host and thread, it may not",
                              (long long)rules->last_ps[index], (long long)record->t_ps);
        rules->last_ps[index] = record->t_ps;
    }
    remember(rules, record, open_loop);
    return 0;
}

void trace_rules_free(struct trace_rules *rules)
{
    free(rules->qps);
    free(rules->last_ps);
    trace_map_free(&rules->threads);
    *rules = (struct trace_rules){0};
}
