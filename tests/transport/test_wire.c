/* The codec against frames that others have made: what it reads, what it writes, what it says of the bad ones. */
#include "tests/transport/wire_frames.h"
#include "transport/frame.h"

#include <CUnit/Basic.h>

struct vector {
    const char *name;
    enum wire_verdict verdict;
    const char *hex;
};

static const struct vector vectors[] = {
#define VECTOR(name, verdict, hex) {#name, WIRE_##verdict, hex},
#include "tests/transport/wire_vectors.def"
#undef VECTOR
};
#define VECTORS (sizeof vectors / sizeof *vectors)

static const struct vector *vector(const char *name)
{
    for (size_t i = 0; i < VECTORS; i++)
        if (strcmp(vectors[i].name, name) == 0)
            return &vectors[i];
    abort();
}

static enum wire_verdict decode(const char *name, uint8_t *frame, size_t *bytes, struct wire_packet *packet)
{
    *bytes = wire_frames_hex(vector(name)->hex, frame);
    return wire_decode(packet, WIRE_LINK_ETHERNET, frame, *bytes, *bytes);
}

static void public_frames(void)
{
    static uint8_t frame[WIRE_FRAME_MAX_BYTES];
    struct wire_packet packet;
    size_t bytes;
    for (size_t i = 0; i < VECTORS; i++) {
        enum wire_verdict verdict = decode(vectors[i].name, frame, &bytes, &packet);
        if (verdict != vectors[i].verdict)
            printf("\n%s: %s\n", vectors[i].name, wire_verdict_text(verdict));
        CU_ASSERT_EQUAL(verdict, vectors[i].verdict);
    }
}

/* The ICRCs that are due for the frames whose own is wrong. */
static void icrc_of_bad_frames(void)
{
    static const struct {
        const char *name;
        uint32_t due;
    } row[] = {{"mellanox_doc_cnp_e42dad81", 0xdafc1bef},
               {"lab_cx_ack_as_published", 0x5a65394c},
               {"lab_cx_cnp_as_published", 0x0ff55661},
               {"rxe_kprobe_pre_icrc", 0xb3ceaa9f},
               {"strom_hls_placeholder_1", 0xad67d5dd},
               {"strom_hls_placeholder_2", 0xc4aae45c},
               {"strom_hls_placeholder_3", 0xc12e9ca3},
               {"libtins_icrc0_1", 0x9b51d4be},
               {"libtins_icrc0_2", 0xb5780f9a}};
    static uint8_t frame[WIRE_FRAME_MAX_BYTES];
    struct wire_packet packet;
    size_t bytes;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        decode(row[i].name, frame, &bytes, &packet);
        CU_ASSERT_EQUAL(packet.icrc_due, row[i].due);
    }
}

/* What is read and written again is the same to the byte; of the repaired CNP reserved bits are set, which nobody writes. */
static void written_again(void)
{
    static uint8_t frame[WIRE_FRAME_MAX_BYTES], again[WIRE_FRAME_MAX_BYTES];
    struct wire_packet packet;
    size_t bytes;
    int same = 0;
    for (size_t i = 0; i < VECTORS; i++) {
        if (decode(vectors[i].name, frame, &bytes, &packet) != WIRE_GOOD)
            continue;
        CU_ASSERT_EQUAL(wire_encode(&packet, again, sizeof again), bytes);
        same += memcmp(frame, again, bytes) == 0;
    }
    CU_ASSERT_EQUAL(same, 8);
}

static void fields(void)
{
    static uint8_t frame[WIRE_FRAME_MAX_BYTES];
    struct wire_packet p;
    size_t bytes;
    decode("pcpp_rxe_read_request", frame, &bytes, &p);
    CU_ASSERT_TRUE(p.opcode == WIRE_READ_REQUEST && p.address == 0x7fee260fb000 && p.rkey == 0x2b8);
    CU_ASSERT_TRUE(p.dma_bytes == 65536 && p.psn == 0x54cb63 && p.destination_qpn == 0x11 && p.ack_request);
    decode("lab_cx_ack_repaired", frame, &bytes, &p);
    CU_ASSERT_TRUE(p.opcode == WIRE_ACKNOWLEDGE && p.syndrome == 0 && p.msn == 945922 && p.migrated);
    decode("scapy_cnp_cx4lx", frame, &bytes, &p);
    CU_ASSERT_TRUE(p.opcode == WIRE_OPCODE_CNP && p.becn && !p.fecn && p.source_port == 0 && p.traffic_class == 0xc2);
    decode("scapy_v1_write_only", frame, &bytes, &p);
    CU_ASSERT_TRUE(p.payload_bytes == 5 && p.pad_bytes == 3 && p.dma_bytes == 5 && p.network == WIRE_ROCE_V1);
    decode("scapy_uc_ipv6", frame, &bytes, &p);
    CU_ASSERT_TRUE(p.flow_label == 0x1face && p.traffic_class == 226 && p.udp_check == WIRE_RIGHT);
    CU_ASSERT_STRING_EQUAL(wire_transport_name(p.opcode), "UC");
}

