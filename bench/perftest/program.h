/* perftest's loops on the model: two programs, one a host, each a thread with a clock of its own that posts, spins and polls as
 * perftest 4.5 does (v4.5-0.17, perftest_resources.c: the run_iter functions).
 *
 * A program is a step function. It runs at its thread's instant, does what takes no time, and returns when it has posted (the call
 * costs CPU time) or waits for something that its host does not see yet. Times are ps of the simulation. */
#ifndef BENCH_PERFTEST_PROGRAM_H
#define BENCH_PERFTEST_PROGRAM_H

#include "bench/perftest/options.h"

#define PERFTEST_POLL_BATCH 16u

struct perftest_ring { /* CQEs not polled yet: the QP's index */
    uint32_t *qp;
    uint32_t mask, first, next;
};

enum perftest_state { PERFTEST_RUNS, PERFTEST_WAITS, PERFTEST_ENDED };

struct perftest_side;
typedef void perftest_step(struct perftest_side *side);

struct perftest_side {
    struct perftest_run *run;
    perftest_step *step;
    uint32_t host;
    int is_client; /* host 0 */
    enum perftest_state state;
    int64_t now_ps; /* of its thread */
    int phase;
    uint32_t index;                  /* of the QP that is posted next */
    uint64_t sent, completed, heard; /* of all QPs: posted, credited, received (or waited for in memory) */
    uint64_t sampled;                /* of a duration: what counts */
    uint64_t writes_seen;
    struct perftest_qp {
        uint64_t sent, completed, receives_posted;
        int is_signalled; /* the next request */
    } * qp;
    struct perftest_ring send_cq, recv_cq;
    uint64_t *posted_cyc, *completed_cyc; /* time stamp counter, as in tposted and tcompleted */
    int has_begun;                        /* send_bw both ways: the server waits for the first message */
    uint32_t status;                      /* not 0: a CQE told of an error, and the program gave up */
};

struct perftest_run {
    struct perftest_options options;
    uint64_t size_bytes;
    uint64_t samples; /* kept, a side */
    int64_t tsc_hz;
    struct rnicsim *sim;
    struct rnicsim_wr *list; /* the post list under way */
    struct perftest_side side[2];
    int64_t start_ps;
    uint64_t posted_requests, posted_receives;
    int result; /* of the first post that failed */
    struct rnicsim_error error;
};

/* For one size. 0, or -1 without memory. */
int perftest_run_init(struct perftest_run *run, const struct perftest_options *options, uint64_t size_bytes);
void perftest_run_free(struct perftest_run *run);
/* Creates the QPs of both hosts. Returns an enum rnicsim_result. */
int perftest_run_create_objects(struct perftest_run *run, struct rnicsim *sim, struct rnicsim_error *error);
typedef void perftest_event(void *context, const struct rnicsim_event *event);
/* From posting the receive buffers to the programs' end, or until nothing moves (perftest_run_is_whole() tells), or until_ps. */
int perftest_run_go(struct perftest_run *run, int64_t until_ps, perftest_event *event, void *context,
                    struct rnicsim_error *error);
int perftest_run_is_whole(const struct perftest_run *run);
/* What the side waits for, in words; 0: it has ended. */
int perftest_run_explain(const struct perftest_run *run, uint32_t host, char *text, size_t text_bytes);

/* ---- between the files of this folder ---- */

perftest_step perftest_write_lat, perftest_send_lat, perftest_read_lat, perftest_bw_client, perftest_send_bw_server,
    perftest_send_bw_both;

/* perftest's states of a test by duration; SAMPLE where there is none. */
enum perftest_time { PERFTEST_START, PERFTEST_SAMPLE, PERFTEST_STOP_SAMPLE, PERFTEST_END };
enum perftest_time perftest_time(const struct perftest_side *side);

static inline void perftest_wait(struct perftest_side *side)
{
    side->state = PERFTEST_WAITS;
}

static inline void perftest_end(struct perftest_side *side)
{
    side->state = PERFTEST_ENDED;
}

static inline int perftest_ring_take(struct perftest_ring *ring, uint32_t *qp)
{
    if (ring->first == ring->next)
        return 0;
    *qp = ring->qp[ring->first++ & ring->mask];
    return 1;
}

/* What a time stamp counter reads at the side's instant. */
uint64_t perftest_tsc(const struct perftest_side *side);
/* Posts a list of post_list requests on QP `index`; the thread is busy until it is done. */
void perftest_post_list(struct perftest_side *side, uint32_t index);
/* Posts one receive buffer on QP `index`. */
void perftest_post_receive(struct perftest_side *side, uint32_t index);

#endif
