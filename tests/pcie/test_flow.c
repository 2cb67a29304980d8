/* Posted and non-posted credits against a reference that knows nothing of runs: it adds up what every TLP since the start still holds. */
#include "pcie/flow.h"

#include <CUnit/Basic.h>
#include <stdlib.h>
#include <string.h>

#define TLPS 4000

struct reference {
    int64_t headers, data, lines, back_cyc, line_cyc, order_cyc;
    int64_t drained[TLPS];
    struct flow_tlp tlp[TLPS];
    int count;
};

static int64_t held(const struct reference *r, int64_t at, int what)
{
    int64_t sum = 0;
    for (int i = r->count - 1; i >= 0 && r->drained[i] + (what == 2 ? r->line_cyc : r->back_cyc) > at; i--)
        sum += what == 0 ? 1 : what == 1 ? r->tlp[i].data : r->tlp[i].lines;
    return sum;
}

static int64_t reference_when(const struct reference *r, struct flow_tlp tlp, int64_t at)
{
    while (held(r, at, 0) + 1 > r->headers || held(r, at, 1) + tlp.data > r->data)
        at++;
    return at;
}

static int64_t reference_send(struct reference *r, struct flow_tlp tlp, int64_t start)
{
    int64_t drained = start + tlp.took_cyc;
    int64_t order_cyc = tlp.relaxed ? 0 : r->order_cyc;
    if (r->count > 0 && drained < r->drained[r->count - 1] + order_cyc)
        drained = r->drained[r->count - 1] + order_cyc;
    while (r->lines > 0 && held(r, drained, 2) + tlp.lines > r->lines)
        drained++;
    r->drained[r->count] = drained;
    r->tlp[r->count++] = tlp;
    return drained;
}

static struct pcie_params adverts(int64_t headers, int64_t data_credits, int64_t lines)
{
    return (struct pcie_params){.mps = 256,
                                .posted_headers = headers,
                                .posted_data = data_credits * 16,
                                .host_write_lines = lines,
                                .nonposted_headers = 4};
}

static uint64_t random_of(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (*state >> 33) % below;
}

static struct flow_tlp random_tlp(uint64_t *state)
{
    static const uint32_t payload[] = {256, 256, 256, 64, 4, 128, 65};
    uint32_t bytes = payload[random_of(state, 7)], address = (uint32_t)random_of(state, 2) * 20;
    return (struct flow_tlp){bytes + 24, (bytes + 15) / 16, (address + bytes + 63) / 64, random_of(state, 3) == 0};
}

/* The link as pcie/up.c drives it: TLPs in runs where they are free, one by one where not; idle for a while, or back to back. */
static void compare(int64_t headers, int64_t data, int64_t lines, int64_t back, int64_t line, int64_t order,
                    uint64_t seed)
{
    struct pcie_params params = adverts(headers, data, lines);
    struct flow flow;
    struct reference *r = calloc(1, sizeof *r);
    *r = (struct reference){headers, data, lines, back, line, order, {0}, {{0, 0, 0, 0}}, 0};
    CU_ASSERT_EQUAL_FATAL(flow_init(&flow, &params, back, line, order), 0);
    int64_t free_cyc = 0;
    uint64_t state = seed;
    int wrong = 0;
    while (r->count < TLPS - 40 && !wrong) {
        struct flow_tlp tlp = random_tlp(&state);
        uint32_t alike = (uint32_t)random_of(&state, 30) + 1;
        free_cyc += random_of(&state, 5) == 0 ? (int64_t)random_of(&state, 9000) : 0;
        while (alike > 0 && !wrong) {
            int free_to_go = flow_is_free(&flow, flow_is_sparse(&flow, tlp), free_cyc);
            uint32_t count = free_to_go ? alike : 1;
            enum flow_lack lack = FLOW_NO_NPH;
            int64_t start = free_to_go ? free_cyc : flow_posted_when(&flow, tlp, free_cyc, &lack), drained = 0;
            CU_ASSERT((start > free_cyc) == (lack != FLOW_NO_NPH));
            for (uint32_t i = 0; i < count; i++) {
                wrong |= reference_when(r, tlp, free_cyc) != (i == 0 ? start : free_cyc);
                free_cyc = i == 0 ? start : free_cyc;
                drained = reference_send(r, tlp, free_cyc);
                free_cyc += tlp.took_cyc;
            }
            wrong |= drained != (free_to_go ? flow_send_free(&flow, tlp, count, start) : flow_send(&flow, tlp, start));
            alike -= count;
        }
    }
    CU_ASSERT_FALSE(wrong);
    flow_free(&flow);
    free(r);
}

