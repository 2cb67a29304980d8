/* Units, ranges, distributions: the values themselves, without files. */
#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config/param_number.h"
#include "config/param_unit.h"
#include "tests/config/test_config_fixture.h"

void suite_config_param(void);

static void exact(void)
{
    static const struct {
        enum param_unit unit;
        const char *text;
        int64_t value;
    } rows[] = {
        {PARAM_COUNT, "16", 16},
        {PARAM_COUNT, "1.0", 1},
        {PARAM_COUNT, "-3", -3},
        {PARAM_COUNT, "9223372036854775807", INT64_MAX},
        {PARAM_TIME, "4 ns", 4000},
        {PARAM_TIME, "4ns", 4000},
        {PARAM_TIME, "0.001 ns", 1},
        {PARAM_TIME, "3.2 us", 3200000},
        {PARAM_TIME, "1.5 ms", 1500000000},
        {PARAM_TIME, "2 s", 2000000000000},
        {PARAM_TIME, "9223372.036854775807 s", INT64_MAX},
        {PARAM_FREQUENCY, "322.265625 MHz", 322265625},
        {PARAM_FREQUENCY, "0.5 GHz", 500000000},
        {PARAM_FREQUENCY, "32.768 kHz", 32768},
        {PARAM_RATE, "25.78125 Gbps", 25781250000},
        {PARAM_RATE, "100 Gbps", 100000000000},
        {PARAM_RATE, "9.6 kbps", 9600},
        {PARAM_RATE, "1 Mbps", 1000000},
        {PARAM_BYTES, "64 bytes", 64},
        {PARAM_BYTES, "1 byte", 1},
        {PARAM_BYTES, "0.5 KiB", 512},
        {PARAM_BYTES, "1.5 MiB", 1572864},
        {PARAM_BYTES, "2 GiB", 2147483648},
        {PARAM_BITS, "512 bit", 512},
        {PARAM_BITS, "512 bits", 512},
        {PARAM_CYCLES, "3 cycles", 3},
        {PARAM_PPM, "-100 ppm", -100000},
        {PARAM_PPM, "0.001 ppm", 1},
        {PARAM_LENGTH, "3 m", 3000},
        {PARAM_LENGTH, "2.5 cm", 25},
        {PARAM_LENGTH, "7 mm", 7},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t value = 0;
        CU_ASSERT_EQUAL(param_unit_read(rows[i].unit, rows[i].text, &value, NULL), 0);
        CU_ASSERT_EQUAL(value, rows[i].value);
    }
}

