/* The root complex: latency of reads by where their data lie, the law of its write entries, and the order of reads and writes. */
#include "pcie/root.h"

#include <CUnit/Basic.h>
#include <math.h>

struct trial {
    struct sim sim;
    struct pcie_params params;
    struct root root;
};

/* A host with constant times: read 200 ns, write 60 ns, nothing else. */
static void prepare(struct trial *trial)
{
    *trial = (struct trial){.params = {.host_refresh = 260000,
                                       .host_refresh_interval = 7800000,
                                       .host_channels = 4,
                                       .host_llc = 1 << 20,
                                       .host_ddio = 1 << 16}};
    struct pcie_params *p = &trial->params;
    p->host_read = (struct param_dist){2, {{0, 200000}, {1000000000, 200000}}};
    p->host_write = (struct param_dist){2, {{0, 60000}, {1000000000, 60000}}};
    p->host_wake = p->host_stall = (struct param_dist){2, {{0, 0}, {1000000000, 0}}};
    CU_ASSERT_EQUAL_FATAL(sim_init(&trial->sim, 1), 0);
}

static void begin(struct trial *trial)
{
    char error[100];
    CU_ASSERT_EQUAL_FATAL(root_init(&trial->root, &trial->sim, &trial->params, 0, 0, error, sizeof error), 0);
}

static void end(struct trial *trial)
{
    root_free(&trial->root);
    sim_free(&trial->sim);
}

static int64_t took(struct trial *trial, int64_t at_ps, uint64_t address, uint32_t bytes)
{
    return root_read(&trial->root, at_ps, address, bytes) - at_ps;
}

static void a_plain_read(void)
{
    struct trial trial;
    prepare(&trial);
    begin(&trial);
    CU_ASSERT(trial.root.is_plain);
    CU_ASSERT_EQUAL(took(&trial, 1000, 0, 512), 200000);
    end(&trial);
}

static void parts_add_up(void)
{
    struct trial trial;
    prepare(&trial);
    trial.params.host_read_kib = 16000;
    trial.params.host_remote = 100000;
    trial.params.host_dram = 50000;
    trial.params.host_refresh = 0;
    begin(&trial);
    CU_ASSERT_EQUAL(took(&trial, 0, 0, 512), 200000 + 8000 + 100000);
    CU_ASSERT_EQUAL(root_set_window(&trial.root, 4096, 1), 0);
    CU_ASSERT_EQUAL(took(&trial, 0, 0, 1024), 200000 + 16000 + 100000 + 50000);
    root_write(&trial.root, 0, 0, 128, 64, 0,
               root_write_takes_ps(&trial.root)); /* the line that follows is near, whatever was before */
    CU_ASSERT_EQUAL(took(&trial, 1000000, 128, 1024), 200000 + 16000);
    CU_ASSERT_EQUAL(took(&trial, 1000000, 192, 1024), 200000 + 16000 + 150000);
    end(&trial);
}

/* P(longer than x) = (tRFC - x) / tREFI for one line; for four lines, any of four channels. */
static void refresh_follows_its_law(void)
{
    enum { DRAWS = 400000 };
    static const int64_t x_ns[] = {0, 40, 93, 147, 200, 253, 260};
    int longer[7] = {0}, longer_wide[7] = {0};
    struct trial trial;
    prepare(&trial);
    begin(&trial);
    CU_ASSERT_EQUAL(root_set_window(&trial.root, UINT64_C(1) << 26, 1), 0);
    for (int64_t i = 0; i < DRAWS; i++) {
        int64_t extra = took(&trial, i * 1000003, (uint64_t)i * 64, 64) - 200000;
        int64_t wide = took(&trial, i * 1000003, (uint64_t)i * 64, 256) - 200000;
        for (int k = 0; k < 7; k++) {
            longer[k] += extra > x_ns[k] * 1000;
            longer_wide[k] += wide > x_ns[k] * 1000;
        }
    }
    for (int k = 0; k < 7; k++) {
        double share = (260.0 - (double)x_ns[k]) / 7800;
        CU_ASSERT_DOUBLE_EQUAL((double)longer[k] / DRAWS, share, 0.0012);
        CU_ASSERT_DOUBLE_EQUAL((double)longer_wide[k] / DRAWS, 1 - pow(1 - share, 4), 0.0025);
    }
    end(&trial);
}

/* A window over the cache: the share beyond it comes from DRAM, always the same lines. */
static void a_warm_window_over_the_cache(void)
{
    struct trial trial;
    prepare(&trial);
    trial.params.host_dram = 50000;
    trial.params.host_refresh = 0;
    begin(&trial);
    CU_ASSERT_EQUAL(root_set_window(&trial.root, 4 << 20, 0), 0);
    int far = 0;
    for (uint64_t line = 0; line < 65536; line++) {
        int64_t first = took(&trial, 0, line * 64, 64);
        far += first > 200000;
        CU_ASSERT_EQUAL(took(&trial, 0, line * 64, 64), first);
    }
    CU_ASSERT_DOUBLE_EQUAL(far / 65536.0, 0.75, 0.01);
    end(&trial);
}

