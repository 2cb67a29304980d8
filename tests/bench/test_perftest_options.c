/* perftest's options: what they are without being given, what they lead to, and what is refused, alone or together. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "bench/perftest/options.h"

void suite_bench_perftest_options(void);

static void defaults(void)
{
    struct perftest_options o;
    struct rnicsim_error error;
    CU_ASSERT_EQUAL(perftest_parse("write_bw", &o, &error), 0);
    CU_ASSERT(o.size_bytes == 65536 && o.iters == 5000 && o.tx_depth == 128 && o.cq_mod == 1 && o.inline_bytes == 0);
    CU_ASSERT_EQUAL(perftest_parse("write_bw -s 8192 -n 64", &o, &error), 0);
    CU_ASSERT(o.tx_depth == 64 && o.cq_mod == 64);
    CU_ASSERT_EQUAL(perftest_parse("write_bw -a", &o, &error), 0);
    CU_ASSERT(o.cq_mod == 100 && perftest_size_bytes(&o, 0) == 2 && perftest_size_bytes(&o, 22) == 8388608);
    CU_ASSERT_EQUAL(perftest_size_bytes(&o, 23), 0);
    CU_ASSERT_EQUAL(perftest_parse("ib_send_lat", &o, &error), 0);
    CU_ASSERT(o.size_bytes == 2 && o.iters == 1000 && o.tx_depth == 1 && o.rx_depth == 512 && o.inline_bytes == 236);
    CU_ASSERT_EQUAL(perftest_parse("send_bw -s 1M -r 7 -n 5000", &o, &error), 0);
    CU_ASSERT(o.size_bytes == 1048576 && o.rx_depth == 8);
    CU_ASSERT_EQUAL(perftest_parse("write_bw -n 20001", &o, &error), 0);
    CU_ASSERT(o.no_peak);
    CU_ASSERT_EQUAL(perftest_parse("write_lat -d mlx5_0 -i 1 -x 3 -F -R -u 14 --ib-dev=a --size=8", &o, &error), 0);
    CU_ASSERT(o.size_bytes == 8 && o.inline_bytes == 220);
    CU_ASSERT_EQUAL(perftest_parse("ib_read_lat", &o, &error), 0);
    CU_ASSERT(o.verb == PERFTEST_READ && o.size_bytes == 2 && o.iters == 1000 && o.outs == 16 && o.inline_bytes == 0);
    CU_ASSERT_EQUAL(perftest_parse("atomic_bw -A CMP_AND_SWAP -o 4", &o, &error), 0);
    CU_ASSERT(o.verb == PERFTEST_ATOMIC && o.size_bytes == 8 && o.iters == 1000 && o.outs == 4 && o.compares);
}

static void refused(void)
{
    static const char *const line[][2] = {
        {"", "no tool"},
        {"write", "no tool"},
        {"raw_ethernet_lat", "no tool, allowed are write_lat"},
        {"read_lat -I 8", "not for read"},
        {"read_bw -o 17", "allowed are 1 to 16"},
        {"write_bw -o 1", "read and atomic tests only"},
        {"read_lat -A FETCH_AND_ADD", "atomic tests only"},
        {"atomic_lat -A ADD", "allowed are FETCH_AND_ADD"},
        {"atomic_bw -s 16", "atomics have 8 bytes"},
        {"atomic_bw -a", "atomics have 8 bytes"},
        {"write_lat --frob", "no option of perftest"},
        {"write_lat -k", "no option of perftest"},
        {"write_lat -s", "needs a value"},
        {"write_lat -s 0", "allowed are 1 to"},
        {"write_lat -s 2049M", "allowed are 1 to 2048"},
        {"write_lat -n 4", "allowed are 5 to"},
        {"write_lat -q 2", "bandwidth tests only"},
        {"write_lat -b", "bandwidth tests only"},
        {"write_lat -l 2", "bandwidth tests only"},
        {"write_bw -H", "latency tests only"},
        {"write_bw -r 2", "send tests only"},
        {"read_lat --use-srq", "send tests only"},
        {"send_bw --use-srq -q 9 -r 8", "at least a buffer a QP"},
        {"write_bw -c UD", "-c UD is for send tests only"},
        {"read_lat -c UC", "-c UC is not for read and atomic tests"},
        {"write_bw -c DC", "allowed are RC, UC, UD and XRC"},
        {"write_bw -m 1500", "-m 1500"},
        {"write_bw -I 913", "allowed are 0 to 912"},
        {"write_bw -l 16 -n 1000", "no multiple"},
        {"write_bw -l 16 -Q 5 -n 1600", "no multiple"},
        {"write_bw -l 129 -n 1290", "more than the send queue"},
        {"write_bw -D 4 -f 2", "twice the margin"},
        {"write_bw -D 5 -a", "does not go with"},
        {"write_bw -D 5 -n 100", "either"},
        {"write_bw -f 1", "there is no -D"},
        {"write_bw --rate_limit=5", "not modelled"},
        {"send_bw -e", "not modelled"},
        {"write_bw 192.168.0.1", "no server is named"},
        {"write_bw -q 16384 -n 20000", "samples"},
    };
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        struct perftest_options o;
        struct rnicsim_error error = {""};
        CU_ASSERT_EQUAL(perftest_parse(line[i][0], &o, &error), -1);
        if (strstr(error.text, line[i][1]) == NULL)
            printf("\n    \"%s\": %s", line[i][0], error.text);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, line[i][1]));
    }
}

void suite_bench_perftest_options(void)
{
    CU_pSuite suite = CU_add_suite("bench/perftest/options", NULL, NULL);
    CU_add_test(suite, "defaults", defaults);
    CU_add_test(suite, "refused", refused);
}
