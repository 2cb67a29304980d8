/* Rates, lanes, markers and FEC: what exists, what it takes of the line, what it makes of bit errors. */
#include "mac/line.h"

#include <CUnit/Basic.h>
#include <stdlib.h>
#include <string.h>

static struct mac_params params_of(int64_t gbps, enum mac_fec fec)
{
    return (struct mac_params){.rate = gbps * 1000000000,
                               .preamble = 8,
                               .fcs = 4,
                               .frame_least = 60,
                               .gap = 12,
                               .start = gbps >= 40 ? 8 : 4,
                               .word = 64,
                               .deficit = MAC_DEFICIT_ON,
                               .fec = fec,
                               .fec_decode = 63600,
                               .fec_encode = 21700};
}

static struct line open_line(const struct mac_params *p)
{
    struct line line;
    char error[200];
    CU_ASSERT_EQUAL_FATAL(line_init(&line, p, 0, 0, 5, error, sizeof error), 0);
    return line;
}

/* ---- throughput over whole marker periods ---- */

#define ENOUGH_OCTETS 10000000 /* a start is off by up to 7 of them */

/* Of the slots that go by, those that frames and their gaps of 12 octets take: from the first start behind the middle between two
 * markers to the first one behind another such middle, so that whole periods go by. */
static double share_of(struct line *line, uint32_t bytes)
{
    int64_t period = line->phy.marker_period, slots = period > 0 ? period : ENOUGH_OCTETS;
    while (slots < ENOUGH_OCTETS)
        slots += period;
    int64_t from = line->markers.first + period / 2, start, frames = 0;
    do
        start = line_send(line, bytes - 4, 0, 0, 64).start_cyc;
    while (start < from);
    int64_t first = start;
    for (; start < from + slots; frames++)
        start = line_send(line, bytes - 4, 0, 0, 64).start_cyc;
    return (double)(frames * (bytes + 20)) / (double)(start - first);
}

