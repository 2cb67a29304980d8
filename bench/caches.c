#include "bench/caches.h"

#include <inttypes.h>

#include "bench/summary.h"

#define PS_PER_NS 1e3
#define PS_PER_US 1e6

int caches_exist(const struct result *result)
{
    for (size_t i = 0; i < result->cache_count; i++)
        if (result->caches[i].entries > 0)
            return 1;
    return 0;
}

/* An access that finds a fetch under way has missed, too. */
static double hit_share(const struct rnicsim_cache_info *cache)
{
    uint64_t all = cache->hits + cache->joined + cache->misses;
    return all > 0 ? (double)cache->hits / (double)all : 0;
}

/* From the begin of a fetch to its end, in the mean; a fetch that is under way when the run ends has no time yet. */
static double fetch_ns(const struct rnicsim_cache_info *cache)
{
    return cache->misses > 0 ? (double)cache->fetch_ps / (double)cache->misses / PS_PER_NS : 0;
}

void caches_print(const struct result *result, FILE *out)
{
    if (!caches_exist(result))
        return;
    fprintf(out, "\nContexts that are not all on chip\n  %-9s %8s %5s %-7s %9s %9s %7s %11s %10s %12s\n", "NIC cache",
            "entries", "ways", "replace", "hits", "misses", "hit %", "written b.", "fetch ns", "waited us");
    for (size_t i = 0; i < result->cache_count; i++) {
        const struct rnicsim_cache_info *cache = &result->caches[i];
        if (cache->entries == 0 || cache->hits + cache->joined + cache->misses == 0)
            continue;
        fprintf(out, "  %s %-7s %8" PRIu64 " %5" PRIu64 " %-7s %9" PRIu64 " %9" PRIu64, cache->nic, cache->name,
                cache->entries, cache->ways, cache->replacement, cache->hits, cache->joined + cache->misses);
        fprintf(out, " %7.2f %11" PRIu64 " %10.1f %12.2f\n", 100 * hit_share(cache), cache->written_back,
                fetch_ns(cache), (double)cache->wait_ps / PS_PER_US);
    }
}

void caches_csv(const struct result *result, FILE *out)
{
    fputs("nic,cache,entries,ways,replacement,fetches_most,hits,joined,misses,hit_share_pct,evictions,written_back,"
          "failed,port_waits,fetch_mean_ns,fetch_sum_ps,wait_sum_ps\n",
          out);
    for (size_t i = 0; i < result->cache_count; i++) {
        const struct rnicsim_cache_info *cache = &result->caches[i];
        if (cache->entries == 0)
            continue;
        fprintf(out, "%s,%s,%" PRIu64 ",%" PRIu64 ",%s,%" PRIu64, cache->nic, cache->name, cache->entries, cache->ways,
                cache->replacement, cache->fetches_most);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.4f", cache->hits, cache->joined, cache->misses,
                100 * hit_share(cache));
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, cache->evictions, cache->written_back,
                cache->failed, cache->port_waits);
        fprintf(out, ",%.3f,%" PRId64 ",%" PRId64 "\n", fetch_ns(cache), cache->fetch_ps, cache->wait_ps);
    }
}

static json_t *cache_object(const struct rnicsim_cache_info *cache, int *failed)
{
    char name[64];
    json_t *object = json_object();
    snprintf(name, sizeof name, "%s %s", cache->nic, cache->name);
    summary_put(object, "name", json_string(name), failed);
    summary_put(object, "entries", summary_whole(cache->entries), failed);
    summary_put(object, "hits", summary_whole(cache->hits), failed);
    summary_put(object, "misses", summary_whole(cache->joined + cache->misses), failed);
    summary_put(object, "hit_share", summary_number(hit_share(cache), 1e5), failed);
    summary_put(object, "evictions", summary_whole(cache->evictions), failed);
    summary_put(object, "written_back", summary_whole(cache->written_back), failed);
    summary_put(object, "fetch_ns", summary_number(fetch_ns(cache), 1e3), failed);
    summary_put(object, "waited_ns", summary_number((double)cache->wait_ps / PS_PER_NS, 1e3), failed);
    return object;
}

json_t *caches_json(const struct result *result, int *failed)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->cache_count; i++)
        if (result->caches[i].entries > 0)
            *failed |= json_array_append_new(array, cache_object(&result->caches[i], failed)) != 0;
    return array;
}
