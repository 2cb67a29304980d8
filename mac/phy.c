#include "mac/phy.h"

#include <stdio.h>
#include <string.h>

#define GBPS INT64_C(1000000000)

/* Codewords in octets of the MAC: 32 blocks of 64 bits in BASE-R FEC (74.7.1), 20 times 257 bits, 80 blocks, in an RS codeword (91.5.2.7),
 * half of that in RS(272,258). */
static const struct phy_fec fec_of[MAC_FEC_COUNT] = {
    [MAC_FEC_CL74] = {256, 1, 2112, 1, 11},
    [MAC_FEC_RS528] = {640, 1, 528, 10, 7},
    [MAC_FEC_RS544] = {640, 1, 544, 10, 15},
    [MAC_FEC_RS272] = {320, 1, 272, 10, 7},
};

static const char *const fec_name[MAC_FEC_COUNT] = {"none", "cl74", "rs528", "rs544", "rs272"};

#define FEC(name) (1u << MAC_FEC_##name)
#define BLOCK_OCTETS 8           /* of 66 bits on the line */
#define TRANSCODED_OCTETS 32     /* of 257 bits */
#define CL82_PERIOD_BLOCKS 16384 /* a lane; 82.2.7 */
#define CODEWORD_OCTETS 640

/* What there is at a rate: with which FEC, on how many lanes of the medium, with which markers. Blocks and codewords of a period: 100G
 * 82.2.7 and 91.5.2.6; 25G 108.5.2.4; 50G 133.2.4.3; 200G and 400G 119.2.4.4. */
static const struct {
    int64_t gbps;
    unsigned fec;
    const char *lanes;
    int64_t marker_octets, marker_period;
} known[] = {
    {10, FEC(NONE) | FEC(CL74), "1", 0, 0},
    {25, FEC(NONE) | FEC(CL74), "1", 0, 0},
    {25, FEC(RS528), "1", TRANSCODED_OCTETS, 1024 * CODEWORD_OCTETS},
    {40, FEC(NONE) | FEC(CL74), "4", 4 * BLOCK_OCTETS, 4 * CL82_PERIOD_BLOCKS *BLOCK_OCTETS},
    {50, FEC(NONE) | FEC(CL74), "2", 4 * BLOCK_OCTETS, 4 * CL82_PERIOD_BLOCKS *BLOCK_OCTETS},
    {50, FEC(RS528), "2", TRANSCODED_OCTETS, 1024 * CODEWORD_OCTETS},
    {50, FEC(RS544) | FEC(RS272), "1, 2", TRANSCODED_OCTETS, 1024 * CODEWORD_OCTETS},
    {100, FEC(NONE), "4, 10", 20 * BLOCK_OCTETS, 20 * CL82_PERIOD_BLOCKS *BLOCK_OCTETS},
    {100, FEC(RS528), "4", 20 * BLOCK_OCTETS, 4096 * CODEWORD_OCTETS},
    {100, FEC(RS544) | FEC(RS272), "1, 2, 4", 20 * BLOCK_OCTETS, 4096 * CODEWORD_OCTETS},
    {200, FEC(NONE) | FEC(RS544) | FEC(RS272), "2, 4, 8", 4 * TRANSCODED_OCTETS, 4096 * CODEWORD_OCTETS},
    {400, FEC(NONE) | FEC(RS544) | FEC(RS272), "4, 8, 16", 8 * TRANSCODED_OCTETS, 8192 * CODEWORD_OCTETS},
};

#define KNOWN (sizeof known / sizeof *known)

/* Appends "none, cl74" to `text`. */
static void list_fec(unsigned fec, char *text, size_t bytes)
{
    size_t used = strlen(text);
    for (int i = 0; i < MAC_FEC_COUNT; i++)
        if (fec & 1u << i && used < bytes)
            used += (size_t)snprintf(text + used, bytes - used, "%s%s", used == 0 ? "" : ", ", fec_name[i]);
}

static int no_such_fec(int64_t rate, enum mac_fec fec, char *error, size_t error_bytes)
{
    char allowed[64] = "";
    for (size_t i = 0; i < KNOWN; i++)
        if (known[i].gbps * GBPS == rate)
            list_fec(known[i].fec, allowed, sizeof allowed);
    snprintf(error, error_bytes, "mac.fec: %s is no FEC of %lld Mb/s, allowed %s", fec_name[fec],
             (long long)(rate / 1000000), allowed[0] ? allowed : "none");
    return -1;
}

static int has_lanes(const char *list, int64_t lanes)
{
    for (const char *at = list; *at != 0;) {
        long long one;
        int length;
        if (sscanf(at, "%lld%n", &one, &length) != 1)
            return 0;
        if (one == lanes)
            return 1;
        at += length;
        at += strspn(at, ", ");
    }
    return 0;
}

/* The row of a rate and FEC; KNOWN: none. */
static size_t row_of(int64_t rate, enum mac_fec fec)
{
    size_t row = 0;
    while (row < KNOWN && (known[row].gbps * GBPS != rate || !(known[row].fec & 1u << fec)))
        row++;
    return row;
}

int phy_init(struct phy *phy, const struct mac_params *params, char *error, size_t error_bytes)
{
    enum mac_fec fec = (enum mac_fec)params->fec;
    size_t row = row_of(params->rate, fec);
    *phy = (struct phy){.fec = fec_of[fec]};
    if (row == KNOWN && fec != MAC_FEC_NONE)
        return no_such_fec(params->rate, fec, error, error_bytes);
    const char *lanes = row == KNOWN ? "0: its lanes are not known" : known[row].lanes;
    if (params->lanes > 0 && !has_lanes(lanes, params->lanes)) {
        snprintf(error, error_bytes, "mac.lanes: %lld Mb/s with mac.fec = %s has no %lld lanes, allowed %s",
                 (long long)(params->rate / 1000000), fec_name[fec], (long long)params->lanes, lanes);
        return -1;
    }
    if (params->rate >= 200 * GBPS && fec != MAC_FEC_NONE) { /* two codewords, symbol by symbol in turn: 119.2.4.7 */
        phy->fec.block_octets *= 2;
        phy->fec.codewords = 2;
    }
    if (params->markers == MAC_OFF)
        return 0;
    if (row == KNOWN || known[row].marker_octets == 0) {
        snprintf(error, error_bytes, "mac.markers: %lld Mb/s with mac.fec = %s has none, allowed off",
                 (long long)(params->rate / 1000000), fec_name[fec]);
        return -1;
    }
    phy->marker_octets = known[row].marker_octets;
    phy->marker_period = known[row].marker_period;
    return 0;
}

struct phy_markers phy_markers_of(const struct phy *phy, int64_t first)
{
    return (struct phy_markers){phy->marker_octets, phy->marker_period - phy->marker_octets, first};
}

int64_t phy_slot(const struct phy_markers *markers, int64_t octet)
{
    if (markers->octets == 0 || octet < markers->first)
        return octet;
    return octet + ((octet - markers->first) / markers->room + 1) * markers->octets;
}

int64_t phy_octet(const struct phy_markers *markers, int64_t slot)
{
    if (markers->octets == 0 || slot <= markers->first)
        return slot;
    int64_t period = markers->room + markers->octets, since = slot - markers->first;
    int64_t behind = since % period - markers->octets;
    return markers->first + since / period * markers->room + (behind > 0 ? behind : 0);
}
