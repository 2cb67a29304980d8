/* Creating a simulation, its objects, time, and what the hosts see. */
#include "api/api_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(MESSAGE_STAMPS == RNICSIM_STAMP_COUNT, "the stamps of a message are those of the API");
_Static_assert((int)MESSAGE_WRITE_IMM == (int)RNICSIM_WRITE_IMM && (int)MESSAGE_READ == (int)RNICSIM_READ &&
                   (int)MESSAGE_FAST_REG == (int)RNICSIM_FAST_REG,
               "opcodes are those of the API");

int api_fail(struct rnicsim_error *error, int result, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return result;
}

int api_alive(const struct rnicsim *sim, struct rnicsim_error *error)
{
    if (!sim)
        return api_fail(error, RNICSIM_EINPUT, "there is no simulation, allowed: what rnicsim_create() made");
    if (sim->system.sim.failed)
        return api_fail(error, RNICSIM_EMODEL, "%s", sim->system.sim.failure);
    return RNICSIM_OK;
}

int api_guard(struct rnicsim *sim, api_call *call, void *argument, struct rnicsim_error *error)
{
    jmp_buf on_failure;
    struct sim *kernel = &sim->system.sim;
    if (setjmp(on_failure) != 0) {
        kernel->on_failure = 0;
        return api_alive(sim, error);
    }
    kernel->on_failure = &on_failure;
    int result = call(sim, argument, error);
    kernel->on_failure = 0;
    return result;
}

/* ---- create ---- */

static const char *wrong_with_options(const struct rnicsim_options *options)
{
    if (!options)
        return "no options are given";
    if (!options->board)
        return "no board is named, allowed: a board's name or a board file";
    if (options->set_count > 0 && !options->set)
        return "set is NULL, but set_count is not 0";
    for (size_t i = 0; i < options->set_count; i++)
        if (!options->set[i])
            return "set holds NULL, allowed: \"key=value\"";
    if (options->shift_ps < 0 || options->shift_ps > RNICSIM_TIME_MAX / 2)
        return "shift_ps: allowed 0 to 2^61 ps";
    return 0;
}

struct create {
    struct config *config;
    const struct rnicsim_options *options;
};

static int build(struct rnicsim *sim, void *argument, struct rnicsim_error *error)
{
    const struct create *create = argument;
    const struct rnicsim_options *options = create->options;
    struct system_options system_options = {.seed = options->seed,
                                            .horizon_off = options->horizon_off,
                                            .idle_pair = options->idle_pair,
                                            .has_data = options->data,
                                            .spurious_seed = options->spurious_seed,
                                            .shift_ps = options->shift_ps,
                                            .on_failure = sim->system.sim.on_failure};
    struct config_error wrong;
    if (system_init(&sim->system, create->config, &system_options, &wrong))
        return api_fail(error, RNICSIM_EINPUT, "%s", wrong.text);
    return RNICSIM_OK;
}

int rnicsim_create(const struct rnicsim_options *options, struct rnicsim **out, struct rnicsim_error *error)
{
    struct config_error wrong;
    if (!out)
        return api_fail(error, RNICSIM_EINPUT, "out is NULL, allowed: where the simulation is to be put");
    *out = 0;
    const char *refused = wrong_with_options(options);
    if (refused)
        return api_fail(error, RNICSIM_EINPUT, "%s", refused);
    struct system_names names = {options->board, options->mac, options->host};
    struct config *config = system_configure(options->data_dir, &names, options->set, options->set_count, &wrong);
    if (!config)
        return api_fail(error, RNICSIM_EINPUT, "%s", wrong.text);
    struct rnicsim *sim = calloc(1, sizeof *sim);
    if (!sim) {
        config_destroy(config);
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    }
    sim->first_post_ps = SIM_NEVER;
    struct create create = {config, options};
    int result = api_guard(sim, build, &create, error);
    if (result != RNICSIM_OK)
        rnicsim_destroy(sim);
    else
        *out = sim;
    return result;
}

