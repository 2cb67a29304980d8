/* Headroom: the closed form against the search, the calculators against the figures that are published. */
#include "mac/headroom.h"

#include <CUnit/Basic.h>

static struct headroom given_of(int64_t gbps, int64_t metres, uint32_t bytes)
{
    return (struct headroom){.rate_bps = gbps * 1000000000,
                             .cable_ps = metres * 5050,
                             .interface_ps = 100000,
                             .request_ps = 10000,
                             .response_ps = 50000,
                             .own_bytes = bytes,
                             .frame_bytes = bytes,
                             .cell_bytes = 64,
                             .frame_least = 60,
                             .overhead = 24};
}

static void closed_form_is_what_the_search_finds(void)
{
    static const int64_t rate[] = {10, 25, 40, 50, 100, 200, 400}, metres[] = {1, 3, 40, 100, 300};
    static const uint32_t bytes[] = {60, 64, 130, 1082, 4178, 9214};
    for (size_t r = 0; r < 7; r++)
        for (size_t m = 0; m < 5; m++)
            for (size_t b = 0; b < 6; b++) {
                struct headroom given = given_of(rate[r], metres[m], bytes[b]);
                CU_ASSERT_EQUAL(headroom_search_cells(&given), headroom_cells(&given));
                given.own_bytes = 9214;
                given.cell_bytes = 96;
                given.response_ps = headroom_quanta_ps(given.rate_bps, headroom_standard_quanta(given.rate_bps));
                CU_ASSERT_EQUAL(headroom_search_cells(&given), headroom_cells(&given));
                /* whatever the frames' size, a buffer for any has room for them */
                CU_ASSERT(headroom_cells(&given) / ((bytes[b] + 95) / 96) * bytes[b] <= headroom_any_bytes(&given));
            }
}

/* xoff of lossless 1024, port MTU 9216, cells of 96: 5, 40 and 300 m. */
static void sonic_is_as_its_tables(void)
{
    static const struct {
        int64_t gbps, xoff[3];
    } row[] = {{10, {29696, 30720, 36864}},   {25, {31744, 33792, 50176}},   {50, {40960, 45056, 76800}},
               {100, {72704, 80896, 144384}}, {200, {80896, 98304, 225280}}, {400, {141312, 175104, 429056}}};
    static const int64_t metres[] = {5, 40, 300};
    for (size_t i = 0; i < 6; i++)
        for (size_t m = 0; m < 3; m++) {
            struct headroom_sonic given = {row[i].gbps * 1000000000, metres[m] * 1000, 9216, 1024, 96, 100};
            CU_ASSERT_EQUAL(headroom_sonic_bytes(&given), row[i].xoff[m]);
        }
    struct headroom_sonic small = {10000000000, 5000, 9216, 1024, 96, 0};
    CU_ASSERT_EQUAL(headroom_sonic_bytes(&small), 16384);
    small.rate_bps = 100000000000;
    CU_ASSERT_EQUAL(headroom_sonic_bytes(&small), 37888);
    small.rate_bps = 400000000000;
    CU_ASSERT_EQUAL(headroom_sonic_bytes(&small), 71680);
}

static void mlx5_and_cisco_are_as_published(void)
{
    CU_ASSERT_EQUAL(headroom_mlx5_bytes(100000000000, 7000, 4200), 43036);
    CU_ASSERT_EQUAL(headroom_mlx5_bytes(200000000000, 7000, 4200), 74648);
    CU_ASSERT_EQUAL(headroom_mlx5_bytes(400000000000, 7000, 4200), 137872);
    CU_ASSERT_EQUAL(headroom_mlx5_bytes(100000000000, 100000, 9216), 76768);
    CU_ASSERT_EQUAL(headroom_cisco_bytes(10000000000, 3000, 9216), 24482);
    CU_ASSERT_EQUAL(headroom_cisco_bytes(25000000000, 3000, 9216), 25306);
    CU_ASSERT_EQUAL(headroom_cisco_bytes(40000000000, 3000, 9216), 32402);
    CU_ASSERT_EQUAL(headroom_cisco_bytes(100000000000, 3000, 9216), 74867);
    CU_ASSERT_EQUAL(headroom_cisco_bytes(25000000000, 100000, 9216), 28337);
    CU_ASSERT_EQUAL(headroom_cisco_bytes(100000000000, 100000, 9216), 86992);
    CU_ASSERT_EQUAL(headroom_cisco_bytes(50000000000, 3000, 9216), 0);
}

/* With the standard's response, Cisco's interface delays and no request of its own the model's form for any frames is Cisco's sum. */
static void at_the_standards_limit_it_is_the_worked_example(void)
{
    static const int64_t rate[] = {10, 25, 40, 100}, interface_bits[] = {8192, 6144, 24576, 122880};
    for (size_t r = 0; r < 4; r++)
        for (int64_t metres = 3; metres <= 100; metres += 97) {
            struct headroom given = given_of(rate[r], metres, 9212);
            given.cable_ps = metres * 5000;
            given.interface_ps = interface_bits[r] * 1000 / rate[r];
            given.request_ps = 0;
            given.response_ps = headroom_quanta_ps(given.rate_bps, headroom_standard_quanta(given.rate_bps));
            int64_t more = headroom_any_bytes(&given) - headroom_cisco_bytes(given.rate_bps, metres * 1000, 9216);
            CU_ASSERT(more >= -2 && more <= 2);
        }
}

void suite_mac_headroom(void);
void suite_mac_headroom(void)
{
    CU_pSuite suite = CU_add_suite("mac: headroom", NULL, NULL);
    CU_add_test(suite, "the closed form is what the search finds", closed_form_is_what_the_search_finds);
    CU_add_test(suite, "SONiC is as its tables", sonic_is_as_its_tables);
    CU_add_test(suite, "mlx5 and Cisco are as published", mlx5_and_cisco_are_as_published);
    CU_add_test(suite, "at the standard's limit it is the worked example",
                at_the_standards_limit_it_is_the_worked_example);
}
