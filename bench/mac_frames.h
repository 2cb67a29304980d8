/* The frames of rnicsim mac: sizes and distances from options or a file, through a MAC, as CSV. */
#ifndef BENCH_MAC_FRAMES_H
#define BENCH_MAC_FRAMES_H

#include "api/rnicsim.h"

struct mac_frames {
    int64_t from, to, step; /* bytes without FCS */
    int64_t count;          /* of each size */
    int64_t idle;           /* cycles between them at the user interface */
    const char *path;       /* NULL: those; else a file of frames */
};

#define MAC_FRAMES_DEFAULT      \
    {                           \
        60, 1518, 1, 1, 0, NULL \
    }

/* "60..1518", "64", "64..9018 step 64". Returns 0, or CLI_INPUT and one line. */
int mac_frames_take_sizes(struct mac_frames *frames, const char *text);
/* Sends them all and prints a row for each. Returns an exit status. */
int mac_frames_print(struct rnicsim_mac *mac, const struct mac_frames *frames);

#endif
