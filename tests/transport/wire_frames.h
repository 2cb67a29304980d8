/* Frames for the tests of the codec: public ones from hex, and packets of our own. */
#ifndef TESTS_TRANSPORT_WIRE_FRAMES_H
#define TESTS_TRANSPORT_WIRE_FRAMES_H

#include "transport/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline unsigned wire_frames_digit(char digit)
{
    return (unsigned)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/* "7b*1024." stands for so many such bytes. Returns how many there are. */
static inline size_t wire_frames_hex(const char *hex, uint8_t *bytes)
{
    size_t count = 0;
    while (*hex != 0) {
        bytes[count++] = (uint8_t)(wire_frames_digit(hex[0]) << 4 | wire_frames_digit(hex[1]));
        hex += 2;
        if (*hex != '*')
            continue;
        char *after;
        for (unsigned long more = strtoul(hex + 1, &after, 10); more > 1; more--, count++)
            bytes[count] = bytes[count - 1];
        hex = after + 1;
    }
    return count;
}

/* A packet with something in every field; payload from a pattern. */
static inline struct wire_packet wire_frames_packet(enum wire_network network, uint8_t opcode, uint32_t payload_bytes)
{
    static uint8_t pattern[WIRE_PAYLOAD_MAX_BYTES];
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)(i * 7 + 0x5a);
    struct wire_packet packet = {.network = network,
                                 .destination_mac = {2, 0, 0, 0, 0, 2},
                                 .source_mac = {2, 0, 0, 0, 0, 1},
                                 .destination_lid = 3,
                                 .source_lid = 2,
                                 .traffic_class = 0x62,
                                 .hop_limit = 64,
                                 .source_port = 0xc123,
                                 .opcode = opcode,
                                 .solicited = 1,
                                 .migrated = 1,
                                 .ack_request = 1,
                                 .pkey = 0xffff,
                                 .destination_qpn = 0x112233,
                                 .psn = 0x445566,
                                 .ee_context = 0x10203,
                                 .qkey = 0x11111111,
                                 .source_qpn = 0x22,
                                 .xrc_srqn = 0x778899,
                                 .flush = 0x11,
                                 .address = 0x1122334455667788,
                                 .rkey = 0xdeadbeef,
                                 .dma_bytes = payload_bytes,
                                 .swap = 5,
                                 .compare = 6,
                                 .original = 7,
                                 .syndrome = 0x1f,
                                 .msn = 0xaabbcc,
                                 .immediate = 0x01020304,
                                 .invalidated_rkey = 0x0a0b0c0d,
                                 .payload = pattern,
                                 .payload_bytes = payload_bytes};
    static const uint8_t ipv4[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1};
    memcpy(packet.source_gid, ipv4, 16);
    memcpy(packet.destination_gid, ipv4, 16);
    packet.destination_gid[15] = 2;
    if (network == WIRE_ROCE_V2_IPV6)
        packet.source_gid[0] = packet.destination_gid[0] = 0xfd;
    if (network == WIRE_ROCE_V1 || network == WIRE_INFINIBAND_GLOBAL)
        packet.flow_label = 0x12345;
    return packet;
}

#endif