static void frames_fill_the_line(void)
{
    static const struct {
        int64_t gbps;
        enum mac_fec fec;
        int markers, deleted, step;
        double share;
    } row[] = {
        {25, MAC_FEC_NONE, 0, 0, 7, 1},
        {25, MAC_FEC_RS528, 1, 0, 1, 1 - 32.0 / 655360},
        {40, MAC_FEC_NONE, 1, 0, 37, 1 - 1.0 / 16384},
        {50, MAC_FEC_RS544, 1, 0, 37, 1 - 32.0 / 655360},
        {100, MAC_FEC_NONE, 1, 0, 1, 1 - 1.0 / 16384},
        {100, MAC_FEC_RS528, 1, 0, 37, 1 - 1.0 / 16384},
        {100, MAC_FEC_RS528, 1, 1, 7, 1},
        {200, MAC_FEC_RS544, 1, 0, 37, 1 - 128.0 / 2621440},
        {400, MAC_FEC_RS544, 1, 0, 37, 1 - 256.0 / 5242880},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct mac_params p = params_of(row[i].gbps, row[i].fec);
        int wrong = 0;
        p.markers = row[i].markers;
        p.marker_room = row[i].deleted ? MAC_MARKER_ROOM_DELETED : MAC_MARKER_ROOM_KEPT;
        struct line line = open_line(&p);
        for (uint32_t bytes = 64; bytes <= 9022; bytes += (uint32_t)row[i].step) {
            struct line fresh = line;
            double share = share_of(&fresh, bytes);
            wrong += share < row[i].share - 1e-6 || share > row[i].share + 1e-6;
        }
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

/* Where idles are deleted, a marker delays the frame that it meets by its burst, and those behind it by less and less, until gaps have
 * made up for it; gaps are never below an octet. */
static void a_marker_is_worked_off(void)
{
    struct mac_params p = params_of(100, MAC_FEC_NONE);
    p.markers = 1;
    p.marker_room = MAC_MARKER_ROOM_DELETED;
    struct line line = open_line(&p);
    int64_t burst = 20 * 8, last = -1, most = 0, behind = 0;
    for (int i = 0; i < 400000; i++) {
        int64_t due = 128 * i; /* of 108 B frames, a start each 128 octets */
        struct line_frame frame = line_send(&line, 104, due, due, 64);
        CU_ASSERT(frame.start_cyc - due >= 0 && frame.start_cyc - due <= burst + 8);
        CU_ASSERT(frame.start_cyc > last);
        behind += frame.start_cyc > due;
        most = frame.start_cyc - due > most ? frame.start_cyc - due : most;
        last = frame.last_at_cyc - line.delay_cyc + 1;
    }
    CU_ASSERT(most > burst - 128 && behind > 0 && behind < 400000 / 100);
}

/* ---- what exists ---- */

static void refused(const struct mac_params *p, const char *begin, const char *allowed)
{
    struct phy phy;
    char error[200] = "";
    CU_ASSERT_EQUAL(phy_init(&phy, p, error, sizeof error), -1);
    CU_ASSERT(strncmp(error, begin, strlen(begin)) == 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, allowed));
}

static void what_does_not_exist_is_refused(void)
{
    struct mac_params p = params_of(10, MAC_FEC_RS528);
    refused(&p, "mac.fec: rs528", "allowed none, cl74");
    p = params_of(100, MAC_FEC_CL74);
    refused(&p, "mac.fec: cl74", "allowed none, rs528, rs544, rs272");
    p = params_of(400, MAC_FEC_RS528);
    refused(&p, "mac.fec: rs528", "allowed none, rs544, rs272");
    p = params_of(100, MAC_FEC_NONE);
    p.lanes = 3;
    refused(&p, "mac.lanes:", "allowed 4, 10");
    p.lanes = 10;
    struct phy phy;
    char error[200];
    CU_ASSERT_EQUAL(phy_init(&phy, &p, error, sizeof error), 0);
    p.fec = MAC_FEC_RS528;
    refused(&p, "mac.lanes:", "allowed 4");
    p = params_of(25, MAC_FEC_NONE);
    p.markers = 1;
    refused(&p, "mac.markers:", "allowed off");
    p.rate = 56000000000;
    p.markers = 0;
    p.lanes = 1;
    refused(&p, "mac.lanes:", "allowed 0");
}

/* Periods and bursts in time: 209.715 and 104.858 us, 12.8, 10.24, 6.4 and 5.12 ns. */
static void markers_take_their_time(void)
{
    static const struct {
        int64_t gbps;
        enum mac_fec fec;
        int64_t period_ps, burst_ps;
    } row[] = {{100, MAC_FEC_NONE, 209715200, 12800}, {100, MAC_FEC_RS528, 209715200, 12800},
               {25, MAC_FEC_RS528, 209715200, 10240}, {40, MAC_FEC_NONE, 104857600, 6400},
               {50, MAC_FEC_RS544, 104857600, 5120},  {200, MAC_FEC_RS544, 104857600, 5120},
               {400, MAC_FEC_RS544, 104857600, 5120}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct mac_params p = params_of(row[i].gbps, row[i].fec);
        struct phy phy;
        char error[200];
        p.markers = 1;
        CU_ASSERT_EQUAL_FATAL(phy_init(&phy, &p, error, sizeof error), 0);
        CU_ASSERT_EQUAL(phy.marker_period * 8000 / row[i].gbps, row[i].period_ps);
        CU_ASSERT_EQUAL(phy.marker_octets * 8000 / row[i].gbps, row[i].burst_ps);
    }
}

/* ---- FEC: time and errors ---- */

/* A codeword and the decoder: 204.8 ns at 25G, 51.2 ns at 100G and 200G (two together), 25.6 ns at 400G; BASE-R 204.8 ns at 10G. */
static void a_codeword_takes_its_time(void)
{
    static const struct {
        int64_t gbps;
        enum mac_fec fec;
        int64_t codeword_ps;
    } row[] = {{10, MAC_FEC_CL74, 204800},  {25, MAC_FEC_CL74, 81920},   {25, MAC_FEC_RS528, 204800},
               {50, MAC_FEC_RS544, 102400}, {100, MAC_FEC_RS528, 51200}, {100, MAC_FEC_RS544, 51200},
               {200, MAC_FEC_RS544, 51200}, {400, MAC_FEC_RS544, 25600}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct mac_params p = params_of(row[i].gbps, row[i].fec), without = params_of(row[i].gbps, MAC_FEC_NONE);
        struct line line = open_line(&p), plain = open_line(&without);
        int64_t octet_ps = 8000 / row[i].gbps, more_ps = row[i].codeword_ps + p.fec_encode + p.fec_decode;
        int64_t later_ps =
            (line_send(&line, 1000, 0, 0, 64).last_at_cyc - line_send(&plain, 1000, 0, 0, 64).last_at_cyc) * octet_ps;
        CU_ASSERT(later_ps >= more_ps - octet_ps && later_ps <= more_ps + octet_ps);
        p.fec_release =
            MAC_FEC_CODEWORD; /* then between the decoder alone, and a codeword more; starts are 8 octets apart */
        line = open_line(&p);
        plain = open_line(&without);
        int64_t least = INT64_MAX, most = 0;
        for (int k = 0; k < 5000; k++) {
            int64_t at = 5003 * k, later = line_send(&line, 1000, at, at, 64).last_at_cyc -
                                           line_send(&plain, 1000, at, at, 64).last_at_cyc;
            least = later < least ? later : least;
            most = later > most ? later : most;
        }
        CU_ASSERT(least * octet_ps >= p.fec_decode + p.fec_encode - octet_ps &&
                  least * octet_ps < p.fec_decode + p.fec_encode + 9 * octet_ps);
        CU_ASSERT((most - least) * octet_ps > row[i].codeword_ps - 9 * octet_ps &&
                  (most - least) * octet_ps < row[i].codeword_ps);
    }
}

/* A binomial term, worked out in another way than the model's: each by itself, in long double. */
static long double choose_term(int n, int k, long double p)
{
    long double term = 1;
    for (int i = 0; i < n - k; i++)
        term *= 1 - p;
    for (int i = 0; i < k; i++)
        term *= p * (n - i) / (i + 1);
    return term;
}

static void codewords_fail_as_often_as_they_should(void)
{
    static const struct {
        enum mac_fec fec;
        int64_t errors;
        int symbols, corrects;
    } row[] = {{MAC_FEC_RS528, 100000000000, 528, 7},
               {MAC_FEC_RS528, 600000000000, 528, 7},
               {MAC_FEC_RS544, 1500000000000, 544, 15},
               {MAC_FEC_RS272, 1000000000000, 272, 7}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct mac_params p = params_of(100, row[i].fec);
        p.bit_errors = row[i].errors;
        struct line line = open_line(&p);
        int64_t block = line.phy.fec.block_octets, codewords = 400000;
        bit_errors_damage(&line.errors, line.codeword_first, line.codeword_first + block * codewords);
        long double symbol = 1, clean = 1, fails = 1;
        for (int k = 0; k < 10; k++)
            symbol *= 1 - (long double)row[i].errors / 1e15L;
        for (int k = 0; k < row[i].symbols; k++)
            clean *= symbol;
        for (int k = 0; k <= row[i].corrects; k++)
            fails -= choose_term(row[i].symbols, k, 1 - symbol);
        double wrong = (double)(line.errors.corrected + line.errors.uncorrectable),
               expected = (double)(1 - clean) * 400000;
        CU_ASSERT(wrong > expected * 0.98 && wrong < expected * 1.02);
        double failed = (double)line.errors.uncorrectable, due = (double)fails * 400000,
               spread = 5 * (due > 1 ? due / 10 : 1);
        CU_ASSERT(failed > due - spread - 4 && failed < due + spread + 4);
    }
}

/* BASE-R FEC corrects a single wrong bit always; two of them seldom lie within 11. */
static void a_burst_is_corrected(void)
{
    struct mac_params p = params_of(25, MAC_FEC_CL74);
    p.bit_errors = 10000000000; /* 1e-5: 2.1 % of codewords are wrong, 1.05 % of those twice */
    struct line line = open_line(&p);
    bit_errors_damage(&line.errors, line.codeword_first, line.codeword_first + INT64_C(256) * 2000000);
    double wrong = (double)(line.errors.corrected + line.errors.uncorrectable);
    CU_ASSERT(wrong > 2000000 * 0.0205 && wrong < 2000000 * 0.0213);
    CU_ASSERT((double)line.errors.uncorrectable / wrong > 0.0085 && (double)line.errors.uncorrectable / wrong < 0.0120);
}

/* Without FEC a frame is damaged with its bits' probability; the same frames are damaged when they are sent again. */
static void bits_damage_frames(void)
{
    struct mac_params p = params_of(25, MAC_FEC_NONE);
    p.bit_errors = 1000000000; /* 1e-6 */
    struct line line = open_line(&p), again = open_line(&p);
    int bad = 0, same = 1;
    for (int i = 0; i < 100000; i++) {
        int now = line_send(&line, 1232, 0, 0, 8).bad, then = line_send(&again, 1232, 0, 0, 8).bad;
        bad += now == ITEM_DAMAGED;
        same &= now == then;
    }
    /* 1,244 B with preamble and FCS, 9,952 bits: 0.990 % */
    CU_ASSERT(bad > 990 - 160 && bad < 990 + 160);
    CU_ASSERT(same);
    p.bit_errors = 0;
    line = open_line(&p);
    for (int i = 0; i < 1000; i++)
        CU_ASSERT_EQUAL(line_send(&line, 1232, 0, 0, 8).bad, 0);
}

/* A codeword that is lost damages every frame with an octet in it, and no other. */
static void a_lost_codeword_damages_its_frames(void)
{
    struct mac_params p = params_of(100, MAC_FEC_RS528);
    p.bit_errors = 1000000000000; /* 1e-3 */
    struct line line = open_line(&p);
    int neighbours = 0, bad = 0, before = 0;
    for (int i = 0; i < 200000; i++) {
        int now = line_send(&line, 60, 0, 0, 64).bad != 0;
        bad += now;
        neighbours += now && before;
        before = now;
    }
    /* 640 octets hold 7.6 frames: the bad come in runs of 7 to 9 */
    CU_ASSERT(bad > 1000 && neighbours > bad * 8 / 10 && neighbours < bad);
}

/* Others take the share that they are given, at random or evenly; one of their frames that came before goes before, so a frame waits for at
 * most those that came while it could not begin. */
static void others_take_their_share(void)
{
    for (int periodic = 0; periodic < 2; periodic++) {
        struct mac_params p = params_of(100, MAC_FEC_NONE);
        p.other_load = 300000000; /* of 10^9 */
        p.other_bytes = 1514;
        p.other_arrival = periodic;
        struct line line = open_line(&p);
        int64_t at = 0, waited = 0;
        for (int i = 0; i < 200000; i++) {
            int64_t start = line_send(&line, 232, at, at, 64).start_cyc;
            CU_ASSERT(start >= at);
            waited += start - at;
            at += 10007; /* 2.6 % of the line */
        }
        double others = (double)line.other.frames * 1538 / (double)at, own = 200000.0 * 256 / (double)at;
        CU_ASSERT(others > 0.295 && others < 0.305);
        CU_ASSERT((double)line.work_cyc / (double)at - others - own < 1e-9);
        /* who comes at any time waits, at random, 0.3 / (2 * 0.7) of 1,538 slots (M/D/1), evenly 0.3 / 2, and a little for itself */
        double wait = (double)waited / 200000;
        CU_ASSERT(periodic ? wait > 225 && wait < 245 : wait > 325 && wait < 355);
    }
}

/* A frame through switches comes later by its head, or all of it, a cable and the latency for each; and never before the one ahead of it. */
static void through_switches(void)
{
    for (int store = 0; store < 2; store++) {
        struct mac_params p = params_of(100, MAC_FEC_NONE), without = p;
        p.switches = 3;
        p.switch_latency = 300000;
        p.switch_forward = store;
        struct line line = open_line(&p), direct = open_line(&without);
        int64_t later = line_send(&line, 1000, 0, 0, 64).last_at_cyc - line_send(&direct, 1000, 0, 0, 64).last_at_cyc;
        CU_ASSERT_EQUAL(later, 3 * ((store ? 1012 : 72) + line.delay_cyc + 3750));
        CU_ASSERT_EQUAL(line_way_cyc(&line), line.delay_cyc + 3 * (line.delay_cyc + 3750));
        int64_t end = 0;
        for (int i = 0; i < 1000; i++) { /* long and short ones in turn */
            struct line_frame frame = line_send(&line, i % 3 ? 60 : 4000, 0, 0, 64);
            CU_ASSERT(frame.last_at_cyc - end >= (i % 3 ? 72 : 4012) + 9);
            end = frame.last_at_cyc;
        }
    }
}

void suite_mac_phy(void);
void suite_mac_phy(void)
{
    CU_pSuite suite = CU_add_suite("mac: PHYs, markers, FEC", NULL, NULL);
    CU_add_test(suite, "frames of every size fill the line", frames_fill_the_line);
    CU_add_test(suite, "a marker is worked off", a_marker_is_worked_off);
    CU_add_test(suite, "what does not exist is refused", what_does_not_exist_is_refused);
    CU_add_test(suite, "markers take their time", markers_take_their_time);
    CU_add_test(suite, "a codeword takes its time", a_codeword_takes_its_time);
    CU_add_test(suite, "codewords fail as often as they should", codewords_fail_as_often_as_they_should);
    CU_add_test(suite, "a burst is corrected", a_burst_is_corrected);
    CU_add_test(suite, "bits damage frames", bits_damage_frames);
    CU_add_test(suite, "others take their share", others_take_their_share);
    CU_add_test(suite, "through switches", through_switches);
    CU_add_test(suite, "a lost codeword damages its frames", a_lost_codeword_damages_its_frames);
}
