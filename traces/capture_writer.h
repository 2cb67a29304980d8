/* Writes the frames of a simulation as a capture: pcap with nanoseconds, link type Ethernet, RoCE v2 on IPv4.
 *
 * Times are the model's picoseconds, rounded to the nanosecond. Host 0 is 10.0.0.1, host 1 is 10.0.0.2. Payload is zeros, as timing runs carry none, and
 * the ICRC is right; of a frame that comes in damaged it is wrong. Short frames are padded to 60 bytes, and there is no FCS. Nothing is seen under
 * the name before capture_finish(). */
#ifndef TRACES_CAPTURE_WRITER_H
#define TRACES_CAPTURE_WRITER_H

#include "api/rnicsim.h"

enum capture_side {
    CAPTURE_LINE,   /* each frame once, when its sender puts it on the line, whatever becomes of it */
    CAPTURE_HOST_A, /* what passes the port of host 0, or 1: sent, and come in */
    CAPTURE_HOST_B
};

struct capture_writer;

int capture_create(const char *path, enum capture_side side, struct capture_writer **out, struct rnicsim_error *error);
/* In order of time; what is not of the side is left out. 0, or -1. */
int capture_put(struct capture_writer *writer, const struct rnicsim_frame *frame, struct rnicsim_error *error);
/* Puts the file in its place, and frees the writer in any case. */
int capture_finish(struct capture_writer *writer, struct rnicsim_error *error);
/* Gives up; NULL is allowed. */
void capture_discard(struct capture_writer *writer);

#endif
