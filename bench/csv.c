#include "bench/csv.h"

#include <inttypes.h>

#include "bench/caches.h"
#include "bench/ports.h"
#include "bench/head.h"
#include "bench/loads.h"
#include "bench/text.h"

#define PS_PER_US 1e6

static FILE *begin(const struct result *result, struct results *results, const char *name)
{
    FILE *out = results_open(results, name);
    if (out != NULL)
        head_print(result, out);
    return out;
}

static void write_latency_row(FILE *out, const struct collect_row *row, const char *kind,
                              const struct rnicsim_hist *hist)
{
    struct latency latency = latency_of(hist);
    if (latency.count == 0)
        return;
    if (row->is_rest)
        fprintf(out, "other,%s,", kind);
    else
        fprintf(out, "%s,%s,%u", text_opcode(row->opcode), kind, row->length_bytes);
    fprintf(out, ",%" PRIu64 ",%.6f,%.6f", latency.count, (double)latency.min_ps / PS_PER_US,
            (double)latency.max_ps / PS_PER_US);
    quantile_print_us(out, latency.p50, ",%.6f", ",");
    fprintf(out, ",%.6f,%.6f", latency.mean_ps / PS_PER_US, latency.stdev_ps / PS_PER_US);
    quantile_print_us(out, latency.p99, ",%.6f", ",");
    quantile_print_us(out, latency.p999, ",%.6f", ",");
    quantile_print_us(out, latency.p9999, ",%.6f", ",");
    fputc('\n', out);
}

static void write_latency(const struct result *result, FILE *out)
{
    fputs("opcode,kind,#bytes,#iterations,t_min[usec],t_max[usec],t_typical[usec],t_avg[usec],t_stdev[usec],"
          "99%[usec],99.9%[usec],99.99%[usec]\n",
          out);
    for (size_t i = 0; i < result->collect->row_count; i++) {
        const struct collect_row *row = &result->collect->rows[i];
        write_latency_row(out, row, "completion", row->completion);
        write_latency_row(out, row, "delivery", row->delivery);
    }
}

/* Sums of ps over a run may need more than 64 bits. */
static void put_wide(FILE *out, __int128 value)
{
    char digits[48];
    size_t at = sizeof digits;
    digits[--at] = 0;
    do {
        digits[--at] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value > 0);
    fputs(digits + at, out);
}

static void write_stages(const struct result *result, FILE *out)
{
    const struct waterfall *waterfall = &result->waterfall;
    fputs("stage,from,to,count,mean_ns,share_pct,sum_ps\n", out);
    for (int i = 0; i < WATERFALL_ROWS; i++) {
        const struct waterfall_row *row = &waterfall->rows[i];
        fprintf(out, "\"%s\",%s,%s,%" PRIu64 ",%.3f,%.3f,", row->name, rnicsim_stamp_name(row->from),
                rnicsim_stamp_name(row->to), waterfall->count, row->mean_ns, row->share * 100);
        put_wide(out, row->sum_ps);
        fputc('\n', out);
    }
    fprintf(out, "sum,%s,%s,%" PRIu64 ",%.3f,%.3f,", rnicsim_stamp_name(RNICSIM_AT_ARRIVAL),
            rnicsim_stamp_name(RNICSIM_AT_SEEN), waterfall->count, waterfall->mean_ns,
            waterfall->count == 0 ? 0.0 : 100.0);
    put_wide(out, waterfall->sum_ps);
    fputc('\n', out);
}

static void write_stalls(const struct result *result, FILE *out)
{
    fputs("nic,path,stage,items,cause,time_ps,share_pct\n", out);
    for (size_t i = 0; i < result->stage_count; i++) {
        const struct rnicsim_stage_info *stage = &result->stages[i];
        int64_t time_ps = bottleneck_stage_time(stage);
        for (unsigned cause = 0; cause < RNICSIM_CAUSE_COUNT; cause++)
            fprintf(out, "%s,%s,%s,%" PRIu64 ",%s,%" PRId64 ",%.4f\n", stage->nic, stage->path, stage->name,
                    stage->items, rnicsim_cause_name((enum rnicsim_cause)cause), stage->time_ps[cause],
                    time_ps == 0 ? 0.0 : (double)stage->time_ps[cause] / (double)time_ps * 100);
    }
}

static void write_fifos(const struct result *result, FILE *out)
{
    fputs("nic,path,fifo,holds,unit,depth,high_water,p50,p99,p99.9,full_ps,back_pressure_ps,drops,pushes,lost_pct\n",
          out);
    for (size_t i = 0; i < result->fifo_count; i++) {
        const struct rnicsim_fifo_info *fifo = &result->fifos[i].info;
        fprintf(out, "%s,%s,%s,\"%s\",%s", fifo->nic, fifo->path, fifo->name, fifo->holds, fifo->unit);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, fifo->depth, fifo->high_water,
                fifo->p50, fifo->p99, fifo->p999);
        fprintf(out, ",%" PRId64 ",%" PRId64 ",%" PRIu64 ",%" PRIu64 ",", fifo->full_ps, fifo->back_pressure_ps,
                fifo->drops, fifo->pushes);
        if (fifo->held_bytes > 0) /* to internal fragmentation */
            fprintf(out, "%.4f", 100 * (double)(fifo->held_bytes - fifo->asked_bytes) / (double)fifo->held_bytes);
        fputc('\n', out);
    }
}

