/* Each policy against scripts: who asks in, who is granted out, worked out by hand. And the shares that the theory promises. */
#include "nic/arbiter.h"

#include "kernel/rnd.h"
#include "tests/nic/ref_arbiter.h"

#include <CUnit/CUnit.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RR, WRR, DRR, STRICT, WFQ };

#define ENTITIES 8
#define PACKETS 64

/* "A10" a packet of 10 bytes of entity A, "A10+" more of its message is to come, "." a grant: who, or "-" for nobody. */
struct script {
    int policy;
    enum arbiter_unit unit;
    int quantum;
    const char *numbers; /* of A, B, ...: weights; of strict: levels */
    const char *in, *out;
};

#define PACKET_TURNS ARBITER_PACKETS, 1

static const struct script scripts[] = {
    {RR, PACKET_TURNS, "1 1 1", "A1 B1 C1 ...", "ABC"},
    {RR, PACKET_TURNS, "1 1", "A1 A1 A1 B1 ....", "ABAA"},
    {RR, PACKET_TURNS, "1", ".", "-"},
    {RR, PACKET_TURNS, "1 1", "A1 .. B1 .", "A-B"},
    {RR, PACKET_TURNS, "1 1 1", "A1 A1 B1 . C1 ...", "ABAC"},
    {RR, ARBITER_PACKETS, 2, "1 1", "A1 A1 A1 B1 B1 .....", "AABBA"},
    {RR, ARBITER_PACKETS, 2, "1 1", "A1 B1 B1 B1 . A1 ....", "ABBAB"},
    {RR, ARBITER_MESSAGES, 1, "1 1", "A1+ A1+ A1 B1 ....", "AAAB"},
    {RR, ARBITER_MESSAGES, 2, "1 1", "A1 A1+ A1 A1 B1 .....", "AAABA"},
    {RR, ARBITER_BYTES, 10, "1 1", "A6 A6 A6 B6 ....", "ABAA"}, /* 4 are left of a turn: too few, and not kept */
    {RR, ARBITER_BYTES, 10, "1 1", "A4 A4 A4 B4 ....", "AABA"},
    {RR, PACKET_TURNS, "3 1", "A1 A1 B1 B1 ....", "ABAB"}, /* weights do not count */

    {WRR, PACKET_TURNS, "2 1", "A1 A1 A1 A1 B1 B1 ......", "AABAAB"},
    {WRR, PACKET_TURNS, "3 1 2", "A1 A1 A1 A1 B1 B1 C1 C1 C1 .........", "AAABCCABC"},
    {WRR, PACKET_TURNS, "1 1", "A1 A1 B1 B1 ....", "ABAB"},
    {WRR, PACKET_TURNS, "3 1", "A1 B1 B1 ...", "ABB"},
    {WRR, PACKET_TURNS, "3 1", "A1 B1 . A1 A1 A1 A1 B1 ......", "ABAAABA"}, /* a turn cut short is not made up for */
    {WRR, ARBITER_PACKETS, 2, "2 1", "A1 A1 A1 A1 A1 B1 B1 B1 ........", "AAAABBAB"},
    {WRR, ARBITER_MESSAGES, 1, "2 1", "A1+ A1 A1+ A1 A1 B1+ B1 .......", "AAAABBA"},
    {WRR, ARBITER_BYTES, 10, "2 1", "A8 A8 A8 A8 B8 B8 ......", "AABAAB"},
    {WRR, PACKET_TURNS, "1 3", "B1 B1 B1 . A1 ...", "BBBA"},
    {WRR, PACKET_TURNS, "1 1 1", "C1 A1 B1 ....", "CAB-"},

    {DRR, ARBITER_BYTES, 10, "1 1", "A10 A10 B10 B10 ....", "ABAB"},
    {DRR, ARBITER_BYTES, 10, "1 1", "A5 A5 A5 A5 B10 B10 ......", "AABAAB"},
    {DRR, ARBITER_BYTES, 10, "1 1", "A6 A6 A6 A6 A6 B10 B10 B10 ........", "ABAABAAB"}, /* 4, then 2 are kept */
    {DRR, ARBITER_BYTES, 10, "2 1", "A10 A10 A10 A10 B10 B10 ......", "AABAAB"},
    {DRR, ARBITER_BYTES, 10, "1 1", "A6 B10 B10 . A7 A7 ....", "ABABA"}, /* the 4 are lost when nothing is there */
    {DRR, ARBITER_BYTES, 10, "1 1", "A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 B10 ............", "AAAAAAAAAABA"},
    {DRR, ARBITER_BYTES, 10, "1 1", "A5 B5 . A5 ...", "ABA-"},
    {DRR, ARBITER_BYTES, 10, "1 2 3", "A10 A10 B10 B10 B10 B10 C10 C10 C10 C10 C10 C10 ............", "ABBCCCABBCCC"},
    {DRR, ARBITER_BYTES, 10, "2 1", "A15 A15 A15 A15 B10 B10 B10 .......", "ABABAAB"},
    {DRR, ARBITER_BYTES, 10, "1 1", ". A10 .", "-A"},
    {DRR, ARBITER_BYTES, 10, "1 1", "A5+ A5+ A5 B5 ....", "AABA"}, /* messages do not count */

    {STRICT, PACKET_TURNS, "0 1", "A1 A1 B1 ...", "BAA"},
    {STRICT, PACKET_TURNS, "0 1", "A1 A1 . B1 ..", "ABA"},
    {STRICT, PACKET_TURNS, "1 1 0", "A1 A1 B1 B1 C1 .....", "ABABC"},
    {STRICT, ARBITER_PACKETS, 2, "1 1", "A1 A1 A1 B1 ....", "AABA"},
    {STRICT, ARBITER_PACKETS, 3, "0 1 0", "A1 A1 A1 C1 . B1 ....", "ABAAC"}, /* the rest of A's turn comes after B */
    {STRICT, ARBITER_MESSAGES, 1, "0 1", "A1+ A1+ A1 . B1 ...", "ABAA"},
    {STRICT, PACKET_TURNS, "0 1", "A1 B1 B1 B1 ....", "BBBA"},
    {STRICT, PACKET_TURNS, "0 7 15", "A1 B1 C1 ...", "CBA"},
    {STRICT, PACKET_TURNS, "1 1", "A1 B1 . A1 ..", "ABA"},
    {STRICT, PACKET_TURNS, "0 1", "B1 A1 .. B1 .", "BAB"},
    {STRICT, PACKET_TURNS, "0 1", ". B1 . .", "-B-"},

    {WFQ, PACKET_TURNS, "1 1", "A10 A10 A10 B10 B10 B10 ......", "ABABAB"},
    {WFQ, PACKET_TURNS, "2 1", "A10 A10 A10 A10 B10 B10 ......", "ABAABA"},
    {WFQ, PACKET_TURNS, "1 1", "A10 A10 A10 A10 .. B10 B10 ....", "AAABAB"}, /* B had nothing: it is owed nothing */
    {WFQ, PACKET_TURNS, "1 1", "A5 A5 A5 A5 B10 B10 ......", "ABAABA"},
    {WFQ, PACKET_TURNS, "4 1 1 1 1", "A10 A10 A10 A10 B10 C10 D10 E10 ........", "ABACADAE"}, /* no burst of A's */
    {WFQ, PACKET_TURNS, "1", ".", "-"},
    {WFQ, PACKET_TURNS, "1", "A10 A10 ..", "AA"},
    {WFQ, PACKET_TURNS, "1 1", "A10 B10 B10 B10 .. A10 ..", "ABBA"},
    {WFQ, PACKET_TURNS, "1 1", "A10 B10 B10 . A10 ...", "ABAB"}, /* A's finish is later than now */
    {WFQ, PACKET_TURNS, "3 1", "A10 A10 A10 A10 A10 A10 B10 B10 ........", "ABAAABAA"},
};

