#include "transport/wire.h"

#include <string.h>

/* A frame that is read: `at` has come so far, `end` is where its ICRC ends as its network header has it. */
struct cursor {
    struct wire_packet *packet;
    const uint8_t *frame;
    size_t captured, length, at, end;
    size_t covered_at; /* the ICRC's first byte */
    size_t udp_length; /* 0: no UDP */
};

static const uint8_t *next(struct cursor *cursor, size_t bytes)
{
    const uint8_t *from = cursor->frame + cursor->at;
    if (cursor->captured - cursor->at < bytes)
        return NULL;
    cursor->at += bytes;
    return from;
}

/* What is missing was on the wire, or was not. */
static enum wire_verdict missing(const struct cursor *cursor)
{
    return cursor->captured < cursor->length ? WIRE_CUT : WIRE_TRUNCATED;
}

static enum wire_verdict read_ethernet(struct cursor *cursor, uint16_t *type)
{
    struct wire_packet *packet = cursor->packet;
    const uint8_t *from = next(cursor, WIRE_ETHERNET_BYTES);
    if (!from)
        return missing(cursor);
    memcpy(packet->destination_mac, from, 6);
    memcpy(packet->source_mac, from + 6, 6);
    *type = wire_get16(from + 12);
    while (*type == WIRE_TYPE_VLAN || *type == WIRE_TYPE_SERVICE_VLAN) {
        if (!(from = next(cursor, WIRE_VLAN_BYTES)))
            return missing(cursor);
        if (packet->vlans == WIRE_VLANS_MAX)
            return WIRE_NOT_ROCE;
        packet->vlan[packet->vlans++] = wire_get16(from);
        *type = wire_get16(from + 2);
    }
    return WIRE_GOOD;
}

/* Its length counts words of 4 bytes, up to the ICRC; LNH 2 is local, 3 has a GRH (IBTA vol. 1, 7.7). */
static enum wire_verdict read_lrh(struct cursor *cursor)
{
    struct wire_packet *packet = cursor->packet;
    const uint8_t *from = next(cursor, WIRE_LRH_BYTES);
    if (!from)
        return missing(cursor);
    packet->virtual_lane = from[0] >> 4;
    packet->service_level = from[1] >> 4;
    packet->destination_lid = wire_get16(from + 2);
    packet->source_lid = wire_get16(from + 6);
    cursor->end = cursor->at - WIRE_LRH_BYTES + (wire_get16(from + 4) & 0x7ffu) * 4;
    packet->network = (from[1] & 3) == 3 ? WIRE_INFINIBAND_GLOBAL : WIRE_INFINIBAND;
    return (from[1] & 2) == 0 ? WIRE_NOT_ROCE : WIRE_GOOD;
}

static void take_ipv4_address(uint8_t *gid, const uint8_t *from)
{
    memset(gid, 0, 10);
    gid[10] = gid[11] = 0xff;
    memcpy(gid + 12, from, 4);
}

static enum wire_verdict read_ipv4(struct cursor *cursor)
{
    struct wire_packet *packet = cursor->packet;
    const uint8_t *from = next(cursor, WIRE_IPV4_BYTES);
    if (!from)
        return missing(cursor);
    if (from[9] != WIRE_PROTOCOL_UDP)
        return WIRE_NOT_ROCE;
    if (from[0] != 0x45 || (wire_get16(from + 6) & 0x3fff) != 0) /* options, or a fragment */
        return WIRE_BAD_IP;
    packet->traffic_class = from[1];
    packet->ip_id = wire_get16(from + 4);
    packet->hop_limit = from[8];
    packet->ip_check = wire_ip_sum(from) == 0 ? WIRE_RIGHT : WIRE_WRONG;
    take_ipv4_address(packet->source_gid, from + 12);
    take_ipv4_address(packet->destination_gid, from + 16);
    cursor->end = cursor->at - WIRE_IPV4_BYTES + wire_get16(from + 2);
    return WIRE_GOOD;
}

