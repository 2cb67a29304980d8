/* The line's time for frames, from IEEE 802.3: preamble 8, at least 60 and FCS 4, gap 12. */
#include "mac/line.h"

#include <CUnit/Basic.h>

static struct mac_params params(int64_t rate)
{
    return (struct mac_params){
        .rate = rate, .preamble = 8, .fcs = 4, .frame_least = 60, .gap = 12, .start = 1, .word = 8};
}

static int open_line(struct line *line, const struct mac_params *p)
{
    char error[200];
    return line_init(line, p, 0, 0, 1, error, sizeof error);
}

/* Mega frames a second, to three decimals, of frames of L bytes with their FCS. */
static void frame_rates(void)
{
    static const struct {
        int64_t rate;
        uint32_t bytes;
        int64_t kilo;
    } row[] = {{10000000000, 64, 14881},    {25000000000, 64, 37202},   {100000000000, 64, 148810},
               {100000000000, 1086, 11302}, {100000000000, 1518, 8127}, {25000000000, 4158, 748},
               {400000000000, 4158, 11967}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct mac_params p = params(row[i].rate);
        struct line line;
        CU_ASSERT_EQUAL_FATAL(open_line(&line, &p), 0);
        for (int k = 0; k < 1000; k++)
            line_send(&line, row[i].bytes - 4, 0, 0, 64);
        int64_t took_ps = clk_edge(&line.clk, line.free_cyc);
        CU_ASSERT_EQUAL((1000000000000 + took_ps / 2) / took_ps, row[i].kilo);
    }
}

static void short_frames_are_padded(void)
{
    struct mac_params p = params(100000000000);
    struct line line;
    CU_ASSERT_EQUAL_FATAL(open_line(&line, &p), 0);
    line_send(&line, 58, 0, 0, 64);
    CU_ASSERT_EQUAL(line.free_cyc, 84);
    line_send(&line, 61, 0, 0, 64);
    CU_ASSERT_EQUAL(line.free_cyc, 84 + 85);
    CU_ASSERT_EQUAL(line.work_cyc, 84 + 85);
}

/* The last byte must be there when its turn comes: at the cycle it is in time, one later it is an underrun. */
static void underrun_at_the_cycle(void)
{
    struct mac_params p = params(100000000000);
    struct line line;
    for (int late = 0; late < 2; late++) {
        CU_ASSERT_EQUAL_FATAL(open_line(&line, &p), 0);
        struct line_frame frame = line_send(&line, 1000, 100, 100 + 8 + 999 + late, 64);
        CU_ASSERT_EQUAL(frame.start_cyc, 100);
        CU_ASSERT_EQUAL(frame.bad, late);
        CU_ASSERT_EQUAL(frame.word_at_cyc, 100 + 8 + 63 + line.delay_cyc);
        CU_ASSERT_EQUAL(frame.last_at_cyc, 100 + 8 + 1000 + 4 - 1 + line.delay_cyc);
    }
}

void suite_mac_line(void);
void suite_mac_line(void)
{
    CU_pSuite suite = CU_add_suite("mac: the line", NULL, NULL);
    CU_add_test(suite, "frame rates", frame_rates);
    CU_add_test(suite, "short frames are padded", short_frames_are_padded);
    CU_add_test(suite, "underrun, at the cycle", underrun_at_the_cycle);
}
