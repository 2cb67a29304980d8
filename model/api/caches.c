/* The caches of contexts: hits, misses and what they cost. */
#include "api/api_internal.h"

static size_t caches_of(const struct rnic *nic)
{
    (void)nic;
    return CONTEXT_KINDS;
}

size_t rnicsim_cache_count(const struct rnicsim *sim)
{
    (void)sim;
    return API_HOSTS * (size_t)CONTEXT_KINDS;
}

int rnicsim_cache(struct rnicsim *sim, size_t index, struct rnicsim_cache_info *out)
{
    static const char *const replacement[] = {
        [CONTEXT_LRU] = "lru", [CONTEXT_RANDOM] = "random", [CONTEXT_PLRU] = "plru"};
    const struct rnic *nic = api_pick_nic(sim, &index, caches_of);
    if (!nic)
        return RNICSIM_EINPUT;
    const struct context_table *table = &nic->contexts.table[index];
    *out = (struct rnicsim_cache_info){.nic = nic->setup.name, .name = context_name[index], .replacement = ""};
    if (!table->on)
        return RNICSIM_OK;
    out->replacement = replacement[table->cache.replacement];
    out->entries = table->cache.entries;
    out->ways = table->cache.ways;
    out->fetches_most = table->fetches_most;
    out->hits = table->cache.hits - table->joined;
    out->joined = table->joined;
    out->misses = table->cache.misses;
    out->evictions = table->cache.evictions;
    out->written_back = table->written_back;
    out->failed = table->failed;
    out->port_waits = table->port_waits;
    out->fetch_ps = api_in_ps(&nic->user_clk, table->fetch_cyc);
    out->wait_ps = api_in_ps(&nic->user_clk, table->wait_cyc);
    return RNICSIM_OK;
}