static enum wire_verdict read_ipv6(struct cursor *cursor)
{
    struct wire_packet *packet = cursor->packet;
    const uint8_t *from = next(cursor, WIRE_IPV6_BYTES);
    if (!from)
        return missing(cursor);
    uint32_t first = (uint32_t)wire_get(from, 4);
    if (from[6] != (packet->network == WIRE_ROCE_V2_IPV6 ? WIRE_PROTOCOL_UDP : WIRE_NEXT_IBA))
        return WIRE_NOT_ROCE;
    if (first >> 28 != 6)
        return WIRE_BAD_IP;
    packet->traffic_class = (uint8_t)(first >> 20);
    packet->flow_label = first & 0xfffff;
    packet->hop_limit = from[7];
    packet->ip_check = WIRE_ABSENT;
    memcpy(packet->source_gid, from + 8, 16);
    memcpy(packet->destination_gid, from + 24, 16);
    size_t end = cursor->at + wire_get16(from + 4);
    if (packet->network != WIRE_INFINIBAND_GLOBAL) /* where the LRH has told */
        cursor->end = end;
    return WIRE_GOOD;
}

static enum wire_verdict read_udp(struct cursor *cursor)
{
    struct wire_packet *packet = cursor->packet;
    size_t udp_at = cursor->at;
    const uint8_t *from = next(cursor, WIRE_UDP_BYTES);
    if (!from)
        return missing(cursor);
    packet->source_port = wire_get16(from);
    packet->destination_port = wire_get16(from + 2);
    packet->has_udp_checksum = wire_get16(from + 6) != 0;
    cursor->udp_length = wire_get16(from + 4);
    if (packet->destination_port != WIRE_ROCE_PORT)
        return WIRE_NOT_ROCE_PORT;
    if (!packet->has_udp_checksum)
        packet->udp_check = WIRE_ABSENT;
    else if (cursor->end > udp_at && cursor->end <= cursor->captured)
        packet->udp_check = wire_udp_sum(packet->network, cursor->frame + cursor->covered_at, cursor->end - udp_at) == 0
                                ? WIRE_RIGHT
                                : WIRE_WRONG;
    return WIRE_GOOD;
}

static enum wire_verdict read_network(struct cursor *cursor, enum wire_link link)
{
    uint16_t type = 0;
    enum wire_verdict verdict = link == WIRE_LINK_INFINIBAND ? read_lrh(cursor) : read_ethernet(cursor, &type);
    if (verdict != WIRE_GOOD)
        return verdict;
    cursor->covered_at = link == WIRE_LINK_INFINIBAND ? 0 : cursor->at;
    if (type != 0 && type != WIRE_TYPE_ROCE_V1 && type != WIRE_TYPE_IPV4 && type != WIRE_TYPE_IPV6)
        return WIRE_NOT_ROCE;
    if (type != 0)
        cursor->packet->network = type == WIRE_TYPE_ROCE_V1 ? WIRE_ROCE_V1
                                  : type == WIRE_TYPE_IPV4  ? WIRE_ROCE_V2_IPV4
                                                            : WIRE_ROCE_V2_IPV6;
    enum wire_network network = cursor->packet->network;
    cursor->packet->ip_check = cursor->packet->udp_check = WIRE_ABSENT;
    if (network != WIRE_INFINIBAND)
        verdict = network == WIRE_ROCE_V2_IPV4 ? read_ipv4(cursor) : read_ipv6(cursor);
    return verdict == WIRE_GOOD && wire_udp_bytes(network) > 0 ? read_udp(cursor) : verdict;
}

static void take_bth(struct wire_packet *packet, const uint8_t *from)
{
    packet->opcode = from[0];
    packet->solicited = from[1] >> 7;
    packet->migrated = from[1] >> 6 & 1;
    packet->pad_bytes = from[1] >> 4 & 3;
    packet->version = from[1] & 0xf;
    packet->pkey = wire_get16(from + 2);
    packet->fecn = from[4] >> 7;
    packet->becn = from[4] >> 6 & 1;
    packet->destination_qpn = (uint32_t)wire_get(from + 5, 3);
    packet->ack_request = from[8] >> 7;
    packet->psn = (uint32_t)wire_get(from + 9, 3);
}

