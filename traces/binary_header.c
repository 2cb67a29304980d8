#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/binary.h"
#include "traces/wire.h"

#define ENDIAN_MARK 0x0a0b0c0du
#define PREFIX_BYTES 32u /* magic 8, version 4, mark 4, counts 4 x 4 */
#define HOST_BYTES 8u    /* before its texts */
#define QP_BYTES 44u
#define QP_SCHEDULED_BYTES 64u /* with what the scheduler knows of it, in version 2 */
#define MR_BYTES 40u

static int read_exactly(struct trace_input *input, unsigned char *bytes, size_t wanted, struct rnicsim_error *error)
{
    int64_t got = trace_input_read(input, bytes, wanted, error);
    if (got >= 0 && (size_t)got < wanted)
        return trace_fail(error, "the file ends inside the header; %zu bytes more are needed", wanted - (size_t)got);
    return got < 0 ? -1 : 0;
}

/* A text of `length` bytes; a zero inside would cut it silently. */
static int read_text(struct trace_input *input, char *text, size_t length, size_t max, struct rnicsim_error *error)
{
    if (length > max)
        return trace_fail(error, "a text of %zu bytes in the header; at most %zu are allowed", length, max);
    if (read_exactly(input, (unsigned char *)text, length, error) != 0)
        return -1;
    text[length] = 0;
    if (strlen(text) != length)
        return trace_fail(error, "a NUL byte in a text of the header; none is allowed");
    return 0;
}

static int read_host(struct trace_input *input, struct trace_header *header, struct rnicsim_error *error)
{
    unsigned char bytes[HOST_BYTES];
    struct trace_host host = {0};
    if (read_exactly(input, bytes, sizeof bytes, error) != 0)
        return -1;
    host.host = trace_wire_get32(bytes);
    if (read_text(input, host.name, trace_wire_get(bytes + 4, 2), TRACE_NAME_MAX, error) != 0 ||
        read_text(input, host.device, trace_wire_get(bytes + 6, 2), TRACE_DEVICE_MAX, error) != 0)
        return -1;
    return trace_header_add_host(header, &host, error);
}

static int read_qp(struct trace_input *input, struct trace_header *header, struct rnicsim_error *error)
{
    unsigned char bytes[QP_SCHEDULED_BYTES] = {0};
    int is_scheduled = header->version == TRACE_BINARY_SCHEDULED;
    if (read_exactly(input, bytes, is_scheduled ? QP_SCHEDULED_BYTES : QP_BYTES, error) != 0)
        return -1;
    const struct trace_qp qp = {
        .host = trace_wire_get32(bytes),
        .qpn = trace_wire_get32(bytes + 4),
        .type = (enum trace_qp_type)trace_wire_get32(bytes + 8),
        .peer_host = trace_wire_get32(bytes + 12),
        .peer_qpn = trace_wire_get32(bytes + 16),
        .mtu = trace_wire_get32(bytes + 20),
        .sq_depth = trace_wire_get32(bytes + 24),
        .rq_depth = trace_wire_get32(bytes + 28),
        .sig_all = trace_wire_get32(bytes + 32),
        .max_inline = trace_wire_get32(bytes + 36),
        .cqn = trace_wire_get32(bytes + 40),
        .service_level = trace_wire_get32(bytes + 44),
        .weight = trace_wire_get32(bytes + 48),
        .rate_bps = trace_wire_get(bytes + 52, 8),
        .rd_atomic = trace_wire_get32(bytes + 60),
    };
    return trace_header_add_qp(header, &qp, error);
}

static int read_mr(struct trace_input *input, struct trace_header *header, struct rnicsim_error *error)
{
    unsigned char bytes[MR_BYTES];
    if (read_exactly(input, bytes, sizeof bytes, error) != 0)
        return -1;
    const struct trace_mr mr = {
        .host = trace_wire_get32(bytes),
        .key = trace_wire_get32(bytes + 4),
        .base = trace_wire_get(bytes + 8, 8),
        .length = trace_wire_get(bytes + 16, 8),
        .page_bytes = trace_wire_get(bytes + 24, 8),
        .access = trace_wire_get32(bytes + 32),
    };
    if (trace_wire_get32(bytes + 36) != 0)
        return trace_fail(error, "reserved bytes of an MR are not 0; they must be");
    return trace_header_add_mr(header, &mr, error);
}

static int read_note(struct trace_input *input, struct trace_header *header, struct rnicsim_error *error)
{
    unsigned char length[4];
    char text[TRACE_NOTE_MAX + 1];
    if (read_exactly(input, length, sizeof length, error) != 0 ||
        read_text(input, text, trace_wire_get32(length), TRACE_NOTE_MAX, error) != 0)
        return -1;
    return trace_header_add_note(header, text, error);
}

