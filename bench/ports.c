#include "bench/ports.h"

#include <inttypes.h>

#include "bench/summary.h"

#define HOSTS 2u
#define PS_PER_NS 1e3
#define BITS 8e12 /* of a byte, times ps in a second */

/* Of the whole run. */
static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static double line_share(const struct result *result, const struct rnicsim_port *port)
{
    return share((double)port->wire_bytes * BITS / (double)port->rate_bps, (double)result->duration_ps);
}

static double paused_share(const struct result *result, const struct rnicsim_port *port)
{
    return share((double)port->paused_ps, (double)result->duration_ps);
}

void ports_print(const struct result *result, FILE *out)
{
    struct rnicsim_port port[HOSTS];
    for (uint32_t i = 0; i < HOSTS; i++)
        if (rnicsim_port(result->sim, i, &port[i]) != RNICSIM_OK)
            return;
    if (!port[0].has_errors && !port[0].has_pause)
        return;
    fprintf(out, "\nPorts\n  %-4s %8s %9s %8s %8s %8s %6s %12s %12s %10s %10s\n", "NIC", "line %", "paused %", "pauses",
            "told", "storms", "lost", "pause from B", "high water B", "corrected", "not corr.");
    for (uint32_t i = 0; i < HOSTS; i++)
        fprintf(out,
                "  %-4s %8.2f %9.2f %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %6" PRIu64 " %12" PRIu32 " %12" PRIu32
                " %10" PRIu64 " %10" PRIu64 "\n",
                port[i].nic, 100 * line_share(result, &port[i]), 100 * paused_share(result, &port[i]),
                port[i].pauses_sent, port[i].pauses_received, port[i].pause_storms, port[i].pauses_lost,
                port[i].pause_from_bytes, port[i].high_water_bytes, port[i].fec_corrected, port[i].fec_uncorrectable);
}

void ports_csv(const struct result *result, FILE *out)
{
    fputs("nic,frames,other_frames,wire_bytes,line_share_pct,underruns,fec_corrected,fec_symbols,fec_uncorrectable,"
          "pauses_sent,"
          "pauses_received,pauses_lost,pause_storms,paused_ps,paused_share_pct,pause_from_bytes,pause_headroom_bytes,"
          "high_water_bytes\n",
          out);
    for (uint32_t i = 0; i < HOSTS; i++) {
        struct rnicsim_port port;
        if (rnicsim_port(result->sim, i, &port) != RNICSIM_OK)
            continue;
        fprintf(out, "%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.4f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                port.nic, port.frames, port.other_frames, port.wire_bytes, 100 * line_share(result, &port),
                port.underruns, port.fec_corrected, port.fec_symbols, port.fec_uncorrectable);
        fprintf(
            out,
            ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%.4f,%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n",
            port.pauses_sent, port.pauses_received, port.pauses_lost, port.pause_storms, port.paused_ps,
            100 * paused_share(result, &port), port.pause_from_bytes, port.pause_headroom_bytes, port.high_water_bytes);
    }
}

static json_t *port_object(const struct result *result, const struct rnicsim_port *port, int *failed)
{
    json_t *object = json_object();
    summary_put(object, "name", json_string(port->nic), failed);
    summary_put(object, "frames", summary_whole(port->frames), failed);
    summary_put(object, "line_share", summary_number(line_share(result, port), 1e6), failed);
    summary_put(object, "paused_share", summary_number(paused_share(result, port), 1e6), failed);
    summary_put(object, "paused_ns", summary_number((double)port->paused_ps / PS_PER_NS, 1e3), failed);
    summary_put(object, "pauses_sent", summary_whole(port->pauses_sent), failed);
    summary_put(object, "pauses_received", summary_whole(port->pauses_received), failed);
    summary_put(object, "pause_storms", summary_whole(port->pause_storms), failed);
    summary_put(object, "pause_headroom_bytes", summary_whole(port->pause_headroom_bytes), failed);
    summary_put(object, "high_water_bytes", summary_whole(port->high_water_bytes), failed);
    summary_put(object, "fec_corrected", summary_whole(port->fec_corrected), failed);
    summary_put(object, "fec_uncorrectable", summary_whole(port->fec_uncorrectable), failed);
    return object;
}

json_t *ports_json(const struct result *result, int *failed)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < HOSTS; i++) {
        struct rnicsim_port port;
        if (rnicsim_port(result->sim, i, &port) == RNICSIM_OK)
            *failed |= json_array_append_new(array, port_object(result, &port, failed)) != 0;
    }
    return array;
}
