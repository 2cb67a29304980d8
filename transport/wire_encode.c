#include "transport/wire.h"

#include <string.h>

static uint32_t pad_of(const struct wire_packet *packet)
{
    return -packet->payload_bytes & 3;
}

/* From the BTH to the ICRC. */
static uint32_t transport_bytes(const struct wire_packet *packet)
{
    return WIRE_BTH_BYTES + wire_header_bytes(wire_opcode(packet->opcode).headers) + packet->payload_bytes +
           pad_of(packet) + WIRE_ICRC_BYTES;
}

static uint32_t link_bytes(const struct wire_packet *packet)
{
    return wire_is_infiniband(packet->network) ? WIRE_LRH_BYTES : WIRE_ETHERNET_BYTES + packet->vlans * WIRE_VLAN_BYTES;
}

uint32_t wire_frame_bytes(const struct wire_packet *packet)
{
    return link_bytes(packet) + wire_ip_bytes(packet->network) + wire_udp_bytes(packet->network) +
           transport_bytes(packet) + (wire_is_infiniband(packet->network) ? WIRE_VCRC_BYTES : 0);
}

static uint8_t *put(uint8_t *to, uint64_t value, unsigned bytes)
{
    wire_put(to, value, bytes);
    return to + bytes;
}

static uint8_t *put_bytes(uint8_t *to, const uint8_t *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return to + bytes;
}

static uint8_t *put_ethernet(const struct wire_packet *packet, uint8_t *to)
{
    static const uint16_t type[] = {
        [WIRE_ROCE_V1] = WIRE_TYPE_ROCE_V1, [WIRE_ROCE_V2_IPV4] = WIRE_TYPE_IPV4, [WIRE_ROCE_V2_IPV6] = WIRE_TYPE_IPV6};
    to = put_bytes(to, packet->destination_mac, sizeof packet->destination_mac);
    to = put_bytes(to, packet->source_mac, sizeof packet->source_mac);
    for (unsigned i = 0; i < packet->vlans; i++) /* the outer ones of several are a provider's (IEEE 802.1Q, 9.5) */
        to = put(put(to, i + 1 < packet->vlans ? WIRE_TYPE_SERVICE_VLAN : WIRE_TYPE_VLAN, 2), packet->vlan[i], 2);
    return put(to, type[packet->network], 2);
}

/* Its length counts words of 4 bytes up to the ICRC (IBTA vol. 1, 7.7). */
static uint8_t *put_lrh(const struct wire_packet *packet, uint8_t *to)
{
    uint32_t words = (WIRE_LRH_BYTES + wire_ip_bytes(packet->network) + transport_bytes(packet)) / 4;
    to = put(to, (uint64_t)packet->virtual_lane << 4, 1);
    to = put(to, (uint64_t)packet->service_level << 4 | (packet->network == WIRE_INFINIBAND_GLOBAL ? 3 : 2), 1);
    return put(put(put(to, packet->destination_lid, 2), words, 2), packet->source_lid, 2);
}

/* DF is set: a fragment could not be placed. */
static uint8_t *put_ipv4(const struct wire_packet *packet, uint8_t *to)
{
    uint8_t *ip = to;
    to = put(put(to, 0x45, 1), packet->traffic_class, 1);
    to = put(to, WIRE_IPV4_BYTES + WIRE_UDP_BYTES + transport_bytes(packet), 2);
    to = put(put(to, packet->ip_id, 2), 0x4000, 2);
    to = put(put(put(to, packet->hop_limit, 1), WIRE_PROTOCOL_UDP, 1), 0, 2);
    to = put_bytes(to, packet->source_gid + 12, 4);
    to = put_bytes(to, packet->destination_gid + 12, 4);
    wire_put(ip + 10, wire_ip_sum(ip), 2);
    return to;
}

