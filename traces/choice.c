#include "traces/choice.h"

#include <stdlib.h>
#include <string.h>

#include "traces/logarithm.h"
#include "traces/random.h"
#include "traces/text.h"

#define WEIGHT_DIGITS 9
#define WEIGHT_ONE 1000000000u
#define WEIGHT_MAX 1000000u
#define ZIPF_SHIFT 17 /* weights of up to 2^46: 65,536 of them stay within 64 bits */
#define MILLION 1000000u

int trace_choice_add(struct trace_choice *choice, uint64_t weight)
{
    uint64_t before = trace_choice_total(choice);
    size_t count = choice->count;
    if (weight > UINT64_MAX - before)
        return -1;
    if ((count & (count - 1)) == 0) { /* room doubles at powers of two */
        uint64_t *larger = realloc(choice->upto, (count == 0 ? 1 : 2 * count) * sizeof *larger);
        if (larger == NULL)
            return -1;
        choice->upto = larger;
    }
    choice->upto[choice->count++] = before + weight;
    return 0;
}

uint64_t trace_choice_weight(const struct trace_choice *choice, size_t index)
{
    return choice->upto[index] - (index == 0 ? 0 : choice->upto[index - 1]);
}

uint64_t trace_choice_total(const struct trace_choice *choice)
{
    return choice->count == 0 ? 0 : choice->upto[choice->count - 1];
}

size_t trace_choice_draw(const struct trace_choice *choice, uint64_t draw)
{
    uint64_t at = trace_random_below(draw, trace_choice_total(choice));
    size_t low = 0, high = choice->count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (choice->upto[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

int trace_choice_zipf(struct trace_choice *choice, uint64_t exponent_millionths, size_t count)
{
    for (size_t rank = 1; rank <= count; rank++) {
        unsigned __int128 bits = (unsigned __int128)trace_log2(rank) * exponent_millionths / MILLION;
        if (trace_choice_add(choice, trace_exp2_negative((uint64_t)bits) >> ZIPF_SHIFT) != 0)
            return -1;
    }
    return 0;
}

void trace_choice_free(struct trace_choice *choice)
{
    free(choice->upto);
    *choice = (struct trace_choice){0};
}

/* `entry` is modified. */
static int parse_entry(struct trace_choice *choice, char *entry, const char *what, trace_choice_take *take,
                       void *context, struct rnicsim_error *error)
{
    char *colon = strchr(entry, ':');
    uint64_t weight = WEIGHT_ONE;
    if (choice->count == TRACE_CHOICE_LIST_MAX)
        return trace_fail(error, "%s: more than %u entries; that many are allowed", what, TRACE_CHOICE_LIST_MAX);
    if (colon != NULL) {
        *colon = 0;
        if (trace_text_decimal(colon + 1, WEIGHT_DIGITS, WEIGHT_MAX, what, &weight, error) != 0)
            return -1;
        if (weight == 0)
            return trace_fail(error, "%s: \"%.40s\" has the weight 0; allowed are those above", what, entry);
    }
    if (take(context, entry, error) != 0)
        return -1;
    return trace_choice_add(choice, weight) == 0 ? 0 : trace_fail(error, "%s: out of memory", what);
}

int trace_choice_parse(struct trace_choice *choice, const char *text, const char *what, trace_choice_take *take,
                       void *context, struct rnicsim_error *error)
{
    char *copy = strdup(text), *rest = copy;
    int result = copy == NULL ? trace_fail(error, "%s: out of memory", what) : 0;
    while (result == 0 && rest != NULL) {
        char *entry = strsep(&rest, ",");
        result = parse_entry(choice, entry, what, take, context, error);
    }
    free(copy);
    return result;
}
