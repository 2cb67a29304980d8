/* Shared receive queues: made, armed, and asked. */
#include "api/api_internal.h"

static uint32_t find(const struct rnicsim *sim, uint32_t host, uint32_t srqn)
{
    return host < API_HOSTS ? qp_table_find(&sim->system.nic[host].srqs.by_number, srqn) : QP_NONE;
}

struct srq *api_find_srq(const struct rnicsim *sim, uint32_t host, uint32_t srqn, struct rnicsim_error *error)
{
    uint32_t index = find(sim, host, srqn);
    if (index != QP_NONE)
        return sim->system.nic[host].srqs.srq[index];
    api_fail(error, RNICSIM_EINPUT, "host %u has no SRQ %u", host, srqn);
    return 0;
}

static const char *wrong_with(const struct rnicsim *sim, const struct rnicsim_srq_attr *attr)
{
    if (attr->host >= API_HOSTS)
        return "host: allowed are 0 and 1";
    if (attr->srqn < 1 || attr->srqn > 0xffffff)
        return "srqn: allowed 1 to 16777215";
    if (attr->depth < 1 || attr->depth > 32768)
        return "depth: allowed 1 to 32768";
    if (attr->limit > attr->depth)
        return "limit: allowed 0 to its depth";
    if (sim->system.nic[attr->host].lookup.on)
        return "not with nic.context_unit: allowed is 0";
    return find(sim, attr->host, attr->srqn) == QP_NONE ? 0 : "it exists already";
}

int rnicsim_srq_create(struct rnicsim *sim, const struct rnicsim_srq_attr *attr, struct rnicsim_error *error)
{
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    if (!attr)
        return api_fail(error, RNICSIM_EINPUT, "attr is NULL");
    const char *wrong = wrong_with(sim, attr);
    if (wrong)
        return api_fail(error, RNICSIM_EINPUT, "SRQ %u of host %u: %s", attr->srqn, attr->host, wrong);
    struct rnic *nic = &sim->system.nic[attr->host];
    uint32_t index = srq_add(nic, attr->srqn, attr->depth);
    if (index == SRQ_NONE)
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    nic->srqs.srq[index]->limit = attr->limit;
    return RNICSIM_OK;
}

int rnicsim_srq_arm(struct rnicsim *sim, uint32_t host, uint32_t srqn, uint32_t limit, struct rnicsim_error *error)
{
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    struct srq *srq = api_find_srq(sim, host, srqn, error);
    if (!srq)
        return RNICSIM_EINPUT;
    if (limit > srq->queue->depth)
        return api_fail(error, RNICSIM_EINPUT, "SRQ %u of host %u: limit: allowed 0 to its depth", srqn, host);
    srq->limit = limit;
    return RNICSIM_OK;
}

int rnicsim_srq(const struct rnicsim *sim, uint32_t host, uint32_t srqn, struct rnicsim_srq_info *out)
{
    const struct srq *srq = api_find_srq(sim, host, srqn, 0);
    if (!srq)
        return RNICSIM_EINPUT;
    *out = (struct rnicsim_srq_info){.qps = srq->qps,
                                     .posted = srq->queue->posted,
                                     .taken = srq->queue->taken,
                                     .accesses = srq->accesses,
                                     .empty = srq->empty,
                                     .limits = srq->limits,
                                     .limit = srq->limit};
    return RNICSIM_OK;
}
