/* run --pcap: what it writes, before our own check, tshark, and as a trace again. */
#include <CUnit/CUnit.h>
#include <jansson.h>

#include "tests/bench/command.h"
#include "tests/transport/tshark.h"

void suite_bench_pcap(void);

/* The packets that the summary counts. */
static int packets(const char *text)
{
    json_t *summary = json_loads(text, 0, NULL);
    json_int_t data = json_integer_value(json_object_get(summary, "data_packets"));
    json_int_t acks = json_integer_value(json_object_get(summary, "ack_packets"));
    json_decref(summary);
    return (int)(data + acks);
}

/* Every operation: no complaint of ours, none of tshark's, and as many frames as were counted. */
static void every_operation(void)
{
    static const char all[] = "--gen '--qps 3 --size 1-9000 --requests 200 --opcode "
                              "write:1,write_imm:1,send:1,send_imm:1,read:1,cmp_swap:1,fetch_add:1'";
    static const char clean[] = "PSN gaps 0 of 0 packets, 0 came later; duplicates 0; sent again 0; incomplete 0";
    static const char *const workloads[] = {"--perftest 'write_bw -s 10001 -n 50'",
                                            "--perftest 'send_lat -s 3 -n 50'",
                                            "--perftest 'read_bw -s 5000 -n 50 -m 1024'",
                                            "--perftest 'write_bw -c UC -s 10001 -n 50'",
                                            "--perftest 'send_bw -c UC -s 3 -n 50'",
                                            "--perftest 'send_bw -c UD -s 1001 -n 50'",
                                            "--perftest 'send_bw -c XRC -s 10001 -n 50'",
                                            "--perftest 'read_lat -c XRC -s 5000 -n 50'",
                                            all};
    struct command command;
    command_open(&command);
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
        CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --json --pcap x.pcap %s", workloads[i]), 0);
        char counted[64];
        snprintf(counted, sizeof counted, "%d packets in ", packets(command.out));
        CU_ASSERT_EQUAL(command_run(&command, "$R trace check x.pcap"), 0);
        CU_ASSERT(strncmp(command.out, counted, strlen(counted)) == 0);
        CU_ASSERT(command_holds(command.out, "x.pcap: no fault"));
        int is_ud = strstr(workloads[i], "UD") != NULL;
        CU_ASSERT(command_holds(command.out, is_ud ? "50 packets of UD: not looked into" : clean));
        CU_ASSERT_EQUAL(
            command_run(
                &command,
                TSHARK "-r x.pcap -Y '_ws.malformed || _ws.expert.severity >= \"Warning\" || ip.checksum.status != 1'"),
            0);
        CU_ASSERT_STRING_EQUAL(command.out, "");
    }
    command_close(&command);
}

/* One of either side has all that this NIC sends and gets: what was lost is missing at the other, what was damaged has a bad ICRC there. */
static void faults_and_sides(void)
{
    static const char run[] =
        "$R run -b u280_100g --quiet --perftest 'write_bw -s 65536 -n 100' --pcap x.pcap --faults "
        "'drop data 100; corrupt data 500; duplicate data 900; drop ack 50'";
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "%s", run), 0);
    CU_ASSERT_EQUAL(command_run(&command, "$R trace check x.pcap"), 0);
    CU_ASSERT(command_holds(command.out, "PSN gaps 0 of 0 packets"));
    CU_ASSERT(command_holds(command.out, "2 NAKs (sequence)"));
    CU_ASSERT(command_holds(command.out, "100 requests"));
    CU_ASSERT(strstr(command.out, "sent again 0") == NULL);
    CU_ASSERT_EQUAL(command_run(&command, "%s --pcap-side a", run), 0);
    CU_ASSERT_EQUAL(command_run(&command, "$R trace check x.pcap"), 0);
    CU_ASSERT(command_holds(command.out, "PSN gaps 0 of 0 packets"));
    CU_ASSERT_EQUAL(command_run(&command, "%s --pcap-side b", run), 0);
    CU_ASSERT_EQUAL(command_run(&command, "$R trace check x.pcap"), 2);
    CU_ASSERT(command_holds(command.out, ": bad ICRC"));
    CU_ASSERT(command_holds(command.out, "PSN gaps 1 of 1 packets, 1 came later; duplicates 1"));
    command_close(&command);
}

