#include "bench/part.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/cli.h"

#define LINE_BYTES 512

struct table {
    char path[600];
    FILE *file;
    int line;
};

static int open_table(struct table *table)
{
    char folder[512];
    if (rnicsim_data_folder("parts", folder, sizeof folder) != RNICSIM_OK)
        return cli_fail("no table of parts is found: there is no %s, nor ../share/rnicsim/parts beside the program",
                        folder);
    snprintf(table->path, sizeof table->path, "%s/parts.csv", folder);
    table->file = fopen(table->path, "re");
    return table->file != NULL ? 0 : cli_fail("%s: %s", table->path, strerror(errno));
}

/* The next line that is no comment, cut into a part. 1: there is one; 0: the end; -1: told of a mistake. */
static int read_part(struct table *table, struct part *part)
{
    char line[LINE_BYTES];
    unsigned long long bram36, uram, m20k;
    do {
        if (fgets(line, sizeof line, table->file) == NULL)
            return 0;
        table->line++;
    } while (line[0] == '#');
    *part = (struct part){.name = ""};
    if (sscanf(line, "%63[^,],%63[^,],%llu,%llu,%llu,%15[^,],%95[^\n]", part->name, part->device, &bram36, &uram, &m20k,
               part->class_name, part->source) != 7) {
        cli_fail("%s:%d: no part, allowed is \"name,device,RAMB36,URAM,M20K,class,source\"", table->path, table->line);
        return -1;
    }
    part->bram36 = bram36;
    part->uram = uram;
    part->m20k = m20k;
    return 1;
}

int part_find(const char *name, struct part *out)
{
    struct table table = {.line = 0};
    char known[400] = "";
    size_t used = 0;
    int result = open_table(&table), got = 0;
    if (result != 0)
        return result;
    while ((got = read_part(&table, out)) > 0 && strcmp(out->name, name) != 0)
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used == 0 ? "" : ", ", out->name);
    fclose(table.file);
    if (got != 0)
        return got > 0 ? 0 : CLI_INPUT;
    return cli_fail("unknown part \"%.60s\"; --part takes one of %s (%s)", name, known, table.path);
}
