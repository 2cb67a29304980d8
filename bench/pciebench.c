/* rnicsim pciebench: pcie-bench's measurements on a modelled host. */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/commands.h"
#include "bench/pciebench_fit.h"
#include "bench/pciebench_measure.h"

#define SIZES_MAX 64
#define SETS_MAX 64

enum {
    OPTION_HOST = 256,
    OPTION_TEST,
    OPTION_SIZE,
    OPTION_WINDOW,
    OPTION_CACHE,
    OPTION_OFFSET,
    OPTION_SAMPLES,
    OPTION_SEED,
    OPTION_FIT,
    OPTION_SYSTEM,
    OPTION_JSON
};

struct options {
    const char *host, *test, *size, *window, *cache, *offset, *samples, *seed, *fit, *system, *out;
    const char *set[SETS_MAX];
    size_t set_count;
    int json;
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct options *options = state->input;
    static const struct {
        int key;
        size_t offset;
    } text[] = {{OPTION_HOST, offsetof(struct options, host)},
                {OPTION_TEST, offsetof(struct options, test)},
                {OPTION_SIZE, offsetof(struct options, size)},
                {OPTION_WINDOW, offsetof(struct options, window)},
                {OPTION_CACHE, offsetof(struct options, cache)},
                {OPTION_OFFSET, offsetof(struct options, offset)},
                {OPTION_SAMPLES, offsetof(struct options, samples)},
                {OPTION_SEED, offsetof(struct options, seed)},
                {OPTION_FIT, offsetof(struct options, fit)},
                {OPTION_SYSTEM, offsetof(struct options, system)},
                {'o', offsetof(struct options, out)}};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (key == text[i].key) {
            memcpy((char *)options + text[i].offset, &value, sizeof value);
            return 0;
        }
    if (key == OPTION_JSON) {
        options->json = 1;
        return 0;
    }
    if (key != 's')
        return ARGP_ERR_UNKNOWN;
    if (options->set_count == SETS_MAX) {
        cli_fail("-s: allowed %d times", SETS_MAX);
        return CLI_TOLD;
    }
    options->set[options->set_count++] = value;
    return 0;
}

