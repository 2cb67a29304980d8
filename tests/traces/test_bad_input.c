/* Whatever is wrong in a trace is told in one line with its place; nothing crashes and nothing passes. */
#include <CUnit/CUnit.h>

#include "tests/traces/scratch.h"
#include "traces/binary.h"
#include "traces/convert.h"

void suite_traces_bad_input(void);

struct bad_case {
    const char *text;
    const char *expected; /* must be in the error, after the path */
};

#define GOOD "0,0,0,SEND,2,1,1,0,WRITE,SIGNALED,2,0,1,0x10000,2,0x20000,1,0,0,0,\n"
#define FIRST "#rnicsim-trace version=1\n"
#define QP_0 "#qp host=0 qpn=2 peer_host=1 peer_qpn=1\n"

static const struct bad_case header_cases[] = {
    {"", " is empty"},
    {"hello\n", ":1: not a trace"},
    {"#rnicsim-trace version=2\n", ":1: version \"2\"; version 1 is allowed"},
    {"#rnicsim-trace version=1", ":1: the file ends inside this line"},
    {FIRST, ":2: the file ends before the column line"},
    {FIRST "#qp host=0 qpn=2\n", ":2: peer_qpn is 0; allowed are 1"},
    {FIRST QP_0 TRACE_CSV_COLUMNS "\n", ":2: QP 2 of host 0 has the peer QP 1 of host 1, which has no #qp line"},
    {FIRST QP_0 QP_0, ":3: QP 2 of host 0 is there twice"},
    {FIRST QP_0 "#qp host=1 qpn=1 peer_host=0 peer_qpn=3\n#qp host=0 qpn=3 peer_host=1 peer_qpn=1\n" TRACE_CSV_COLUMNS
                "\n",
     ":2: QP 2 of host 0 has a peer that names QP 3 of host 0"},
    {FIRST QP_0 "#qp host=1 qpn=1 type=UC peer_host=0 peer_qpn=2\n" TRACE_CSV_COLUMNS "\n",
     ":2: QP 2 of host 0 is RC and its peer UC"},
    {FIRST "#qp host=0 qpn=2 type=XX\n", ":2: type is \"XX\"; allowed are RC, UC and UD"},
    {FIRST "#qp host=0 qpn=2 peer_qpn=1 mtu=1000\n", ":2: mtu is 1000; allowed are 256"},
    {FIRST "#qp host=0 qpn=2 depth=3\n", ":2: unknown key \"depth\""},
    {FIRST "#qp host=0 host=0\n", ":2: a second \"host\""},
    {FIRST "#qp host=0\n", ":2: missing key \"qpn\""},
    {FIRST "#qp host=0 qpn=2 sq_depth=99999\n", ":2: sq_depth is \"99999\"; allowed are 0 to 32768"},
    {FIRST "#mr host=0 key=1 base=0 length=0\n", ":2: length is 0; allowed are 1"},
    {FIRST "#mr host=0 key=1 base=0xffffffffffffffff length=2\n", ":2: length is 2"},
    {FIRST "#mr host=0 key=1 base=0 length=1 page=8192\n", ":2: page is 8192; allowed are 4096"},
    {FIRST "#mr host=0 key=1 base=0 length=1 access=READ\n", ":2: access has \"READ\"; allowed are LOCAL_WRITE"},
    {FIRST "#mr host=0 key=1 base=0 length=1\n#mr host=0 key=1 base=0 length=1\n",
     ":3: key 1 of host 0 is there twice"},
    {FIRST "#host name=x\n", ":2: no host number"},
    {FIRST "#time unit=ns\n", ":2: header line \"#time unit=ns\"; allowed are"},
    {FIRST "#else\n", ":2: header line \"#else\"; allowed are"},
    {FIRST "t_ps,host\n", ":2: not the column line"},
};

