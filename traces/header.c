#include "traces/header.h"

#include <stdlib.h>
#include <string.h>

#define RATE_MAX_BPS UINT64_C(400000000000)
#define HOST_MAX 65535u /* 16 bits in the binary record */

/* Tables double at powers of two, so that the capacity follows from the count. */
static int grow(void **table, size_t count, size_t entry_bytes, const char *what, struct rnicsim_error *error)
{
    if (count >= TRACE_TABLE_MAX)
        return trace_fail(error, "more than %u %s; at most %u are allowed", TRACE_TABLE_MAX, what, TRACE_TABLE_MAX);
    if (count != 0 && (count & (count - 1)) != 0)
        return 0;
    void *larger = realloc(*table, (count == 0 ? 1 : count * 2) * entry_bytes);
    if (larger == NULL)
        return trace_fail(error, "out of memory for %zu %s", count, what);
    *table = larger;
    return 0;
}

static int in_range(uint64_t value, uint64_t min, uint64_t max, const char *what, struct rnicsim_error *error)
{
    if (value >= min && value <= max)
        return 0;
    return trace_fail(error, "%s is %llu; allowed are %llu to %llu", what, (unsigned long long)value,
                      (unsigned long long)min, (unsigned long long)max);
}

static int is_one_line(const char *text)
{
    return strpbrk(text, "\r\n") == NULL;
}

static int put_index(struct trace_map *map, uint64_t key, size_t index, struct rnicsim_error *error)
{
    if (trace_map_put(map, key, (uint32_t)index) != 0)
        return trace_fail(error, "out of memory for an index");
    return 0;
}

int trace_header_add_host(struct trace_header *header, const struct trace_host *host, struct rnicsim_error *error)
{
    uint32_t known;
    if (in_range(host->host, 0, HOST_MAX, "host", error) != 0)
        return -1;
    if (trace_map_get(&header->host_index, host->host, &known))
        return trace_fail(error, "host %u is named twice; one line each is allowed", host->host);
    if (strpbrk(host->name, " \t\r\n") != NULL || !is_one_line(host->device))
        return trace_fail(error,
                          "host %u: the name has a blank or the device a line end; a word and one line are allowed",
                          host->host);
    if (grow((void **)&header->hosts, header->host_count, sizeof *host, "hosts", error) != 0 ||
        put_index(&header->host_index, host->host, header->host_count, error) != 0)
        return -1;
    header->hosts[header->host_count++] = *host;
    return 0;
}

static int check_qp(const struct trace_qp *qp, struct rnicsim_error *error)
{
    const uint32_t qpn_max = 0xffffffu;
    if (in_range(qp->host, 0, HOST_MAX, "host", error) != 0 || in_range(qp->qpn, 1, qpn_max, "qpn", error) != 0 ||
        in_range(qp->peer_host, 0, HOST_MAX, "peer_host", error) != 0 ||
        in_range(qp->peer_qpn, qp->type == TRACE_UD ? 0 : 1, qpn_max, "peer_qpn", error) != 0 ||
        in_range(qp->sq_depth, 1, 32768, "sq_depth", error) != 0 ||
        in_range(qp->rq_depth, 0, 32768, "rq_depth", error) != 0 ||
        in_range(qp->sig_all, 0, 1, "sig_all", error) != 0 ||
        in_range(qp->max_inline, 0, 1024, "max_inline", error) != 0 ||
        in_range(qp->service_level, 0, 15, "sl", error) != 0 || in_range(qp->weight, 0, 255, "weight", error) != 0 ||
        in_range(qp->rd_atomic, 0, 65535, "rd_atomic", error) != 0)
        return -1;
    if (qp->rate_bps > RATE_MAX_BPS || (qp->rate_bps > 0 && qp->rate_bps < 1000))
        return trace_fail(error, "rate is %llu bit/s; allowed are 1000 to %llu, and 0 for no limit",
                          (unsigned long long)qp->rate_bps, (unsigned long long)RATE_MAX_BPS);
    if ((uint32_t)qp->type >= TRACE_QP_TYPE_COUNT)
        return trace_fail(error, "type %u; allowed are RC, UC and UD", (unsigned)qp->type);
    if (qp->mtu < 256 || qp->mtu > 4096 || (qp->mtu & (qp->mtu - 1)) != 0)
        return trace_fail(error, "mtu is %u; allowed are 256, 512, 1024, 2048 and 4096", qp->mtu);
    return 0;
}

int trace_header_add_qp(struct trace_header *header, const struct trace_qp *qp, struct rnicsim_error *error)
{
    if (check_qp(qp, error) != 0)
        return -1;
    if (trace_header_qp(header, qp->host, qp->qpn) != NULL)
        return trace_fail(error, "QP %u of host %u is there twice; a QP number is unique on its host", qp->qpn,
                          qp->host);
    if (grow((void **)&header->qps, header->qp_count, sizeof *qp, "QPs", error) != 0 ||
        put_index(&header->qp_index, trace_map_key(qp->host, qp->qpn), header->qp_count, error) != 0)
        return -1;
    header->qps[header->qp_count++] = *qp;
    return 0;
}

