/* What the hosts' memories hold. */
#include "api/api_internal.h"

int api_settle(struct rnicsim *sim, struct rnicsim_error *error)
{
    contents_settle(sim->system.contents, &sim->system.messages, sim->system.sim.now);
    return sim->system.contents->has_failed ? api_fail(error, RNICSIM_EINPUT, "out of memory") : RNICSIM_OK;
}

/* Whether it can be asked for at all. */
static int check(struct rnicsim *sim, uint32_t host, const void *bytes, size_t count, struct rnicsim_error *error)
{
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    if (!sim->system.contents)
        return api_fail(error, RNICSIM_EINPUT, "memory holds nothing: allowed with rnicsim_options.data = 1");
    if (host >= API_HOSTS || (!bytes && count > 0))
        return api_fail(error, RNICSIM_EINPUT, "host: allowed 0 and 1; bytes must not be NULL");
    return api_settle(sim, error);
}

int rnicsim_memory_write(struct rnicsim *sim, uint32_t host, uint64_t address, const void *bytes, size_t count,
                         struct rnicsim_error *error)
{
    int result = check(sim, host, bytes, count, error);
    if (result == RNICSIM_OK && memory_write(&sim->system.contents->memory[host], address, bytes, count, 0))
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    return result;
}

int rnicsim_memory_read(struct rnicsim *sim, uint32_t host, uint64_t address, void *bytes, size_t count,
                        struct rnicsim_error *error)
{
    int result = check(sim, host, bytes, count, error);
    if (result == RNICSIM_OK)
        memory_read(&sim->system.contents->memory[host], address, bytes, count);
    return result;
}

int rnicsim_memory_lend(struct rnicsim *sim, uint32_t host, uint64_t address, void *bytes, size_t count,
                        struct rnicsim_error *error)
{
    int result = check(sim, host, "", 0, error);
    if (result != RNICSIM_OK)
        return result;
    if (address % MEMORY_PAGE_BYTES != 0 || count % MEMORY_PAGE_BYTES != 0)
        return api_fail(error, RNICSIM_EINPUT, "memory is lent in whole pages: allowed are multiples of 4096");
    if (memory_lend(&sim->system.contents->memory[host], address, bytes, count))
        return api_fail(error, RNICSIM_EINPUT, "out of memory");
    return RNICSIM_OK;
}
