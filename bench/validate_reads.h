/* Whether u280_100g reads at 100G: large WRITEs whose payload comes over PCIe, on each host preset, with the completion headers that
 * the endpoint is said to have; measured in the model, and bounded by the formulas of rnicsim linecheck at the latency of a read alone. */
#ifndef BENCH_VALIDATE_READS_H
#define BENCH_VALIDATE_READS_H

#include "api/rnicsim.h"

#define VALIDATE_READS_BOARD "u280_100g"
#define VALIDATE_READS_WORKLOAD "write_bw -s 1M -n 100 -m 4096"
#define VALIDATE_READS_MAX 64

struct validate_reads {
    char host[64];
    int completion_headers;
    double goodput_gbps, line_share; /* of the run; frames on the line, 0 .. 1 */
    int is_at_line_rate;
    char bottleneck[128];
    double latency_ns;               /* of reading MRRS bytes, alone: mean */
    struct rnicsim_pcie_bound bound; /* at that latency; its rate is 98 Gb/s, what a full line carries at this MTU */
};

/* An exit status; one line was told when it is not CLI_DONE. */
int validate_reads_all(struct validate_reads reads[VALIDATE_READS_MAX], size_t *count);

#endif
