/* A sweep of all that the encoder can write, as a capture, before two others: tshark reads it field by field; the ICRCs are reckoned by scapy's
 * contrib/roce.py, since tshark does not look at them. Both come as Debian packages (TEST_PACKAGES in the Makefile). */
#include "tests/transport/tshark.h"
#include "tests/transport/wire_frames.h"

#include <CUnit/Basic.h>
#include <pcap/pcap.h>
#include <stdarg.h>
#include <unistd.h>

#define SWEEP_MAX 4000

struct sweep {
    struct wire_packet packet[SWEEP_MAX];
    uint32_t icrc[SWEEP_MAX];
    unsigned count;
    pcap_dumper_t *dumper;
};

static struct sweep sweep;

/* ---- the capture ---- */

static void add(struct wire_packet packet)
{
    uint8_t frame[WIRE_FRAME_MAX_BYTES];
    struct pcap_pkthdr head = {.ts = {.tv_sec = 0, .tv_usec = (suseconds_t)sweep.count}};
    struct wire_packet back;
    head.len = head.caplen = wire_encode(&packet, frame, sizeof frame);
    CU_ASSERT_FATAL(head.len > 0 && sweep.count < SWEEP_MAX);
    enum wire_verdict verdict = wire_decode(&back, WIRE_LINK_ETHERNET, frame, head.len, head.len);
    CU_ASSERT_EQUAL_FATAL(verdict, WIRE_GOOD);
    CU_ASSERT_EQUAL(back.payload_bytes, packet.payload_bytes);
    pcap_dump((unsigned char *)sweep.dumper, &head, frame);
    sweep.icrc[sweep.count] = back.icrc;
    sweep.packet[sweep.count++] = packet;
}

/* The values of a field are told apart from those of the frame before. */
static struct wire_packet varied(enum wire_network network, uint8_t opcode, uint32_t payload_bytes)
{
    struct wire_packet packet = wire_frames_packet(network, opcode, payload_bytes);
    uint32_t n = sweep.count;
    packet.psn = (packet.psn + n * 7919) & 0xffffff;
    packet.destination_qpn = (packet.destination_qpn + n * 104729) & 0xffffff;
    packet.solicited = n & 1;
    packet.migrated = n >> 1 & 1;
    packet.ack_request = n >> 2 & 1;
    packet.address += n;
    packet.immediate += n;
    packet.msn = (packet.msn + n) & 0xffffff;
    packet.traffic_class = (uint8_t)(n * 4 + n % 4);
    packet.has_udp_checksum = n % 3 == 0;
    return packet;
}

/* All opcodes on all networks, with all pads that an opcode allows and with none, one and two tags. */
static void add_opcode(uint8_t opcode)
{
    struct wire_opcode known = wire_opcode(opcode);
    uint32_t step = known.place < WIRE_LAST ? 4 : 1; /* FIRST and MIDDLE have no pad */
    for (enum wire_network network = WIRE_ROCE_V1; network <= WIRE_ROCE_V2_IPV6; network++)
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t bytes =
                known.payload_least_bytes == known.payload_most_bytes ? known.payload_least_bytes : 24 - i * step;
            struct wire_packet packet = varied(network, opcode, bytes);
            packet.vlans = (uint8_t)(i == 3 ? 2 : i % 2);
            packet.vlan[0] = (uint16_t)(i == 1 ? 0x6000 : 0x2064); /* a priority tag */
            packet.vlan[1] = 0x60c8;
            add(packet);
        }
}

static void write_capture(const char *path)
{
    sweep.count = 0;
    pcap_t *pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, 65535, PCAP_TSTAMP_PRECISION_NANO);
    sweep.dumper = pcap_dump_open(pcap, path);
    CU_ASSERT_PTR_NOT_NULL_FATAL(sweep.dumper);
    for (unsigned opcode = 0; opcode < 256; opcode++)
        if (wire_opcode((uint8_t)opcode).name)
            add_opcode((uint8_t)opcode);
    for (uint32_t payload_bytes = 0; payload_bytes <= WIRE_PAYLOAD_MAX_BYTES; payload_bytes += 512)
        add(varied(WIRE_ROCE_V2_IPV4, WIRE_SEND_ONLY, payload_bytes));
    pcap_dump_close(sweep.dumper);
    pcap_close(pcap);
}

