/* DCQCN's reaction point: by hand, and against the same rules in floating point, step by step. */
#include "transport/dcqcn.h"

#include <CUnit/CUnit.h>
#include <math.h>

void suite_dcqcn(void);

#define LINE INT64_C(100000000000)
#define US INT64_C(1000000)

static struct transport_params params_of(void)
{
    return (struct transport_params){.dcqcn_time_reset = 300 * US,
                                     .dcqcn_byte_reset = 32767,
                                     .dcqcn_threshold = 1,
                                     .dcqcn_ai_rate = 5000000,
                                     .dcqcn_hai_rate = 50000000,
                                     .dcqcn_min_dec = 500000000,
                                     .dcqcn_min_rate = 1000000,
                                     .dcqcn_g = 1019,
                                     .dcqcn_alpha_period = US,
                                     .dcqcn_alpha = 1023,
                                     .dcqcn_monitor = 4 * US,
                                     .dcqcn_clamp_after_time = TRANSPORT_DCQCN_CLAMP_ON};
}

/* The first CNP takes alpha / 2, (1019 * 1023 + 5 * 1024) / 1024^2 / 2 = 49.95 %; one within 4 us nothing; then the timer goes half way back, then 5 Mb/s
 * beyond; a second CNP cuts from there, by less as alpha has fallen. */
static void by_hand(void)
{
    struct transport_params params = params_of();
    struct dcqcn dcqcn = {0};
    double alpha = (1019.0 * 1023 / 1024 + 5) / 1024;
    dcqcn_cnp(&dcqcn, &params, LINE, 10 * US);
    CU_ASSERT_DOUBLE_EQUAL((double)dcqcn.rate_bps, 1e11 * (1 - alpha / 2), 1000);
    CU_ASSERT_EQUAL(dcqcn.target_bps, LINE);
    dcqcn_cnp(&dcqcn, &params, LINE, 13 * US);
    CU_ASSERT_DOUBLE_EQUAL((double)dcqcn.rate_bps, 1e11 * (1 - alpha / 2), 1000);
    dcqcn_pass(&dcqcn, &params, LINE, 10 * US + 300 * US - 1);
    CU_ASSERT_DOUBLE_EQUAL((double)dcqcn.rate_bps, 1e11 * (1 - alpha / 2), 1000);
    dcqcn_pass(&dcqcn, &params, LINE, 310 * US);
    CU_ASSERT_DOUBLE_EQUAL((double)dcqcn.rate_bps, 1e11 * (1 - alpha / 4), 1000);
    dcqcn_pass(&dcqcn, &params, LINE, 910 * US); /* twice: half way each time, the target is the line already */
    CU_ASSERT_DOUBLE_EQUAL((double)dcqcn.rate_bps, 1e11 * (1 - alpha / 16), 1000);
}

/* At the least rate it stays, and comes back from there: first to where it was, then by 5 Mb/s, then by 50 Mb/s. */
static void least_rate(void)
{
    struct transport_params params = params_of();
    struct dcqcn dcqcn = {0};
    for (int i = 0; i < 100; i++)
        dcqcn_cnp(&dcqcn, &params, LINE, i * 4 * US);
    CU_ASSERT_EQUAL(dcqcn.rate_bps, 1000000);
    int64_t target = dcqcn.target_bps;
    CU_ASSERT_EQUAL(target, LINE); /* it has not risen in between: off, a cut leaves it */
    params.dcqcn_clamp = TRANSPORT_DCQCN_CLAMP_ON;
    dcqcn_cnp(&dcqcn, &params, LINE, 400 * US);
    CU_ASSERT_EQUAL(dcqcn.target_bps, 1000000);
    dcqcn_pass(&dcqcn, &params, LINE, 700 * US);
    CU_ASSERT_EQUAL(dcqcn.rate_bps, 1000000);
    dcqcn_pass(&dcqcn, &params, LINE, 1000 * US);
    CU_ASSERT_EQUAL(dcqcn.target_bps, 6000000);
    CU_ASSERT_EQUAL(dcqcn.rate_bps, 3500000);
    dcqcn_sent(&dcqcn, &params, LINE, 2 * 32767); /* the second end of the bytes: both are beyond the threshold */
    CU_ASSERT_EQUAL(dcqcn.byte_ends, 2);
    CU_ASSERT_EQUAL(dcqcn.target_bps, 11000000 + 50000000);
}

