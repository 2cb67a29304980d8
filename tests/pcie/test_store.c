/* The host's stores and the endpoint's posted credits, against a reference that adds up what every store since the start still holds. */
#include "pcie/pcie.h"

#include <CUnit/Basic.h>

#include "config/param.h"
#include "kernel/rnd.h"

#define STORES 600

struct bench {
    struct sim sim;
    struct clk user;
    struct pcie_params params;
    struct pcie pcie;
};

static int64_t idle(void *self, int64_t now)
{
    (void)self;
    (void)now;
    return SIM_NEVER;
}

/* Gen3 x16, 250 MHz: credits are back 150 ns after a store is taken. */
static void begin(struct bench *b, int64_t headers, int64_t data_bytes)
{
    char error[160] = "";
    struct config_error wrong;
    *b = (struct bench){0};
    CU_ASSERT_EQUAL_FATAL(sim_init(&b->sim, 1), 0);
    CU_ASSERT_EQUAL_FATAL(clk_init_hz(&b->user, 250000000, 0, 0), 0);
    for (size_t i = 0; i < pcie_param_table.count; i++) {
        const struct param_desc *desc = &pcie_param_table.desc[i];
        CU_ASSERT_EQUAL_FATAL(param_parse(desc, desc->fallback_text, (char *)&b->params + desc->offset, &wrong), 0);
    }
    b->params.skips = PCIE_SKIPS_OFF;
    b->params.straddle = PCIE_STRADDLE_ON; /* a store takes its bytes' time */
    b->params.endpoint_posted_headers = headers;
    b->params.endpoint_posted_data = data_bytes;
    CU_ASSERT_EQUAL_FATAL(pcie_init(&b->pcie, &b->sim, &b->params, &b->user, 0, 4, 4, 0, error, sizeof error), 0);
    b->pcie.down_decider = b->pcie.up_decider = sim_add(&b->sim, idle, b, "idle", 1);
}

static void end(struct bench *b)
{
    pcie_free(&b->pcie);
    sim_free(&b->sim);
}

static int64_t credits_back_ps(int64_t taken_cyc)
{
    return taken_cyc * 4000 + 50000 + 100000;
}

/* With one header credit: a store that is at the root complex before the first one's credit waits for it, to the picosecond. */
static void to_the_picosecond(void)
{
    for (int64_t off = -2; off <= 2; off++) {
        struct bench b;
        begin(&b, 1, 8192);
        pcie_store(&b.pcie, 1000, 8, 1);
        CU_ASSERT_EQUAL(pcie_store_send(&b.pcie), 1);
        int64_t in_cyc = pcie_store_front(&b.pcie)->in_cyc;
        int64_t sent = clk_at_or_after(&b.pcie.link_clk, 1000) + 32;
        CU_ASSERT_EQUAL(in_cyc, clk_after(&b.user, clk_edge(&b.pcie.link_clk, sent) + 100000));
        int64_t back_cyc = clk_at_or_after(&b.pcie.link_clk, credits_back_ps(in_cyc + 7));
        int64_t at_ps = clk_edge(&b.pcie.link_clk, back_cyc + off);
        pcie_store(&b.pcie, at_ps, 8, 2);
        CU_ASSERT_EQUAL(pcie_store_send(&b.pcie), 0); /* the first is not taken yet */
        CU_ASSERT_EQUAL(pcie_store_take(&b.pcie, in_cyc + 7), in_cyc + 7);
        CU_ASSERT_EQUAL(b.sim.wake[b.pcie.down_decider] <= credits_back_ps(in_cyc + 7), 1);
        CU_ASSERT_EQUAL(pcie_store_send(&b.pcie), 1);
        int64_t ready = clk_at_or_after(&b.pcie.link_clk, at_ps);
        int64_t start = ready > back_cyc ? ready : back_cyc;
        CU_ASSERT_EQUAL(b.pcie.down_free_cyc, start + 32);
        CU_ASSERT_EQUAL(b.pcie.wait[PCIE_DOORBELL].credit_cyc[FLOW_NO_PH], start - ready);
        CU_ASSERT_EQUAL(ready < back_cyc, off < 0);
        end(&b);
    }
}

struct reference {
    int64_t back_ps[STORES];
    uint32_t data[STORES];
    int count; /* taken by the NIC */
    int untaken;
    int64_t untaken_data;
};