/* ---- what tshark is to say ---- */

/* Which of the BTH's fields alone it reads: of the rest it knows nothing, or takes RD for something else. */
static int is_read_in_full(uint8_t opcode)
{
    return opcode < WIRE_FLUSH || (opcode >= WIRE_UC && opcode < WIRE_RD) ||
           (opcode >= WIRE_UD && opcode < WIRE_OPCODE_CNP);
}

static const char fields[] =
    " -e infiniband.bth.opcode -e infiniband.bth.se -e infiniband.bth.m -e infiniband.bth.padcnt -e infiniband.bth.tver"
    " -e infiniband.bth.p_key -e infiniband.bth.destqp -e infiniband.bth.a -e infiniband.bth.psn -e eth.dst"
    " -e vlan.id -e vlan.priority -e ip.src -e ip.dst -e ip.dsfield -e ip.ttl -e ip.len -e ip.checksum.status"
    " -e ipv6.dst -e ipv6.plen -e ipv6.tclass -e udp.srcport -e udp.dstport -e udp.length -e udp.checksum.status"
    " -e infiniband.grh.paylen -e infiniband.grh.nxthdr -e infiniband.grh.tclass -e infiniband.grh.flowlabel"
    " -e infiniband.reth.va -e infiniband.reth.r_key -e infiniband.reth.dmalen -e infiniband.aeth.syndrome"
    " -e infiniband.aeth.msn -e infiniband.deth.q_key -e infiniband.deth.srcqp -e infiniband.immdt -e infiniband.ieth"
    " -e infiniband.atomiceth.swapdt -e infiniband.atomiceth.cmpdt -e infiniband.atomicacketh.origremdt"
    " -e infiniband.invariant.crc -e _ws.malformed -e _ws.expert.message";

static const char command[] = TSHARK "-r %s -T fields -E separator='|' -E aggregator=+%s 2>&1";

/* Appends a field: its text, or none where the packet has not that header. */
__attribute__((format(printf, 3, 4))) static void field(char *line, int is_there, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t used = strlen(line);
    line[used++] = '|';
    line[used] = 0;
    if (is_there)
        vsnprintf(line + used, 200, format, arguments);
    va_end(arguments);
}

/* Everything in front of the BTH, and the BTH. */
static void expect_outside(char *line, const struct wire_packet *p)
{
    int is_v1 = p->network == WIRE_ROCE_V1, is_v4 = p->network == WIRE_ROCE_V2_IPV4, is_v6 = !is_v1 && !is_v4;
    uint32_t udp = wire_frame_bytes(p) - WIRE_ETHERNET_BYTES - p->vlans * WIRE_VLAN_BYTES - wire_ip_bytes(p->network);
    unsigned tag = p->vlans > 0 ? p->vlan[p->vlans - 1] : 0; /* the outer one of two goes by another name */
    snprintf(line, 200, "%u|%u|%u|%u|0|65535|0x%06x|%u|%u|02:00:00:00:00:02", p->opcode, p->solicited, p->migrated,
             -p->payload_bytes & 3, p->destination_qpn, p->ack_request, p->psn);
    field(line, p->vlans > 0, "%u", tag & 0xfff);
    field(line, p->vlans > 0, "%u", tag >> 13);
    field(line, is_v4, "10.0.0.1");
    field(line, is_v4, "10.0.0.2");
    field(line, is_v4, "0x%02x", p->traffic_class);
    field(line, is_v4, "64");
    field(line, is_v4, "%u", udp + WIRE_IPV4_BYTES);
    field(line, is_v4, "1"); /* the checksum is right */
    field(line, is_v6, "fd00::ffff:a00:2");
    field(line, is_v6, "%u", udp);
    field(line, is_v6, "0x%08x", p->traffic_class);
    field(line, !is_v1, "%u", p->source_port);
    field(line, !is_v1, "4791");
    field(line, !is_v1, "%u", udp);
    field(line, !is_v1, "%d", p->has_udp_checksum ? 1 : 3); /* right, or not present */
    field(line, is_v1, "%u", udp);
    field(line, is_v1, "27");
    field(line, is_v1, "%u", p->traffic_class);
    field(line, is_v1, "%u", p->flow_label);
}

