/* A report as perftest prints it: column names, widths and digits of v4.5-0.17. */
#include <inttypes.h>
#include <stdlib.h>

#include "bench/perftest/report.h"

static void print_samples(const struct perftest_run *run, const uint64_t *cycles, int are_deltas, FILE *out)
{
    double quotient = 2 * (run->options.in_cycles ? 1 : (double)run->tsc_hz / 1e6);
    fprintf(out, "#, %s\n", run->options.in_cycles ? "cycles" : "usec");
    for (uint64_t i = 0; i + 1 < run->options.iters; i++)
        fprintf(out, "%" PRIu64 ", %g\n", i + 1,
                (double)(are_deltas ? cycles[i] : cycles[i + 1] - cycles[i]) / quotient);
}

static int add_lat(struct perftest_row *row, const struct perftest_run *run, FILE *samples)
{
    uint64_t *delta = malloc((run->options.iters + 1) * sizeof *delta);
    if (delta == NULL)
        return -1;
    row->lat = perftest_report_lat(run, 0, delta);
    if (run->options.unsorted && samples != NULL)
        print_samples(run, run->side[0].posted_cyc, 0, samples);
    if (run->options.sorted && samples != NULL)
        print_samples(run, delta, 1, samples);
    free(delta);
    return 0;
}

static void add_bw(struct perftest_row *row, const struct perftest_run *run)
{
    row->bw = perftest_report_bw(run, 0);
    if (!run->options.both_ways)
        return;
    struct perftest_bw_report other = perftest_report_bw(run, 1);
    row->bw.peak += other.peak;
    row->bw.average += other.average;
    row->bw.message_rate_mps += other.message_rate_mps;
}

int perftest_table_add(struct perftest_table *table, const struct perftest_run *run, FILE *samples)
{
    struct perftest_row *row = &table->row[table->count++];
    table->options = run->options;
    if (run->options.is_lat)
        return add_lat(row, run, samples);
    add_bw(row, run);
    return 0;
}

static void print_head(const struct perftest_options *options, FILE *out)
{
    const char *unit = options->in_cycles ? "cycles" : "usec";
    if (!options->is_lat)
        fprintf(out, " #bytes     #iterations    BW peak[%s]    BW average[%s]   MsgRate[Mpps]\n",
                options->in_gbits ? "Gb/sec" : "MB/sec", options->in_gbits ? "Gb/sec" : "MB/sec");
    else if (options->duration_s > 0)
        fprintf(out, " #bytes        #iterations       t_avg[usec]    tps average\n");
    else
        fprintf(out, " %-8s %-11s %7s %7s %9s %7s %7s %7s %7s   %s\n %-8s %-11s", "#bytes", "#iterations", "t_min",
                "t_max", "t_typical", "t_avg", "t_stdev", "99%", "99.9%", "true sigma", "", "");
    for (int i = 0; options->is_lat && options->duration_s == 0 && i < 8; i++)
        fprintf(out, "%*s", i == 2 ? 10 : i == 7 ? 13 : 8, unit);
    if (options->is_lat && options->duration_s == 0)
        fputc('\n', out);
}

static void print_lat(const struct perftest_lat_report *r, int is_by_time, FILE *out)
{
    if (is_by_time)
        fprintf(out, " %-7" PRIu64 "       %-10" PRIu64 "        %-7.2f        %-7.2f\n", r->size_bytes, r->iters,
                r->t_avg, r->tps);
    else
        fprintf(out, " %-8" PRIu64 " %-11" PRIu64 " %7.2f %7.2f %9.2f %7.2f %7.2f %7.2f %7.2f   %10.4f\n",
                r->size_bytes, r->iters, r->t_min, r->t_max, r->t_typical, r->t_avg, r->t_stdev, r->t_99, r->t_999,
                r->sigma);
}

static void print_bw(const struct perftest_bw_report *r, int in_gbits, FILE *out)
{
    int digits = in_gbits && r->average < 0.1 ? 6 : 2;
    fprintf(out, " %-7" PRIu64 "    %-10" PRIu64 "     %-7.*f            %-7.*f              %-7.6f\n", r->size_bytes,
            r->iters, digits, r->peak, digits, r->average, r->message_rate_mps);
}

void perftest_table_print(const struct perftest_table *table, FILE *out)
{
    print_head(&table->options, out);
    for (size_t i = 0; i < table->count; i++) {
        if (table->options.is_lat)
            print_lat(&table->row[i].lat, table->options.duration_s > 0, out);
        else
            print_bw(&table->row[i].bw, table->options.in_gbits, out);
    }
}

static void csv_head(const struct perftest_options *options, FILE *out)
{
    const char *unit = options->in_cycles ? "cycles" : "usec", *rate = options->in_gbits ? "Gb/sec" : "MB/sec";
    if (!options->is_lat)
        fprintf(out, "#bytes,#iterations,BW peak[%s],BW average[%s],MsgRate[Mpps]\n", rate, rate);
    else if (options->duration_s > 0)
        fprintf(out, "#bytes,#iterations,t_avg[usec],tps average\n");
    else
        fprintf(out,
                "#bytes,#iterations,t_min[%s],t_max[%s],t_typical[%s],t_avg[%s],t_stdev[%s],99%%[%s],99.9%%[%s],"
                "true sigma[%s],largest[%s]\n",
                unit, unit, unit, unit, unit, unit, unit, unit, unit);
}

static void csv_lat(const struct perftest_lat_report *r, int is_by_time, FILE *out)
{
    fprintf(out, "%" PRIu64 ",%" PRIu64, r->size_bytes, r->iters);
    if (is_by_time)
        fprintf(out, ",%.6f,%.6f\n", r->t_avg, r->tps);
    else
        fprintf(out, ",%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", r->t_min, r->t_max, r->t_typical, r->t_avg,
                r->t_stdev, r->t_99, r->t_999, r->sigma, r->largest);
}

void perftest_table_csv(const struct perftest_table *table, FILE *out)
{
    csv_head(&table->options, out);
    for (size_t i = 0; i < table->count; i++) {
        const struct perftest_bw_report *bw = &table->row[i].bw;
        if (table->options.is_lat)
            csv_lat(&table->row[i].lat, table->options.duration_s > 0, out);
        else
            fprintf(out, "%" PRIu64 ",%" PRIu64 ",%.6f,%.6f,%.6f\n", bw->size_bytes, bw->iters, bw->peak, bw->average,
                    bw->message_rate_mps);
    }
}
