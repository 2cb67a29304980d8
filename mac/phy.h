/* What a PHY makes of the octets of a line: codewords and alignment markers; which combinations of rate, lanes and FEC there are.
 *
 * A position is an octet slot of the line at the MAC's rate. FEC takes none: what a block of 66 bits loses to transcoding pays for the
 * parity, or the signalling rate is raised (IEEE 802.3, 91.5.2.5, 108.5.2.3, 119.2.4.2). A marker takes whole slots, which the MAC does
 * not have. */
#ifndef MAC_PHY_H
#define MAC_PHY_H

#include <stddef.h>
#include <stdint.h>

#include "mac/params.h"

struct phy_fec {
    int64_t block_octets;               /* that come to the decoder together; 0: there is no FEC */
    int codewords;                      /* in a block: 1, or two that are interleaved */
    int symbols, symbol_bits, corrects; /* of a codeword; of BASE-R FEC 2112 bits and a burst of 11 */
};

struct phy {
    struct phy_fec fec;
    int64_t marker_octets, marker_period; /* slots; octets 0: there are none */
};

/* Returns -1 and one line, which begins with the key, for what does not exist. */
int phy_init(struct phy *phy, const struct mac_params *params, char *error, size_t error_bytes);

/* ---- between the MAC's octets and the slots of the line, markers in slots [first + k * period, + octets) ---- */

struct phy_markers {
    int64_t octets, room; /* octets of the MAC between two markers */
    int64_t first;        /* slot of one of them, 0 <= first < period */
};

struct phy_markers phy_markers_of(const struct phy *phy, int64_t first);
/* The slot of the MAC's octet (>= 0). */
int64_t phy_slot(const struct phy_markers *markers, int64_t octet);
/* The first octet in the slot or after it. */
int64_t phy_octet(const struct phy_markers *markers, int64_t slot);

#endif
