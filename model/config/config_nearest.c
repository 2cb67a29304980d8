#include "config/config_nearest.h"

#include <stdint.h>
#include <string.h>

static size_t least(size_t a, size_t b, size_t c)
{
    size_t smaller = a < b ? a : b;

    return smaller < c ? smaller : c;
}

/* Levenshtein's distance, one row of the table at a time; an abbreviation counts as one edit. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t a_bytes = strnlen(a, CONFIG_NEAREST_BYTES - 1);
    size_t b_bytes = strnlen(b, CONFIG_NEAREST_BYTES - 1);
    size_t row[CONFIG_NEAREST_BYTES];

    if (a_bytes > 0 && a_bytes < b_bytes && memcmp(a, b, a_bytes) == 0)
        return 1;
    for (size_t j = 0; j <= b_bytes; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_bytes; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_bytes; j++) {
            size_t above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[b_bytes];
}

void config_nearest_begin(struct config_nearest *nearest, const char *wanted)
{
    nearest->wanted = wanted;
    nearest->best[0] = '\0';
    nearest->distance = SIZE_MAX;
}

void config_nearest_offer(struct config_nearest *nearest, const char *candidate)
{
    size_t distance = edit_distance(nearest->wanted, candidate);

    if (distance >= nearest->distance)
        return;
    size_t length = strnlen(candidate, sizeof(nearest->best) - 1);
    memcpy(nearest->best, candidate, length);
    nearest->best[length] = '\0';
    nearest->distance = distance;
}