static void refused(void)
{
    static const struct {
        enum param_unit unit;
        const char *text, *error;
    } rows[] = {
        {PARAM_TIME, "0.5 ps", "not a whole number of ps"},
        {PARAM_TIME, "0.0001 ns", "not a whole number of ps"},
        {PARAM_FREQUENCY, "0.1 Hz", "not a whole number of Hz"},
        {PARAM_BYTES, "0.1 KiB", "not a whole number of B"},
        {PARAM_PPM, "0.0001 ppm", "not a whole number of 0.001 ppm"},
        {PARAM_COUNT, "1.5", "not a whole number"},
        {PARAM_COUNT, "9223372036854775808", "number too large"},
        {PARAM_COUNT, "99999999999999999999999999999", "number too large"},
        {PARAM_TIME, "9223373 s", "number too large"},
        {PARAM_TIME, "9223372.036854775808 s", "number too large"},
        {PARAM_TIME, "1.0000000000000000001 s", "more than 18 decimals"},
        {PARAM_TIME, "4", "missing unit, write for example '4 ns'"},
        {PARAM_TIME, "4 ", "missing unit, write for example '4 ns'"},
        {PARAM_TIME, "4  ns", "more than one space before the unit, write for example '4 ns'"},
        {PARAM_TIME, "4 NS", "unknown unit 'NS', allowed ps, ns, us, ms, s"},
        {PARAM_TIME, "1e3 ns", "unknown unit 'e3 ns', allowed ps, ns, us, ms, s"},
        {PARAM_FREQUENCY, "4 ns", "unknown unit 'ns', allowed Hz, kHz, MHz, GHz"},
        {PARAM_BYTES, "4 KB", "unknown unit 'KB', allowed B, KiB, MiB, GiB"},
        {PARAM_COUNT, "4 ns", "' ns' after the number, this value has no unit"},
        {PARAM_TIME, "ns", "not a number, write decimal digits, for example 4 or 2.5"},
        {PARAM_TIME, ".5 ns", "not a number, write decimal digits, for example 4 or 2.5"},
        {PARAM_TIME, "- 5 ns", "not a number, write decimal digits, for example 4 or 2.5"},
        {PARAM_TIME, "5. ns", "no digit after the decimal point"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct config_error err = {""};
        int64_t value = 42;
        CU_ASSERT_EQUAL(param_unit_read(rows[i].unit, rows[i].text, &value, &err), -1);
        CU_ASSERT_STRING_EQUAL(err.text, rows[i].error);
        CU_ASSERT_EQUAL(value, 42);
    }
}

static void printed(void)
{
    static const struct {
        enum param_unit unit;
        int64_t value;
        const char *text;
    } rows[] = {
        {PARAM_COUNT, 17, "17"},
        {PARAM_TIME, 0, "0 ps"},
        {PARAM_TIME, 999, "999 ps"},
        {PARAM_TIME, 3200000, "3.2 us"},
        {PARAM_TIME, 1234567, "1.234567 us"},
        {PARAM_FREQUENCY, 322265625, "322.265625 MHz"},
        {PARAM_RATE, 25781250000, "25.78125 Gbps"},
        {PARAM_BYTES, 4096, "4 KiB"},
        {PARAM_BYTES, 4097, "4097 B"},
        {PARAM_BYTES, 1610612736, "1536 MiB"},
        {PARAM_BITS, 512, "512 bit"},
        {PARAM_CYCLES, 3, "3 cycle"},
        {PARAM_PPM, -100000, "-100 ppm"},
        {PARAM_PPM, 1, "0.001 ppm"},
        {PARAM_LENGTH, 2500, "2.5 m"},
    };
    char text[PARAM_NUMBER_BYTES];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        param_unit_print(rows[i].unit, rows[i].value, text);
        CU_ASSERT_STRING_EQUAL(text, rows[i].text);
    }
}

/* What is printed parses to the same value, for every numeric kind and magnitudes of every length. */
static void round_trip_numbers(void)
{
    char text[PARAM_NUMBER_BYTES];
    uint64_t random = 88172645463325252u;

    for (int unit = PARAM_COUNT; unit < PARAM_CHOICE; unit++) {
        for (int i = 0; i < 2000; i++) {
            random ^= random << 13; /* xorshift64: Marsaglia, 2003 */
            random ^= random >> 7;
            random ^= random << 17;
            int64_t value = (int64_t)(random >> (1 + i % 63)), again = -1;
            value = i % 5 == 0 ? -value : value;
            value = i == 0 ? INT64_MAX : value;
            param_unit_print((enum param_unit)unit, value, text);
            CU_ASSERT_EQUAL(param_unit_read((enum param_unit)unit, text, &again, NULL), 0);
            CU_ASSERT_EQUAL(again, value);
        }
    }
}

static void round_trip(const char *key, const char *text, const char *printed_text)
{
    const struct param_desc *desc = fixture_desc(key);
    union param_value value, again;
    char out[PARAM_PRINT_BYTES];

    memset(&value, 0, sizeof(value));
    memset(&again, 0, sizeof(again));
    CU_ASSERT_EQUAL(param_parse(desc, text, &value, NULL), 0);
    param_print(desc, &value, out);
    CU_ASSERT_STRING_EQUAL(out, printed_text);
    CU_ASSERT_EQUAL(param_parse(desc, out, &again, NULL), 0);
    CU_ASSERT_EQUAL(memcmp(&value, &again, sizeof(value)), 0);
}

