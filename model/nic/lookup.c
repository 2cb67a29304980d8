/* Stations and units: see lookup.h. What happens behind a translation: visit.c, lookup_receive.c. */
#include "nic/lookup.h"

#include "nic/context_ask.h"
#include "nic/rnic.h"

/* ---- the log ---- */

static void record_came(struct lookup *lookup, struct lookup_job *job)
{
    job->record = LOOKUP_NONE;
    if (lookup->records == lookup->records_room)
        return;
    job->record = lookup->records++;
    lookup->record[job->record] =
        (struct lookup_record){.qp = job->qp, .channel = job->channel, .unit = job->unit, .came_cyc = job->at_cyc};
}

static struct lookup_record *record_of(struct lookup *lookup, const struct lookup_job *job)
{
    return job->record == LOOKUP_NONE ? &lookup->unkept : &lookup->record[job->record];
}

/* ---- lists and events ---- */

static void append(struct lookup *lookup, uint32_t *first, uint32_t *last, uint32_t job)
{
    lookup_job(lookup, job)->next = LOOKUP_NONE;
    if (*first == LOOKUP_NONE)
        *first = job;
    else
        lookup_job(lookup, *last)->next = job;
    *last = job;
}

static uint32_t take_first(struct lookup *lookup, uint32_t *first)
{
    uint32_t job = *first;
    *first = lookup_job(lookup, job)->next;
    return job;
}

void lookup_at(struct rnic *rnic, int64_t cyc, enum lookup_event event, uint32_t what)
{
    struct lookup *lookup = &rnic->lookup;
    model_assert(rnic->sim, heap_put(&lookup->events, cyc, lookup->ordinal++, (uint64_t)event << 32 | what) == 0,
                 "out of memory");
    sim_wake(rnic->sim, rnic->scheduler, rnic_ps(rnic, cyc));
}

static uint32_t index_of(const struct lookup *lookup, const struct lookup_station *station)
{
    return (uint32_t)(station - lookup->station);
}

/* ---- into a station ---- */

static uint32_t entries_of(const struct lookup_job *job)
{
    return job->unit == LOOKUP_TRANSLATION ? job->entries : 1;
}

static void park(struct lookup *lookup, struct lookup_station *station, uint32_t job)
{
    lookup_job(lookup, job)->parked_next = LOOKUP_NONE;
    if (station->parked_first == LOOKUP_NONE)
        station->parked_first = job;
    else
        lookup_job(lookup, station->parked_last)->parked_next = job;
    station->parked_last = job;
}

/* Takes the first that waits in, when the one before it has been asked for and there is room. */
static void take_in(struct rnic *rnic, struct lookup_station *station, int64_t now_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    if (station->waits_first == LOOKUP_NONE || station->asks != LOOKUP_NONE)
        return;
    struct lookup_job *job = lookup_job(lookup, station->waits_first);
    if (station->entries + entries_of(job) > (uint32_t)rnic->params->station_entries ||
        station->tags == (uint32_t)rnic->params->station_tags)
        return;
    station->tags++;
    station->asks = take_first(lookup, &station->waits_first);
    park(lookup, station, station->asks);
    station->entries += entries_of(job);
    int64_t start = job->at_cyc > station->in_free_cyc ? job->at_cyc : station->in_free_cyc;
    start = start > now_cyc ? start : now_cyc;
    lookup_at(rnic, start + rnic->params->station_in, LOOKUP_ASKS, index_of(lookup, station));
    if (job->channel == LOOKUP_SEND && job->unit == LOOKUP_CONTEXT)
        visit_taken_in(rnic, start);
}

void lookup_come(struct rnic *rnic, uint32_t index, enum lookup_unit unit, int64_t at_cyc, int64_t now_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    struct lookup_job *job = lookup_job(lookup, index);
    struct lookup_station *station = &lookup->station[lookup_station_of(job->channel, unit)];
    job->unit = (uint8_t)unit;
    job->at_cyc = at_cyc;
    job->misses = 0;
    job->parse_cyc = 0;
    job->has_response = 0;
    record_came(lookup, job);
    append(lookup, &station->waits_first, &station->waits_last, index);
    take_in(rnic, station, now_cyc);
}

