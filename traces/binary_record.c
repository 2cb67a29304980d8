#include <stdlib.h>
#include <string.h>

#include "traces/binary.h"
#include "traces/wire.h"

#define HOST_COUNT 65536u
#define BLOCK_BYTES 16u
#define END_EVENT 255u /* the closing record */
#define END_MARK "RNICTEND"

/* Bits of the record's 16-bit flags above the verbs flags; see FORMAT.md. */
#define DEP_KIND_SHIFT 4    /* 3 bits */
#define HAS_NEXT_DB 0x0080u /* db_id is one more than the host's last; else the same */
#define HAS_IDS 0x0100u
#define HAS_ATOMIC 0x0200u
#define HAS_DEP 0x0400u
#define HAS_SGES 0x0800u
#define RESERVED 0xf000u

int trace_binary_init(struct trace_binary *binary, const struct trace_header *header, struct rnicsim_error *error)
{
    *binary = (struct trace_binary){.header = header};
    binary->last_db_id = calloc(HOST_COUNT, sizeof *binary->last_db_id);
    return binary->last_db_id == NULL ? trace_fail(error, "out of memory for the hosts' doorbells") : 0;
}

void trace_binary_free(struct trace_binary *binary)
{
    free(binary->last_db_id);
    *binary = (struct trace_binary){0};
}

static uint32_t default_cqn(const struct trace_binary *binary, uint32_t host, uint32_t qpn)
{
    const struct trace_qp *qp = trace_header_qp(binary->header, host, qpn);
    return qp == NULL ? 0 : qp->cqn;
}

static void decode_fixed(struct trace_record *record, const unsigned char *bytes)
{
    record->t_ps = (int64_t)trace_wire_get(bytes, 8);
    record->wr_id = trace_wire_get(bytes + 8, 8);
    record->laddr = trace_wire_get(bytes + 16, 8);
    record->raddr = trace_wire_get(bytes + 24, 8);
    record->len = trace_wire_get32(bytes + 32);
    record->lkey = trace_wire_get32(bytes + 36);
    record->rkey = trace_wire_get32(bytes + 40);
    record->qpn = trace_wire_get32(bytes + 44);
    record->dep.term[0].count = trace_wire_get32(bytes + 48);
    record->dep.think_ns = trace_wire_get32(bytes + 52);
    record->opcode = (enum trace_opcode)bytes[56];
    record->event = (enum trace_event)bytes[57];
    uint32_t flags = (uint32_t)trace_wire_get(bytes + 58, 2);
    record->flags = flags & ((1u << TRACE_FLAG_COUNT) - 1);
    record->dep.term[0].kind = (enum trace_dep_kind)(flags >> DEP_KIND_SHIFT & 7);
    record->nsge = bytes[60];
    record->inlined = bytes[61];
    record->host = (uint16_t)trace_wire_get(bytes + 62, 2);
}

static int read_block(struct trace_input *input, unsigned char *bytes, size_t wanted, struct rnicsim_error *error)
{
    int64_t got = trace_input_read(input, bytes, wanted, error);
    if (got >= 0 && (size_t)got < wanted)
        return trace_fail(error, "the file ends inside this record; a whole one and a closing record are needed");
    return got < 0 ? -1 : 0;
}

static int read_sges(struct trace_input *input, struct trace_record *record, struct rnicsim_error *error)
{
    unsigned char block[BLOCK_BYTES];
    if (record->nsge < 2 || record->nsge > TRACE_SGE_MAX)
        return trace_fail(error, "%u SGEs are listed; allowed are 2 to %u", record->nsge, TRACE_SGE_MAX);
    while (record->extra_count + 1 < record->nsge) {
        struct trace_sge *sge = &record->extra[record->extra_count++];
        if (read_block(input, block, sizeof block, error) != 0)
            return -1;
        sge->address = trace_wire_get(block, 8);
        sge->length_bytes = trace_wire_get32(block + 8);
        sge->lkey = trace_wire_get32(block + 12);
    }
    return 0;
}

static int read_extensions(struct trace_input *input, struct trace_record *record, uint32_t flags,
                           struct rnicsim_error *error)
{
    unsigned char block[BLOCK_BYTES];
    if ((flags & HAS_IDS) != 0) {
        if (read_block(input, block, sizeof block, error) != 0)
            return -1;
        record->thread = trace_wire_get32(block);
        record->cqn = trace_wire_get32(block + 4);
        record->db_id = trace_wire_get32(block + 8);
        record->imm = trace_wire_get32(block + 12);
    }
    if ((flags & HAS_ATOMIC) != 0) {
        if (read_block(input, block, sizeof block, error) != 0)
            return -1;
        record->cmp = trace_wire_get(block, 8);
        record->swap = trace_wire_get(block + 8, 8);
    }
    if ((flags & HAS_DEP) != 0) {
        if (read_block(input, block, sizeof block, error) != 0)
            return -1;
        record->dep.term[1].kind = (enum trace_dep_kind)trace_wire_get32(block);
        record->dep.term[1].count = trace_wire_get32(block + 4);
        if (trace_wire_get(block + 8, 8) != 0)
            return trace_fail(error, "reserved bytes of a dep block are not 0; they must be");
    }
    return (flags & HAS_SGES) != 0 ? read_sges(input, record, error) : 0;
}

