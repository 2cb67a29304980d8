/* What a run leaves: every file, the same bytes for the same seed, sums that are exact, charts that draw themselves. */
#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <jansson.h>

#include "tests/bench/command.h"

void suite_bench_results_slow(void);

#define LATENCY COMMAND_SAMPLES "write_lat_2B.wqe"
#define BANDWIDTH COMMAND_SAMPLES "write_bw_4K_4qp.wqe"

static const char *const files[] = {
    "summary.json",       "latency.csv",      "stages.csv",         "stalls.csv",
    "fifos.csv",          "qps.csv",          "pcie.csv",           "ports.csv",
    "events.csv",         "latency_cdf.dat",  "latency_cdf.gp",     "latency_cdf.svg",
    "latency_ccdf.dat",   "latency_ccdf.gp",  "latency_ccdf.svg",   "waterfall.dat",
    "waterfall.gp",       "waterfall.svg",    "fifo_occupancy.dat", "fifo_occupancy.gp",
    "fifo_occupancy.svg", "fifo_fullest.dat", "fifo_fullest.gp",    "fifo_fullest.svg",
    "fifo_around.dat",    "fifo_around.gp",   "fifo_around.svg",    "report.html",
    "requests.dat",       "requests.gp",      "requests.svg",       "pcie_kinds.dat",
    "pcie_kinds.gp",      "pcie_kinds.svg",
};

static void test_files(void)
{
    struct command command;
    char name[64];
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o r " BANDWIDTH), 0);
    CU_ASSERT_STRING_EQUAL(command.err, "");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(name, sizeof name, "r/%s", files[i]);
        CU_ASSERT(command_has(&command, name));
    }
    CU_ASSERT_EQUAL(command_run(&command, "ls -A r | wc -l"), 0);
    CU_ASSERT_EQUAL(atoi(command.out), (int)(sizeof files / sizeof *files));
    /* The report fits a terminal. */
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g " BANDWIDTH " | awk 'length > 100' | wc -l"), 0);
    CU_ASSERT_EQUAL(atoi(command.out), 0);
    command_close(&command);
}

static void test_same_bytes(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "for d in a b; do $R run -b u280_100g -o $d --quiet " BANDWIDTH "; done"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "diff -r -I wall_time_s -I packets_per_wall_s -I realtime_factor a b"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o c --quiet --horizon-off " BANDWIDTH), 0);
    CU_ASSERT_EQUAL(command_run(&command, "diff -r -I wall_time_s -I packets_per_wall_s -I realtime_factor a c"), 0);
    command_close(&command);
}

/* --force leaves nothing of the run before, whatever that one wrote. */
static void test_force(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o plain --quiet " LATENCY " && ls -A plain >plain.ls"),
                    0);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o r --quiet --loads 10,50 --gen '--qps 1 --size 1024 "
                                          "--opcode write --requests 2000 --arrival poisson'"),
                    0);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o r --quiet --force --perftest 'write_bw -a -n 200'"),
                    0);
    CU_ASSERT_EQUAL(command_run(&command, "ls r | grep load"), 1);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o r --quiet --force --perftest 'write_lat -a -n 200'"),
                    0);
    CU_ASSERT_EQUAL(command_run(&command, "$R size -b u280_100g -o r --quiet --force " LATENCY), 0);
    CU_ASSERT_EQUAL(command_run(&command, "ls r"), 0);
    CU_ASSERT_STRING_EQUAL(command.out, "depths.h\ndepths.svh\nsize.csv\nsize.json\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o r --quiet --force " LATENCY), 0);
    CU_ASSERT_EQUAL(command_run(&command, "ls -A r | diff - plain.ls"), 0);
    command_close(&command);
}

/* pcie.csv counts the TLPs that the rules give. A WRITE of 512 bytes from 0x103c to 0x203c, MPS 256, MRRS 512, RCB 64: read in one
 * request, answered in 196 + 256 + 60 or in 9 pieces; written in 2 pieces or in 3; each payload in whole double words. */
