/* The known name that lies nearest to a mistyped one, by edit distance. */
#ifndef CONFIG_NEAREST_H
#define CONFIG_NEAREST_H

#include <stddef.h>

#define CONFIG_NEAREST_BYTES 96

struct config_nearest {
    const char *wanted;
    char best[CONFIG_NEAREST_BYTES]; /* empty: no candidate was offered */
    size_t distance;                 /* edits from `wanted` to `best` */
};

void config_nearest_begin(struct config_nearest *nearest, const char *wanted);

/* Of equally near candidates the first offered stays. Only the first 95 characters of a name count. */
void config_nearest_offer(struct config_nearest *nearest, const char *candidate);

#endif