static void take_headers(struct wire_packet *packet, unsigned headers, const uint8_t *from)
{
    for (size_t i = 0; i < wire_field_count; i++) {
        const struct wire_field *field = &wire_fields[i];
        void *to = (char *)packet + field->offset;
        if (!(headers & field->header))
            continue;
        if (field->size == 8)
            *(uint64_t *)to = wire_get(from, field->bytes);
        else
            *(uint32_t *)to = (uint32_t)wire_get(from, field->bytes);
        from += field->bytes;
    }
    packet->source_qpn &= 0xffffff;
    packet->xrc_srqn &= 0xffffff;
    packet->ee_context &= 0xffffff;
}

static int has_reserved_syndrome(uint32_t syndrome)
{
    uint32_t kind = syndrome & WIRE_SYNDROME_KIND;
    return kind != WIRE_SYNDROME_ACK && kind != WIRE_SYNDROME_RNR &&
           !(kind == WIRE_SYNDROME_NAK && syndrome - kind < WIRE_NAKS);
}

/* What is wrong with the packet inside, its headers' end at `at`. */
static enum wire_verdict judge_packet(const struct cursor *cursor, const struct wire_opcode *opcode, size_t headers_end)
{
    const struct wire_packet *packet = cursor->packet;
    size_t payload_end = cursor->end - WIRE_ICRC_BYTES;
    if (packet->version != 0)
        return WIRE_BAD_VERSION;
    if (!opcode->name)
        return WIRE_UNKNOWN_OPCODE;
    if (headers_end > payload_end)
        return WIRE_HEADER_SHORT;
    if (packet->pad_bytes > payload_end - headers_end || (payload_end - headers_end) % 4 != 0)
        return WIRE_BAD_PAD;
    if (packet->payload_bytes < opcode->payload_least_bytes || packet->payload_bytes > opcode->payload_most_bytes)
        return WIRE_BAD_LENGTH;
    if (opcode->place < WIRE_LAST && packet->pad_bytes != 0) /* a path MTU is a multiple of 4 */
        return WIRE_BAD_PAD;
    if (packet->headers_known && (opcode->headers & WIRE_AETH) && has_reserved_syndrome(packet->syndrome))
        return WIRE_BAD_SYNDROME;
    return packet->icrc_check == WIRE_UNKNOWN ? WIRE_CUT : WIRE_GOOD;
}

/* The BTH and what follows it. */
static enum wire_verdict read_packet(struct cursor *cursor)
{
    struct wire_packet *packet = cursor->packet;
    const uint8_t *bth = next(cursor, WIRE_BTH_BYTES);
    if (!bth)
        return missing(cursor);
    take_bth(packet, bth);
    struct wire_opcode opcode = wire_opcode(packet->opcode);
    size_t headers_end = cursor->at + wire_header_bytes(opcode.headers);
    size_t payload_end = cursor->end - WIRE_ICRC_BYTES;
    packet->headers_known = opcode.name && headers_end <= payload_end && headers_end <= cursor->captured;
    if (packet->headers_known)
        take_headers(packet, opcode.headers, cursor->frame + cursor->at);
    if (headers_end + packet->pad_bytes <= payload_end)
        packet->payload_bytes = (uint32_t)(payload_end - headers_end) - packet->pad_bytes;
    if (headers_end <= payload_end && payload_end <= cursor->captured)
        packet->payload = cursor->frame + headers_end;
    return judge_packet(cursor, &opcode, headers_end);
}

static void check_icrc(struct cursor *cursor)
{
    struct wire_packet *packet = cursor->packet;
    if (cursor->end > cursor->captured)
        return;
    const uint8_t *covered = cursor->frame + cursor->covered_at;
    packet->icrc = (uint32_t)wire_get(cursor->frame + cursor->end - WIRE_ICRC_BYTES, WIRE_ICRC_BYTES);
    packet->icrc_due = wire_icrc(packet->network, covered, cursor->end - WIRE_ICRC_BYTES - cursor->covered_at);
    packet->icrc_check = packet->icrc == packet->icrc_due ? WIRE_RIGHT : WIRE_WRONG;
}

