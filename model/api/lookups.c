/* The lookups of contexts and translations, one by one. */
#include "api/api_internal.h"

int rnicsim_lookup_watch(struct rnicsim *sim, uint32_t host, size_t room, struct rnicsim_error *error)
{
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    if (host >= API_HOSTS || room < 1 || room > UINT32_MAX || !sim->system.nic[host].lookup.on ||
        sim->system.nic[host].lookup.record)
        return api_fail(error, RNICSIM_EINPUT,
                        "a watch on the lookups of host %u: allowed is one a host, 0 or 1, room from 1, of a NIC with "
                        "nic.context_unit",
                        host);
    if (lookup_watch(&sim->system.nic[host], (uint32_t)room))
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    return RNICSIM_OK;
}

size_t rnicsim_lookups(const struct rnicsim *sim, uint32_t host, struct rnicsim_lookup_info *out, size_t max)
{
    static const char *const unit[LOOKUP_UNITS] = {"context", "translation"};
    if (host >= API_HOSTS)
        return 0;
    const struct rnic *nic = &sim->system.nic[host];
    const struct lookup *lookup = &nic->lookup;
    for (size_t i = 0; i < lookup->records && i < max; i++) {
        const struct lookup_record *record = &lookup->record[i];
        const int64_t cyc[4] = {record->came_cyc, record->begun_cyc, record->found_cyc, record->left_cyc};
        int64_t ps[4];
        for (int at = 0; at < 4; at++)
            ps[at] = cyc[at] == 0 ? RNICSIM_NEVER : rnic_ps(nic, cyc[at]) - sim->system.shift_ps;
        out[i] = (struct rnicsim_lookup_info){.channel = lookup_channel_name[record->channel],
                                              .unit = unit[record->unit],
                                              .qpn = nic->qp[record->qp].qpn,
                                              .misses = record->misses,
                                              .came_ps = ps[0],
                                              .begun_ps = ps[1],
                                              .found_ps = ps[2],
                                              .left_ps = ps[3]};
    }
    return lookup->records;
}
