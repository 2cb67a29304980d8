#include "bench/perftest/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 128
#define TEXT_MAX 2048

enum { LONG_GBITS = 1000, LONG_GAP, LONG_SRQ, LONG_TAKEN, LONG_NOT_MODELLED };

/* An option with a number: where it goes and what perftest allows. */
struct number {
    int letter;
    size_t offset;
    uint64_t least, most;
};

#define NUMBER(letter, field, least, most)                            \
    {                                                                 \
        letter, offsetof(struct perftest_options, field), least, most \
    }
static const struct number numbers[] = {
    NUMBER('m', mtu_bytes, 256, 4096),  NUMBER('t', tx_depth, 1, 15000),        NUMBER('q', qps, 1, 16384),
    NUMBER('r', rx_depth, 1, 16384),    NUMBER('Q', cq_mod, 1, 1024),           NUMBER('l', post_list, 1, 15000),
    NUMBER('D', duration_s, 1, 100000), NUMBER('f', margin_s, 0, 100000),       NUMBER('I', inline_bytes, 0, 912),
    NUMBER('S', service_level, 0, 15),  NUMBER(LONG_GAP, gap_us, 0, 100000000), NUMBER('o', outs, 1, 16),
};
#undef NUMBER

static const struct option long_options[] = {
    {"mtu", 1, 0, 'm'},
    {"size", 1, 0, 's'},
    {"iters", 1, 0, 'n'},
    {"tx-depth", 1, 0, 't'},
    {"rx-depth", 1, 0, 'r'},
    {"qp", 1, 0, 'q'},
    {"inline_size", 1, 0, 'I'},
    {"cq-mod", 1, 0, 'Q'},
    {"post_list", 1, 0, 'l'},
    {"duration", 1, 0, 'D'},
    {"margin", 1, 0, 'f'},
    {"all", 0, 0, 'a'},
    {"bidirectional", 0, 0, 'b'},
    {"connection", 1, 0, 'c'},
    {"noPeak", 0, 0, 'N'},
    {"report-cycles", 0, 0, 'C'},
    {"report-histogrm", 0, 0, 'H'},
    {"report-unsorted", 0, 0, 'U'},
    {"report_gbits", 0, 0, LONG_GBITS},
    {"latency_gap", 1, 0, LONG_GAP},
    {"outs", 1, 0, 'o'},
    {"atomic_type", 1, 0, 'A'},
    {"qp-timeout", 1, 0, 'u'},
    {"port", 1, 0, 'p'},
    {"ib-dev", 1, 0, 'd'},
    {"ib-port", 1, 0, 'i'},
    {"gid-index", 1, 0, 'x'},
    {"sl", 1, 0, 'S'},
    {"tos", 1, 0, 'T'},
    {"CPU-freq", 0, 0, 'F'},
    {"comm_rdma_cm", 0, 0, 'z'},
    {"rdma_cm", 0, 0, 'R'},
    {"ipv6", 0, 0, LONG_TAKEN},
    {"use_hugepages", 0, 0, LONG_TAKEN},
    {"use_old_post_send", 0, 0, LONG_TAKEN},
    {"force-link", 1, 0, LONG_TAKEN},
    /* perftest has them, the model does not */
    {"events", 0, 0, 'e'},
    {"vector", 1, 0, 'X'},
    {"mcg", 0, 0, 'g'},
    {"MGID", 1, 0, 'M'},
    {"dualport", 0, 0, 'O'},
    {"limit_bw", 1, 0, 'w'},
    {"limit_msgrate", 1, 0, 'y'},
    {"hop_limit", 1, 0, 'L'},
    {"report-counters", 1, 0, 'W'},
    {"run_infinitely", 0, 0, LONG_NOT_MODELLED},
    {"use-srq", 0, 0, LONG_SRQ},
    {"report-both", 0, 0, LONG_NOT_MODELLED},
    {"reversed", 0, 0, LONG_NOT_MODELLED},
    {"inline_recv", 1, 0, LONG_NOT_MODELLED},
    {"burst_size", 1, 0, LONG_NOT_MODELLED},
    {"typical_pkt_size", 1, 0, LONG_NOT_MODELLED},
    {"rate_limit", 1, 0, LONG_NOT_MODELLED},
    {"rate_limit_type", 1, 0, LONG_NOT_MODELLED},
    {"rate_units", 1, 0, LONG_NOT_MODELLED},
    {"output", 1, 0, LONG_NOT_MODELLED},
    {"cpu_util", 0, 0, LONG_NOT_MODELLED},
    {"out_json", 0, 0, LONG_NOT_MODELLED},
    {"out_json_file", 1, 0, LONG_NOT_MODELLED},
    {"retry_count", 1, 0, LONG_NOT_MODELLED},
    {"recv_post_list", 1, 0, LONG_NOT_MODELLED},
    {"odp", 0, 0, LONG_NOT_MODELLED},
    {"mr_per_qp", 0, 0, LONG_NOT_MODELLED},
    {"flows", 1, 0, LONG_NOT_MODELLED},
    {"flows_burst", 1, 0, LONG_NOT_MODELLED},
    {"perform_warm_up", 0, 0, LONG_NOT_MODELLED},
    {0},
};
static const char letters[] = "+:m:s:n:t:r:q:I:Q:l:D:f:abc:NCHUu:p:d:i:x:S:T:FzReX:o:gM:A:Ow:y:L:W:";

