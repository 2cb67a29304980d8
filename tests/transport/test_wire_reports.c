/* Public bug reports about frames, one test each, named by subject; and frames that are wrong in one thing. */
#include "tests/transport/wire_frames.h"

#include <CUnit/Basic.h>

static uint8_t frame[WIRE_FRAME_MAX_BYTES + 64];

static enum wire_verdict decode(struct wire_packet *packet, size_t bytes)
{
    return wire_decode(packet, WIRE_LINK_ETHERNET, frame, bytes, bytes);
}

static size_t encode(uint8_t opcode, uint32_t payload_bytes)
{
    struct wire_packet packet = wire_frames_packet(WIRE_ROCE_V2_IPV4, opcode, payload_bytes);
    return wire_encode(&packet, frame, sizeof frame);
}

/* The frame's lengths are these, and its checks are right again. */
static void renew(size_t bytes, size_t udp_bytes)
{
    uint8_t *ip = frame + WIRE_ETHERNET_BYTES;
    wire_put(ip + 2, WIRE_IPV4_BYTES + (bytes - WIRE_ETHERNET_BYTES - WIRE_IPV4_BYTES), 2);
    wire_put(ip + 24, udp_bytes, 2);
    wire_put(ip + 10, 0, 2);
    wire_put(ip + 10, wire_ip_sum(ip), 2);
    size_t covered = bytes - WIRE_ETHERNET_BYTES - WIRE_ICRC_BYTES;
    wire_put(ip + covered, wire_icrc(WIRE_ROCE_V2_IPV4, ip, covered), WIRE_ICRC_BYTES);
}

#define BTH_AT (WIRE_ETHERNET_BYTES + WIRE_IPV4_BYTES + WIRE_UDP_BYTES)

/* SoftRoCE/rxe-dev, issue 30: messages of other than whole words were dropped by ConnectX, the ICRC left out the pad. */
static void icrc_covers_pad(void)
{
    static const uint32_t lengths[][2] = {{1, 3}, {2, 2}, {3, 1}, {5, 3}, {4, 0}};
    for (size_t i = 0; i < 5; i++) {
        struct wire_packet packet;
        size_t bytes = encode(WIRE_SEND_ONLY, lengths[i][0]);
        CU_ASSERT_EQUAL(decode(&packet, bytes), WIRE_GOOD);
        CU_ASSERT_EQUAL(packet.payload_bytes, lengths[i][0]); /* of the CQE */
        CU_ASSERT_EQUAL(packet.pad_bytes, lengths[i][1]);
        CU_ASSERT_EQUAL(wire_get16(frame + WIRE_ETHERNET_BYTES + 24), 8 + 12 + (lengths[i][0] + 3) / 4 * 4 + 4);
        for (size_t pad = 0; pad < lengths[i][1]; pad++) {
            uint8_t *byte = &frame[bytes - WIRE_ICRC_BYTES - 1 - pad];
            CU_ASSERT_EQUAL(*byte, 0);
            *byte = 1;
            CU_ASSERT_EQUAL(decode(&packet, bytes), WIRE_BAD_ICRC);
            *byte = 0;
        }
    }
}

/* linux-rdma, "rxe: wrong opcode of a NAK": a failed ATOMIC or READ is refused by an ACKNOWLEDGE of 62 bytes, which has no value. */
static void nak_is_an_acknowledge(void)
{
    static const unsigned naks[] = {WIRE_NAK_REMOTE_ACCESS, WIRE_NAK_INVALID_REQUEST};
    for (size_t i = 0; i < 2; i++) {
        struct wire_packet packet = wire_frames_packet(WIRE_ROCE_V2_IPV4, WIRE_ACKNOWLEDGE, 0);
        packet.syndrome = WIRE_SYNDROME_NAK | naks[i];
        CU_ASSERT_EQUAL(wire_encode(&packet, frame, sizeof frame), 62);
        CU_ASSERT_EQUAL(frame[BTH_AT], 0x11);
        CU_ASSERT_EQUAL(frame[BTH_AT + 12], naks[i] == WIRE_NAK_REMOTE_ACCESS ? 0x62 : 0x61);
        CU_ASSERT_EQUAL(decode(&packet, 62), WIRE_GOOD);
        frame[BTH_AT] = WIRE_ATOMIC_ACKNOWLEDGE; /* without the value that it must have */
        renew(62, 28);
        CU_ASSERT_EQUAL(decode(&packet, 62), WIRE_HEADER_SHORT);
    }
}