void lookup_enter(struct rnic *rnic, enum lookup_channel channel, uint32_t qp, uint32_t ref, uint32_t entries,
                  int64_t at_cyc)
{
    uint32_t index = pool_take(&rnic->lookup.jobs);
    model_assert(rnic->sim, index != POOL_NONE, "out of memory");
    *lookup_job(&rnic->lookup, index) =
        (struct lookup_job){.qp = qp, .ref = ref, .channel = (uint8_t)channel, .entries = (uint8_t)entries};
    lookup_come(rnic, index, LOOKUP_CONTEXT, at_cyc, rnic_cycle(rnic, rnic->sim->now));
}

/* ---- a unit ---- */

void lookup_found(struct rnic *rnic, uint32_t index, int has_failed, int64_t now_cyc)
{
    struct lookup_job *job = lookup_job(&rnic->lookup, index);
    job->failed |= (uint8_t)has_failed;
    int64_t at_cyc = now_cyc + rnic->lookup.unit[job->unit].latency_cyc +
                     (int64_t)job->misses * rnic->params->lookup_miss + job->parse_cyc;
    lookup_at(rnic, at_cyc, LOOKUP_RESPONSE, index);
}

/* Whose turn it is, of those that ask; LOOKUP_CHANNELS: nobody. */
static unsigned next_channel(const struct lookup *lookup, enum lookup_unit unit)
{
    for (unsigned i = 1; i <= LOOKUP_CHANNELS; i++) {
        unsigned channel = (lookup->unit[unit].last + i) % LOOKUP_CHANNELS;
        if (lookup->station[lookup_station_of(channel, unit)].asks_now)
            return channel;
    }
    return LOOKUP_CHANNELS;
}

static void serve(struct rnic *rnic, enum lookup_unit unit, int64_t now_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    struct lookup_server *server = &lookup->unit[unit];
    unsigned channel = next_channel(lookup, unit);
    if (channel == LOOKUP_CHANNELS || now_cyc < server->free_cyc)
        return;
    struct lookup_station *station = &lookup->station[lookup_station_of(channel, unit)];
    uint32_t index = station->asks;
    struct lookup_job *job = lookup_job(lookup, index);
    uint32_t pages;
    station->asks = LOOKUP_NONE;
    station->asks_now = 0;
    station->in_free_cyc = now_cyc + 2 + (entries_of(job) > 1 ? rnic->params->station_in : 0);
    server->last = channel;
    server->items++;
    record_of(lookup, job)->begun_cyc = now_cyc;
    context_look_up(rnic, index, now_cyc, &pages);
    int64_t takes_cyc = server->interval_cyc + (pages > 1 ? (int64_t)(pages - 1) * rnic->params->translation_page : 0);
    server->work_cyc += takes_cyc;
    server->free_cyc = now_cyc + takes_cyc;
    lookup_at(rnic, server->free_cyc, LOOKUP_LOOK_AGAIN, 0);
    take_in(rnic, station, now_cyc);
}

/* ---- out of a station ---- */

/* The QP's oldest job in the station; *before: the one ahead of it. LOOKUP_NONE: it has none. */
static uint32_t oldest_of(const struct lookup *lookup, const struct lookup_station *station, uint32_t qp,
                          uint32_t *before)
{
    uint32_t job = station->parked_first;
    *before = LOOKUP_NONE;
    while (job != LOOKUP_NONE && lookup_job(lookup, job)->qp != qp) {
        *before = job;
        job = lookup_job(lookup, job)->parked_next;
    }
    return job;
}

static void unpark(struct lookup *lookup, struct lookup_station *station, uint32_t job, uint32_t before)
{
    uint32_t next = lookup_job(lookup, job)->parked_next;
    if (before == LOOKUP_NONE)
        station->parked_first = next;
    else
        lookup_job(lookup, before)->parked_next = next;
    if (station->parked_last == job)
        station->parked_last = before;
}