static void posted_against_reference(void)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        compare(127, 2047, 92, 4000, 4700, 0, seed); /* the defaults at Gen3 x16: seldom anything binds */
        compare(127, 2047, 92, 7800, 9400, 0, seed); /* Gen4 x16 */
        compare(8, 2047, 0, 4000, 1, 0, seed);       /* headers bind */
        compare(127, 40, 0, 4000, 1, 0, seed);       /* data binds */
        compare(127, 17, 0, 100, 1, 0, seed);        /* one TLP's worth */
        compare(127, 2047, 6, 400, 900, 0, seed);    /* lines bind */
        compare(16, 100, 20, 900, 700, 300, seed);   /* everything, and writes one after the other */
        compare(1, 16 + 1, 5, 50, 60, 1, seed);
    }
}

/* T <= C * 64 / L: 92 lines of 300 ns carry 19.6 GB/s; at 420 ns 14.0 (Understanding the Host Network, SIGCOMM 2024). 1 cycle = 10 ps. */
static void rate_of_the_lines(void)
{
    static const int64_t line_cyc[] = {30000, 42000, 60000};
    for (int i = 0; i < 3; i++) {
        struct pcie_params params = adverts(127, 2047, 92);
        struct flow flow;
        CU_ASSERT_EQUAL_FATAL(flow_init(&flow, &params, 15000, line_cyc[i], 0), 0);
        struct flow_tlp tlp = {600, 16, 4, 0};     /* 256 B in 6 ns: more than the host takes */
        int64_t free_cyc = 0, first = 0, last = 0; /* 80 times all 92 lines, 4 a TLP */
        enum flow_lack lack;
        for (int n = 0; n < 300 + 80 * 23; n++) {
            int64_t start = flow_posted_when(&flow, tlp, free_cyc, &lack);
            last = flow_send(&flow, tlp, start);
            first = n == 299 ? last : first;
            free_cyc = start + 600;
        }
        double bytes_a_ns = 80 * 23 * 256.0 / ((double)(last - first) / 100);
        CU_ASSERT_DOUBLE_EQUAL(bytes_a_ns, 92 * 64.0 / ((double)line_cyc[i] / 100), 0.02);
        flow_free(&flow);
    }
}

/* 50 data credits, TLPs of 16 that take 100 cycles each; the largest takes 17. With 50 - 2 * 17 + 1 credits for the time of the way back nothing
 * can bind: up to 106 cycles. Three are in the air at most, so from 200 cycles on something does. */
static void sparse_enough(void)
{
    static const struct {
        int64_t back_cyc;
        int is_sparse;
    } row[] = {{100, 1}, {106, 1}, {107, 0}, {200, 0}, {206, 0}, {300, 0}};
    struct flow_tlp tlp = {100, 16, 4, 0};
    struct pcie_params params = adverts(127, 50, 0);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct flow flow;
        CU_ASSERT_EQUAL_FATAL(flow_init(&flow, &params, row[i].back_cyc, 1, 0), 0);
        CU_ASSERT_EQUAL(flow_is_sparse(&flow, tlp), row[i].is_sparse);
        flow_free(&flow);
    }
}

/* 20 credits, taken by TLPs of 8, 8 and 2, which are back at 300, 400 and 500: one of 16 waits for two of them, and one of 4 that asks
 * after it for the first alone. */
static void small_behind_large(void)
{
    struct pcie_params params = adverts(127, 20, 0);
    enum flow_lack lack = FLOW_NO_PH;
    struct flow flow;
    CU_ASSERT_EQUAL_FATAL(flow_init(&flow, &params, 200, 1, 0), 0);
    flow_send(&flow, (struct flow_tlp){100, 8, 2, 0}, 0);
    flow_send(&flow, (struct flow_tlp){100, 8, 2, 0}, 100);
    flow_send(&flow, (struct flow_tlp){100, 2, 1, 0}, 200);
    CU_ASSERT_EQUAL(flow_posted_when(&flow, (struct flow_tlp){100, 16, 4, 0}, 250, &lack), 400);
    CU_ASSERT_EQUAL(lack, FLOW_NO_PD);
    CU_ASSERT_EQUAL(flow_posted_when(&flow, (struct flow_tlp){100, 4, 1, 0}, 250, &lack), 300);
    CU_ASSERT_EQUAL(flow_posted_when(&flow, (struct flow_tlp){100, 2, 1, 0}, 250, &lack), 250);
    flow_free(&flow);
}

void suite_pcie_flow(void);
void suite_pcie_flow(void)
{
    CU_pSuite suite = CU_add_suite("pcie: flow control", NULL, NULL);
    CU_add_test(suite, "posted credits and lines against a reference", posted_against_reference);
    CU_add_test(suite, "the rate of the host's lines", rate_of_the_lines);
    CU_add_test(suite, "sparse enough", sparse_enough);
    CU_add_test(suite, "a small TLP behind a large one", small_behind_large);
}
