#include "traces/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "traces/cleanup.h"
#include "traces/record.h"

#define BUFFER_BYTES 65536u
#define COMPRESSION_LEVEL \
    9 /* traces are very regular: above it the files hardly shrink, and writing is 5 times slower */

struct trace_output {
    int fd;
    char *path;
    char *temporary; /* NULL: written straight */
    ZSTD_CStream *zstd;
    size_t used;
    unsigned char plain[BUFFER_BYTES];
    unsigned char packed[BUFFER_BYTES];
};

static int fail_errno(const struct trace_output *output, const char *what, struct rnicsim_error *error)
{
    return trace_fail(error, "%s: cannot be %s: %s", output->path, what, strerror(errno));
}

static int write_file(struct trace_output *output, const unsigned char *bytes, size_t count,
                      struct rnicsim_error *error)
{
    while (count > 0) {
        ssize_t written = write(output->fd, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return fail_errno(output, "written", error);
        bytes += written;
        count -= (size_t)written;
    }
    return 0;
}

/* Passes the plain buffer on; at_end also closes the zstd frame. */
static int flush(struct trace_output *output, int at_end, struct rnicsim_error *error)
{
    size_t count = output->used;
    output->used = 0;
    if (output->zstd == NULL)
        return write_file(output, output->plain, count, error);
    ZSTD_inBuffer in = {output->plain, count, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {output->packed, BUFFER_BYTES, 0};
        left = ZSTD_compressStream2(output->zstd, &out, &in, at_end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return trace_fail(error, "%s: cannot be compressed: %s", output->path, ZSTD_getErrorName(left));
        if (write_file(output, output->packed, out.pos, error) != 0)
            return -1;
    } while (at_end ? left != 0 : in.pos < in.size);
    return 0;
}

/* It is in its place, or removed. */
static void forget_temporary(struct trace_output *output)
{
    if (output->temporary != NULL)
        cleanup_forget(output->temporary);
    free(output->temporary);
    output->temporary = NULL;
}

static int open_file(struct trace_output *output, struct rnicsim_error *error)
{
    struct stat status;
    if (stat(output->path, &status) == 0 && !S_ISREG(status.st_mode)) {
        output->fd = open(output->path, O_WRONLY | O_CLOEXEC); /* a directory: EISDIR */
        return output->fd < 0 ? fail_errno(output, "written", error) : 0;
    }
    size_t room = strlen(output->path) + 32;
    output->temporary = malloc(room);
    if (output->temporary == NULL)
        return trace_fail(error, "%s: out of memory", output->path);
    snprintf(output->temporary, room, "%s.%ld.tmp", output->path, (long)getpid());
    cleanup_add(output->temporary);
    output->fd = open(output->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (output->fd >= 0)
        return 0;
    int reason = errno;
    forget_temporary(output);
    errno = reason;
    return fail_errno(output, "written", error);
}

static int start(struct trace_output *output, const char *path, int compressed, struct rnicsim_error *error)
{
    output->fd = -1;
    output->path = strdup(path);
    if (compressed)
        output->zstd = ZSTD_createCStream();
    if (output->path == NULL || (compressed && output->zstd == NULL))
        return trace_fail(error, "%s: out of memory", path);
    if (compressed) {
        ZSTD_CCtx_setParameter(output->zstd, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
        ZSTD_CCtx_setParameter(output->zstd, ZSTD_c_checksumFlag, 1);
    }
    return open_file(output, error);
}

int trace_output_open(const char *path, int compressed, struct trace_output **out, struct rnicsim_error *error)
{
    struct trace_output *output = calloc(1, sizeof *output);
    if (output == NULL)
        return trace_fail(error, "%s: out of memory", path);
    if (start(output, path, compressed, error) != 0) {
        trace_output_discard(output);
        return -1;
    }
    *out = output;
    return 0;
}

int trace_output_write(struct trace_output *output, const void *bytes, size_t count, struct rnicsim_error *error)
{
    const unsigned char *from = bytes;
    while (count > 0) {
        size_t room = BUFFER_BYTES - output->used;
        size_t part = count < room ? count : room;
        memcpy(output->plain + output->used, from, part);
        output->used += part;
        from += part;
        count -= part;
        if (output->used == BUFFER_BYTES && flush(output, 0, error) != 0)
            return -1;
    }
    return 0;
}

int trace_output_finish(struct trace_output *output, struct rnicsim_error *error)
{
    int result = flush(output, 1, error);
    if (close(output->fd) != 0 && result == 0)
        result = fail_errno(output, "written", error);
    output->fd = -1;
    if (result == 0 && output->temporary != NULL && rename(output->temporary, output->path) != 0)
        result = fail_errno(output, "put in its place", error);
    if (result == 0)
        forget_temporary(output);
    trace_output_discard(output);
    return result;
}

void trace_output_discard(struct trace_output *output)
{
    if (output == NULL)
        return;
    if (output->fd >= 0)
        close(output->fd);
    if (output->temporary != NULL)
        unlink(output->temporary);
    forget_temporary(output);
    free(output->path);
    ZSTD_freeCStream(output->zstd);
    free(output);
}
