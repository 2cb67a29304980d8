#include "traces/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "traces/reader.h"

/* One check run; faults are counted here. */
struct checker {
    const struct trace_header *header;
    const struct trace_reader *reader;
    trace_check_fault *fault;
    void *context;
    uint64_t max, count;
    struct trace_record previous; /* for the length of a doorbell's list */
    uint32_t list_count;
};

static void report(struct checker *checker, uint64_t line, const char *text)
{
    if (checker->count >= checker->max)
        return;
    checker->count++;
    checker->fault(checker->context, line, text);
}

__attribute__((format(printf, 2, 3))) static void complain(struct checker *checker, const char *format, ...)
{
    struct rnicsim_error what, located;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what.text, sizeof what.text, format, arguments);
    va_end(arguments);
    trace_locate(checker->reader, what.text, &located);
    report(checker, trace_line(checker->reader), located.text);
}

static int is_send(enum trace_opcode opcode)
{
    return opcode == TRACE_OP_SEND || opcode == TRACE_OP_SEND_IMM || opcode == TRACE_OP_SEND_INV;
}

static int is_write(enum trace_opcode opcode)
{
    return opcode == TRACE_OP_WRITE || opcode == TRACE_OP_WRITE_IMM;
}

static int carries_data(enum trace_opcode opcode)
{
    return opcode != TRACE_OP_NONE && opcode != TRACE_OP_LOCAL_INV && opcode != TRACE_OP_BIND_MW;
}

/* A memory access: its key exists on the host, covers the range and allows it. */
static void check_access(struct checker *checker, const char *what, uint32_t host, uint32_t key, uint64_t address,
                         uint32_t bytes, uint32_t access)
{
    if (checker->header->mr_count == 0 || bytes == 0)
        return;
    const struct trace_mr *mr = trace_header_mr(checker->header, host, key);
    if (mr == NULL) {
        complain(checker, "%s %u of host %u names no MR; a key of a #mr line is allowed", what, key, host);
        return;
    }
    if (address < mr->base || address - mr->base > mr->length || mr->length - (address - mr->base) < bytes)
        complain(checker, "0x%llx and %u bytes lie outside the MR of %s %u, host %u: 0x%llx and %llu bytes",
                 (unsigned long long)address, bytes, what, key, host, (unsigned long long)mr->base,
                 (unsigned long long)mr->length);
    for (uint32_t bit = 0; bit < TRACE_ACCESS_COUNT; bit++)
        if ((access >> bit & 1) != 0 && (mr->access >> bit & 1) == 0)
            complain(checker, "the MR of %s %u, host %u, lacks %s; its #mr line must allow it", what, key, host,
                     trace_access_name(bit));
}

static void check_local(struct checker *checker, const struct trace_record *record)
{
    uint32_t access =
        record->event == TRACE_RECV || record->opcode == TRACE_OP_READ || trace_opcode_is_atomic(record->opcode)
            ? TRACE_LOCAL_WRITE
            : 0;
    uint32_t first_bytes = record->len;
    if (record->inlined || !carries_data(record->opcode))
        return;
    if (record->nsge > 1 && record->extra_count == 0)
        return; /* the lengths of its SGEs are not known */
    for (uint32_t i = 0; i < record->extra_count; i++) {
        const struct trace_sge *sge = &record->extra[i];
        first_bytes -= sge->length_bytes;
        check_access(checker, "lkey", record->host, sge->lkey, sge->address, sge->length_bytes, access);
    }
    check_access(checker, "lkey", record->host, record->lkey, record->laddr, first_bytes, access);
}

static void check_remote(struct checker *checker, const struct trace_record *record, const struct trace_qp *qp)
{
    uint32_t access = 0;
    if (is_write(record->opcode))
        access = TRACE_REMOTE_WRITE;
    else if (record->opcode == TRACE_OP_READ)
        access = TRACE_REMOTE_READ;
    else if (trace_opcode_is_atomic(record->opcode))
        access = TRACE_REMOTE_ATOMIC;
    if (access != 0)
        check_access(checker, "rkey", qp->peer_host, record->rkey, record->raddr, record->len, access);
}

