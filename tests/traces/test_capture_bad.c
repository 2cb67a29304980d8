/* Captures that are wrong, or only unusual: a mistake is one line and status 2, and leaves no trace behind. */
#include <CUnit/CUnit.h>

#include "tests/quick.h"
#include "tests/traces/scratch.h"
#include "tests/traces/tape.h"
#include "traces/capture.h"
#include "traces/capture_check.h"
#include "traces/import_pcap.h"

void suite_traces_capture_bad(void);

static char faults[4096];

static void keep_fault(void *context, uint64_t line, const char *text)
{
    (void)context;
    (void)line;
    size_t used = strlen(faults);
    snprintf(faults + used, sizeof faults - used, "%s\n", text);
}

static uint64_t check(const char *path)
{
    FILE *nowhere = fopen("/dev/null", "w");
    faults[0] = 0;
    uint64_t count = capture_check(path, keep_fault, NULL, 100, nowhere);
    fclose(nowhere);
    return count;
}

static struct wire_packet write_only(enum tape_kind kind, uint32_t psn, uint32_t bytes)
{
    struct wire_packet packet = tape_packet(kind, 1, WIRE_WRITE_ONLY, 6, psn);
    packet.address = 0x10000;
    packet.rkey = 7;
    packet.payload_bytes = packet.dma_bytes = bytes;
    packet.ack_request = 1;
    return packet;
}

static struct wire_packet acknowledge(enum tape_kind kind, uint32_t psn)
{
    struct wire_packet packet = tape_packet(kind, 2, WIRE_ACKNOWLEDGE, 5, psn);
    packet.msn = psn;
    return packet;
}

/* Three WRITEs and their ACKs. */
static void write_good(const char *path, enum tape_kind kind, uint8_t behind)
{
    struct tape tape = tape_open(path, kind);
    tape.behind = behind;
    for (uint32_t psn = 1; psn <= 3; psn++) {
        struct wire_packet data = write_only(kind, psn, 3 * psn), ack = acknowledge(kind, psn);
        tape_put(&tape, psn * 10000, &data);
        tape_put(&tape, psn * 10000 + 2000, &ack);
    }
    tape_close(&tape);
}

static int import(struct scratch *scratch, const char *name, struct rnicsim_error *error)
{
    char path[160];
    strcpy(path, scratch_path(scratch, name));
    *error = (struct rnicsim_error){""};
    return trace_import_pcap(path, scratch_path(scratch, "out.wqe"), NULL, error);
}

static void expect_refusal(struct scratch *scratch, const char *name, const char *says)
{
    struct rnicsim_error error;
    int before = scratch_count(scratch);
    CU_ASSERT_EQUAL(import(scratch, name, &error), -1);
    if (strstr(error.text, says) == NULL)
        printf("\nexpected \"%s\", got \"%s\"\n", says, error.text);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, says));
    CU_ASSERT_PTR_NULL(strchr(error.text, '\n'));
    CU_ASSERT_EQUAL(scratch_count(scratch), before);
}

/* Cut at every byte: within a packet it is said which, between two it is a shorter capture. */
static void cut(void)
{
    struct scratch scratch;
    struct rnicsim_error error;
    size_t length = 0;
    scratch_open(&scratch);
    for (enum tape_kind kind = TAPE_ETHERNET; kind <= TAPE_PCAPNG_BIG; kind++) {
        write_good(scratch_path(&scratch, "good"), kind, 0);
        char *bytes = scratch_read(scratch.path, &length);
        unsigned whole = 0, refused = 0;
        for (size_t cut_at = 0; cut_at < length; cut_at++) {
            scratch_write(scratch_path(&scratch, "cut"), bytes, cut_at);
            int result = import(&scratch, "cut", &error);
            whole += result == 0;
            refused += result != 0 && strstr(error.text, "/cut") != NULL && strchr(error.text, '\n') == NULL;
            CU_ASSERT_FATAL(check(scratch_path(&scratch, "cut")) <= 1);
        }
        CU_ASSERT_EQUAL(whole, 5);
        CU_ASSERT_EQUAL(whole + refused, length);
        free(bytes);
    }
    scratch_write(scratch_path(&scratch, "short"), "\xa1\xb2\xc3\xd4", 4);
    expect_refusal(&scratch, "short", "short: ");
    expect_refusal(&scratch, "nothing", "nothing: cannot be opened: No such file");
    unlink(scratch_path(&scratch, "out.wqe"));
    write_good(scratch_path(&scratch, "good"), TAPE_ETHERNET, 0);
    char *bytes = scratch_read(scratch.path, &length);
    scratch_write(scratch_path(&scratch, "cut"), bytes, length - 10);
    free(bytes);
    expect_refusal(&scratch, "cut", "cut:packet 6: truncated dump file");
    scratch_close(&scratch);
}

