#include "bench/page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"

#define TEXT_BYTES 4096
#define CHART_BYTES_MAX (8 << 20)

static const char *const heading[PAGE_HEADINGS][2] = {
    [PAGE_REPORT] = {"rnicsim: report of a run", "rnicsim：运行报告"},
    [PAGE_SWEEP_REPORT] = {"rnicsim: report of a sweep", "rnicsim：参数扫描报告"},
    [PAGE_WHAT] = {"What was run", "运行了什么"},
    [PAGE_VERDICT] = {"Verdict", "结论"},
    [PAGE_LATENCY] = {"Latency", "延迟"},
    [PAGE_JITTER] = {"Jitter and rates", "抖动与速率"},
    [PAGE_WATERFALL] = {"Where the mean completion latency goes", "平均完成延迟的去向"},
    [PAGE_STAGES] = {"Stages: work and stalls", "各级：忙碌与停顿"},
    [PAGE_FIFOS] = {"FIFOs, fullest first", "FIFO 占用（从最满开始）"},
    [PAGE_LOSSES] = {"Losses and retransmissions", "丢失与重传"},
    [PAGE_AXES] = {"Axes", "扫描轴"},
    [PAGE_POINTS] = {"Points", "各点结果"},
    [PAGE_FAILED] = {"Runs that failed", "失败的运行"},
    [PAGE_CHARTS] = {"Charts", "图表"},
};

static const char style[] =
    "body{font:15px/1.5 system-ui,'Noto Sans CJK SC',sans-serif;max-width:1080px;margin:24px auto;padding:0 "
    "16px;color:#111;background:#fff}"
    "h1{font-size:24px;margin:0}h2{font-size:18px;margin:28px 0 8px;border-bottom:1px solid #bbb}"
    "p.sub{color:#555;margin:2px 0 0}p{margin:6px 0}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px}"
    "th,td{padding:2px 10px 2px 0;text-align:left;border-bottom:1px solid #ddd;vertical-align:top}"
    "td.n,th.n{text-align:right}div.w{overflow-x:auto}"
    "figure{margin:12px 0;break-inside:avoid}img{max-width:100%;height:auto;border:1px solid #ddd}"
    "figcaption{color:#555;font-size:13px}"
    "@media print{body{margin:0;max-width:none;font-size:11px}table{font-size:9px}h2{break-after:avoid}}";

int page_lang_read(const char *text, enum page_lang *out)
{
    *out = strcmp(text, "zh") == 0 ? PAGE_ZH : PAGE_EN;
    return *out == PAGE_ZH || strcmp(text, "en") == 0 ? 0 : cli_fail("--lang \"%.20s\": allowed are en and zh", text);
}

static void put_escaped(FILE *out, const char *text)
{
    for (; *text != 0; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
        }
}

void page_begin(struct page *page, enum page_heading title, const char *subtitle)
{
    fprintf(page->out,
            "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n"
            "<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n<h1>%s</h1>\n<p class=\"sub\">",
            page->lang == PAGE_ZH ? "zh" : "en", heading[title][page->lang], style, heading[title][page->lang]);
    put_escaped(page->out, subtitle);
    fputs("</p>\n", page->out);
}

void page_end(struct page *page)
{
    fputs("</body>\n</html>\n", page->out);
}

void page_heading(struct page *page, enum page_heading which)
{
    fprintf(page->out, "<h2>%s</h2>\n", heading[which][page->lang]);
}

void page_say(struct page *page, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs("<p>", page->out);
    put_escaped(page->out, text);
    fputs("</p>\n", page->out);
}

void page_table(struct page *page, const char *columns)
{
    char copy[TEXT_BYTES], *rest = copy;
    snprintf(copy, sizeof copy, "%s", columns);
    fputs("<div class=\"w\"><table>\n<tr>", page->out);
    for (const char *word = strsep(&rest, "|"); word != NULL; word = strsep(&rest, "|")) {
        fputs("<th>", page->out);
        put_escaped(page->out, word);
        fputs("</th>", page->out);
    }
    fputs("</tr>\n", page->out);
}

void page_row(struct page *page)
{
    fputs("<tr>", page->out);
}

/* A number, whatever unit is behind it. */
static int is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return end != text;
}

void page_cell(struct page *page, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs(is_number(text) ? "<td class=\"n\">" : "<td>", page->out);
    put_escaped(page->out, text);
    fputs("</td>", page->out);
}

void page_table_end(struct page *page)
{
    fputs("</table></div>\n", page->out);
}

/* ---- charts ---- */

static void put_base64(FILE *out, const unsigned char *bytes, size_t count)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        unsigned long word = (unsigned long)bytes[i] << 16;
        word |= i + 1 < count ? (unsigned long)bytes[i + 1] << 8 : 0;
        word |= i + 2 < count ? (unsigned long)bytes[i + 2] : 0;
        fputc(digit[word >> 18 & 63], out);
        fputc(digit[word >> 12 & 63], out);
        fputc(i + 1 < count ? digit[word >> 6 & 63] : '=', out);
        fputc(i + 2 < count ? digit[word & 63] : '=', out);
    }
}

/* NULL: it cannot be read. */
static unsigned char *read_chart(const struct results *results, const char *name, size_t *count)
{
    char path[TEXT_BYTES];
    snprintf(path, sizeof path, "%s/%s", results_folder(results), name);
    FILE *file = fopen(path, "rbe");
    unsigned char *bytes = malloc(CHART_BYTES_MAX);
    *count = file != NULL && bytes != NULL ? fread(bytes, 1, CHART_BYTES_MAX, file) : 0;
    if (file != NULL)
        fclose(file);
    if (*count == 0 || *count == CHART_BYTES_MAX) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

static void put_chart(struct page *page, const struct results *results, const char *name, const char *kind)
{
    size_t count;
    unsigned char *bytes = read_chart(results, name, &count);
    if (bytes == NULL)
        return;
    fprintf(page->out, "<figure><img alt=\"%s\" src=\"data:image/%s;base64,", name, kind);
    put_base64(page->out, bytes, count);
    fprintf(page->out, "\"><figcaption>%s</figcaption></figure>\n", name);
    free(bytes);
}

static int ends_with(const char *name, const char *ending)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && strcmp(dot, ending) == 0;
}

/* As SVG where there is one, else as PNG. */
void page_charts(struct page *page, const struct results *results)
{
    const char *name;
    int has_svg = 0, has_any = 0;
    for (size_t i = 0; (name = results_name(results, i)) != NULL; i++) {
        has_svg |= ends_with(name, ".svg");
        has_any |= ends_with(name, ".svg") || ends_with(name, ".png");
    }
    if (!has_any)
        return;
    page_heading(page, PAGE_CHARTS);
    for (size_t i = 0; (name = results_name(results, i)) != NULL; i++)
        if (ends_with(name, has_svg ? ".svg" : ".png"))
            put_chart(page, results, name, has_svg ? "svg+xml" : "png");
}
