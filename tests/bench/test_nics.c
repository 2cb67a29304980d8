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

/* On a board of its rate; with each FEC that its rate has in the field. */
static void every_mac(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(
        command_run(&command,
                    "for f in " CONFIG "/macs/*.mac; do n=$(basename $f .mac); b=kcu116_25g; r='25 Gbps'; fec=rs528; "
                    "case $n in *100g | cmac) b=u280_100g; r='100 Gbps' ;; *10g*) r='10 Gbps'; fec=cl74 ;; "
                    "l_40g) b=u280_100g; r='40 Gbps'; fec=cl74 ;; l_50g) b=u280_100g; r='50 Gbps'; fec=rs544 ;; esac; "
                    "for e in none $fec; do $R run -b $b --mac $n -s \"mac.rate=$r\" -s mac.fec=$e "
                    "--perftest 'write_bw -s 5000 -n 200' --json >$n.json || echo $n fails; "
                    "grep -q '\"status\": \"complete\"' $n.json && grep -q '\"drops\": {}' $n.json || echo $n loses; "
                    "done; done"),
        0);
    CU_ASSERT_STRING_EQUAL(command.out, "");
    CU_ASSERT_STRING_EQUAL(command.err, "");
    command_close(&command);
}

/* nic < mac < board, of stages, too; and what a mac file may not say. */
static void mac_layer(void)
{
    struct command command;
    command_open(&command);
    command_write(&command, "m.mac",
                  "mac = m\n[nic]\nmac_clock = 300 MHz @assumed\n[mac]\nstart = 8 B @assumed\ncable = 7 m @assumed\n"
                  "[stage tx.mac]\nlatency = 77 cycle @assumed\n");
    CU_ASSERT_EQUAL(command_run(&command,
                                "sed '/^nic = /a mac = m.mac' " CONFIG "/boards/u280_100g.board >t.board; "
                                "$R params -b t.board --effective | "
                                "awk '/mac_clock|mac.start|mac.cable |tx.mac.latency/ {print $1, $3, $(NF - 1)}'"),
                    0);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "mac.start 8 mac\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "mac.cable 3 board\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "nic.mac_clock 322.265625 board\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "stage.tx.mac.latency 77 mac\n"));
    command_write(&command, "m.mac", "mac = m\n[pcie]\nlanes = 8 @assumed\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R params -b t.board --effective"), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.err, "m.mac:2: section [pcie], a mac file has only [mac], [nic]"));
    command_write(&command, "m.mac", "mac = m\n[stage tx.cac]\nlatency = 77 cycle @assumed\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R params -b t.board --effective"), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.err, "m.mac:2: the nic has no stage tx.cac"));
    command_close(&command);
}

/* Goodput of a full line, of which MAC, markers and FEC leave what the arithmetic says: 1024/1106 and 4096/4178 of the rate. */
static void goodput_of_macs(void)
{
    static const struct {
        const char *command, *begin;
    } row[] = {
        {"$R run -b kcu116_25g --mac xxv_25g --perftest 'write_bw -m 1024 -s 1M -n 300' --json", "23.145"},
        {"$R run -b u280_100g --mac cmac --perftest 'write_bw -m 1024 -s 1M -n 1000' --json", "92.576"},
        {"$R run -b u280_100g --mac cmac -s mac.fec=rs528 --perftest 'write_bw -m 4096 -s 1M -n 1000' --json", "98.0"},
        {"$R run -b u280_100g --mac cmac -s mac.marker_room=deleted --perftest 'write_bw -m 1024 -s 1M -n 1000' --json",
         "92.582"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct command command;
        char begin[64];
        command_open(&command);
        CU_ASSERT_EQUAL(command_run(&command, row[i].command), 0);
        snprintf(begin, sizeof begin, "\"goodput_gbps\": %s", row[i].begin);
        CU_ASSERT_PTR_NOT_NULL(strstr(command.out, begin));
        command_close(&command);
    }
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
    CU_add_test(suite, "every mac file", every_mac);
    CU_add_test(suite, "a mac's layer", mac_layer);
    CU_add_test(suite, "goodput of macs", goodput_of_macs);
    CU_add_test(suite, "an endpoint's layer", endpoint_layer);
    CU_add_test(suite, "every board", every_board);
}
