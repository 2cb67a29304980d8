#include "tests/system/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QPS_MAX 4096u

struct scenario scenario_default(void)
{
    return (struct scenario){.board = "u280_100g",
                             .seed = 1,
                             .opcode = RNICSIM_WRITE,
                             .length_bytes = 65536,
                             .mtu_bytes = 4096,
                             .qps = 1,
                             .outstanding = 128,
                             .batch = 1,
                             .messages = 200};
}

static int complain(struct scenario_result *result, const struct rnicsim_error *error)
{
    fprintf(stderr, "scenario: %s\n", error->text);
    result->failed = 1;
    return -1;
}

static enum rnicsim_opcode opcode_of(const struct scenario *s, uint32_t index)
{
    return s->more ? s->more[index % s->more_count] : s->opcode;
}

static enum rnicsim_transport transport_of(const struct scenario *s, uint32_t qp)
{
    return qp % 3 == 1 ? RNICSIM_RC : s->transport;
}

static uint32_t max_rd_atomic(const struct scenario *s)
{
    int answered = s->opcode >= RNICSIM_READ;
    for (uint32_t i = 0; i < s->more_count; i++)
        answered |= s->more[i] >= RNICSIM_READ;
    return s->max_rd_atomic > 0 || !answered ? s->max_rd_atomic : 16;
}

static int create(const struct scenario *s, struct rnicsim **sim, struct rnicsim_error *error)
{
    struct rnicsim_options options = {.board = s->board,
                                      .set = s->set,
                                      .set_count = s->sets,
                                      .seed = s->seed,
                                      .data_dir = RNICSIM_SOURCE_DIR "/model/config",
                                      .horizon_off = s->horizon_off,
                                      .idle_pair = s->idle_pair,
                                      .spurious_seed = s->spurious_seed,
                                      .shift_ps = s->shift_ps};
    if (rnicsim_create(&options, sim, error))
        return -1;
    for (size_t i = 0; i < s->faults; i++)
        if (rnicsim_fault_add(*sim, &s->fault[i], error))
            return -1;
    if (s->listens && rnicsim_frames_watch(*sim, error))
        return -1;
    for (uint32_t host = 0; host < 2 && (s->has_srq || s->transport == RNICSIM_XRC); host++) {
        struct rnicsim_srq_attr srq = {.host = host, .srqn = 7, .depth = 32768, .limit = s->srq_limit};
        if (rnicsim_srq_create(*sim, &srq, error))
            return -1;
    }
    for (uint32_t i = 0; i < s->qps; i++)
        for (uint32_t host = 0; host < 2; host++) {
            struct rnicsim_qp_attr qp = {.host = host,
                                         .qpn = i + 1,
                                         .peer_host = host ^ 1,
                                         .peer_qpn = i + 1,
                                         .mtu_bytes = s->mtu_bytes,
                                         .sq_depth = s->outstanding,
                                         .rq_depth = s->has_srq ? 0 : 4096,
                                         .srqn = s->has_srq ? 7 : 0,
                                         .max_inline_bytes = 1024,
                                         .max_rd_atomic = max_rd_atomic(s)};
            qp.transport = transport_of(s, i);
            if (qp.transport == RNICSIM_XRC)
                qp.rq_depth = qp.srqn = 0;
            if (s->has_unlike_qps) {
                qp.service_level = i % 4;
                qp.weight = 1 + i % 5;
                qp.rate_bps = i % 3 == 1 ? INT64_C(5000000000) : 0;
            }
            if (rnicsim_qp_create(*sim, &qp, error))
                return -1;
        }
    return 0;
}

static int is_received(enum rnicsim_opcode opcode)
{
    return opcode == RNICSIM_SEND || opcode == RNICSIM_SEND_IMM || opcode == RNICSIM_WRITE_IMM;
}

static int post_batch(const struct scenario *s, struct rnicsim *sim, uint32_t host, uint32_t qp, uint32_t first,
                      struct rnicsim_error *error)
{
    struct rnicsim_wr wr[64];
    enum rnicsim_transport transport = transport_of(s, qp);
    struct rnicsim_recv recv = {.address = 1u << 26, .length_bytes = s->length_bytes + 40};
    int has_srq = s->has_srq || transport == RNICSIM_XRC;
    for (uint32_t i = 0; i < s->batch; i++) {
        enum rnicsim_opcode opcode = opcode_of(s, first + i);
        wr[i] = (struct rnicsim_wr){.wr_id = i,
                                    .local_address = 1u << 24,
                                    .remote_address = 1u << 25,
                                    .length_bytes = opcode > RNICSIM_READ ? 8 : s->length_bytes,
                                    .immediate = i,
                                    .opcode = opcode,
                                    .remote_srqn = 7,
                                    .flags = (opcode >= RNICSIM_READ ? s->flags & ~RNICSIM_INLINE : s->flags) |
                                             (i + 1 == s->batch ? RNICSIM_SIGNALLED : 0)};
        if (is_received(opcode) &&
            (has_srq ? rnicsim_post_srq_recv(sim, host ^ 1, 7, &recv, 1, rnicsim_now(sim), error)
                     : rnicsim_post_recv(sim, host ^ 1, qp + 1, &recv, 1, rnicsim_now(sim), error)))
            return -1;
    }
    return rnicsim_post_send(sim, host, qp + 1, wr, s->batch, rnicsim_now(sim), error);
}

static void mix(uint64_t *digest, uint64_t value)
{
    *digest = (*digest ^ value) * UINT64_C(0x100000001b3) + (*digest >> 29);
}

