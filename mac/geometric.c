#include "mac/geometric.h"

#define UNIT 9007199254740992.0 /* 2^53: draws have so many bits */

void geometric_init(struct geometric *geometric, double probability)
{
    geometric->clean[0] = 1 - probability;
    for (int k = 1; k < GEOMETRIC_POWERS; k++)
        geometric->clean[k] = geometric->clean[k - 1] * geometric->clean[k - 1];
}

int64_t geometric_draw(const struct geometric *geometric, uint64_t draw)
{
    double left = (double)((draw >> 11) + 1) / UNIT, so_far = 1;
    int64_t distance = 0;
    for (int k = GEOMETRIC_POWERS - 1; k >= 0; k--)
        if (so_far * geometric->clean[k] >= left) {
            so_far *= geometric->clean[k];
            distance += INT64_C(1) << k;
        }
    return distance;
}
