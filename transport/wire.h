/* The frames of RoCE v1 and v2 and of native InfiniBand, byte for byte: all wire formats and limits; pure functions, no allocation.
 *
 * A frame: Ethernet, 0 .. n VLAN tags, GRH (v1, type 0x8915) or IPv4 or IPv6 and UDP to port 4791 (v2, which has no GRH), BTH, the headers that its
 * opcode says, payload, 0 .. 3 pad bytes, ICRC; on native InfiniBand LRH, perhaps GRH, BTH ... ICRC, VCRC. Without preamble and FCS. Sources:
 * IBTA vol. 1, chapters 7 to 9, Annexes A16 (v1), A17 (v2) and A19 (FLUSH, ATOMIC WRITE), as Linux (rxe_hdr.h, rxe_opcode.c, rxe_icrc.c,
 * ib_verbs.h), Wireshark and scapy have them; held against the frames in tests/transport/wire_vectors.def. */
#ifndef TRANSPORT_WIRE_H
#define TRANSPORT_WIRE_H

#include <stddef.h>
#include <stdint.h>

#define WIRE_TYPE_VLAN 0x8100u
#define WIRE_TYPE_SERVICE_VLAN 0x88a8u
#define WIRE_TYPE_IPV4 0x0800u
#define WIRE_TYPE_IPV6 0x86ddu
#define WIRE_TYPE_ROCE_V1 0x8915u
#define WIRE_PROTOCOL_UDP 17u
#define WIRE_NEXT_IBA 0x1bu /* of a GRH: a BTH follows */
#define WIRE_ROCE_PORT 4791u
#define WIRE_ENTROPY_PORT 0xc000u /* the least source port */

#define WIRE_ETHERNET_BYTES 14u
#define WIRE_VLAN_BYTES 4u
#define WIRE_VLANS_MAX 4u
#define WIRE_IPV4_BYTES 20u
#define WIRE_IPV6_BYTES 40u /* and of a GRH */
#define WIRE_UDP_BYTES 8u
#define WIRE_LRH_BYTES 8u
#define WIRE_BTH_BYTES 12u
#define WIRE_ICRC_BYTES 4u
#define WIRE_VCRC_BYTES 2u
#define WIRE_PAYLOAD_MAX_BYTES 4096u
#define WIRE_FRAME_MAX_BYTES 4352u /* more than the longest: VLANs, IPv6, RDETH, DETH, RETH, immediate, 4096 and pad */

#define WIRE_OPCODE_CNP 0x81u
#define WIRE_ECN_CONGESTED 3u /* of the traffic class, bits 1:0 */

/* What an opcode consists of: transport (bits 7:5) and operation (bits 4:0). */
enum wire_transport { WIRE_RC = 0x00, WIRE_UC = 0x20, WIRE_RD = 0x40, WIRE_UD = 0x60, WIRE_XRC = 0xa0 };

enum wire_operation {
    WIRE_SEND_FIRST,
    WIRE_SEND_MIDDLE,
    WIRE_SEND_LAST,
    WIRE_SEND_LAST_IMM,
    WIRE_SEND_ONLY,
    WIRE_SEND_ONLY_IMM,
    WIRE_WRITE_FIRST,
    WIRE_WRITE_MIDDLE,
    WIRE_WRITE_LAST,
    WIRE_WRITE_LAST_IMM,
    WIRE_WRITE_ONLY,
    WIRE_WRITE_ONLY_IMM,
    WIRE_READ_REQUEST,
    WIRE_READ_RESPONSE_FIRST,
    WIRE_READ_RESPONSE_MIDDLE,
    WIRE_READ_RESPONSE_LAST,
    WIRE_READ_RESPONSE_ONLY,
    WIRE_ACKNOWLEDGE,
    WIRE_ATOMIC_ACKNOWLEDGE,
    WIRE_COMPARE_SWAP,
    WIRE_FETCH_ADD,
    WIRE_SEND_LAST_INV = 0x16,
    WIRE_SEND_ONLY_INV,
    WIRE_FLUSH = 0x1c,
    WIRE_ATOMIC_WRITE,
    WIRE_OPERATION_MASK = 0x1f
};