static void test_tlps(void)
{
    static const struct {
        const char *set, *read, *written;
    } row[] = {{"", "3,512,572,60", "2,512,560,48"},
               {"-s pcie.completions=rcb", "9,512,692,180", "2,512,560,48"},
               {"-s pcie.writes=aligned", "3,512,572,60", "3,512,584,72"}};
    struct command command;
    command_open(&command);
    command_write(&command, "t.wqe",
                  "#rnicsim-trace version=1\n"
                  "#qp host=0 qpn=2 type=RC peer_host=1 peer_qpn=1 sq_depth=2\n"
                  "#qp host=1 qpn=1 type=RC peer_host=0 peer_qpn=2\n"
                  "t_ps,host,thread,event,qpn,cqn,db_id,wr_id,opcode,flags,len,inline,nsge,laddr,lkey,raddr,rkey,imm,"
                  "cmp,swap,dep\n"
                  "0,0,0,SEND,2,1,1,0,WRITE,SIGNALED,512,0,1,0x103c,2,0x203c,1,0,0,0,\n");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CU_ASSERT_EQUAL(
            command_run(&command,
                        "$R run -b u280_100g --quiet --no-charts --force -o r %s t.wqe && "
                        "grep -q '^a,up,payload read,1,0,24,24,' r/pcie.csv && "
                        "grep -q '^a,down,payload read,%s,' r/pcie.csv && grep -q '^b,up,payload write,%s,' r/pcie.csv",
                        row[i].set, row[i].read, row[i].written),
            0);
        CU_ASSERT_STRING_EQUAL(command.err, "");
    }
    command_close(&command);
}

/* Around its high water the fullest FIFO rises to it at that instant, not before, and never above. */
static void test_around(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o r --quiet " BANDWIDTH), 0);
    CU_ASSERT_EQUAL(
        command_run(&command,
                    "awk -F' = ' '/^fifo_high_water/ {print $2}' r/fifo_around.gp >high; "
                    "awk '/^[-0-9]/ && $2 > m {m = $2; at = $1} END {print m}' r/fifo_around.dat | diff - high && "
                    "awk '/^[-0-9]/ && $2 > m {m = $2; at = $1} END {print at}' r/fifo_around.dat"),
        0);
    CU_ASSERT_STRING_EQUAL(command.out, "0.000000\n");
    command_close(&command);
}

static void test_charts(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o r --quiet " LATENCY), 0);
    /* a curve begins at the exact minimum and ends at the exact maximum, as the table tells them */
    CU_ASSERT_EQUAL(command_run(&command,
                                "awk '/^[0-9]/ {if (!n++) print $1} /^$/ && last != \"\" {print last; exit} "
                                "{last = $1}' r/latency_cdf.dat >curve; awk -F, '$2 == \"completion\" {print $5; "
                                "print $6}' r/latency.csv >table; diff curve table"),
                    0);
    CU_ASSERT_EQUAL(command_run(&command, "cp -r r kept; cd r; rm *.svg; for f in *.gp; do gnuplot $f; done"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "diff -r kept r"), 0);
    /* Without gnuplot: one warning, and what it would draw from. */
    CU_ASSERT_EQUAL(command_run(&command, "PATH=/nowhere $R run -b u280_100g -o s --quiet " LATENCY), 0);
    CU_ASSERT_EQUAL(command_lines(command.err), 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.err, "warning: gnuplot"));
    CU_ASSERT(command_has(&command, "s/waterfall.gp"));
    CU_ASSERT(command_has(&command, "s/summary.json"));
    CU_ASSERT(!command_has(&command, "s/waterfall.svg"));
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o n --quiet --no-charts " LATENCY), 0);
    CU_ASSERT(command_has(&command, "n/stages.csv"));
    CU_ASSERT(!command_has(&command, "n/waterfall.gp"));
    command_close(&command);
}