static double mean_of(const char *text)
{
    const char *at = strstr(text, "mean ");
    return at != NULL ? strtod(at + 5, NULL) : -1;
}

/* The round trip of each ACK is what the stamps say: from the first byte of the request on the line to that of the ACK, four rows of the waterfall. */
static void round_trips(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --quiet --no-charts --perftest 'write_lat -s 64 -n 100' "
                                          "--pcap x.pcap -o out"),
                    0);
    CU_ASSERT_EQUAL(
        command_run(
            &command,
            "awk -F, 'NF > 6 && ($(NF-4) == \"received\" || $(NF-4) == \"judged\" || $(NF-4) == \"responded\" || "
            "$(NF-4) == \"ack wire\") {rows++; sum += $(NF-2)} END {print rows, sum}' out/stages.csv"),
        0);
    CU_ASSERT(strncmp(command.out, "4 ", 2) == 0);
    double due_ns = strtod(command.out + 2, NULL);
    CU_ASSERT_EQUAL(command_run(&command, "$R trace check x.pcap"), 0);
    double mean_ns = mean_of(command.out);
    if (mean_ns < due_ns - 1 || mean_ns > due_ns + 1)
        printf("\nround trip %.1f ns, by the stamps %.1f ns\n", mean_ns, due_ns);
    CU_ASSERT(due_ns > 0 && mean_ns > due_ns - 1 && mean_ns < due_ns + 1); /* times of a capture are rounded */
    command_close(&command);
}

/* A trace, run, captured and imported, asks for the same again: opcodes, lengths, addresses, keys, immediates in the same order. */
static void closed_loop(void)
{
    static const char cut_out[] = "awk -F, '$4 == \"SEND\" {print $9, $11, $16, $17, $18}'";
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(
        command_run(&command,
                    "$R trace gen --qps 1 --size 0-20000 --requests 300 --arrival poisson --rate '50 kHz' --opcode "
                    "write:1,write_imm:1,send:1,send_imm:1,read:1,cmp_swap:1,fetch_add:1 -o in.wqe"),
        0);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --quiet in.wqe --pcap x.pcap"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "$R trace import-pcap x.pcap -o back.wqe && $R trace check back.wqe"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "%s in.wqe >a; %s back.wqe | diff a - && wc -l <a", cut_out, cut_out), 0);
    CU_ASSERT_STRING_EQUAL(command.out, "300\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --json back.wqe"), 0);
    CU_ASSERT(command_holds(command.out, "\"status\": \"complete\""));
    command_close(&command);
}

static void mistakes(void)
{
    static const char *const row[][2] = {
        {"--pcap-side c", "--pcap-side: \"c\"; allowed are line, a and b"},
        {"--pcap /no/such/x.pcap", "/no/such/x.pcap: cannot be written"},
        {"--pcap x.pcap -s nic.nothing=1", "nic.nothing"},
    };
    struct command command;
    command_open(&command);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --perftest 'write_lat -n 5' %s", row[i][0]), 2);
        CU_ASSERT(command_holds(command.err, row[i][1]));
        CU_ASSERT_EQUAL(command_lines(command.err), 1);
        CU_ASSERT(!command_has(&command, "x.pcap"));
    }
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --perftest 'write_lat -a -n 5' --pcap x.pcap"), 2);
    CU_ASSERT(command_holds(command.err, "--pcap: one run is captured"));
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --perftest 'write_bw -n 2000' --pcap /dev/full"), 2);
    CU_ASSERT(command_holds(command.err, "/dev/full: cannot be written"));
    command_close(&command);
}

void suite_bench_pcap(void)
{
    CU_pSuite suite = CU_add_suite("bench/pcap: the frames of a run", NULL, NULL);
    CU_add_test(suite, "every operation, before tshark", every_operation);
    CU_add_test(suite, "faults, and either side", faults_and_sides);
    CU_add_test(suite, "round trips are those of the stamps", round_trips);
    CU_add_test(suite, "captured, imported: the same requests", closed_loop);
    CU_add_test(suite, "mistakes", mistakes);
}
