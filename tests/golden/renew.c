/* Renews the golden timings and says what moved: renew FOLDER. The difference is to be read, and explained in CHANGELOG.md. */
#include "tests/golden/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 65536

static void read_old(const char *path, char *text)
{
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, TEXT_BYTES - 1, file) : 0;
    text[n] = 0;
    if (file)
        fclose(file);
}

/* Both texts have the same lines but for the times, or everything is new. */
static int tell_moves(const char *board, char *old, char *new)
{
    char load[80] = "", *old_rest, *new_rest;
    int moved = 0;
    char *o = strtok_r(old, "\n", &old_rest), *n = strtok_r(new, "\n", &new_rest);
    for (; n; o = o ? strtok_r(NULL, "\n", &old_rest) : NULL, n = strtok_r(NULL, "\n", &new_rest)) {
        long long was, is;
        if (n[0] != ' ')
            snprintf(load, sizeof load, "%s", n);
        if (o && strcmp(o, n) == 0)
            continue;
        moved++;
        if (o && strlen(o) > 16 && sscanf(o + 16, "%lld", &was) == 1 && sscanf(n + 16, "%lld", &is) == 1)
            printf("%s: %s:%.16s moved by %+lld ps\n", board, load, n, is - was);
        else
            printf("%s: new: %s\n", board, n);
    }
    return moved;
}

int main(int count, char **words)
{
    static char old[TEXT_BYTES], new[TEXT_BYTES], copy[TEXT_BYTES];
    int moved = 0;
    if (count != 2)
        return 2;
    for (int i = 0; golden_boards[i]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.txt", words[1], golden_boards[i]);
        if (golden_timeline(golden_boards[i], "model/config", new, sizeof new))
            return 2;
        read_old(path, old);
        memcpy(copy, new, sizeof copy);
        moved += tell_moves(golden_boards[i], old, copy);
        FILE *file = fopen(path, "w");
        if (!file || fputs(new, file) < 0 || fclose(file)) {
            fprintf(stderr, "%s: cannot be written\n", path);
            return 2;
        }
    }
    printf("%d lines moved\n", moved);
    return 0;
}