static const struct bad_case record_cases[] = {
    {GOOD "4611686018427387905,0,0,SEND,2,1,2,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,\n",
     ":10: t_ps is \"4611686018427387905\"; allowed are 0 to 4611686018427387904"}, /* 2^62 and one more */
    {"9223372036854775807,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,\n", ":9: t_ps is"},
    {"0,0,0,SEND,2,1,1\n", ":9: 7 columns; 21 are needed"},
    {"\n", ":9: 1 columns; 21 are needed"},
    {GOOD "#note late\n", ":10: a header line after the column line"},
    {"0,0,0,SEND,2,1,1,0,WRITE,SIGNALED,2,0,1,0x10000,2,0x20000,1,0,0,0,cqe:1", ":9: the file ends inside this line"},
    {GOOD "0,0,0,SEND,2", ":10: the file ends inside this line"},
    {"0,0,0,JUMP,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,\n", ":9: event is \"JUMP\"; allowed are SEND RECV"},
    {"0,0,0,SEND,2,1,1,0,SHOUT,,2,0,1,0x10000,2,0x20000,1,0,0,0,\n", ":9: opcode is \"SHOUT\"; allowed are SEND"},
    {"0,0,0,SEND,2,1,1,0,RECV,,2,0,1,0x10000,2,0x20000,1,0,0,0,\n", ":9: a SEND event with opcode \"RECV\""},
    {"0,0,0,RECV,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,\n", ":9: a RECV event with opcode \"WRITE\""},
    {"0,0,0,SEND,2,1,1,0,WRITE,LOUD,2,0,1,0x10000,2,0x20000,1,0,0,0,\n",
     ":9: flags has \"LOUD\"; allowed are SIGNALED"},
    {"0,0,0,SEND,2,1,1,0,WRITE,SIGNALED|,2,0,1,0x10000,2,0x20000,1,0,0,0,\n", ":9: flags has \"\"; allowed are"},
    {"0,0,0,SEND,3,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,\n", ":9: QP 3 of host 0 has no #qp line"},
    {"0,7,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,\n", ":9: QP 2 of host 7 has no #qp line"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2147483649,0,1,0x10000,2,0x20000,1,0,0,0,\n",
     ":9: len is \"2147483649\"; allowed are 0 to 2147483648"},
    {"0,0,0,SEND,2,1,1,0,WRITE,INLINE,221,1,1,0x10000,2,0x20000,1,0,0,0,\n",
     ":9: 221 bytes inline; QP 2 of host 0 allows 220"},
    {"0,0,0,SEND,2,1,1,0,WRITE,INLINE,2,0,1,0x10000,2,0x20000,1,0,0,0,\n", ":9: inline is 0, but the flags say 1"},
    {"0,0,0,SEND,2,1,5,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,\n" GOOD, ":10: db_id goes back from 5 to 1"},
    {"9,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,\n8,0,0,SEND,2,1,2,0,WRITE,,2,0,1,0x10000,2,0x20000,"
     "1,0,0,0,\n",
     ":10: t_ps goes back from 9 to 8"},
    {GOOD "0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,post\n",
     ":10: a dep on a record that shares the doorbell"},
    {"-1,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,\n", ":9: t_ps is \"-1\"; allowed are 0 to"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2x,0,1,0x10000,2,0x20000,1,0,0,0,\n", ":9: len is \"2x\""},
    {"0,0,0,SEND,2,1,1,99999999999999999999,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,\n",
     ":9: wr_id is \"99999999999999999999\""},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x,2,0x20000,1,0,0,0,\n", ":9: laddr is \"0x\""},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,33,0x10000,2,0x20000,1,0,0,0,\n", ":9: nsge is \"33\"; allowed are 0 to 32"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,2,0x1|0x2,2|2,0x20000,1,0,0,0,\n", ":9: laddr lists several SGEs"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,2,0x1:1|0x2:1,2,0x20000,1,0,0,0,\n", ":9: laddr lists several SGEs"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,2,0x1:1|0x2:2,2|2,0x20000,1,0,0,0,\n", ":9: 2 SGEs of 3 bytes, len 2"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,3,0x1:1|0x2:1,2|2,0x20000,1,0,0,0,\n", ":9: nsge is 3, but 2 SGEs are listed"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,cqe\n", ":9: dep term \"cqe\"; allowed are"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,cqe:0\n", ":9: dep counts 0"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,post:3\n", ":9: dep term \"post:...\""},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,cqe:1&cqe:2\n",
     ":9: dep with terms that do not go together"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,cqe:1+\n", ":9: dep's think time is \"\""},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,+5\n", ":9: dep term \"\""},
};

static void expect_error(const char *path, const char *expected)
{
    struct rnicsim_error error = {""};
    CU_ASSERT_EQUAL(scratch_count_records(path, &error), -1);
    int good = strncmp(error.text, path, strlen(path)) == 0 &&
               strncmp(error.text + strlen(path), expected, strlen(expected)) == 0 && strchr(error.text, '\n') == NULL;
    if (!good)
        printf("\nexpected \"%s\", got \"%s\"\n", expected, error.text);
    CU_ASSERT(good);
}