/* A TLP carries whole dwords: its payload is padded to four bytes. The share is of the time since the first post, as in stalls.csv. */
static void write_pcie(const struct result *result, FILE *out)
{
    static const enum rnicsim_cause stalls[] = {RNICSIM_NO_TAG,       RNICSIM_NO_CREDIT_CPLH, RNICSIM_NO_CREDIT_CPLD,
                                                RNICSIM_NO_CREDIT_PH, RNICSIM_NO_CREDIT_PD,   RNICSIM_NO_CREDIT_NPH};
    const size_t count = sizeof stalls / sizeof *stalls;
    double time_ps = result->stage_count > 0 ? (double)bottleneck_stage_time(&result->stages[0]) : 0;
    fputs("nic,direction,kind,tlps,payload_dw_bytes,link_bytes,overhead_bytes,link_share_pct", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, ",%s_ps", rnicsim_cause_name(stalls[i]));
    fputc('\n', out);
    for (size_t i = 0; i < result->tlp_count; i++) {
        const struct rnicsim_tlp_info *tlp = &result->tlps[i];
        fprintf(out, "%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.4f", tlp->nic, tlp->direction,
                tlp->kind, tlp->tlps, tlp->payload_bytes, tlp->link_bytes, tlp->link_bytes - tlp->payload_bytes,
                time_ps > 0 ? 100 * (double)tlp->link_time_ps / time_ps : 0);
        for (size_t k = 0; k < count; k++)
            fprintf(out, ",%" PRId64, tlp->stall_ps[stalls[k]]);
        fputc('\n', out);
    }
}

/* How often QPs went back, host by host. */
static void write_retransmits(const struct result *result, FILE *out)
{
    struct rnicsim_retransmit_info info;
    for (size_t i = 0; i < rnicsim_retransmit_count(result->sim); i++)
        if (rnicsim_retransmit(result->sim, i, &info) == RNICSIM_OK)
            fprintf(out, "%" PRId64 ",retransmit,%u,%u,,%s: from PSN %u on\n", info.at_ps, info.host, info.qpn,
                    info.cause, info.psn);
}

/* What went wrong, each kind in order of time; drops have no time of their own and are told by place. */
static void write_events(const struct result *result, FILE *out)
{
    const struct collect *collect = result->collect;
    uint64_t kept = collect->error_count < COLLECT_ERRORS ? collect->error_count : COLLECT_ERRORS;
    fputs("at_ps,kind,host,qpn,wr_id,what\n", out);
    for (uint64_t i = 0; i < kept; i++) {
        const struct collect_error *error = &collect->errors[i];
        fprintf(out, "%" PRId64 ",error,%u,%u,%" PRIu64 ",%s status %u\n", error->at_ps, error->host, error->qpn,
                error->wr_id, text_opcode(error->opcode), error->status);
    }
    if (collect->error_count > kept)
        fprintf(out, ",error,,,,%" PRIu64 " more errors\n", collect->error_count - kept);
    write_retransmits(result, out);
    for (size_t i = 0; i < result->drop_count; i++)
        fprintf(out, ",drop,,,,%" PRIu64 " frames: %s\n", result->drops[i].frames, result->drops[i].place);
    const char *const stuck[] = {result->stuck, result->first_waiting};
    for (int i = 0; i < 2; i++)
        if (stuck[i][0] != 0) {
            fprintf(out, "%" PRId64 ",stuck,,,,", result->end_ps);
            csv_quoted(out, stuck[i]);
            fputc('\n', out);
        }
}

static void write_perftest(const struct result *result, FILE *out)
{
    perftest_table_csv(result->perftest, out);
}

static void write_qps(const struct result *result, FILE *out)
{
    fputs("host,qpn,requests,payload_bytes,goodput_gbps,t_min[usec],t_avg[usec],t_max[usec]\n", out);
    for (size_t i = 0; i < result->collect->qp_index.count; i++) {
        const struct collect_qp *qp = &result->collect->qps[i];
        fprintf(out, "%u,%u,%" PRIu64 ",%" PRIu64 ",%.6f,%.6f,%.6f,%.6f\n", qp->host, qp->qpn, qp->requests,
                qp->payload_bytes, collect_qp_gbps(qp), (double)qp->min_ps / PS_PER_US,
                (double)qp->sum_ps / (double)qp->requests / PS_PER_US, (double)qp->max_ps / PS_PER_US);
    }
}

static void write_loads(const struct result *result, FILE *out)
{
    loads_csv(result->loads, out);
}

void csv_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != 0; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void csv_write(const struct result *result, struct results *results)
{
    static const struct {
        const char *name;
        void (*write)(const struct result *result, FILE *out);
    } files[] = {
        {"latency.csv", write_latency}, {"stages.csv", write_stages},     {"stalls.csv", write_stalls},
        {"fifos.csv", write_fifos},     {"pcie.csv", write_pcie},         {"events.csv", write_events},
        {"qps.csv", write_qps},         {"perftest.csv", write_perftest}, {"loads.csv", write_loads},
        {"contexts.csv", caches_csv},   {"ports.csv", ports_csv},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if ((files[i].write == write_perftest && result->perftest == NULL) ||
            (files[i].write == write_loads && result->loads == NULL) ||
            (files[i].write == caches_csv && !caches_exist(result)))
            continue;
        FILE *out = begin(result, results, files[i].name);
        if (out == NULL)
            continue;
        files[i].write(result, out);
        results_close(results, out);
    }
}
