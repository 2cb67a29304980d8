/* rnicsim compare: what RTL did beside what the model predicted, stage by stage. The prediction is passes.csv of run --golden; what was
 * measured is a CSV with its columns (nic, path, fifo, head_ps; tail_ps if there), or a VCD. Functions that can fail return an exit status
 * after one line. */
#ifndef BENCH_COMPARE_COMPARE_H
#define BENCH_COMPARE_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#define COMPARE_FIFOS_MAX 512u
#define COMPARE_MAPS_MAX 256u
#define COMPARE_NAME_BYTES 128u

struct compare_fifo {
    char name[COMPARE_NAME_BYTES]; /* "a.tx.mac" */
    int64_t *head_ps, *tail_ps;    /* in order */
    size_t count, room;
};

struct compare_set {
    struct compare_fifo fifos[COMPARE_FIFOS_MAX];
    size_t count;
    int has_tails;
};

struct compare_map { /* of a VCD: the FIFO's signals are SIGNAL.valid or SIGNALvalid, and so on */
    char name[COMPARE_NAME_BYTES], signal[COMPARE_NAME_BYTES * 2];
};

struct compare_options {
    const char *predicted, *measured, *clock; /* clock: of the VCD, its full name; NULL: changes are beats */
    struct compare_map maps[COMPARE_MAPS_MAX];
    size_t map_count;
    int64_t tolerance_ps, offset_ps;
    int has_offset, json;
};

/* NULL: out of memory, or too many. */
struct compare_fifo *compare_find(struct compare_set *set, const char *name, int make);
/* 0, or -1 without memory. */
int compare_add(struct compare_fifo *fifo, int64_t head_ps, int64_t tail_ps);
void compare_free(struct compare_set *set);

int compare_read_csv(struct compare_set *set, const char *path);
/* Of the FIFOs that `predicted` has. */
int compare_read_vcd(struct compare_set *set, const struct compare_set *predicted,
                     const struct compare_options *options);

#endif
