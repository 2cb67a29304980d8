#include "mac/fabric/buffer.h"

#define PPB INT64_C(1000000000)

static int64_t threshold(const struct buffer *buffer)
{
    int64_t free = buffer->shared_bytes - buffer->used_bytes;
    return (int64_t)((__int128)free * buffer->alpha_ppb / PPB);
}

static void take_shared(struct buffer *buffer, int64_t bytes)
{
    buffer->used_bytes += bytes;
    if (buffer->used_bytes > buffer->high_water_bytes)
        buffer->high_water_bytes = buffer->used_bytes;
}

enum buffer_place buffer_admit_lossy(struct buffer *buffer, int64_t queue_bytes, int64_t bytes)
{
    if (queue_bytes + bytes > threshold(buffer) || buffer->used_bytes + bytes > buffer->shared_bytes)
        return BUFFER_NOWHERE;
    take_shared(buffer, bytes);
    return BUFFER_SHARED;
}

enum buffer_place buffer_admit_lossless(struct buffer *buffer, struct buffer_port *port, int64_t bytes, int *pause)
{
    int fits = port->shared_bytes + bytes <= threshold(buffer) && buffer->used_bytes + bytes <= buffer->shared_bytes;
    *pause = !fits && !port->paused;
    port->paused |= !fits;
    if (fits && port->headroom_bytes == 0) {
        port->shared_bytes += bytes;
        take_shared(buffer, bytes);
        return BUFFER_SHARED;
    }
    if (port->headroom_bytes + bytes > buffer->headroom_bytes)
        return BUFFER_NOWHERE;
    port->headroom_bytes += bytes;
    if (port->headroom_bytes > port->headroom_most_bytes)
        port->headroom_most_bytes = port->headroom_bytes;
    return BUFFER_HEADROOM;
}

void buffer_leave(struct buffer *buffer, struct buffer_port *port, enum buffer_place place, int64_t bytes, int *resume)
{
    *resume = 0;
    if (place == BUFFER_SHARED)
        buffer->used_bytes -= bytes;
    if (!port)
        return;
    if (place == BUFFER_SHARED)
        port->shared_bytes -= bytes;
    else
        port->headroom_bytes -= bytes;
    int64_t low = threshold(buffer) - buffer->xon_bytes;
    if (port->paused && port->headroom_bytes == 0 && (port->shared_bytes <= low || port->shared_bytes == 0)) {
        port->paused = 0;
        *resume = 1;
    }
}

int buffer_marks(int64_t queue_bytes, int64_t kmin, int64_t kmax, int64_t pmax_ppb, uint64_t draw)
{
    if (queue_bytes <= kmin)
        return 0;
    if (queue_bytes >= kmax)
        return 1;
    int64_t share_ppb = (int64_t)((__int128)pmax_ppb * (queue_bytes - kmin) / (kmax - kmin));
    return (int64_t)((draw >> 32) * PPB >> 32) < share_ppb;
}
