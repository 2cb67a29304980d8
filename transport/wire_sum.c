/* Checks of whole frames: ICRC, VCRC, FCS, and the Internet's checksums. */
#include "transport/wire.h"

#include <string.h>
#include <zlib.h>

#define MASKED_MAX 9u
#define HEAD_MAX_BYTES (WIRE_LRH_BYTES + WIRE_IPV6_BYTES + WIRE_UDP_BYTES + WIRE_BTH_BYTES)

/* What a router may change counts as ones: bits of bytes from the network header on (IBTA vol. 1, 7.8.1; Annex A17.3.3). Of the BTH the whole
 * fifth byte: FECN, BECN and six reserved bits. */
struct masked {
    uint8_t at, bits;
};

static const struct masked masks[][MASKED_MAX] = {
    [WIRE_ROCE_V1] = {{0, 0x0f}, {1, 0xff}, {2, 0xff}, {3, 0xff}, {7, 0xff}, {44, 0xff}},
    [WIRE_ROCE_V2_IPV4] = {{1, 0xff}, {8, 0xff}, {10, 0xff}, {11, 0xff}, {26, 0xff}, {27, 0xff}, {32, 0xff}},
    [WIRE_ROCE_V2_IPV6] = {{0, 0x0f}, {1, 0xff}, {2, 0xff}, {3, 0xff}, {7, 0xff}, {46, 0xff}, {47, 0xff}, {52, 0xff}},
    [WIRE_INFINIBAND] = {{0, 0xf0}, {12, 0xff}},
    [WIRE_INFINIBAND_GLOBAL] = {{0, 0xf0}, {8, 0x0f}, {9, 0xff}, {10, 0xff}, {11, 0xff}, {15, 0xff}, {52, 0xff}},
};

uint32_t wire_icrc(enum wire_network network, const uint8_t *packet, size_t bytes)
{
    static const uint8_t ones[WIRE_LRH_BYTES] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    uint8_t head[HEAD_MAX_BYTES] = {0};
    size_t head_bytes = bytes < HEAD_MAX_BYTES ? bytes : HEAD_MAX_BYTES;
    memcpy(head, packet, head_bytes);
    for (size_t i = 0; i < MASKED_MAX; i++) /* the unused ones mask nothing */
        head[masks[network][i].at] |= masks[network][i].bits;
    uLong crc = crc32(0, NULL, 0);
    if (!wire_is_infiniband(network)) /* where there is no LRH, ones stand for it */
        crc = crc32(crc, ones, sizeof ones);
    crc = crc32(crc, head, (uInt)head_bytes);
    crc = crc32(crc, packet + head_bytes, (uInt)(bytes - head_bytes));
    return __builtin_bswap32((uint32_t)crc); /* least significant byte first on the wire */
}

uint32_t wire_fcs(const uint8_t *frame, size_t bytes)
{
    return __builtin_bswap32((uint32_t)crc32(crc32(0, NULL, 0), frame, (uInt)bytes));
}

uint16_t wire_vcrc(const uint8_t *packet, size_t bytes)
{
    uint32_t crc = 0xffff; /* x^16 + x^12 + x^3 + x + 1, reflected (IBTA vol. 1, 7.8.2) */
    for (size_t i = 0; i < bytes; i++) {
        crc ^= packet[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xd008 : 0);
    }
    crc = ~crc & 0xffff;
    return (uint16_t)(crc << 8 | crc >> 8);
}

static uint32_t sum_of(uint32_t sum, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i + 1 < count; i += 2)
        sum += wire_get16(bytes + i);
    return count % 2 == 1 ? sum + ((uint32_t)bytes[count - 1] << 8) : sum;
}

static uint16_t folded(uint32_t sum)
{
    while (sum > 0xffff)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

uint16_t wire_ip_sum(const uint8_t *ip)
{
    return folded(sum_of(0, ip, WIRE_IPV4_BYTES));
}

uint16_t wire_udp_sum(enum wire_network network, const uint8_t *ip, size_t udp_bytes)
{
    uint32_t addresses_at = network == WIRE_ROCE_V2_IPV4 ? 12 : 8;
    uint32_t ip_bytes = wire_ip_bytes(network);
    uint32_t sum = WIRE_PROTOCOL_UDP + (uint32_t)udp_bytes;
    sum = sum_of(sum, ip + addresses_at, ip_bytes - addresses_at);
    return folded(sum_of(sum, ip + ip_bytes, udp_bytes));
}
