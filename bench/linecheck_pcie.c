#include "bench/linecheck_pcie.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "bench/cli.h"

#define SIZES 7
#define FIRST_BYTES 64u             /* and doubled up to 4,096 */
#define CLOCK_HZ INT64_C(250000000) /* without a board: PG213's for Gen3 x16 */
#define LATENCY_PS INT64_C(1000000)

enum {
    OPTION_PCIE = 5000,
    OPTION_LATENCY,
    OPTION_DESCRIPTOR,
    OPTION_MPS, /* and on: parameters */
    OPTION_MRRS,
    OPTION_RCB,
    OPTION_COMPLETIONS,
    OPTION_TAGS,
    OPTION_HEADERS,
    OPTION_BUFFER,
    OPTION_STRADDLE,
    OPTION_PARAMETERS_END
};

static error_t add_setting(struct linecheck_pcie *pcie, const char *key, const char *value)
{
    char *text = pcie->setting[pcie->settings];
    if (pcie->settings == LINECHECK_SETTINGS_MAX || strlen(value) > 100) {
        cli_fail("%.20s...: too many options, or a value too long", value);
        return CLI_TOLD;
    }
    pcie->settings++;
    snprintf(text, sizeof pcie->setting[0], "pcie.%s=%s", key, value);
    return model_options_set(&pcie->model, text);
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    static const char *const parameter[] = {
        "mps", "mrrs", "rcb", "completions", "tags", "completion_headers", "completion_buffer", "straddle"};
    struct linecheck_pcie *pcie = state->input;
    if (key >= OPTION_MPS && key < OPTION_PARAMETERS_END)
        return add_setting(pcie, parameter[key - OPTION_MPS], value);
    switch (key) {
    case OPTION_PCIE:
        pcie->link = value;
        return 0;
    case OPTION_LATENCY:
        pcie->latency = value;
        return 0;
    case OPTION_DESCRIPTOR:
        return add_setting(pcie, "request_descriptor", value) || add_setting(pcie, "completion_descriptor", value)
                   ? CLI_TOLD
                   : 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp *linecheck_pcie_argp(void)
{
    static const struct argp_option options[] = {
        {"pcie", OPTION_PCIE, "LINK", 0, "the link: \"gen3 x16\"; or a board's, with -b", 1},
        {"latency", OPTION_LATENCY, "TIME", 0, "of a read, to its last byte: \"1 us\" (the default)", 2},
        {"descriptor", OPTION_DESCRIPTOR, "BYTES", 0,
         "in band before each TLP on the user interface: \"16 B\"; as pcie.request_descriptor and "
         "pcie.completion_descriptor",
         3},
        {"mps", OPTION_MPS, "BYTES", 0, "as pcie.mps: \"256 B\"", 3},
        {"mrrs", OPTION_MRRS, "BYTES", 0, "as pcie.mrrs: \"512 B\"", 3},
        {"rcb", OPTION_RCB, "BYTES", 0, "as pcie.rcb: \"64 B\"", 3},
        {"completions", OPTION_COMPLETIONS, "mps|rcb", 0, "as pcie.completions", 3},
        {"tags", OPTION_TAGS, "N", 0, "as pcie.tags", 3},
        {"completion-headers", OPTION_HEADERS, "N", 0, "as pcie.completion_headers", 3},
        {"completion-buffer", OPTION_BUFFER, "BYTES", 0, "as pcie.completion_buffer: \"32 KiB\"", 3},
        {"straddle", OPTION_STRADDLE, "on|off", 0, "whether TLPs share a beat of the user interface; as pcie.straddle",
         3},
        {0},
    };
    static const struct argp argp = {options, parse, NULL, NULL, NULL, NULL, NULL};
    return &argp;
}

int linecheck_pcie_is_asked(const struct linecheck_pcie *pcie)
{
    return pcie->link || pcie->latency || pcie->model.board || pcie->model.host || pcie->model.set_count > 0;
}

void linecheck_pcie_free(struct linecheck_pcie *pcie)
{
    model_options_free(&pcie->model);
}

/* ---- the question ---- */

static int take_link(struct linecheck_pcie *pcie)
{
    char generation[12], lanes[12], more;
    if (!pcie->link)
        return pcie->model.board ? CLI_DONE : cli_fail("which link? --pcie \"gen3 x16\" or -b BOARD is needed");
    if (sscanf(pcie->link, "gen%11[0-9] x%11[0-9]%c", generation, lanes, &more) != 2)
        return cli_fail("--pcie \"%.40s\": allowed is, for example, \"gen3 x16\"", pcie->link);
    return add_setting(pcie, "generation", generation) || add_setting(pcie, "lanes", lanes) ? CLI_INPUT : CLI_DONE;
}

static int take_quantity(const char *text, enum rnicsim_quantity quantity, int64_t *value)
{
    struct rnicsim_error error;
    if (!text)
        return CLI_DONE;
    int result = rnicsim_parse(text, quantity, value, &error);
    return result == RNICSIM_OK ? CLI_DONE : cli_fail_result(result, &error);
}

static int ask(struct linecheck_pcie *pcie, const char *clock, const char *rate, struct rnicsim_pcie_bound *question)
{
    question->clock_hz = pcie->model.board ? 0 : CLOCK_HZ;
    question->latency_ps = LATENCY_PS;
    if (take_quantity(clock, RNICSIM_FREQUENCY, &question->clock_hz) ||
        take_quantity(rate, RNICSIM_RATE, &question->rate_bps) ||
        take_quantity(pcie->latency, RNICSIM_DURATION, &question->latency_ps))
        return CLI_INPUT;
    return CLI_DONE;
}

/* Of each size, writes first. */
static int reckon(const struct linecheck_pcie *pcie, const struct rnicsim_pcie_bound *question,
                  struct rnicsim_pcie_bound answer[2][SIZES])
{
    struct rnicsim_options options = {.seed = 1};
    struct rnicsim_error error;
    struct rnicsim *sim = NULL;
    int status = pcie->model.board ? model_options_create(&pcie->model, &options, &sim) : CLI_DONE;
    for (int i = 0; i < 2 * SIZES && status == CLI_DONE; i++) {
        struct rnicsim_pcie_bound *bound = &answer[i / SIZES][i % SIZES];
        *bound = *question;
        bound->is_read = i / SIZES;
        bound->bytes = FIRST_BYTES << i % SIZES;
        int result = sim ? rnicsim_pcie_bound(sim, bound, &error)
                         : rnicsim_pcie_bound_of(pcie->model.set, pcie->model.set_count, bound, &error);
        status = result == RNICSIM_OK ? CLI_DONE : cli_fail_result(result, &error);
    }
    rnicsim_destroy(sim);
    return status;
}

/* ---- the answer ---- */

static double gbps(int64_t bps)
{
    return (double)bps / 1e9;
}

static double ns(int64_t ps)
{
    return (double)ps / 1e3;
}

static json_t *row_of(const struct rnicsim_pcie_bound *bound)
{
    static const char *const key[RNICSIM_PCIE_LIMITS] = {"link_gbps", "user_gbps", "tags_gbps",
                                                         "completion_headers_gbps", "completion_data_gbps"};
    json_t *row = json_pack("{s:i, s:f}", "bytes", (int)bound->bytes, "raw_gbps", gbps(bound->raw_bps));
    for (int i = 0; i < RNICSIM_PCIE_LIMITS; i++)
        if (bound->limit_bps[i] != INT64_MAX)
            json_object_set_new(row, key[i], json_real(gbps(bound->limit_bps[i])));
    json_object_set_new(row, "gbps", json_real(gbps(bound->limit_bps[bound->binds])));
    json_object_set_new(row, "binds", json_string(rnicsim_pcie_limit_name(bound->binds)));
    if (bound->is_read && bound->rate_bps > 0)
        json_object_set_new(row, "latency_most_ns", json_real(ns(bound->latency_most_ps)));
    return row;
}

static int print_json(struct rnicsim_pcie_bound answer[2][SIZES])
{
    const struct rnicsim_pcie_bound *any = &answer[0][0];
    json_t *rows[2] = {json_array(), json_array()};
    for (int i = 0; i < 2 * SIZES; i++)
        json_array_append_new(rows[i / SIZES], row_of(&answer[i / SIZES][i % SIZES]));
    json_t *object = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:b, s:f, s:o, s:o}", "generation",
        (json_int_t)any->generation, "lanes", (json_int_t)any->lanes, "mps_bytes", (json_int_t)any->mps_bytes,
        "mrrs_bytes", (json_int_t)any->mrrs_bytes, "rcb_bytes", (json_int_t)any->rcb_bytes, "tags",
        (json_int_t)any->tags, "completion_headers", (json_int_t)any->completion_headers, "completion_buffer_bytes",
        (json_int_t)any->completion_buffer_bytes, "user_width_bits", (json_int_t)any->user_width_bits, "clock_mhz",
        (double)any->clock_hz / 1e6, "request_descriptor_bytes", (json_int_t)any->request_descriptor_bytes,
        "completion_descriptor_bytes", (json_int_t)any->completion_descriptor_bytes, "straddle", any->straddle,
        "latency_ns", ns(any->latency_ps), "write", rows[0], "read", rows[1]);
    int failed = !object || json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    json_decref(object);
    putchar('\n');
    return failed ? cli_fail("out of memory, or standard output cannot be written") : CLI_DONE;
}

