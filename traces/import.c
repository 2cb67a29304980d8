#include "traces/import.h"

#include <stdio.h>
#include <string.h>

#include "traces/import_loop.h"

#define PAGE_BYTES 4096u
#define SERVER_BUFFER 0x200000000000u /* send_bw: nothing recorded says where the server receives */

static int resolve_tool(struct trace_import_job *job, struct rnicsim_error *error)
{
    static const char *const tools[] = {"write_lat", "send_lat", "write_bw", "send_bw"};
    size_t tool = 0;
    while (tool < 4 && strcmp(job->options.tool, tools[tool]) != 0)
        tool++;
    if (tool == 4)
        return trace_fail(error, "tool \"%.40s\"; allowed are write_lat, send_lat, write_bw and send_bw",
                          job->options.tool);
    job->is_lat = tool < 2;
    job->is_send = tool % 2 == 1;
    if (job->is_lat != (job->options.server_path != NULL))
        return trace_fail(error, "%s %s a server's recording; the lat tools need one, the bw tools have none",
                          job->options.tool, job->is_lat ? "lacks" : "has");
    return 0;
}

/* perftest 4.5's defaults (perftest_parameters.c): depths, and how many requests a CQE stands for. */
static void resolve_options(struct trace_import_job *job)
{
    struct trace_import *options = &job->options;
    uint32_t bytes = job->side[0].rows[0].len;
    if (options->tx_depth == 0)
        options->tx_depth = job->is_lat ? 1 : 128;
    if (options->rx_depth == 0)
        options->rx_depth = job->is_send ? 512 : 1;
    if (options->post_list == 0)
        options->post_list = 1;
    if (options->mtu == 0)
        options->mtu = 4096;
    if (options->cq_mod == 0) {
        options->cq_mod = bytes > 8192 ? 1 : 100;
        if (options->post_list > 1)
            options->cq_mod = options->post_list;
    }
    if (options->cq_mod > options->tx_depth)
        options->cq_mod = options->tx_depth;
}

static int read_side(struct trace_import_job *job, uint32_t host, const char *path, struct rnicsim_error *error)
{
    struct trace_recorded *side = &job->side[host];
    enum trace_opcode opcode = job->is_send ? TRACE_OP_SEND : TRACE_OP_WRITE;
    if (trace_recorded_read(path, side, error) != 0)
        return -1;
    for (size_t i = 0; i < side->count; i++)
        if (side->rows[i].opcode != opcode)
            return trace_fail(error, "%.200s:%zu: opcode %s; %s posts %s only", path, i + 2,
                              trace_opcode_name(side->rows[i].opcode), job->options.tool, trace_opcode_name(opcode));
    return 0;
}

static int read_sides(struct trace_import_job *job, struct rnicsim_error *error)
{
    if (read_side(job, 0, job->options.client_path, error) != 0)
        return -1;
    if (!job->is_lat)
        return 0;
    if (read_side(job, 1, job->options.server_path, error) != 0)
        return -1;
    job->iterations = job->side[0].count < job->side[1].count ? job->side[0].count : job->side[1].count;
    if (job->options.iterations != 0)
        job->iterations = job->options.iterations;
    return 0;
}

static int add_pair(struct trace_import_job *job, uint32_t client_qpn, uint32_t server_qpn, struct rnicsim_error *error)
{
    uint32_t lat_inline =
        job->is_send ? 236 : 220; /* perftest's defaults for RC on mlx5: a 256 B BlueFlame buffer less headers */
    struct trace_qp qp = {
        .qpn = client_qpn,
        .peer_host = 1,
        .peer_qpn = server_qpn,
        .mtu = job->options.mtu,
        .sq_depth = job->options.tx_depth,
        .rq_depth = job->options.rx_depth,
        .max_inline = job->is_lat ? lat_inline : 0,
        .cqn = 1,
    };
    if (trace_header_add_qp(&job->header, &qp, error) != 0)
        return -1;
    qp.host = 1;
    qp.peer_host = 0;
    qp.qpn = server_qpn;
    qp.peer_qpn = client_qpn;
    return trace_header_add_qp(&job->header, &qp, error);
}

/* The bw tools' server posts nothing that would tell its QP numbers: they count from 1, as on an unused NIC. */
static int add_qps(struct trace_import_job *job, struct rnicsim_error *error)
{
    if (job->is_lat)
        return add_pair(job, job->side[0].rows[0].qpn, job->side[1].rows[0].qpn, error);
    for (size_t i = 0; i < job->side[0].count; i++) {
        uint32_t qpn = job->side[0].rows[i].qpn, server_qpn = (uint32_t)job->header.qp_count / 2 + 1;
        if (trace_header_qp(&job->header, 0, qpn) == NULL && add_pair(job, qpn, server_qpn, error) != 0)
            return -1;
    }
    return 0;
}

struct range {
    uint64_t low, high; /* high is past the end; low == high: empty */
};