int perftest_fail(struct rnicsim_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return -1;
}

static int read_number(const char *text, const char *what, uint64_t least, uint64_t most, uint64_t *out,
                       struct rnicsim_error *error)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != 0 || errno != 0 || number < least || number > most)
        return perftest_fail(error, "--perftest: %s \"%.60s\", allowed are %llu to %llu", what, text,
                             (unsigned long long)least, (unsigned long long)most);
    *out = number;
    return 0;
}

/* Bytes, with K or M behind them for KiB or MiB. */
static int read_size(char *text, uint64_t *out, struct rnicsim_error *error)
{
    size_t length = strlen(text);
    uint64_t factor = 1, most = UINT64_C(1) << 31;
    if (length > 0 && (text[length - 1] == 'K' || text[length - 1] == 'M')) {
        factor = text[length - 1] == 'K' ? 1024 : 1024 * 1024;
        text[length - 1] = 0;
    }
    if (read_number(text, "-s", 1, most / factor, out, error))
        return -1;
    *out *= factor;
    return 0;
}

static int read_type(const char *text, struct perftest_options *out, struct rnicsim_error *error)
{
    out->has_type = 1;
    out->compares = strcmp(text, "CMP_AND_SWAP") == 0;
    if (out->compares || strcmp(text, "FETCH_AND_ADD") == 0)
        return 0;
    return perftest_fail(error, "--perftest: -A \"%.60s\", allowed are FETCH_AND_ADD and CMP_AND_SWAP", text);
}

static int take_flag(int letter, struct perftest_options *out)
{
    switch (letter) {
    case 'a':
        return out->all_sizes = 1;
    case 'b':
        return out->both_ways = 1;
    case 'N':
        return out->no_peak = 1;
    case 'C':
        return out->in_cycles = 1;
    case 'H':
        return out->sorted = 1;
    case 'U':
        return out->unsorted = 1;
    case LONG_GBITS:
        return out->in_gbits = 1;
    case LONG_SRQ:
        return out->use_srq = 1;
    default:
        return 0;
    }
}

static int take_number(int letter, const char *word, char *value, struct perftest_options *out,
                       struct rnicsim_error *error)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint64_t number = 0;
        if (numbers[i].letter != letter)
            continue;
        if (read_number(value, word, numbers[i].least, numbers[i].most, &number, error))
            return -1;
        *(uint32_t *)(void *)((char *)out + numbers[i].offset) = (uint32_t)number;
        out->has_cq_mod |= letter == 'Q';
        out->has_inline |= letter == 'I';
        out->has_margin |= letter == 'f';
        out->has_outs |= letter == 'o';
        return 1;
    }
    return 0;
}

static int refuse(int letter, const char *word, struct rnicsim_error *error)
{
    if (letter == '?')
        return perftest_fail(error, "--perftest: \"%.60s\" is no option of perftest 4.5", word);
    if (letter == ':')
        return perftest_fail(error, "--perftest: \"%.60s\" needs a value", word);
    return perftest_fail(error, "--perftest: \"%.60s\" is perftest's, but not modelled", word);
}