struct reference {
    double rate, target, alpha;
    int64_t timer_at, alpha_at, cut_at;
    int timers, bytes_ends, risen, is_on;
    int64_t bytes;
};

static void reference_rise(struct reference *r)
{
    int more = r->timers > r->bytes_ends ? r->timers : r->bytes_ends, fewer = r->timers + r->bytes_ends - more;
    r->target += fewer > 1 ? 50e6 : more > 1 ? 5e6 : 0;
    r->target = fmin(r->target, 1e11);
    r->rate = (r->rate + r->target) / 2;
    r->risen = 1;
}

/* A microsecond after the other. */
static void reference_pass(struct reference *r, int64_t from, int64_t to)
{
    for (int64_t t = from + US; t <= to; t += US) {
        if (t - r->alpha_at >= US) {
            r->alpha *= 1019.0 / 1024;
            r->alpha_at += US;
        }
        if (t - r->timer_at >= 300 * US) {
            r->timer_at += 300 * US;
            r->timers++;
            reference_rise(r);
        }
    }
}

static void reference_cnp(struct reference *r, int64_t now)
{
    if (!r->is_on)
        *r = (struct reference){.rate = 1e11,
                                .target = 1e11,
                                .alpha = 1023.0 / 1024,
                                .timer_at = now,
                                .alpha_at = now,
                                .cut_at = -9 * US,
                                .risen = 1,
                                .is_on = 1};
    r->alpha = (1019 * r->alpha + 5) / 1024;
    r->alpha_at = now;
    if (now - r->cut_at < 4 * US)
        return;
    if (r->risen)
        r->target = r->rate;
    r->rate = fmax(r->rate * (1 - fmin(r->alpha / 2, 0.5)), 1e6);
    r->cut_at = r->timer_at = now;
    r->timers = r->bytes_ends = r->risen = 0;
    r->bytes = 0;
}

/* Random CNPs and frames at whole microseconds: the same rate to a millionth, as long as it is below the line's. */
static void against_a_reference(void)
{
    struct transport_params params = params_of();
    struct dcqcn dcqcn = {0};
    struct reference r = {0};
    uint64_t random = 7;
    int compared = 0;
    for (int64_t now = US, last = 0; now < 60000 * US; last = now) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        now += (int64_t)(random >> 33) % 200 * US + US;
        if (r.is_on)
            reference_pass(&r, last, now);
        dcqcn_pass(&dcqcn, &params, LINE, now);
        if ((random >> 20) % 3 == 0) {
            dcqcn_cnp(&dcqcn, &params, LINE, now);
            reference_cnp(&r, now);
        } else if (r.is_on) {
            dcqcn_sent(&dcqcn, &params, LINE, 4186);
            for (r.bytes += 4186; r.bytes >= 32767; r.bytes -= 32767) {
                r.bytes_ends++;
                reference_rise(&r);
            }
        }
        if (dcqcn.rate_bps == 0) { /* back at the line's: it begins anew */
            CU_ASSERT(!r.is_on || r.rate > 1e11 - 1);
            r.is_on = 0;
            continue;
        }
        CU_ASSERT_DOUBLE_EQUAL((double)dcqcn.rate_bps / r.rate, 1, 1e-6);
        compared++;
    }
    CU_ASSERT(compared > 500);
}

void suite_dcqcn(void)
{
    CU_pSuite suite = CU_add_suite("transport: DCQCN", NULL, NULL);
    CU_add_test(suite, "by hand", by_hand);
    CU_add_test(suite, "the least rate", least_rate);
    CU_add_test(suite, "against a reference", against_a_reference);
}