/* Headers behind the BTH, in their order. */
enum wire_header {
    WIRE_RDETH = 1,
    WIRE_DETH = 2,
    WIRE_XRCETH = 4,
    WIRE_FETH = 8,
    WIRE_RETH = 16,
    WIRE_ATOMIC_ETH = 32,
    WIRE_AETH = 64,
    WIRE_ATOMIC_ACK = 128,
    WIRE_IMMEDIATE = 256,
    WIRE_IETH = 512,
    WIRE_CNP = 1024 /* 16 reserved bytes */
};

enum wire_place { WIRE_FIRST, WIRE_MIDDLE, WIRE_LAST, WIRE_ONLY }; /* of a packet in its message */

struct wire_opcode {
    const char *name; /* "SEND_FIRST"; NULL: the opcode is reserved or its maker's own */
    unsigned headers; /* enum wire_header */
    uint32_t payload_least_bytes, payload_most_bytes;
    enum wire_place place;
};

/* AETH syndrome: bits 6:5 say which, 4:0 hold a count of credits, an RNR timer or a NAK code. */
#define WIRE_SYNDROME_ACK 0x00u
#define WIRE_SYNDROME_RNR 0x20u
#define WIRE_SYNDROME_NAK 0x60u
#define WIRE_SYNDROME_KIND 0xe0u
#define WIRE_CREDITS_INVALID 0x1fu /* no limit */
enum wire_nak {
    WIRE_NAK_SEQUENCE,
    WIRE_NAK_INVALID_REQUEST,
    WIRE_NAK_REMOTE_ACCESS,
    WIRE_NAK_REMOTE_OPERATION,
    WIRE_NAK_INVALID_RD_REQUEST,
    WIRE_NAKS
};

enum wire_network { WIRE_ROCE_V1, WIRE_ROCE_V2_IPV4, WIRE_ROCE_V2_IPV6, WIRE_INFINIBAND, WIRE_INFINIBAND_GLOBAL };
enum wire_link { WIRE_LINK_ETHERNET, WIRE_LINK_INFINIBAND };

enum wire_check { WIRE_UNKNOWN, WIRE_RIGHT, WIRE_WRONG, WIRE_ABSENT }; /* of a checksum */

struct wire_packet {
    enum wire_network network;
    uint8_t destination_mac[6], source_mac[6];
    uint8_t vlans;
    uint16_t vlan[WIRE_VLANS_MAX]; /* priority 15:13, DEI 12, VID 11:0; VID 0: a priority tag */
    uint16_t destination_lid, source_lid;
    uint8_t virtual_lane, service_level;
    uint8_t traffic_class; /* DSCP 7:2, ECN 1:0 */
    uint8_t hop_limit;
    uint16_t ip_id;
    uint32_t flow_label;
    uint8_t source_gid[16], destination_gid[16]; /* an IPv4 address is ::ffff:a.b.c.d */
    uint16_t source_port;
    uint8_t has_udp_checksum; /* 0: it is sent as 0, as RoCE does */

    uint8_t opcode;
    uint8_t solicited, migrated; /* SE, MigReq */
    uint8_t version;             /* TVer */
    uint8_t fecn, becn, ack_request;
    uint16_t pkey;
    uint32_t destination_qpn, psn;

    uint32_t ee_context, qkey, source_qpn, xrc_srqn, flush; /* flush: selectivity 5:4, placement 3:0 */
    uint64_t address, swap, compare, original, cnp_reserved[2];
    uint32_t rkey, dma_bytes, syndrome, msn, immediate, invalidated_rkey;

    const uint8_t *payload; /* encoding: NULL is zeros; decoding: within the frame, NULL when cut off */
    uint32_t payload_bytes; /* without pad */

    /* decoding only */
    uint8_t pad_bytes;
    uint8_t headers_known; /* the BTH and all behind it were captured */
    uint8_t inside;        /* what is wrong behind the network header, checks left out (enum wire_verdict) */
    uint8_t icrc_check, ip_check, udp_check; /* enum wire_check */
    uint16_t destination_port;
    uint32_t icrc, icrc_due; /* as the four bytes on the wire, the first one highest */
    uint32_t frame_bytes;    /* up to the ICRC's end; what follows it is padding */
};

