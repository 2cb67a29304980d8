/* The buffers in an FPGA's memories: what each takes, and whether all of one NIC fit. */
#ifndef BENCH_SIZE_FIT_H
#define BENCH_SIZE_FIT_H

#include "bench/memory_map.h"
#include "bench/part.h"
#include "bench/size_search.h"

#define SIZE_WARN_PERCENT 70.0

/* One buffer at its proposed depth. */
struct size_memory {
    uint64_t words; /* of the memory to build: a power of two; 0: none */
    uint64_t bits;  /* of a word in the kind that is chosen, with ECC where it is wanted */
    enum memory_kind kind;
    uint64_t count[MEMORY_KINDS];  /* what it would take of each kind */
    int is_possible[MEMORY_KINDS]; /* a URAM has one clock; LUTs and MLABs are for few words; each vendor has its own */
    uint64_t free_depth;           /* the greatest depth that takes no more */
};

struct size_fit {
    struct part part;
    int has_ecc;                /* memories that have ECC are used with it */
    struct size_memory *memory; /* one for each FIFO of the search */
    uint64_t used[MEMORY_KINDS];
    int fits;
};

/* What the part has of a kind; 0 also where the table does not say (LUTs, MLABs). */
uint64_t size_fit_has(const struct size_fit *fit, enum memory_kind kind);
double size_fit_percent(const struct size_fit *fit, enum memory_kind kind);
/* part is set. 0, or CLI_INPUT and one line. */
int size_fit(struct size_fit *fit, const struct size_search *search);
void size_fit_free(struct size_fit *fit);

#endif
