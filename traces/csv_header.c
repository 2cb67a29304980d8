#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/csv.h"
#include "traces/header.h"
#include "traces/text.h"

/* A key of a header line. Numbers by default; `parse` for words. */
struct field {
    const char *key;
    uint64_t max;
    int required;
    uint64_t fallback;
    int (*parse)(char *text, uint64_t *out, struct rnicsim_error *error);
};

static int parse_type(char *text, uint64_t *out, struct rnicsim_error *error)
{
    for (unsigned i = 0; i < TRACE_QP_TYPE_COUNT; i++) {
        if (strcmp(text, trace_qp_type_name((enum trace_qp_type)i)) == 0) {
            *out = i;
            return 0;
        }
    }
    return trace_fail(error, "type is \"%.40s\"; allowed are RC, UC and UD", text);
}

static int parse_access(char *text, uint64_t *out, struct rnicsim_error *error)
{
    uint32_t bits;
    if (trace_text_set(text, trace_access_name, TRACE_ACCESS_COUNT, "access", &bits, error) != 0)
        return -1;
    *out = bits;
    return 0;
}

static int parse_value(const struct field *field, char *text, uint64_t *out, struct rnicsim_error *error)
{
    return field->parse != NULL ? field->parse(text, out, error)
                                : trace_text_number(text, field->max, field->key, out, error);
}

static int fail_key(const struct field *fields, size_t count, const char *what, const char *key,
                    struct rnicsim_error *error)
{
    char keys[256] = "";
    char *end = keys;
    for (size_t i = 0; i < count; i++)
        end = trace_text_append(trace_text_append(end, i == 0 ? "" : " "), fields[i].key);
    return trace_fail(error, "%s \"%.40s\"; the keys are %s, each once, as key=value", what, key, keys);
}

/* "key=value key=value ..." into values, in the order of the table. */
static int parse_fields(char *text, const struct field *fields, size_t count, uint64_t *values,
                        struct rnicsim_error *error)
{
    uint32_t seen = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');
        size_t i = 0;
        if (equals == NULL)
            return fail_key(fields, count, "no key=value in", word, error);
        *equals = 0;
        while (i < count && strcmp(word, fields[i].key) != 0)
            i++;
        if (i == count || (seen >> i & 1) != 0)
            return fail_key(fields, count, i == count ? "unknown key" : "a second", word, error);
        seen |= 1u << i;
        if (parse_value(&fields[i], equals + 1, &values[i], error) != 0)
            return -1;
    }
    for (size_t i = 0; i < count; i++) {
        if ((seen >> i & 1) != 0)
            continue;
        if (fields[i].required)
            return fail_key(fields, count, "missing key", fields[i].key, error);
        values[i] = fields[i].fallback;
    }
    return 0;
}

static int parse_qp(struct trace_header *header, char *text, uint64_t line_number, struct rnicsim_error *error)
{
    static const struct field fields[] = {
        {"host", 65535, 1, 0, NULL},
        {"qpn", 0xffffff, 1, 0, NULL},
        {"type", 0, 0, TRACE_RC, parse_type},
        {"peer_host", 65535, 0, 0, NULL},
        {"peer_qpn", 0xffffff, 0, 0, NULL},
        {"mtu", 4096, 0, 4096, NULL},
        {"sq_depth", 32768, 0, 128, NULL},
        {"rq_depth", 32768, 0, 512, NULL},
        {"sig_all", 1, 0, 0, NULL},
        {"max_inline", 1024, 0, 0, NULL},
        {"cqn", UINT32_MAX, 0, 0, NULL},
        {"sl", 15, 0, 0, NULL},
        {"weight", 255, 0, 1, NULL},
        {"rate", UINT64_MAX, 0, 0, NULL},
        {"rd_atomic", 65535, 0, TRACE_RD_ATOMIC, NULL},
    };
    uint64_t values[sizeof fields / sizeof *fields];
    if (parse_fields(text, fields, sizeof fields / sizeof *fields, values, error) != 0)
        return -1;
    if (values[12] == 0)
        return trace_fail(error, "weight is 0; allowed are 1 to 255");
    if (values[14] == 0)
        return trace_fail(error, "rd_atomic is 0; allowed are 1 to 65535");
    const struct trace_qp qp = {
        .host = (uint32_t)values[0],
        .qpn = (uint32_t)values[1],
        .type = (enum trace_qp_type)values[2],
        .peer_host = (uint32_t)values[3],
        .peer_qpn = (uint32_t)values[4],
        .mtu = (uint32_t)values[5],
        .sq_depth = (uint32_t)values[6],
        .rq_depth = (uint32_t)values[7],
        .sig_all = (uint32_t)values[8],
        .max_inline = (uint32_t)values[9],
        .cqn = (uint32_t)values[10],
        .service_level = (uint32_t)values[11],
        .weight = (uint32_t)values[12],
        .rate_bps = values[13],
        .rd_atomic = (uint32_t)values[14],
        .line = line_number,
    };
    return trace_header_add_qp(header, &qp, error);
}

static int parse_mr(struct trace_header *header, char *text, struct rnicsim_error *error)
{
    static const struct field fields[] = {
        {"host", 65535, 1, 0, NULL},       {"key", UINT32_MAX, 1, 0, NULL},
        {"base", UINT64_MAX, 1, 0, NULL},  {"length", UINT64_MAX, 1, 0, NULL},
        {"page", 1u << 30, 0, 4096, NULL}, {"access", 0, 0, (1u << TRACE_ACCESS_COUNT) - 1, parse_access},
    };
    uint64_t values[sizeof fields / sizeof *fields];
    if (parse_fields(text, fields, sizeof fields / sizeof *fields, values, error) != 0)
        return -1;
    const struct trace_mr mr = {
        .host = (uint32_t)values[0],
        .key = (uint32_t)values[1],
        .base = values[2],
        .length = values[3],
        .page_bytes = values[4],
        .access = (uint32_t)values[5],
    };
    return trace_header_add_mr(header, &mr, error);
}

