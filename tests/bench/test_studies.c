/* The studies that the README shows run, and say what arithmetic says. */
#include <CUnit/CUnit.h>

#include "tests/bench/command.h"

void suite_bench_studies_slow(void);

/* A steady stream stages one frame, and is a skip of the PCIe link and a cycle from constant; bursts fill the staging buffer's 128 KiB and
 * would fill more. */
static void sensor(void)
{
    struct command command;
    double min, p999, pdv, staged, stopped, needs;
    int rows = 0;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, RNICSIM_SOURCE_DIR "/bench/studies/sensor.sh 10000"), 0);
    CU_ASSERT_EQUAL(command_lines(command.out), 5);
    for (const char *at = strchr(command.out, '\n'); at != NULL && at[1] != 0; at = strchr(at + 1, '\n'), rows++) {
        const char *rate = strstr(at, "Gb/s");
        CU_ASSERT_EQUAL_FATAL(
            sscanf(rate + 4, "%lf %*f %lf %*f %lf %lf %lf %lf", &min, &p999, &pdv, &staged, &stopped, &needs), 6);
        if (strstr(at, "steady") != NULL && strstr(at, "steady") < rate) {
            CU_ASSERT(pdv < 10 + 16.25);             /* and a skip of the receiver's PCIe link */
            CU_ASSERT_DOUBLE_EQUAL(staged, 8, 0.05); /* a frame that comes and one that leaves */
            CU_ASSERT_EQUAL(stopped, 0);
            CU_ASSERT_EQUAL(needs, staged);
        } else {
            CU_ASSERT(p999 > 2 * min);
            CU_ASSERT_DOUBLE_EQUAL(staged, 128, 0.05);
            CU_ASSERT(stopped > 0);
            CU_ASSERT(needs > staged);
        }
    }
    CU_ASSERT_EQUAL(rows, 4);
    command_close(&command);
}

/* Small messages beside bulk: a turn of a whole message lets them wait for 256 KiB, 21 us; a small payload buffer keeps what is granted
 * already short. */
static void tail(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, RNICSIM_SOURCE_DIR "/bench/studies/tail.sh 300"), 0);
    CU_ASSERT_EQUAL(command_lines(command.out), 9);
    CU_ASSERT_EQUAL(
        command_run(&command, RNICSIM_SOURCE_DIR
                    "/bench/studies/tail.sh 300 | awk '$NF < 94 && NR > 1 {bad++} /rr, a packet/ {packet = $(NF - 1)} "
                    "/rr, a message/ {message = $(NF - 1)} /strict, small/ {strict = $(NF - 1)} "
                    "/rr, 32/ {little = $(NF - 1)} "
                    "END {exit bad || message < packet + 15 || strict > packet || little > packet - 7}'"),
        0);
    command_close(&command);
}

/* Rates grow until the CPU binds and stay, whatever the QPs; a doorbell for several requests helps at a high rate and hurts at a low one. */
static void rate(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(
        command_run(
            &command, RNICSIM_SOURCE_DIR
            "/bench/studies/rate.sh | awk 'NF > 2 && $1 == 16384 && !many {many = $2} NF > 2 && $1 == 1 && !one {one = "
            "$2} "
            "$2 == \"M/s\" && NF == 6 {together[$1 \" \" $3] = $6} "
            "END {exit !(one > 9 && many > 14 && many < 14.3 && together[\"0.5 16\"] > 10 * together[\"0.5 1\"] && "
            "together[\"4 1\"] > 100 * together[\"4 4\"])}'"),
        0);
    command_close(&command);
}

/* Four tags bring four reads of MRRS in a round trip; from 16 on, the 128 completion headers of 64 B bind: 8 KiB in a round trip. */
static void tags(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command,
                                "$R sweep " RNICSIM_SOURCE_DIR
                                "/bench/studies/tags.sweep --quiet --no-charts && awk -F, '!/^#|^point/ {g[$2 "
                                "\" \" $3] = $5} END {exit !(g[\"8 1000 ns\"] > 1.9 * g[\"4 1000 ns\"] && "
                                "g[\"32 1000 ns\"] == g[\"16 1000 ns\"] && g[\"16 250 ns\"] > 96 && "
                                "g[\"16 1250 ns\"] < 45)}' tags.results/sweep.csv"),
                    0);
    command_close(&command);
}

void suite_bench_studies_slow(void)
{
    CU_pSuite suite = CU_add_suite("bench/studies", NULL, NULL);
    CU_add_test(suite, "sensor data", sensor);
    CU_add_test(suite, "small messages beside bulk", tail);
    CU_add_test(suite, "message rate", rate);
    CU_add_test(suite, "read tags", tags);
}