struct bench {
    struct arbiter arbiter;
    struct arbiter_entity entity[ENTITIES];
    struct {
        uint32_t bytes[PACKETS];
        int ends[PACKETS];
        uint32_t first, next;
    } queue[ENTITIES];
};

static void open_bench(struct bench *b, int policy, enum arbiter_unit unit, int64_t quantum)
{
    memset(b, 0, sizeof *b);
    for (int i = 0; i < ENTITIES; i++)
        b->entity[i].weight = 1;
    CU_ASSERT_EQUAL_FATAL(arbiter_init(&b->arbiter, policy, unit, quantum), 0);
    CU_ASSERT_EQUAL_FATAL(arbiter_reserve(&b->arbiter, b->entity, ENTITIES), 0);
}

static void come(struct bench *b, uint32_t index, uint32_t bytes, int ends)
{
    uint32_t at = b->queue[index].next++;
    CU_ASSERT_FATAL(at < PACKETS);
    b->queue[index].bytes[at] = bytes;
    b->queue[index].ends[at] = ends;
    if (at == b->queue[index].first)
        arbiter_put(&b->arbiter, index, bytes);
}

/* Who is granted; asked twice, as nobody may mind. */
static uint32_t grant(struct bench *b)
{
    uint32_t index = arbiter_first(&b->arbiter);
    CU_ASSERT_EQUAL(arbiter_first(&b->arbiter), index);
    if (index == ARBITER_NONE)
        return index;
    uint32_t at = b->queue[index].first++, next = b->queue[index].first;
    uint32_t next_bytes = next < b->queue[index].next ? b->queue[index].bytes[next] : 0;
    int goes_on = arbiter_served(&b->arbiter, index, b->queue[index].bytes[at], b->queue[index].ends[at], next_bytes,
                                 next_bytes > 0);
    if (!goes_on && next_bytes > 0)
        arbiter_put(&b->arbiter, index, next_bytes);
    return index;
}