static int copy_text(char *to, size_t max, const char *text, const char *what, struct rnicsim_error *error)
{
    if (strlen(text) > max)
        return trace_fail(error, "%s is %zu bytes long; at most %zu are allowed", what, strlen(text), max);
    memcpy(to, text, strlen(text) + 1);
    return 0;
}

/* "host=N [name=WORD] [device=free text to the end]": in this order. */
static int parse_host(struct trace_header *header, char *text, struct rnicsim_error *error)
{
    struct trace_host host = {0};
    uint64_t number = 0;
    char *device = strstr(text, " device=");
    if (device != NULL) {
        *device = 0;
        if (copy_text(host.device, TRACE_DEVICE_MAX, device + strlen(" device="), "device", error) != 0)
            return -1;
    }
    char *name = strstr(text, " name=");
    if (name != NULL) {
        *name = 0;
        if (copy_text(host.name, TRACE_NAME_MAX, name + strlen(" name="), "name", error) != 0)
            return -1;
    }
    if (strncmp(text, "host=", 5) != 0)
        return trace_fail(
            error, "no host number; a host line is \"#host host=N name=WORD device=TEXT\", the last two if wanted");
    if (trace_text_number(text + 5, 65535, "host", &number, error) != 0)
        return -1;
    host.host = (uint32_t)number;
    return trace_header_add_host(header, &host, error);
}

int trace_csv_parse_first(struct trace_header *header, const char *line, struct rnicsim_error *error)
{
    static const char start[] = "#rnicsim-trace version=";
    if (strncmp(line, start, sizeof start - 1) != 0)
        return trace_fail(error, "not a trace: begins with \"%.40s\"; the first line is \"" TRACE_CSV_FIRST_LINE "\"",
                          line);
    if (strcmp(line, TRACE_CSV_FIRST_LINE) != 0)
        return trace_fail(error, "version \"%.20s\"; version %u is allowed", line + sizeof start - 1, TRACE_VERSION);
    header->version = TRACE_VERSION;
    return 0;
}

int trace_csv_parse_header(struct trace_header *header, char *line, uint64_t line_number, struct rnicsim_error *error)
{
    if (strncmp(line, "#qp ", 4) == 0)
        return parse_qp(header, line + 4, line_number, error);
    if (strncmp(line, "#mr ", 4) == 0)
        return parse_mr(header, line + 4, error);
    if (strncmp(line, "#host ", 6) == 0)
        return parse_host(header, line + 6, error);
    if (strncmp(line, "#note ", 6) == 0)
        return trace_header_add_note(header, line + 6, error);
    if (strcmp(line, "#time unit=ps") == 0)
        return 0;
    return trace_fail(
        error, "header line \"%.40s\"; allowed are #host, #qp, #mr, #note and \"#time unit=ps\", then the column line",
        line);
}

static void format_qp(FILE *out, const struct trace_qp *qp)
{
    fprintf(out,
            "#qp host=%u qpn=%u type=%s peer_host=%u peer_qpn=%u mtu=%u sq_depth=%u rq_depth=%u sig_all=%u "
            "max_inline=%u cqn=%u",
            qp->host, qp->qpn, trace_qp_type_name(qp->type), qp->peer_host, qp->peer_qpn, qp->mtu, qp->sq_depth,
            qp->rq_depth, qp->sig_all, qp->max_inline, qp->cqn);
    if (qp->service_level != 0)
        fprintf(out, " sl=%u", qp->service_level);
    if (qp->weight > 1)
        fprintf(out, " weight=%u", qp->weight);
    if (qp->rate_bps != 0)
        fprintf(out, " rate=%llu", (unsigned long long)qp->rate_bps);
    if (qp->rd_atomic != 0 && qp->rd_atomic != TRACE_RD_ATOMIC)
        fprintf(out, " rd_atomic=%u", qp->rd_atomic);
    fputc('\n', out);
}

static void format_mr(FILE *out, const struct trace_mr *mr)
{
    char access[64];
    trace_text_append_set(access, mr->access, trace_access_name, TRACE_ACCESS_COUNT);
    fprintf(out, "#mr host=%u key=%u base=0x%llx length=%llu page=%llu access=%s\n", mr->host, mr->key,
            (unsigned long long)mr->base, (unsigned long long)mr->length, (unsigned long long)mr->page_bytes, access);
}

static void format_host(FILE *out, const struct trace_host *host)
{
    fprintf(out, "#host host=%u%s%s%s%s\n", host->host, host->name[0] ? " name=" : "", host->name,
            host->device[0] ? " device=" : "", host->device);
}

char *trace_csv_format_header(const struct trace_header *header)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return NULL;
    fputs(TRACE_CSV_FIRST_LINE "\n#time unit=ps\n", out);
    for (size_t i = 0; i < header->note_count; i++)
        fprintf(out, "#note %s\n", header->notes[i]);
    for (size_t i = 0; i < header->host_count; i++)
        format_host(out, &header->hosts[i]);
    for (size_t i = 0; i < header->qp_count; i++)
        format_qp(out, &header->qps[i]);
    for (size_t i = 0; i < header->mr_count; i++)
        format_mr(out, &header->mrs[i]);
    fputs(TRACE_CSV_COLUMNS "\n", out);
    int failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