static void test_summary(void)
{
    static const char *const keys[] = {"schema",
                                       "version",
                                       "status",
                                       "board",
                                       "host",
                                       "params_changed",
                                       "trace_digest",
                                       "seed",
                                       "sim_time_ns",
                                       "wall_time_s",
                                       "requests",
                                       "completions",
                                       "errors",
                                       "latency_ns",
                                       "delivery_ns",
                                       "jitter_ns",
                                       "goodput_gbps",
                                       "wire_gbps",
                                       "message_rate_mps",
                                       "packets_per_wall_s",
                                       "realtime_factor",
                                       "drops",
                                       "retransmits",
                                       "bottleneck",
                                       "next_bottleneck",
                                       "fifos"};
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(
        command_run(&command, "$R run -b u280_100g -s nic.context_loop='12 cycle' --seed 5 --json " LATENCY), 0);
    json_t *summary = json_loads(command.out, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(summary);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        CU_ASSERT_PTR_NOT_NULL(json_object_get(summary, keys[i]));
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(summary, "status")), "complete");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(summary, "seed")), 5);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(summary, "completions")), 2000);
    json_t *changed = json_object_get(summary, "params_changed");
    CU_ASSERT_EQUAL(json_object_size(changed), 1);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(changed, "nic.context_loop")), "12 cycle");
    json_t *latency = json_object_get(summary, "latency_ns");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(latency, "n")), 2000);
    CU_ASSERT(json_is_real(json_object_get(latency, "p99")));
    CU_ASSERT(json_is_null(json_object_get(latency, "p99.9"))); /* 2,000 samples are too few */
    CU_ASSERT(json_is_null(json_object_get(json_object_get(summary, "jitter_ns"), "pdv")));
    json_decref(summary);
    command_close(&command);
}

/* The rows of stages.csv sum to its last row in whole ps; each stage of stalls.csv sums to the same time. */
static void test_sums(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o r --quiet --no-charts " BANDWIDTH), 0);
    CU_ASSERT_EQUAL(command_run(&command, "awk -F, '/^\"/ {s += $NF} /^sum/ {exit !(s > 0 && s == $NF)}' r/stages.csv"),
                    0);
    CU_ASSERT_EQUAL(command_run(&command,
                                "awk -F, '!/^#/ && $6 != \"time_ps\" {t[$1 $2 $3] += $6} END {for (k in t) {n++; "
                                "if (first == \"\") first = t[k]; if (t[k] != first) bad++}; exit !(n > 20 && "
                                "first > 0 && bad == 0)}' r/stalls.csv"),
                    0);
    command_close(&command);
}

/* What was left over is told, not an error. */
static void test_partial(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "sed 's/,cqe:40&mem:40$/,cqe:4000/' " LATENCY
                                          " >t.wqe; $R run -b u280_100g -o r --no-charts t.wqe"),
                    0);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "status partial"));
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "waits for cqe:4000 (there were 40)"));
    CU_ASSERT_EQUAL(
        command_run(&command, "grep -q '\"status\": \"partial\"' r/summary.json && grep -q stuck r/events.csv"), 0);
    command_close(&command);
}

