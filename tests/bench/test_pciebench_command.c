/* rnicsim pciebench as a user would call it: answers, mistakes, and a host that is fitted and predicts the rest. */
#include <CUnit/CUnit.h>
#include <jansson.h>
#include <math.h>

#include "tests/bench/command.h"

static double number_of(struct command *command, const char *host, const char *options, const char *key)
{
    char line[600];
    snprintf(line, sizeof line, "$R pciebench --host %s --json %s", host, options);
    CU_ASSERT_EQUAL(command_run(command, "%s", line), 0);
    json_t *object = json_loads(command->out, 0, NULL);
    double number = json_number_value(json_object_get(object, key));
    json_decref(object);
    return number;
}

static void answers(void)
{
    struct command command;
    command_open(&command);
    double median = number_of(&command, "hsw_e5_2620v3", "--test lat_rd --size 64", "median_ns");
    CU_ASSERT_DOUBLE_EQUAL(median, 547, 7);
    CU_ASSERT(number_of(&command, "hsw_e5_2620v3", "--test lat_rd --size 64", "p99_ns") >= median);
    CU_ASSERT(number_of(&command, "hsw_e5_2620v3", "--test lat_rd --size 64", "p99.9_ns") >= median);
    CU_ASSERT_DOUBLE_EQUAL(
        number_of(&command, "hsw_e5_2620v3", "--test LAT_DMA_RD --size 64 --cache cold", "median_ns"), 600, 14);
    CU_ASSERT(number_of(&command, "hsw_e5_2620v3", "--test lat_rd --size 64 --offset 1", "median_ns") > median);
    CU_ASSERT_EQUAL(command_run(&command, "$R pciebench --host hsw_e5_2620v3 --test bw_rd --size 64,512 --json"), 0);
    json_t *all = json_loads(command.out, 0, NULL);
    CU_ASSERT_EQUAL(json_array_size(all), 2);
    CU_ASSERT(json_is_number(json_object_get(json_array_get(all, 1), "gbps")));
    json_decref(all);
    CU_ASSERT_EQUAL(command_run(&command, "$R pciebench --host hsw_e5_2620v3 --test bw_wr --size 64,512"), 0);
    CU_ASSERT_EQUAL(command_lines(command.out), 4);
    command_close(&command);
}

/* Each page walk costs what it costs with pages of 4 KiB; a window of 64 MiB has 32 pages of 2 MiB, which fit. */
static void huge_pages_matter(void)
{
    struct command command;
    command_open(&command);
    const char *all_miss = "--test bw_rd --size 64 --window '64 MiB' --cache cold";
    double small = number_of(&command, "hsw_e5_2620v3_iommu", all_miss, "gbps");
    double none = number_of(&command, "hsw_e5_2620v3", all_miss, "gbps");
    double huge = number_of(&command, "hsw_e5_2620v3_iommu",
                            "--test bw_rd --size 64 --window '64 MiB' --cache cold -s 'pcie.iommu_page=2 MiB'", "gbps");
    CU_ASSERT(small < 0.4 * none);
    CU_ASSERT_DOUBLE_EQUAL(huge / none, 1, 0.01);
    command_close(&command);
}

/* Slow entries for written lines hold the device's writes back: T = lines * 64 B / time. */
static void write_entries_hold_back(void)
{
    struct command command;
    command_open(&command);
    double gbps = number_of(&command, "hsw_e5_2620v3", "--test bw_wr --size 256 -s pcie.host_write_line=2us", "gbps");
    CU_ASSERT_DOUBLE_EQUAL(gbps, 92 * 64 * 8 / 2000.0, 0.05 * gbps);
    command_close(&command);
}