void rnicsim_destroy(struct rnicsim *sim)
{
    if (!sim)
        return;
    watch_free(sim);
    frames_release(sim);
    free(sim->held);
    system_free(&sim->system);
    free(sim);
}

/* ---- time ---- */

int64_t rnicsim_now(const struct rnicsim *sim)
{
    int64_t now = sim->system.sim.now - sim->system.shift_ps;
    return now > 0 ? now : 0;
}

int64_t rnicsim_next_at(const struct rnicsim *sim)
{
    int64_t at = sim_next_at(&sim->system.sim);
    return at == SIM_NEVER ? RNICSIM_NEVER : at - sim->system.shift_ps;
}

int rnicsim_is_stuck(const struct rnicsim *sim)
{
    return sim->system.outbox.is_stuck;
}

int64_t rnicsim_lookahead(const struct rnicsim *sim)
{
    return sim->system.sim.outside_lookahead_ps;
}

static int run(struct rnicsim *sim, void *argument, struct rnicsim_error *error)
{
    const int64_t *until_ps = argument;
    sim->system.outbox.is_stuck = 0;
    sim_run(&sim->system.sim, *until_ps == RNICSIM_NEVER ? SIM_NEVER : *until_ps + sim->system.shift_ps);
    return sim->system.contents ? api_settle(sim, error) : RNICSIM_OK;
}

int rnicsim_advance(struct rnicsim *sim, int64_t until_ps, int64_t *stopped_at_ps, struct rnicsim_error *error)
{
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    if (until_ps < rnicsim_now(sim))
        return api_fail(error, RNICSIM_EINPUT, "advance to %lld ps, before now", (long long)until_ps);
    if (until_ps > RNICSIM_TIME_MAX && until_ps != RNICSIM_NEVER)
        return api_fail(error, RNICSIM_EINPUT, "advance to %lld ps, allowed 0 to 2^62 ps and RNICSIM_NEVER",
                        (long long)until_ps);
    int result = api_guard(sim, run, &until_ps, error);
    if (result == RNICSIM_OK && stopped_at_ps)
        *stopped_at_ps = rnicsim_now(sim);
    return result;
}

/* ---- what hosts see ---- */

/* A stamp in the caller's time; what was not passed, or is decided but still to come, is RNICSIM_NEVER. */
static int64_t seen_stamp(const struct rnicsim *sim, int64_t at_ps)
{
    return at_ps > sim->system.sim.now ? RNICSIM_NEVER : at_ps - sim->system.shift_ps;
}

/* All of a message: most of what a poll does. shift_ps: a constant where it is 0, as it is outside of tests. */
static inline __attribute__((always_inline)) void copy_stamps(const struct rnicsim *sim, const int64_t *from,
                                                              int64_t *to, int64_t shift_ps)
{
    int64_t now_ps = sim->system.sim.now - shift_ps;
#pragma GCC unroll 18
    for (int i = 0; i < RNICSIM_STAMP_COUNT; i++) {
        int64_t at_ps = from[i] - shift_ps;
        to[i] = at_ps > now_ps ? RNICSIM_NEVER : at_ps;
    }
}

/* The SRQ that the receive buffer of a message to this host was taken from; 0: none. */
static uint32_t srqn_of(const struct rnicsim *sim, uint32_t host, const struct message *message)
{
    const struct rnic *nic = &sim->system.nic[host];
    const struct qp *qp = &nic->qp[rnic_receiver_of(nic, message)];
    uint32_t srq = qp->transport == QP_XRC ? message->to : qp->srq;
    return srq == SRQ_NONE ? 0 : nic->srqs.srq[srq]->srqn;
}

static void fill_receive(const struct rnicsim *sim, const struct outbox_entry *entry, struct rnicsim_event *event)
{
    const struct message *message = message_at(&sim->system.messages, entry->message);
    const struct qp *sender = &sim->system.nic[entry->host ^ 1u].qp[message->qp];
    event->opcode = RNICSIM_RECV;
    event->wr_id = message->recv_wr_id;
    event->src_qpn = sender->transport == QP_UD ? sender->qpn : 0;
    event->srqn = srqn_of(sim, entry->host, message);
}

