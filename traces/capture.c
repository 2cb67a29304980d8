#include "traces/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/record.h"

#define NS_PER_S INT64_C(1000000000)
#define ERF_BYTES 16u
#define ERF_EXTENSION_BYTES 8u
#define ERF_MORE 0x80u /* of a type: an extension header follows */
#define ERF_ETHERNET 2u
#define ERF_ETHERNET_PAD_BYTES 2u
#define ERF_INFINIBAND 21u
#define ERF_INFINIBAND_LINK 25u

struct capture {
    char *path;
    pcap_t *pcap;
    int link_type;
    uint64_t packets;
};

int capture_is(const char *path)
{
    static const uint32_t magic[] = {0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1, 0x0a0d0d0a};
    unsigned char bytes[4];
    FILE *file = fopen(path, "rb");
    size_t count = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file != NULL)
        fclose(file);
    for (size_t i = 0; count == sizeof bytes && i < sizeof magic / sizeof *magic; i++)
        if (wire_get(bytes, 4) == magic[i])
            return 1;
    return 0;
}

/* libpcap's words in one line. */
static int fail(const struct capture *capture, const char *what, struct rnicsim_error *error)
{
    char place[40] = "";
    if (capture->packets > 0)
        snprintf(place, sizeof place, "packet %" PRIu64 ":", capture->packets);
    return trace_fail(error,
                      "%s:%s %s; allowed is a whole pcap or pcapng file, in which all interfaces are of one kind",
                      capture->path, place, what);
}

static int check_link_type(const struct capture *capture, struct rnicsim_error *error)
{
    const char *name = pcap_datalink_val_to_name(capture->link_type);
    if (capture->link_type == DLT_EN10MB || capture->link_type == DLT_ERF || capture->link_type == DLT_INFINIBAND)
        return 0;
    return trace_fail(error, "%s: link type %d (%s); allowed are Ethernet (%d), ERF (%d) and InfiniBand (%d)",
                      capture->path, capture->link_type, name != NULL ? name : "unknown", DLT_EN10MB, DLT_ERF,
                      DLT_INFINIBAND);
}

static int open_file(struct capture *capture, struct rnicsim_error *error)
{
    char what[PCAP_ERRBUF_SIZE];
    FILE *file = fopen(capture->path, "rb");
    if (file == NULL)
        return trace_fail(error, "%s: cannot be opened: %s", capture->path, strerror(errno));
    capture->pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, what);
    if (capture->pcap == NULL) {
        fclose(file);
        return fail(capture, what, error);
    }
    capture->link_type = pcap_datalink(capture->pcap);
    return check_link_type(capture, error);
}

int capture_open(const char *path, struct capture **out, struct rnicsim_error *error)
{
    struct capture *capture = calloc(1, sizeof *capture);
    if (capture == NULL || (capture->path = strdup(path)) == NULL) {
        free(capture);
        return trace_fail(error, "%s: out of memory", path);
    }
    if (open_file(capture, error) != 0) {
        capture_close(capture);
        return -1;
    }
    *out = capture;
    return 0;
}

void capture_close(struct capture *capture)
{
    if (capture->pcap != NULL)
        pcap_close(capture->pcap);
    free(capture->path);
    free(capture);
}

/* What is inside of an ERF record (Endace, ERF types): its header, extensions, and of Ethernet two bytes; wlen says how long it was. */
static int unwrap_erf(const struct capture *capture, const u_char **bytes, size_t *captured, size_t *length,
                      enum wire_link *link, struct rnicsim_error *error)
{
    const u_char *erf = *bytes;
    size_t head = ERF_BYTES;
    if (*captured < ERF_BYTES)
        return fail(capture, "no whole ERF header", error);
    unsigned type = erf[8] & ~ERF_MORE, more = erf[8] & ERF_MORE;
    for (; more != 0 && head + ERF_EXTENSION_BYTES <= *captured; head += ERF_EXTENSION_BYTES)
        more = erf[head] & ERF_MORE;
    if (type != ERF_ETHERNET && type != ERF_INFINIBAND && type != ERF_INFINIBAND_LINK)
        return trace_fail(error,
                          "%s:packet %" PRIu64 ": ERF type %u; allowed are %u (Ethernet), %u and %u (InfiniBand)",
                          capture->path, capture->packets, type, ERF_ETHERNET, ERF_INFINIBAND, ERF_INFINIBAND_LINK);
    head += type == ERF_ETHERNET ? ERF_ETHERNET_PAD_BYTES : 0;
    if (more != 0 || head > *captured)
        return fail(capture, "no whole ERF header", error);
    *link = type == ERF_ETHERNET ? WIRE_LINK_ETHERNET : WIRE_LINK_INFINIBAND;
    *bytes += head;
    *captured -= head;
    *length = wire_get16(erf + 14);
    if (*captured > *length) /* records are filled up to 8 bytes */
        *captured = *length;
    return 0;
}

int capture_next(struct capture *capture, struct capture_packet *packet, struct rnicsim_error *error)
{
    struct pcap_pkthdr *head;
    const u_char *bytes;
    capture->packets++;
    int got = pcap_next_ex(capture->pcap, &head, &bytes);
    if (got == PCAP_ERROR_BREAK)
        return 0;
    if (got != 1)
        return fail(capture, pcap_geterr(capture->pcap), error);
    enum wire_link link = capture->link_type == DLT_EN10MB ? WIRE_LINK_ETHERNET : WIRE_LINK_INFINIBAND;
    size_t captured = head->caplen, length = head->len;
    if (capture->link_type == DLT_ERF && unwrap_erf(capture, &bytes, &captured, &length, &link, error) != 0)
        return -1;
    if (head->ts.tv_sec < 0 || head->ts.tv_sec >= INT64_MAX / 2 / NS_PER_S)
        return fail(capture, "its time lies after the year 2115", error);
    packet->number = capture->packets;
    packet->at_ns = (int64_t)head->ts.tv_sec * NS_PER_S + head->ts.tv_usec; /* which holds nanoseconds here */
    packet->verdict = wire_decode(&packet->wire, link, bytes, captured, length);
    return 1;
}