static void run_cases(const struct bad_case *cases, size_t count, const char *header)
{
    struct scratch scratch;
    scratch_open(&scratch);
    scratch_path(&scratch, "bad.csv");
    for (size_t i = 0; i < count; i++) {
        char text[4096];
        int length = snprintf(text, sizeof text, "%s%s", header, cases[i].text);
        scratch_write(scratch.path, text, (size_t)length);
        expect_error(scratch.path, cases[i].expected[0] == ' ' ? ": is empty" : cases[i].expected);
    }
    scratch_close(&scratch);
}

static void test_header_lines(void)
{
    run_cases(header_cases, sizeof header_cases / sizeof *header_cases, "");
}

static void test_record_lines(void)
{
    run_cases(record_cases, sizeof record_cases / sizeof *record_cases, SCRATCH_HEADER);
}

static void test_long_line_and_nul(void)
{
    struct scratch scratch;
    static char text[sizeof SCRATCH_HEADER + 70000];
    size_t header = strlen(SCRATCH_HEADER);
    scratch_open(&scratch);
    scratch_path(&scratch, "bad.csv");
    strcpy(text, SCRATCH_HEADER);
    memset(text + header, '7', 70000);
    scratch_write(scratch.path, text, header + 4001);
    expect_error(scratch.path, ":9: the line is longer than 4000 characters");
    scratch_write(scratch.path, text, header + 70000);
    expect_error(scratch.path, ":9: the line is longer than 4000 characters");
    text[header + 4000] = '\n'; /* just allowed, and then no record */
    scratch_write(scratch.path, text, header + 4001);
    expect_error(scratch.path, ":9: 1 columns");
    text[header + 3] = 0;
    scratch_write(scratch.path, text, header + 4001);
    expect_error(scratch.path, ":9: a NUL byte");
    scratch_close(&scratch);
}

static void test_no_file(void)
{
    expect_error("/tmp", ": is a directory");
    expect_error("/tmp/rnicsim-no-such-file", ": cannot be opened: No such file");
    expect_error("/dev/null", ": is empty");
    expect_error("/dev/zero", ":1: a NUL byte");
}

/* Changes `count` bytes of a good binary file at `at`, and expects the error. */
static void expect_binary_error(struct scratch *scratch, const char *good, size_t length, size_t at, const char *bytes,
                                size_t count, const char *expected)
{
    char *copy = malloc(length + count);
    if (copy == NULL)
        abort();
    memcpy(copy, good, length);
    memcpy(copy + at, bytes, count);
    scratch_write(scratch->path, copy, at + count > length ? at + count : length);
    expect_error(scratch->path, expected);
    free(copy);
}

