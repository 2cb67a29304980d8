/* Reads passes: a header with at least nic, path, fifo and head_ps; lines that begin with # are comments. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/compare/compare.h"

#define LINE_BYTES 1024
#define COLUMNS 5

enum column { NIC, PATH, FIFO, HEAD, TAIL };
static const char *const column_name[COLUMNS] = {"nic", "path", "fifo", "head_ps", "tail_ps"};

struct reading {
    struct compare_set *set;
    const char *path;
    int line;
    int column[COLUMNS]; /* its number; -1: not there */
};

static int read_header(struct reading *reading, char *line)
{
    char *rest = NULL;
    int number = 0;
    for (int i = 0; i < COLUMNS; i++)
        reading->column[i] = -1;
    for (char *word = strtok_r(line, ",\r\n", &rest); word != NULL; word = strtok_r(NULL, ",\r\n", &rest), number++)
        for (int i = 0; i < COLUMNS; i++)
            if (strcmp(word, column_name[i]) == 0)
                reading->column[i] = number;
    for (int i = 0; i < TAIL; i++)
        if (reading->column[i] < 0)
            return cli_fail("%s:%d: no column \"%s\"; needed are nic, path, fifo and head_ps, allowed is tail_ps",
                            reading->path, reading->line, column_name[i]);
    reading->set->has_tails = reading->column[TAIL] >= 0;
    return CLI_DONE;
}

static int read_time(const struct reading *reading, const char *text, int64_t *out)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end != 0 || errno != 0)
        return cli_fail("%s:%d: \"%.40s\" is no time in whole picoseconds", reading->path, reading->line, text);
    *out = number;
    return CLI_DONE;
}

static int read_row(struct reading *reading, char *line)
{
    const char *value[COLUMNS] = {"", "", "", "", ""};
    char name[COMPARE_NAME_BYTES], *at = line;
    int64_t head_ps = 0, tail_ps = 0;
    for (int number = 0; at != NULL; number++) {
        char *word = strsep(&at, ",");
        for (int i = 0; i < COLUMNS; i++)
            if (reading->column[i] == number)
                value[i] = word;
    }
    if (read_time(reading, value[HEAD], &head_ps) != CLI_DONE)
        return CLI_INPUT;
    tail_ps = head_ps;
    if (reading->column[TAIL] >= 0 && read_time(reading, value[TAIL], &tail_ps) != CLI_DONE)
        return CLI_INPUT;
    snprintf(name, sizeof name, "%.40s.%.40s.%.40s", value[NIC], value[PATH], value[FIFO]);
    struct compare_fifo *fifo = compare_find(reading->set, name, 1);
    if (fifo == NULL || compare_add(fifo, head_ps, tail_ps) != 0)
        return cli_fail("%s:%d: more than %u FIFOs, or out of memory", reading->path, reading->line, COMPARE_FIFOS_MAX);
    return CLI_DONE;
}

int compare_read_csv(struct compare_set *set, const char *path)
{
    struct reading reading = {.set = set, .path = path};
    char line[LINE_BYTES];
    int has_header = 0, result = CLI_DONE;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return cli_fail("%s: %s", path, strerror(errno));
    while (result == CLI_DONE && fgets(line, sizeof line, file) != NULL) {
        reading.line++;
        line[strcspn(line, "\r\n")] = 0;
        if (line[0] == '#' || line[0] == 0)
            continue;
        result = has_header ? read_row(&reading, line) : read_header(&reading, line);
        has_header = 1;
    }
    fclose(file);
    if (result == CLI_DONE && set->count == 0)
        return cli_fail("%s: no passes in it; it is passes.csv of rnicsim run --golden, or has its columns", path);
    return result;
}
