/* Files and layers: what is refused and how the error reads, who wins, and what the listing says. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/config/test_config_fixture.h"

void suite_config_load(void);

static void good_file(void)
{
    struct config_error err;
    struct config_param_info info;
    struct config *config = fixture_load(CONFIG_BOARD,
                                         "\xEF\xBB\xBF# a board\r\nboard = demo\nabout = \"100G; demo\" # text\n"
                                         "nic=rnic_512\n\n[link]\n  lanes = 8 @documented \"a; b # c @d\" ; eight\r\n"
                                         "rate=100 Gbps@assumed\n[demo]\nlabel = \"x @ y\" @assumed \"guess\"\n",
                                         &err);

    CU_ASSERT_PTR_NOT_NULL_FATAL(config);
    const struct link_params *link = config_room(config, "link");
    const struct demo_params *demo = config_room(config, "demo");
    CU_ASSERT_EQUAL(link->lanes, 8);
    CU_ASSERT_EQUAL(link->rate_bps, 100000000000);
    CU_ASSERT_EQUAL(link->clock_hz, 322265625);
    CU_ASSERT_STRING_EQUAL(demo->label, "x @ y");
    CU_ASSERT_EQUAL(demo->fec, 1);
    CU_ASSERT_PTR_NULL(config_room(config, "pcie"));
    CU_ASSERT_STRING_EQUAL(config_head(config, CONFIG_BOARD, "about"), "100G; demo");
    CU_ASSERT_STRING_EQUAL(config_head(config, CONFIG_BOARD, "nic"), "rnic_512");
    CU_ASSERT_PTR_NULL(config_head(config, CONFIG_BOARD, "host"));
    CU_ASSERT_PTR_NULL(config_head(config, CONFIG_NIC, "nic"));
    CU_ASSERT_EQUAL(fixture_info(config, "link.lanes", &info), 0);
    CU_ASSERT_STRING_EQUAL(info.origin, "board x.board:7");
    CU_ASSERT_STRING_EQUAL(info.class_name, "documented");
    CU_ASSERT_STRING_EQUAL(info.source, "a; b # c @d");
    config_destroy(config);
}

static void refused_values(void)
{
    fixture_refused(CONFIG_BOARD, "[link]\nlanes = 8\n",
                    "x.board:2: link.lanes: value without class, write @measured, @documented, @assumed or "
                    "@calibrated");
    fixture_refused(CONFIG_BOARD, "[link]\nlanes = 8 @documented\n",
                    "x.board:2: link.lanes: @documented without source, write @documented \"where it is from\"");
    fixture_refused(CONFIG_BOARD, "[link]\nlanes = 8 @measured \"\"\n",
                    "x.board:2: link.lanes: empty source, write @measured \"where it is from\"");
    fixture_refused(CONFIG_BOARD, "[link]\nlanes = 8 @calibrated lab\n",
                    "x.board:2: link.lanes: 'lab' after the class, allowed is one source in quotes");
    fixture_refused(CONFIG_BOARD, "[link]\nlanes = 8 @assumed \"a\" \"b\"\n",
                    "x.board:2: link.lanes: '\"a\" \"b\"' after the class, allowed is one source in quotes");
    fixture_refused(CONFIG_BOARD, "[link]\nlanes = 8 @mesured \"x\"\n",
                    "x.board:2: link.lanes: unknown class '@mesured', did you mean '@measured'?");
    fixture_refused(CONFIG_BOARD, "[link]\n\nflight = 4 @assumed\n",
                    "x.board:3: link.flight = 4: missing unit, write for example '4 ns'");
    fixture_refused(CONFIG_BOARD, "[link]\nlanes = 17 @assumed\n",
                    "x.board:2: link.lanes = 17: out of range, allowed powers of two, 1 to 16");
    fixture_refused(CONFIG_BOARD, "[link]\nlanes = @assumed\n", "x.board:2: link.lanes = : no value");
    fixture_refused(CONFIG_BOARD, "[link]\nlanes = 4 @assumed\n[demo]\n[link]\nlanes = 4 @assumed\n",
                    "x.board:5: link.lanes given twice, first in line 2");
}

static void refused_names(void)
{
    fixture_refused(CONFIG_BOARD, "[link]\nlane = 8 @assumed\n",
                    "x.board:2: unknown key 'link.lane', did you mean 'link.lanes'?");
    fixture_refused(CONFIG_BOARD, "[lnik]\nlanes = 8 @assumed\n",
                    "x.board:1: unknown section [lnik], did you mean [link]?");
    fixture_refused(CONFIG_BOARD, "abuot = x\n",
                    "x.board:1: unknown key 'abuot' in the head of a board file, did you mean 'about'? (parameters "
                    "stand in sections, [room] and then key = value)");
    fixture_refused(CONFIG_HOST, "part = x\n",
                    "x.host:1: unknown key 'part' in the head of a host file, did you mean 'host'? (parameters stand "
                    "in sections, [room] and then key = value)");
    fixture_refused(CONFIG_NIC, "endpoint = x\n",
                    "x.nic:1: unknown key 'endpoint' in the head of a nic file, did you mean 'nic'? (parameters stand "
                    "in sections, [room] and then key = value)");
    fixture_refused(CONFIG_ENDPOINT, "endpoint = x\n[link]\n",
                    "x.endpoint:2: section [link], an endpoint file has only [pcie]");
    fixture_refused(CONFIG_ENDPOINT, "[stage tx.a]\n",
                    "x.endpoint:1: stages stand only in nic and mac files, this is an endpoint file");
    fixture_refused(CONFIG_BOARD, "about = a\nabout = b\n", "x.board:2: about given twice");
    fixture_refused(CONFIG_BOARD, "about = \"\"\n", "x.board:1: about: empty text");
}

static void refused_lines(void)
{
    fixture_refused(CONFIG_BOARD, "about\n", "x.board:1: neither [section] nor key = value");
    fixture_refused(CONFIG_BOARD, "about =\n", "x.board:1: no value after '=', write key = value");
    fixture_refused(CONFIG_BOARD, "about = \"open\n", "x.board:1: quote not closed");
    fixture_refused(CONFIG_BOARD, "[link\n", "x.board:1: section without ']', write [name] alone on its line");
    fixture_refused(CONFIG_BOARD, "[]\n", "x.board:1: bad section name, allowed letters, digits, _ . and -");
    fixture_refused(CONFIG_BOARD, "= 4\n", "x.board:1: bad key, allowed letters, digits, _ . and -");
    fixture_refused(CONFIG_BOARD, "a:b = 4\n", "x.board:1: bad key, allowed letters, digits, _ . and -");
    fixture_refused(CONFIG_BOARD, "a2345678901234567890123456789012345678901234567890 = 4\n",
                    "x.board:1: key too long, allowed up to 48 characters");
}

static void long_lines(void)
{
    char *text = malloc(10100);
    struct config_error err;

    strcpy(text, "about = x\n[link]\nlanes = ");
    memset(text + strlen(text), '1', 10000);
    strcpy(text + 10024, "\n");
    fixture_refused(CONFIG_BOARD, text, "x.board:3: line too long, allowed up to 400 characters");

    /* 400 characters pass, although inih alone would cut them at 200. */
    strcpy(text, "[link]\nlanes = 4 @documented \"");
    size_t used = strlen(text);
    memset(text + used, 's', 250);
    strcpy(text + used + 250, "\"");
    memset(text + used + 251, ' ', 400 - (used + 251 - 7));
    strcpy(text + 407, "\n");
    struct config *config = fixture_load(CONFIG_BOARD, text, &err);
    struct config_param_info info;
    CU_ASSERT_PTR_NOT_NULL_FATAL(config);
    CU_ASSERT_EQUAL(fixture_info(config, "link.lanes", &info), 0);
    CU_ASSERT_EQUAL(strlen(info.source), 250);
    config_destroy(config);
    strcpy(text + 407, " \n");
    fixture_refused(CONFIG_BOARD, text, "x.board:2: line too long, allowed up to 400 characters");
    free(text);
}