static void test_binary(void)
{
    struct scratch scratch;
    struct rnicsim_error error = {""};
    size_t length = 0;
    char binary[160];
    scratch_open(&scratch);
    strcpy(binary, scratch_path(&scratch, "good.bin"));
    scratch_write(scratch_path(&scratch, "good.csv"), SCRATCH_HEADER GOOD, strlen(SCRATCH_HEADER GOOD));
    CU_ASSERT_EQUAL_FATAL(trace_convert(scratch.path, binary, &error), 0);
    char *good = scratch_read(binary, &length);
    CU_ASSERT_PTR_NOT_NULL_FATAL(good);
    size_t record = length - 2 * TRACE_BINARY_RECORD_BYTES, end = length - TRACE_BINARY_RECORD_BYTES;
    char expected[100];
    scratch_path(&scratch, "bad.bin");
    expect_binary_error(&scratch, good, length, 8, "\x03", 1, ": header (byte 32): version 3; versions 1 and 2 are allowed");
    expect_binary_error(&scratch, good, length, 12, "\x0a\x0b\x0c\x0d", 4,
                        ": header (byte 32): the endianness mark is 0x0d0c0b0a");
    expect_binary_error(&scratch, good, length, 20, "\xff\xff\xff\xff", 4, ": header");
    const struct {
        size_t at;
        const char *bytes;
        size_t count;
        const char *what;
    } cases[] = {
        {record + 57, "\x09", 1, "event 9"},           {record + 56, "\x63", 1, "event 0, opcode 99"},
        {record + 59, "\xf0", 1, "reserved flags"},    {record + 44, "\x09", 1, "QP 9 of host 0"},
        {record + 35, "\x81", 1, "len is 2164260866"}, {record + 7, "\x80", 1, "t_ps is -"},
        {record + 60, "\xff", 1, "nsge is 255"},       {record + 61, "\x01", 1, "inline is 1"},
        {record + 58, "\x71", 1, "dep of kind 7"},     {record + 52, "\x01", 1, "a think time of 1 ns without a dep"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(expected, sizeof expected, ": record 1 (byte %zu): %s", record, cases[i].what);
        expect_binary_error(&scratch, good, length, cases[i].at, cases[i].bytes, cases[i].count, expected);
    }
    snprintf(expected, sizeof expected, ": record 2 (byte %zu): the closing record says 2 records, 1 were there", end);
    expect_binary_error(&scratch, good, length, end, "\x02", 1, expected);
    snprintf(expected, sizeof expected, ": record 2 (byte %zu): bytes follow the closing record", end);
    expect_binary_error(&scratch, good, length, length, "x", 1, expected);
    free(good);
    scratch_close(&scratch);
}

static void test_table_limit(void)
{
    struct trace_header header = {0};
    struct rnicsim_error error = {""};
    struct trace_qp qp = {.mtu = 1024, .sq_depth = 1};
    struct trace_mr mr = {.length = 1, .page_bytes = 4096};
    int refused = 0;
    for (uint32_t i = 1; i <= TRACE_TABLE_MAX; i++) {
        qp.qpn = qp.peer_qpn = mr.key = i;
        refused += trace_header_add_qp(&header, &qp, &error) != 0 || trace_header_add_mr(&header, &mr, &error) != 0;
    }
    CU_ASSERT_EQUAL(refused, 0);
    CU_ASSERT_EQUAL(trace_header_validate(&header, NULL, &error), 0);
    CU_ASSERT_EQUAL(trace_header_qp(&header, 0, 40000)->qpn, 40000);
    qp.qpn = qp.peer_qpn = mr.key = TRACE_TABLE_MAX + 1;
    CU_ASSERT_EQUAL(trace_header_add_qp(&header, &qp, &error), -1);
    CU_ASSERT_STRING_EQUAL(error.text, "more than 65536 QPs; at most 65536 are allowed");
    CU_ASSERT_EQUAL(trace_header_add_mr(&header, &mr, &error), -1);
    trace_header_free(&header);
}

static void test_writer(void)
{
    struct scratch scratch;
    struct rnicsim_error error = {""};
    struct trace_header header = {0};
    struct trace_writer *writer;
    struct trace_record record = {.event = TRACE_SEND, .opcode = TRACE_OP_WRITE, .qpn = 2};
    scratch_open(&scratch);
    CU_ASSERT_EQUAL(trace_create(scratch_path(&scratch, "a.txt"), &header, &writer, &error), -1);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "a.txt: the name does not say the form; allowed are .wqe"));
    CU_ASSERT_EQUAL(trace_create("/tmp/no-such-folder/a.csv", &header, &writer, &error), -1);
    CU_ASSERT_EQUAL_FATAL(trace_create(scratch_path(&scratch, "a.csv"), &header, &writer, &error), 0);
    CU_ASSERT_EQUAL(trace_put(writer, &record, &error), -1);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "a.csv: record 1: QP 2 of host 0 has no #qp line"));
    CU_ASSERT_EQUAL(trace_finish(writer, &error), -1);
    CU_ASSERT_EQUAL(scratch_count(&scratch), 0);
    CU_ASSERT_EQUAL_FATAL(trace_create("/dev/full", &header, &writer, &error), 0);
    CU_ASSERT_EQUAL(trace_finish(writer, &error), -1);
    CU_ASSERT_STRING_EQUAL(error.text, "/dev/full: cannot be written: No space left on device");
    scratch_write(scratch_path(&scratch, "bad.csv"), SCRATCH_HEADER GOOD "x\n", strlen(SCRATCH_HEADER GOOD) + 2);
    char target[160];
    snprintf(target, sizeof target, "%s/out.bin.zst", scratch.folder);
    CU_ASSERT_EQUAL(trace_convert(scratch.path, target, &error), -1);
    CU_ASSERT_EQUAL(scratch_count(&scratch), 1); /* nothing but the input */
    scratch_close(&scratch);
}

void suite_traces_bad_input(void)
{
    CU_pSuite suite = CU_add_suite("traces/bad_input", NULL, NULL);
    CU_add_test(suite, "header lines", test_header_lines);
    CU_add_test(suite, "record lines", test_record_lines);
    CU_add_test(suite, "a long line, NUL bytes", test_long_line_and_nul);
    CU_add_test(suite, "directory, missing, empty, devices", test_no_file);
    CU_add_test(suite, "binary", test_binary);
    CU_add_test(suite, "65,536 QPs and MRs", test_table_limit);
    CU_add_test(suite, "writer: names, rules, full disk, nothing left behind", test_writer);
}
