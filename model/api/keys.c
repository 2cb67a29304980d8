/* Memory regions and windows: the keys of a host's memory. */
#include "api/api_internal.h"

_Static_assert((int)KEY_ALL == (int)RNICSIM_ACCESS_ALL && (int)KEY_BIND == (int)RNICSIM_ACCESS_BIND &&
                   (int)KEY_WINDOW_2 == (int)RNICSIM_WINDOW_2,
               "rights and kinds of keys are those of the API");

static const char *wrong_with_key(const struct rnicsim_mr_attr *attr)
{
    int is_free = attr->kind != RNICSIM_REGION;
    if (attr->host >= API_HOSTS || attr->base + attr->length_bytes < attr->base)
        return "host is 0 or 1, length at least 1, end within 64 bits";
    if ((unsigned)attr->kind > RNICSIM_WINDOW_2)
        return "kind: allowed are those of enum rnicsim_key_kind";
    if (is_free && (attr->base != 0 || attr->length_bytes != 0 || attr->access != 0))
        return "base, length and access are 0 where a work request will say them";
    if (!is_free && attr->length_bytes == 0)
        return "host is 0 or 1, length at least 1, end within 64 bits";
    if (api_access_is_wrong(attr->access))
        return "access: allowed are those of enum rnicsim_access";
    return 0;
}

int rnicsim_mr_register(struct rnicsim *sim, const struct rnicsim_mr_attr *attr, struct rnicsim_error *error)
{
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    if (!attr)
        return api_fail(error, RNICSIM_EINPUT, "attr is NULL");
    const char *wrong = wrong_with_key(attr);
    if (wrong)
        return api_fail(error, RNICSIM_EINPUT, "region %u: %s", attr->key, wrong);
    if (attr->page_bytes != 4096 && attr->page_bytes != 2097152 && attr->page_bytes != 1073741824)
        return api_fail(error, RNICSIM_EINPUT, "region %u: page of %llu bytes, allowed 4096, 2097152, 1073741824",
                        attr->key, (unsigned long long)attr->page_bytes);
    struct rnic *nic = &sim->system.nic[attr->host];
    struct key key = {.key = attr->key,
                      .base = attr->base,
                      .length_bytes = attr->length_bytes,
                      .page_bytes = attr->page_bytes,
                      .pd = attr->pd,
                      .qp = KEY_ANY_QP,
                      .access = api_access(attr->access),
                      .kind = (uint8_t)attr->kind,
                      .is_valid = attr->kind == RNICSIM_REGION};
    char why[256];
    if (attr->kind != RNICSIM_REGION && local_turn_on(nic, why, sizeof why))
        return api_fail(error, RNICSIM_EINPUT, "region %u: %s", attr->key, why);
    int failed = keys_add(&nic->keys, &key);
    if (failed)
        return api_fail(error, RNICSIM_EINPUT,
                        failed == -1 ? "region key %u of host %u exists already" : "out of memory", attr->key,
                        attr->host);
    return RNICSIM_OK;
}

int rnicsim_mr_deregister(struct rnicsim *sim, uint32_t host, uint32_t key, struct rnicsim_error *error)
{
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    int failed = host < API_HOSTS ? keys_remove(&sim->system.nic[host].keys, key) : -1;
    if (failed)
        return api_fail(error, RNICSIM_EINPUT,
                        failed == -1 ? "host %u has no region of key %u" : "host %u: windows are bound to region %u",
                        host, key);
    return RNICSIM_OK;
}