static void round_trip_values(void)
{
    round_trip("link.lanes", " 16 ", "16");
    round_trip("link.skew", "-100 ppm", "-100 ppm");
    round_trip("demo.fec", "kr", "kr");
    round_trip("demo.label", "word", "word");
    round_trip("demo.label", "two words; # @x", "\"two words; # @x\"");
    round_trip("demo.label", "\"quoted\"", "quoted");
    round_trip("demo.label", "\"\"", "\"\"");
    round_trip("demo.memory", "200 ns", "200 ns");
    round_trip("demo.memory", "0:0.2 100:0.2 us", "200 ns");
    round_trip("demo.memory", "0:173 50:200 99:226 99.9:253 99.999:506 100:653 ns",
               "0:173 50:200 99:226 99.9:253 99.999:506 100:653 ns");
    round_trip("demo.memory", "0:0.9 99.9999999:1.25 100:1.25 us", "0:900 99.9999999:1250 100:1250 ns");
}

static void error_of(const char *key, const char *text, const char *error)
{
    union param_value value;
    struct config_error err = {""};

    memset(&value, 0x5a, sizeof(value));
    CU_ASSERT_EQUAL(param_parse(fixture_desc(key), text, &value, &err), -1);
    CU_ASSERT_STRING_EQUAL(err.text, error);
    CU_ASSERT_EQUAL(value.text[0], 0x5a);
}

static void ranges(void)
{
    error_of("link.lanes", "32", "link.lanes = 32: out of range, allowed powers of two, 1 to 16");
    error_of("link.lanes", "12", "link.lanes = 12: not a power of two, allowed powers of two, 1 to 16");
    error_of("link.lanes", "0", "link.lanes = 0: out of range, allowed powers of two, 1 to 16");
    error_of("link.flight", "1001 ns", "link.flight = 1001 ns: out of range, allowed 0 ps to 1 us");
    error_of("link.flight", "-1 ns", "link.flight = -1 ns: out of range, allowed 0 ps to 1 us");
    error_of("link.width", "7 bit", "link.width = 7 bit: out of range, allowed 8 bit or more");
    error_of("demo.cable", "-1 m", "demo.cable = -1 m: out of range, allowed 0 to 100 m");
    error_of("link.skew", "-201 ppm", "link.skew = -201 ppm: out of range, allowed -200 ppm to 200 ppm");
    error_of("demo.fec", "on", "demo.fec = on: unknown choice, allowed off, rs, kr");
    error_of("demo.fec", "r", "demo.fec = r: unknown choice, allowed off, rs, kr");
    error_of("demo.memory", "0.5 ns", "demo.memory = 0.5 ns: out of range, allowed 1 ns to 10 us");
    error_of("demo.memory", "0:1 100:11 us", "demo.memory = 0:1 100:11 us: out of range, allowed 1 ns to 10 us");
    error_of("link.lanes", "  ", "link.lanes =   : no value");
    error_of("demo.label", "a\"b", "demo.label = a\"b: quote within the text");
    error_of(
        "demo.label", "0123456789012345678901234567890123456789012345678901234567890123",
        "demo.label = 012345678901234567890123456789012345678901234567890123456789: text too long, allowed up to 63 "
        "characters");
}

static void distribution(void)
{
    struct param_dist dist;

    CU_ASSERT_EQUAL(param_parse(fixture_desc("demo.memory"), "0:173 99.999:506.5 100:653 ns", &dist, NULL), 0);
    CU_ASSERT_EQUAL(dist.count, 3);
    CU_ASSERT_EQUAL(dist.point[0].ppb, 0);
    CU_ASSERT_EQUAL(dist.point[0].ps, 173000);
    CU_ASSERT_EQUAL(dist.point[1].ppb, 999990000);
    CU_ASSERT_EQUAL(dist.point[1].ps, 506500);
    CU_ASSERT_EQUAL(dist.point[2].ppb, 1000000000);
    CU_ASSERT_EQUAL(dist.point[3].ps, 0);
}

