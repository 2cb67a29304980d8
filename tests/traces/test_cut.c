/* A file that is cut anywhere is never taken for a whole one; a long one is read in constant memory. */
#include <CUnit/CUnit.h>
#include <sys/resource.h>

#include "tests/traces/scratch.h"
#include "traces/convert.h"

void suite_traces_cut_slow(void);

#define RECORD "0,0,0,SEND,2,1,%d,7,WRITE_IMM,SIGNALED,3,0,2,0x10000:1|0x10100:2,2|2,0x20000,1,5,0,0,cqe:12&mem:13+14\n"

static void write_small(const char *path)
{
    char text[4096] = SCRATCH_HEADER;
    for (int i = 1; i <= 3; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), RECORD, i);
    scratch_write(path, text, strlen(text));
}

/* Text may be cut at a line end after the column line: the first so many lines of a trace are a trace. */
static int is_line_end(const char *bytes, size_t length)
{
    return length >= strlen(SCRATCH_HEADER) && bytes[length - 1] == '\n';
}

static void cut_everywhere(const char *good_path, const char *cut_path, int is_plain_text)
{
    size_t length = 0, passed = 0;
    struct rnicsim_error error;
    char *bytes = scratch_read(good_path, &length);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
    CU_ASSERT_EQUAL(scratch_count_records(good_path, &error), 3);
    for (size_t cut = 0; cut < length; cut++) {
        scratch_write(cut_path, bytes, cut);
        error.text[0] = 0;
        int read_well = scratch_count_records(cut_path, &error) >= 0;
        int may = is_plain_text && is_line_end(bytes, cut);
        passed += read_well == may && (read_well || strncmp(error.text, cut_path, strlen(cut_path)) == 0);
        if (read_well != may)
            printf("\n%s cut at byte %zu: %s\n", good_path, cut, read_well ? "taken for whole" : error.text);
    }
    CU_ASSERT_EQUAL(passed, length);
    free(bytes);
}

static void test_cut_everywhere(void)
{
    static const char *const names[] = {"a.csv", "a.bin", "a.csv.zst", "a.bin.zst"};
    struct scratch scratch;
    char text[160], other[160];
    struct rnicsim_error error = {""};
    scratch_open(&scratch);
    strcpy(text, scratch_path(&scratch, names[0]));
    write_small(text);
    for (int i = 0; i < 4; i++) {
        strcpy(other, scratch_path(&scratch, names[i]));
        if (i > 0)
            CU_ASSERT_EQUAL_FATAL(trace_convert(text, other, &error), 0);
        cut_everywhere(other, scratch_path(&scratch, "cut"), i == 0);
    }
    scratch_close(&scratch);
}

/* Damage must not crash; in a compressed file, whose frame has a checksum, it must not pass either. */
static void test_every_byte_changed(void)
{
    static const char *const names[] = {"a.csv", "a.bin", "a.bin.zst"};
    struct scratch scratch;
    char text[160], other[160];
    struct rnicsim_error error = {""};
    scratch_open(&scratch);
    strcpy(text, scratch_path(&scratch, names[0]));
    write_small(text);
    for (int i = 0; i < 3; i++) {
        size_t length = 0;
        strcpy(other, scratch_path(&scratch, names[i]));
        if (i > 0)
            CU_ASSERT_EQUAL_FATAL(trace_convert(text, other, &error), 0);
        char *bytes = scratch_read(other, &length);
        CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
        scratch_path(&scratch, "changed");
        for (size_t at = 0; at < length; at++) {
            bytes[at] = (char)~bytes[at];
            scratch_write(scratch.path, bytes, length);
            long count = scratch_count_records(scratch.path, &error);
            CU_ASSERT(i < 2
                          ? count <= 3
                          : count == -1 || at == 4 || at == 5); /* 4, 5: frame descriptor, window: may mean the same */
            bytes[at] = (char)~bytes[at];
        }
        free(bytes);
    }
    scratch_close(&scratch);
}

static void write_million(const char *path)
{
    struct trace_header header = {0};
    struct trace_writer *writer;
    struct rnicsim_error error = {""};
    struct trace_qp qp = {.host = 0, .qpn = 1, .peer_host = 0, .peer_qpn = 1, .mtu = 1024, .sq_depth = 16, .cqn = 3};
    struct trace_record record = {
        .event = TRACE_SEND, .opcode = TRACE_OP_SEND, .qpn = 1, .cqn = 3, .len = 64, .nsge = 1};
    CU_ASSERT_EQUAL_FATAL(trace_header_add_qp(&header, &qp, &error), 0);
    CU_ASSERT_EQUAL_FATAL(trace_create(path, &header, &writer, &error), 0);
    for (uint32_t i = 0; i < 1000000; i++) {
        record.t_ps += 1234;
        record.db_id = i;
        record.wr_id = i * 77u;
        if (trace_put(writer, &record, &error) != 0)
            break;
    }
    CU_ASSERT_EQUAL(trace_finish(writer, &error), 0);
    trace_header_free(&header);
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void test_constant_memory(void)
{
    struct scratch scratch;
    struct rnicsim_error error = {""};
    char text[160];
    scratch_open(&scratch);
    strcpy(text, scratch_path(&scratch, "long.wqe.zst"));
    long before = peak_kib();
    write_million(text);
    CU_ASSERT_EQUAL(scratch_count_records(text, &error), 1000000);
    CU_ASSERT_EQUAL(trace_convert(text, scratch_path(&scratch, "long.bin"), &error), 0);
    CU_ASSERT_EQUAL(scratch_count_records(scratch.path, &error), 1000000);
    CU_ASSERT(peak_kib() - before < 48 * 1024); /* zstd's windows; the text alone would be 100 MB */
    scratch_close(&scratch);
}

void suite_traces_cut_slow(void)
{
    CU_pSuite suite = CU_add_suite("traces/cut", NULL, NULL);
    CU_add_test(suite, "cut at every byte", test_cut_everywhere);
    CU_add_test(suite, "every byte changed", test_every_byte_changed);
    CU_add_test(suite, "a million records in constant memory", test_constant_memory);
}