/* What the headers in front of the BTH have wrong; where nothing, what the packet itself has. */
static enum wire_verdict judge(const struct cursor *cursor, size_t udp_bytes, enum wire_verdict inside)
{
    const struct wire_packet *packet = cursor->packet;
    if (cursor->end > cursor->length)
        return WIRE_TRUNCATED;
    if (packet->icrc_check == WIRE_WRONG)
        return WIRE_BAD_ICRC;
    if (packet->ip_check == WIRE_WRONG)
        return WIRE_BAD_IP_CHECKSUM;
    if (cursor->udp_length != 0 && cursor->udp_length != udp_bytes)
        return WIRE_BAD_UDP_LENGTH;
    return packet->udp_check == WIRE_WRONG ? WIRE_BAD_UDP_CHECKSUM : inside;
}

enum wire_verdict wire_decode(struct wire_packet *packet, enum wire_link link, const uint8_t *frame, size_t captured,
                              size_t length)
{
    struct cursor cursor = {.packet = packet, .frame = frame, .captured = captured, .length = length};
    *packet = (struct wire_packet){.payload = NULL};
    if (captured > length)
        cursor.length = captured;
    enum wire_verdict verdict = read_network(&cursor, link);
    packet->inside = (uint8_t)verdict;
    if (verdict != WIRE_GOOD)
        return verdict;
    size_t bth_at = cursor.at;
    verdict = cursor.end > cursor.length ? WIRE_TRUNCATED : WIRE_SHORT;
    packet->inside = (uint8_t)verdict;
    if (cursor.end < bth_at + WIRE_BTH_BYTES + WIRE_ICRC_BYTES)
        return verdict;
    packet->frame_bytes = (uint32_t)cursor.end;
    check_icrc(&cursor);
    packet->inside = (uint8_t)read_packet(&cursor);
    return judge(&cursor, cursor.end - bth_at + WIRE_UDP_BYTES, packet->inside);
}

const char *wire_verdict_text(enum wire_verdict verdict)
{
    static const char *const text[WIRE_VERDICTS] = {
        [WIRE_GOOD] = "good",
        [WIRE_NOT_ROCE] = "not RoCE; allowed are Ethernet type 0x8915, UDP port 4791, and InfiniBand with a BTH",
        [WIRE_NOT_ROCE_PORT] = "not RoCE: UDP port; to port 4791 it must go",
        [WIRE_BAD_IP] = "IP header; allowed are one without options and no fragment",
        [WIRE_TRUNCATED] = "it ends before the length that its headers tell",
        [WIRE_SHORT] = "no room for a BTH; 16 bytes are needed with the ICRC",
        [WIRE_BAD_ICRC] = "bad ICRC",
        [WIRE_BAD_IP_CHECKSUM] = "bad checksum of the IP header",
        [WIRE_BAD_UDP_LENGTH] = "UDP length; it must be what the IP header leaves",
        [WIRE_BAD_UDP_CHECKSUM] = "bad UDP checksum; allowed are 0 and the right one",
        [WIRE_BAD_VERSION] = "TVer; 0 is allowed",
        [WIRE_UNKNOWN_OPCODE] = "unknown opcode; allowed are those of RC, UC, RD, UD, XRC and the CNP",
        [WIRE_HEADER_SHORT] = "it ends within the headers of its opcode",
        [WIRE_BAD_PAD] = "pad; it fills the payload up to 4 bytes, and FIRST and MIDDLE have none",
        [WIRE_BAD_LENGTH] = "payload length; none, some or up to 4096 bytes, as its opcode says",
        [WIRE_BAD_SYNDROME] = "reserved AETH syndrome; allowed are 0x00 to 0x3f and 0x60 to 0x64",
        [WIRE_CUT] = "cut by the capture: its ICRC cannot be checked",
    };
    return text[verdict];
}