static void run_script(const struct script *script)
{
    struct bench b;
    char out[64] = "", *end = out;
    open_bench(&b, script->policy, script->unit, script->quantum);
    char *number = (char *)(uintptr_t)script->numbers;
    for (int i = 0; *number; i++) {
        uint32_t value = (uint32_t)strtoul(number, &number, 10);
        *(script->policy == STRICT ? &b.entity[i].level : &b.entity[i].weight) = value;
    }
    for (const char *in = script->in; *in;) {
        if (isupper((unsigned char)*in)) {
            uint32_t index = (uint32_t)(*in - 'A');
            char *after;
            uint32_t bytes = (uint32_t)strtoul(in + 1, &after, 10);
            come(&b, index, bytes, *after != '+');
            in = after + (*after == '+');
        } else if (*in++ == '.') {
            uint32_t index = grant(&b);
            *end++ = index == ARBITER_NONE ? '-' : (char)('A' + index);
        }
    }
    *end = 0;
    if (strcmp(out, script->out) != 0)
        printf("\n    %s, quantum %d, %s: %s: %s, not %s", b.arbiter.policy->name, script->quantum, script->numbers,
               script->in, out, script->out);
    CU_ASSERT_STRING_EQUAL(out, script->out);
    arbiter_free(&b.arbiter);
}

static void by_hand(void)
{
    int count[WFQ + 1] = {0};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        run_script(&scripts[i]);
        count[scripts[i].policy]++;
    }
    for (int policy = 0; policy <= WFQ; policy++)
        CU_ASSERT(count[policy] >= 10);
}

#define LARGEST 4200u

/* Everybody always has packets of random sizes. Counts each one's bytes; returns who was granted. */
static uint32_t grant_of_many(struct bench *b, uint64_t *random, int64_t sent[ENTITIES])
{
    uint32_t index = arbiter_first(&b->arbiter), bytes = b->entity[index].bytes;
    uint32_t next = 60 + (uint32_t)(rnd_mix((*random)++) % (LARGEST - 60));
    sent[index] += bytes;
    if (!arbiter_served(&b->arbiter, index, bytes, 1, next, 1))
        arbiter_put(&b->arbiter, index, next);
    return index;
}

static uint64_t open_many(struct bench *b, int policy, enum arbiter_unit unit, int64_t quantum, uint64_t seed)
{
    uint64_t random = seed << 32, weights = 0;
    open_bench(b, policy, unit, quantum);
    for (uint32_t i = 0; i < ENTITIES; i++)
        weights += b->entity[i].weight = 1 + (uint32_t)(rnd_mix(random++) % 20);
    for (uint32_t i = 0; i < ENTITIES; i++)
        arbiter_put(&b->arbiter, i, LARGEST / 2);
    return weights;
}

