#include "tests/nic/ref_arbiter.h"

#define VIRTUAL_BYTE 65536u /* as in the real one, so that what is rounded is alike */

static int has_packet(const struct ref_arbiter *ref, uint32_t who)
{
    return ref->of[who].first != ref->of[who].next;
}

static uint32_t bytes_of_first(const struct ref_arbiter *ref, uint32_t who)
{
    return ref->of[who].bytes[ref->of[who].first];
}

static int64_t cost_of_first(const struct ref_arbiter *ref, uint32_t who)
{
    return ref->unit == REF_OF_BYTES ? bytes_of_first(ref, who) : 1;
}

/* It has a first packet now. */
static void begin_packet(struct ref_arbiter *ref, uint32_t who, int had_nothing)
{
    uint64_t before = ref->of[who].finish;
    ref->of[who].joined = ref->moment++;
    ref->of[who].start = had_nothing && before < ref->virtual_now ? ref->virtual_now : before;
    ref->of[who].finish = ref->of[who].start + (uint64_t)bytes_of_first(ref, who) * VIRTUAL_BYTE / ref->of[who].weight;
}

void ref_arbiter_come(struct ref_arbiter *ref, uint32_t who, uint32_t bytes, int ends_message)
{
    int had_nothing = !has_packet(ref, who);
    ref->of[who].bytes[ref->of[who].next] = bytes;
    ref->of[who].ends[ref->of[who].next++] = (uint32_t)ends_message;
    if (had_nothing)
        begin_packet(ref, who, 1);
}

/* ---- turns ---- */

/* Of those with a packet, of the highest level where that counts: who has a turn under way, else who has waited longest. */
static uint32_t whose_turn(const struct ref_arbiter *ref)
{
    uint32_t best = REF_NOBODY;
    for (uint32_t who = 0; who < REF_ENTITIES; who++) {
        if (!has_packet(ref, who))
            continue;
        if (best == REF_NOBODY) {
            best = who;
            continue;
        }
        uint32_t level = ref->policy == REF_STRICT ? ref->of[who].level : 0;
        uint32_t best_level = ref->policy == REF_STRICT ? ref->of[best].level : 0;
        if (level != best_level) {
            best = level > best_level ? who : best;
        } else if (ref->of[who].has_turn != ref->of[best].has_turn) {
            best = ref->of[who].has_turn ? who : best;
        } else if (ref->of[who].joined < ref->of[best].joined) {
            best = who;
        }
    }
    return best;
}

static uint32_t grant_turns(struct ref_arbiter *ref)
{
    uint32_t who = whose_turn(ref);
    if (who == REF_NOBODY)
        return REF_NOBODY;
    if (!ref->of[who].has_turn) {
        int is_weighted = ref->policy == REF_WRR || ref->policy == REF_DRR;
        ref->of[who].left += ref->quantum * (is_weighted ? ref->of[who].weight : 1);
        ref->of[who].has_turn = 1;
    }
    uint32_t at = ref->of[who].first++;
    ref->of[who].left -= ref->unit == REF_OF_BYTES     ? (int64_t)ref->of[who].bytes[at]
                         : ref->unit == REF_OF_PACKETS ? 1
                                                       : (int64_t)ref->of[who].ends[at];
    if (!has_packet(ref, who)) { /* a turn ends with what there is to send, and nothing is kept */
        ref->of[who].has_turn = 0;
        ref->of[who].left = 0;
        return who;
    }
    if (ref->of[who].left < cost_of_first(ref, who)) {
        ref->of[who].has_turn = 0;
        if (ref->policy != REF_DRR)
            ref->of[who].left = 0;
        begin_packet(ref, who, 0);
    }
    return who;
}

/* ---- fair queueing ---- */

static uint32_t grant_wfq(struct ref_arbiter *ref)
{
    uint64_t weights = 0;
    uint32_t best = REF_NOBODY, earliest = REF_NOBODY;
    for (uint32_t who = 0; who < REF_ENTITIES; who++) {
        if (!has_packet(ref, who))
            continue;
        weights += ref->of[who].weight;
        if (ref->of[who].start <= ref->virtual_now &&
            (best == REF_NOBODY || ref->of[who].finish < ref->of[best].finish))
            best = who;
        /* of those that begin together, the one that ends first */
        if (earliest == REF_NOBODY || ref->of[who].start < ref->of[earliest].start ||
            (ref->of[who].start == ref->of[earliest].start && ref->of[who].finish < ref->of[earliest].finish))
            earliest = who;
    }
    uint32_t who = best != REF_NOBODY ? best : earliest;
    if (who == REF_NOBODY)
        return REF_NOBODY;
    if (ref->virtual_now < ref->of[who].start)
        ref->virtual_now = ref->of[who].start;
    ref->virtual_now += (uint64_t)bytes_of_first(ref, who) * VIRTUAL_BYTE / weights;
    ref->of[who].first++;
    if (has_packet(ref, who))
        begin_packet(ref, who, 0);
    return who;
}

uint32_t ref_arbiter_grant(struct ref_arbiter *ref)
{
    return ref->policy == REF_WFQ ? grant_wfq(ref) : grant_turns(ref);
}
