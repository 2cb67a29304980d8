/* Memory that the caller lends: the NICs read and write it in place. */
#include "api/rnicsim.h"

#include <CUnit/Basic.h>
#include <stdlib.h>
#include <string.h>

void suite_api_lend(void);

#define AT UINT64_C(0x10000)
#define COUNT 8192u

static struct rnicsim *open_pair(int data)
{
    struct rnicsim_options options = {
        .board = "u280_100g", .seed = 1, .data_dir = RNICSIM_SOURCE_DIR "/model/config", .data = data};
    struct rnicsim *sim;
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &sim, &error), RNICSIM_OK);
    for (uint32_t host = 0; host < 2; host++) {
        struct rnicsim_qp_attr qp = {.host = host,
                                     .qpn = 1,
                                     .peer_host = host ^ 1,
                                     .peer_qpn = 1,
                                     .mtu_bytes = 1024,
                                     .sq_depth = 4};
        CU_ASSERT_EQUAL_FATAL(rnicsim_qp_create(sim, &qp, &error), RNICSIM_OK);
    }
    return sim;
}

static void write_over(struct rnicsim *sim)
{
    struct rnicsim_wr wr = {.local_address = AT + 100,
                            .remote_address = AT + 4000,
                            .length_bytes = 3000,
                            .opcode = RNICSIM_WRITE,
                            .flags = RNICSIM_SIGNALLED};
    struct rnicsim_error error;
    struct rnicsim_event event;
    CU_ASSERT_EQUAL(rnicsim_post_send(sim, 0, 1, &wr, 1, rnicsim_now(sim), &error), RNICSIM_OK);
    while (rnicsim_next_at(sim) != RNICSIM_NEVER) {
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(sim, RNICSIM_NEVER, NULL, &error), RNICSIM_OK);
        while (rnicsim_poll(sim, &event, 1) == 1)
            CU_ASSERT_EQUAL(event.status, 0);
    }
}

/* Both see each other's writes while it is lent; what is there then stays with the model. */
static void in_place(void)
{
    struct rnicsim *sim = open_pair(1);
    struct rnicsim_error error;
    unsigned char *mine[2], found[3000];
    for (uint32_t host = 0; host < 2; host++) {
        mine[host] = calloc(1, COUNT);
        CU_ASSERT_EQUAL(rnicsim_memory_lend(sim, host, AT, mine[host], COUNT, &error), RNICSIM_OK);
    }
    memset(mine[0] + 100, 7, 3000);
    write_over(sim);
    CU_ASSERT(mine[1][3999] == 0 && mine[1][4000] == 7 && mine[1][6999] == 7 && mine[1][7000] == 0);
    CU_ASSERT_EQUAL(rnicsim_memory_lend(sim, 1, AT, NULL, COUNT, &error), RNICSIM_OK);
    memset(mine[0] + 100, 9, 3000);
    write_over(sim);
    CU_ASSERT(mine[1][4000] == 7);
    CU_ASSERT_EQUAL(rnicsim_memory_read(sim, 1, AT + 4000, found, sizeof found, &error), RNICSIM_OK);
    CU_ASSERT(found[0] == 9 && found[2999] == 9);
    rnicsim_destroy(sim);
    free(mine[0]);
    free(mine[1]);
}

static void refused(void)
{
    struct rnicsim *sim = open_pair(1), *without = open_pair(0);
    struct rnicsim_error error;
    static unsigned char page[4096];
    CU_ASSERT_EQUAL(rnicsim_memory_lend(sim, 0, AT + 1, page, 4096, &error), RNICSIM_EINPUT);
    CU_ASSERT(strstr(error.text, "multiples of 4096") != NULL);
    CU_ASSERT_EQUAL(rnicsim_memory_lend(sim, 0, AT, page, 100, &error), RNICSIM_EINPUT);
    CU_ASSERT_EQUAL(rnicsim_memory_lend(sim, 2, AT, page, 4096, &error), RNICSIM_EINPUT);
    CU_ASSERT_EQUAL(rnicsim_memory_lend(without, 0, AT, page, 4096, &error), RNICSIM_EINPUT);
    CU_ASSERT(strstr(error.text, "data = 1") != NULL);
    rnicsim_destroy(sim);
    rnicsim_destroy(without);
}

void suite_api_lend(void)
{
    CU_pSuite suite = CU_add_suite("api: memory that is lent", NULL, NULL);
    CU_add_test(suite, "both see each other's writes", in_place);
    CU_add_test(suite, "what is refused", refused);
}