static void check_flags(struct checker *checker, const struct trace_record *record)
{
    int has_imm = record->opcode == TRACE_OP_SEND_IMM || record->opcode == TRACE_OP_WRITE_IMM ||
                  record->opcode == TRACE_OP_SEND_INV;
    if (record->event == TRACE_RECV && record->flags != 0)
        complain(checker, "flags on a RECV; none are allowed");
    if (record->event == TRACE_SEND && record->inlined && !is_send(record->opcode) && !is_write(record->opcode))
        complain(checker, "INLINE on %s; it is allowed on SENDs and WRITEs", trace_opcode_name(record->opcode));
    if ((record->flags & TRACE_SOLICITED) != 0 && !is_send(record->opcode) && record->opcode != TRACE_OP_WRITE_IMM)
        complain(checker, "SOLICITED on %s; it is allowed on SENDs and WRITE_IMM", trace_opcode_name(record->opcode));
    if (record->imm != 0 && !has_imm)
        complain(checker, "imm on %s; it is allowed on SEND_IMM, WRITE_IMM and SEND_INV",
                 trace_opcode_name(record->opcode));
    if ((record->cmp != 0 || record->swap != 0) && !trace_opcode_is_atomic(record->opcode))
        complain(checker, "cmp or swap on %s; they are allowed on CMP_SWAP and FETCH_ADD",
                 trace_opcode_name(record->opcode));
}

static void check_sizes(struct checker *checker, const struct trace_record *record, const struct trace_qp *qp)
{
    if (record->nsge == 0 && record->len != 0 && carries_data(record->opcode))
        complain(checker, "%u bytes without an SGE (nsge 0); with a length, from 1 on are allowed", record->len);
    if (record->inlined && record->nsge == 0)
        complain(checker, "INLINE with nsge 0; from 1 on are allowed");
    if (trace_opcode_is_atomic(record->opcode) && record->len != 8)
        complain(checker, "%s of %u bytes; 8 are allowed (IBTA vol. 1, 9.4.5)", trace_opcode_name(record->opcode),
                 record->len);
    if (trace_opcode_is_atomic(record->opcode) && record->raddr % 8 != 0)
        complain(checker, "%s at 0x%llx; multiples of 8 are allowed (IBTA vol. 1, 9.4.5)",
                 trace_opcode_name(record->opcode), (unsigned long long)record->raddr);
    if (record->event == TRACE_SEND && qp->type == TRACE_UD && record->len > qp->mtu)
        complain(checker, "%u bytes on a UD QP; at most its mtu, %u, are allowed", record->len, qp->mtu);
}

/* 1: the QP's type has the opcode. */
static int check_opcode(struct checker *checker, const struct trace_record *record, const struct trace_qp *qp)
{
    int ud_fits = record->opcode == TRACE_OP_SEND || record->opcode == TRACE_OP_SEND_IMM;
    int uc_fits = record->opcode != TRACE_OP_READ && !trace_opcode_is_atomic(record->opcode) &&
                  record->opcode != TRACE_OP_SEND_INV;
    if (record->event != TRACE_SEND || (qp->type == TRACE_UD ? ud_fits : qp->type != TRACE_UC || uc_fits))
        return 1;
    complain(checker, "%s on a %s QP; %s are allowed", trace_opcode_name(record->opcode), trace_qp_type_name(qp->type),
             qp->type == TRACE_UD ? "SEND and SEND_IMM" : "SENDs and WRITEs");
    return 0;
}

/* A list longer than its queue can never be posted. */
static void check_list(struct checker *checker, const struct trace_record *record, const struct trace_qp *qp)
{
    uint32_t depth = record->event == TRACE_SEND ? qp->sq_depth : qp->rq_depth;
    checker->list_count =
        checker->list_count != 0 && trace_same_doorbell(&checker->previous, record) ? checker->list_count + 1 : 1;
    if (checker->list_count == depth + 1)
        complain(checker, "more than %u requests in one doorbell (db_id %u); QP %u of host %u is no deeper", depth,
                 record->db_id, record->qpn, record->host);
}

static void check_record(struct checker *checker, const struct trace_record *record)
{
    const struct trace_qp *qp = trace_header_qp(checker->header, record->host, record->qpn);
    if (record->event <= TRACE_RECV) {
        int fits = check_opcode(checker, record, qp);
        check_flags(checker, record);
        check_sizes(checker, record, qp);
        check_local(checker, record);
        if (record->event == TRACE_SEND && fits)
            check_remote(checker, record, qp);
        check_list(checker, record, qp);
    } else {
        checker->list_count = 0;
    }
    memcpy(&checker->previous, record, offsetof(struct trace_record, extra));
}

uint64_t trace_check(const char *path, trace_check_fault *fault, void *context, uint64_t max)
{
    struct checker checker = {.fault = fault, .context = context, .max = max};
    struct trace_reader *reader;
    struct trace_record record;
    struct rnicsim_error error;
    int got = 1;
    if (trace_open(path, &reader, &error) != 0) {
        report(&checker, 0, error.text);
        return checker.count;
    }
    checker.reader = reader;
    checker.header = trace_header(reader);
    while (got != 0 && checker.count < max) {
        got = trace_next(reader, &record, &error);
        if (got > 0)
            check_record(&checker, &record);
        if (got < 0)
            report(&checker, trace_line(reader), error.text);
        if (got < 0 && !trace_resumable(reader))
            break;
    }
    trace_close(reader);
    return checker.count;
}
