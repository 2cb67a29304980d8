#include "mac/bit_errors.h"

#include "kernel/rnd.h"

#define BITS_OF_SLOT 8

/* x^n by squaring: no library function, whose last bit differs between machines. */
static double power(double x, int n)
{
    double result = 1;
    for (; n > 0; n >>= 1, x *= x)
        if (n & 1)
            result *= x;
    return result;
}

/* Of a probability; 1 and above: all. */
static uint64_t in_64_bits(double probability)
{
    return probability >= 1 ? UINT64_MAX : (uint64_t)(probability * 18446744073709551616.0);
}

/* A binomial distribution's terms from 1 wrong symbol on: their sum, and the table of the first ones. */
static double reckon_symbols(struct bit_errors *errors, double symbol)
{
    const struct phy_fec *fec = &errors->fec;
    double term = power(1 - symbol, fec->symbols), sum = 0, at_most[BIT_ERRORS_CLASSES] = {0};
    for (int k = 1; k <= fec->symbols; k++) {
        term *= (double)(fec->symbols - k + 1) / k * (symbol / (1 - symbol));
        sum += term;
        if (k <= fec->corrects)
            at_most[k - 1] = sum;
    }
    for (int k = 0; k < fec->corrects; k++)
        errors->at_most[k] = sum > 0 ? in_64_bits(at_most[k] / sum) : 0;
    return sum;
}

/* BASE-R FEC corrects one burst: all wrong bits within `corrects` of the first. */
static double reckon_burst(struct bit_errors *errors, double bit)
{
    const struct phy_fec *fec = &errors->fec;
    double any = 0, within = 0, before = 1;
    for (int first = 0; first < fec->symbols; first++, before *= 1 - bit) {
        int rest = fec->symbols - first - fec->corrects;
        any += before * bit;
        within += before * bit * power(1 - bit, rest > 0 ? rest : 0);
    }
    errors->at_most[0] = any > 0 ? in_64_bits(within / any) : 0;
    return any;
}

/* From `unit` on. */
static void draw_next(struct bit_errors *errors, int64_t unit)
{
    int64_t distance = geometric_draw(&errors->distance, rnd_draw(errors->stream, errors->drawn, 0));
    errors->drawn++;
    errors->next_unit = distance > INT64_MAX / 2 - unit ? INT64_MAX : unit + distance;
}

void bit_errors_init(struct bit_errors *errors, const struct phy_fec *fec, int64_t errors_in_1e15, int64_t first_slot,
                     uint64_t stream)
{
    *errors = (struct bit_errors){
        .fec = *fec, .first_slot = first_slot, .stream = stream, .next_unit = INT64_MAX, .damaged_unit = -1};
    double bit = (double)errors_in_1e15 / 1e15;
    double unit = bit;
    if (fec->block_octets > 0)
        unit = fec->symbol_bits == 1 ? reckon_burst(errors, bit)
                                     : reckon_symbols(errors, 1 - power(1 - bit, fec->symbol_bits));
    geometric_init(&errors->distance, unit);
    if (errors_in_1e15 > 0)
        draw_next(errors, 0);
}

/* What FEC does with the wrong unit. */
static void judge(struct bit_errors *errors)
{
    int classes = errors->fec.block_octets == 0 ? 0 : errors->fec.symbol_bits == 1 ? 1 : errors->fec.corrects;
    uint64_t draw = rnd_draw(errors->stream, errors->drawn, 1);
    int class = 0;
    while (class < classes && draw >= errors->at_most[class])
        class ++;
    if (class < classes) {
        errors->corrected++;
        errors->corrected_symbols += (uint64_t) class + 1;
        return;
    }
    errors->uncorrectable++;
    errors->damaged_unit = errors->next_unit;
}

int bit_errors_damage(struct bit_errors *errors, int64_t first_slot, int64_t last_slot)
{
    int64_t block = errors->fec.block_octets, units = errors->fec.codewords;
    int64_t first = first_slot * BITS_OF_SLOT, last = last_slot * BITS_OF_SLOT + BITS_OF_SLOT - 1;
    if (block > 0) { /* the first block is counted from the one before slot 0 */
        first = (first_slot + block - errors->first_slot) / block * units;
        last = (last_slot + block - errors->first_slot) / block * units + units - 1;
    }
    while (errors->next_unit <= last) {
        judge(errors);
        draw_next(errors, errors->next_unit + 1);
    }
    return errors->damaged_unit >= first;
}
