/* The timeline: trace-event JSON as Perfetto and chrome://tracing read it ("Trace Event Format"). A request is a nested asynchronous slice
 * with its stages in it, a stage's work is a slice on its own track, a FIFO's level is a counter. Times are microseconds. */
#include <inttypes.h>
#include <string.h>

#include "bench/text.h"
#include "bench/waves/waves.h"

#define REQUESTS_PID 1 /* and 2: by host; then the NICs, and their levels */
#define STAGES_PID 3
#define LEVELS_PID 5

struct json_out {
    FILE *file;
    int is_begun;
};

/* Whole picoseconds as microseconds, exactly. */
static void put_us(struct json_out *out, const char *key, int64_t ps)
{
    fprintf(out->file, ",\"%s\":%" PRId64 ".%06" PRId64, key, ps / 1000000, ps % 1000000);
}

static void begin(struct json_out *out, const char *phase, const char *name, unsigned pid, size_t tid)
{
    fprintf(out->file, "%s\n{\"ph\":\"%s\",\"name\":\"%s\",\"pid\":%u,\"tid\":%zu", out->is_begun ? "," : "", phase,
            name, pid, tid);
    out->is_begun = 1;
}

static void put_name(struct json_out *out, const char *what, const char *name, unsigned pid, size_t tid)
{
    begin(out, "M", what, pid, tid);
    fprintf(out->file, ",\"args\":{\"name\":\"%s\"}}", name);
}

static void put_async(struct json_out *out, const char *phase, const char *name, const struct rnicsim_event *event,
                      int64_t at_ps)
{
    begin(out, phase, name, REQUESTS_PID + (event->host & 1u), event->qpn);
    fprintf(out->file, ",\"cat\":\"request\",\"id\":\"%" PRIu64 "\"", event->request);
    put_us(out, "ts", at_ps);
}

/* A stamp that was not passed is no stage of its own. */
static void put_request(struct json_out *out, const struct waterfall *waterfall, const struct rnicsim_event *event)
{
    char name[128];
    int64_t before_ps = event->stamp_ps[RNICSIM_AT_ARRIVAL], end_ps = before_ps;
    for (int i = 0; i < RNICSIM_STAMP_COUNT; i++)
        end_ps = event->stamp_ps[i] != RNICSIM_NEVER && event->stamp_ps[i] > end_ps ? event->stamp_ps[i] : end_ps;
    snprintf(name, sizeof name, "%s %u B", text_opcode(event->sent_opcode), event->length_bytes);
    put_async(out, "b", name, event, before_ps);
    fprintf(out->file, ",\"args\":{\"request\":%" PRIu64 ",\"qpn\":%u,\"wr_id\":%" PRIu64 ",\"status\":%u}}",
            event->request, event->qpn, event->wr_id, event->status);
    for (int i = 0; i < WATERFALL_ROWS; i++) {
        int64_t at_ps = event->stamp_ps[i + 1];
        if (at_ps == RNICSIM_NEVER || at_ps == before_ps)
            continue;
        put_async(out, "b", waterfall->rows[i].name, event, before_ps);
        fputc('}', out->file);
        put_async(out, "e", waterfall->rows[i].name, event, at_ps);
        fputc('}', out->file);
        before_ps = at_ps;
    }
    put_async(out, "e", name, event, end_ps);
    fputc('}', out->file);
}

static unsigned nic_of(const struct waves_fifo *fifo)
{
    return fifo->info.nic[0] == 'b';
}

/* From an item's start until its last beat is out, or the next one begins: slices of one track may not overlap. */
static void put_passes(struct json_out *out, const struct waves *waves, const struct waves_fifo *fifo)
{
    size_t count;
    const struct rnicsim_pass *pass = waves_passes_of(waves, fifo, &count);
    for (size_t i = 0; i < count; i++) {
        int64_t end_ps = pass[i].tail_ps;
        if (i + 1 < count && pass[i + 1].start_ps < end_ps)
            end_ps = pass[i + 1].start_ps > pass[i].start_ps ? pass[i + 1].start_ps : pass[i].start_ps;
        begin(out, "X", pass[i].what, STAGES_PID + nic_of(fifo), fifo->index + 1);
        put_us(out, "ts", pass[i].start_ps);
        put_us(out, "dur", end_ps - pass[i].start_ps);
        fprintf(out->file, ",\"args\":{\"request\":%" PRIu64 ",\"qpn\":%u,\"psn\":%u,\"bytes\":%u,\"out_ns\":%.3f}}",
                pass[i].request, pass[i].qpn, pass[i].psn, pass[i].bytes,
                (double)(pass[i].tail_ps - pass[i].start_ps) / 1e3);
    }
}

static void put_levels(struct json_out *out, const struct waves_fifo *fifo)
{
    char name[160];
    snprintf(name, sizeof name, "%s (%s)", fifo->name, fifo->info.unit);
    for (size_t i = 0; i < fifo->level_count; i++) {
        begin(out, "C", name, LEVELS_PID + nic_of(fifo), 0);
        put_us(out, "ts", fifo->levels[i].at_ps > 0 ? fifo->levels[i].at_ps : 0);
        fprintf(out->file, ",\"args\":{\"level\":%" PRIu64 "}}", fifo->levels[i].level);
    }
}

int waves_timeline(const struct waves *waves, const struct result *result, FILE *file)
{
    static const char *const processes[] = {"requests of host a", "requests of host b", "stages of NIC a",
                                            "stages of NIC b",    "levels of NIC a",    "levels of NIC b"};
    struct json_out out = {file, 0};
    fprintf(file,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"version\":\"rnicsim %s\",\"board\":\"%s\"},\"traceEvents\":[",
            RNICSIM_VERSION, rnicsim_board_name(result->sim));
    for (unsigned i = 0; i < 6; i++)
        put_name(&out, "process_name", processes[i], REQUESTS_PID + i, 0);
    for (size_t i = 0; i < waves->fifo_count; i++)
        if (waves->fifos[i].has_passes) {
            char name[160];
            snprintf(name, sizeof name, "into %s", waves->fifos[i].name);
            put_name(&out, "thread_name", name, STAGES_PID + nic_of(&waves->fifos[i]), i + 1);
        }
    for (size_t i = 0; i < waves->request_count; i++)
        put_request(&out, &result->waterfall, &waves->requests[i]);
    for (size_t i = 0; i < waves->fifo_count; i++) {
        if (waves->fifos[i].has_passes)
            put_passes(&out, waves, &waves->fifos[i]);
        put_levels(&out, &waves->fifos[i]);
    }
    fputs("\n]}\n", file);
    return ferror(file) ? -1 : 0;
}