/* The station looks at a QP's queue from start_cyc on: 1 when its oldest job has its response and goes to the output. */
static int look_at(struct rnic *rnic, struct lookup_station *station, uint32_t qp, int64_t start_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    uint32_t before, job = oldest_of(lookup, station, qp, &before);
    int is_empty = job == LOOKUP_NONE;
    if (is_empty || !lookup_job(lookup, job)->has_response) {
        station->out_free_cyc = start_cyc + rnic->params->station_turn + !is_empty;
        return 0;
    }
    unpark(lookup, station, job, before);
    station->leaves = job;
    lookup_at(rnic, start_cyc + rnic->params->station_interval, LOOKUP_LEAVES, index_of(lookup, station));
    lookup_at(rnic, start_cyc + rnic->params->station_tag, LOOKUP_TAG, index_of(lookup, station));
    return 1;
}

/* The next response is looked at, until one lets a job out. */
static void take_out(struct rnic *rnic, struct lookup_station *station)
{
    struct lookup *lookup = &rnic->lookup;
    int64_t before_look = rnic->params->station_out - rnic->params->station_interval;
    while (station->leaves == LOOKUP_NONE && station->found_first != LOOKUP_NONE) {
        struct lookup_job *job = lookup_job(lookup, take_first(lookup, &station->found_first));
        int64_t start = job->at_cyc + before_look;
        job->has_response = 1;
        (void)look_at(rnic, station, job->qp, start > station->out_free_cyc ? start : station->out_free_cyc);
    }
}

/* A packet without payload to be read has no address to be translated; it passes those of other QPs. */
static int passes_translation(const struct rnic *rnic, const struct lookup_job *job)
{
    const struct lookup *lookup = &rnic->lookup;
    const struct lookup_station *station = &lookup->station[lookup_station_of(LOOKUP_SEND, LOOKUP_TRANSLATION)];
    uint32_t before;
    if (job->channel != LOOKUP_SEND)
        return 0;
    const struct item *item = rnic_item(rnic, job->ref);
    int has_payload = item->payload_bytes > 0 && !rnic_message(rnic, item->message)->has_inline;
    return !has_payload && station->waits_first == LOOKUP_NONE &&
           oldest_of(lookup, station, job->qp, &before) == LOOKUP_NONE &&
           (station->leaves == LOOKUP_NONE || lookup_job(lookup, station->leaves)->qp != job->qp);
}

/* With its context a job goes on to its translation. */
static int64_t to_translation(struct rnic *rnic, uint32_t index, int64_t now_cyc, int64_t *again_cyc)
{
    const struct lookup_job *job = lookup_job(&rnic->lookup, index);
    if (job->channel == LOOKUP_DATA)
        return lookup_place(rnic, index, now_cyc, again_cyc);
    if (passes_translation(rnic, job)) {
        int64_t taken_cyc = visit_to_read(rnic, job, now_cyc, again_cyc);
        if (taken_cyc != LOOKUP_NOT_TAKEN)
            pool_give(&rnic->lookup.jobs, index);
        return taken_cyc;
    }
    if (!lookup_has_room(&rnic->lookup, (enum lookup_channel)job->channel, LOOKUP_TRANSLATION)) {
        *again_cyc = SIM_NEVER;
        return LOOKUP_NOT_TAKEN;
    }
    int64_t gap = job->channel == LOOKUP_ACK ? lookup_ack_gap(rnic, job) : rnic->params->lookup_gap;
    uint32_t qp = job->qp, ref = job->ref;
    int is_ack = job->channel == LOOKUP_ACK;
    lookup_come(rnic, index, LOOKUP_TRANSLATION, now_cyc + gap, now_cyc);
    if (is_ack)
        lookup_answer_cqe(rnic, qp, ref, now_cyc + gap, now_cyc);
    return now_cyc;
}

static int64_t give(struct rnic *rnic, uint32_t index, int64_t now_cyc, int64_t *again_cyc)
{
    const struct lookup_job *job = lookup_job(&rnic->lookup, index);
    if (job->unit == LOOKUP_CONTEXT)
        return to_translation(rnic, index, now_cyc, again_cyc);
    if (job->channel == LOOKUP_QUEUE) /* the job is the WQE unit's from now on */
        return visit_to_wqes(rnic, index, now_cyc, again_cyc);
    int64_t taken_cyc = now_cyc;
    if (job->channel == LOOKUP_RECEIVE)
        lookup_has_place(rnic, job, now_cyc);
    else
        taken_cyc = job->channel == LOOKUP_SEND  ? visit_to_read(rnic, job, now_cyc, again_cyc)
                    : job->channel == LOOKUP_ACK ? lookup_to_retire(rnic, job, now_cyc, again_cyc)
                    : job->is_cqe                ? lookup_to_cqe(rnic, job, now_cyc, again_cyc)
                                                 : lookup_to_write(rnic, job, now_cyc, again_cyc);
    if (taken_cyc != LOOKUP_NOT_TAKEN)
        pool_give(&rnic->lookup.jobs, index);
    return taken_cyc;
}