static void distribution_refused(void)
{
    static const struct {
        const char *text, *reason;
    } rows[] = {
        {"1:173 100:653 ns", "the first percent must be 0 and the last 100"},
        {"0:173 99:653 ns", "the first percent must be 0 and the last 100"},
        {"0:173 ns", "the first percent must be 0 and the last 100"},
        {"0:1 50:2 50:3 100:4 ns", "percents must rise strictly (pair 3)"},
        {"0:1 50:3 60:2 100:4 ns", "times must not fall (pair 3)"},
        {"0:1 100:2", "missing unit, write for example '0:170 50:200 100:650 ns'"},
        {"0:1 100:2 m", "unknown unit 'm', allowed ps, ns, us, ms, s"},
        {"0:1 100 ns", "missing ':' in a pair, write percent:time, for example '50:200'"},
        {"0:1.0001 100:2 ns", "not a whole number of ps"},
        {"0:1 0.00000001:2 100:2 ns", "not a whole number of 0.0000001 %"},
        {"0:1 1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1 9:1 10:1 11:1 12:1 13:1 14:1 15:1 100:1 ns", "more than 16 pairs"},
        {"200", "missing unit, write for example '0:170 50:200 100:650 ns'"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct config_error err = {""};
        struct param_dist dist;
        CU_ASSERT_EQUAL(param_read(fixture_desc("demo.memory"), rows[i].text, &dist, &err), -1);
        CU_ASSERT_STRING_EQUAL(err.text, rows[i].reason);
    }
}

/* The longest distribution that can be written fits the buffer of param_print(). */
static void longest_distribution(void)
{
    struct param_desc desc = *fixture_desc("demo.memory");
    struct param_dist dist = {.count = PARAM_DIST_POINTS}, again;
    char text[PARAM_PRINT_BYTES];

    desc.min_text = "";
    desc.max_text = "";
    for (int i = 0; i < PARAM_DIST_POINTS; i++) {
        dist.point[i].ppb = i == 0 ? 0 : 999999984 + i;
        dist.point[i].ps = INT64_MAX - PARAM_DIST_POINTS + i;
    }
    dist.point[PARAM_DIST_POINTS - 1].ppb = 1000000000;
    param_print(&desc, &dist, text);
    CU_ASSERT_EQUAL(param_parse(&desc, text, &again, NULL), 0);
    CU_ASSERT_EQUAL(memcmp(&dist, &again, sizeof(dist)), 0);
}

static void bad_tables(void)
{
    struct param_desc desc = *fixture_desc("link.lanes");
    const struct param_table table = {"link", &desc, 1, sizeof(struct link_params)};
    const struct param_table other = {"lin", &desc, 1, sizeof(struct link_params)};
    const struct param_table *tables[] = {&table};
    struct config_error err;

    desc.fallback_text = "17";
    CU_ASSERT_PTR_NULL(config_create(tables, 1, &err));
    CU_ASSERT_STRING_EQUAL(err.text, "link.lanes = 17: out of range, allowed powers of two, 1 to 16");
    desc.fallback_text = "16";
    desc.max_text = "16 m";
    CU_ASSERT_PTR_NULL(config_create(tables, 1, &err));
    CU_ASSERT_STRING_EQUAL(
        err.text, "link.lanes = 16: the table's maximum '16 m': ' m' after the number, this value has no unit");
    tables[0] = &other;
    CU_ASSERT_PTR_NULL(config_create(tables, 1, &err));
    CU_ASSERT_STRING_EQUAL(err.text, "the table of 'lin' holds the key 'link.lanes'");
}

void suite_config_param(void)
{
    CU_pSuite suite = CU_add_suite("config/param", NULL, NULL);

    CU_add_test(suite, "numbers are exact", exact);
    CU_add_test(suite, "numbers are refused", refused);
    CU_add_test(suite, "the natural unit is printed", printed);
    CU_add_test(suite, "numbers survive print and parse", round_trip_numbers);
    CU_add_test(suite, "values survive print and parse", round_trip_values);
    CU_add_test(suite, "ranges", ranges);
    CU_add_test(suite, "distributions", distribution);
    CU_add_test(suite, "distributions are refused", distribution_refused);
    CU_add_test(suite, "the longest distribution", longest_distribution);
    CU_add_test(suite, "tables that contradict themselves", bad_tables);
}
