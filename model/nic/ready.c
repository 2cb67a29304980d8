#include "nic/ready.h"

#include "kernel/sim.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t class_of(const struct ready *ready, uint32_t qp)
{
    return ready->qp[qp].level % ready->class_count;
}

/* No classes: the only one has no limit either. */
static inline int is_flat(const struct ready *ready)
{
    return ready->class_count == 1 && ready->rate[0].bps == 0;
}

static int check(const struct ready *ready, const struct nic_params *p, char *error, size_t error_bytes)
{
    snprintf(error, error_bytes, "nic.scheduler = drr counts bytes: nic.quantum_unit must be byte");
    if (arbiter_policy[p->scheduler]->by_bytes && p->quantum_unit != NIC_QUANTUM_UNIT_BYTE)
        return -1;
    snprintf(error, error_bytes, "nic.class_scheduler = drr counts bytes: nic.class_quantum_unit must be byte");
    if (!is_flat(ready) && arbiter_policy[p->class_scheduler]->by_bytes &&
        p->class_quantum_unit != NIC_QUANTUM_UNIT_BYTE)
        return -1;
    return 0;
}

int ready_counts_class_bytes(const struct nic_params *p)
{
    return p->classes > 1 && (p->class_scheduler == NIC_SCHEDULER_DRR || p->class_scheduler == NIC_SCHEDULER_WFQ ||
                              p->class_quantum_unit == NIC_QUANTUM_UNIT_BYTE);
}

int64_t ready_quantum_bytes(const struct nic_params *p)
{
    int64_t qp = p->quantum_unit == NIC_QUANTUM_UNIT_BYTE ? p->quantum : INT64_MAX;
    int64_t class = p->classes > 1 && p->class_quantum_unit == NIC_QUANTUM_UNIT_BYTE ? p->class_quantum : INT64_MAX;
    return qp < class ? qp : class;
}

static void init_classes(struct ready *ready, const struct nic_params *p)
{
    const int64_t weight[] = {p->class0_weight, p->class1_weight, p->class2_weight, p->class3_weight,
                              p->class4_weight, p->class5_weight, p->class6_weight, p->class7_weight};
    const int64_t rate[] = {p->class0_rate, p->class1_rate, p->class2_rate, p->class3_rate,
                            p->class4_rate, p->class5_rate, p->class6_rate, p->class7_rate};
    ready->class_count = (uint32_t)p->classes;
    for (uint32_t c = 0; c < ready->class_count; c++) {
        ready->class[c] = (struct arbiter_entity){.weight = (uint32_t)weight[c], .level = c};
        ready->rate[c] = rate_of(rate[c], p->rate_burst);
    }
}

int ready_init(struct ready *ready, const struct clk *clk, const struct nic_params *p, char *error, size_t error_bytes)
{
    *ready = (struct ready){.clk = clk};
    init_classes(ready, p);
    if (check(ready, p, error, error_bytes))
        return -1;
    snprintf(error, error_bytes, "out of memory");
    ready->in_order = is_flat(ready) && arbiter_policy[p->scheduler]->in_order && p->quantum == 1 &&
                      p->quantum_unit == NIC_QUANTUM_UNIT_PACKET;
    for (uint32_t c = 0; c < ready->class_count; c++)
        if (arbiter_init(&ready->qps[c], (int)p->scheduler, (enum arbiter_unit)p->quantum_unit, p->quantum))
            return -1;
    return arbiter_init(&ready->classes, (int)p->class_scheduler, (enum arbiter_unit)p->class_quantum_unit,
                        p->class_quantum) ||
                   arbiter_reserve(&ready->classes, ready->class, ready->class_count)
               ? -1
               : 0;
}

void ready_free(struct ready *ready)
{
    for (uint32_t c = 0; c < ready->class_count; c++)
        arbiter_free(&ready->qps[c]);
    arbiter_free(&ready->classes);
    free(ready->qp);
}

