#include "traces/text.h"

#include <stdio.h>
#include <string.h>

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

/* 0, or -1 when it is no number of 64 bits. */
static int parse(const char *text, uint64_t *out)
{
    unsigned base = 10;
    uint64_t value = 0;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
    }
    if (*text == 0)
        return -1;
    for (; *text != 0; text++) {
        unsigned digit = (unsigned)digit_value(*text);
        if (digit >= base || value > (UINT64_MAX - digit) / base)
            return -1;
        value = value * base + digit;
    }
    *out = value;
    return 0;
}

/* Decimal digits from *text on, which then stands behind them; -1: none, or more than fit in 64 bits. */
static int take_digits(const char **text, uint64_t *value)
{
    const char *start = *text;
    for (; **text >= '0' && **text <= '9'; (*text)++) {
        unsigned digit = (unsigned)(**text - '0');
        if (*value > (UINT64_MAX - digit) / 10)
            return -1;
        *value = *value * 10 + digit;
    }
    return *text == start ? -1 : 0;
}

/* 0, or -1 when it is no such number. */
static int parse_decimal(const char *text, unsigned digits, uint64_t *out)
{
    *out = 0;
    if (take_digits(&text, out) != 0)
        return -1;
    if (*text == '.') {
        const char *point = text++;
        if (take_digits(&text, out) != 0 || (size_t)(text - point - 1) > digits)
            return -1;
        digits -= (unsigned)(text - point - 1);
    }
    for (; digits > 0; digits--) {
        if (*out > UINT64_MAX / 10)
            return -1;
        *out *= 10;
    }
    return *text == 0 ? 0 : -1;
}

int trace_text_decimal(const char *text, unsigned digits, uint64_t max, const char *what, uint64_t *out,
                       struct rnicsim_error *error)
{
    uint64_t one = 1;
    for (unsigned i = 0; i < digits; i++)
        one *= 10;
    if (parse_decimal(text, digits, out) != 0 || *out > max * one)
        return trace_fail(error, "%s: \"%.40s\" is not allowed; 0 to %llu is, with up to %u digits behind the point",
                          what, text, (unsigned long long)max, digits);
    return 0;
}

int trace_text_number(const char *text, uint64_t max, const char *what, uint64_t *out, struct rnicsim_error *error)
{
    if (parse(text, out) != 0 || *out > max)
        return trace_fail(error, "%s is \"%.40s\"; allowed are 0 to %llu, decimal or 0x hexadecimal", what, text,
                          (unsigned long long)max);
    return 0;
}

static int fail_set(const char *text, const char *(*name)(uint32_t), uint32_t count, const char *what,
                    struct rnicsim_error *error)
{
    char names[128];
    char *end = names;
    for (uint32_t i = 0; i < count; i++)
        end = trace_text_append(trace_text_append(end, i == 0 ? "" : " "), name(i));
    return trace_fail(error, "%s has \"%.40s\"; allowed are %s, joined by '|'", what, text, names);
}

int trace_text_set(char *text, const char *(*name)(uint32_t), uint32_t count, const char *what, uint32_t *out,
                   struct rnicsim_error *error)
{
    *out = 0;
    while (text != NULL && *text != 0) {
        char *next = strchr(text, '|');
        if (next != NULL)
            *next++ = 0;
        uint32_t i = 0;
        while (i < count && strcmp(text, name(i)) != 0)
            i++;
        if (i == count)
            return fail_set(text, name, count, what, error);
        *out |= 1u << i;
        if (next != NULL && *next == 0)
            return fail_set("", name, count, what, error);
        text = next;
    }
    return 0;
}

char *trace_text_append(char *to, const char *text)
{
    return stpcpy(to, text);
}

char *trace_text_append_number(char *to, uint64_t number)
{
    char digits[20];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    while (count > 0)
        *to++ = digits[--count];
    *to = 0;
    return to;
}

char *trace_text_append_hex(char *to, uint64_t number)
{
    return to + sprintf(to, "0x%llx", (unsigned long long)number);
}

char *trace_text_append_set(char *to, uint32_t bits, const char *(*name)(uint32_t), uint32_t count)
{
    const char *between = "";
    *to = 0;
    for (uint32_t i = 0; i < count; i++) {
        if ((bits >> i & 1) == 0)
            continue;
        to = trace_text_append(trace_text_append(to, between), name(i));
        between = "|";
    }
    return to;
}