static void include(struct range *range, uint64_t address, uint64_t bytes)
{
    uint64_t low = address / PAGE_BYTES * PAGE_BYTES,
             high = (address + bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    if (range->low == range->high)
        *range = (struct range){low, high};
    range->low = low < range->low ? low : range->low;
    range->high = high > range->high ? high : range->high;
}

/* The memory of a host is what it posts from and what the other writes to. */
static struct range memory_of(const struct trace_import_job *job, uint32_t host)
{
    struct range range = {0};
    const struct trace_recorded *own = &job->side[host], *other = &job->side[1 - host];
    for (size_t i = 0; i < own->count; i++)
        include(&range, own->rows[i].laddr, own->rows[i].len);
    for (size_t i = 0; !job->is_send && i < other->count; i++)
        include(&range, other->rows[i].raddr, other->rows[i].len);
    return range;
}

/* The key as recorded, by the owner or by its peer; inline SENDs name none, then as the recorder numbers: server 1,
 * client 2. */
static uint32_t key_of(const struct trace_import_job *job, uint32_t host)
{
    const struct trace_recorded *own = &job->side[host], *other = &job->side[1 - host];
    if (own->count > 0 && own->rows[0].lkey != 0)
        return own->rows[0].lkey;
    if (other->count > 0 && other->rows[0].rkey != 0)
        return other->rows[0].rkey;
    return host == 0 ? 2 : 1;
}

/* perftest's buffer has two halves: the second receives. */
static int add_mr(struct trace_import_job *job, uint32_t host, struct rnicsim_error *error)
{
    struct range range = memory_of(job, host);
    uint64_t half =
        (job->header.qp_count / 2) * (((uint64_t)job->side[0].rows[0].len + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
    job->recv_key[host] = key_of(job, host);
    job->recv_base[host] = range.low == range.high ? SERVER_BUFFER : range.high;
    if (job->is_send && (job->is_lat || host == 1))
        include(&range, job->recv_base[host], half);
    struct trace_mr mr = {
        .host = host,
        .key = job->recv_key[host],
        .base = range.low,
        .length = range.high - range.low,
        .page_bytes = PAGE_BYTES,
        .access = TRACE_LOCAL_WRITE | TRACE_REMOTE_WRITE | TRACE_REMOTE_READ,
    };
    return trace_header_add_mr(&job->header, &mr, error);
}

static int add_notes(struct trace_import_job *job, struct rnicsim_error *error)
{
    char text[512];
    const struct trace_import *options = &job->options;
    for (size_t i = 0; i < options->note_count; i++)
        if (trace_header_add_note(&job->header, options->notes[i], error) != 0)
            return -1;
    snprintf(text, sizeof text,
             "closed loop of perftest 4.5 %s, inferred from its source (traces/FORMAT.md, Import): tx_depth %u, "
             "rx_depth %u, cq_mod %u, post_list %u, "
             "think %u ns; recorded times are dropped",
             options->tool, options->tx_depth, options->rx_depth, options->cq_mod, options->post_list,
             options->think_ns);
    if (trace_header_add_note(&job->header, text, error) != 0)
        return -1;
    if (!job->is_lat || job->iterations <= job->side[0].count)
        return 0;
    snprintf(text, sizeof text, "the %zu recorded posts of each side are repeated to %llu", job->side[0].count,
             (unsigned long long)job->iterations);
    return trace_header_add_note(&job->header, text, error);
}

static int fill_header(struct trace_import_job *job, struct rnicsim_error *error)
{
    static const struct trace_host hosts[2] = {{0, "client", "perftest 4.5+0.17"}, {1, "server", "perftest 4.5+0.17"}};
    if (add_notes(job, error) != 0)
        return -1;
    for (uint32_t host = 0; host < 2; host++)
        if (trace_header_add_host(&job->header, &hosts[host], error) != 0)
            return -1;
    if (add_qps(job, error) != 0)
        return -1;
    return add_mr(job, 0, error) != 0 ? -1 : add_mr(job, 1, error);
}

static int run(struct trace_import_job *job, const char *out_path, struct rnicsim_error *error)
{
    struct trace_writer *writer;
    if (resolve_tool(job, error) != 0 || read_sides(job, error) != 0)
        return -1;
    resolve_options(job);
    if (fill_header(job, error) != 0 || trace_create(out_path, &job->header, &writer, error) != 0)
        return -1;
    if (trace_import_loop_write(job, writer, error) != 0) {
        trace_discard(writer);
        return -1;
    }
    return trace_finish(writer, error);
}

int trace_import_perftest(const struct trace_import *import, const char *out_path, struct rnicsim_error *error)
{
    struct trace_import_job job = {.options = *import};
    int result = run(&job, out_path, error);
    trace_recorded_free(&job.side[0]);
    trace_recorded_free(&job.side[1]);
    trace_header_free(&job.header);
    return result;
}
