/* report.html in headless Chromium: no console errors, every chart visible, nothing fetched, and it prints. */
#include <CUnit/CUnit.h>

#include "tests/bench/command.h"

void suite_bench_report_slow(void);

#define BROWSER \
    "HOME=$PWD timeout 120 chromium --headless=new --no-sandbox --disable-gpu --enable-logging=stderr --v=0 "

/* A copy says at its end what the browser made of the page. */
#define ASK                                                                                                           \
    "<script>window.onload = function() { var i = [...document.images]; document.title = [i.length, i.filter(x => "   \
    "x.complete "                                                                                                     \
    "&& x.naturalWidth > 300 && x.getBoundingClientRect().width > 300).length, "                                      \
    "document.querySelectorAll('table').length, "                                                                     \
    "document.querySelectorAll('h2').length, performance.getEntriesByType('resource').filter(r => "                   \
    "!r.name.startsWith('data:')).length, document.body.scrollWidth <= document.documentElement.clientWidth].join(' " \
    "'); "                                                                                                            \
    "}</script>"

static void ask(struct command *command, const char *page, const char *expected)
{
    command_write(command, "ask.html", ASK);
    CU_ASSERT_EQUAL(command_run(command,
                                "cat %s ask.html >asked.html && " BROWSER
                                "--dump-dom file://$PWD/asked.html 2>log | grep -o '<title>[^<]*' | cut -c8-",
                                page),
                    0);
    CU_ASSERT(command_holds(command->out, expected));
    CU_ASSERT_EQUAL(command_run(command, "grep -i 'CONSOLE' log"), 1);
}

static void prints(struct command *command, const char *page, const char *word)
{
    CU_ASSERT_EQUAL(command_run(command,
                                BROWSER "--no-pdf-header-footer --print-to-pdf=page.pdf file://$PWD/%s >log 2>&1 && "
                                        "pdftotext page.pdf - | grep -c '%s'",
                                page, word),
                    0);
    CU_ASSERT(atoi(command->out) >= 1);
}

static void test_run(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o r --quiet " COMMAND_SAMPLES "write_bw_4K_4qp.wqe"),
                    0);
    ask(&command, "r/report.html", "8 8 6 8 0 true\n");
    prints(&command, "r/report.html", "Verdict");
    /* the verdict is of this run */
    CU_ASSERT_EQUAL(command_run(&command, "grep -c 'The bottleneck is a core line' r/report.html"), 0);
    /* losses have a table of their own, and Chinese headings are Chinese */
    CU_ASSERT_EQUAL(command_run(&command,
                                "$R run -b u280_100g -o z --quiet --lang zh --no-charts --faults 'drop data 100' "
                                "--perftest 'write_bw -n 500' && grep -c '<h2>丢失与重传</h2>' z/report.html && "
                                "grep -c 'lang=\"zh\"' z/report.html && grep -c '<img' z/report.html"),
                    1);
    CU_ASSERT_STRING_EQUAL(command.out, "1\n1\n0\n");
    command_close(&command);
}

static void test_sweep(void)
{
    struct command command;
    command_open(&command);
    command_write(
        &command, "s.sweep",
        "[sweep]\nboard = u280_100g\nperftest = write_bw -n 40\naxis.size = 64..65536 log 6\naxis.pcie.tags = 4, 16\n"
        "metric = goodput_gbps, latency_ns.avg\nchart = lines\nchart = heatmap metric=goodput_gbps\nchart = bars "
        "metric=latency_ns.avg x=pcie.tags\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R sweep s.sweep --quiet"), 0);
    ask(&command, "s.results/report.html", "4 4 3 5 0 true\n");
    prints(&command, "s.results/report.html", "Verdict");
    CU_ASSERT_EQUAL(command_run(&command, "grep -c 'It depends the most on size' s.results/report.html"), 0);
    command_close(&command);
}

/* What a name holds is text, not markup. */
static void test_escaped(void)
{
    struct command command;
    command_open(&command);
    CU_ASSERT_EQUAL(command_run(&command,
                                "cp " COMMAND_SAMPLES "write_lat_2B.wqe 'a<b>&\"c.wqe' && $R run -b u280_100g -o r "
                                "--quiet --no-charts 'a<b>&\"c.wqe' && grep -c 'a&lt;b&gt;&amp;&quot;c.wqe' "
                                "r/report.html && grep -c 'a<b>' r/report.html"),
                    1);
    CU_ASSERT(atoi(command.out) >= 1);
    CU_ASSERT_EQUAL(command_run(&command, "$R run -b u280_100g -o r --lang fr --perftest write_lat"), 2);
    CU_ASSERT(command_lines(command.err) == 1 && command_holds(command.err, "--lang \"fr\": allowed are en and zh"));
    command_close(&command);
}

void suite_bench_report_slow(void)
{
    CU_pSuite suite = CU_add_suite("bench/report", NULL, NULL);
    CU_add_test(suite, "of a run", test_run);
    CU_add_test(suite, "of a sweep", test_sweep);
    CU_add_test(suite, "names are text", test_escaped);
}