static void count_event(const struct scenario *s, struct scenario_result *result, const struct rnicsim_event *event)
{
    mix(&result->digest, (uint64_t)event->kind << 32 | event->qpn);
    mix(&result->digest, (uint64_t)event->host << 32 | event->status);
    mix(&result->digest, event->wr_id);
    mix(&result->digest, event->srqn);
    mix(&result->digest, (uint64_t)event->at_ps);
    if (event->delivered_at_ps <=
        event->at_ps) /* else it depends on when this is polled: the last one may be much later */
        mix(&result->digest, (uint64_t)event->delivered_at_ps);
    for (int i = 0; i < RNICSIM_STAMP_COUNT; i++)
        mix(&result->digest, (uint64_t)event->stamp_ps[i]);
    if (event->kind != RNICSIM_SEND_DONE)
        return;
    if (s->stamps)
        s->stamps[result->stamps++] = event->stamp_ps[s->stamp];
    if (result->first_done_ps == 0)
        result->first_done_ps = event->at_ps;
    result->last_done_ps = event->at_ps;
    result->last = *event;
}

struct load {
    uint32_t posted, finished;
    uint32_t open[2][QPS_MAX]; /* messages of each QP at each host */
};

static int post_what_fits(const struct scenario *s, struct rnicsim *sim, struct load *load, struct rnicsim_error *error)
{
    for (int again = 1; again;) {
        again = 0;
        for (uint32_t i = 0; i < s->qps << (s->both_ways != 0) && load->posted < s->messages; i++) {
            uint32_t host = i >= s->qps, qp = i % s->qps;
            if (load->open[host][qp] + s->batch > s->outstanding)
                continue;
            if (post_batch(s, sim, host, qp, load->posted, error))
                return -1;
            load->open[host][qp] += s->batch;
            load->posted += s->batch;
            again = 1;
        }
    }
    return 0;
}

static int64_t until(const struct scenario *s, const struct rnicsim *sim, uint64_t *random)
{
    if (s->slice_ps == 0)
        return RNICSIM_NEVER;
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return rnicsim_now(sim) + 1 + (int64_t)((*random >> 33) % (uint64_t)s->slice_ps);
}

struct scenario_result scenario_run(const struct scenario *s, struct rnicsim **keep)
{
    struct scenario_result result = {.digest = UINT64_C(0xcbf29ce484222325)};
    struct rnicsim_error error;
    struct rnicsim *sim = NULL;
    struct load load = {0};
    uint64_t random = s->seed;
    if (create(s, &sim, &error))
        complain(&result, &error);
    while (!result.failed && load.finished < s->messages) {
        struct rnicsim_event event[64];
        size_t seen = 0;
        if (post_what_fits(s, sim, &load, &error) || rnicsim_advance(sim, until(s, sim, &random), NULL, &error)) {
            complain(&result, &error);
            break;
        }
        for (size_t n; (n = rnicsim_poll(sim, event, 64)) > 0; seen += n)
            for (size_t i = 0; i < n; i++) {
                count_event(s, &result, &event[i]);
                if (event[i].kind != RNICSIM_SEND_DONE && event[i].kind != RNICSIM_UNSIGNALLED)
                    continue;
                load.open[event[i].host][event[i].qpn - 1]--;
                load.finished++;
            }
        if (seen == 0 && rnicsim_next_at(sim) == RNICSIM_NEVER)
            break; /* stuck: done tells */
    }
    result.done = load.finished;
    if (sim)
        rnicsim_totals(sim, &result.totals);
    if (result.last_done_ps > result.first_done_ps)
        result.goodput_gbps = (double)(load.finished - 1) * s->length_bytes * 8000.0 /
                              (double)(result.last_done_ps - result.first_done_ps);
    if (keep)
        *keep = sim;
    else
        rnicsim_destroy(sim);
    return result;
}

void scenario_busiest(struct rnicsim *sim, char *name, size_t name_bytes, double *share)
{
    *share = -1;
    for (size_t i = 0; i < rnicsim_stage_count(sim); i++) {
        struct rnicsim_stage_info info;
        int64_t total = 0;
        rnicsim_stage(sim, i, &info);
        for (int cause = 0; cause < RNICSIM_CAUSE_COUNT; cause++)
            total += info.time_ps[cause];
        double work = total ? (double)info.time_ps[RNICSIM_WORK] / (double)total : 0;
        if (work > *share) {
            *share = work;
            snprintf(name, name_bytes, "%s.%s", info.nic, info.name);
        }
    }
}

double scenario_share(struct rnicsim *sim, const char *nic, const char *stage, enum rnicsim_cause cause)
{
    for (size_t i = 0; i < rnicsim_stage_count(sim); i++) {
        struct rnicsim_stage_info info;
        int64_t total = 0;
        rnicsim_stage(sim, i, &info);
        for (int c = 0; c < RNICSIM_CAUSE_COUNT; c++)
            total += info.time_ps[c];
        if (strcmp(info.nic, nic) == 0 && strcmp(info.name, stage) == 0)
            return (double)info.time_ps[cause] / (double)total;
    }
    return -1;
}

int64_t scenario_param(const struct rnicsim *sim, const char *key, char *unit, size_t unit_bytes)
{
    for (size_t i = 0; i < rnicsim_param_count(sim); i++) {
        struct rnicsim_param_info info;
        rnicsim_param(sim, i, &info);
        if (strcmp(info.key, key) != 0)
            continue;
        char *end;
        double value = strtod(info.value, &end);
        snprintf(unit, unit_bytes, "%s", *end == ' ' ? end + 1 : end);
        return (int64_t)(value * 1000.0 + (value < 0 ? -0.5 : 0.5));
    }
    fprintf(stderr, "scenario: no parameter %s\n", key);
    abort();
}
