/* Logarithms and powers in fixed point, computed in integers only, so that every machine gets the same bits. */
#ifndef TRACES_LOGARITHM_H
#define TRACES_LOGARITHM_H

#include <stdint.h>

/* log2(x) in 2^-32, for x from 1; less than 2^-31 too low. */
uint64_t trace_log2(uint64_t x);
/* 2^(-x / 2^32) in 2^-63, right to 2^-56. */
uint64_t trace_exp2_negative(uint64_t x);
/* The exponential distribution with mean 1, in 2^-32: -ln(u) of u = (draw + 1) / 2^64, right to 2^-31; at most 44.4. */
uint64_t trace_exponential(uint64_t draw);

#endif
