/* Random tests by seed: so many cases, then fresh ones for RNICSIM_SOAK_SECONDS; RNICSIM_PROPERTY_SEED=s runs that seed only. */
#ifndef TESTS_SOAK_H
#define TESTS_SOAK_H

#include "tests/quick.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define SOAK_FAILURES_SHOWN 3

static inline uint64_t soak_environment(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

/* run_seed: the number of failures of a seed; quiet: they are not to be printed. Returns all failures. */
static inline int soak(const char *what, uint64_t cases, int (*run_seed)(uint64_t seed, int quiet))
{
    uint64_t only = soak_environment("RNICSIM_PROPERTY_SEED"), seconds = soak_environment("RNICSIM_SOAK_SECONDS");
    int failures = 0;
    if (only)
        return run_seed(only, 0);
    for (uint64_t seed = 1; seed <= quick_cases(cases); seed++)
        failures += run_seed(seed, failures >= SOAK_FAILURES_SHOWN);
    time_t end = time(NULL) + (time_t)seconds;
    uint64_t fresh = (uint64_t)time(NULL) << 20, tried = 0;
    for (; time(NULL) < end; tried++)
        failures += run_seed(fresh + tried, failures >= SOAK_FAILURES_SHOWN);
    if (seconds)
        fprintf(stderr, "%s: %" PRIu64 " fresh cases from seed %" PRIu64 "\n", what, tried, fresh);
    if (failures)
        fprintf(stderr, "%s: %d failures\n", what, failures);
    return failures;
}

#endif