static void not_text_files(void)
{
    struct config *config = fixture_config();
    struct config_error err;
    struct fixture fixture;
    char want[256];

    fixture_create(&fixture);
    CU_ASSERT_EQUAL(config_load(config, fixture.folder, CONFIG_NIC, &err), -1);
    snprintf(want, sizeof(want), "%s: is a directory, not a text file", fixture.folder);
    CU_ASSERT_STRING_EQUAL(err.text, want);
    fixture_write(&fixture, "nul.board", "about = x\nnic = a\0b\n", 20);
    CU_ASSERT_EQUAL(config_load(config, fixture.path, CONFIG_BOARD, &err), -1);
    snprintf(want, sizeof(want), "%s:2: NUL byte, this is not a text file", fixture.path);
    CU_ASSERT_STRING_EQUAL(err.text, want);
    CU_ASSERT_EQUAL(config_load(config, "/nowhere/x.host", CONFIG_HOST, &err), -1);
    CU_ASSERT_STRING_EQUAL(err.text, "/nowhere/x.host: cannot be read: No such file or directory");
    fixture_remove(&fixture);
    config_destroy(config);
}

static void too_many_lines(void)
{
    char text[20002];

    memset(text, '\n', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    fixture_refused(CONFIG_BOARD, text, "x.board:20001: too many lines, allowed up to 20000");
}

static void load_text(struct config *config, enum config_kind kind, const char *name, const char *text)
{
    struct fixture fixture;

    fixture_create(&fixture);
    fixture_write(&fixture, name, text, strlen(text));
    CU_ASSERT_EQUAL(config_load(config, fixture.path, kind, NULL), 0);
    CU_ASSERT_EQUAL(config_load(config, fixture.path, kind, NULL), -1); /* one of each kind */
    fixture_remove(&fixture);
}

static void origin_is(const struct config *config, const char *key, const char *value, const char *origin)
{
    struct config_param_info info;

    CU_ASSERT_EQUAL(fixture_info(config, key, &info), 0);
    CU_ASSERT_STRING_EQUAL(info.value, value);
    CU_ASSERT_STRING_EQUAL(info.origin, origin);
    CU_ASSERT_EQUAL(info.changed, strcmp(origin, "-s") == 0);
}

/* The nic, the lowest layer, comes last here: the order of loading must not matter. */
static void layers(void)
{
    struct config *config = fixture_config();

    CU_ASSERT_EQUAL(config_set(config, "link.skew = 5 ppm", NULL), 0);
    load_text(config, CONFIG_HOST, "h.host", "[link]\nmps = 512 B @assumed\nskew = 3 ppm @assumed\n");
    load_text(config, CONFIG_BOARD, "b.board",
              "[link]\nlanes = 8 @assumed\nmps = 128 B @assumed\nskew = 2 ppm @assumed\n");
    load_text(config, CONFIG_NIC, "n.nic",
              "[link]\nflight = 1 ns @assumed\nlanes = 4 @assumed\nmps = 1 KiB @assumed\nskew = 1 ppm @assumed\n");
    origin_is(config, "link.width", "512 bit", "default");
    origin_is(config, "link.flight", "1 ns", "nic n.nic:2");
    origin_is(config, "link.lanes", "8", "board b.board:2");
    origin_is(config, "link.mps", "512 B", "host h.host:2");
    origin_is(config, "link.skew", "5 ppm", "-s");
    CU_ASSERT_EQUAL(config_set(config, "link.skew=6 ppm", NULL), 0);
    origin_is(config, "link.skew", "6 ppm", "-s");
    config_destroy(config);
}

static void set_refused(void)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"link.lanes", "-s link.lanes: no '=', write -s key=value"},
        {"link.lanes=17", "-s link.lanes=17: out of range, allowed powers of two, 1 to 16"},
        {"link.lanes=", "-s link.lanes=: no value"},
        {"link.lane=4", "-s link.lane=4: unknown key 'link.lane', did you mean 'link.lanes'?"},
        {"stage.tx.a.latency=4 cycle",
         "-s stage.tx.a.latency=4 cycle: unknown key 'stage.tx.a.latency', did you mean 'demo.label'?"},
        {"link.flight=4\nns", "-s link.flight=4?ns: unknown unit '?ns', allowed ps, ns, us, ms, s"},
    };
    struct config *config = fixture_config();

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        fixture_set_refused(config, rows[i].text, rows[i].error);
    config_destroy(config);
}

