/* Fits what far and cold windows show: DRAM and its refresh, the IOMMU. */
#include "bench/pciebench_fitting.h"

#include <float.h>
#include <math.h>

#include "bench/cli.h"

#define TRANSLATED_NS 30 /* 64 B transactions of a far window are further apart only behind an IOMMU */

/* ---- what lies behind the cache ---- */

/* How much longer cold reads of 64 B or less take, of windows within `least` .. `most`. Returns how many; < 0: failed. */
static int cold_excess(const struct fit *fit, uint64_t least, uint64_t most, double *excess_ns)
{
    struct pciebench_values plain = fit->values;
    double sum = 0;
    int count = 0;
    plain.dram = plain.refresh = 0;
    plain.shape.count = 0;
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i];
        struct pciebench_answer answer;
        if (point->what.test != RNICSIM_LAT_RD || !point->what.cold || point->what.window_bytes < least ||
            point->what.window_bytes > most || point->what.offset > 0)
            continue;
        if (fitting_ask(fit, &plain, point, FITTING_LATENCIES, &answer))
            return -1;
        sum += fit->values.wake.count > 0 ? pciebench_quantile(point, 50) - (double)answer.median.ps / 1000
                                          : fitting_center_ns(point) - fitting_predicted_ns(&answer);
        count++;
    }
    *excess_ns = count > 0 ? sum / count : 0;
    return count;
}

/* The longest wait for a refresh, as far as the percentiles of small cold reads of a far window tell: P(longer than x) =
 * (refresh - x) / 7800 ns. */
int fitting_find_refresh(struct fit *fit)
{
    double sum = 0;
    int count = 0;
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i];
        double p99 = pciebench_quantile(point, 99), p999 = pciebench_quantile(point, 99.9);
        if (point->what.test != RNICSIM_LAT_RD || !point->what.cold || point->what.bytes > 64 || p999 <= 0 ||
            point->what.window_bytes < FITTING_FAR_BYTES)
            continue;
        sum += p999 - fitting_center_ns(point) + FITTING_REFRESH_P999_NS +
               (p99 > 0 ? p99 - fitting_center_ns(point) + FITTING_REFRESH_P99_NS : 0);
        count += 1 + (p99 > 0);
    }
    if (fit->values.remote > 0)
        return 0;
    if (count == 0 || fit->values.iommu || fit->values.wake.count > 0) {
        fitting_keep(fit, "pcie.host_refresh: no percentiles of a cold 64 MiB window; kept 260 ns");
        return 0;
    }
    fit->values.refresh = fitting_as_jedec(sum / count);
    return 0;
}

int fitting_find_dram(struct fit *fit)
{
    fitting_keep(fit,
                 "pcie.host_write, pcie.host_write_ack: hidden behind the device's own time, also in LAT_WRRD; kept 65 "
                 "and 59 ns");
    fitting_keep(fit, "pcie.host_snoop: likewise; kept 0 ns, but two sockets have about 87 ns");
    double excess;
    int count = cold_excess(fit, 0, FITTING_NEAR_BYTES, &excess);
    if (count < 0)
        return CLI_INPUT;
    if (count == 0 && (count = cold_excess(fit, FITTING_NEAR_BYTES + 1, UINT64_MAX, &excess)) < 0)
        return CLI_INPUT;
    if (count == 0 || excess > FITTING_SLEEPS_NS)
        fitting_keep(fit, "pcie.host_dram: no cold latencies of a small window; kept 52 ns");
    else
        fit->values.dram = fmax(excess, 0);
    return 0;
}

/* ---- IOMMU ---- */

/* The mean time of 64 B transactions in far windows; 0: none were measured. */
static double far_ns(const struct fit *fit, enum rnicsim_pciebench_test test)
{
    double sum = 0;
    int count = 0;
    for (size_t i = 0; i < fit->points.count; i++) {
        const struct pciebench_point *point = &fit->points.point[i];
        if (point->what.test != test || point->what.bytes != 64 || point->what.window_bytes < FITTING_FAR_BYTES)
            continue;
        sum += 512 / point->gbps;
        count++;
    }
    return count > 0 ? sum / count : 0;
}

/* Of bandwidths of 64 B over the windows in between, the entries that fit best. */
static int find_entries(struct fit *fit)
{
    static const int entries[] = {32, 64, 96, 112, 120, 128, 160, 192, 256, 512, 1024};
    double best = DBL_MAX;
    int seen = 0;
    for (size_t e = 0; e < sizeof entries / sizeof *entries; e++) {
        struct pciebench_values values = fit->values;
        double sum = 0;
        values.iommu_entries = entries[e];
        for (size_t i = 0; i < fit->points.count; i++) {
            const struct pciebench_point *point = &fit->points.point[i];
            struct pciebench_answer answer;
            if (pciebench_is_latency(point->what.test) || point->what.bytes != 64 ||
                point->what.window_bytes <= FITTING_NEAR_BYTES || point->what.window_bytes >= FITTING_FAR_BYTES)
                continue;
            seen++;
            if (fitting_ask(fit, &values, point, FITTING_TRANSACTIONS, &answer))
                return CLI_INPUT;
            sum += pow(answer.gbps / point->gbps - 1, 2);
        }
        if (sum < best) {
            best = sum;
            fit->values.iommu_entries = entries[e];
        }
    }
    if (seen == 0) {
        fit->values.iommu_entries = 0;
        fitting_keep(fit, "pcie.iommu_entries: no bandwidths of 64 B in windows from 512 KiB to 8 MiB; kept 119");
    }
    return 0;
}

int fitting_find_iommu(struct fit *fit)
{
    double excess, read_ns = far_ns(fit, RNICSIM_BW_RD), write_ns = far_ns(fit, RNICSIM_BW_WR);
    int count = cold_excess(fit, FITTING_FAR_BYTES, UINT64_MAX, &excess);
    if (count < 0)
        return CLI_INPUT;
    excess -= fit->values.dram >= 0 ? fit->values.dram : FITTING_DRAM_NS;
    fit->values.iommu =
        (count > 0 && excess > FITTING_SLEEPS_NS) || read_ns > TRANSLATED_NS || write_ns > TRANSLATED_NS;
    if (!fit->values.iommu) {
        fitting_keep(fit, "pcie.iommu: nothing shows one; kept off");
        return 0;
    }
    if (count > 0)
        fit->values.iommu_miss = excess;
    else
        fitting_keep(fit, "pcie.iommu_miss: no cold latencies of a window from 16 MiB on; kept 261 ns");
    if (read_ns > 0)
        fit->values.iommu_walk = read_ns;
    if (write_ns > 0)
        fit->values.iommu_write_walk = write_ns;
    if (read_ns <= 0 || write_ns <= 0)
        fitting_keep(
            fit,
            "pcie.iommu_walk, pcie.iommu_write_walk: both need bandwidths of 64 B in a window from 16 MiB on; kept 51 "
            "and 46.5 ns where there are none");
    return find_entries(fit);
}
