/* How many of its cases a random test tries: with --quick (which sets RNICSIM_QUICK) a fifth, else all. */
#ifndef TESTS_QUICK_H
#define TESTS_QUICK_H

#include <stdint.h>
#include <stdlib.h>

static inline uint64_t quick_cases(uint64_t cases)
{
    return getenv("RNICSIM_QUICK") != NULL ? (cases + 4) / 5 : cases;
}

#endif
