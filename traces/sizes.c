#include "traces/sizes.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/random.h"
#include "traces/text.h"

#define ENDING ".cdf"
#define ALLOWED "a size (4096), a range (64-4096), sizes with weights (64:0.9,65536:0.1), a file of a distribution"

int trace_sizes_add_range(struct trace_sizes *sizes, uint32_t from_bytes, uint32_t to_bytes)
{
    size_t count = sizes->count;
    if ((count & (count - 1)) == 0) { /* room doubles at powers of two */
        void *larger = realloc(sizes->ranges, (count == 0 ? 1 : 2 * count) * sizeof *sizes->ranges);
        if (larger == NULL)
            return -1;
        sizes->ranges = larger;
    }
    sizes->ranges[sizes->count++] = (struct trace_sizes_range){from_bytes, to_bytes};
    return 0;
}

/* "4096" or "64-4096". */
static int take_range(void *context, const char *name, struct rnicsim_error *error)
{
    char from_text[32];
    uint64_t from, to;
    const char *dash = strchr(name, '-');
    snprintf(from_text, sizeof from_text, "%.*s", dash != NULL ? (int)(dash - name) : 31, name);
    if (trace_text_number(from_text, RNICSIM_MESSAGE_MAX_BYTES, "size", &from, error) != 0 ||
        trace_text_number(dash != NULL ? dash + 1 : name, RNICSIM_MESSAGE_MAX_BYTES, "size", &to, error) != 0)
        return -1;
    if (from > to)
        return trace_fail(error, "size: \"%.40s\" goes down; allowed is LEAST-MOST", name);
    return trace_sizes_add_range(context, (uint32_t)from, (uint32_t)to) == 0 ? 0
                                                                             : trace_fail(error, "size: out of memory");
}

static int is_distribution(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > strlen(ENDING) && strcmp(entry->d_name + length - strlen(ENDING), ENDING) == 0;
}

/* The error for a name that is neither a file nor a published distribution: it lists those. */
static int fail_unknown(const char *text, const char *folder, struct rnicsim_error *error)
{
    struct dirent **entries;
    char names[256] = "";
    int count = scandir(folder, &entries, is_distribution, alphasort);
    for (int i = 0; i < count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, ", %.*s", (int)(strlen(entries[i]->d_name) - strlen(ENDING)),
                 entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return trace_fail(error, "size \"%.80s\" is not known; allowed are " ALLOWED "%s", text, names);
}

static int parse_name(struct trace_sizes *sizes, const char *text, struct rnicsim_error *error)
{
    char folder[PATH_MAX] = "", path[2 * PATH_MAX];
    if (text[0] != 0 && access(text, F_OK) == 0)
        return trace_sizes_read_cdf(sizes, text, error);
    if (strchr(text, '/') != NULL)
        return trace_fail(error, "size: %.200s: there is no such file", text);
    rnicsim_data_folder("cdf", folder, sizeof folder);
    snprintf(path, sizeof path, "%s/%.200s" ENDING, folder, text);
    if (text[0] != 0 && access(path, F_OK) == 0)
        return trace_sizes_read_cdf(sizes, path, error);
    return fail_unknown(text, folder, error);
}

int trace_sizes_parse(struct trace_sizes *sizes, const char *text, struct rnicsim_error *error)
{
    int is_list = text[0] >= '0' && text[0] <= '9' && strspn(text, "0123456789-:.,") == strlen(text);
    return is_list ? trace_choice_parse(&sizes->choice, text, "size", take_range, sizes, error)
                   : parse_name(sizes, text, error);
}

uint32_t trace_sizes_draw(const struct trace_sizes *sizes, uint64_t seed, uint64_t ordinal)
{
    size_t index = trace_choice_draw(&sizes->choice, trace_random(seed, TRACE_RANDOM_SIZE, ordinal));
    const struct trace_sizes_range *range = &sizes->ranges[index];
    uint64_t draw = trace_random(seed, TRACE_RANDOM_SIZE_WITHIN, ordinal);
    return range->from + (uint32_t)trace_random_below(draw, (uint64_t)range->to - range->from + 1);
}

uint32_t trace_sizes_largest(const struct trace_sizes *sizes)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < sizes->count; i++)
        largest = sizes->ranges[i].to > largest ? sizes->ranges[i].to : largest;
    return largest;
}

uint64_t trace_sizes_mean(const struct trace_sizes *sizes)
{
    unsigned __int128 sum = 0; /* weights (sums of 64 bits) times twice a size (33 bits) */
    for (size_t i = 0; i < sizes->count; i++)
        sum += (unsigned __int128)trace_choice_weight(&sizes->choice, i) *
               ((uint64_t)sizes->ranges[i].from + sizes->ranges[i].to);
    return (uint64_t)((sum << 19) / trace_choice_total(&sizes->choice));
}

void trace_sizes_free(struct trace_sizes *sizes)
{
    trace_choice_free(&sizes->choice);
    free(sizes->ranges);
    *sizes = (struct trace_sizes){0};
}