static int check_end(const struct trace_binary *binary, struct trace_input *input, const unsigned char *bytes,
                     struct rnicsim_error *error)
{
    unsigned char expected[TRACE_BINARY_RECORD_BYTES];
    const void *more;
    trace_binary_format_end(binary, expected);
    if (memcmp(bytes, expected, sizeof expected) != 0)
        return trace_fail(
            error,
            "the closing record says %llu records, %llu were there; it must be that number, and else as in FORMAT.md",
            (unsigned long long)trace_wire_get(bytes, 8), (unsigned long long)binary->count);
    int64_t left = trace_input_peek(input, &more, 1, error);
    if (left > 0)
        return trace_fail(error, "bytes follow the closing record; none may");
    return (int)left;
}

int trace_binary_read_record(struct trace_binary *binary, struct trace_input *input, struct trace_record *record,
                             struct rnicsim_error *error)
{
    unsigned char bytes[TRACE_BINARY_RECORD_BYTES];
    if (read_block(input, bytes, sizeof bytes, error) != 0)
        return -1;
    if (bytes[57] == END_EVENT)
        return check_end(binary, input, bytes, error);
    memset(record, 0, offsetof(struct trace_record, extra));
    decode_fixed(record, bytes);
    uint32_t flags = (uint32_t)trace_wire_get(bytes + 58, 2);
    if ((flags & RESERVED) != 0)
        return trace_fail(error, "reserved flags 0x%x are set; they must be 0", flags & RESERVED);
    record->cqn = default_cqn(binary, record->host, record->qpn);
    record->db_id = binary->last_db_id[record->host] + ((flags & HAS_NEXT_DB) != 0);
    if (read_extensions(input, record, flags, error) != 0)
        return -1;
    binary->last_db_id[record->host] = record->db_id;
    binary->count++;
    return 1;
}

static uint32_t extension_flags(const struct trace_binary *binary, const struct trace_record *record)
{
    uint32_t last = binary->last_db_id[record->host], flags = 0;
    int next = record->db_id == last + 1u; /* wraps as the reader does */
    if (record->thread != 0 || record->imm != 0 || (record->db_id != last && !next) ||
        record->cqn != default_cqn(binary, record->host, record->qpn))
        flags |= HAS_IDS;
    else if (next)
        flags |= HAS_NEXT_DB;
    if (record->cmp != 0 || record->swap != 0)
        flags |= HAS_ATOMIC;
    if (record->dep.term[1].kind != TRACE_DEP_NONE)
        flags |= HAS_DEP;
    if (record->extra_count != 0)
        flags |= HAS_SGES;
    return flags;
}

static void encode_fixed(const struct trace_record *record, uint32_t flags, unsigned char *bytes)
{
    trace_wire_put(bytes, (uint64_t)record->t_ps, 8);
    trace_wire_put(bytes + 8, record->wr_id, 8);
    trace_wire_put(bytes + 16, record->laddr, 8);
    trace_wire_put(bytes + 24, record->raddr, 8);
    trace_wire_put(bytes + 32, record->len, 4);
    trace_wire_put(bytes + 36, record->lkey, 4);
    trace_wire_put(bytes + 40, record->rkey, 4);
    trace_wire_put(bytes + 44, record->qpn, 4);
    trace_wire_put(bytes + 48, record->dep.term[0].count, 4);
    trace_wire_put(bytes + 52, record->dep.think_ns, 4);
    bytes[56] = (unsigned char)record->opcode;
    bytes[57] = (unsigned char)record->event;
    trace_wire_put(bytes + 58, record->flags | (uint32_t)record->dep.term[0].kind << DEP_KIND_SHIFT | flags, 2);
    bytes[60] = record->nsge;
    bytes[61] = record->inlined;
    trace_wire_put(bytes + 62, record->host, 2);
}

size_t trace_binary_format_record(struct trace_binary *binary, const struct trace_record *record, unsigned char *bytes)
{
    uint32_t flags = extension_flags(binary, record);
    unsigned char *block = bytes + TRACE_BINARY_RECORD_BYTES;
    encode_fixed(record, flags, bytes);
    if ((flags & HAS_IDS) != 0) {
        trace_wire_put(block, record->thread, 4);
        trace_wire_put(block + 4, record->cqn, 4);
        trace_wire_put(block + 8, record->db_id, 4);
        trace_wire_put(block + 12, record->imm, 4);
        block += BLOCK_BYTES;
    }
    if ((flags & HAS_ATOMIC) != 0) {
        trace_wire_put(block, record->cmp, 8);
        trace_wire_put(block + 8, record->swap, 8);
        block += BLOCK_BYTES;
    }
    if ((flags & HAS_DEP) != 0) {
        trace_wire_put(block, (uint32_t)record->dep.term[1].kind, 4);
        trace_wire_put(block + 4, record->dep.term[1].count, 4);
        trace_wire_put(block + 8, 0, 8);
        block += BLOCK_BYTES;
    }
    for (uint32_t i = 0; i < record->extra_count; i++, block += BLOCK_BYTES) {
        trace_wire_put(block, record->extra[i].address, 8);
        trace_wire_put(block + 8, record->extra[i].length_bytes, 4);
        trace_wire_put(block + 12, record->extra[i].lkey, 4);
    }
    binary->last_db_id[record->host] = record->db_id;
    binary->count++;
    return (size_t)(block - bytes);
}

void trace_binary_format_end(const struct trace_binary *binary, unsigned char *bytes)
{
    memset(bytes, 0, TRACE_BINARY_RECORD_BYTES);
    trace_wire_put(bytes, binary->count, 8);
    memcpy(bytes + 8, END_MARK, 8);
    bytes[57] = END_EVENT;
}