static void expect_inside(char *line, const struct wire_packet *p, uint32_t icrc)
{
    unsigned headers = wire_opcode(p->opcode).headers;
    int has_address = (headers & (WIRE_RETH | WIRE_ATOMIC_ETH)) != 0;
    field(line, has_address, "0x%016llx", (unsigned long long)p->address);
    field(line, has_address, "0x%08x", p->rkey);
    field(line, headers & WIRE_RETH, "%u", p->dma_bytes);
    field(line, headers & WIRE_AETH, "%u", p->syndrome);
    field(line, headers & WIRE_AETH, "%u", p->msn);
    field(line, headers & WIRE_DETH, "0x%016x", p->qkey);
    field(line, headers & WIRE_DETH, "0x%08x", p->source_qpn);
    field(line, headers & WIRE_IMMEDIATE, "%08x+%08x", p->immediate, p->immediate); /* it says them twice */
    field(line, headers & WIRE_IETH, "%08x+%08x", p->invalidated_rkey, p->invalidated_rkey);
    field(line, headers & WIRE_ATOMIC_ETH, "%llu", (unsigned long long)p->swap);
    field(line, headers & WIRE_ATOMIC_ETH, "%llu", (unsigned long long)p->compare);
    field(line, headers & WIRE_ATOMIC_ACK, "%llu", (unsigned long long)p->original);
    field(line, 1, "0x%08x", icrc);
    field(line, 0, "-"); /* malformed */
    field(line, 0, "-"); /* expert */
}

static void compare(unsigned n, const char *said)
{
    char expected[2000] = "";
    const struct wire_packet *packet = &sweep.packet[n];
    expect_outside(expected, packet);
    int in_full = is_read_in_full(packet->opcode);
    if (in_full)
        expect_inside(expected, packet, sweep.icrc[n]);
    int same = in_full ? strcmp(said, expected) == 0 : strncmp(said, expected, strlen(expected)) == 0;
    if (!same)
        printf("\nframe %u, tshark: %s\n       expected: %s\n", n + 1, said, expected);
    CU_ASSERT_TRUE(same);
}

static void tshark_reads_it(void)
{
    char path[] = "/tmp/rnicsim-sweep-XXXXXX", line[8192];
    CU_ASSERT_FATAL(close(mkstemp(path)) == 0);
    write_capture(path);
    snprintf(line, sizeof line, command, path, fields);
    FILE *said = popen(line, "r");
    unsigned n = 0;
    while (fgets(line, sizeof line, said)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "Running as", 10) != 0 && n < sweep.count)
            compare(n++, line);
    }
    CU_ASSERT_EQUAL(pclose(said), 0);
    CU_ASSERT_EQUAL(n, sweep.count);
    unlink(path);
}

static void scapy_reckons_the_same(void)
{
    char path[] = "/tmp/rnicsim-sweep-XXXXXX", line[400];
    unsigned n = 0;
    CU_ASSERT_FATAL(close(mkstemp(path)) == 0);
    write_capture(path);
    snprintf(line, sizeof line, "/usr/bin/python3 '%s/tests/transport/wire_icrc.py' %s", RNICSIM_SOURCE_DIR, path);
    FILE *said = popen(line, "r");
    for (unsigned icrc; n < sweep.count && fscanf(said, "%8x", &icrc) == 1; n++) {
        if (icrc != sweep.icrc[n])
            printf("\nframe %u: ICRC %08x, scapy has %08x\n", n + 1, sweep.icrc[n], icrc);
        CU_ASSERT_EQUAL(icrc, sweep.icrc[n]);
    }
    CU_ASSERT_EQUAL(pclose(said), 0);
    CU_ASSERT_EQUAL(n, sweep.count);
    unlink(path);
}

void suite_transport_oracle(void);
void suite_transport_oracle(void)
{
    CU_pSuite suite = CU_add_suite("transport/wire: tshark and scapy", NULL, NULL);
    CU_add_test(suite, "tshark reads the sweep field by field", tshark_reads_it);
    CU_add_test(suite, "scapy reckons the same ICRCs", scapy_reckons_the_same);
}
