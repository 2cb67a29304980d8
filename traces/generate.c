#include "traces/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/generate_job.h"
#include "traces/text.h"

#define REQUESTS_MAX 4000000000u
#define DEPTH_MAX 32768u
#define DEPTH_CLOSED 16u
#define DEPTH_OPEN 256u
#define INLINE_MAX 1024u
#define BURST_MAX 1000000000u
#define ZIPF_DIGITS 6
#define ZIPF_MAX 10u
#define PAGE_BYTES 4096u
#define RECEIVES_MOST 64u /* a QP: more than can arrive while the CPU posts one again */

static int check_number(uint64_t number, uint64_t least, uint64_t most, const char *what, struct rnicsim_error *error)
{
    if (number >= least && number <= most)
        return 0;
    return trace_fail(error, "%s %llu: allowed are %llu to %llu", what, (unsigned long long)number,
                      (unsigned long long)least, (unsigned long long)most);
}

static int is_mtu(uint64_t mtu)
{
    return mtu == 256 || mtu == 512 || mtu == 1024 || mtu == 2048 || mtu == 4096;
}

static int check_numbers(struct trace_generate *options, struct rnicsim_error *error)
{
    if (options->depth == 0)
        options->depth = options->arrival == TRACE_CLOSED ? DEPTH_CLOSED : DEPTH_OPEN;
    if (check_number(options->requests, 1, REQUESTS_MAX, "requests", error) != 0 ||
        check_number(options->qps, 1, TRACE_GENERATE_QPS_MAX, "qps", error) != 0 ||
        check_number(options->depth, 1, DEPTH_MAX, "depth", error) != 0 ||
        check_number(options->inline_bytes, 0, INLINE_MAX, "inline", error) != 0 ||
        check_number(options->rd_atomic, 0, 65535, "rd-atomic", error) != 0)
        return -1;
    if (!is_mtu(options->mtu))
        return trace_fail(error, "mtu %llu: allowed are 256, 512, 1024, 2048 and 4096",
                          (unsigned long long)options->mtu);
    return 0;
}

static int check_arrival(const struct trace_generate *options, struct rnicsim_error *error)
{
    int is_burst = options->arrival == TRACE_BURST, is_closed = options->arrival == TRACE_CLOSED;
    if (is_closed && options->rate != NULL)
        return trace_fail(error, "a rate is of an open loop; arrival poisson, periodic or burst is needed with it");
    if (!is_closed && options->rate == NULL)
        return trace_fail(error, "arrival %s needs a rate", trace_arrival_name(options->arrival));
    if (!is_burst && (options->burst != 0 || options->burst_rate != NULL))
        return trace_fail(error, "burst and burst-rate are of arrival burst");
    if (is_burst && options->burst_rate == NULL)
        return trace_fail(error, "arrival burst needs burst and burst-rate");
    return is_burst ? check_number(options->burst, 1, BURST_MAX, "burst", error) : 0;
}

static int read_arrivals(struct trace_generate_job *job, struct rnicsim_error *error)
{
    const struct trace_generate *options = &job->options;
    struct trace_arrivals *arrivals = &job->arrivals;
    uint64_t mean = trace_sizes_mean(&job->sizes);
    *arrivals = (struct trace_arrivals){.arrival = options->arrival, .burst = options->burst, .seed = options->seed};
    if (options->arrival == TRACE_CLOSED)
        return 0;
    if (trace_arrivals_gap(options->rate, "rate", mean, &arrivals->gap, error) != 0)
        return -1;
    if (options->arrival != TRACE_BURST)
        return 0;
    if (trace_arrivals_gap(options->burst_rate, "burst-rate", mean, &arrivals->burst_gap, error) != 0)
        return -1;
    if (arrivals->burst_gap >= arrivals->gap)
        return trace_fail(error, "burst-rate \"%.40s\": allowed is more than the mean rate, \"%.40s\"",
                          options->burst_rate, options->rate);
    return 0;
}