/* linux-rdma, "rxe: runt packets": 0 .. 15 bytes behind UDP, more pad than payload, opcodes that nobody has. No length goes below 0. */
static void runts(void)
{
    struct wire_packet packet;
    for (size_t udp_payload = 0; udp_payload < 16; udp_payload++) {
        encode(WIRE_SEND_ONLY, 8);
        if (udp_payload >= 4)
            renew(BTH_AT + udp_payload, 8 + udp_payload);
        else
            wire_put(frame + WIRE_ETHERNET_BYTES + 2, WIRE_IPV4_BYTES + 8 + udp_payload, 2);
        CU_ASSERT_EQUAL(decode(&packet, BTH_AT + udp_payload), WIRE_SHORT);
        CU_ASSERT_EQUAL(packet.payload_bytes, 0);
    }
    size_t bytes = encode(WIRE_SEND_ONLY, 0);
    frame[BTH_AT + 1] |= 0x30;
    renew(bytes, 24);
    CU_ASSERT_EQUAL(decode(&packet, bytes), WIRE_BAD_PAD);
    CU_ASSERT_EQUAL(packet.payload_bytes, 0);
    static const uint8_t unknown[] = {0x15, 0x18, 0x1f, 0x36, 0x60, 0x80, 0xbc, 0xc0, 0xe0, 0xff};
    for (size_t i = 0; i < sizeof unknown; i++) {
        bytes = encode(WIRE_SEND_ONLY, 8);
        frame[BTH_AT] = unknown[i];
        renew(bytes, 32);
        CU_ASSERT_EQUAL(decode(&packet, bytes), WIRE_UNKNOWN_OPCODE);
    }
}

/* linux-rdma, "rxe: Fix incorrect ICRC byte order": the CRC's least significant byte goes first, whatever the machine. */
static void icrc_byte_order(void)
{
    static const uint8_t ack[] = {0x25, 0xf0, 0xc0, 0x38}; /* of the public RoCE v1 ACK */
    size_t bytes =
        wire_frames_hex("7cfe90753cd87cfe90753cd889156020000000141b4000000000000000000000ffff0f00000200000000"
                        "000000000000ffff0f0000021140ffff0000010900a788c000000005",
                        frame);
    uint32_t icrc = wire_icrc(WIRE_ROCE_V1, frame + WIRE_ETHERNET_BYTES, bytes - WIRE_ETHERNET_BYTES);
    wire_put(frame + bytes, icrc, 4);
    CU_ASSERT_EQUAL(memcmp(frame + bytes, ack, 4), 0);
    CU_ASSERT_EQUAL(icrc, 0x25f0c038);
}

/* linux-rdma, "check of the VLAN on RC": no tag, a priority tag (VID 0), VID 100 and two tags: the ICRC is the same. */
static void vlan_is_outside_of_icrc(void)
{
    static const struct {
        uint8_t vlans;
        uint16_t vlan[2];
    } row[] = {{0, {0, 0}}, {1, {0x6000, 0}}, {1, {0x6064, 0}}, {2, {0x0007, 0x6064}}};
    uint32_t icrc = 0;
    for (size_t i = 0; i < 4; i++) {
        struct wire_packet packet = wire_frames_packet(WIRE_ROCE_V2_IPV4, WIRE_SEND_ONLY, 8), back;
        packet.vlans = row[i].vlans;
        packet.vlan[0] = row[i].vlan[0];
        packet.vlan[1] = row[i].vlan[1];
        CU_ASSERT_EQUAL(decode(&back, wire_encode(&packet, frame, sizeof frame)), WIRE_GOOD);
        CU_ASSERT_TRUE(i == 0 || back.icrc == icrc);
        CU_ASSERT_EQUAL(back.vlans, row[i].vlans);
        CU_ASSERT_EQUAL(back.vlan[0], row[i].vlan[0]);
        icrc = back.icrc;
    }
}

