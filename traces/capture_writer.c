#include "traces/capture_writer.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>

#include "traces/output.h"
#include "traces/record.h"
#include "transport/wire.h"

#define SNAP_BYTES 65535
#define LEAST_BYTES 60u /* of an Ethernet frame without FCS (IEEE 802.3, 3.2.8) */
#define HOP_LIMIT 64u
#define NS_PER_S 1000000000
#define PS_PER_NS 1000

struct capture_writer {
    enum capture_side side;
    struct trace_output *output;
    pcap_t *pcap;
    pcap_dumper_t *dumper;
    struct rnicsim_error error; /* of the first write that failed */
    int has_failed;
};

/* libpcap writes to a stdio stream; below it is a file that appears when it is whole. */
static ssize_t pass_on(void *cookie, const char *bytes, size_t count)
{
    struct capture_writer *writer = cookie;
    if (!writer->has_failed)
        writer->has_failed = trace_output_write(writer->output, bytes, count, &writer->error) != 0;
    return writer->has_failed ? 0 : (ssize_t)count;
}

static int open_dumper(struct capture_writer *writer, const char *path, struct rnicsim_error *error)
{
    const cookie_io_functions_t functions = {.write = pass_on};
    FILE *stream = fopencookie(writer, "wb", functions);
    writer->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SNAP_BYTES, PCAP_TSTAMP_PRECISION_NANO);
    if (stream != NULL && writer->pcap != NULL)
        writer->dumper = pcap_dump_fopen(writer->pcap, stream);
    if (writer->dumper != NULL)
        return 0;
    if (stream != NULL)
        fclose(stream);
    return trace_fail(error, "%s: out of memory", path);
}

int capture_create(const char *path, enum capture_side side, struct capture_writer **out, struct rnicsim_error *error)
{
    struct capture_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return trace_fail(error, "%s: out of memory", path);
    writer->side = side;
    if (trace_output_open(path, 0, &writer->output, error) != 0 || open_dumper(writer, path, error) != 0) {
        capture_discard(writer);
        return -1;
    }
    *out = writer;
    return 0;
}

/* Host 0 is 10.0.0.1 with MAC 02:00:00:00:00:01, and so on. */
static void take_addresses(uint8_t *mac, uint8_t *gid, uint32_t host)
{
    const uint8_t addresses[] = {2, 0, 0, 0, 0, (uint8_t)(host + 1)},
                  ipv4[] = {0xff, 0xff, 10, 0, 0, (uint8_t)(host + 1)};
    for (unsigned i = 0; i < sizeof addresses; i++) {
        mac[i] = addresses[i];
        gid[10 + i] = ipv4[i];
    }
}

/* A class selector of the service level; a CNP as ConnectX sends it, DSCP 48. */
static uint8_t traffic_class(const struct rnicsim_frame *frame)
{
    return frame->opcode == WIRE_OPCODE_CNP ? 0xc2 : (uint8_t)((frame->service_level & 7) << 5 | frame->ecn);
}

static struct wire_packet packet_of(const struct rnicsim_frame *frame)
{
    uint32_t sender = frame->is_sent ? frame->host : 1 - frame->host;
    struct wire_packet packet = {.network = WIRE_ROCE_V2_IPV4,
                                 .traffic_class = traffic_class(frame),
                                 .hop_limit = HOP_LIMIT,
                                 .source_port = wire_source_port(0, frame->source_qpn, frame->destination_qpn),
                                 .opcode = frame->opcode,
                                 .solicited = frame->solicited,
                                 .ack_request = frame->ack_request,
                                 .pkey = 0xffff,
                                 .destination_qpn = frame->destination_qpn,
                                 .psn = frame->psn,
                                 .address = frame->address,
                                 .rkey = frame->rkey,
                                 .dma_bytes = frame->dma_bytes,
                                 .syndrome = frame->syndrome,
                                 .msn = frame->msn,
                                 .immediate = frame->immediate,
                                 .invalidated_rkey = frame->immediate,
                                 .flush = frame->immediate,
                                 .becn = frame->opcode == WIRE_OPCODE_CNP,
                                 .qkey = frame->qkey,
                                 .source_qpn = frame->source_qpn,
                                 .xrc_srqn = frame->srqn,
                                 .swap = frame->swap_or_add,
                                 .compare = frame->compare,
                                 .original = frame->original,
                                 .payload = frame->payload,
                                 .payload_bytes = frame->payload_bytes};
    take_addresses(packet.source_mac, packet.source_gid, sender);
    take_addresses(packet.destination_mac, packet.destination_gid, 1 - sender);
    return packet;
}

static int is_of_side(const struct capture_writer *writer, const struct rnicsim_frame *frame)
{
    if (writer->side == CAPTURE_LINE)
        return frame->is_sent;
    return frame->host == (writer->side == CAPTURE_HOST_B);
}

int capture_put(struct capture_writer *writer, const struct rnicsim_frame *frame, struct rnicsim_error *error)
{
    uint8_t bytes[WIRE_FRAME_MAX_BYTES] = {0};
    if (!is_of_side(writer, frame))
        return 0;
    struct wire_packet packet = packet_of(frame);
    uint32_t count = wire_encode(&packet, bytes, sizeof bytes);
    if (count != frame->bytes)
        return trace_fail(error, "a frame of opcode 0x%02x has %u bytes, in the model it has %u", frame->opcode, count,
                          frame->bytes);
    if (frame->is_bad)
        for (uint32_t i = 1; i <= WIRE_ICRC_BYTES; i++)
            bytes[count - i] ^= 0xff;
    int64_t ns = (frame->at_ps + PS_PER_NS / 2) / PS_PER_NS;
    struct pcap_pkthdr head = {.ts = {.tv_sec = ns / NS_PER_S, .tv_usec = ns % NS_PER_S}};
    head.caplen = head.len = count > LEAST_BYTES ? count : LEAST_BYTES;
    pcap_dump((u_char *)writer->dumper, &head, bytes);
    if (writer->has_failed)
        *error = writer->error;
    return writer->has_failed ? -1 : 0;
}

static void close_dumper(struct capture_writer *writer)
{
    if (writer->dumper != NULL)
        pcap_dump_close(writer->dumper);
    if (writer->pcap != NULL)
        pcap_close(writer->pcap);
}

int capture_finish(struct capture_writer *writer, struct rnicsim_error *error)
{
    close_dumper(writer); /* which writes what is left */
    int result = writer->has_failed ? -1 : trace_output_finish(writer->output, error);
    if (writer->has_failed) {
        *error = writer->error;
        trace_output_discard(writer->output);
    }
    free(writer);
    return result;
}

void capture_discard(struct capture_writer *writer)
{
    if (writer == NULL)
        return;
    writer->has_failed = 1; /* nothing more is written */
    close_dumper(writer);
    trace_output_discard(writer->output);
    free(writer);
}
