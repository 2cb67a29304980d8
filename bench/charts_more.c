/* The numbers of more charts: the first requests stage by stage, what PCIe carries by kind of TLP, and the waterfall of each size. */
#include <stdlib.h>
#include <string.h>

#include "bench/charts.h"

#define PS_PER_US 1e6
#define KINDS_DRAWN 8u
#define KINDS_MAX 32u

/* Which part of the way a row of the waterfall is. */
static int part_of(int row)
{
    return row < RNICSIM_AT_DOORBELL    ? 0
           : row < RNICSIM_AT_WIRE      ? 1
           : row < RNICSIM_AT_RECEIVED  ? 2
           : row < RNICSIM_AT_RESPONDED ? 3
                                        : 4;
}

/* A line a stage: which request, from when to when (us since the first of them was due), which part of the way. */
void charts_data_requests(const struct result *result, FILE *out)
{
    const struct collect *collect = result->collect;
    int64_t zero_ps = INT64_MAX;
    for (size_t i = 0; i < collect->first_count; i++)
        if (collect->first[i].stamp_ps[RNICSIM_AT_ARRIVAL] < zero_ps)
            zero_ps = collect->first[i].stamp_ps[RNICSIM_AT_ARRIVAL];
    fputs("\"request\" \"from, us\" \"to, us\" \"part\" \"stage\" \"label\"\n", out);
    for (size_t i = 0; i < collect->first_count; i++) {
        const struct rnicsim_event *event = &collect->first[i];
        int64_t before_ps = event->stamp_ps[RNICSIM_AT_ARRIVAL];
        for (int row = 0; row < WATERFALL_ROWS; row++) {
            int64_t at_ps = event->stamp_ps[row + 1];
            if (at_ps == RNICSIM_NEVER || at_ps == before_ps)
                continue;
            fprintf(out, "%zu %.6f %.6f %d \"%s\" \"%llu: QP %u, %u B\"\n", i,
                    (double)(before_ps - zero_ps) / PS_PER_US, (double)(at_ps - zero_ps) / PS_PER_US, part_of(row),
                    result->waterfall.rows[row].name, (unsigned long long)event->request, event->qpn,
                    event->length_bytes);
            before_ps = at_ps;
        }
    }
}

struct kind {
    const char *name;
    int64_t time_ps; /* on all links */
};

static int by_time(const void *a, const void *b)
{
    const struct kind *left = a, *right = b;
    if (left->time_ps != right->time_ps)
        return left->time_ps > right->time_ps ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* The kinds that take time, the most first; returns how many. */
static size_t find_kinds(const struct result *result, struct kind *kinds)
{
    size_t count = 0;
    for (size_t i = 0; i < result->tlp_count; i++) {
        size_t k = 0;
        while (k < count && strcmp(kinds[k].name, result->tlps[i].kind) != 0)
            k++;
        if (k == count && count < KINDS_MAX && result->tlps[i].link_time_ps > 0)
            kinds[count++] = (struct kind){result->tlps[i].kind, 0};
        if (k < count)
            kinds[k].time_ps += result->tlps[i].link_time_ps;
    }
    qsort(kinds, count, sizeof *kinds, by_time);
    return count < KINDS_DRAWN ? count : KINDS_DRAWN;
}

static double share_of(const struct result *result, const char *nic, const char *direction, const char *kind)
{
    int64_t time_ps = result->stage_count > 0 ? bottleneck_stage_time(&result->stages[0]) : 0;
    for (size_t i = 0; i < result->tlp_count; i++) {
        const struct rnicsim_tlp_info *tlp = &result->tlps[i];
        if (strcmp(tlp->nic, nic) == 0 && strcmp(tlp->direction, direction) == 0 && strcmp(tlp->kind, kind) == 0)
            return time_ps > 0 ? 100 * (double)tlp->link_time_ps / (double)time_ps : 0;
    }
    return 0;
}

/* A row a link and direction, a column a kind of TLP. */
void charts_data_pcie(const struct result *result, FILE *out)
{
    static const char *const links[][2] = {{"a", "up"}, {"a", "down"}, {"b", "up"}, {"b", "down"}};
    struct kind kinds[KINDS_MAX];
    size_t count = find_kinds(result, kinds);
    fputs("\"link\"", out);
    for (size_t k = 0; k < count; k++)
        fprintf(out, " \"%s\"", kinds[k].name);
    fputc('\n', out);
    for (size_t i = 0; i < 4; i++) {
        fprintf(out, "\"NIC %s, %s\"", links[i][0], links[i][1]);
        for (size_t k = 0; k < count; k++)
            fprintf(out, " %.6f", share_of(result, links[i][0], links[i][1], kinds[k].name));
        fputc('\n', out);
    }
}

/* A row a size: the parts of the way, ns in the mean. */
void charts_data_waterfall_sizes(const struct result *result, FILE *out)
{
    fputs("\"bytes\" \"host\" \"NIC\" \"line\" \"peer\" \"back\"\n", out);
    for (size_t i = 0; i < result->perftest->count; i++) {
        const struct size_waterfall *size = &result->sizes[i];
        double part[5] = {0};
        for (int row = 0; row < WATERFALL_ROWS; row++)
            part[part_of(row)] += size->waterfall.rows[row].mean_ns;
        fprintf(out, "%llu", (unsigned long long)size->size_bytes);
        for (int p = 0; p < 5; p++)
            fprintf(out, " %.3f", part[p]);
        fputc('\n', out);
    }
}
