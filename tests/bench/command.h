/* Runs the built ./rnicsim as a user would, in a scratch folder of its own, and keeps what it said and how it ended. */
#ifndef TESTS_BENCH_COMMAND_H
#define TESTS_BENCH_COMMAND_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMMAND_PROGRAM RNICSIM_PROGRAM
#define COMMAND_SAMPLES RNICSIM_SOURCE_DIR "/traces/samples/"

struct command {
    char folder[64]; /* where commands run */
    int status;      /* of the last one; -1: it did not end by itself */
    char *out, *err;
};

static inline void command_open(struct command *command)
{
    *command = (struct command){.folder = "/tmp/rnicsim-bench-XXXXXX"};
    if (mkdtemp(command->folder) == NULL)
        abort();
}

static inline char *command_read(const struct command *command, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", command->folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(1, length + 1);
    if (text == NULL || fread(text, 1, length, file) != length)
        abort();
    fclose(file);
    return text;
}

static inline void command_write(const struct command *command, const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", command->folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}

/* A line for the shell; "$R" in it is the program. Returns its exit status. */
__attribute__((format(printf, 2, 3))) static inline int command_run(struct command *command, const char *format, ...)
{
    char line[4096];
    size_t used = (size_t)snprintf(line, sizeof line, "cd %s && R=%s && ( ", command->folder, COMMAND_PROGRAM);
    va_list arguments;
    va_start(arguments, format);
    used += (size_t)vsnprintf(line + used, sizeof line - used, format, arguments);
    va_end(arguments);
    snprintf(line + used, sizeof line - used, " ) >.out 2>.err </dev/null");
    free(command->out);
    free(command->err);
    int ended = system(line);
    command->status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    command->out = command_read(command, ".out");
    command->err = command_read(command, ".err");
    return command->status;
}

/* 1: a file or folder of that name is there. */
static inline int command_has(const struct command *command, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", command->folder, name);
    return access(path, F_OK) == 0;
}

/* 1: the part is in the text; else both are printed. */
static inline int command_holds(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        printf("\n\"%s\" is not in:\n%.4000s\n", part, text);
    return strstr(text, part) != NULL;
}

static inline int command_lines(const char *text)
{
    int lines = 0;
    for (; *text != 0; text++)
        lines += *text == '\n';
    return lines;
}

static inline void command_close(struct command *command)
{
    char line[128];
    snprintf(line, sizeof line, "rm -rf %s", command->folder);
    if (system(line) != 0)
        abort();
    free(command->out);
    free(command->err);
}

#endif
