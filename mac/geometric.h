/* Distances between events that happen with the same small probability in each unit, independently of each other: bits, codewords,
 * slots of a line. Drawn from a table of powers, made of products alone, so that every machine draws the same. */
#ifndef MAC_GEOMETRIC_H
#define MAC_GEOMETRIC_H

#include <stdint.h>

#define GEOMETRIC_POWERS 62

struct geometric {
    double clean[GEOMETRIC_POWERS]; /* the probability that 2^k units in a row have none */
};

/* probability: of an event in a unit, 0 .. 1. */
void geometric_init(struct geometric *geometric, double probability);
/* How many units without one go before the next that has one; INT64_MAX / 2 and above: practically never. */
int64_t geometric_draw(const struct geometric *geometric, uint64_t draw);

#endif