/* What is at the output leaves, if it can. 1: it has. */
static int leave(struct rnic *rnic, struct lookup_station *station, int64_t now_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    uint32_t bit = 1u << index_of(lookup, station);
    int64_t again_cyc = SIM_NEVER;
    const struct lookup_job *job = lookup_job(lookup, station->leaves);
    uint32_t entries = entries_of(job), qp = job->qp;
    struct lookup_record *record = record_of(lookup, job);
    int64_t taken_cyc = give(rnic, station->leaves, now_cyc, &again_cyc);
    lookup->blocked |= bit;
    if (taken_cyc == LOOKUP_NOT_TAKEN) {
        if (again_cyc != SIM_NEVER) {
            lookup->blocked &= ~bit;
            lookup_at(rnic, again_cyc, LOOKUP_LEAVES, index_of(lookup, station));
        }
        return 0;
    }
    record->left_cyc = now_cyc;
    lookup->blocked &= ~bit;
    station->entries -= entries;
    station->leaves = LOOKUP_NONE;
    if (!look_at(rnic, station, qp, taken_cyc)) /* whether the QP has more that can leave */
        take_out(rnic, station);
    take_in(rnic, station, now_cyc);
    return 1;
}

/* ---- all together ---- */

static void respond(struct rnic *rnic, uint32_t index, int64_t now_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    struct lookup_job *job = lookup_job(lookup, index);
    struct lookup_station *station = &lookup->station[lookup_station_of(job->channel, job->unit)];
    job->at_cyc = now_cyc;
    record_of(lookup, job)->found_cyc = now_cyc;
    record_of(lookup, job)->misses = (uint8_t)(job->misses < UINT8_MAX ? job->misses : UINT8_MAX);
    append(lookup, &station->found_first, &station->found_last, index);
    take_out(rnic, station);
}

static void happens(struct rnic *rnic, uint64_t ref, int64_t now_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    uint32_t what = (uint32_t)ref;
    switch ((enum lookup_event)(ref >> 32)) {
    case LOOKUP_ASKS:
        lookup->station[what].asks_now = 1;
        return;
    case LOOKUP_RESPONSE:
        respond(rnic, what, now_cyc);
        return;
    case LOOKUP_TAG:
        lookup->station[what].tags--;
        take_in(rnic, &lookup->station[what], now_cyc);
        return;
    case LOOKUP_LEAVES:
        leave(rnic, &lookup->station[what], now_cyc);
        return;
    case LOOKUP_LOOK_AGAIN: /* for what runs in any case: units, the WQE unit, the read */
        return;
    }
}

int64_t lookup_run(struct rnic *rnic, int64_t now_cyc)
{
    struct lookup *lookup = &rnic->lookup;
    const struct heap_entry *first;
    int64_t frame_cyc;
    int goes_on;
    rnic->waits_for_read = rnic->waits_for_space = 0;
    while ((first = heap_first(&lookup->events)) != 0 && first->at <= now_cyc)
        happens(rnic, heap_take(&lookup->events).ref, now_cyc);
    do {
        goes_on = 0;
        visit_read_run(rnic, now_cyc);
        visit_wqe_run(rnic, now_cyc);
        lookup_place_run(rnic, now_cyc);
        for (uint32_t left = lookup->blocked; left != 0; left &= left - 1)
            goes_on |= leave(rnic, &lookup->station[__builtin_ctz(left)], now_cyc);
        frame_cyc = lookup_take_frames(rnic, now_cyc);
    } while (goes_on);
    serve(rnic, LOOKUP_CONTEXT, now_cyc); /* when all that ask in this cycle do */
    serve(rnic, LOOKUP_TRANSLATION, now_cyc);
    int64_t next_cyc = (first = heap_first(&lookup->events)) != 0 ? first->at : SIM_NEVER;
    return frame_cyc < next_cyc ? frame_cyc : next_cyc;
}
