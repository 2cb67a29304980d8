/* rnicsim linecheck as a user would call it: the line, and the PCIe side. */
#include <CUnit/CUnit.h>
#include <jansson.h>

#include "tests/bench/command.h"

void suite_bench_linecheck(void);

static void expect(const char *options, int worst_frame_bytes, double clock_mhz, int bubbles)
{
    struct command command;
    char line[256];
    command_open(&command);
    snprintf(line, sizeof line, "$R linecheck --width '512 bit' --rate '100 Gbps' --json %s", options);
    CU_ASSERT_EQUAL(command_run(&command, "%s", line), 0);
    json_t *object = json_loads(command.out, 0, NULL);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(object, "worst_frame_bytes")), worst_frame_bytes);
    CU_ASSERT_DOUBLE_EQUAL(json_real_value(json_object_get(object, "min_clock_mhz")), clock_mhz, 0.05);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(object, "bubbles")), bubbles);
    json_decref(object);
    command_close(&command);
}

static void test_answers(void)
{
    expect("--clock '250 MHz' --fcs-on-bus", 65, 294.1, -1);
    expect("--clock '250 MHz'", 69, 280.9, -1);
    expect("--clock '322.265625 MHz'", 69, 280.9, 0);
}

/* The row of a size in an array of the answer to these options. */
static void expect_pcie(const char *options, const char *direction, int bytes, double gbps, const char *binds)
{
    struct command command;
    int found = 0;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R linecheck --json %s", options), 0);
    json_t *object = json_loads(command.out, 0, NULL), *rows = json_object_get(object, direction);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        if (json_integer_value(json_object_get(row, "bytes")) != bytes)
            continue;
        found = 1;
        CU_ASSERT_DOUBLE_EQUAL(json_real_value(json_object_get(row, "gbps")), gbps, 0.05);
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(row, "binds")), binds);
    }
    CU_ASSERT(found);
    json_decref(object);
    command_close(&command);
}

#define US1 "--pcie 'gen3 x16' --latency '1 us' "

static void test_pcie(void)
{
    expect_pcie(US1 "--completion-headers 64", "read", 512, 32.8, "no_credit_CPLH");
    expect_pcie(US1 "--completion-headers 128", "read", 4096, 65.5, "no_credit_CPLH");
    expect_pcie(US1 "--completion-headers 256", "read", 512, 115.9, "link");
    expect_pcie(US1 "--tags 16 --mrrs '128 B'", "read", 4096, 16.4, "no_tag");
    expect_pcie(US1 "--completion-buffer '4095 B'", "read", 4096, 28.7, "no_credit_CPLD"); /* 7 of 512 B and a piece */
    expect_pcie(US1 "--descriptor '16 B'", "write", 64, 64, "user_interface");
    expect_pcie(US1 "--descriptor '16 B' --straddle on", "write", 64, 85.3, "user_interface");
    expect_pcie(US1, "write", 64, 90.9, "link");
    expect_pcie("--pcie 'gen3 x16' --latency '300 ns' --completions rcb", "read", 4096, 95.2, "link");
    expect_pcie(US1 "--width '256 bit'", "write", 4096, 64, "user_interface");
    /* a board's: its endpoint, its host, what is set */
    expect_pcie("-b kcu116_25g --latency '500 ns'", "read", 4096, 30.12, "user_interface"); /* 268 B: 17 beats of 16 */
    expect_pcie("-b u280_100g -s pcie.completion_headers=128", "read", 4096, 65.5, "no_credit_CPLH");
    expect_pcie("-b u280_100g --host hsw_e3_1226v3 --latency '400 ns'", "write", 4096, 102.4,
                "user_interface"); /* MPS 128: 144 B in five halves of a beat */
}

/* Whether a board reads at 98 Gb/s: with PG213's 128 headers up to 668 ns. */
static void test_pcie_rate(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R linecheck -b u280_100g -s pcie.completion_headers=128 --rate '98 Gbps' "
                                          "--latency '600 ns' | tail -1"),
                    0);
    CU_ASSERT_STRING_EQUAL(command.out, "98 Gb/s of reads: reached; up to a latency of 668 ns\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R linecheck --pcie 'gen3 x16' --completion-headers 128 --rate '98 Gbps' "
                                          "--latency '800 ns' | tail -1"),
                    0);
    CU_ASSERT_STRING_EQUAL(command.out, "98 Gb/s of reads: not reached, no_credit_CPLH; up to a latency of 668 ns\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R linecheck --pcie 'gen3 x8' --rate '98 Gbps' | tail -1"), 0);
    CU_ASSERT_STRING_EQUAL(command.out, "98 Gb/s of reads: not reached, link; at no latency\n");
    command_close(&command);
}

static void test_mistakes(void)
{
    static const char *const wrong[] = {"--pcie 'gen3'",
                                        "--pcie 'gen7 x16'",
                                        "--pcie 'gen3 x12'",
                                        "--pcie 'gen3 x16 more'",
                                        "--latency '1 us'",
                                        "--pcie 'gen3 x16' --latency 1",
                                        "--pcie 'gen3 x16' --mps '300 B'",
                                        "--pcie 'gen3 x16' --mps 256",
                                        "--pcie 'gen3 x16' --straddle maybe",
                                        "--pcie 'gen3 x16' --descriptor '65 B'",
                                        "--pcie 'gen3 x16' --width '128 bit' --straddle on",
                                        "--pcie 'gen3 x16' --completion-buffer '256 B'",
                                        "--pcie 'gen3 x16' --completion-headers 4",
                                        "--pcie 'gen3 x16' --tags 0",
                                        "--pcie 'gen3 x16' -s mac.rate='10 Gbps'",
                                        "-b u281",
                                        "--width 512 --clock '250 MHz' --rate '100 Gbps'",
                                        "--width '512 bit'",
                                        "--width '512 bit' --clock '0 MHz' --rate '100 Gbps'",
                                        "--width '512 bit' --clock '250 MHz' --rate 'fast'",
                                        "--wide"};
    struct command command;
    char line[256];
    command_open(&command);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(line, sizeof line, "$R linecheck %s", wrong[i]);
        CU_ASSERT_EQUAL(command_run(&command, "%s", line), 2);
        CU_ASSERT_EQUAL(command_lines(command.err), 1);
        CU_ASSERT_STRING_EQUAL(command.out, "");
    }
    command_close(&command);
}

void suite_bench_linecheck(void)
{
    CU_pSuite suite = CU_add_suite("bench/linecheck", NULL, NULL);
    CU_add_test(suite, "answers", test_answers);
    CU_add_test(suite, "the PCIe side", test_pcie);
    CU_add_test(suite, "a rate to be read", test_pcie_rate);
    CU_add_test(suite, "mistakes", test_mistakes);
}
