/* A plain arbiter to compare with: it looks at everybody at every grant, and knows no list, heap or state of the real one. */
#ifndef TESTS_NIC_REF_ARBITER_H
#define TESTS_NIC_REF_ARBITER_H

#include <stdint.h>

#define REF_ENTITIES 8
#define REF_PACKETS 64
#define REF_NOBODY UINT32_MAX

enum ref_policy { REF_RR, REF_WRR, REF_DRR, REF_STRICT, REF_WFQ };
enum ref_unit { REF_OF_PACKETS, REF_OF_BYTES, REF_OF_MESSAGES };

struct ref_arbiter {
    enum ref_policy policy;
    enum ref_unit unit;
    int64_t quantum;
    struct {
        uint32_t weight, level;
        uint32_t bytes[REF_PACKETS], ends[REF_PACKETS], first, next;
        uint64_t joined; /* the moment from which on it waits for a turn */
        int has_turn;    /* and has not used it up */
        int64_t left;
        uint64_t start, finish; /* of its first packet, in virtual time */
    } of[REF_ENTITIES];
    uint64_t moment, virtual_now;
};

void ref_arbiter_come(struct ref_arbiter *ref, uint32_t who, uint32_t bytes, int ends_message);
/* Who sends its first packet; REF_NOBODY: nobody has one. */
uint32_t ref_arbiter_grant(struct ref_arbiter *ref);

#endif
