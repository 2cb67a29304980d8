/* Help for the trace tests: a scratch folder, whole files in and out, and a small valid header. */
#ifndef TESTS_TRACES_SCRATCH_H
#define TESTS_TRACES_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/csv.h"
#include "traces/reader.h"
#include "traces/writer.h"

struct scratch {
    char folder[64];
    char path[160]; /* the last one asked for */
};

static inline void scratch_open(struct scratch *scratch)
{
    strcpy(scratch->folder, "/tmp/rnicsim-traces-XXXXXX");
    if (mkdtemp(scratch->folder) == NULL)
        abort();
}

static inline const char *scratch_path(struct scratch *scratch, const char *name)
{
    snprintf(scratch->path, sizeof scratch->path, "%s/%s", scratch->folder, name);
    return scratch->path;
}

/* How many files are in the folder: shows what a failed write left behind. */
static inline int scratch_count(const struct scratch *scratch)
{
    DIR *folder = opendir(scratch->folder);
    int count = 0;
    while (folder != NULL && readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count - 2;
}

static inline void scratch_close(struct scratch *scratch)
{
    DIR *folder = opendir(scratch->folder);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s", scratch->folder, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    closedir(folder);
    rmdir(scratch->folder);
}

static inline void scratch_write(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
        abort();
}

static inline char *scratch_read(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(1, *length + 1);
    if (bytes == NULL || fread(bytes, 1, *length, file) != *length)
        abort();
    fclose(file);
    return bytes;
}

#define SCRATCH_HEADER                                                                                             \
    "#rnicsim-trace version=1\n"                                                                                   \
    "#time unit=ps\n"                                                                                              \
    "#note written by a test\n"                                                                                    \
    "#qp host=0 qpn=2 type=RC peer_host=1 peer_qpn=1 mtu=4096 sq_depth=128 rq_depth=512 sig_all=0 max_inline=220 " \
    "cqn=1\n"                                                                                                      \
    "#qp host=1 qpn=1 type=RC peer_host=0 peer_qpn=2 mtu=4096 sq_depth=128 rq_depth=512 sig_all=0 max_inline=220 " \
    "cqn=1\n"                                                                                                      \
    "#mr host=0 key=2 base=0x10000 length=8192 page=4096 access=LOCAL_WRITE|REMOTE_WRITE\n"                        \
    "#mr host=1 key=1 base=0x20000 length=8192 page=4096 access=LOCAL_WRITE|REMOTE_WRITE\n" TRACE_CSV_COLUMNS "\n"
#define SCRATCH_FIRST_RECORD_LINE 9 /* after SCRATCH_HEADER */

/* Reads to the end: how many records, or -1 with error. */
static inline long scratch_count_records(const char *path, struct rnicsim_error *error)
{
    struct trace_reader *reader;
    struct trace_record record;
    long count = 0;
    int got;
    if (trace_open(path, &reader, error) != 0)
        return -1;
    while ((got = trace_next(reader, &record, error)) > 0)
        count++;
    trace_close(reader);
    return got < 0 ? -1 : count;
}

#endif
