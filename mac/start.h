/* When the next frame may begin on a line: the gap behind the last one, the octets on which a start is allowed, the deficit idle count.
 *
 * Positions are octets of the line, from 0 on. A start control character stands only on lanes that the interface to the PHY has
 * (IEEE 802.3, 46.3.1.4: on XGMII each fourth octet; 81.3.1.2: on XLGMII and CGMII each eighth). The gap, counted from the
 * terminate character on, is rounded up to such an octet, or, with the deficit idle count, down as long as the sum of what is
 * owed stays below that distance: the mean gap is then exact. Who finds the line idle begins with a word of the MAC, and owes nothing. */
#ifndef MAC_START_H
#define MAC_START_H

#include <stdint.h>

#include "mac/params.h"

struct start_rule {
    int64_t gap, align, word; /* octets; align and word: powers of two, at least 1 */
    int deficit;
};

struct start {
    int64_t end_octet; /* the terminate character of the frame before: behind its FCS */
    int64_t owed;      /* 0 .. align - 1 */
};

static inline struct start_rule start_rule_of(const struct mac_params *p)
{
    return (struct start_rule){
        .gap = p->gap, .align = p->start, .word = p->word / 8, .deficit = p->deficit == MAC_DEFICIT_ON};
}

/* Before the first frame. */
static inline struct start start_of(const struct start_rule *rule)
{
    return (struct start){.end_octet = -rule->gap};
}

/* The first octet of the preamble of a frame that can begin at `ready` at the earliest. */
static inline int64_t start_next(const struct start_rule *rule, struct start *start, int64_t ready)
{
    int64_t due = start->end_octet + rule->gap + start->owed;
    int64_t octet = (rule->deficit ? due : due + rule->align - 1) & -rule->align;
    if (ready <= octet) {
        start->owed = rule->deficit ? due - octet : 0;
        return octet;
    }
    start->owed = 0;
    return (ready + rule->word - 1) & -rule->word;
}

#endif
