/* The API's promises: no globals, lookahead, quiet is quiet, parameters and accounts can be read, histograms. */
#include "api/api_internal.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <string.h>

static struct rnicsim *pair_with_receives(const char *board, uint64_t seed, uint32_t rq_depth)
{
    struct rnicsim_options options = {.board = board, .seed = seed, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct rnicsim *sim;
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &sim, &error), RNICSIM_OK);
    for (uint32_t host = 0; host < 2; host++) {
        struct rnicsim_qp_attr qp = {.host = host,
                                     .qpn = 9,
                                     .peer_host = host ^ 1,
                                     .peer_qpn = 9,
                                     .mtu_bytes = 4096,
                                     .sq_depth = 16,
                                     .rq_depth = rq_depth,
                                     .max_inline_bytes = 64};
        CU_ASSERT_EQUAL_FATAL(rnicsim_qp_create(sim, &qp, &error), RNICSIM_OK);
    }
    return sim;
}

static struct rnicsim *pair_of_nics(const char *board, uint64_t seed)
{
    return pair_with_receives(board, seed, 0);
}

static void post(struct rnicsim *sim, uint32_t host, int64_t at_ps)
{
    struct rnicsim_wr wr = {.local_address = 4096,
                            .remote_address = 8192,
                            .length_bytes = 3000,
                            .opcode = RNICSIM_WRITE,
                            .flags = RNICSIM_SIGNALLED};
    struct rnicsim_error error;
    CU_ASSERT_EQUAL(rnicsim_post_send(sim, host, 9, &wr, 1, at_ps, &error), RNICSIM_OK);
}

/* One message there and one back; the instant at which its completion is seen. */
static int64_t step(struct rnicsim *sim, uint32_t host)
{
    struct rnicsim_event event;
    struct rnicsim_error error;
    post(sim, host, rnicsim_now(sim));
    for (;;) {
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(sim, RNICSIM_NEVER, NULL, &error), RNICSIM_OK);
        while (rnicsim_poll(sim, &event, 1) == 1)
            if (event.kind == RNICSIM_SEND_DONE)
                return event.at_ps;
    }
}

static void two_in_one_process(void)
{
    int64_t alone[10];
    struct rnicsim *sim = pair_of_nics("u280_100g", 5);
    for (int i = 0; i < 10; i++)
        alone[i] = step(sim, (uint32_t)i & 1);
    rnicsim_destroy(sim);
    struct rnicsim *a = pair_of_nics("u280_100g", 5), *b = pair_of_nics("kcu116_25g", 6),
                   *c = pair_of_nics("u280_100g", 5);
    for (int i = 0; i < 10; i++) {
        CU_ASSERT_EQUAL(step(a, (uint32_t)i & 1), alone[i]);
        step(b, 0);
        CU_ASSERT_EQUAL(step(c, (uint32_t)i & 1), alone[i]);
    }
    rnicsim_destroy(a);
    rnicsim_destroy(b);
    rnicsim_destroy(c);
}

static void time_and_lookahead(void)
{
    struct rnicsim *sim = pair_of_nics("u280_100g", 1);
    struct rnicsim_error error;
    int64_t stopped;
    CU_ASSERT_EQUAL(rnicsim_next_at(sim), RNICSIM_NEVER); /* all is quiet */
    CU_ASSERT(rnicsim_lookahead(sim) > 0);
    CU_ASSERT_EQUAL(rnicsim_advance(sim, 1000000, &stopped, &error), RNICSIM_OK);
    CU_ASSERT_EQUAL(stopped, 1000000);
    CU_ASSERT_EQUAL(rnicsim_now(sim), 1000000);
    post(sim, 0, 3000000);
    CU_ASSERT(rnicsim_next_at(sim) >= 3000000 + rnicsim_lookahead(sim));
    CU_ASSERT_EQUAL(rnicsim_advance(sim, RNICSIM_NEVER, &stopped, &error), RNICSIM_OK);
    struct rnicsim_event event[4];
    CU_ASSERT_EQUAL(rnicsim_poll(sim, event, 4), 1); /* it stops at what the peer's memory shows first */
    CU_ASSERT_EQUAL(event[0].kind, RNICSIM_WRITE_VISIBLE);
    CU_ASSERT_EQUAL(event[0].at_ps, stopped);
    for (int i = 1; i < RNICSIM_STAMP_COUNT; i++) /* later stamps are later, or still to come */
        CU_ASSERT(event[0].stamp_ps[i] >= event[0].stamp_ps[i - 1]);
    rnicsim_destroy(sim);
}