static void wrong_kinds(void)
{
    static const uint8_t ieee80211[24] = {0xd4, 0xc3, 0xb2, 0xa1, 2, 0,    4,    0, 0, 0,  0,
                                          0,    0,    0,    0,    0, 0xff, 0xff, 0, 0, 105};
    struct scratch scratch;
    scratch_open(&scratch);
    scratch_write(scratch_path(&scratch, "wifi.pcap"), ieee80211, sizeof ieee80211);
    expect_refusal(&scratch, "wifi.pcap", "wifi.pcap: link type 105 (IEEE802_11); allowed are Ethernet (1), ERF (197)");
    scratch_write(scratch_path(&scratch, "text"), "#rnicsim-trace version=1\n", 25);
    expect_refusal(&scratch, "text", "text: unknown file format; allowed is a whole pcap or pcapng file");
    struct tape tape = tape_open(scratch_path(&scratch, "erf"), TAPE_ERF);
    struct wire_packet packet = tape_packet(TAPE_ERF, 1, WIRE_SEND_ONLY, 6, 1);
    tape_put(&tape, 0, &packet);
    fseek(tape.file, 24 + 16 + 8, SEEK_SET);
    fputc(3, tape.file);
    tape_close(&tape);
    expect_refusal(&scratch, "erf", "erf:packet 1: ERF type 3; allowed are 2 (Ethernet), 21 and 25 (InfiniBand)");
    tape = tape_open(scratch_path(&scratch, "none"), TAPE_ETHERNET);
    packet = acknowledge(TAPE_ETHERNET, 1);
    tape_put(&tape, 0, &packet);
    tape_close(&tape);
    expect_refusal(&scratch, "none", "none: no request in 1 packets; needed are requests of RC or UC");
    scratch_close(&scratch);
}

/* Padding of short frames, 29 bytes behind the datagram, a snap length: nothing is wrong, and the requests are the same. */
static void unusual(void)
{
    static const uint8_t behind[] = {0, 2, 29, 64};
    struct scratch scratch;
    struct rnicsim_error error;
    char *first = NULL;
    size_t length = 0;
    scratch_open(&scratch);
    for (size_t i = 0; i < sizeof behind; i++) {
        write_good(scratch_path(&scratch, "in"), i % 2 == 0 ? TAPE_ETHERNET : TAPE_PCAPNG_BIG, behind[i]);
        CU_ASSERT_EQUAL(check(scratch.path), 0);
        CU_ASSERT_EQUAL(import(&scratch, "in", &error), 0);
        char *trace = scratch_read(scratch_path(&scratch, "out.wqe"), &length);
        if (first == NULL)
            first = trace;
        else {
            CU_ASSERT_STRING_EQUAL(trace, first);
            free(trace);
        }
    }
    free(first);
    struct tape tape = tape_open(scratch_path(&scratch, "snapped"), TAPE_ETHERNET);
    struct wire_packet packet = write_only(TAPE_ETHERNET, 1, 1000);
    uint8_t frame[WIRE_FRAME_MAX_BYTES];
    uint32_t bytes = wire_encode(&packet, frame, sizeof frame);
    tape_put_bytes(&tape, 0, frame, 96, bytes);
    tape_close(&tape);
    CU_ASSERT_EQUAL(check(scratch.path), 0);
    CU_ASSERT_EQUAL(import(&scratch, "snapped", &error), 0);
    scratch_close(&scratch);
}

