/* The reference's endpoint, at an edge of the user clock: what comes in, and the engine that cuts reads. */
#include "pcie/tlp.h"
#include "tests/pcie/ref_parts.h"

static void note_most(int64_t *most, int64_t all, int64_t left)
{
    if (all - left > *most)
        *most = all - left;
}

static void give(struct ref *ref, struct ref_request *request)
{
    ref->free_tags++;
    ref->free_headers += request->headers;
    ref->free_data += request->data;
    ref_wrong(ref, ref->free_tags <= ref->p->tags && ref->free_headers <= ref->p->completion_headers,
              "more tags or headers come back than there are");
}

/* A request's last completion came: its tag is free, or when all before it have theirs, too. */
static void retire(struct ref *ref, struct ref_request *request)
{
    request->over = 1;
    if (ref->p->retire == PCIE_RETIRE_ARRIVAL)
        give(ref, request);
    else
        for (; ref->oldest < ref->requests && ref->request[ref->oldest].over; ref->oldest++)
            give(ref, &ref->request[ref->oldest]);
}

/* The request is completed, or has failed: with the last one, the operation is done. */
static void ends(struct ref *ref, struct ref_request *request, int failed)
{
    struct ref_pcie_times *times = &ref->log->times[request->load];
    for (uint32_t i = 0; i < ref->pendings; i++)
        if (&ref->request[ref->pending[i]] == request) {
            ref->pending[i] = ref->pending[--ref->pendings];
            break;
        }
    request->has_failed = failed;
    times->failed |= failed;
    if (--ref->in_flight[request->load] > 0 || !ref->all_sent[request->load])
        return;
    times->done_cyc = ref->user_cyc;
    ref->finished++;
}

/* What was seen in the last cycle is used from now on; what came in since is seen now. */
static void take_completions(struct ref *ref)
{
    const struct ref_delayed *due;
    while ((due = ref_due(&ref->usable, ref->user_cyc)) != 0) {
        retire(ref, &ref->request[due->a]);
        ref->usable.first++;
    }
    while ((due = ref_due(&ref->returned, ref->now_ps - 1)) != 0) {
        struct ref_request *request = &ref->request[due->a];
        ref_delay(&ref->usable, ref->user_cyc + 1, due->a, 0);
        if (due->at <= request->deadline_ps)
            ends(ref, request, request->is_refused);
        else if (!request->has_failed)
            ends(ref, request, 1);
        ref->returned.first++;
    }
}

/* Requests that are not completed in time. */
static void take_timeouts(struct ref *ref)
{
    for (uint32_t i = 0; i < ref->pendings;) {
        struct ref_request *request = &ref->request[ref->pending[i]];
        if (request->deadline_ps < ref->now_ps)
            ends(ref, request, 1); /* takes the place of another */
        else
            i++;
    }
}

static int is_read(const struct ref_pcie_load *load)
{
    return load->kind == REF_READ || load->kind == REF_WQE_READ;
}

/* The next operation, one cycle after it was pushed. */
static void begin_operation(struct ref *ref)
{
    const struct ref_pcie_system *system = ref->system;
    while (ref->next_operation < system->loads && !is_read(&system->load[ref->next_operation]))
        ref->next_operation++;
    if (ref->next_operation == system->loads || system->load[ref->next_operation].at_cyc + 1 > ref->user_cyc)
        return;
    ref->current = ref->next_operation++;
    ref->current_address = system->load[ref->current].address;
    ref->current_bytes = system->load[ref->current].bytes;
    ref->is_current = 1;
}

static void end_operation(struct ref *ref)
{
    ref->is_current = 0;
    ref->all_sent[ref->current] = 1;
    ref->engine_rest_cyc = (int)ref->p->operation_interval - 1;
}

static void issue(struct ref *ref, const struct ref_request *what)
{
    const struct pcie_params *p = ref->p;
    ref->free_tags--;
    ref->free_headers -= what->headers;
    ref->free_data -= what->data;
    note_most(&ref->log->tags_most, p->tags, ref->free_tags);
    note_most(&ref->log->headers_most, p->completion_headers, ref->free_headers);
    note_most(&ref->log->data_most, p->completion_buffer / TLP_CREDIT_BYTES, ref->free_data);
    ref_wrong(ref, ref->requests < REF_QUEUE_MAX, "too many requests");
    ref->request[ref->requests] = *what;
    ref_delay(&ref->issue, ref->user_cyc + p->read_latency, ref->requests++, 0);
    ref->in_flight[ref->current]++;
    ref->current_address += what->bytes;
    ref->current_bytes -= what->bytes;
}

static void run_engine(struct ref *ref)
{
    const struct pcie_params *p = ref->p;
    if (!ref->is_current)
        begin_operation(ref);
    if (!ref->is_current)
        return;
    if (ref->current_bytes == 0) {
        ref->log->times[ref->current].done_cyc = ref->user_cyc + p->read_latency;
        ref->finished++;
        end_operation(ref);
        return;
    }
    struct ref_request what = {.load = ref->current, .address = ref->current_address};
    what.bytes = tlp_piece(what.address, ref->current_bytes, (uint32_t)p->mrrs);
    what.headers = tlp_blocks(what.address, what.bytes, (uint32_t)p->rcb);
    what.data = tlp_blocks(what.address, what.bytes, TLP_CREDIT_BYTES);
    if (ref->free_tags < 1 || ref->free_headers < what.headers || ref->free_data < what.data)
        return;
    issue(ref, &what);
    ref->engine_rest_cyc = (int)p->read_interval - 1;
    if (ref->current_bytes == 0)
        end_operation(ref);
}

/* The NIC takes the oldest store from the receive buffer, and tells the host of its credits. */
static void take_store(struct ref *ref)
{
    const struct ref_delayed *store = ref_due(&ref->stores, ref->now_ps - 1);
    if (!store || ref->user_cyc < ref->store_rest_until_cyc)
        return;
    uint32_t data = (ref->system->load[store->a].bytes + TLP_CREDIT_BYTES - 1) / TLP_CREDIT_BYTES;
    ref->log->times[store->a].done_cyc = ref->user_cyc;
    ref_delay(&ref->store_updates, ref->now_ps + ref->p->update_fc + ref->p->link_latency, data, 0);
    ref->store_rest_until_cyc = ref->user_cyc + ref->system->store_interval_cyc;
    ref->stores.first++;
    ref->finished++;
}

void ref_engine_edge(struct ref *ref)
{
    take_completions(ref);
    take_store(ref);
    take_timeouts(ref);
    if (ref->engine_rest_cyc > 0)
        ref->engine_rest_cyc--;
    else
        run_engine(ref);
    for (const struct ref_delayed *due; (due = ref_due(&ref->issue, ref->user_cyc)) != 0; ref->issue.first++)
        ref_delay(&ref->to_send, ref->now_ps, due->a, 0);
}