/* What takes time and ends with nothing counts as well; scripts are warned; drops are told by place. */
static void test_partial_counts(void)
{
    struct command command;
    command_open(&command);
    /* Long frames run dry at the sender's MAC; the short one after them comes out of sequence. */
    command_write(&command, "t.wqe",
                  "#rnicsim-trace version=1\n#qp host=0 qpn=2 type=RC peer_host=1 peer_qpn=1\n"
                  "#qp host=1 qpn=1 type=RC peer_host=0 peer_qpn=2\n"
                  "t_ps,host,thread,event,qpn,cqn,db_id,wr_id,opcode,flags,len,inline,nsge,laddr,lkey,raddr,"
                  "rkey,imm,cmp,swap,dep\n"
                  "0,0,0,SEND,2,1,1,0,WRITE,SIGNALED,8192,0,1,0x1000,2,0x2000,1,0,0,0,\n"
                  "0,0,0,SEND,2,1,2,0,WRITE,SIGNALED,8,0,1,0x1000,2,0x2000,1,0,0,0,\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o r --no-charts --json -s 'nic.user_clock=170 MHz' "
                                          "-s stage.tx.mac.flow=cut -s transport.recovery=none t.wqe"),
                    0);
    CU_ASSERT_EQUAL(command_lines(command.err), 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.err, "rnicsim: warning: status partial: 0 of "));
    CU_ASSERT_PTR_NOT_NULL(strstr(command.err, "(not acknowledged from PSN 0 on, the next one is 3"));
    json_t *summary = json_loads(command.out, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(summary);
    CU_ASSERT(json_number_value(json_object_get(summary, "sim_time_ns")) > 1000);
    CU_ASSERT(json_number_value(json_object_get(summary, "wire_gbps")) > 1);
    json_t *drops = json_object_get(summary, "drops");
    CU_ASSERT(json_integer_value(json_object_get(drops, "tx underrun")) > 0);
    CU_ASSERT(json_integer_value(json_object_get(drops, "out of sequence")) > 0);
    json_decref(summary);
    CU_ASSERT_EQUAL(command_run(&command, "grep -q 'drop,,,,.* frames: tx underrun' r/events.csv"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "awk -F, '$1 == \"a\" && $3 == \"scheduler\" {t += $6} "
                                          "END {exit !(t > 1000000)}' r/stalls.csv"),
                    0);
    command_close(&command);
}

/* A read whose completion never comes: its tag is lost, its packet is dropped for that, and both are told. */
static void test_reads_that_fail(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g --no-charts --json -s 'pcie.completion_timeout=50 us' "
                                          "-s 'pcie.lost_completions=2000 ppm' --perftest 'write_bw -s 65536 -n 500'"),
                    0);
    json_t *summary = json_loads(command.out, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(summary);
    json_t *drops = json_object_get(summary, "drops");
    CU_ASSERT(json_integer_value(json_object_get(drops, "payload not read")) > 0);
    CU_ASSERT_PTR_NULL(json_object_get(drops, "tx underrun"));
    CU_ASSERT(json_integer_value(json_object_get(summary, "pcie_reads_timed_out")) > 0);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(summary, "pcie_tags_quarantined")),
                    json_integer_value(json_object_get(summary, "pcie_reads_timed_out")));
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(summary, "pcie_reads_refused")), 0);
    json_decref(summary);
    command_close(&command);
}