enum wire_verdict { /* the first that holds */
                    WIRE_GOOD,
                    WIRE_NOT_ROCE,
                    WIRE_NOT_ROCE_PORT,
                    WIRE_BAD_IP,
                    WIRE_TRUNCATED,
                    WIRE_SHORT,
                    WIRE_BAD_ICRC,
                    WIRE_BAD_IP_CHECKSUM,
                    WIRE_BAD_UDP_LENGTH,
                    WIRE_BAD_UDP_CHECKSUM,
                    WIRE_BAD_VERSION,
                    WIRE_UNKNOWN_OPCODE,
                    WIRE_HEADER_SHORT,
                    WIRE_BAD_PAD,
                    WIRE_BAD_LENGTH,
                    WIRE_BAD_SYNDROME,
                    WIRE_CUT,
                    WIRE_VERDICTS
};

/* What is wrong, and what is allowed. */
const char *wire_verdict_text(enum wire_verdict verdict);

struct wire_opcode wire_opcode(uint8_t opcode);
/* "RC", "UC", "RD", "UD", "XRC", or "" */
const char *wire_transport_name(uint8_t opcode);
uint32_t wire_header_bytes(unsigned headers);

/* The UDP source port that keeps a QP's packets on one path and spreads QPs (rdma_flow_label_to_udp_sport in Linux); flow_label 0: made from the
 * two QP numbers. */
uint16_t wire_source_port(uint32_t flow_label, uint32_t local_qpn, uint32_t remote_qpn);

/* The frame's bytes, without Ethernet's padding to 60. */
uint32_t wire_frame_bytes(const struct wire_packet *packet);
/* Writes it; returns its bytes. 0: the opcode is reserved, payload does not fit it, there are too many VLANs, or no room. */
uint32_t wire_encode(const struct wire_packet *packet, uint8_t *frame, size_t room);

/* Reads a frame of which `captured` bytes are there and `length` were on the wire, FCS left out. All that could be read is in *packet, whatever
 * the verdict. */
enum wire_verdict wire_decode(struct wire_packet *packet, enum wire_link link, const uint8_t *frame, size_t captured,
                              size_t length);

/* Ethernet's FCS, as the four bytes on the wire, the first one highest. */
uint32_t wire_fcs(const uint8_t *frame, size_t bytes);

/* ---- between the files of the codec ---- */

/* A header's fields, to be read or written alike. */
struct wire_field {
    unsigned header;
    uint16_t offset;
    uint8_t bytes, size; /* on the wire; in the struct: 4 or 8 */
};
extern const struct wire_field wire_fields[];
extern const size_t wire_field_count;

static inline uint32_t wire_ip_bytes(enum wire_network network)
{
    static const uint8_t bytes[] = {WIRE_IPV6_BYTES, WIRE_IPV4_BYTES, WIRE_IPV6_BYTES, 0, WIRE_IPV6_BYTES};
    return bytes[network];
}

static inline uint32_t wire_udp_bytes(enum wire_network network)
{
    return network == WIRE_ROCE_V2_IPV4 || network == WIRE_ROCE_V2_IPV6 ? WIRE_UDP_BYTES : 0;
}

static inline int wire_is_infiniband(enum wire_network network)
{
    return network >= WIRE_INFINIBAND;
}

static inline uint64_t wire_get(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | from[i];
    return value;
}

static inline uint16_t wire_get16(const uint8_t *from)
{
    return (uint16_t)(from[0] << 8 | from[1]);
}

static inline void wire_put(uint8_t *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = bytes; i > 0; i--, value >>= 8)
        to[i - 1] = (uint8_t)value;
}

/* The ICRC of what begins with the network header (of InfiniBand: the LRH) and ends with the pad: `bytes` of them. */
uint32_t wire_icrc(enum wire_network network, const uint8_t *packet, size_t bytes);
/* InfiniBand's VCRC, of all from the LRH to the ICRC. */
uint16_t wire_vcrc(const uint8_t *packet, size_t bytes);

/* The Internet checksum (RFC 1071) of an IPv4 header; of UDP behind either header. 0 when what is there is right. */
uint16_t wire_ip_sum(const uint8_t *ip);
uint16_t wire_udp_sum(enum wire_network network, const uint8_t *ip, size_t udp_bytes);

#endif