static int take_opcode(void *context, const char *name, struct rnicsim_error *error)
{
    static const struct {
        const char *name;
        enum trace_opcode opcode;
    } allowed[] = {{"write", TRACE_OP_WRITE},        {"write_imm", TRACE_OP_WRITE_IMM}, {"send", TRACE_OP_SEND},
                   {"send_imm", TRACE_OP_SEND_IMM},  {"read", TRACE_OP_READ},           {"cmp_swap", TRACE_OP_CMP_SWAP},
                   {"fetch_add", TRACE_OP_FETCH_ADD}};
    struct trace_generate_job *job = context;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (strcmp(name, allowed[i].name) == 0) {
            job->opcode[job->opcodes.count] = allowed[i].opcode;
            job->receives += (uint64_t)trace_opcode_is_received(allowed[i].opcode);
            return 0;
        }
    return trace_fail(
        error, "opcode \"%.40s\": allowed are write, write_imm, send, send_imm, read, cmp_swap and fetch_add", name);
}

static int read_zipf(struct trace_generate_job *job, struct rnicsim_error *error)
{
    uint64_t exponent;
    if (job->options.zipf == NULL)
        return 0;
    if (trace_text_decimal(job->options.zipf, ZIPF_DIGITS, ZIPF_MAX, "zipf", &exponent, error) != 0)
        return -1;
    if (trace_choice_zipf(&job->qps, exponent, job->options.qps) != 0)
        return trace_fail(error, "out of memory for %llu QPs", (unsigned long long)job->options.qps);
    return 0;
}