static void listing(void)
{
    struct config *config = fixture_config();
    struct config_param_info info;

    CU_ASSERT_EQUAL(config_param_count(config), test_link_table.count + test_demo_table.count);
    CU_ASSERT_EQUAL(config_param(config, config_param_count(config), &info), -1);
    CU_ASSERT_EQUAL(config_set(config, "demo.fec=off", NULL), 0);
    CU_ASSERT_EQUAL(fixture_info(config, "demo.fec", &info), 0);
    CU_ASSERT_STRING_EQUAL(info.value, "off");
    CU_ASSERT_STRING_EQUAL(info.fallback, "rs");
    CU_ASSERT_STRING_EQUAL(info.range, "off, rs, kr");
    CU_ASSERT_STRING_EQUAL(info.unit, "choice");
    CU_ASSERT_STRING_EQUAL(info.class_name, "assumed");
    CU_ASSERT_STRING_EQUAL(info.sentence, "Forward error correction.");
    CU_ASSERT_EQUAL(fixture_info(config, "link.flight", &info), 0);
    CU_ASSERT_STRING_EQUAL(info.unit, "ps, ns, us, ms, s");
    CU_ASSERT_STRING_EQUAL(info.range, "0 ps to 1 us");
    CU_ASSERT_EQUAL(fixture_info(config, "link.mps", &info), 0);
    CU_ASSERT_STRING_EQUAL(info.class_name, "measured");
    CU_ASSERT_STRING_EQUAL(info.source, "lspci");
    config_destroy(config);
}

void suite_config_load(void)
{
    CU_pSuite suite = CU_add_suite("config/load", NULL, NULL);

    CU_add_test(suite, "a good file", good_file);
    CU_add_test(suite, "values are refused", refused_values);
    CU_add_test(suite, "names are refused", refused_names);
    CU_add_test(suite, "lines are refused", refused_lines);
    CU_add_test(suite, "long lines", long_lines);
    CU_add_test(suite, "what is no text file", not_text_files);
    CU_add_test(suite, "too many lines", too_many_lines);
    CU_add_test(suite, "layers and origins", layers);
    CU_add_test(suite, "the command line is refused", set_refused);
    CU_add_test(suite, "listing", listing);
}