static void parameters_can_be_read(void)
{
    const char *set[] = {"pcie.tags=32", "stage.tx.mac.latency=7 cycle"};
    struct rnicsim_options options = {
        .board = "u280_100g", .set = set, .set_count = 2, .data_dir = RNICSIM_SOURCE_DIR "/model/config"};
    struct rnicsim *sim;
    struct rnicsim_error error;
    CU_ASSERT_EQUAL_FATAL(rnicsim_create(&options, &sim, &error), RNICSIM_OK);
    int changed = 0;
    for (size_t i = 0; i < rnicsim_param_count(sim); i++) {
        struct rnicsim_param_info info;
        CU_ASSERT_EQUAL(rnicsim_param(sim, i, &info), RNICSIM_OK);
        changed += info.changed;
        if (strcmp(info.key, "pcie.tags") == 0)
            CU_ASSERT_STRING_EQUAL(info.value, "32");
        if (strcmp(info.class_name, "assumed") != 0)
            CU_ASSERT(info.source[0] != 0); /* whoever says measured or documented names the source */
    }
    CU_ASSERT_EQUAL(changed, 2);
    CU_ASSERT_STRING_EQUAL(rnicsim_board_name(sim), "u280_100g");
    rnicsim_destroy(sim);
    options.board = "no_such_board";
    CU_ASSERT_EQUAL(rnicsim_create(&options, &sim, &error), RNICSIM_EINPUT);
    CU_ASSERT_PTR_NULL(sim);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "u280_100g")); /* it lists those that exist */
}

static void histograms(void)
{
    struct rnicsim_hist *hist = rnicsim_hist_create();
    for (int64_t i = 1; i <= 1000; i++)
        CU_ASSERT_EQUAL(rnicsim_hist_add(hist, i), 0);
    CU_ASSERT_EQUAL(rnicsim_hist_count(hist), 1000);
    CU_ASSERT_EQUAL(rnicsim_hist_percentile(hist, 990000000), 990);
    CU_ASSERT_EQUAL(rnicsim_hist_min(hist), 1);
    CU_ASSERT_EQUAL(rnicsim_hist_max(hist), 1000);
    CU_ASSERT_DOUBLE_EQUAL(rnicsim_hist_mean(hist), 500.5, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(rnicsim_hist_stdev(hist), 288.8194360957494, 1e-6);
    rnicsim_hist_destroy(hist);
}

static void refused(int result, const struct rnicsim_error *error, const char *says)
{
    CU_ASSERT_EQUAL(result, RNICSIM_EINPUT);
    if (!strstr(error->text, says))
        printf("\n    '%s' does not say '%s'", error->text, says);
    CU_ASSERT_PTR_NOT_NULL(strstr(error->text, says));
}

static void nothing_is_given(void)
{
    struct rnicsim_options options = {.board = "u280_100g", .set_count = 1};
    struct rnicsim *sim = pair_of_nics("u280_100g", 1), *none;
    struct rnicsim_wr wr = {.length_bytes = 8, .opcode = RNICSIM_WRITE};
    struct rnicsim_event event;
    struct rnicsim_error e = {""};
    refused(rnicsim_create(NULL, &none, &e), &e, "no options");
    refused(rnicsim_create(&options, &none, &e), &e, "set is NULL");
    refused(rnicsim_create(&options, NULL, &e), &e, "out is NULL");
    refused(rnicsim_post_send(sim, 0, 9, NULL, 1, 0, &e), &e, "is NULL, but count is 1");
    refused(rnicsim_post_send(sim, 0, 9, &wr, 0, 0, &e), &e, "count is 0, allowed from 1");
    refused(rnicsim_post_send(NULL, 0, 9, &wr, 1, 0, &e), &e, "no simulation");
    refused(rnicsim_post_recv(sim, 0, 9, NULL, 1, 0, &e), &e, "is NULL, but count is 1");
    refused(rnicsim_post_recv(sim, 0, 9, NULL, 0, 0, &e), &e, "count is 0, allowed from 1");
    refused(rnicsim_qp_create(sim, NULL, &e), &e, "attr is NULL");
    refused(rnicsim_mr_register(sim, NULL, &e), &e, "attr is NULL");
    refused(rnicsim_advance(NULL, 0, NULL, &e), &e, "no simulation");
    CU_ASSERT_EQUAL(rnicsim_poll(sim, NULL, 4), 0);
    CU_ASSERT_EQUAL(rnicsim_poll(NULL, &event, 1), 0);
    CU_ASSERT_EQUAL(rnicsim_post_send(sim, 0, 9, NULL, 1, 0, NULL), RNICSIM_EINPUT); /* the text is not wanted */
    rnicsim_destroy(sim);
    rnicsim_destroy(NULL);
}

/* 2^62 ps is the last instant; a message that is posted then comes through. */
static void the_end_of_time(void)
{
    struct rnicsim_wr wr = {.length_bytes = 8, .opcode = RNICSIM_WRITE, .flags = RNICSIM_SIGNALLED};
    struct rnicsim_recv recv = {.length_bytes = 8};
    struct rnicsim *sim = pair_of_nics("u280_100g", 1);
    struct rnicsim_event event;
    struct rnicsim_error e = {""};
    refused(rnicsim_post_send(sim, 0, 9, &wr, 1, RNICSIM_TIME_MAX + 1, &e), &e, "allowed up to 2^62");
    refused(rnicsim_post_send(sim, 0, 9, &wr, 1, INT64_MAX - 800, &e), &e, "allowed up to 2^62");
    refused(rnicsim_post_recv(sim, 0, 9, &recv, 1, INT64_MAX, &e), &e, "queue full"); /* of 0 */
    refused(rnicsim_advance(sim, INT64_MAX - 1, NULL, &e), &e, "2^62");
    CU_ASSERT_EQUAL(rnicsim_post_send(sim, 0, 9, &wr, 1, RNICSIM_TIME_MAX, &e), RNICSIM_OK);
    do {
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(sim, RNICSIM_NEVER, NULL, &e), RNICSIM_OK);
    } while (rnicsim_poll(sim, &event, 1) == 1 && event.kind != RNICSIM_SEND_DONE);
    CU_ASSERT_EQUAL(event.kind, RNICSIM_SEND_DONE);
    CU_ASSERT(event.at_ps > RNICSIM_TIME_MAX && event.at_ps < RNICSIM_TIME_MAX + 10000000);
    rnicsim_destroy(sim);
}

