/* Every nic file and every endpoint file on a board, and every board: what they name exists, and perftest's messages arrive. */
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

/* With the completion headers that the endpoint has, not the board's. */
static void every_endpoint(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "for f in " CONFIG "/endpoints/*.endpoint; do n=$(basename $f .endpoint); "
                                          "sed \"s/^endpoint = .*/endpoint = $n/; /^completion_headers/d\" " CONFIG
                                          "/boards/u280_100g.board >t.board; "
                                          "$R run -b t.board --perftest 'write_bw -s 5000 -n 200' --json >$n.json || "
                                          "echo $n fails; "
                                          "grep -q '\"status\": \"complete\"' $n.json || echo $n is not complete; "
                                          "done"),
                    0);
    CU_ASSERT_STRING_EQUAL(command.out, "");
    CU_ASSERT_STRING_EQUAL(command.err, "");
    command_close(&command);
}

/* nic < endpoint < board < host, and who it was is told. */
static void endpoint_layer(void)
{
    struct command command;
    command_open(&command);
    command_write(&command, "e.endpoint",
                  "endpoint = e\n[pcie]\ntags = 32 @assumed\nread_latency = 7 cycle @assumed\n"
                  "link_latency = 3 us @assumed\nmps = 1024 B @assumed\n");
    CU_ASSERT_EQUAL(
        command_run(&command,
                    "sed 's/^endpoint = .*/endpoint = e.endpoint/; s/^nic = .*/nic = n.nic/' " CONFIG
                    "/boards/u280_100g.board >t.board; "
                    "(cat " CONFIG "/nics/rnic_512.nic; echo '[pcie]'; echo 'tags = 16 @assumed'; "
                    "echo 'read_interval = 3 cycle @assumed') >n.nic; $R params -b t.board --effective pcie | "
                    "awk '/tags|read_latency|read_interval|link_latency|mps/ {print $1, $3, $(NF - 1)}'"),
        0);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "pcie.tags 32 endpoint\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "pcie.read_latency 7 endpoint\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "pcie.read_interval 3 nic\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "pcie.link_latency 100 board\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "pcie.mps 256 host\n"));
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
    CU_add_test(suite, "every endpoint file", every_endpoint);
    CU_add_test(suite, "an endpoint's layer", endpoint_layer);
    CU_add_test(suite, "every board", every_board);
}
