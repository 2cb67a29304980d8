/* run --faults: a plan as text or in a file, what came of it in the results. */
#include <CUnit/CUnit.h>
#include <jansson.h>

#include "tests/bench/command.h"

void suite_bench_faults(void);

static double number(const json_t *summary, const char *object, const char *key)
{
    const json_t *from = object != NULL ? json_object_get(summary, object) : summary;
    return json_number_value(json_object_get(from, key));
}

static json_t *run(struct command *command, const char *workload, const char *faults)
{
    CU_ASSERT_EQUAL(command_run(command, "$R run -b u280_100g --json --perftest '%s' --faults '%s'", workload, faults),
                    0);
    json_t *summary = json_loads(command->out, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(summary);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(summary, "status")), "complete");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(summary, "faults")), faults);
    return summary;
}

/* "Drop the last ACK" is one line: the timer of 67 ms ends once, and all that it costs is that. */
static void the_last_ack(void)
{
    struct command command;
    command_open(&command);
    json_t *summary = run(&command, "write_bw -s 4096 -n 1000", "drop ack last");
    CU_ASSERT_EQUAL(number(summary, "retransmits", "timeout"), 1);
    CU_ASSERT_EQUAL(number(summary, "retransmits", "nak"), 0);
    CU_ASSERT_EQUAL(number(summary, "drops", "lost on the line"), 1);
    CU_ASSERT_EQUAL(number(summary, NULL, "errors"), 0);
    CU_ASSERT(number(summary, NULL, "sim_time_ns") > 67.1e6 && number(summary, NULL, "sim_time_ns") < 68e6);
    json_decref(summary);
    summary = run(&command, "write_lat -s 64 -n 100", "drop data last");
    CU_ASSERT_EQUAL(number(summary, "retransmits", "timeout"), 1);
    json_decref(summary);
    command_close(&command);
}

/* --data: all that a run carries is where it should be, whatever is lost; times are the same. */
static void payload_is_checked(void)
{
    static const char *const workloads[] = {"write_bw -s 9000 -n 300", "send_bw -s 4096 -n 300 -q 3",
                                            "read_bw -s 9000 -n 300", "send_lat -s 64 -n 100 -c UD"};
    static const double bytes[] = {300 * 9000, 900 * 4096, 300 * 9000, 200 * 64};
    struct command command;
    command_open(&command);
    for (int i = 0; i < 4; i++) {
        const char *faults = i < 3 ? "drop any every 50; duplicate any every 70" : "mark any";
        json_t *without = run(&command, workloads[i], faults);
        CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --json --perftest '%s' --faults '%s' --data",
                                    workloads[i], faults),
                        0);
        json_t *with = json_loads(command.out, 0, NULL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(with);
        CU_ASSERT_EQUAL(number(with, "data", "right_bytes") + number(with, "data", "unknown_bytes"), bytes[i]);
        CU_ASSERT(number(with, "data", "right_bytes") > 0.5 * bytes[i]);
        CU_ASSERT_EQUAL(number(with, "data", "wrong_messages"), 0);
        CU_ASSERT_EQUAL(number(with, NULL, "sim_time_ns"), number(without, NULL, "sim_time_ns"));
        CU_ASSERT_TRUE(json_is_null(json_object_get(without, "data")));
        json_decref(with);
        json_decref(without);
    }
    command_close(&command);
}

/* The plan of the design page, and a link that is down for a while. */
static void all_kinds(void)
{
    struct command command;
    command_open(&command);
    json_t *summary = run(&command, "write_bw -s 65536 -n 500",
                          "drop data 100; drop ack last; corrupt data p=1e-3; delay ack 5 us every 1000");
    CU_ASSERT(number(summary, "retransmits", "nak") >= 2);
    CU_ASSERT(number(summary, "drops", "damaged on the line") >= 1);
    CU_ASSERT_EQUAL(number(summary, "drops", "lost on the line"), 2);
    json_decref(summary);
    summary = run(&command, "write_bw -s 65536 -n 500", "link down 100 us for 5 us");
    CU_ASSERT(number(summary, "drops", "lost on the line") > 10);
    CU_ASSERT_EQUAL(number(summary, NULL, "errors"), 0);
    json_decref(summary);
    summary = run(&command, "send_bw -s 4096 -n 500", "not_ready send 7 from=a");
    CU_ASSERT_EQUAL(number(summary, "retransmits", "rnr"), 1);
    json_decref(summary);
    command_close(&command);
}

/* The same from a file, with comments; each time that a QP went back is an event. */
static void from_a_file(void)
{
    struct command command;
    command_open(&command);
    command_write(&command, "plan", "# two losses\ndrop data 100 # the first\n\n  drop write 200;drop ack qp=77\n");
    CU_ASSERT_EQUAL(command_run(&command,
                                "$R run -b u280_100g --quiet -o r --no-charts --perftest 'write_bw -s 4096 -n 500' "
                                "--faults plan"),
                    0);
    CU_ASSERT_EQUAL(command_run(&command,
                                "$R run -b u280_100g --quiet -o s --no-charts --perftest 'write_bw -s 4096 -n 500' "
                                "--faults 'drop data 100; drop write 200; drop ack qp=77'"),
                    0);
    CU_ASSERT_EQUAL(command_run(&command, "grep -c ',retransmit,0,.*,nak: from PSN' r/events.csv"), 0);
    CU_ASSERT_EQUAL(atoi(command.out), 2);
    CU_ASSERT_EQUAL(command_run(&command, "sed 1,2d r/events.csv >r.csv; sed 1,2d s/events.csv | cmp - r.csv"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --perftest 'write_bw -D 1' --faults 'drop ack last'"),
                    2);
    command_close(&command);
}

void suite_bench_faults(void)
{
    CU_pSuite suite = CU_add_suite("bench/faults", NULL, NULL);
    CU_add_test(suite, "the last ACK", the_last_ack);
    CU_add_test(suite, "all kinds", all_kinds);
    CU_add_test(suite, "payload is checked", payload_is_checked);
    CU_add_test(suite, "from a file", from_a_file);
}
