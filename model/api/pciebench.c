/* pcie-bench's measurements on the model. */
#include "api/api_internal.h"

#include "system/pciebench.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define WINDOW_MAX (UINT64_C(1) << 40)
#define SAMPLES_MAX 100000000u

_Static_assert((int)PCIEBENCH_BW_RDWR == (int)RNICSIM_BW_RDWR, "tests are those of the API");

static int check(const struct rnicsim_pciebench *bench, const struct rnicsim_hist *latency, struct rnicsim_error *error)
{
    if (!bench || (unsigned)bench->test >= RNICSIM_PCIEBENCH_TEST_COUNT)
        return api_fail(error, RNICSIM_EINPUT, "no such test, allowed: lat_rd, lat_wrrd, bw_rd, bw_wr, bw_rdwr");
    if (bench->set_count > 0 && !bench->set)
        return api_fail(error, RNICSIM_EINPUT, "set is NULL, but set_count is not 0");
    uint64_t end = (uint64_t)bench->offset + bench->bytes;
    if (bench->bytes == 0 || end > PCIEBENCH_BYTES_MAX)
        return api_fail(error, RNICSIM_EINPUT,
                        "size %" PRIu32 " B with offset %" PRIu32 " B: allowed 1 to %u B together", bench->bytes,
                        bench->offset, PCIEBENCH_BYTES_MAX);
    if (bench->window_bytes < (end + 63) / 64 * 64 || bench->window_bytes > WINDOW_MAX)
        return api_fail(error, RNICSIM_EINPUT,
                        "window %" PRIu64 " B: allowed from size and offset, rounded up to 64 B, to 1 TiB",
                        bench->window_bytes);
    if (bench->samples == 0 || bench->samples > SAMPLES_MAX)
        return api_fail(error, RNICSIM_EINPUT, "samples %" PRIu64 ": allowed 1 to %u", bench->samples, SAMPLES_MAX);
    if ((bench->test <= RNICSIM_LAT_WRRD) != (latency != 0))
        return api_fail(error, RNICSIM_EINPUT, "a histogram is given for a bandwidth, or none for a latency");
    return RNICSIM_OK;
}

static int run(struct rnicsim_pciebench *bench, const struct pcie_params *host, struct pciebench *model,
               struct rnicsim_hist *latency, struct rnicsim_error *error)
{
    struct pciebench_options options = {.test = (enum pciebench_test)bench->test,
                                        .bytes = bench->bytes,
                                        .offset = bench->offset,
                                        .window_bytes = bench->window_bytes,
                                        .cold = bench->cold,
                                        .samples = bench->samples,
                                        .seed = bench->seed};
    char wrong[200];
    jmp_buf on_failure;
    if (setjmp(on_failure) != 0)
        return api_fail(error, RNICSIM_EMODEL, "%s", model->sim.failure);
    if (pciebench_init(model, host, &options, latency ? &latency->hist : 0,
                       latency && bench->exact ? &bench->exact->hist : 0, &on_failure, wrong, sizeof wrong))
        return api_fail(error, RNICSIM_EINPUT, "%s: %s", bench->host ? bench->host : "the host", wrong);
    pciebench_run(model);
    bench->transactions = pciebench_transactions(model);
    bench->took_ps = pciebench_took_ps(model);
    return RNICSIM_OK;
}

int rnicsim_pciebench(struct rnicsim_pciebench *bench, struct rnicsim_hist *latency, struct rnicsim_error *error)
{
    int result = check(bench, latency, error);
    if (result != RNICSIM_OK)
        return result;
    struct config_error wrong;
    struct config *config = system_configure_host(bench->data_dir, bench->host, bench->set, bench->set_count, &wrong);
    if (!config)
        return api_fail(error, RNICSIM_EINPUT, "%s", wrong.text);
    struct pciebench *model = malloc(sizeof *model);
    if (!model) {
        config_destroy(config);
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    }
    result = run(bench, config_room(config, "pcie"), model, latency, error);
    pciebench_free(model);
    free(model);
    config_destroy(config);
    return result;
}
