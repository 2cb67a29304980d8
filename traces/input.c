#include "traces/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "traces/record.h"

#define BUFFER_BYTES 65536u

struct trace_input {
    int fd;
    ZSTD_DStream *zstd;     /* NULL: the file is not compressed */
    size_t zstd_hint;       /* 0 between frames */
    size_t raw_at, raw_end; /* compressed bytes not yet decompressed */
    size_t at, end;         /* plain bytes not yet taken */
    uint64_t offset;
    unsigned char raw[BUFFER_BYTES];
    unsigned char plain[BUFFER_BYTES];
};

static int64_t read_file(int fd, unsigned char *bytes, size_t wanted, struct rnicsim_error *error)
{
    ssize_t got;
    do
        got = read(fd, bytes, wanted);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return trace_fail(error, "cannot be read: %s", strerror(errno));
    return got;
}

/* One step of decompression into the free end of `plain`; 1 went on, 0 end of file. */
static int decompress(struct trace_input *input, struct rnicsim_error *error)
{
    if (input->raw_at == input->raw_end) {
        int64_t got = read_file(input->fd, input->raw, BUFFER_BYTES, error);
        if (got < 0)
            return -1;
        if (got == 0 && input->zstd_hint != 0)
            return trace_fail(error, "the zstd stream is cut; a whole one is needed");
        if (got == 0)
            return 0;
        input->raw_at = 0;
        input->raw_end = (size_t)got;
    }
    ZSTD_inBuffer in = {input->raw, input->raw_end, input->raw_at};
    ZSTD_outBuffer out = {input->plain, BUFFER_BYTES, input->end};
    size_t hint = ZSTD_decompressStream(input->zstd, &out, &in);
    if (ZSTD_isError(hint))
        return trace_fail(error, "the zstd stream is damaged: %s", ZSTD_getErrorName(hint));
    input->zstd_hint = hint;
    input->raw_at = in.pos;
    input->end = out.pos;
    return 1;
}

/* Makes at least `wanted` (at most 64) bytes available, or all that are left. */
static int fill(struct trace_input *input, size_t wanted, struct rnicsim_error *error)
{
    if (input->end - input->at >= wanted)
        return 0;
    memmove(input->plain, input->plain + input->at, input->end - input->at);
    input->end -= input->at;
    input->at = 0;
    while (input->end < wanted) {
        if (input->zstd != NULL) {
            int went_on = decompress(input, error);
            if (went_on <= 0)
                return went_on;
            continue;
        }
        int64_t got = read_file(input->fd, input->plain + input->end, BUFFER_BYTES - input->end, error);
        if (got <= 0)
            return (int)got;
        input->end += (size_t)got;
    }
    return 0;
}

/* What was read to look for the magic becomes the first compressed input. */
static int start_zstd(struct trace_input *input, struct rnicsim_error *error)
{
    static const unsigned char magic[4] = {0x28, 0xb5, 0x2f, 0xfd}; /* RFC 8878, 3.1.1 */
    if (input->end < sizeof magic || memcmp(input->plain, magic, sizeof magic) != 0)
        return 0;
    input->zstd = ZSTD_createDStream();
    if (input->zstd == NULL)
        return trace_fail(error, "out of memory for decompression");
    memcpy(input->raw, input->plain, input->end);
    input->raw_end = input->end;
    input->end = 0;
    return 0;
}

static int start(struct trace_input *input, const char *path, struct rnicsim_error *error)
{
    struct stat status;
    input->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (input->fd < 0 || fstat(input->fd, &status) != 0)
        return trace_fail(error, "cannot be opened: %s", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return trace_fail(error, "is a directory; a trace file is needed");
    if (fill(input, 4, error) != 0 || start_zstd(input, error) != 0 || fill(input, 1, error) != 0)
        return -1;
    if (input->end == 0)
        return trace_fail(error, "is empty; a trace begins with \"#rnicsim-trace version=1\" or RNICTRC1");
    return 0;
}

int trace_input_open(const char *path, struct trace_input **out, struct rnicsim_error *error)
{
    struct trace_input *input = calloc(1, sizeof *input);
    if (input == NULL)
        return trace_fail(error, "out of memory for a reader");
    input->fd = -1;
    if (start(input, path, error) != 0) {
        trace_input_close(input);
        return -1;
    }
    *out = input;
    return 0;
}

int64_t trace_input_read(struct trace_input *input, void *bytes, size_t wanted, struct rnicsim_error *error)
{
    size_t done = 0;
    while (done < wanted) {
        if (fill(input, 1, error) != 0)
            return -1;
        size_t there = input->end - input->at;
        if (there == 0)
            break;
        size_t part = there < wanted - done ? there : wanted - done;
        memcpy((unsigned char *)bytes + done, input->plain + input->at, part);
        input->at += part;
        done += part;
    }
    input->offset += done;
    return (int64_t)done;
}

int64_t trace_input_peek(struct trace_input *input, const void **bytes, size_t wanted, struct rnicsim_error *error)
{
    if (fill(input, wanted, error) != 0)
        return -1;
    *bytes = input->plain + input->at;
    size_t there = input->end - input->at;
    return (int64_t)(there < wanted ? there : wanted);
}

static int check_line(const char *part, size_t part_bytes, size_t line_bytes, struct rnicsim_error *error)
{
    if (memchr(part, 0, part_bytes) != NULL)
        return trace_fail(error, "a NUL byte; a trace is text, or binary that begins with RNICTRC1");
    if (line_bytes > TRACE_LINE_MAX)
        return trace_fail(error, "the line is longer than %u characters; that many are allowed", TRACE_LINE_MAX);
    return 0;
}

int trace_input_line(struct trace_input *input, char *line, struct rnicsim_error *error)
{
    size_t length = 0;
    for (;;) {
        if (fill(input, 1, error) != 0)
            return -1;
        const char *from = (const char *)input->plain + input->at;
        size_t there = input->end - input->at;
        if (there == 0)
            return length == 0 ? 0 : trace_fail(error, "the file ends inside this line; every line needs its line end");
        const char *newline = memchr(from, '\n', there);
        size_t part = newline != NULL ? (size_t)(newline - from) : there;
        size_t fits = part < TRACE_LINE_MAX + 1 - length ? part : TRACE_LINE_MAX + 1 - length;
        if (check_line(from, fits, length + fits, error) != 0)
            return -1;
        memcpy(line + length, from, fits);
        length += fits;
        input->at += part + (newline != NULL);
        input->offset += part + (newline != NULL);
        if (newline != NULL)
            break;
    }
    if (length > 0 && line[length - 1] == '\r')
        length--;
    line[length] = 0;
    return 1;
}

uint64_t trace_input_offset(const struct trace_input *input)
{
    return input->offset;
}

void trace_input_close(struct trace_input *input)
{
    if (input == NULL)
        return;
    if (input->fd >= 0)
        close(input->fd);
    ZSTD_freeDStream(input->zstd);
    free(input);
}