/* Deficit round robin: after each round everybody has sent rounds * weight * quantum, less than one quantum of it missing. */
static void drr_shares(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct bench b;
        int64_t sent[ENTITIES] = {0}, rounds = 0, wrong = 0;
        open_many(&b, DRR, ARBITER_BYTES, LARGEST, seed);
        uint64_t random = seed;
        for (uint32_t grants = 0, last = ENTITIES - 1; grants < 20000; grants++) {
            uint32_t index = grant_of_many(&b, &random, sent);
            if (index == 0 && last == ENTITIES - 1 && rounds++ > 0)
                for (uint32_t i = 1; i < ENTITIES; i++) {
                    int64_t missing = (rounds - 1) * b.entity[i].weight * (int64_t)LARGEST - sent[i];
                    wrong += missing < 0 || missing >= LARGEST;
                }
            last = index;
        }
        CU_ASSERT(rounds > 50);
        CU_ASSERT_EQUAL(wrong, 0);
        arbiter_free(&b.arbiter);
    }
}

/* Weighted fair queueing: after each packet everybody has had weight / weights of all bytes, but for one packet. */
static void wfq_shares(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct bench b;
        int64_t sent[ENTITIES] = {0}, all = 0, wrong = 0;
        int64_t weights = (int64_t)open_many(&b, WFQ, ARBITER_PACKETS, 1, seed);
        uint64_t random = seed;
        for (int grants = 0; grants < 20000; grants++) {
            uint32_t index = arbiter_first(&b.arbiter);
            all += b.entity[index].bytes;
            grant_of_many(&b, &random, sent);
            for (uint32_t i = 0; i < ENTITIES; i++) {
                int64_t off = sent[i] * weights - all * b.entity[i].weight; /* times weights */
                wrong += off > LARGEST * weights || off < -(int64_t)LARGEST * weights;
            }
        }
        CU_ASSERT_EQUAL(wrong, 0);
        arbiter_free(&b.arbiter);
    }
}

/* Random arrivals and grants, with policies, units, quanta, weights and levels: who is granted, against the plain arbiter. */
static void against_the_reference(void)
{
    static const int policies[] = {RR, WRR, DRR, STRICT, WFQ};
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct bench b;
        struct ref_arbiter ref = {0};
        uint64_t random = seed << 20;
        int policy = policies[seed % 5];
        enum arbiter_unit unit = policy == DRR ? ARBITER_BYTES : (enum arbiter_unit)(rnd_mix(random++) % 3);
        int64_t quantum =
            unit == ARBITER_BYTES ? 100 + (int64_t)(rnd_mix(random++) % 300) : 1 + (int64_t)(rnd_mix(random++) % 3);
        open_bench(&b, policy, unit, quantum);
        ref.policy = (enum ref_policy)policy;
        ref.unit = (enum ref_unit)unit;
        ref.quantum = quantum;
        for (uint32_t i = 0; i < ENTITIES; i++) {
            b.entity[i].weight = ref.of[i].weight = 1 + (uint32_t)(rnd_mix(random++) % 5);
            b.entity[i].level = ref.of[i].level = (uint32_t)(rnd_mix(random++) % 3);
        }
        int wrong = 0;
        uint32_t busy = 1 + (uint32_t)(rnd_mix(random++) % 3), grants = 0;
        for (int step = 0; step < 400; step++) {
            uint32_t who = (uint32_t)(rnd_mix(random++) % ENTITIES);
            int comes = rnd_mix(random++) % 4 < busy && b.queue[who].next < PACKETS;
            if (comes) {
                uint32_t bytes = 1 + (uint32_t)(rnd_mix(random++) % 100);
                int ends = rnd_mix(random++) % 3 == 0;
                come(&b, who, bytes, ends);
                ref_arbiter_come(&ref, who, bytes, ends);
                continue;
            }
            uint32_t found = grant(&b), expected = ref_arbiter_grant(&ref);
            grants += found != ARBITER_NONE;
            if (found != expected && wrong++ == 0)
                printf("\n    seed %llu, %s: grant %u goes to %u, not to %u", (unsigned long long)seed,
                       b.arbiter.policy->name, grants, found, expected);
        }
        CU_ASSERT_EQUAL(wrong, 0);
        CU_ASSERT(grants > 20);
        arbiter_free(&b.arbiter);
    }
}

void suite_nic_arbiter(void);
void suite_nic_arbiter(void)
{
    CU_pSuite suite = CU_add_suite("nic: policies of the arbiter", NULL, NULL);
    CU_add_test(suite, "requests in, grants out, by hand", by_hand);
    CU_add_test(suite, "deficit round robin: shares of bytes", drr_shares);
    CU_add_test(suite, "weighted fair queueing: shares of bytes", wfq_shares);
    CU_add_test(suite, "random arrivals, against a plain arbiter", against_the_reference);
}