/* What a reader can do with it: a rate is asked for in the size of the largest read. */
static void print_verdict(const struct rnicsim_pcie_bound *bound)
{
    double rate = gbps(bound->rate_bps);
    int is_reached = bound->limit_bps[bound->binds] >= bound->rate_bps;
    printf("\n%g Gb/s of reads: %s", rate, is_reached ? "reached" : "not reached, ");
    if (!is_reached)
        printf("%s", rnicsim_pcie_limit_name(bound->binds));
    if (bound->latency_most_ps > 0)
        printf("; up to a latency of %.0f ns\n", ns(bound->latency_most_ps / 1000 * 1000));
    else
        printf("; at no latency\n");
}

static void print_text(struct rnicsim_pcie_bound answer[2][SIZES])
{
    const struct rnicsim_pcie_bound *any = &answer[0][0];
    printf("Gen%" PRId64 " x%" PRId64 ", MPS %" PRId64 " B, MRRS %" PRId64 " B, RCB %" PRId64
           " B; user interface %" PRId64 " bit at %g MHz, descriptors %" PRId64 " and %" PRId64
           " B, straddle %s\n%" PRId64 " tags, %" PRId64 " completion headers, %" PRId64
           " B of completion data; %g ns to the last byte of a read\n\nGb/s of payload, at most:\n",
           any->generation, any->lanes, any->mps_bytes, any->mrrs_bytes, any->rcb_bytes, any->user_width_bits,
           (double)any->clock_hz / 1e6, any->request_descriptor_bytes, any->completion_descriptor_bytes,
           any->straddle ? "on" : "off", any->tags, any->completion_headers, any->completion_buffer_bytes,
           ns(any->latency_ps));
    for (int i = 0; i < 2 * SIZES; i++) {
        const struct rnicsim_pcie_bound *bound = &answer[i / SIZES][i % SIZES];
        if (i % SIZES == 0)
            printf("%-5s %7s %8s %8s %8s %8s %8s   %s\n", i == 0 ? "write" : "read", "bytes", "link", "user",
                   i == 0 ? "" : "tags", i == 0 ? "" : "CPLH", i == 0 ? "" : "CPLD", "least");
        printf("%-5s %7u", "", bound->bytes);
        for (int limit = 0; limit < RNICSIM_PCIE_LIMITS; limit++)
            if (bound->limit_bps[limit] == INT64_MAX)
                printf(" %8s", "");
            else
                printf(" %8.2f", gbps(bound->limit_bps[limit]));
        printf("   %.2f %s\n", gbps(bound->limit_bps[bound->binds]), rnicsim_pcie_limit_name(bound->binds));
    }
    if (any->rate_bps > 0)
        print_verdict(&answer[1][SIZES - 1]);
}

int linecheck_pcie_run(struct linecheck_pcie *pcie, const char *width, const char *clock, const char *rate, int json)
{
    struct rnicsim_pcie_bound question = {0}, answer[2][SIZES];
    int status = take_link(pcie);
    if (status == CLI_DONE && width && add_setting(pcie, "user_width", width))
        status = CLI_INPUT;
    if (status == CLI_DONE)
        status = ask(pcie, clock, rate, &question);
    if (status == CLI_DONE)
        status = reckon(pcie, &question, answer);
    if (status != CLI_DONE)
        return status;
    if (json)
        return print_json(answer);
    print_text(answer);
    return CLI_DONE;
}