int trace_header_add_mr(struct trace_header *header, const struct trace_mr *mr, struct rnicsim_error *error)
{
    if (in_range(mr->host, 0, HOST_MAX, "host", error) != 0 ||
        in_range(mr->access, 0, (1u << TRACE_ACCESS_COUNT) - 1, "access", error) != 0 ||
        in_range(mr->length, 1, UINT64_MAX - mr->base, "length", error) != 0)
        return -1;
    if (mr->page_bytes != 4096 && mr->page_bytes != 2u << 20 && mr->page_bytes != 1u << 30)
        return trace_fail(error, "page is %llu; allowed are 4096, 2097152 and 1073741824",
                          (unsigned long long)mr->page_bytes);
    if (trace_header_mr(header, mr->host, mr->key) != NULL)
        return trace_fail(error, "key %u of host %u is there twice; a key is unique on its host", mr->key, mr->host);
    if (grow((void **)&header->mrs, header->mr_count, sizeof *mr, "MRs", error) != 0 ||
        put_index(&header->mr_index, trace_map_key(mr->host, mr->key), header->mr_count, error) != 0)
        return -1;
    header->mrs[header->mr_count++] = *mr;
    return 0;
}

int trace_header_add_note(struct trace_header *header, const char *text, struct rnicsim_error *error)
{
    if (!is_one_line(text) || strlen(text) > TRACE_NOTE_MAX)
        return trace_fail(error, "a note of several lines or over %u bytes; one line up to that is allowed",
                          TRACE_NOTE_MAX);
    if (grow((void **)&header->notes, header->note_count, sizeof *header->notes, "notes", error) != 0)
        return -1;
    char *copy = strdup(text);
    if (copy == NULL)
        return trace_fail(error, "out of memory for a note");
    header->notes[header->note_count++] = copy;
    return 0;
}

int trace_header_validate(const struct trace_header *header, const struct trace_qp **bad_qp,
                          struct rnicsim_error *error)
{
    for (size_t i = 0; i < header->qp_count; i++) {
        const struct trace_qp *qp = &header->qps[i];
        if (bad_qp != NULL)
            *bad_qp = qp;
        if (qp->type == TRACE_UD && qp->peer_qpn == 0)
            continue;
        const struct trace_qp *peer = trace_header_qp(header, qp->peer_host, qp->peer_qpn);
        if (peer == NULL)
            return trace_fail(error, "QP %u of host %u has the peer QP %u of host %u, which has no #qp line", qp->qpn,
                              qp->host, qp->peer_qpn, qp->peer_host);
        if (peer->type != qp->type)
            return trace_fail(error, "QP %u of host %u is %s and its peer %s; both must be the same", qp->qpn, qp->host,
                              trace_qp_type_name(qp->type), trace_qp_type_name(peer->type));
        if (qp->type != TRACE_UD && (peer->peer_host != qp->host || peer->peer_qpn != qp->qpn))
            return trace_fail(
                error, "QP %u of host %u has a peer that names QP %u of host %u as its own; peers must name each other",
                qp->qpn, qp->host, peer->peer_qpn, peer->peer_host);
    }
    return 0;
}

const struct trace_qp *trace_header_qp(const struct trace_header *header, uint32_t host, uint32_t qpn)
{
    uint32_t index;
    return trace_map_get(&header->qp_index, trace_map_key(host, qpn), &index) ? &header->qps[index] : NULL;
}

const struct trace_mr *trace_header_mr(const struct trace_header *header, uint32_t host, uint32_t key)
{
    uint32_t index;
    return trace_map_get(&header->mr_index, trace_map_key(host, key), &index) ? &header->mrs[index] : NULL;
}

uint32_t trace_header_hosts_needed(const struct trace_header *header)
{
    uint32_t needed = 0;
    for (size_t i = 0; i < header->host_count; i++)
        needed = header->hosts[i].host >= needed ? header->hosts[i].host + 1 : needed;
    for (size_t i = 0; i < header->qp_count; i++)
        needed = header->qps[i].host >= needed ? header->qps[i].host + 1 : needed;
    return needed;
}

void trace_header_free(struct trace_header *header)
{
    for (size_t i = 0; i < header->note_count; i++)
        free(header->notes[i]);
    free(header->notes);
    free(header->hosts);
    free(header->qps);
    free(header->mrs);
    trace_map_free(&header->host_index);
    trace_map_free(&header->qp_index);
    trace_map_free(&header->mr_index);
    *header = (struct trace_header){0};
}
