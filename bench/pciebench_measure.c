#include "bench/pciebench_measure.h"

#include <string.h>
#include <strings.h>

#define STAMP_NS (40.0 / 3)

double pciebench_tail_ns(int i)
{
    return (3 + 2 * i) * STAMP_NS;
}

static const char *const names[RNICSIM_PCIEBENCH_TEST_COUNT] = {"lat_rd", "lat_wrrd", "bw_rd", "bw_wr", "bw_rdwr"};

const char *pciebench_test_name(enum rnicsim_pciebench_test test)
{
    return names[test];
}

int pciebench_test_of(const char *name, enum rnicsim_pciebench_test *test)
{
    static const struct {
        const char *name;
        enum rnicsim_pciebench_test test;
    } spelling[] = {{"lat_dma_rd", RNICSIM_LAT_RD}, {"lat_dma_wrrd", RNICSIM_LAT_WRRD},
                    {"bw_dma_rd", RNICSIM_BW_RD},   {"bw_dma_wr", RNICSIM_BW_WR},
                    {"bw_dma_rw", RNICSIM_BW_RDWR}, {"bw_dma_rdwr", RNICSIM_BW_RDWR},
                    {"bw_rw", RNICSIM_BW_RDWR}};
    for (int i = 0; i < RNICSIM_PCIEBENCH_TEST_COUNT; i++)
        if (strcasecmp(name, names[i]) == 0) {
            *test = (enum rnicsim_pciebench_test)i;
            return 0;
        }
    for (size_t i = 0; i < sizeof spelling / sizeof *spelling; i++)
        if (strcasecmp(name, spelling[i].name) == 0) {
            *test = spelling[i].test;
            return 0;
        }
    return -1;
}

int pciebench_is_latency(enum rnicsim_pciebench_test test)
{
    return test == RNICSIM_LAT_RD || test == RNICSIM_LAT_WRRD;
}

static void count_tail(void *context, int64_t value_ps, uint64_t count)
{
    struct pciebench_answer *answer = context;
    for (int i = 0; i < PCIEBENCH_TAILS; i++)
        if ((double)value_ps - answer->tail_from_ps > 1000 * pciebench_tail_ns(i))
            answer->tail_percent[i] += (double)count;
}

static void read_latency(const struct rnicsim_hist *hist, struct pciebench_answer *answer)
{
    answer->min_ps = rnicsim_hist_min(hist);
    answer->mean_ps = rnicsim_hist_mean(hist);
    answer->median = quantile_of(hist, QUANTILE_P50);
    answer->p99 = quantile_of(hist, QUANTILE_P99);
    answer->p999 = quantile_of(hist, QUANTILE_P999);
}

static void read_tail(const struct rnicsim_hist *exact, struct pciebench_answer *answer)
{
    answer->tail_from_ps = (double)rnicsim_hist_percentile(exact, QUANTILE_P50);
    rnicsim_hist_each(exact, count_tail, answer);
    for (int i = 0; i < PCIEBENCH_TAILS; i++)
        answer->tail_percent[i] *= 100 / (double)rnicsim_hist_count(exact);
}

int pciebench_measure(const struct pciebench_host *host, const struct pciebench_case *what,
                      struct pciebench_answer *answer, struct rnicsim_error *error)
{
    int is_latency = pciebench_is_latency(what->test);
    struct rnicsim_pciebench bench = {.host = host->host,
                                      .set = host->set,
                                      .set_count = host->set_count,
                                      .data_dir = host->data_dir,
                                      .seed = host->seed,
                                      .test = what->test,
                                      .bytes = what->bytes,
                                      .offset = what->offset,
                                      .window_bytes = what->window_bytes,
                                      .cold = what->cold,
                                      .samples = what->samples};
    if (bench.samples == 0)
        bench.samples = is_latency ? PCIEBENCH_LATENCIES : PCIEBENCH_TRANSACTIONS;
    struct rnicsim_hist *hist = is_latency ? rnicsim_hist_create() : 0;
    struct rnicsim_hist *exact = bench.exact = is_latency ? rnicsim_hist_create() : 0;
    *answer = (struct pciebench_answer){0};
    int result = rnicsim_pciebench(&bench, hist, error);
    if (result == RNICSIM_OK && is_latency) {
        read_latency(hist, answer);
        read_tail(exact, answer);
    } else if (result == RNICSIM_OK)
        answer->gbps = 8000 * (double)bench.transactions * bench.bytes / (double)bench.took_ps;
    rnicsim_hist_destroy(hist);
    rnicsim_hist_destroy(exact);
    return result;
}