int ready_add(struct ready *ready, uint32_t qps, uint32_t service_level, uint32_t weight)
{
    if (qps > ready->room) {
        uint32_t room = qps > 32 ? 2 * qps : 64;
        struct arbiter_entity *more = realloc(ready->qp, room * sizeof *more);
        if (!more)
            return -1;
        ready->qp = more;
        ready->room = room;
        for (uint32_t c = 0; c < ready->class_count; c++)
            if (arbiter_reserve(&ready->qps[c], more, room))
                return -1;
    }
    ready->qp[qps - 1] = (struct arbiter_entity){.weight = weight, .level = service_level};
    return 0;
}

static int64_t allowed_cyc(const struct ready *ready, uint32_t class)
{
    return ready->rate[class].bps == 0 ? INT64_MIN : clk_at_or_after(ready->clk, rate_allows_at(&ready->rate[class]));
}

/* A class that has QPs gets its place among the classes, or waits for its rate. */
static void give_place(struct ready *ready, uint32_t class, int64_t cyc)
{
    if (allowed_cyc(ready, class) > cyc) {
        ready->waiting |= 1u << class;
        return;
    }
    ready->waiting &= ~(1u << class);
    ready->in_turn |= 1u << class;
    arbiter_put(&ready->classes, class, ready->qp[arbiter_first(&ready->qps[class])].bytes);
}

/* The class that waits least for its rate; class_count: none. */
static uint32_t next_class(const struct ready *ready)
{
    uint32_t best = ready->class_count;
    for (uint32_t left = ready->waiting; left != 0; left &= left - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(left);
        if (best == ready->class_count || allowed_cyc(ready, class) < allowed_cyc(ready, best))
            best = class;
    }
    return best;
}

int64_t ready_class_cyc(const struct ready *ready)
{
    return ready->waiting ? allowed_cyc(ready, next_class(ready)) : SIM_NEVER;
}

void ready_allow(struct ready *ready, int64_t cyc)
{
    while (ready->waiting && ready_class_cyc(ready) <= cyc)
        give_place(ready, next_class(ready), cyc);
}

void ready_put(struct ready *ready, uint32_t qp, uint32_t bytes, int64_t cyc)
{
    uint32_t class = class_of(ready, qp);
    ready_allow(ready, cyc);
    arbiter_put(&ready->qps[class], qp, bytes);
    if (!is_flat(ready) && !((ready->in_turn | ready->waiting) & 1u << class))
        give_place(ready, class, cyc);
}

uint32_t ready_first(struct ready *ready)
{
    if (is_flat(ready))
        return arbiter_first(&ready->qps[0]);
    uint32_t class = arbiter_first(&ready->classes);
    return class == ARBITER_NONE ? ARBITER_NONE : arbiter_first(&ready->qps[class]);
}

/* The class of a QP that was served: its next frame is that of its next QP, when it may go on in the next cycle. */
static void class_served(struct ready *ready, uint32_t class, uint32_t bytes, int ends_message, int is_backlogged,
                         int64_t cyc)
{
    if (bytes > 0)
        rate_pay(&ready->rate[class], bytes, clk_edge(ready->clk, cyc));
    uint32_t first = arbiter_first(&ready->qps[class]);
    uint32_t next_bytes = first == ARBITER_NONE || allowed_cyc(ready, class) > cyc + 1 ? 0 : ready->qp[first].bytes;
    if (arbiter_served(&ready->classes, class, bytes, ends_message, next_bytes, is_backlogged || first != ARBITER_NONE))
        return;
    ready->in_turn &= ~(1u << class);
    if (first != ARBITER_NONE)
        give_place(ready, class, cyc + 1);
}

int ready_served(struct ready *ready, uint32_t qp, uint32_t bytes, int ends_message, uint32_t next_bytes,
                 int is_backlogged, int64_t cyc)
{
    uint32_t class = class_of(ready, qp);
    int goes_on = arbiter_served(&ready->qps[class], qp, bytes, ends_message, next_bytes, is_backlogged);
    if (!is_flat(ready))
        class_served(ready, class, bytes, ends_message, is_backlogged, cyc);
    return goes_on;
}

void ready_leave(struct ready *ready, uint32_t qp)
{
    uint32_t class = class_of(ready, qp);
    arbiter_leave(&ready->qps[class], qp);
    if (!is_flat(ready) && !((ready->in_turn | ready->waiting) & 1u << class))
        arbiter_leave(&ready->classes, class);
}