/* Small buffers are a power of two, larger ones whole pages: none crosses more pages than it must. */
static uint64_t slot_bytes(uint32_t largest)
{
    uint64_t bytes = 64;
    while (bytes < largest && bytes < PAGE_BYTES)
        bytes *= 2;
    return bytes >= largest ? bytes : (largest + (uint64_t)PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* "1,2,3", each from `least` to `most`. */
static int read_list(struct trace_generate_list *list, const char *text, uint64_t least, uint64_t most,
                     const char *what, struct rnicsim_error *error)
{
    char copy[TRACE_GENERATE_LIST_BYTES], *rest = NULL;
    if (text == NULL)
        return 0;
    if (strlen(text) >= sizeof copy)
        return trace_fail(error, "%s: allowed are up to %zu characters", what, sizeof copy - 1);
    memcpy(copy, text, strlen(text) + 1);
    for (char *word = strtok_r(copy, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
        uint64_t value;
        if (trace_text_number(word, most, what, &value, error) != 0 ||
            check_number(value, least, most, what, error) != 0)
            return -1;
        list->value[list->count++] = (uint32_t)value;
    }
    return list->count > 0 ? 0 : trace_fail(error, "%s \"%.40s\": allowed are numbers with commas between", what, text);
}

static int read_options(struct trace_generate_job *job, struct rnicsim_error *error)
{
    const struct trace_generate *options = &job->options;
    if (check_numbers(&job->options, error) != 0 || check_arrival(options, error) != 0 ||
        trace_sizes_parse(&job->sizes, options->size, error) != 0 ||
        trace_choice_parse(&job->opcodes, options->opcode, "opcode", take_opcode, job, error) != 0 ||
        read_arrivals(job, error) != 0 || read_zipf(job, error) != 0 ||
        read_list(&job->sl, options->sl, 0, 15, "sl", error) != 0 ||
        read_list(&job->weight, options->weight, 1, 255, "weight", error) != 0)
        return -1;
    job->slot_bytes = slot_bytes(trace_sizes_largest(&job->sizes));
    if (job->receives != 0)
        job->receives = 2 * options->depth < RECEIVES_MOST ? 2 * options->depth : RECEIVES_MOST;
    job->qp = calloc(options->qps, sizeof *job->qp);
    return job->qp != NULL ? 0 : trace_fail(error, "out of memory for %llu QPs", (unsigned long long)options->qps);
}

static int add_notes(struct trace_generate_job *job, struct rnicsim_error *error)
{
    const struct trace_generate *options = &job->options;
    char text[TRACE_NOTE_MAX + 1];
    int length = snprintf(text, sizeof text,
                          "made by rnicsim %s trace gen --qps %llu --size %s --requests %llu --opcode %s --arrival %s "
                          "--depth %llu --mtu %llu --inline %llu --seed %llu",
                          RNICSIM_VERSION, (unsigned long long)options->qps, options->size,
                          (unsigned long long)options->requests, options->opcode, trace_arrival_name(options->arrival),
                          (unsigned long long)options->depth, (unsigned long long)options->mtu,
                          (unsigned long long)options->inline_bytes, (unsigned long long)options->seed);
    const struct {
        const char *option, *value;
    } more[] = {{"rate", options->rate},
                {"burst-rate", options->burst_rate},
                {"zipf", options->zipf},
                {"sl", options->sl},
                {"weight", options->weight}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (more[i].value != NULL && length < (int)sizeof text)
            length +=
                snprintf(text + length, sizeof text - (size_t)length, " --%s \"%s\"", more[i].option, more[i].value);
    if (options->burst != 0 && length < (int)sizeof text)
        length +=
            snprintf(text + length, sizeof text - (size_t)length, " --burst %llu", (unsigned long long)options->burst);
    if (options->rd_atomic != 0 && length < (int)sizeof text)
        length += snprintf(text + length, sizeof text - (size_t)length, " --rd-atomic %llu",
                           (unsigned long long)options->rd_atomic);
    return trace_header_add_note(&job->header, text, error);
}

static int add_qps(struct trace_generate_job *job, struct rnicsim_error *error)
{
    for (uint32_t i = 0; i < job->options.qps; i++)
        for (uint32_t host = 0; host < 2; host++) {
            struct trace_qp qp = {.host = host,
                                  .qpn = i + 1,
                                  .type = TRACE_RC,
                                  .peer_host = 1 - host,
                                  .peer_qpn = i + 1,
                                  .mtu = (uint32_t)job->options.mtu,
                                  .sq_depth = host == 0 ? (uint32_t)job->options.depth : 1,
                                  .rq_depth = host == 1 ? (uint32_t)job->receives : 0,
                                  .max_inline = (uint32_t)job->options.inline_bytes,
                                  .service_level = job->sl.count > 0 ? job->sl.value[i % job->sl.count] : 0,
                                  .weight = job->weight.count > 0 ? job->weight.value[i % job->weight.count] : 1,
                                  .rd_atomic = (uint32_t)job->options.rd_atomic};
            if (trace_header_add_qp(&job->header, &qp, error) != 0)
                return -1;
        }
    return 0;
}

static int fill_header(struct trace_generate_job *job, struct rnicsim_error *error)
{
    if (add_notes(job, error) != 0 || add_qps(job, error) != 0)
        return -1;
    for (uint32_t host = 0; host < 2; host++) {
        uint64_t buffers = job->options.qps * (job->options.depth + (host == 1 ? job->receives : 0));
        struct trace_mr mr = {.host = host,
                              .key = TRACE_GENERATE_KEY,
                              .base = TRACE_GENERATE_BASE,
                              .length = buffers * job->slot_bytes,
                              .page_bytes = PAGE_BYTES,
                              .access =
                                  TRACE_LOCAL_WRITE | TRACE_REMOTE_WRITE | TRACE_REMOTE_READ | TRACE_REMOTE_ATOMIC};
        if (trace_header_add_mr(&job->header, &mr, error) != 0)
            return -1;
    }
    return 0;
}

static int run(struct trace_generate_job *job, const char *out_path, struct rnicsim_error *error)
{
    struct trace_writer *writer;
    if (read_options(job, error) != 0 || fill_header(job, error) != 0 ||
        trace_create(out_path, &job->header, &writer, error) != 0)
        return -1;
    if (trace_generate_records(job, writer, error) != 0) {
        trace_discard(writer);
        return -1;
    }
    return trace_finish(writer, error);
}

int trace_generate(const struct trace_generate *generate, const char *out_path, struct rnicsim_error *error)
{
    struct trace_generate_job job = {.options = *generate};
    int result = run(&job, out_path, error);
    trace_sizes_free(&job.sizes);
    trace_choice_free(&job.opcodes);
    trace_choice_free(&job.qps);
    trace_header_free(&job.header);
    free(job.qp);
    return result;
}
