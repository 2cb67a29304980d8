/* A switch's shared buffer: who is admitted, who is to be paused, who is marked. Pure arithmetic, at the instant of arrival (R10).
 *
 * A threshold is alpha times what is free of the shared part (dynamic threshold: Choudhury and Hahne, IEEE/ACM ToN 1998). Lossy frames
 * are judged by the queue that they join; lossless ones by the port that they came in: above the threshold the port's peer is paused,
 * and what still comes takes the port's headroom, and is dropped when that is full. */
#ifndef MAC_FABRIC_BUFFER_H
#define MAC_FABRIC_BUFFER_H

#include <stdint.h>

struct buffer {
    int64_t shared_bytes; /* without the headrooms */
    int64_t alpha_ppb, headroom_bytes, xon_bytes;
    int64_t used_bytes; /* of the shared part */
    int64_t high_water_bytes;
};

/* What a port has in its switch's buffer. */
struct buffer_port {
    int64_t shared_bytes, headroom_bytes;
    int64_t headroom_most_bytes;
    int paused; /* its peer is asked to be silent */
};

enum buffer_place { BUFFER_NOWHERE, BUFFER_SHARED, BUFFER_HEADROOM };

/* A lossy frame that joins a queue of so many bytes. */
enum buffer_place buffer_admit_lossy(struct buffer *buffer, int64_t queue_bytes, int64_t bytes);
/* A lossless one from `port`; *pause: its peer is to be paused now. */
enum buffer_place buffer_admit_lossless(struct buffer *buffer, struct buffer_port *port, int64_t bytes, int *pause);
/* It has left. *resume: the port's peer may go on. port NULL: it was lossy. */
void buffer_leave(struct buffer *buffer, struct buffer_port *port, enum buffer_place place, int64_t bytes, int *resume);
/* Whether a frame that joins a queue of so many bytes is marked: never up to kmin, always from kmax on, between in proportion. */
int buffer_marks(int64_t queue_bytes, int64_t kmin, int64_t kmax, int64_t pmax_ppb, uint64_t draw);

#endif
