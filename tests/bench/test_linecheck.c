/* rnicsim linecheck as a user would call it. */
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
    CU_ASSERT_EQUAL(command_run(&command, line), 0);
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

static void test_mistakes(void)
{
    static const char *const wrong[] = {"--width 512 --clock '250 MHz' --rate '100 Gbps'", "--width '512 bit'",
                                        "--width '512 bit' --clock '0 MHz' --rate '100 Gbps'",
                                        "--width '512 bit' --clock '250 MHz' --rate 'fast'", "--wide"};
    struct command command;
    char line[256];
    command_open(&command);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(line, sizeof line, "$R linecheck %s", wrong[i]);
        CU_ASSERT_EQUAL(command_run(&command, line), 2);
        CU_ASSERT_EQUAL(command_lines(command.err), 1);
        CU_ASSERT_STRING_EQUAL(command.out, "");
    }
    command_close(&command);
}

void suite_bench_linecheck(void)
{
    CU_pSuite suite = CU_add_suite("bench/linecheck", NULL, NULL);
    CU_add_test(suite, "answers", test_answers);
    CU_add_test(suite, "mistakes", test_mistakes);
}