/* Any bit of the CNP from the IP header to the ICRC: those of 7 bytes a router may change, no other (448 bits; Annex A17.3.3). */
static void every_bit(void)
{
    static const size_t ip_at = WIRE_ETHERNET_BYTES;
    static uint8_t frame[WIRE_FRAME_MAX_BYTES];
    struct wire_packet packet;
    size_t bytes, free_bits[64] = {0}, free_bytes = 0;
    decode("cnp_22_22_22_8", frame, &bytes, &packet);
    size_t covered = bytes - ip_at - WIRE_ICRC_BYTES;
    uint32_t icrc = wire_icrc(WIRE_ROCE_V2_IPV4, frame + ip_at, covered);
    CU_ASSERT_EQUAL(covered * 8, 448);
    for (size_t bit = 0; bit < covered * 8; bit++) {
        frame[ip_at + bit / 8] ^= (uint8_t)(1u << bit % 8);
        free_bits[bit / 8] += wire_icrc(WIRE_ROCE_V2_IPV4, frame + ip_at, covered) == icrc;
        frame[ip_at + bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t at = 0; at < covered; at++) {
        int is_free = at == 1 || at == 8 || at == 10 || at == 11 || at == 26 || at == 27 || at == 32;
        CU_ASSERT_EQUAL(free_bits[at], is_free ? 8 : 0);
        free_bytes += is_free && free_bits[at] == 8;
    }
    CU_ASSERT_EQUAL(free_bytes, 7);
}

/* The same over each network, as counts of free bits. */
static void free_bits_of_networks(void)
{
    static const size_t expected[] = {[WIRE_ROCE_V1] = 4 + 24 + 8 + 8,
                                      [WIRE_ROCE_V2_IPV4] = 56,
                                      [WIRE_ROCE_V2_IPV6] = 4 + 24 + 8 + 16 + 8,
                                      [WIRE_INFINIBAND] = 4 + 8,
                                      [WIRE_INFINIBAND_GLOBAL] = 4 + 4 + 24 + 8 + 8};
    static uint8_t frame[WIRE_FRAME_MAX_BYTES];
    for (enum wire_network network = WIRE_ROCE_V1; network <= WIRE_INFINIBAND_GLOBAL; network++) {
        struct wire_packet packet = wire_frames_packet(network, WIRE_SEND_ONLY, 5);
        size_t at = wire_is_infiniband(network) ? 0 : WIRE_ETHERNET_BYTES, free_bits = 0;
        size_t covered = wire_encode(&packet, frame, sizeof frame) - at - WIRE_ICRC_BYTES;
        covered -= wire_is_infiniband(network) ? WIRE_VCRC_BYTES : 0;
        uint32_t icrc = wire_icrc(network, frame + at, covered);
        for (size_t bit = 0; bit < covered * 8; bit++) {
            frame[at + bit / 8] ^= (uint8_t)(1u << bit % 8);
            free_bits += wire_icrc(network, frame + at, covered) == icrc;
            frame[at + bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        CU_ASSERT_EQUAL(free_bits, expected[network]);
    }
}

/* rdma_flow_label_to_udp_sport of Linux; the values were computed apart from it. */
static void source_ports(void)
{
    static const struct {
        uint32_t flow_label, local, remote, port;
    } row[] = {{1, 0, 0, 0xc001},
               {0x3fff, 0, 0, 0xffff},
               {0x4000, 0, 0, 0xc001},
               {0xfffff, 0, 0, 0xffc0},
               {0, 0, 0, 0xc000},
               {0, 1, 1, 0xc001},
               {0, 1, 0xffffff, 0xffcf},
               {0, 0xffffff, 0xffffff, 0xff21},
               {0, 0x123456, 0xabcdef, 0xc3c8}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        CU_ASSERT_EQUAL(wire_source_port(row[i].flow_label, row[i].local, row[i].remote), row[i].port);
}

/* A frame with its FCS behind it leaves the CRC's residue, whatever the frame (IEEE 802.3, 3.2.9: 0xdebb20e3 before the complement). */
static void fcs(void)
{
    static uint8_t frame[WIRE_FRAME_MAX_BYTES];
    struct wire_packet packet;
    size_t bytes;
    for (size_t i = 0; i < VECTORS; i++) {
        decode(vectors[i].name, frame, &bytes, &packet);
        wire_put(frame + bytes, wire_fcs(frame, bytes), 4);
        CU_ASSERT_EQUAL(wire_fcs(frame, bytes + 4), __builtin_bswap32(~0xdebb20e3u));
    }
}

/* The sizes that the model reckons with are those of the frames. */
static void sizes(void)
{
    static const struct {
        uint8_t opcode;
        uint32_t payload_bytes, bytes;
    } row[] = {{WIRE_SEND_ONLY, 0, 58},        {WIRE_ACKNOWLEDGE, 0, FRAME_ACK_BYTES},
               {WIRE_OPCODE_CNP, 0, 74},       {WIRE_READ_REQUEST, 0, 74},
               {WIRE_COMPARE_SWAP, 0, 86},     {WIRE_ATOMIC_ACKNOWLEDGE, 0, 70},
               {WIRE_WRITE_MIDDLE, 1024, 1082}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct wire_packet packet = wire_frames_packet(WIRE_ROCE_V2_IPV4, row[i].opcode, row[i].payload_bytes);
        CU_ASSERT_EQUAL(wire_frame_bytes(&packet), row[i].bytes);
        packet.network = WIRE_ROCE_V2_IPV6;
        CU_ASSERT_EQUAL(wire_frame_bytes(&packet), row[i].bytes + 20);
    }
    for (uint32_t payload = 0; payload < 9; payload++) {
        struct wire_packet packet = wire_frames_packet(WIRE_ROCE_V2_IPV4, WIRE_WRITE_ONLY_IMM, payload);
        CU_ASSERT_EQUAL(wire_frame_bytes(&packet), frame_data_bytes(payload, 1, 1));
    }
}

/* What is not written: reserved opcodes, payload that an opcode has not, too many tags, too little room. */
static void not_written(void)
{
    static uint8_t frame[WIRE_FRAME_MAX_BYTES];
    static const struct {
        uint8_t opcode, vlans;
        uint32_t payload_bytes;
        size_t room;
    } row[] = {{0x15, 0, 0, sizeof frame},
               {0x80, 0, 0, sizeof frame},
               {0xc0, 0, 0, sizeof frame},
               {WIRE_UD | WIRE_WRITE_ONLY, 0, 4, sizeof frame},
               {WIRE_UC | WIRE_SEND_ONLY_INV, 0, 4, sizeof frame},
               {WIRE_ACKNOWLEDGE, 0, 4, sizeof frame},
               {WIRE_SEND_LAST, 0, 0, sizeof frame},
               {WIRE_SEND_ONLY, 0, 4097, sizeof frame},
               {WIRE_ATOMIC_WRITE, 0, 4, sizeof frame},
               {WIRE_SEND_ONLY, WIRE_VLANS_MAX + 1, 4, sizeof frame},
               {WIRE_SEND_ONLY, 0, 4, 61}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct wire_packet packet = wire_frames_packet(WIRE_ROCE_V2_IPV4, row[i].opcode, row[i].payload_bytes);
        packet.vlans = row[i].vlans;
        CU_ASSERT_EQUAL(wire_encode(&packet, frame, row[i].room), 0);
    }
}

void suite_transport_wire(void);
void suite_transport_wire(void)
{
    CU_pSuite suite = CU_add_suite("transport/wire: frames byte for byte", NULL, NULL);
    CU_add_test(suite, "public frames: the verdict of each", public_frames);
    CU_add_test(suite, "the ICRC that is due for bad ones", icrc_of_bad_frames);
    CU_add_test(suite, "written again to the byte", written_again);
    CU_add_test(suite, "fields", fields);
    CU_add_test(suite, "every bit of a CNP under the ICRC", every_bit);
    CU_add_test(suite, "free bits of each network", free_bits_of_networks);
    CU_add_test(suite, "source ports", source_ports);
    CU_add_test(suite, "FCS", fcs);
    CU_add_test(suite, "sizes", sizes);
    CU_add_test(suite, "what is not written", not_written);
}
