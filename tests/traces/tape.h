/* Captures for tests, written packet by packet: pcap with Ethernet or ERF records (InfiniBand), or pcapng, big-endian, of two interfaces with time
 * resolutions of their own. */
#ifndef TESTS_TRACES_TAPE_H
#define TESTS_TRACES_TAPE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/wire.h"

enum tape_kind { TAPE_ETHERNET, TAPE_ERF, TAPE_PCAPNG_BIG };

#define TAPE_START_S 1628373929u /* of the first packet; pcap has 32 bits of seconds */

struct tape {
    FILE *file;
    enum tape_kind kind;
    unsigned packets;
    uint8_t behind; /* so many bytes follow each frame: padding, or a trailer */
};

static inline void tape_number(struct tape *tape, uint64_t value, unsigned bytes, int is_big)
{
    for (unsigned i = 0; i < bytes; i++)
        fputc((int)(value >> 8 * (is_big ? bytes - 1 - i : i) & 0xff), tape->file);
}

/* A pcapng interface: Ethernet, if_tsresol 9 (10^-9), or 0x80 + 30 (2^-30). */
static inline void tape_interface(struct tape *tape, unsigned resolution)
{
    static const unsigned words[] = {1, 32};
    tape_number(tape, words[0], 4, 1);
    tape_number(tape, words[1], 4, 1);
    tape_number(tape, 1, 2, 1);
    tape_number(tape, 0, 2, 1);
    tape_number(tape, 65535, 4, 1);
    tape_number(tape, 9, 2, 1); /* option if_tsresol, one byte */
    tape_number(tape, 1, 2, 1);
    tape_number(tape, (uint64_t)resolution << 24, 4, 1);
    tape_number(tape, 0, 4, 1);
    tape_number(tape, words[1], 4, 1);
}

static inline struct tape tape_open(const char *path, enum tape_kind kind)
{
    struct tape tape = {.file = fopen(path, "wb"), .kind = kind};
    if (tape.file == NULL)
        abort();
    if (kind != TAPE_PCAPNG_BIG) { /* magic for ns, version 2.4, zone, accuracy, snap length, link type */
        static const uint32_t head[] = {0xa1b23c4d, 4u << 16 | 2, 0, 0, 65535};
        for (unsigned i = 0; i < 5; i++)
            tape_number(&tape, head[i], 4, 0);
        tape_number(&tape, kind == TAPE_ERF ? 197 : 1, 4, 0);
        return tape;
    }
    static const uint32_t section[] = {0x0a0d0d0a, 28, 0x1a2b3c4d, 1u << 16, 0xffffffff, 0xffffffff, 28};
    for (unsigned i = 0; i < 7; i++)
        tape_number(&tape, section[i], 4, 1);
    tape_interface(&tape, 9);
    tape_interface(&tape, 0x80 + 30);
    return tape;
}

/* Frames go by turns to the two interfaces of a pcapng file. */
static inline void tape_head_pcapng(struct tape *tape, int64_t ns, uint32_t captured, uint32_t length)
{
    unsigned interface = tape->packets % 2;
    uint64_t s = TAPE_START_S + (uint64_t)ns / 1000000000, rest = (uint64_t)ns % 1000000000;
    uint64_t at = interface == 0 ? s * 1000000000 + rest : (s << 30) + ((rest << 30) + 999999999) / 1000000000;
    uint32_t whole = 32 + (captured + 3) / 4 * 4;
    const uint32_t words[] = {6, whole, interface, (uint32_t)(at >> 32), (uint32_t)at, captured, length};
    for (unsigned i = 0; i < 7; i++)
        tape_number(tape, words[i], 4, 1);
}

static inline void tape_head_pcap(struct tape *tape, int64_t ns, uint32_t captured, uint32_t length)
{
    tape_number(tape, TAPE_START_S + (uint64_t)ns / 1000000000, 4, 0);
    tape_number(tape, (uint64_t)ns % 1000000000, 4, 0);
    tape_number(tape, captured, 4, 0);
    tape_number(tape, length, 4, 0);
}

/* `captured` bytes of a frame of `length`. */
static inline void tape_put_bytes(struct tape *tape, int64_t ns, const uint8_t *frame, uint32_t captured,
                                  uint32_t length)
{
    static const uint8_t erf_type = 21, more[64];
    uint32_t filled = tape->kind == TAPE_ERF ? (captured + 7) / 8 * 8 : captured + tape->behind;
    if (tape->kind == TAPE_PCAPNG_BIG) {
        tape_head_pcapng(tape, ns, filled, length + tape->behind);
    } else {
        tape_head_pcap(tape, ns, filled + (tape->kind == TAPE_ERF ? 16 : 0),
                       filled + length - captured + (tape->kind == TAPE_ERF ? 16 : 0));
        if (tape->kind == TAPE_ERF) {
            tape_number(tape, 0, 8, 0); /* the time, which libpcap takes from the record around it */
            tape_number(tape, erf_type, 1, 1);
            tape_number(tape, 4, 1, 1);
            tape_number(tape, 16 + filled, 2, 1);
            tape_number(tape, 0, 2, 1);
            tape_number(tape, length, 2, 1);
        }
    }
    fwrite(frame, 1, captured, tape->file);
    fwrite(more, 1, filled - captured, tape->file);
    if (tape->kind == TAPE_PCAPNG_BIG) {
        fwrite(more, 1, -filled & 3, tape->file);
        tape_number(tape, 32 + (filled + 3) / 4 * 4, 4, 1);
    }
    tape->packets++;
}

static inline void tape_put(struct tape *tape, int64_t ns, const struct wire_packet *packet)
{
    uint8_t frame[WIRE_FRAME_MAX_BYTES];
    uint32_t bytes = wire_encode(packet, frame, sizeof frame);
    if (bytes == 0)
        abort();
    tape_put_bytes(tape, ns, frame, bytes, bytes);
}

static inline void tape_close(struct tape *tape)
{
    if (fclose(tape->file) != 0)
        abort();
}

/* Between two ends, 10.0.0.1 and 10.0.0.2 or LIDs 1 and 2. */
static inline struct wire_packet tape_packet(enum tape_kind kind, unsigned from, uint8_t opcode, uint32_t qpn,
                                             uint32_t psn)
{
    struct wire_packet packet = {.network = kind == TAPE_ERF ? WIRE_INFINIBAND : WIRE_ROCE_V2_IPV4,
                                 .source_lid = (uint16_t)from,
                                 .destination_lid = (uint16_t)(3 - from),
                                 .source_port = 0xc001,
                                 .hop_limit = 64,
                                 .source_gid = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = (uint8_t)from},
                                 .destination_gid = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = (uint8_t)(3 - from)},
                                 .opcode = opcode,
                                 .pkey = 0xffff,
                                 .destination_qpn = qpn,
                                 .psn = psn & 0xffffff};
    return packet;
}

#endif