/* "8192", "8 KiB", "64MiB"; what: the option's name. Returns 0 or the exit status. */
static int read_bytes(const char *text, const char *what, uint64_t *out)
{
    static const struct {
        const char *name;
        int shift;
    } unit[] = {{"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
    char *end;
    errno = 0;
    uint64_t number = strtoull(text, &end, 10);
    end += *end == ' ';
    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
        if (text[0] >= '0' && text[0] <= '9' && errno == 0 && strcmp(end, unit[i].name) == 0 &&
            number <= UINT64_MAX >> unit[i].shift) {
            *out = number << unit[i].shift;
            return 0;
        }
    return cli_fail("%s: \"%s\" is no number of bytes, allowed are 64, \"8 KiB\", \"64 MiB\"", what, text);
}

static int read_sizes(const char *text, uint32_t *size, int *count)
{
    char part[32];
    uint64_t bytes;
    for (*count = 0; text; text = strchr(text, ','), text += text != NULL) {
        size_t length = strcspn(text, ",");
        if (length >= sizeof part || *count == SIZES_MAX)
            return cli_fail("--size: allowed are up to %d sizes, \"64,128,256\"", SIZES_MAX);
        memcpy(part, text, length);
        part[length] = 0;
        int result = read_bytes(part, "--size", &bytes);
        if (result != 0)
            return result;
        if (bytes == 0 || bytes > 4096)
            return cli_fail("--size: %" PRIu64 " B, allowed 1 to 4096 B", bytes);
        size[(*count)++] = (uint32_t)bytes;
        if (strchr(text, ',') == NULL)
            break;
    }
    return 0;
}

static int read_case(const struct options *options, struct pciebench_case *what)
{
    uint64_t offset = 0;
    *what = (struct pciebench_case){.window_bytes = PCIEBENCH_WINDOW_BYTES};
    if (pciebench_test_of(options->test, &what->test))
        return cli_fail("--test: \"%s\" is no test, allowed are lat_rd, lat_wrrd, bw_rd, bw_wr and bw_rdwr",
                        options->test);
    if (options->cache && strcmp(options->cache, "warm") != 0 && strcmp(options->cache, "cold") != 0)
        return cli_fail("--cache: \"%s\", allowed are warm and cold", options->cache);
    what->cold = options->cache && strcmp(options->cache, "cold") == 0;
    int result = options->window ? read_bytes(options->window, "--window", &what->window_bytes) : 0;
    if (result == 0 && options->offset)
        result = read_bytes(options->offset, "--offset", &offset);
    if (result == 0 && offset >= 4096)
        return cli_fail("--offset: %" PRIu64 " B, allowed 0 to 4095 B", offset);
    what->offset = (uint32_t)offset;
    if (result == 0 && options->samples)
        result = cli_number(options->samples, "--samples", 100000000, &what->samples);
    return result;
}

/* ---- output ---- */

static json_t *json_ns(struct quantile quantile)
{
    return quantile.known ? json_real((double)quantile.ps / 1000) : json_null();
}

static json_t *json_tail(const struct pciebench_answer *answer)
{
    json_t *tail = json_array();
    for (int i = 0; i < PCIEBENCH_TAILS; i++)
        json_array_append_new(
            tail, json_pack("{s:f, s:f}", "over_median_ns", pciebench_tail_ns(i), "percent", answer->tail_percent[i]));
    return tail;
}

static json_t *json_answer(const struct pciebench_case *what, const struct pciebench_answer *answer)
{
    json_t *object = json_pack("{s:s, s:I, s:I, s:s, s:I}", "test", pciebench_test_name(what->test), "size_bytes",
                               (json_int_t)what->bytes, "window_bytes", (json_int_t)what->window_bytes, "cache",
                               what->cold ? "cold" : "warm", "offset_bytes", (json_int_t)what->offset);
    if (!pciebench_is_latency(what->test)) {
        json_object_set_new(object, "gbps", json_real(answer->gbps));
        return object;
    }
    json_object_set_new(object, "min_ns", json_real((double)answer->min_ps / 1000));
    json_object_set_new(object, "mean_ns", json_real(answer->mean_ps / 1000));
    json_object_set_new(object, "median_ns", json_ns(answer->median));
    json_object_set_new(object, "p99_ns", json_ns(answer->p99));
    json_object_set_new(object, "p99.9_ns", json_ns(answer->p999));
    json_object_set_new(object, "tail", json_tail(answer));
    return object;
}

static void print_ns(struct quantile quantile)
{
    if (quantile.known)
        printf(" %12.1f", (double)quantile.ps / 1000);
    else
        printf(" %12s", "-");
}

static void print_row(const struct pciebench_case *what, const struct pciebench_answer *answer, int is_first)
{
    int is_latency = pciebench_is_latency(what->test);
    if (is_first)
        printf("%s, window %" PRIu64 " B, %s%s\n%6s %s\n", pciebench_test_name(what->test), what->window_bytes,
               what->cold ? "cold" : "warm", what->offset ? ", with an offset" : "", "size B",
               is_latency ? "      min ns    median ns       p99 ns     p99.9 ns" : "        Gb/s");
    printf("%6" PRIu32, what->bytes);
    if (!is_latency) {
        printf(" %12.2f\n", answer->gbps);
        return;
    }
    printf(" %12.1f", (double)answer->min_ps / 1000);
    print_ns(answer->median);
    print_ns(answer->p99);
    print_ns(answer->p999);
    putchar('\n');
}

/* One size: an object; several: an array of them. */
static int print_json(json_t *all, int count)
{
    int failed =
        json_dumpf(count == 1 ? json_array_get(all, 0) : all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    putchar('\n');
    return failed ? cli_fail("out of memory, or standard output cannot be written") : CLI_DONE;
}

static int measure(const struct options *options, const struct pciebench_host *host)
{
    struct pciebench_case what;
    struct rnicsim_error error;
    uint32_t size[SIZES_MAX];
    int count, result = read_case(options, &what);
    if (result == 0)
        result = read_sizes(options->size, size, &count);
    if (result != 0)
        return result;
    json_t *all = json_array();
    for (int i = 0; i < count && result == 0; i++) {
        struct pciebench_answer answer;
        what.bytes = size[i];
        int done = pciebench_measure(host, &what, &answer, &error);
        if (done != RNICSIM_OK)
            result = cli_fail_result(done, &error);
        else if (options->json)
            json_array_append_new(all, json_answer(&what, &answer));
        else
            print_row(&what, &answer, i == 0);
    }
    if (result == 0 && options->json)
        result = print_json(all, count);
    json_decref(all);
    return result;
}

int pciebench_main(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"host", OPTION_HOST, "NAME|FILE", 0, "the host: a preset's name, or a host file", 1},
        {"test", OPTION_TEST, "TEST", 0, "lat_rd, lat_wrrd, bw_rd, bw_wr or bw_rdwr", 1},
        {"size", OPTION_SIZE, "BYTES,...", 0, "of a transaction, 1 to 4096; several: a row each", 1},
        {"window", OPTION_WINDOW, "BYTES", 0, "of memory that is accessed: \"64 MiB\"; default 8 KiB", 1},
        {"cache", OPTION_CACHE, "warm|cold", 0, "whether the window is in the cache; default warm", 1},
        {"offset", OPTION_OFFSET, "BYTES", 0, "of each transaction; default 0", 1},
        {"samples", OPTION_SAMPLES, "N", 0, "latencies (default 100000) or transactions (50000)", 1},
        {NULL, 's', "KEY=VALUE", 0, "sets a parameter of the host; with --fit: what is known of it", 1},
        {"seed", OPTION_SEED, "N", 0, "of random numbers; default 1", 1},
        {"fit", OPTION_FIT, "FILE", 0, "instead: fits a host to measured figures, a CSV of pcie-bench", 2},
        {"system", OPTION_SYSTEM, "NAME", 0, "the rows to be fitted, where the file has several systems", 2},
        {NULL, 'o', "NAME.host", 0, "where --fit writes the host; default standard output", 2},
        {"json", OPTION_JSON, NULL, 0, "median_ns, p99_ns, p99.9_ns, or gbps", 3},
        {0}};
    const struct argp argp = {table, parse, NULL, "pcie-bench's measurements (NFP6000, Gen3 x8) on a modelled host.",
                              NULL,  NULL,  NULL};
    struct options options = {0};
    uint64_t seed = 1;
    int result = cli_parse(&argp, "pciebench", argc, argv, &options);
    if (result >= 0)
        return result;
    if (options.seed && (result = cli_number(options.seed, "--seed", UINT64_MAX, &seed)) != 0)
        return result;
    struct pciebench_host host = {
        .host = options.host, .set = options.set, .set_count = options.set_count, .seed = seed};
    if (options.fit)
        return pciebench_fit(&host, options.fit, options.system, options.out, options.json);
    if (!options.host || !options.test || !options.size)
        return cli_fail("--host, --test and --size are needed, or --fit; see pciebench --help");
    return measure(&options, &host);
}