static void mistakes(void)
{
    static const char *const wrong[] = {
        "--host hsw_e5_2620v3",
        "--host nowhere --test bw_rd --size 64",
        "--host hsw_e5_2620v3 --test bw_cmd --size 64",
        "--host hsw_e5_2620v3 --test bw_rd --size 0",
        "--host hsw_e5_2620v3 --test bw_rd --size 4097",
        "--host hsw_e5_2620v3 --test bw_rd --size 64,,128",
        "--host hsw_e5_2620v3 --test bw_rd --size 4096 --offset 1",
        "--host hsw_e5_2620v3 --test bw_rd --size 64 --window 60",
        "--host hsw_e5_2620v3 --test bw_rd --size 64 --window '2 TiB'",
        "--host hsw_e5_2620v3 --test bw_rd --size 64 --cache hot",
        "--host hsw_e5_2620v3 --test bw_rd --size 64 --samples many",
        "--host hsw_e5_2620v3 --test bw_rd --size 64 -s pcie.iommu=on -s 'pcie.iommu_page=8 KiB'",
        "--host hole.host --test bw_rd --size 64",
        "--fit none.csv"};
    struct command command;
    command_open(&command);
    command_write(&command, "hole.host", "about = \"a\"\nhost = hole\n[pcie]\nmps = 256 B @assumed\n");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CU_ASSERT_EQUAL(command_run(&command, "$R pciebench %s", wrong[i]), 2);
        CU_ASSERT_EQUAL(command_lines(command.err), 1);
        CU_ASSERT_STRING_EQUAL(command.out, "");
    }
    command_close(&command);
}

#define HEADER "Test,SZ,Cache,Med(ns),BW (GB/s)\n"

static void mistakes_in_figures(void)
{
    static const struct {
        const char *csv, *where;
    } wrong[] = {{"", "in.csv:1: "},
                 {"a,b\n", "in.csv:1: "},
                 {HEADER, "in.csv:1: "},
                 {HEADER "LAT_RD,64,HWarm,550\n", "in.csv:2: "},
                 {HEADER "LAT_RD,64,HWarm,550,\nLAT_FOO,64,HWarm,550,\n", "in.csv:3: "},
                 {HEADER "LAT_RD,64,HWarm,fast,\n", "in.csv:2: "},
                 {HEADER "LAT_RD,64,HWarm,-1,\n", "in.csv:2: "},
                 {HEADER "LAT_RD,64,HWarm,,\n", "in.csv:2: "},
                 {HEADER "LAT_RD,9000,HWarm,550,\n", "in.csv:2: "},
                 {HEADER "LAT_RD,64,HWarm,550,\nLAT_RD,64,HWarm,551,\nBW_RD,64,HWarm,,30\n", "in.csv:4: "},
                 {HEADER "LAT_RD,64,HWarm,550,\nLAT_RD,2048,HWarm,1130,\n", "in.csv:3: "},
                 {HEADER "LAT_RD,64,HWarm,550,\nBW_RD,64,HWarm,,0\n", "in.csv:3: "},
                 {"system,test,size_B,p50\na,LAT_RD,64,550\nb,LAT_RD,64,550\n", "in.csv:3: "}};
    struct command command;
    command_open(&command);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        command_write(&command, "in.csv", wrong[i].csv);
        CU_ASSERT_EQUAL(command_run(&command, "$R pciebench --fit in.csv -o out.host"), 2);
        CU_ASSERT_EQUAL(command_lines(command.err), 1);
        CU_ASSERT_PTR_NOT_NULL(strstr(command.err, wrong[i].where));
        CU_ASSERT_STRING_EQUAL(command.out, "");
        CU_ASSERT(!command_has(&command, "out.host") && !command_has(&command, "out.host.part"));
    }
    command_close(&command);
}

struct prediction {
    const char *options, *key;
    double measured, tolerance;
};

static void expect_all(struct command *command, const char *host, const struct prediction *prediction, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double is = number_of(command, host, prediction[i].options, prediction[i].key);
        if (fabs(is / prediction[i].measured - 1) > prediction[i].tolerance)
            printf("    %s %s: %.1f, measured %.1f\n", prediction[i].options, prediction[i].key, is,
                   prediction[i].measured);
        CU_ASSERT_DOUBLE_EQUAL(is / prediction[i].measured, 1, prediction[i].tolerance);
    }
}

/* Two machines of pcie-bench/data @b2abf2f that are not judged: a Haswell E5-2637v3, as pcie-bench's own tools write, and an Ivy Bridge
 * E5-2620v2 that reads the other node's memory. */
