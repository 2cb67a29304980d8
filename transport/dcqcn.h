/* The reaction point of DCQCN (Zhu et al., SIGCOMM 2015, section 5; parameters and defaults as NVIDIA documents them for ConnectX): the rate of
 * a QP whose packets were marked on their way. Pure arithmetic: time and bytes are told, nothing waits.
 *
 * A CNP cuts the rate by alpha / 2, alpha being how often CNPs come; then it rises again, towards where it was (fast recovery), then by a
 * constant, then by a larger one, at each end of a timer and of a count of bytes. */
#ifndef TRANSPORT_DCQCN_H
#define TRANSPORT_DCQCN_H

#include "transport/params.h"

#include <stdint.h>

struct dcqcn {
    int64_t rate_bps;               /* now; 0: as the line, as after long without a CNP */
    int64_t target_bps;             /* that it rises to */
    uint32_t alpha;                 /* of DCQCN_ONE */
    uint32_t bytes;                 /* since the byte counter's last end */
    uint32_t timer_ends, byte_ends; /* since the last cut */
    uint8_t risen;                  /* since the last cut: enum dcqcn_risen */
    int64_t timer_at_ps;            /* when the timer began */
    int64_t alpha_at_ps;            /* when the period of alpha began */
    int64_t cut_at_ps;              /* of the last one */
};

#define DCQCN_ONE (1u << 30)

enum dcqcn_risen { DCQCN_BY_BYTES = 1, DCQCN_BY_TIME = 2 }; /* bits */

/* line_bps: of the port, which a rate never exceeds. */

/* A CNP has come. */
void dcqcn_cnp(struct dcqcn *dcqcn, const struct transport_params *params, int64_t line_bps, int64_t now_ps);
/* The time is now_ps: what timers did since. */
void dcqcn_pass(struct dcqcn *dcqcn, const struct transport_params *params, int64_t line_bps, int64_t now_ps);
/* A frame of so many bytes is sent, at the time that was told last. */
void dcqcn_sent(struct dcqcn *dcqcn, const struct transport_params *params, int64_t line_bps, uint32_t bytes);

#endif
