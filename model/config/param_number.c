#include "config/param_number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FRACTION_DIGITS_MAX 18

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int read_whole(const char **text, struct param_number *out, struct config_error *err)
{
    const char *at = *text;

    if (!is_digit(*at))
        return config_error_set(err, "not a number, write decimal digits, for example 4 or 2.5");
    for (; is_digit(*at); at++) {
        unsigned digit = (unsigned)(*at - '0');
        if (out->whole > ((uint64_t)INT64_MAX - digit) / 10)
            return config_error_set(err, "number too large");
        out->whole = out->whole * 10 + digit;
    }
    *text = at;
    return 0;
}

static int read_fraction(const char **text, struct param_number *out, struct config_error *err)
{
    const char *first = *text;
    const char *end = first;

    if (!is_digit(*first))
        return config_error_set(err, "no digit after the decimal point");
    while (is_digit(*end))
        end++;
    *text = end;
    while (end > first && end[-1] == '0')
        end--;
    if (end - first > FRACTION_DIGITS_MAX)
        return config_error_set(err, "more than %d decimals", FRACTION_DIGITS_MAX);
    out->digits = (int)(end - first);
    for (; first < end; first++)
        out->fraction = out->fraction * 10 + (unsigned)(*first - '0');
    return 0;
}

int param_number_read(const char **text, struct param_number *out, struct config_error *err)
{
    memset(out, 0, sizeof(*out));
    if (**text == '-' || **text == '+') {
        out->negative = **text == '-';
        (*text)++;
    }
    if (read_whole(text, out, err) != 0)
        return -1;
    if (**text != '.')
        return 0;
    (*text)++;
    return read_fraction(text, out, err);
}

int param_number_scale(const struct param_number *number, int64_t multiplier, const char *base, int64_t *out,
                       struct config_error *err)
{
    /* 128 bits cannot overflow: whole < 2^63, fraction < 10^18 < 2^60, multiplier <= 2^40. */
    unsigned __int128 power = 1;
    for (int i = 0; i < number->digits; i++)
        power *= 10;
    unsigned __int128 fraction = (unsigned __int128)number->fraction * (uint64_t)multiplier;
    unsigned __int128 sum = (unsigned __int128)number->whole * (uint64_t)multiplier + fraction / power;

    if (fraction % power != 0)
        return config_error_set(err, "not a whole number%s%s", *base != '\0' ? " of " : "", base);
    if (sum > INT64_MAX)
        return config_error_set(err, "number too large");
    *out = number->negative ? -(int64_t)sum : (int64_t)sum;
    return 0;
}

int param_number_print(int64_t value, int64_t multiplier, char *text)
{
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    uint64_t divisor = (uint64_t)multiplier;
    uint64_t rest = magnitude % divisor;
    int length = snprintf(text, PARAM_NUMBER_BYTES, "%s%" PRIu64, value < 0 ? "-" : "", magnitude / divisor);

    if (rest != 0)
        text[length++] = '.';
    for (; rest != 0 && length < PARAM_NUMBER_BYTES - 1; rest %= divisor) {
        rest *= 10;
        text[length++] = (char)('0' + rest / divisor);
    }
    text[length] = '\0';
    return length;
}