static int finds_itself_wrong(struct rnicsim *sim, void *argument, struct rnicsim_error *error)
{
    (void)error;
    model_assert(&sim->system.sim, argument == NULL, "a test says so");
    return RNICSIM_OK;
}

/* A library never exits: what is wrong inside is an error of this call and of each after it. */
static void the_model_is_wrong(void)
{
    struct rnicsim_wr wr = {.length_bytes = 8, .opcode = RNICSIM_WRITE};
    struct rnicsim *sim = pair_of_nics("u280_100g", 1);
    struct rnicsim_error e = {""};
    CU_ASSERT_EQUAL(api_guard(sim, finds_itself_wrong, NULL, &e), RNICSIM_OK);
    CU_ASSERT_EQUAL(api_guard(sim, finds_itself_wrong, sim, &e), RNICSIM_EMODEL);
    CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "a test says so"));
    e.text[0] = 0;
    CU_ASSERT_EQUAL(rnicsim_post_send(sim, 0, 9, &wr, 1, 0, &e), RNICSIM_EMODEL);
    CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "a test says so"));
    CU_ASSERT_EQUAL(rnicsim_advance(sim, RNICSIM_NEVER, NULL, &e), RNICSIM_EMODEL);
    rnicsim_destroy(sim);
}

/* A SEND's receiver learns that it was a SEND. */
static void the_sent_opcode(void)
{
    struct rnicsim_recv recv = {.length_bytes = 64};
    struct rnicsim_wr wr = {.length_bytes = 64, .opcode = RNICSIM_SEND, .flags = RNICSIM_SIGNALLED};
    struct rnicsim *sim = pair_with_receives("u280_100g", 1, 16);
    struct rnicsim_event event;
    struct rnicsim_error e;
    int seen = 0;
    CU_ASSERT_EQUAL(rnicsim_post_recv(sim, 1, 9, &recv, 1, 0, &e), RNICSIM_OK);
    CU_ASSERT_EQUAL(rnicsim_post_send(sim, 0, 9, &wr, 1, 0, &e), RNICSIM_OK);
    do {
        CU_ASSERT_EQUAL_FATAL(rnicsim_advance(sim, RNICSIM_NEVER, NULL, &e), RNICSIM_OK);
        while (rnicsim_poll(sim, &event, 1) == 1) {
            seen++;
            CU_ASSERT_EQUAL(event.opcode, event.kind == RNICSIM_RECV_DONE ? RNICSIM_RECV : RNICSIM_SEND);
            CU_ASSERT_EQUAL(event.sent_opcode, RNICSIM_SEND);
        }
    } while (rnicsim_next_at(sim) != RNICSIM_NEVER);
    CU_ASSERT_EQUAL(seen, 2);
    rnicsim_destroy(sim);
}

void suite_api(void);
void suite_api(void)
{
    CU_pSuite suite = CU_add_suite("api", NULL, NULL);
    CU_add_test(suite, "several simulations in one process", two_in_one_process);
    CU_add_test(suite, "time and lookahead", time_and_lookahead);
    CU_add_test(suite, "parameters can be read", parameters_can_be_read);
    CU_add_test(suite, "histograms", histograms);
    CU_add_test(suite, "nothing is given", nothing_is_given);
    CU_add_test(suite, "the end of time", the_end_of_time);
    CU_add_test(suite, "the model is wrong", the_model_is_wrong);
    CU_add_test(suite, "the opcode that was sent", the_sent_opcode);
}