/* With a host that takes from 60 to 500 ns: ordered writes are seen in order; a relaxed one may pass, and an ordered one is never seen
 * before any earlier one, relaxed or not (Base Spec 2.4.1, table 2-39). */
static void relaxed_writes_may_pass(void)
{
    struct trial trial;
    prepare(&trial);
    trial.params.host_write = (struct param_dist){2, {{0, 60000}, {1000000000, 500000}}};
    begin(&trial);
    int64_t newest = 0, passed = 0;
    for (int64_t i = 0; i < 3000; i++) {
        int relaxed = i % 3 != 0;
        int64_t at = i * 20000,
                visible =
                    root_write(&trial.root, at, at, 0, 64, relaxed, root_write_takes_ps(&trial.root)).visible_at_ps;
        CU_ASSERT(visible >= at + 60000 && (relaxed ? visible <= at + 500000 : visible >= newest));
        passed += visible < newest;
        newest = visible > newest ? visible : newest;
    }
    CU_ASSERT(passed > 1000);
    end(&trial);
}

/* Others take all of the memory's bandwidth: lines are held, and DRAM takes, 1.8 times as long. */
static void load_slows_lines_and_dram(void)
{
    struct trial trial;
    prepare(&trial);
    trial.params.host_load = 1000000000; /* 1,000,000 ppm */
    trial.params.host_write_line = 300000;
    trial.params.host_dram = 50000;
    trial.params.host_refresh = 0;
    begin(&trial);
    CU_ASSERT_EQUAL(root_line_ps(&trial.params), 540000);
    CU_ASSERT_EQUAL(root_set_window(&trial.root, 4096, 1), 0);
    CU_ASSERT_EQUAL(took(&trial, 1000000, 4096, 64), 200000 + 90000);
    end(&trial);
}

static void a_read_waits_for_the_writes_before_it(void)
{
    struct trial trial;
    prepare(&trial);
    begin(&trial);
    root_write(&trial.root, 1000000, 1000000, 0, 64, 0, root_write_takes_ps(&trial.root));
    CU_ASSERT_EQUAL(root_read(&trial.root, 1010000, 4096, 64), 1060000 + 200000);
    CU_ASSERT_EQUAL(root_read(&trial.root, 1100000, 0, 64), 1100000 + 200000);
    end(&trial);
}

/* Another device's window of 1 MiB at 4 GiB: a port of 8 Gb/s, 1 ns a byte, for both ways; the host's memory is as it was. */
static void another_device(void)
{
    const uint64_t bar = UINT64_C(1) << 32;
    struct trial trial;
    prepare(&trial);
    trial.params.peer_base = (int64_t)bar;
    trial.params.peer_bytes = 1 << 20;
    trial.params.peer_read = 900000;
    trial.params.peer_write = 300000;
    trial.params.peer_rate = INT64_C(8000000000);
    begin(&trial);
    CU_ASSERT_EQUAL(took(&trial, 0, bar - 64, 64), 200000);
    CU_ASSERT_EQUAL(took(&trial, 0, bar, 256), 256000 + 900000);
    CU_ASSERT_EQUAL(took(&trial, 0, bar + 256, 256), 2 * 256000 + 900000); /* behind the first */
    struct root_write written = root_write(&trial.root, 600000, 600000, bar + (1 << 20) - 64, 64, 0, 60000);
    CU_ASSERT_EQUAL(written.drained_at_ps, 664000);
    CU_ASSERT_EQUAL(written.visible_at_ps, 964000);
    CU_ASSERT_EQUAL(took(&trial, 2000000, bar + (1 << 20), 64), 200000);
    end(&trial);
}

static void a_host_that_sleeps(void)
{
    struct trial trial;
    prepare(&trial);
    trial.params.host_idle = 500000;
    trial.params.host_wake = (struct param_dist){2, {{0, 640000}, {1000000000, 640000}}};
    begin(&trial);
    CU_ASSERT_EQUAL(took(&trial, 1000000, 0, 64), 840000);
    CU_ASSERT_EQUAL(took(&trial, 1100000, 0, 64), 740000); /* waits for the same waking */
    CU_ASSERT_EQUAL(took(&trial, 2000000, 0, 64), 200000); /* awake */
    CU_ASSERT_EQUAL(took(&trial, 2800000, 0, 64), 840000); /* asleep since 2.7 us */
    end(&trial);
}

/* With an IOMMU, writes stay in order behind one that misses; a read of another page does not wait for its walk. */
static void translation_keeps_writes_in_order(void)
{
    struct trial trial;
    prepare(&trial);
    trial.params.iommu = 1;
    trial.params.iommu_page = 4096;
    trial.params.iommu_entries = 16;
    trial.params.iommu_walkers = 2;
    trial.params.iommu_miss = 250000;
    trial.params.iommu_walk = 250000;
    begin(&trial);
    CU_ASSERT_EQUAL(root_write(&trial.root, 0, 0, 0, 64, 0, root_write_takes_ps(&trial.root)).drained_at_ps, 250000);
    CU_ASSERT_EQUAL(
        root_write(&trial.root, 300000, 300000, 4096, 64, 0, root_write_takes_ps(&trial.root)).drained_at_ps, 550000);
    CU_ASSERT_EQUAL(root_write(&trial.root, 310000, 310000, 0, 64, 0, root_write_takes_ps(&trial.root)).drained_at_ps,
                    550000);
    CU_ASSERT_EQUAL(root_read(&trial.root, 1000000, 0, 64), 1200000);
    CU_ASSERT_EQUAL(root_read(&trial.root, 1000000, 8192, 64), 1450000);
    end(&trial);
}