/* fpga-network-stack: answers whose UDP ports are swapped are no RoCE, whatever their ICRC; we always send to 4791, from any port. */
static void udp_ports(void)
{
    struct wire_packet packet = wire_frames_packet(WIRE_ROCE_V2_IPV4, WIRE_ACKNOWLEDGE, 0), back;
    static const uint16_t sources[] = {0, 4791, 18515, 0xc000, 0xffff};
    for (size_t i = 0; i < 5; i++) {
        packet.source_port = sources[i];
        size_t bytes = wire_encode(&packet, frame, sizeof frame);
        CU_ASSERT_EQUAL(decode(&back, bytes), WIRE_GOOD);
        CU_ASSERT_TRUE(back.source_port == sources[i] && back.destination_port == 4791);
        wire_put(frame + WIRE_ETHERNET_BYTES + 22, 18515, 2);
        CU_ASSERT_EQUAL(decode(&back, bytes), WIRE_NOT_ROCE_PORT);
    }
}

/* What is changed in a SEND ONLY of 8 bytes, and what is said of it. Bytes count from the IP header on. */
static void wrong_in_one_thing(void)
{
    static const struct {
        size_t at;
        uint8_t value;
        int renewed;
        enum wire_verdict verdict;
    } row[] = {{45, 0xff, 0, WIRE_BAD_ICRC},     /* payload */
               {36, 0xff, 0, WIRE_BAD_ICRC},     /* the reserved bits beside AckReq */
               {8, 63, 0, WIRE_BAD_IP_CHECKSUM}, /* hop limit */
               {0, 0x46, 0, WIRE_BAD_IP},        /* options */
               {6, 0x20, 0, WIRE_BAD_IP},        /* a fragment */
               {9, 6, 0, WIRE_NOT_ROCE},         /* TCP */
               {26, 0x12, 0, WIRE_BAD_UDP_CHECKSUM},
               {29, 0xc1, 1, WIRE_BAD_VERSION}, /* TVer */
               {32, 0xff, 0, WIRE_GOOD}};       /* FECN, BECN and what is masked with them */
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct wire_packet packet;
        size_t bytes = encode(WIRE_SEND_ONLY, 8);
        frame[WIRE_ETHERNET_BYTES + row[i].at] = row[i].value;
        if (row[i].renewed)
            renew(bytes, 32);
        CU_ASSERT_EQUAL(decode(&packet, bytes), row[i].verdict);
    }
}

/* Lengths: of UDP, of the frame, of headers and payload; what follows the datagram (padding, 29 bytes of something) does not count. */
static void lengths(void)
{
    struct wire_packet packet;
    static const struct {
        uint8_t opcode, as;
        uint32_t payload_bytes;
        int udp_more;
        enum wire_verdict verdict;
    } row[] = {{WIRE_SEND_ONLY, WIRE_SEND_ONLY, 8, 8, WIRE_BAD_UDP_LENGTH},
               {WIRE_SEND_ONLY, WIRE_SEND_ONLY, 8, -4, WIRE_BAD_UDP_LENGTH},
               {WIRE_SEND_ONLY, WIRE_SEND_ONLY, 8, -20, WIRE_BAD_UDP_LENGTH},
               {WIRE_SEND_ONLY, WIRE_READ_REQUEST, 8, 0, WIRE_HEADER_SHORT},
               {WIRE_SEND_ONLY, WIRE_ACKNOWLEDGE, 0, 0, WIRE_HEADER_SHORT},
               {WIRE_SEND_ONLY, WIRE_ACKNOWLEDGE, 12, 0, WIRE_BAD_LENGTH},
               {WIRE_WRITE_ONLY, WIRE_READ_REQUEST, 8, 0, WIRE_BAD_LENGTH},
               {WIRE_SEND_ONLY, WIRE_SEND_LAST, 0, 0, WIRE_BAD_LENGTH},
               {WIRE_SEND_ONLY, WIRE_SEND_MIDDLE, 7, 0, WIRE_BAD_PAD},
               {WIRE_WRITE_ONLY, WIRE_ATOMIC_WRITE, 4, 0, WIRE_BAD_LENGTH},
               {WIRE_WRITE_ONLY, WIRE_ATOMIC_WRITE, 12, 0, WIRE_BAD_LENGTH},
               {WIRE_WRITE_ONLY, WIRE_ATOMIC_WRITE, 8, 0, WIRE_GOOD}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        size_t bytes = encode(row[i].opcode, row[i].payload_bytes);
        frame[BTH_AT] = row[i].as;
        renew(bytes, (size_t)((int)(bytes - WIRE_ETHERNET_BYTES - WIRE_IPV4_BYTES) + row[i].udp_more));
        CU_ASSERT_EQUAL(decode(&packet, bytes), row[i].verdict);
        memset(frame + bytes, 0x5a, 29);
        CU_ASSERT_EQUAL(decode(&packet, bytes + 29), row[i].verdict);
    }
    for (unsigned kind = 0x20; kind <= 0xe0; kind += 0x20) { /* of the AETH */
        packet = wire_frames_packet(WIRE_ROCE_V2_IPV4, WIRE_ACKNOWLEDGE, 0);
        packet.syndrome = kind | 4;
        size_t bytes = wire_encode(&packet, frame, sizeof frame);
        CU_ASSERT_EQUAL(decode(&packet, bytes), kind == 0x20 || kind == 0x60 ? WIRE_GOOD : WIRE_BAD_SYNDROME);
    }
}