static int fits(const struct reference *r, int64_t at_ps, int64_t headers, int64_t credits, uint32_t data)
{
    int64_t held = r->untaken, held_data = r->untaken_data;
    for (int i = 0; i < r->count; i++) {
        held += r->back_ps[i] > at_ps;
        held_data += r->back_ps[i] > at_ps ? r->data[i] : 0;
    }
    return held + 1 <= headers && held_data + data <= credits;
}

/* The instant from which on it has its credits, among those at which any come back. */
static int64_t credits_at(const struct reference *r, int64_t headers, int64_t credits, uint32_t data)
{
    int64_t at = 0;
    for (int i = 0; i < r->count && !fits(r, at, headers, credits, data); i++)
        at = r->back_ps[i]; /* they rise */
    return at;
}

static void run_against_reference(int64_t headers, int64_t credits, uint64_t seed)
{
    static struct reference r;
    static const uint32_t sizes[] = {4, 8, 16, 32, 64};
    struct bench b;
    int64_t at_ps = 0, free_cyc = 0, delay[STORES], waited = 0;
    int taken = 0;
    r = (struct reference){0};
    begin(&b, headers, credits * 16);
    for (int i = 0; i < STORES; i++) {
        uint32_t bytes = sizes[rnd_u64(seed, 1, (uint64_t)i, 0) % 5];
        at_ps += 1 + (int64_t)(rnd_u64(seed, 2, (uint64_t)i, 0) % 60000);
        delay[i] = (int64_t)(rnd_u64(seed, 3, (uint64_t)i, 0) % 20);
        pcie_store(&b.pcie, at_ps, bytes, (uint32_t)i);
        while (!pcie_store_send(&b.pcie) && taken < i) {
            const struct store_held *store = pcie_store_front(&b.pcie);
            CU_ASSERT_EQUAL_FATAL(store->ref, (uint32_t)taken);
            int64_t at_cyc = pcie_store_take(&b.pcie, store->in_cyc + delay[taken]);
            r.data[r.count] = (store->bytes + 15) / 16;
            r.untaken_data -= r.data[r.count];
            r.untaken--;
            r.back_ps[r.count++] = credits_back_ps(at_cyc);
            taken++;
        }
        int64_t credit = clk_at_or_after(&b.pcie.link_clk, credits_at(&r, headers, credits, (bytes + 15) / 16));
        int64_t ready = clk_at_or_after(&b.pcie.link_clk, at_ps);
        ready = ready > free_cyc ? ready : free_cyc;
        waited += credit > ready ? credit - ready : 0;
        ready = credit > ready ? credit : ready;
        free_cyc = ready + interface_occupancy_cyc(&b.pcie.completions_side, bytes, bytes + 24);
        CU_ASSERT_EQUAL_FATAL(b.pcie.down_free_cyc, free_cyc);
        r.untaken++;
        r.untaken_data += (bytes + 15) / 16;
    }
    const int64_t *lack = b.pcie.wait[PCIE_DOORBELL].credit_cyc;
    CU_ASSERT_EQUAL(lack[FLOW_NO_PH] + lack[FLOW_NO_PD], waited);
    CU_ASSERT(waited > 0 || headers * credits > 64);
    end(&b);
}

static void against_reference(void)
{
    static const int64_t headers[] = {1, 2, 5, 16, 127}, credits[] = {16, 17, 40, 512};
    for (uint64_t i = 0; i < 20; i++)
        run_against_reference(headers[i % 5], credits[i / 5], i + 1);
}

/* In the end all are home. */
static void all_come_home(void)
{
    struct bench b;
    begin(&b, 3, 256);
    for (uint32_t i = 0; i < 50; i++) {
        pcie_store(&b.pcie, 1000 + i, 64, i);
        while (!pcie_store_send(&b.pcie))
            pcie_store_take(&b.pcie, 0);
    }
    while (pcie_store_front(&b.pcie))
        pcie_store_take(&b.pcie, 0);
    CU_ASSERT_EQUAL(b.pcie.stores.taken, 50);
    CU_ASSERT_EQUAL(b.pcie.count[PCIE_DOWN][PCIE_DOORBELL].tlps, 50);
    CU_ASSERT_EQUAL(b.pcie.count[PCIE_DOWN][PCIE_DOORBELL].link_bytes, 50 * 88);
    end(&b);
}

void suite_pcie_store(void);
void suite_pcie_store(void)
{
    CU_pSuite suite = CU_add_suite("pcie: the host's stores", NULL, NULL);
    CU_add_test(suite, "wait for a credit to the picosecond", to_the_picosecond);
    CU_add_test(suite, "against a reference", against_reference);
    CU_add_test(suite, "all credits come home", all_come_home);
}
