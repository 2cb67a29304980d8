/* Every nic file on a board, and every board: what they name exists, and perftest's messages arrive. */
#include <CUnit/CUnit.h>

#include "tests/bench/command.h"

void suite_bench_nics(void);

#define CONFIG RNICSIM_SOURCE_DIR "/model/config"

static void every_nic(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(
        command_run(&command,
                    "for f in " CONFIG "/nics/*.nic; do n=$(basename $f .nic); "
                    "b=u280_100g; case $n in rnic_128*) b=kcu116_25g ;; esac; " /* their MAC is not for 100G */
                    "sed \"s/^nic = .*/nic = $n/\" " CONFIG "/boards/$b.board >t.board; "
                    "for p in 'write_bw -s 5000 -n 200' 'send_lat -s 64 -n 20'; do "
                    "$R run -b t.board --perftest \"$p\" --json >$n.json || echo $n fails; "
                    "grep -q '\"status\": \"complete\"' $n.json && grep -q '\"drops\": {}' $n.json || echo $n loses; "
                    "done; done"),
        0);
    CU_ASSERT_STRING_EQUAL(command.out, "");
    CU_ASSERT_STRING_EQUAL(command.err, "");
    command_close(&command);
}

/* The line is what the board says it is: long messages fill it, or what binds is named. */
static void every_board(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command,
                                "$R boards | while read b rest; do "
                                "$R run -b $b --perftest 'write_bw -s 1M -n 20' --json >$b.json || echo $b fails; "
                                "grep -q '\"status\": \"complete\"' $b.json || echo $b is not complete; done"),
                    0);
    CU_ASSERT_STRING_EQUAL(command.out, "");
    CU_ASSERT_EQUAL(command_run(&command, "$R boards | wc -l"), 0);
    CU_ASSERT_STRING_EQUAL(command.out, "7\n");
    command_close(&command);
}

void suite_bench_nics(void)
{
    CU_pSuite suite = CU_add_suite("bench/nics", NULL, NULL);
    CU_add_test(suite, "every nic file", every_nic);
    CU_add_test(suite, "every board", every_board);
}
