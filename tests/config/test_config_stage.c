/* The stages of a nic file. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "tests/config/test_config_fixture.h"

void suite_config_stage(void);

static struct config *three_stages(void)
{
    struct config_error err;
    struct config *config =
        fixture_load(CONFIG_NIC,
                     "about = demo\n" FIXTURE_STAGE("tx.segment") "holds = \"payload; beats\"\n" FIXTURE_STAGE(
                         "tx.build") "sync = 3 cycles @measured \"sim\"\n[link]\nlanes = 4 @assumed\n[stage rx.parse]\n"
                                     "clock = mac\nwidth = 256 bit @assumed\ninterval = 2 cycle @assumed\nlatency = 1 "
                                     "cycle @assumed\n"
                                     "depth = 8 packets @measured \"lab\"\nflow = cut\n",
                     &err);

    CU_ASSERT_PTR_NOT_NULL_FATAL(config);
    return config;
}

static void order(void)
{
    struct config *config = three_stages();

    CU_ASSERT_EQUAL(config_stage_count(config), 3);
    CU_ASSERT_PTR_NULL(config_stage(config, 3));
    const struct stage_spec *first = config_stage(config, 0);
    const struct stage_spec *second = config_stage(config, 1);
    const struct stage_spec *third = config_stage(config, 2);
    CU_ASSERT_STRING_EQUAL(first->path, "tx");
    CU_ASSERT_STRING_EQUAL(first->name, "segment");
    CU_ASSERT_STRING_EQUAL(first->clock, "core");
    CU_ASSERT_STRING_EQUAL(first->holds, "payload; beats");
    CU_ASSERT_STRING_EQUAL(first->origin, "nic x.nic:2");
    CU_ASSERT_EQUAL(first->width_bits, 512);
    CU_ASSERT_EQUAL(first->depth, 64);
    CU_ASSERT_EQUAL(first->depth_in_beats, 1);
    CU_ASSERT_EQUAL(first->store, 1);
    CU_ASSERT_EQUAL(first->sync_cyc, 2);
    CU_ASSERT_STRING_EQUAL(second->name, "build");
    CU_ASSERT_EQUAL(second->sync_cyc, 3);
    CU_ASSERT_STRING_EQUAL(third->path, "rx");
    CU_ASSERT_EQUAL(third->interval_cyc, 2);
    CU_ASSERT_EQUAL(third->latency_cyc, 1);
    CU_ASSERT_EQUAL(third->depth, 8);
    CU_ASSERT_EQUAL(third->depth_in_beats, 0);
    CU_ASSERT_EQUAL(third->store, 0);
    CU_ASSERT_EQUAL(third->note[STAGE_DEPTH].class, PARAM_CLASS_MEASURED);
    CU_ASSERT_STRING_EQUAL(third->note[STAGE_DEPTH].source, "lab");
    CU_ASSERT_STRING_EQUAL(third->note[STAGE_CLOCK].origin, "nic x.nic:21");
    config_destroy(config);
}

static void override(void)
{
    struct config *config = three_stages();
    struct config_param_info info;
    struct config_error err;

    CU_ASSERT_EQUAL(config_set(config, "stage.tx.segment.latency=12 cycle", &err), 0);
    CU_ASSERT_EQUAL(config_set(config, "stage.rx.parse.depth=128 beats", &err), 0);
    CU_ASSERT_EQUAL(config_stage(config, 0)->latency_cyc, 12);
    CU_ASSERT_EQUAL(config_stage(config, 1)->latency_cyc, 6);
    CU_ASSERT_EQUAL(config_stage(config, 2)->depth_in_beats, 1);
    CU_ASSERT_EQUAL(fixture_info(config, "stage.tx.segment.latency", &info), 0);
    CU_ASSERT_STRING_EQUAL(info.value, "12 cycle");
    CU_ASSERT_STRING_EQUAL(info.origin, "-s");
    CU_ASSERT_STRING_EQUAL(info.class_name, "assumed");
    CU_ASSERT_EQUAL(info.changed, 1);
    CU_ASSERT_EQUAL(fixture_info(config, "stage.rx.parse.depth", &info), 0);
    CU_ASSERT_STRING_EQUAL(info.value, "128 beats");
    CU_ASSERT_EQUAL(fixture_info(config, "stage.tx.build.latency", &info), 0);
    CU_ASSERT_STRING_EQUAL(info.origin, "nic x.nic:14");
    CU_ASSERT_STRING_EQUAL(info.source, "PG203");
    CU_ASSERT_EQUAL(info.changed, 0);
    CU_ASSERT_EQUAL(fixture_info(config, "stage.tx.build.flow", &info), 0);
    CU_ASSERT_STRING_EQUAL(info.value, "store");
    config_destroy(config);
}

static void override_refused(void)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"stage.tx.segment.latency=0 cycle",
         "-s stage.tx.segment.latency=0 cycle: out of range, allowed 1 cycle to 1000000 cycle"},
        {"stage.tx.segmnt.latency=4 cycle", "-s stage.tx.segmnt.latency=4 cycle: unknown key "
                                            "'stage.tx.segmnt.latency', did you mean 'stage.tx.segment.latency'?"},
        {"stage.tx.build.lat=4 cycle", "-s stage.tx.build.lat=4 cycle: unknown key 'stage.tx.build.lat', did you mean "
                                       "'stage.tx.build.latency'?"},
        {"stage.latency=4 cycle",
         "-s stage.latency=4 cycle: unknown key 'stage.latency', did you mean 'stage.tx.build.latency'?"},
    };
    struct config *config = three_stages();

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        fixture_set_refused(config, rows[i].text, rows[i].error);
    CU_ASSERT_EQUAL(config_stage(config, 0)->latency_cyc, 6);
    config_destroy(config);
}

static void refused(void)
{
    fixture_refused(CONFIG_NIC, "[stage tx.a]\ndepth = 0 beats @assumed\n",
                    "x.nic:2: stage.tx.a.depth = 0 beats: out of range, allowed 1 to 1048576");
    fixture_refused(CONFIG_NIC, "[stage tx.a]\ndepth = 64 @assumed\n",
                    "x.nic:2: stage.tx.a.depth = 64: missing unit, write for example '64 beats' or '8 packets'");
    fixture_refused(CONFIG_NIC, "[stage tx.a]\ndepth = 64 bytes @assumed\n",
                    "x.nic:2: stage.tx.a.depth = 64 bytes: unknown unit 'bytes', allowed beats, packets");
    fixture_refused(CONFIG_NIC, "[stage tx.a]\nlatency = 0 cycle @assumed\n",
                    "x.nic:2: stage.tx.a.latency = 0 cycle: out of range, allowed 1 cycle to 1000000 cycle");
    fixture_refused(CONFIG_NIC, "[stage tx.a]\ninterval = 0 cycle @assumed\n",
                    "x.nic:2: stage.tx.a.interval = 0 cycle: out of range, allowed 1 cycle to 1000000 cycle");
    fixture_refused(CONFIG_NIC, "[stage tx.a]\nsync = 4 cycle\n",
                    "x.nic:2: stage.tx.a.sync = 4 cycle: out of range, allowed 2 cycle to 3 cycle");
    fixture_refused(CONFIG_NIC, "[stage tx.a]\nwidth = 64 bit\n",
                    "x.nic:2: stage.tx.a.width: value without class, write @measured, @documented, @assumed or "
                    "@calibrated");
    fixture_refused(CONFIG_NIC, "[stage tx.a]\nflow = through\n",
                    "x.nic:2: stage.tx.a.flow = through: unknown choice, allowed cut, store");
    fixture_refused(CONFIG_NIC, "[stage tx.a]\nholds = beats\n",
                    "x.nic:2: stage.tx.a.holds = beats: text without quotes, write holds = \"...\"");
    fixture_refused(CONFIG_NIC, "[stage tx.a]\nclock = a\nclock = b\n",
                    "x.nic:3: stage.tx.a.clock given twice, first in line 2");
    fixture_refused(CONFIG_NIC, "[stage tx.a]\nwidht = 64 bit @assumed\n",
                    "x.nic:2: unknown key 'widht' of a stage, did you mean 'width'? (allowed clock, width, interval, "
                    "latency, depth, flow, sync, entry, holds)");
}

static void entry(void)
{
    struct config_error err;
    struct config *config = fixture_load(
        CONFIG_NIC, FIXTURE_STAGE("tx.a") "entry = 576 bits @documented \"x\"\n" FIXTURE_STAGE("tx.b"), &err);

    CU_ASSERT_PTR_NOT_NULL_FATAL(config);
    CU_ASSERT_EQUAL(config_stage(config, 0)->entry_bits, 576);
    CU_ASSERT_EQUAL(config_stage(config, 1)->entry_bits, 0);
    CU_ASSERT_EQUAL(config_set(config, "stage.tx.b.entry=80 bit", &err), 0);
    CU_ASSERT_EQUAL(config_stage(config, 1)->entry_bits, 80);
    fixture_set_refused(config, "stage.tx.b.entry=80",
                        "-s stage.tx.b.entry=80: missing unit, write for example '512 bit'");
    config_destroy(config);
    fixture_refused(CONFIG_NIC, "[stage tx.a]\nentry = 80 bit\n",
                    "x.nic:2: stage.tx.a.entry: value without class, write @measured, @documented, @assumed or "
                    "@calibrated");
}

static void ranges(void)
{
    struct config *config = three_stages();
    int64_t least, most;

    CU_ASSERT_EQUAL(config_range(config, "stage.tx.build.depth", &least, &most), 0);
    CU_ASSERT(least == 1 && most == 1048576);
    CU_ASSERT_EQUAL(config_range(config, "link.lanes", &least, &most), 0);
    CU_ASSERT(least == 1 && most == 16);
    CU_ASSERT_EQUAL(config_range(config, "stage.tx.build.clock", &least, &most), -1);
    CU_ASSERT_EQUAL(config_range(config, "stage.tx.nothing.depth", &least, &most), -1);
    config_destroy(config);
}

static void refused_sections(void)
{
    fixture_refused(CONFIG_NIC, "[stage tx.a]\n", "x.nic:1: stage tx.a lacks 'clock'");
    fixture_refused(CONFIG_NIC,
                    FIXTURE_STAGE("tx.a") "[stage tx.b]\nclock = c\nwidth = 8 bit @assumed\n"
                                          "interval = 1 cycle @assumed\ndepth = 1 packet @assumed\nflow = cut\n",
                    "x.nic:8: stage tx.b lacks 'latency'");
    fixture_refused(CONFIG_NIC, FIXTURE_STAGE("tx.a") "[stage tx.a]\n", "x.nic:8: stage tx.a given twice");
    fixture_refused(CONFIG_NIC, "[stage segment]\n",
                    "x.nic:1: bad stage name 'segment', write [stage PATH.NAME], up to 15 and 31 characters");
    fixture_refused(CONFIG_NIC, "[stage tx.]\n",
                    "x.nic:1: bad stage name 'tx.', write [stage PATH.NAME], up to 15 and 31 characters");
    fixture_refused(CONFIG_BOARD, "[stage tx.a]\n",
                    "x.board:1: stages stand only in nic and mac files, this is a board file");
}

/* n stages; the text is the file's. */
static void write_stages(char *text, size_t bytes, int n)
{
    size_t used = 0;

    for (int i = 0; i < n; i++)
        used +=
            (size_t)snprintf(text + used, bytes - used, "[stage tx.s%d]\n%s", i, strchr(FIXTURE_STAGE("x"), '\n') + 1);
}

static void limit(void)
{
    char text[16384];
    struct config_error err;

    write_stages(text, sizeof(text), CONFIG_STAGES_MAX);
    struct config *config = fixture_load(CONFIG_NIC, text, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(config);
    CU_ASSERT_EQUAL(config_stage_count(config), CONFIG_STAGES_MAX);
    CU_ASSERT_STRING_EQUAL(config_stage(config, 63)->name, "s63");
    config_destroy(config);
    write_stages(text, sizeof(text), CONFIG_STAGES_MAX + 1);
    fixture_refused(CONFIG_NIC, text, "x.nic:449: too many stages, allowed up to 64");
}

void suite_config_stage(void)
{
    CU_pSuite suite = CU_add_suite("config/stage", NULL, NULL);

    CU_add_test(suite, "order and values", order);
    CU_add_test(suite, "the command line overrides", override);
    CU_add_test(suite, "overrides are refused", override_refused);
    CU_add_test(suite, "values are refused", refused);
    CU_add_test(suite, "what a slot takes in memory", entry);
    CU_add_test(suite, "ranges of numbers", ranges);
    CU_add_test(suite, "sections are refused", refused_sections);
    CU_add_test(suite, "at most 64 stages", limit);
}