/* A core sees a write 68 ns before a read behind it may go; a write whose line is in no cache asks the other node, and goes there and back
 * where its memory is. */
static void a_read_waits_for_the_acknowledgement(void)
{
    struct trial trial;
    prepare(&trial);
    trial.params.host_write_ack = 68000;
    begin(&trial);
    CU_ASSERT(trial.root.is_plain);
    int64_t takes_ps = root_write_takes_ps(&trial.root);
    CU_ASSERT_EQUAL(root_read(&trial.root, 1000, 0, 64), 201000); /* behind none */
    CU_ASSERT_EQUAL(root_write(&trial.root, 1000000, 1000000, 0, 64, 0, takes_ps).visible_at_ps, 1060000);
    CU_ASSERT_EQUAL(root_read(&trial.root, 1000000, 4096, 64), 1328000);
    root_write_part(&trial.root, 2000000, takes_ps);
    CU_ASSERT_EQUAL(root_read(&trial.root, 2000000, 4096, 64), 2328000);
    CU_ASSERT_EQUAL(root_read(&trial.root, 2200000, 4096, 64), 2400000);
    end(&trial);
}

static void a_far_write_asks_the_other_node(void)
{
    struct trial trial;
    prepare(&trial);
    trial.params.host_snoop = 80000;
    begin(&trial);
    int64_t takes_ps = root_write_takes_ps(&trial.root);
    CU_ASSERT_EQUAL(root_write(&trial.root, 0, 0, 0, 64, 0, takes_ps).visible_at_ps, 60000); /* all is in the cache */
    CU_ASSERT_EQUAL(root_set_window(&trial.root, 4096, 1), 0);
    CU_ASSERT_EQUAL(root_write(&trial.root, 1000000, 1000000, 64, 64, 0, takes_ps).visible_at_ps, 1140000);
    CU_ASSERT_EQUAL(root_write(&trial.root, 2000000, 2000000, 64, 64, 0, takes_ps).visible_at_ps, 2060000);
    trial.params.host_remote = 50000;
    CU_ASSERT_EQUAL(root_write(&trial.root, 3000000, 3000000, 128, 64, 0, takes_ps).visible_at_ps, 3240000);
    end(&trial);
}

/* Two pages in three are walked; P(a walk takes longer than x) = (tRFC - x) / tREFI. */
static void walks_wait_for_refreshes(void)
{
    struct trial trial;
    prepare(&trial);
    trial.params.iommu = 1;
    trial.params.iommu_page = 4096;
    trial.params.iommu_entries = 1;
    trial.params.iommu_walkers = 1;
    trial.params.iommu_miss = 250000;
    begin(&trial);
    int longer = 0, count = 100000;
    for (int i = 0; i < count; i++) {
        int64_t at_ps = (int64_t)i * 1234567, wait_ps;
        wait_ps = took(&trial, at_ps, (uint64_t)(i / 3 * 2 + (i % 3 > 0)) << 12, 64) - 200000;
        CU_ASSERT_FATAL(i % 3 == 2 ? wait_ps == 0 : wait_ps >= 250000 && wait_ps <= 510000);
        longer += wait_ps > 350000;
    }
    CU_ASSERT_DOUBLE_EQUAL(100.0 * longer / count, 100 * 2.0 / 3 * 160 / 7800, 0.15);
    end(&trial);
}

void suite_pcie_root(void);
void suite_pcie_root(void)
{
    CU_pSuite suite = CU_add_suite("pcie/root", NULL, NULL);
    CU_add_test(suite, "a plain read", a_plain_read);
    CU_add_test(suite, "parts add up", parts_add_up);
    CU_add_test(suite, "refresh", refresh_follows_its_law);
    CU_add_test(suite, "a warm window over the cache", a_warm_window_over_the_cache);
    CU_add_test(suite, "relaxed writes", relaxed_writes_may_pass);
    CU_add_test(suite, "load", load_slows_lines_and_dram);
    CU_add_test(suite, "a read waits for writes", a_read_waits_for_the_writes_before_it);
    CU_add_test(suite, "another device", another_device);
    CU_add_test(suite, "a host that sleeps", a_host_that_sleeps);
    CU_add_test(suite, "translation and order", translation_keeps_writes_in_order);
    CU_add_test(suite, "acknowledgement", a_read_waits_for_the_acknowledgement);
    CU_add_test(suite, "the other node is asked", a_far_write_asks_the_other_node);
    CU_add_test(suite, "walks and refresh", walks_wait_for_refreshes);
}
