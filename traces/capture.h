/* Reads captures of RoCE and InfiniBand frames, packet by packet: pcap and pcapng by libpcap, link types Ethernet, InfiniBand (LRH to VCRC) and
 * ERF (197, both within).
 *
 * Times are nanoseconds as the capture has them, whatever its resolution and byte order. Errors: one line, "file: ..." or "file:packet N: ...",
 * packets counted from 1. */
#ifndef TRACES_CAPTURE_H
#define TRACES_CAPTURE_H

#include "api/rnicsim.h"
#include "transport/wire.h"

struct capture;

struct capture_packet {
    uint64_t number;
    int64_t at_ns;
    enum wire_verdict verdict;
    struct wire_packet wire; /* its payload lies in the capture: valid until the next one is read */
};

/* 1: the file's first bytes are those of a capture. */
int capture_is(const char *path);
int capture_open(const char *path, struct capture **out, struct rnicsim_error *error);
/* 1, 0 at the end, or -1. */
int capture_next(struct capture *capture, struct capture_packet *packet, struct rnicsim_error *error);
void capture_close(struct capture *capture);

#endif