/* A frame that ends too soon, at every byte; and the same where the capture has cut it, so that nothing is wrong but not all is known. */
static void cut_at_every_byte(void)
{
    struct wire_packet packet;
    size_t bytes = encode(WIRE_WRITE_ONLY, 8);
    for (size_t captured = 0; captured < bytes; captured++) {
        CU_ASSERT_EQUAL(decode(&packet, captured), WIRE_TRUNCATED);
        CU_ASSERT_EQUAL(wire_decode(&packet, WIRE_LINK_ETHERNET, frame, captured, bytes), WIRE_CUT);
        CU_ASSERT_EQUAL(packet.headers_known, captured >= BTH_AT + 28);
        CU_ASSERT_EQUAL(packet.icrc_check, WIRE_UNKNOWN);
    }
    CU_ASSERT_EQUAL(decode(&packet, bytes), WIRE_GOOD);
}

/* Random bytes in place of a frame's: nothing is read beyond it (valgrind and sanitizers look on), nothing is good by chance. */
static void random_bytes(void)
{
    uint64_t state = 1;
    for (int round = 0; round < 20000; round++) {
        size_t bytes = encode(WIRE_SEND_ONLY, 32);
        for (int change = 0; change < 3; change++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            frame[(state >> 33) % 60] = (uint8_t)(state >> 20);
        }
        uint8_t *exact = malloc(bytes);
        memcpy(exact, frame, bytes);
        struct wire_packet packet;
        for (enum wire_link link = WIRE_LINK_ETHERNET; link <= WIRE_LINK_INFINIBAND; link++) {
            enum wire_verdict verdict = wire_decode(&packet, link, exact, bytes, bytes);
            CU_ASSERT_FATAL(verdict < WIRE_VERDICTS && (!packet.payload || packet.payload_bytes <= bytes));
            CU_ASSERT_FATAL(wire_verdict_text(verdict) != NULL);
        }
        free(exact);
    }
}

void suite_transport_wire_reports(void);
void suite_transport_wire_reports(void)
{
    CU_pSuite suite = CU_add_suite("transport/wire: field reports, bad frames", NULL, NULL);
    CU_add_test(suite, "the ICRC covers pad bytes", icrc_covers_pad);
    CU_add_test(suite, "a NAK is an ACKNOWLEDGE", nak_is_an_acknowledge);
    CU_add_test(suite, "runts, pad without payload, unknown opcodes", runts);
    CU_add_test(suite, "the ICRC's byte order", icrc_byte_order);
    CU_add_test(suite, "VLAN tags and the ICRC", vlan_is_outside_of_icrc);
    CU_add_test(suite, "UDP ports", udp_ports);
    CU_add_test(suite, "wrong in one thing", wrong_in_one_thing);
    CU_add_test(suite, "lengths", lengths);
    CU_add_test(suite, "cut at every byte", cut_at_every_byte);
    CU_add_test(suite, "random bytes", random_bytes);
}