static int take_connection(const char *value, struct perftest_options *out, struct rnicsim_error *error)
{
    static const char *const names[] = {"RC", "UC", "UD", "XRC"}; /* enum rnicsim_transport */
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(value, names[i]) == 0) {
            out->transport = (enum rnicsim_transport)i;
            return 0;
        }
    return perftest_fail(error, "--perftest: -c \"%.20s\", allowed are RC, UC, UD and XRC", value);
}

static int take_option(int letter, const char *word, char *value, struct perftest_options *out,
                       struct rnicsim_error *error)
{
    if (letter == 'c')
        return take_connection(value, out, error);
    if (take_flag(letter, out) || strchr("updixTFzR", letter) || letter == LONG_TAKEN)
        return 0;
    out->has_size |= letter == 's';
    if (letter == 'A')
        return read_type(value, out, error);
    if (letter == 's')
        return read_size(value, &out->size_bytes, error);
    if (letter == 'n') {
        out->has_iters = 1;
        return read_number(value, word, 5, 100000000, &out->iters, error);
    }
    int taken = take_number(letter, word, value, out, error);
    return taken > 0 ? 0 : taken < 0 ? -1 : refuse(letter, word, error);
}

static int take_tool(const char *word, struct perftest_options *out, struct rnicsim_error *error)
{
    static const char *const verbs[] = {"write", "send", "read", "atomic"};
    const char *name = strncmp(word, "ib_", 3) == 0 ? word + 3 : word;
    for (int verb = 0; verb < 4; verb++) {
        size_t length = strlen(verbs[verb]);
        const char *rest = name + length;
        if (strncmp(name, verbs[verb], length) != 0 || (strcmp(rest, "_lat") != 0 && strcmp(rest, "_bw") != 0))
            continue;
        snprintf(out->tool, sizeof out->tool, "%s", name);
        out->verb = (enum perftest_verb)verb;
        out->is_send = out->verb == PERFTEST_SEND;
        out->is_lat = strcmp(rest, "_lat") == 0;
        return 0;
    }
    return perftest_fail(error,
                         "--perftest: \"%.60s\" is no tool, allowed are write_lat, write_bw, send_lat, send_bw, "
                         "read_lat, read_bw, atomic_lat and atomic_bw",
                         word);
}

/* perftest 4.5's defaults; the inline limit and the margin depend on other options. */
static void set_defaults(struct perftest_options *out)
{
    out->size_bytes = out->verb == PERFTEST_ATOMIC ? 8 : out->is_lat ? 2 : 65536;
    out->iters = out->is_lat || out->verb != PERFTEST_WRITE ? 1000 : 5000;
    out->outs = 16; /* a device's max_qp_rd_atom: mlx5's */
    out->qps = 1;
    out->tx_depth = out->is_lat ? 1 : 128;
    out->rx_depth = out->is_send ? 512 : 1;
    out->cq_mod = 100;
    out->post_list = 1;
    out->mtu_bytes = 4096;
}

static int split(char *text, char **words, int *count)
{
    char *rest = NULL;
    for (char *word = strtok_r(text, " \t\n", &rest); word != NULL; word = strtok_r(NULL, " \t\n", &rest)) {
        if (*count == WORDS_MAX)
            return -1;
        words[(*count)++] = word;
    }
    return 0;
}

int perftest_parse(const char *text, struct perftest_options *out, struct rnicsim_error *error)
{
    char copy[TEXT_MAX], *words[WORDS_MAX + 1] = {0};
    int count = 0, letter;
    *out = (struct perftest_options){0};
    if ((size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy || split(copy, words, &count))
        return perftest_fail(error, "--perftest: the line is too long, allowed are %d characters and %d words",
                             TEXT_MAX - 1, WORDS_MAX);
    if (count == 0)
        return perftest_fail(error, "--perftest: no tool is named, as in \"write_lat -s 64\"");
    if (take_tool(words[0], out, error))
        return -1;
    set_defaults(out);
    optind = 0; /* glibc: begins anew */
    opterr = 0;
    while ((letter = getopt_long(count, words, letters, long_options, NULL)) != -1) {
        const char *word = optarg != NULL && optarg == words[optind - 1] ? words[optind - 2] : words[optind - 1];
        if (take_option(letter, word, optarg, out, error))
            return -1;
    }
    if (optind < count)
        return perftest_fail(error, "--perftest: \"%.60s\": no server is named here, both ends are simulated",
                             words[optind]);
    return perftest_apply_rules(out, error);
}
