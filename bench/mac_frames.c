#include "bench/mac_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"

#define BYTES_MAX 65536

int mac_frames_take_sizes(struct mac_frames *frames, const char *text)
{
    long long from, to, step = 1;
    char more;
    int read = sscanf(text, "%lld..%lld step %lld%c", &from, &to, &step, &more);
    if (read != 2 && read != 3) {
        read = sscanf(text, "%lld%c", &from, &more);
        to = from;
        if (read != 1)
            from = 0;
    }
    if (from < 1 || to < from || to > BYTES_MAX || step < 1)
        return cli_fail(
            "--sizes \"%.60s\": allowed are, for example, \"60..1518\", \"64\" or \"64..9018 step 64\", 1 to %d", text,
            BYTES_MAX);
    frames->from = from;
    frames->to = to;
    frames->step = step;
    return CLI_DONE;
}

/* What is printed, once all of it is known to be right. */
struct writer {
    struct rnicsim_mac *mac;
    FILE *out;
};

static void print_head(const struct writer *to)
{
    fprintf(
        to->out,
        "bytes,offered_cyc,first_cyc,last_cyc,start_cyc,start_lane,end_cyc,end_lane,gap_octets,rx_first_cyc,rx_last_"
        "cyc%s\n",
        rnicsim_mac_has_fifo(to->mac) ? ",tx_ns,rx_ns,runs_dry" : "");
}

/* Sends and prints one. */
static int send(const struct writer *to, struct rnicsim_mac_frame *frame, const char *path, int line)
{
    struct rnicsim_error error;
    int64_t word = rnicsim_mac_word_bytes(to->mac);
    int result = rnicsim_mac_send(to->mac, frame, &error);
    if (result != RNICSIM_OK)
        return path ? cli_fail("%s:%d: %s", path, line, error.text) : cli_fail_result(result, &error);
    fprintf(to->out,
            "%" PRIu32 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
            ",%" PRId64 ",%" PRId64,
            frame->bytes, frame->offered_cyc, frame->first_cyc, frame->last_cyc, frame->start_octet / word,
            frame->start_octet % word, frame->end_octet / word, frame->end_octet % word, frame->gap_octets,
            frame->rx_first_cyc, frame->rx_last_cyc);
    if (rnicsim_mac_has_fifo(to->mac))
        fprintf(to->out, ",%.3f,%.3f,%d", (double)frame->tx_ps / 1e3, (double)frame->rx_ps / 1e3, frame->runs_dry);
    putc('\n', to->out);
    return CLI_DONE;
}

/* Beats of the user are not known here: with FIFOs the next frame is offered when the MAC has taken this one. */
static int print_sizes(const struct writer *to, const struct mac_frames *frames)
{
    int64_t offered_cyc = 0;
    for (int64_t bytes = frames->from; bytes <= frames->to; bytes += frames->step)
        for (int64_t i = 0; i < frames->count; i++) {
            struct rnicsim_mac_frame frame = {.offered_cyc = offered_cyc, .bytes = (uint32_t)bytes};
            int status = send(to, &frame, NULL, 0);
            if (status != CLI_DONE)
                return status;
            offered_cyc = rnicsim_mac_has_fifo(to->mac)
                              ? offered_cyc + frame.last_cyc - frame.first_cyc + 1 + frames->idle
                              : frame.last_cyc + 1 + frames->idle;
        }
    return CLI_DONE;
}

/* A pause frame goes before the next frame that has not been chosen when it is asked for. */
struct waiting_pause {
    int64_t request_cyc;
    int line, waits;
};

static int send_pause(const struct writer *to, struct waiting_pause *pause, const char *path)
{
    struct rnicsim_mac_frame frame = {.offered_cyc = pause->request_cyc};
    pause->waits = 0;
    return send(to, &frame, path, pause->line);
}

static int take_line(const struct writer *to, const char *text, int line, const char *path, struct waiting_pause *pause)
{
    long long cycle;
    uint32_t bytes;
    char word[8], more;
    if (sscanf(text, "%lld %7s %c", &cycle, word, &more) != 2 ||
        (strcmp(word, "pause") != 0 && (sscanf(word, "%" SCNu32 "%c", &bytes, &more) != 1 || bytes == 0)))
        return cli_fail("%s:%d: a frame, allowed is \"CYCLE BYTES\" or \"CYCLE pause\"", path, line);
    if (strcmp(word, "pause") == 0) {
        if (pause->waits)
            return cli_fail("%s:%d: the pause frame of line %d has not been sent, allowed is one that waits", path,
                            line, pause->line);
        *pause = (struct waiting_pause){cycle, line, 1};
        return CLI_DONE;
    }
    struct rnicsim_mac_frame frame = {.offered_cyc = cycle, .bytes = bytes};
    if (pause->waits && (rnicsim_mac_pause_is_next(to->mac, pause->request_cyc) || pause->request_cyc < cycle)) {
        int status = send_pause(to, pause, path);
        if (status != CLI_DONE)
            return status;
    }
    return send(to, &frame, path, line);
}

static int print_file(const struct writer *to, const char *path)
{
    FILE *file = fopen(path, "r");
    struct waiting_pause pause = {0};
    char text[128];
    int line = 0, status = CLI_DONE;
    if (!file)
        return cli_fail("%s: %s", path, strerror(errno));
    while (status == CLI_DONE && fgets(text, sizeof text, file)) {
        line++;
        if (!strchr(text, '\n') && !feof(file))
            status = cli_fail("%s:%d: longer than %zu characters, allowed are those", path, line, sizeof text - 2);
        else if (text[strspn(text, " \t\r\n")] != 0 && text[0] != '#')
            status = take_line(to, text, line, path, &pause);
    }
    fclose(file);
    if (status == CLI_DONE && pause.waits)
        status = send_pause(to, &pause, path);
    return status;
}

int mac_frames_print(struct rnicsim_mac *mac, const struct mac_frames *frames)
{
    char *text = NULL;
    size_t bytes;
    struct writer to = {mac, open_memstream(&text, &bytes)};
    if (to.out == NULL)
        return cli_fail("out of memory");
    print_head(&to);
    int status = frames->path ? print_file(&to, frames->path) : print_sizes(&to, frames);
    if (fclose(to.out) != 0 && status == CLI_DONE)
        status = cli_fail("out of memory");
    if (status == CLI_DONE)
        fputs(text, stdout);
    free(text);
    return status;
}