/* An HLS design answers to the port that it was asked from (fpga-network-stack): that is no RoCE, and no wrong ICRC. Other traffic is no fault. */
static void udp_ports(void)
{
    struct scratch scratch;
    struct wire_packet data = write_only(TAPE_ETHERNET, 1, 8), ack = acknowledge(TAPE_ETHERNET, 1);
    uint8_t frame[WIRE_FRAME_MAX_BYTES];
    scratch_open(&scratch);
    struct tape tape = tape_open(scratch_path(&scratch, "hls"), TAPE_ETHERNET);
    tape_put(&tape, 0, &data);
    uint32_t bytes = wire_encode(&ack, frame, sizeof frame);
    wire_put(frame + WIRE_ETHERNET_BYTES + WIRE_IPV4_BYTES, 4791, 2);
    wire_put(frame + WIRE_ETHERNET_BYTES + WIRE_IPV4_BYTES + 2, 18515, 2);
    tape_put_bytes(&tape, 1000, frame, bytes, bytes);
    wire_put(frame + WIRE_ETHERNET_BYTES + WIRE_IPV4_BYTES, 53, 2);
    tape_put_bytes(&tape, 2000, frame, bytes, bytes);
    wire_put(frame + 12, 0x0806, 2); /* ARP */
    tape_put_bytes(&tape, 3000, frame, bytes, bytes);
    tape_close(&tape);
    CU_ASSERT_EQUAL(check(scratch.path), 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(faults, "hls:packet 2: not RoCE: UDP port"));
    scratch_close(&scratch);
}

/* A placeholder for the ICRC (a simulator's, or one that the NIC has not written yet): told, and imported all the same. */
static void icrc_placeholder(void)
{
    struct scratch scratch;
    struct rnicsim_error error;
    struct wire_packet data = write_only(TAPE_ETHERNET, 1, 8);
    uint8_t frame[WIRE_FRAME_MAX_BYTES];
    scratch_open(&scratch);
    struct tape tape = tape_open(scratch_path(&scratch, "sim"), TAPE_ETHERNET);
    uint32_t bytes = wire_encode(&data, frame, sizeof frame);
    wire_put(frame + bytes - 4, 0xefbeadde, 4);
    tape_put_bytes(&tape, 0, frame, bytes, bytes);
    tape_close(&tape);
    CU_ASSERT_EQUAL(check(scratch.path), 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(faults, "sim:packet 1: bad ICRC"));
    CU_ASSERT_EQUAL(import(&scratch, "sim", &error), 0);
    scratch_close(&scratch);
}

/* Bytes changed at random: whatever comes, it ends with a result or with one line. */
static void random_changes(void)
{
    struct scratch scratch;
    uint64_t state = 7;
    size_t length = 0;
    scratch_open(&scratch);
    for (uint64_t round = 0; round < quick_cases(1500); round++) {
        struct rnicsim_error error;
        write_good(scratch_path(&scratch, "good"), (enum tape_kind)(round % 3), 0);
        char *bytes = scratch_read(scratch.path, &length);
        for (int change = 0; change < 6; change++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[(state >> 33) % length] ^= (char)(state >> 20);
        }
        scratch_write(scratch_path(&scratch, "bad"), bytes, length);
        free(bytes);
        check(scratch.path);
        if (import(&scratch, "bad", &error) != 0)
            CU_ASSERT_FATAL(strncmp(error.text, scratch.folder, strlen(scratch.folder)) == 0 &&
                            strchr(error.text, '\n') == NULL);
        unlink(scratch_path(&scratch, "out.wqe"));
        CU_ASSERT_EQUAL_FATAL(scratch_count(&scratch), 2);
    }
    scratch_close(&scratch);
}

void suite_traces_capture_bad(void)
{
    CU_pSuite suite = CU_add_suite("traces/capture: wrong and unusual ones", NULL, NULL);
    CU_add_test(suite, "cut at every byte", cut);
    CU_add_test(suite, "wrong kinds", wrong_kinds);
    CU_add_test(suite, "padding, trailers, snap length", unusual);
    CU_add_test(suite, "UDP ports", udp_ports);
    CU_add_test(suite, "a placeholder for the ICRC", icrc_placeholder);
    CU_add_test(suite, "random changes", random_changes);
}