/* A GRH has the same form. */
static uint8_t *put_ipv6(const struct wire_packet *packet, uint8_t *to)
{
    int is_grh = packet->network != WIRE_ROCE_V2_IPV6;
    to = put(to, 6u << 28 | (uint32_t)packet->traffic_class << 20 | (packet->flow_label & 0xfffff), 4);
    to = put(to, wire_udp_bytes(packet->network) + transport_bytes(packet), 2);
    to = put(put(to, is_grh ? WIRE_NEXT_IBA : WIRE_PROTOCOL_UDP, 1), packet->hop_limit, 1);
    to = put_bytes(to, packet->source_gid, sizeof packet->source_gid);
    return put_bytes(to, packet->destination_gid, sizeof packet->destination_gid);
}

static uint8_t *put_udp(const struct wire_packet *packet, uint8_t *to)
{
    to = put(put(to, packet->source_port, 2), WIRE_ROCE_PORT, 2);
    return put(put(to, WIRE_UDP_BYTES + transport_bytes(packet), 2), 0, 2);
}

static uint8_t *put_bth(const struct wire_packet *packet, uint8_t *to)
{
    unsigned flags = (packet->solicited ? 0x80u : 0) | (packet->migrated ? 0x40u : 0) | pad_of(packet) << 4 |
                     (packet->version & 0xfu);
    to = put(put(put(to, packet->opcode, 1), flags, 1), packet->pkey, 2);
    to = put(to, (packet->fecn ? 0x80u : 0) | (packet->becn ? 0x40u : 0), 1);
    to = put(put(to, packet->destination_qpn, 3), packet->ack_request ? 0x80 : 0, 1);
    return put(to, packet->psn, 3);
}

static uint8_t *put_headers(const struct wire_packet *packet, unsigned headers, uint8_t *to)
{
    for (size_t i = 0; i < wire_field_count; i++) {
        const struct wire_field *field = &wire_fields[i];
        const void *from = (const char *)packet + field->offset;
        if (headers & field->header)
            to = put(to, field->size == 8 ? *(const uint64_t *)from : *(const uint32_t *)from, field->bytes);
    }
    return to;
}

static uint8_t *put_payload(const struct wire_packet *packet, uint8_t *to)
{
    if (packet->payload)
        to = put_bytes(to, packet->payload, packet->payload_bytes);
    else
        to = (uint8_t *)memset(to, 0, packet->payload_bytes) + packet->payload_bytes;
    return put(to, 0, pad_of(packet));
}

uint32_t wire_encode(const struct wire_packet *packet, uint8_t *frame, size_t room)
{
    struct wire_opcode opcode = wire_opcode(packet->opcode);
    if (!opcode.name || packet->vlans > WIRE_VLANS_MAX || packet->payload_bytes < opcode.payload_least_bytes ||
        packet->payload_bytes > opcode.payload_most_bytes || wire_frame_bytes(packet) > room)
        return 0;
    int is_infiniband = wire_is_infiniband(packet->network), is_ipv4 = packet->network == WIRE_ROCE_V2_IPV4;
    uint8_t *ip = is_infiniband ? put_lrh(packet, frame) : put_ethernet(packet, frame);
    uint8_t *udp = packet->network == WIRE_INFINIBAND ? ip : is_ipv4 ? put_ipv4(packet, ip) : put_ipv6(packet, ip);
    uint8_t *bth = wire_udp_bytes(packet->network) > 0 ? put_udp(packet, udp) : udp;
    uint8_t *end = put_payload(packet, put_headers(packet, opcode.headers, put_bth(packet, bth)));
    const uint8_t *covered = is_infiniband ? frame : ip;
    end = put(end, wire_icrc(packet->network, covered, (size_t)(end - covered)), WIRE_ICRC_BYTES);
    if (is_infiniband)
        end = put(end, wire_vcrc(frame, (size_t)(end - frame)), WIRE_VCRC_BYTES);
    else if (bth != udp && packet->has_udp_checksum) {
        uint16_t sum = wire_udp_sum(packet->network, ip, (size_t)(end - udp));
        wire_put(udp + 6, sum == 0 ? 0xffff : sum, 2); /* 0 would say that there is none (RFC 768) */
    }
    return (uint32_t)(end - frame);
}
