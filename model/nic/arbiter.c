#include "nic/arbiter.h"

const struct arbiter_policy *const arbiter_policy[] = {&arbiter_rr, &arbiter_wrr, &arbiter_drr, &arbiter_strict,
                                                       &arbiter_wfq};

int arbiter_init(struct arbiter *arbiter, int policy, enum arbiter_unit unit, int64_t quantum)
{
    *arbiter = (struct arbiter){.policy = arbiter_policy[policy], .unit = unit, .quantum = quantum};
    for (uint32_t i = 0; i < ARBITER_LEVELS; i++)
        arbiter->list[i] = (struct arbiter_list){ARBITER_NONE, ARBITER_NONE};
    return heap_init(&arbiter->later, 1) || heap_init(&arbiter->begun, 1) ? -1 : 0;
}

int arbiter_reserve(struct arbiter *arbiter, struct arbiter_entity *entity, uint32_t entities)
{
    arbiter->entity = entity;
    return arbiter->policy->reserve ? arbiter->policy->reserve(arbiter, entities) : 0;
}

void arbiter_free(struct arbiter *arbiter)
{
    heap_free(&arbiter->later);
    heap_free(&arbiter->begun);
}
