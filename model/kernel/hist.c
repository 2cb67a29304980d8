#include "kernel/hist.h"

#include <stdlib.h>
#include <string.h>

/* Octave 0 holds 0 .. 8191 (two halves of HIST_STEPS), octave k > 0 holds [4096 << k, 8192 << k) in steps of 2^k. */

void hist_init(struct hist *hist)
{
    *hist = (struct hist){.min = INT64_MAX, .max = INT64_MIN};
}

void hist_free(struct hist *hist)
{
    for (int i = 0; i < HIST_OCTAVES; i++)
        free(hist->octave[i]);
}

static int octave_of(int64_t value)
{
    return value < 2 * HIST_STEPS ? 0 : 63 - __builtin_clzll((uint64_t)value) - 12;
}

static size_t steps_in(int octave)
{
    return octave == 0 ? 2 * HIST_STEPS : HIST_STEPS;
}

static size_t step_of(int octave, int64_t value)
{
    return (size_t)(value >> octave) - (octave == 0 ? 0 : HIST_STEPS);
}

static int64_t top_of(int octave, size_t step)
{
    uint64_t base = octave == 0 ? 0 : HIST_STEPS;
    return (int64_t)(((base + step + 1) << octave) - 1);
}

int hist_add(struct hist *hist, int64_t value)
{
    int octave = octave_of(value);
    if (!hist->octave[octave]) {
        hist->octave[octave] = calloc(steps_in(octave), sizeof *hist->octave[octave]);
        if (!hist->octave[octave])
            return -1;
    }
    hist->octave[octave][step_of(octave, value)]++;
    hist->count++;
    hist->sum += value;
    hist->sum_of_squares += (unsigned __int128)value * (unsigned __int128)value;
    if (value < hist->min)
        hist->min = value;
    if (value > hist->max)
        hist->max = value;
    return 0;
}

int hist_merge(struct hist *hist, const struct hist *from)
{
    for (int octave = 0; octave < HIST_OCTAVES; octave++)
        if (from->octave[octave] && !hist->octave[octave]) {
            hist->octave[octave] = calloc(steps_in(octave), sizeof *hist->octave[octave]);
            if (!hist->octave[octave])
                return -1;
        }
    for (int octave = 0; octave < HIST_OCTAVES; octave++)
        for (size_t step = 0; from->octave[octave] && step < steps_in(octave); step++)
            hist->octave[octave][step] += from->octave[octave][step];
    hist->count += from->count;
    hist->sum += from->sum;
    hist->sum_of_squares += from->sum_of_squares;
    hist->min = from->min < hist->min ? from->min : hist->min;
    hist->max = from->max > hist->max ? from->max : hist->max;
    return 0;
}

void hist_each(const struct hist *hist, hist_each_fn *each, void *context)
{
    for (int octave = 0; octave < HIST_OCTAVES; octave++)
        for (size_t step = 0; hist->octave[octave] && step < steps_in(octave); step++)
            if (hist->octave[octave][step]) {
                int64_t value = top_of(octave, step);
                each(context, value > hist->max ? hist->max : value, hist->octave[octave][step]);
            }
}

int64_t hist_percentile(const struct hist *hist, int64_t share_ppb)
{
    unsigned __int128 want = ((unsigned __int128)hist->count * (uint64_t)share_ppb + 999999999u) / 1000000000u;
    uint64_t below = 0;
    if (want == 0)
        return hist->min;
    for (int octave = 0; octave < HIST_OCTAVES; octave++)
        for (size_t step = 0; hist->octave[octave] && step < steps_in(octave); step++) {
            below += hist->octave[octave][step];
            if (below >= want) {
                int64_t value = top_of(octave, step);
                return value > hist->max ? hist->max : value < hist->min ? hist->min : value;
            }
        }
    return hist->max;
}
