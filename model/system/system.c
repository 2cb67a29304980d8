#include "system/system.h"

#include "system/blame.h"

#include <stdlib.h>
#include <string.h>

static int path_of(const char *name)
{
    for (int path = 0; path < RNIC_PATHS; path++)
        if (strcmp(rnic_path_name[path], name) == 0)
            return path;
    return -1;
}

/* One stage of the nic file into the setup. Errors begin with the key; see system/blame.h. */
static int add_stage(struct rnic_setup *setup, const struct stage_spec *spec, struct config_error *error)
{
    int path = path_of(spec->path);
    if (path < 0)
        return config_error_set(error,
                                "section [stage %s.%s]: there is no path '%s', allowed: doorbell, sched, wqe, payload, "
                                "ack, tx, mac_rx, rx, respond, retire, cqe, fetch",
                                spec->path, spec->name, spec->path);
    int on_mac = strcmp(spec->clock, "mac") == 0;
    if (!on_mac && strcmp(spec->clock, "user") != 0)
        return config_error_set(error, "stage.%s.%s.clock: there is no such clock, allowed: user, mac", spec->path,
                                spec->name);
    if (setup->stages[path] == RNIC_PATH_STAGES_MAX)
        return config_error_set(error, "section [stage %s.%s]: more than %d stages in a path, allowed: so many",
                                spec->path, spec->name, RNIC_PATH_STAGES_MAX);
    int i = setup->stages[path]++;
    setup->on_mac_clock[path][i] = (uint8_t)on_mac;
    setup->holds[path][i] = spec->holds;
    setup->stage[path][i] = (struct path_stage){.name = spec->name,
                                                .interval_cyc = spec->interval_cyc,
                                                .latency_cyc = spec->latency_cyc,
                                                .width_bytes = (uint32_t)spec->width_bits / 8,
                                                .store = (int)spec->store,
                                                .threshold_beats = spec->start_beats,
                                                .gap_cyc = spec->gap_cyc,
                                                .pause_cyc = spec->pause_cyc,
                                                .pause_beats = spec->pause_beats,
                                                .flops = spec->sync_cyc,
                                                .depth = (uint32_t)spec->depth,
                                                .in_beats = spec->depth_in_beats};
    return 0;
}

static int fill_setup(struct system *system, struct rnic_setup *setup, struct config_error *error)
{
    *setup = (struct rnic_setup){.sim = &system->sim,
                                 .items = &system->items,
                                 .messages = &system->messages,
                                 .trips = &system->trips,
                                 .outbox = &system->outbox,
                                 .contents = system->contents,
                                 .sges = &system->sges,
                                 .host_shift_ps = system->shift_ps};
    setup->nic = config_room(system->config, "nic");
    setup->pcie = config_room(system->config, "pcie");
    setup->mac = config_room(system->config, "mac");
    setup->transport = config_room(system->config, "transport");
    setup->host = config_room(system->config, "host");
    for (size_t i = 0; i < config_stage_count(system->config); i++)
        if (add_stage(setup, config_stage(system->config, i), error))
            return -1;
    return 0;
}

/* Two boards are never in step: the second's clocks are off in phase. */
static int build_pair(struct system *system, const struct rnic_setup *common, int first, struct config_error *error)
{
    static const char *const name[SYSTEM_NICS_MAX] = {"a", "b", "c", "d"};
    struct rnic_setup setup = *common;
    for (int i = first; i < first + 2; i++) {
        setup.name = name[i];
        setup.entity = (uint64_t)i;
        setup.posts_from_fabric = i == first;
        setup.phase_ps = system->shift_ps + (i == first ? 0 : setup.nic->peer_phase);
        setup.off_ppb = i == first ? 0 : setup.nic->peer_offset;
        system->nics = i + 1;
        if (rnic_init(&system->nic[i], &setup, &system->nic[i ^ 1], error->text, sizeof error->text))
            return -1;
    }
    for (int i = first; i < first + 2; i++)
        if (rnic_build(&system->nic[i], error->text, sizeof error->text))
            return -1;
    return 0;
}

