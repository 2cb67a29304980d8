#include "bench/pciebench_fit.h"

#include "bench/cli.h"

int pciebench_fit(const struct pciebench_host *base, const char *path, const char *out, int json)
{
    (void)base;
    (void)path;
    (void)out;
    (void)json;
    return cli_fail("--fit: not yet");
}