static void a_fit_predicts_the_rest(void)
{
    static const struct prediction near[] = {
        {"--test lat_rd --size 8", "median_ns", 586.7, 0.03},
        {"--test lat_rd --size 256", "median_ns", 666.7, 0.03},
        {"--test lat_rd --size 1520", "median_ns", 1040, 0.03},
        {"--test lat_rd --size 64", "p99.9_ns", 626.7, 0.1},
        {"--test lat_rd --size 64 --window '64 MiB' --cache cold", "p99.9_ns", 906.7, 0.1},
        {"--test lat_wrrd --size 64", "median_ns", 800, 0.06},
        {"--test lat_wrrd --size 2048", "median_ns", 1880, 0.06},
        {"--test bw_rd --size 64", "gbps", 28.6, 0.04},
        {"--test bw_rd --size 512", "gbps", 55.1, 0.04},
        {"--test bw_wr --size 256", "gbps", 50.5, 0.04},
        {"--test bw_rdwr --size 1024", "gbps", 43.8, 0.04}};
    static const struct prediction far[] = {{"--test lat_rd --size 512", "median_ns", 826.7, 0.03},
                                            {"--test lat_wrrd --size 64", "median_ns", 786.7, 0.06},
                                            {"--test lat_rd --size 64", "p99.9_ns", 880, 0.1},
                                            {"--test bw_rd --size 64", "gbps", 24.7, 0.04},
                                            {"--test bw_rd --size 256", "gbps", 45.2, 0.04}};
    struct command command;
    command_open(&command);
    command_write(&command, "near.csv",
                  "Test,PAT,Cache,HO,DO,WinSZ,SZ,Med,Min,Avg(ns),Med(ns),Min(ns),Max(ns),95%(ns),99.9%(ns)\n"
                  "LAT_DMA_RD,Seq,HWarm,0,0,8192,64,720,656,598.9,600.0,546.7,8866.7,613.3,626.7\n"
                  "LAT_DMA_RD,Seq,HWarm,0,0,8192,2048,1408,1392,1179.8,1173.3,1160.0,9000,1200.0,1226.7\n"
                  "Test,PAT,Cache,HO,DO,WinSZ,SZ,BW (GB/s)\n"
                  "BW_DMA_WR,Rand,HWarm,0,0,8192,64,24.27\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R pciebench --fit near.csv -o near.host"), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "pcie.mps, pcie.mrrs: no other value"));
    expect_all(&command, "near.host", near, sizeof near / sizeof *near);
    command_write(&command, "far.csv",
                  "test,size_B,window_B,cache,p50,p99.9,payload_Gbps\nLAT_RD,64,8192,hwarm,666.7,880,\n"
                  "LAT_RD,2048,8192,hwarm,1253.3,1466.7,\nBW_WR,1024,8192,hwarm,,,54.4\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R pciebench --fit far.csv >far.host"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "grep -q '^host_remote = ' far.host"), 0);
    expect_all(&command, "far.host", far, sizeof far / sizeof *far);
    command_close(&command);
}

/* What the model itself says of a host gives that host back. */
static void a_fit_finds_the_model_again(void)
{
    struct command command;
    command_open(&command);
    command_write(
        &command, "make.sh",
        "set -e\n"
        "echo test,size_B,p50,gbps\n"
        "for size in 8 64 256 1024 2048; do\n"
        "  $R pciebench --host \"$1\" --test lat_rd --size $size | awk 'END {print \"lat_rd,\" $1 \",\" $3 \",\"}'\n"
        "  $R pciebench --host \"$1\" --test bw_rd --size $size | awk 'END {print \"bw_rd,\" $1 \",,\" $2}'\n"
        "done\n");
    CU_ASSERT_EQUAL(
        command_run(&command, "R=$R bash make.sh bdw_e5_2630v4 >in.csv && $R pciebench --fit in.csv -o a.host"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "grep '^mrrs = 4096 B @calibrated' a.host"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "sed -n 's/^host_read = .* 50:\\([0-9.]*\\) .*/\\1/p' a.host"), 0);
    CU_ASSERT_DOUBLE_EQUAL(atof(command.out), 204.4, 4);
    command_close(&command);
}

void suite_bench_pciebench_command(void);
void suite_bench_pciebench_command(void)
{
    CU_pSuite suite = CU_add_suite("bench/pciebench: command", NULL, NULL);
    CU_add_test(suite, "answers", answers);
    CU_add_test(suite, "huge pages", huge_pages_matter);
    CU_add_test(suite, "write entries", write_entries_hold_back);
    CU_add_test(suite, "mistakes", mistakes);
    CU_add_test(suite, "mistakes in figures", mistakes_in_figures);
    CU_add_test(suite, "a fit predicts the rest", a_fit_predicts_the_rest);
    CU_add_test(suite, "a fit finds the model again", a_fit_finds_the_model_again);
}