static int build(struct system *system, const struct system_options *options, struct config_error *error)
{
    config_error_set(error, "out of memory");
    if (!system->setup || pool_init(&system->items, sizeof(struct item), 1024) ||
        pool_init(&system->messages, sizeof(struct message), 1024) ||
        pool_init(&system->trips, sizeof(struct rnic_trip), 16))
        return -1;
    if (fill_setup(system, system->setup, error) || build_pair(system, system->setup, 0, error) ||
        (options->idle_pair && build_pair(system, system->setup, 2, error)))
        return system_blame(system->config, error);
    if (outbox_init(&system->outbox, &system->sim))
        return -1;
    system->sim.outside_lookahead_ps = system->setup->host->post_cost + system->setup->host->store_latency;
    if (system->nic[0].fabric_source != NIC_FABRIC_OFF &&
        fabric_least_ps(&system->nic[0]) < system->sim.outside_lookahead_ps)
        system->sim.outside_lookahead_ps = fabric_least_ps(&system->nic[0]);
    for (int i = 0; i < system->nics; i++)
        if (rnic_declare(&system->nic[i], system->outbox.decider))
            return -1;
    return 0;
}

int system_init(struct system *system, struct config *config, const struct system_options *options,
                struct config_error *error)
{
    *system = (struct system){.config = config, .shift_ps = options->shift_ps};
    config_error_set(error, "out of memory");
    if (sim_init(&system->sim, options->seed))
        return -1;
    system->sim.horizon_off = options->horizon_off;
    system->sim.spurious_seed = options->spurious_seed;
    system->sim.on_failure = options->on_failure;
    if (options->has_data && !(system->contents = contents_new(options->has_data > 1)))
        return -1;
    system->setup = malloc(sizeof *system->setup);
    int failed = build(system, options, error);
    free(system->setup);
    system->setup = 0;
    return failed ? -1 : 0;
}

void system_free(struct system *system)
{
    for (int i = 0; i < system->nics; i++)
        rnic_free(&system->nic[i]);
    outbox_free(&system->outbox);
    tap_free(&system->tap);
    contents_free(system->contents);
    sges_free(&system->sges);
    pool_free(&system->messages);
    pool_free(&system->trips);
    pool_free(&system->items);
    sim_free(&system->sim);
    config_destroy(system->config);
    free(system->setup); /* left over when a model_assert has failed */
}

static void join(struct rnic *nic, uint32_t index, struct rnic *peer)
{
    struct qp *qp = &nic->qp[index];
    uint32_t other = qp_table_find(&peer->by_number, qp->peer_qpn);
    if (qp->transport == QP_UD) {
        qp->peer = 0; /* each request has its own */
        return;
    }
    if (other == QP_NONE || peer->qp[other].peer_qpn != qp->qpn || peer->qp[other].transport != qp->transport)
        return;
    qp->peer = other;
    peer->qp[other].peer = index;
    qp->responder.psn_expected = peer->qp[other].requester.psn_next;
    peer->qp[other].responder.psn_expected = qp->requester.psn_next;
}

int system_answer(struct system *system)
{
    return answers_turn_on(&system->nic[0]) || answers_turn_on(&system->nic[1]) ? -1 : 0;
}

uint32_t system_add_qp(struct system *system, uint32_t nic_index, const struct qp *made, uint32_t peer_nic)
{
    struct rnic *nic = &system->nic[nic_index];
    if (nic->qps == nic->qp_room) {
        uint32_t room = nic->qp_room ? 2 * nic->qp_room : 16;
        struct qp *more = realloc(nic->qp, room * sizeof *more);
        if (!more)
            return QP_NONE;
        nic->qp = more;
        nic->qp_room = room;
    }
    uint32_t index = nic->qps;
    nic->qp[index] = *made;
    nic->qp[index].sq_address = (uint64_t)(index + 1) << 32; /* page aligned, apart from the others */
    if (qp_table_put(&nic->by_number, made->qpn, index) ||
        ready_add(&nic->ready, index + 1, made->service_level, made->weight) || selective_open(nic, index) ||
        congestion_open(nic, index))
        return QP_NONE;
    lookup_add_rings(nic, index);
    nic->qps++;
    join(nic, index, &system->nic[peer_nic]);
    return index;
}