static void fill_event(const struct rnicsim *sim, const struct outbox_entry *entry, struct rnicsim_event *event)
{
    static const enum rnicsim_event_kind kind[] = {RNICSIM_SEND_DONE, RNICSIM_RECV_DONE, RNICSIM_WRITE_VISIBLE,
                                                   RNICSIM_UNSIGNALLED};
    const struct message *message = message_at(&sim->system.messages, entry->message);
    int at_requester = entry->kind == OUTBOX_SEND_DONE || entry->kind == OUTBOX_UNSIGNALLED;
    uint32_t requester = at_requester ? entry->host : entry->host ^ 1u;
    const struct rnic *nic = &sim->system.nic[entry->host];
    const struct qp *qp = &sim->system.nic[requester].qp[message->qp];
    enum rnicsim_opcode sent = (enum rnicsim_opcode)message->opcode;
    event->kind = message->opcode == MESSAGE_RECEIVE ? RNICSIM_RECV_DONE : kind[entry->kind];
    event->host = entry->host;
    event->qpn = at_requester ? qp->qpn : nic->qp[rnic_receiver_of(nic, message)].qpn;
    event->opcode = event->sent_opcode = sent;
    event->length_bytes = message->length_bytes;
    event->src_qpn = event->srqn = 0;
    event->immediate = message->immediate;
    event->status = at_requester ? message->status : 0;
    event->wr_id = message->wr_id;
    event->at_ps = entry->at_ps - sim->system.shift_ps;
    if (entry->kind == OUTBOX_RECV_DONE)
        fill_receive(sim, entry, event);
    event->request = message->ordinal;
    event->delivered_at_ps = seen_stamp(sim, message->delivered_at_ps);
    if (sim->system.shift_ps == 0)
        copy_stamps(sim, message->stamp_ps, event->stamp_ps, 0);
    else
        copy_stamps(sim, message->stamp_ps, event->stamp_ps, sim->system.shift_ps);
    if (at_requester && qp->is_unreliable)
        for (int i = RNICSIM_AT_RECEIVED; i <= RNICSIM_AT_RESPONDED; i++)
            event->stamp_ps[i] = RNICSIM_NEVER; /* it is complete whatever becomes of it there */
}

/* What happens to an SRQ or a QP, and not to a message. */
static struct rnicsim_event object_event(const struct rnicsim *sim, const struct outbox_entry *entry)
{
    const struct rnic *nic = &sim->system.nic[entry->host];
    struct rnicsim_event event = {
        .kind = RNICSIM_SRQ_LIMIT, .host = entry->host, .at_ps = entry->at_ps - sim->system.shift_ps};
    if (entry->kind == OUTBOX_SRQ_LIMIT) {
        event.srqn = nic->srqs.srq[entry->message]->srqn;
        return event;
    }
    event.kind = RNICSIM_QP_FAILED;
    event.qpn = nic->qp[entry->message].qpn;
    event.status = nic->qp[entry->message].event_status;
    return event;
}

size_t rnicsim_poll(struct rnicsim *sim, struct rnicsim_event *events, size_t max)
{
    struct outbox_entry entry;
    size_t count = 0;
    if (!sim || !events)
        return 0;
    while (count < max && outbox_take(&sim->system.outbox, &entry)) {
        if (entry.kind == OUTBOX_SRQ_LIMIT || entry.kind == OUTBOX_QP_ERROR) {
            events[count++] = object_event(sim, &entry);
            continue;
        }
        fill_event(sim, &entry, &events[count++]);
        message_end(&sim->system.messages, entry.message);
        if (entry.at_ps > sim->last_done_ps)
            sim->last_done_ps = entry.at_ps;
    }
    return count;
}
