#include "traces/capture_scan.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "traces/record.h"

#define MANUFACTURER 0xc0u /* opcodes from here on are each maker's own */

/* Other traffic is no fault; from RoCE's port to another it is (an HLS design swaps its ports so). */
static int is_fault(const struct capture_packet *packet)
{
    switch (packet->verdict) {
    case WIRE_GOOD:
    case WIRE_CUT:
    case WIRE_NOT_ROCE:
    case WIRE_BAD_IP: /* fragments and options, of whatever UDP */
        return 0;
    case WIRE_NOT_ROCE_PORT:
        return packet->wire.source_port == WIRE_ROCE_PORT;
    case WIRE_UNKNOWN_OPCODE:
        return packet->wire.opcode < MANUFACTURER;
    default:
        return 1;
    }
}

/* A wrong ICRC may be one that is not written yet, or a simulator's: what stands inside still tells. */
static int is_readable(const struct capture_packet *packet)
{
    return packet->wire.headers_known && (packet->wire.inside == WIRE_GOOD || packet->wire.inside == WIRE_CUT) &&
           packet->verdict != WIRE_TRUNCATED && packet->verdict != WIRE_BAD_UDP_LENGTH;
}

static int take(struct capture_scan *scan, const struct capture_packet *packet)
{
    unsigned transport = packet->wire.opcode & ~(unsigned)WIRE_OPERATION_MASK;
    if (scan->packets++ == 0)
        scan->first_ns = packet->at_ns;
    scan->last_ns = packet->at_ns;
    scan->verdict[packet->verdict]++;
    scan->flows.packet = packet;
    if (is_fault(packet))
        flow_complain(&scan->flows, "%s", wire_verdict_text(packet->verdict));
    if (!is_readable(packet))
        return 0;
    scan->congested += (uint64_t)((packet->wire.traffic_class & 3) == WIRE_ECN_CONGESTED);
    scan->cnps += (uint64_t)(packet->wire.opcode == WIRE_OPCODE_CNP);
    if (packet->wire.opcode == WIRE_OPCODE_CNP ||
        (transport != WIRE_RC && transport != WIRE_UC && transport != WIRE_XRC)) {
        scan->other[packet->wire.opcode >> 5]++;
        return 0;
    }
    scan->taken++;
    return flows_take(&scan->flows, packet);
}

int capture_scan(struct capture_scan *scan, const char *path, struct rnicsim_error *error)
{
    struct capture *capture;
    struct capture_packet packet;
    int got, failed = 0;
    if (capture_open(path, &capture, error) != 0)
        return -1;
    while (!failed && (got = capture_next(capture, &packet, error)) > 0)
        failed = take(scan, &packet);
    capture_close(capture);
    if (!failed && got < 0)
        return -1;
    return failed || flows_end(&scan->flows) != 0 ? trace_fail(error, "%s: out of memory", path) : 0;
}

void capture_scan_free(struct capture_scan *scan)
{
    flows_free(&scan->flows);
}

const char *capture_address(const uint8_t *address, char *text)
{
    static const uint8_t none[14], ipv4[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (memcmp(address, ipv4, sizeof ipv4) == 0)
        return inet_ntop(AF_INET, address + sizeof ipv4, text, CAPTURE_ADDRESS_TEXT);
    if (memcmp(address, none, sizeof none) != 0)
        return inet_ntop(AF_INET6, address, text, CAPTURE_ADDRESS_TEXT);
    snprintf(text, CAPTURE_ADDRESS_TEXT, "lid %u", wire_get16(address + 14));
    return text;
}

void capture_scan_rest(const struct capture_scan *scan, void (*say)(void *context, const char *line), void *context)
{
    static const char *const transport[8] = {"RC", "UC", "RD", "UD", "CNP", "XRC", "unknown", "unknown"};
    char line[256];
    for (unsigned i = 1; i < WIRE_VERDICTS; i++) {
        if (scan->verdict[i] == 0)
            continue;
        snprintf(line, sizeof line, "%" PRIu64 " packets: %s", scan->verdict[i], wire_verdict_text(i));
        say(context, line);
    }
    for (unsigned i = 0; i < 8; i++) {
        if (scan->other[i] == 0)
            continue;
        snprintf(line, sizeof line, "%" PRIu64 " packets of %s: not looked into", scan->other[i], transport[i]);
        say(context, line);
    }
}
