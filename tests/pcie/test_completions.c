/* How a host cuts what it returns. */
#include "pcie/pcie.h"

#include <CUnit/Basic.h>

static const struct {
    int apart;
    uint64_t address;
    uint32_t bytes, tlps, link_bytes;
} rows[] = {{0, 0, 100, 1, 120},  {1, 0, 100, 2, 140}, {1, 0, 64, 1, 84},     {1, 0, 60, 1, 80},
            {1, 0, 128, 1, 148},  {0, 0, 257, 2, 300}, {1, 0, 257, 2, 300},   {0, 0, 300, 2, 340},
            {1, 0, 300, 2, 340},  {0, 0, 500, 2, 540}, {1, 0, 500, 3, 560},   {1, 32, 96, 1, 116},
            {1, 32, 100, 2, 140}, {1, 0, 512, 2, 552}, {0, 0, 2047, 8, 2208}, {1, 0, 2047, 9, 2228}};

static void partial_lines(void)
{
    struct sim sim;
    struct clk clk;
    struct pcie pcie;
    char error[100];
    CU_ASSERT_EQUAL_FATAL(sim_init(&sim, 1), 0);
    CU_ASSERT_EQUAL_FATAL(clk_init(&clk, 4000, 1, 0), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pcie_params params = {.generation = 3,
                                     .lanes = 8,
                                     .link_latency = 100000,
                                     .mps = 256,
                                     .mrrs = 4096,
                                     .rcb = 64,
                                     .partial_line = rows[i].apart,
                                     .tags = 8,
                                     .completion_buffer = 32768,
                                     .completion_headers = 512,
                                     .user_width = 512,
                                     .mps_most = 4096,
                                     .posted_headers = 127,
                                     .posted_data = 2047 * 16,
                                     .nonposted_headers = 127,
                                     .endpoint_posted_headers = 64,
                                     .endpoint_posted_data = 8192,
                                     .replay_buffer = 32768,
                                     .completion_timeout = INT64_C(50000000000),
                                     .host_write_lines = 92};
        params.host_read = (struct param_dist){2, {{0, 200000}, {1000000000, 200000}}};
        params.host_write = params.host_wake = params.host_stall = params.host_read;
        CU_ASSERT_EQUAL_FATAL(pcie_init(&pcie, &sim, &params, &clk, 0, 1, 1, 0, error, sizeof error), 0);
        struct pcie_tlps tlps = pcie_completions_of(&pcie, rows[i].address, rows[i].bytes);
        CU_ASSERT_EQUAL(tlps.tlps, rows[i].tlps);
        CU_ASSERT_EQUAL(tlps.link_bytes, rows[i].link_bytes);
        pcie_free(&pcie);
    }
    sim_free(&sim);
}

void suite_pcie_completions(void);
void suite_pcie_completions(void)
{
    CU_pSuite suite = CU_add_suite("pcie: completions", NULL, NULL);
    CU_add_test(suite, "partial lines", partial_lines);
}