static int check_prefix(const unsigned char *prefix, struct rnicsim_error *error)
{
    uint32_t version = trace_wire_get32(prefix + 8);
    if (memcmp(prefix, TRACE_BINARY_MAGIC, 8) != 0)
        return trace_fail(error, "the magic is not " TRACE_BINARY_MAGIC);
    if (trace_wire_get32(prefix + 12) != ENDIAN_MARK)
        return trace_fail(error, "the endianness mark is 0x%08x; allowed is little-endian, 0x%08x",
                          trace_wire_get32(prefix + 12), ENDIAN_MARK);
    if (version != TRACE_VERSION && version != TRACE_BINARY_SCHEDULED)
        return trace_fail(error, "version %u; versions %u and %u are allowed", version, TRACE_VERSION,
                          TRACE_BINARY_SCHEDULED);
    return 0;
}

int trace_binary_read_header(struct trace_input *input, struct trace_header *header, struct rnicsim_error *error)
{
    int (*const readers[4])(struct trace_input *, struct trace_header *, struct rnicsim_error *) = {read_host, read_qp,
                                                                                                    read_mr, read_note};
    unsigned char prefix[PREFIX_BYTES];
    if (read_exactly(input, prefix, sizeof prefix, error) != 0 || check_prefix(prefix, error) != 0)
        return -1;
    header->version = trace_wire_get32(prefix + 8);
    for (unsigned table = 0; table < 4; table++) {
        uint32_t count = trace_wire_get32(prefix + 16 + 4 * table);
        for (uint32_t i = 0; i < count; i++)
            if (readers[table](input, header, error) != 0)
                return -1;
    }
    return 0;
}

static void put(FILE *out, uint64_t value, unsigned bytes)
{
    unsigned char wire[8];
    trace_wire_put(wire, value, bytes);
    fwrite(wire, 1, bytes, out);
}

/* Whether anything is said of a QP that version 1 has no place for. */
static int is_scheduled(const struct trace_header *header)
{
    for (size_t i = 0; i < header->qp_count; i++) {
        const struct trace_qp *qp = &header->qps[i];
        if (qp->service_level != 0 || qp->weight > 1 || qp->rate_bps != 0 ||
            (qp->rd_atomic != 0 && qp->rd_atomic != TRACE_RD_ATOMIC))
            return 1;
    }
    return 0;
}

static void write_tables(FILE *out, const struct trace_header *header, int scheduled)
{
    for (size_t i = 0; i < header->host_count; i++) {
        const struct trace_host *host = &header->hosts[i];
        put(out, host->host, 4);
        put(out, strlen(host->name), 2);
        put(out, strlen(host->device), 2);
        fputs(host->name, out);
        fputs(host->device, out);
    }
    for (size_t i = 0; i < header->qp_count; i++) {
        const struct trace_qp *qp = &header->qps[i];
        const uint32_t values[] = {qp->host, qp->qpn,      (uint32_t)qp->type, qp->peer_host, qp->peer_qpn,
                                   qp->mtu,  qp->sq_depth, qp->rq_depth,       qp->sig_all,   qp->max_inline,
                                   qp->cqn};
        for (size_t value = 0; value < sizeof values / sizeof *values; value++)
            put(out, values[value], 4);
        if (scheduled) {
            put(out, qp->service_level, 4);
            put(out, qp->weight, 4);
            put(out, qp->rate_bps, 8);
            put(out, qp->rd_atomic, 4);
        }
    }
    for (size_t i = 0; i < header->mr_count; i++) {
        const struct trace_mr *mr = &header->mrs[i];
        put(out, mr->host, 4);
        put(out, mr->key, 4);
        put(out, mr->base, 8);
        put(out, mr->length, 8);
        put(out, mr->page_bytes, 8);
        put(out, mr->access, 4);
        put(out, 0, 4);
    }
    for (size_t i = 0; i < header->note_count; i++) {
        put(out, strlen(header->notes[i]), 4);
        fputs(header->notes[i], out);
    }
}

unsigned char *trace_binary_format_header(const struct trace_header *header, size_t *length)
{
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, length);
    if (out == NULL)
        return NULL;
    fputs(TRACE_BINARY_MAGIC, out);
    int scheduled = is_scheduled(header);
    put(out, scheduled ? TRACE_BINARY_SCHEDULED : TRACE_VERSION, 4);
    put(out, ENDIAN_MARK, 4);
    put(out, header->host_count, 4);
    put(out, header->qp_count, 4);
    put(out, header->mr_count, 4);
    put(out, header->note_count, 4);
    write_tables(out, header, scheduled);
    int failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(bytes);
        return NULL;
    }
    return (unsigned char *)bytes;
}
