/* rnicsim verbs: stock programs run on the model, print what it predicts, and leave nothing behind however they end. */
#include <CUnit/CUnit.h>
#include <math.h>

#include "tests/bench/command.h"

void suite_verbs(void);

#define VERBS "timeout 60 $R verbs -b u280_100g "
#define BUILD_PROGRAM(folder, name) "gcc -D_GNU_SOURCE -o " name " " RNICSIM_SOURCE_DIR "/" folder "/" name ".c -libverbs && "

/* The textbook program of each operation, with the bytes that it checks. */
static void textbook_programs(void)
{
    static const char *const operation[][2] = {{"send", "8192 bytes are right\n"},
                                               {"write", "8192 bytes are right\n"},
                                               {"read", "8192 bytes are right\n"},
                                               {"atomic", "the number is right: 37\nthe number is right: 42\n"}};
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL_FATAL(command_run(&command, BUILD_PROGRAM("traces/verbs/examples", "rc") "true"), 0);
    for (size_t i = 0; i < sizeof operation / sizeof *operation; i++) {
        const char *name = operation[i][0];
        int status = command_run(&command, VERBS "--host a './rc %s >a' --host b './rc %s 127.0.0.1 >b' && sort a b", name, name);
        CU_ASSERT_EQUAL(status, 0);
        CU_ASSERT_STRING_EQUAL(command.out, operation[i][1]);
        CU_ASSERT_STRING_EQUAL(command.err, "");
    }
    command_close(&command);
}

static void not_ready(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, BUILD_PROGRAM("tests/verbs/programs", "not_ready") VERBS "-- ./not_ready"), 0);
    CU_ASSERT_STRING_EQUAL(command.out, "reset EINVAL EINVAL\nto init 0\ninit EINVAL 0 ENOMEM\nto rts EINVAL\n");
    command_close(&command);
}

/* The last number of t_avg's column that perftest has printed, in the client's file. */
static double live_average(struct command *command, const char *test)
{
    CU_ASSERT_EQUAL(command_run(command,
                                VERBS "--host a '%s --output=latency >a' --host b '%s --output=latency 127.0.0.1 >b' "
                                      "&& tail -1 b",
                                test, test),
                    0);
    return strtod(command->out, NULL);
}

static double replayed_average(struct command *command, const char *test)
{
    CU_ASSERT_EQUAL(command_run(command,
                                "$R run -b u280_100g --perftest '%s' -o r --force --quiet --no-charts && "
                                "tail -1 r/perftest.csv | cut -d, -f6",
                                test),
                    0);
    return strtod(command->out, NULL);
}

/* Debian's perftest and the same test as rnicsim run has it agree to a tick of the counter, 1 / 2.2 GHz: in microseconds. */
static void perftest_latency(void)
{
    static const char *const tests[] = {"write_lat", "send_lat", "read_lat", "atomic_lat", "write_lat -s 4096"};
    struct command command;
    char program[64];
    command_open(&command);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        snprintf(program, sizeof program, "ib_%s", tests[i]);
        double live = live_average(&command, program), replayed = replayed_average(&command, tests[i]);
        CU_ASSERT(live > 0.5 && fabs(live - replayed) < 0.00046);
        if (fabs(live - replayed) >= 0.00046)
            printf("\n    %s: %f live, %f replayed\n", tests[i], live, replayed);
    }
    command_close(&command);
}

static void perftest_bandwidth(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, VERBS "--host a 'ib_write_bw >a' --host b 'ib_write_bw 127.0.0.1 >b' && "
                                                "grep '^ 65536' b | tr -s ' \\t' ' ' | cut -d' ' -f6"),
                    0);
    double live = strtod(command.out, NULL);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --perftest write_bw -o r --force --quiet --no-charts && "
                                          "tail -1 r/perftest.csv | cut -d, -f5"),
                    0);
    double replayed = strtod(command.out, NULL);
    CU_ASSERT(live > 0.1 && fabs(live - replayed) < 0.001 * replayed);
    command_close(&command);
}

/* Each sample, of runs beside each other, is the same. */
static void runs_are_the_same(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command,
                                "for i in 1 2 3; do " VERBS "--host a 'ib_write_lat -n 300 -U -p 1888'$i' >a'$i "
                                "--host b 'ib_write_lat -n 300 -U -p 1888'$i' 127.0.0.1 >b'$i & done; wait; "
                                "for i in 1 2 3; do grep '^[0-9]*, ' b$i >s$i; done; wc -l <s1; cmp s1 s2 && cmp s1 s3"),
                    0);
    CU_ASSERT(strtol(command.out, NULL, 10) >= 298);
    command_close(&command);
}

/* However a program ends: one line, and nothing is left. */
static void ends(void)
{
    static const char *const how[][2] = {
        {"'./ends crash'", "signal 11"},
        {"'./ends killed'", "signal 9"},
        {"'./ends status'", "status 3"},
        {"'./ends polls'", "nothing is under way"},
        {"'./ends spins'", "nothing is under way"},
        {"'./ends crash' --host b './ends spins'", "signal 11"},
        {"'./none'", "status 127"},
    };
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL_FATAL(command_run(&command, BUILD_PROGRAM("tests/verbs/programs", "ends") "true"), 0);
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        CU_ASSERT_EQUAL(command_run(&command,
                                    VERBS "--host a %s 2>x; s=$?; grep '^rnicsim:' x >&2; exit $s",
                                    how[i][0]),
                        1);
        CU_ASSERT(command_holds(command.err, how[i][1]) && command_lines(command.err) == 1);
        CU_ASSERT_EQUAL(command_run(&command, "pgrep -f '^./ends'; ls /dev/shm | grep rnicsim"), 1);
    }
    CU_ASSERT_EQUAL(command_run(&command, "timeout -s INT 1 $R verbs -b u280_100g --host a 'sleep 50.123'; "
                                          "pgrep -f '^sleep 50.123'"),
                    1);
    CU_ASSERT(command_holds(command.err, "interrupted"));
    command_close(&command);
}

static void mistakes(void)
{
    static const char *const wrong[][2] = {
        {"-b u280_100g", "which program"},
        {"-b u280_100g --host c true", "allowed are a and b"},
        {"-b u280_100g --host a", "one command"},
        {"-b u280_100g --host a true --host a true", "one command"},
        {"-b u280_100g --host a true -- true", "which program"},
        {"-- true", "which board"},
        {"-b u280_100g -s nic.none=1 -- true", "nic.none"},
    };
    struct command command;
    command_open(&command);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CU_ASSERT_EQUAL(command_run(&command, "$R verbs %s", wrong[i][0]), 2);
        CU_ASSERT(command_holds(command.err, wrong[i][1]) && command_lines(command.err) == 1);
    }
    command_close(&command);
}

void suite_verbs(void)
{
    CU_pSuite suite = CU_add_suite("verbs", NULL, NULL);
    CU_add_test(suite, "textbook programs of SEND, WRITE, READ and atomics", textbook_programs);
    CU_add_test(suite, "posts that are refused", not_ready);
    CU_add_test(suite, "perftest's latencies are those of rnicsim run", perftest_latency);
    CU_add_test(suite, "and its message rate", perftest_bandwidth);
    CU_add_test(suite, "runs beside each other are the same", runs_are_the_same);
    CU_add_test(suite, "however a program ends", ends);
    CU_add_test(suite, "mistakes", mistakes);
}
