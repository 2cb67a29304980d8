/* Bit errors of a line, and what FEC makes of them: which frames are damaged, how many codewords were corrected.
 *
 * Errors are independent, at a given rate. Their places are drawn as distances, by (stream, ordinal): no draw for what has none. The
 * probabilities are worked out once, with sums and products alone, so that every machine has the same. Without FEC the unit is a bit;
 * with it a codeword, of which the number of wrong symbols is drawn. A codeword that cannot be corrected damages every frame that has
 * a bit in it. */
#ifndef MAC_BIT_ERRORS_H
#define MAC_BIT_ERRORS_H

#include <stdint.h>

#include "mac/geometric.h"
#include "mac/phy.h"

#define BIT_ERRORS_CLASSES 16 /* at most 15 symbols are corrected */

struct bit_errors {
    struct phy_fec fec;
    int64_t first_slot; /* where a block begins */
    uint64_t stream, drawn;
    struct geometric distance;
    uint64_t
        at_most[BIT_ERRORS_CLASSES]; /* of a wrong codeword: the probability of at most k + 1 wrong symbols, in 2^-64 */
    int64_t next_unit;               /* the next one that is wrong; INT64_MAX: never */
    int64_t damaged_unit;            /* the last that could not be corrected; -1: none yet */
    uint64_t corrected, corrected_symbols,
        uncorrectable; /* codewords, symbols (bursts in BASE-R FEC), codewords or, without FEC, bits */
};

/* errors: wrong bits in 10^15. */
void bit_errors_init(struct bit_errors *errors, const struct phy_fec *fec, int64_t errors_in_1e15, int64_t first_slot,
                     uint64_t stream);
/* Whether a frame in these slots of the line, both within, is damaged. Frames in order. */
int bit_errors_damage(struct bit_errors *errors, int64_t first_slot, int64_t last_slot);

#endif