/* Each QP's part: alike by turns; by weights as the weights are, while all have something to send. */
static void test_fairness(void)
{
    static const struct {
        const char *options;
        double least_jain, most_jain, ratio;
    } row[] = {{"", 0.999, 1.0001, 1},
               {"-s nic.scheduler=wrr", 0.97, 0.985, 1.333}}; /* QP 2 ends at 3/4 of the time in which QP 1 does */
    struct command command;
    command_open(&command);
    for (int i = 0; i < 2; i++) {
        char line[300];
        snprintf(line, sizeof line,
                 "$R run -b u280_100g --no-charts --json -o r --force %s --gen '--qps 2 --size 65536 --requests 2000 "
                 "--opcode write --weight 1,2'",
                 row[i].options);
        CU_ASSERT_EQUAL(command_run(&command, line), 0);
        json_t *summary = json_loads(command.out, 0, NULL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(summary);
        const json_t *fairness = json_object_get(summary, "fairness");
        double jain = json_number_value(json_object_get(fairness, "jain"));
        double least = json_number_value(json_object_get(fairness, "least_gbps"));
        double most = json_number_value(json_object_get(fairness, "most_gbps"));
        CU_ASSERT_EQUAL(json_integer_value(json_object_get(fairness, "qps")), 2);
        CU_ASSERT(jain >= row[i].least_jain && jain <= row[i].most_jain);
        CU_ASSERT_DOUBLE_EQUAL(jain, (least + most) * (least + most) / 2 / (least * least + most * most), 1e-3);
        CU_ASSERT_DOUBLE_EQUAL(most / least, row[i].ratio, 0.03);
        json_decref(summary);
        CU_ASSERT_EQUAL(command_run(&command, "[ $(grep -c '^0,[12],1000,65536000,' r/qps.csv) = 2 ]"), 0);
    }
    command_close(&command);
}

/* A gnuplot that never ends holds a run where its files are half written. */
#define SLOW_GNUPLOT                                                                                            \
    "mkdir bin; printf '#!/bin/sh\\necho $$ >../../pid; exec sleep 20\\n' >bin/gnuplot; chmod +x bin/gnuplot; " \
    "PATH=$PWD/bin:$PATH; "
#define UNTIL(condition) "n=0; until " condition " || [ $n = 200 ]; do sleep 0.05; n=$((n + 1)); done; "
#define BEGIN_RUN "$R run -b u280_100g -o r --quiet " LATENCY " & run=$!; " UNTIL("[ -s pid ]")

static void test_signals(void)
{
    static const char *const signals[] = {"TERM", "INT", "HUP"};
    struct command command;
    for (int i = 0; i < 3; i++) {
        command_open(&command);
        /* a shell lets its background children ignore SIGINT, and nohup all of them SIGHUP: env gives both back */
        CU_ASSERT_EQUAL(command_run(&command,
                                    SLOW_GNUPLOT "env --default-signal=INT,HUP " BEGIN_RUN
                                                 "sleep 0.1; kill -%s $run; wait $run; echo $?; ls -A r",
                                    signals[i]),
                        2); /* of ls: there is no such folder */
        CU_ASSERT(atoi(command.out) > 128);
        command_close(&command);
    }
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command,
                                "mkfifo in; mkdir out; $R trace convert in out/cc.bin & run=$!; exec 3>in; cat " LATENCY
                                " >&3; " UNTIL("[ \"$(ls out)\" ]") "kill -TERM $run; wait $run; [ $? = 143 ] && "
                                                                    "rmdir out"),
                    0);
    command_close(&command);
}

/* One run at a time; and what a killed one has left is gone after the next. */
static void test_one_at_a_time(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "(" SLOW_GNUPLOT BEGIN_RUN "$R run -b u280_100g -o r --quiet --force " LATENCY
                                          "; echo $?; kill -KILL $run $(cat pid); wait $run)"),
                    137);
    CU_ASSERT_EQUAL(atoi(command.out), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.err, "another run is writing into it"));
    CU_ASSERT(command_has(&command, "r/.rnicsim.tmp/latency_cdf.gp"));
    CU_ASSERT_EQUAL(
        command_run(&command, "mkdir r/.rnicsim.17.tmp; $R run -b u280_100g -o r --quiet --no-charts " LATENCY), 0);
    CU_ASSERT(command_has(&command, "r/summary.json"));
    CU_ASSERT(!command_has(&command, "r/.rnicsim.tmp"));
    CU_ASSERT(!command_has(&command, "r/.rnicsim.17.tmp"));
    command_close(&command);
}

void suite_bench_results_slow(void)
{
    CU_pSuite suite = CU_add_suite("bench/results", NULL, NULL);
    CU_add_test(suite, "nothing left behind by --force", test_force);
    CU_add_test(suite, "TLPs of a read and a write", test_tlps);
    CU_add_test(suite, "all files", test_files);
    CU_add_test(suite, "same seed, same bytes", test_same_bytes);
    CU_add_test(suite, "around the high water", test_around);
    CU_add_test(suite, "charts", test_charts);
    CU_add_test(suite, "summary.json", test_summary);
    CU_add_test(suite, "sums are exact", test_sums);
    CU_add_test(suite, "partial", test_partial);
    CU_add_test(suite, "partial: times, drops, a warning", test_partial_counts);
    CU_add_test(suite, "reads that fail", test_reads_that_fail);
    CU_add_test(suite, "parts of the QPs", test_fairness);
    CU_add_test(suite, "a signal leaves nothing", test_signals);
    CU_add_test(suite, "one run at a time", test_one_at_a_time);
}
