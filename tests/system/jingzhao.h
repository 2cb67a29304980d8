/* The bench on which JingZhao2's RTL was simulated, for its nic file: jingzhao.board and fixed.host, MAC wired to MAC, FIFOs and lookups
 * watched. */
#ifndef TESTS_SYSTEM_JINGZHAO_H
#define TESTS_SYSTEM_JINGZHAO_H

#include "api/rnicsim.h"

#include <stddef.h>

#define CYCLE_PS 5000
#define LOOKUPS_MAX 4096
#define BLOCK 16u /* WQEs that one read brings */
#define WATCHES 8u
#define PORT_CYC 2 /* grant to the first beat at the MAC */

struct watched {
    const char *nic, *path, *name;
    size_t index;
};

struct bench {
    struct rnicsim *sim;
    struct watched watch[WATCHES];
    struct rnicsim_event event[512];
    size_t events;
};

enum { READS, WQES, WRITES, ACK_FRAMES, CQES, FRAMES_IN, ANSWER_READS, RETURNED };

/* Asserts it, and prints it where it is not so, or with RNICSIM_PRINT. */
void is_close(const char *event, double measured, double predicted, double tolerance);
double cycles(int64_t at_ps, int64_t from_ps);

void bench_open(struct bench *bench, uint32_t qps);
/* One message of each QP after another has warmed the caches. */
void bench_warm(struct bench *bench, enum rnicsim_opcode opcode, uint32_t qps, uint32_t bytes);
void bench_post(struct bench *bench, enum rnicsim_opcode opcode, uint32_t qpn, uint32_t bytes, uint32_t count);
/* Until all is quiet; events are the requests' own. */
void bench_run(struct bench *bench);
/* The first instant after from_ps in which the FIFO's level rises (up: an item begins to enter) or falls. */
int64_t first_change(struct bench *bench, int which, int64_t from_ps, int up);
/* The first lookup of a channel and unit after from_ps. */
struct rnicsim_lookup_info lookup_of(struct bench *bench, uint32_t host, const char *channel, const char *unit,
                                     int64_t from_ps);

#endif
