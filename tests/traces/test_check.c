/* trace_check finds requests that can be read but never succeed, each with its line; trace_info counts. */
#include <CUnit/CUnit.h>

#include "tests/traces/scratch.h"
#include "traces/check.h"
#include "traces/info.h"

void suite_traces_check(void);

struct check_case {
    const char *record;
    const char *expected; /* NULL: no fault */
};

static const struct check_case cases[] = {
    {"0,0,0,SEND,2,1,1,0,WRITE,SIGNALED,8192,0,1,0x10000,2,0x20000,1,0,0,0,", NULL},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,9,0x20000,1,0,0,0,", "lkey 9 of host 0 names no MR"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,9,0,0,0,", "rkey 9 of host 1 names no MR"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x11fff,2,0x20000,1,0,0,0,", "0x11fff and 2 bytes lie outside the MR of lkey 2"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x1ffff,1,0,0,0,", "0x1ffff and 2 bytes lie outside the MR of rkey 1"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0xffffffffffffffff,2,0x20000,1,0,0,0,",
     "0xffffffffffffffff and 2 bytes lie outside"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,4,0,2,0x10000:2|0x30000:2,2|2,0x20000,1,0,0,0,",
     "0x30000 and 2 bytes lie outside the MR of lkey 2"},
    {"0,0,0,SEND,2,1,1,0,READ,,2,0,1,0x10000,2,0x20000,1,0,0,0,", "the MR of rkey 1, host 1, lacks REMOTE_READ"},
    {"0,0,0,SEND,2,1,1,0,WRITE,INLINE,2,1,1,0x10000,0,0x20000,1,0,0,0,", NULL}, /* inline data needs no key */
    {"0,0,0,SEND,2,1,1,0,WRITE,INLINE,0,1,0,0,0,0x20000,1,0,0,0,", "INLINE with nsge 0"},
    {"0,0,0,SEND,2,1,1,0,SEND,,2,0,0,0x10000,2,0,0,0,0,0,", "2 bytes without an SGE"},
    {"0,0,0,SEND,2,1,1,0,LOCAL_INV,INLINE,0,1,1,0,0,0,0,0,0,0,", "INLINE on LOCAL_INV"},
    {"0,0,0,SEND,2,1,1,0,WRITE,SOLICITED,2,0,1,0x10000,2,0x20000,1,0,0,0,", "SOLICITED on WRITE"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,7,0,0,", "imm on WRITE"},
    {"0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,7,0,", "cmp or swap on WRITE"},
    {"0,0,0,SEND,2,1,1,0,FETCH_ADD,,4,0,1,0x10000,2,0x20000,1,0,7,0,", "FETCH_ADD of 4 bytes; 8 are allowed"},
    {"0,0,0,SEND,2,1,1,0,CMP_SWAP,,8,0,1,0x10000,2,0x20004,1,0,7,0,", "CMP_SWAP at 0x20004; multiples of 8"},
    {"0,0,0,RECV,2,1,1,0,RECV,SIGNALED,2,0,1,0x10000,2,0,0,0,0,0,", "flags on a RECV"},
    {"0,0,0,SEND,3,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,", "WRITE on a UD QP"},
    {"0,0,0,SEND,3,1,1,0,SEND,,300,0,1,0x10000,2,0,0,0,0,0,", "300 bytes on a UD QP; at most its mtu, 256"},
    {"0,0,0,SEND,4,1,1,0,READ,,2,0,1,0x10000,2,0x20000,1,0,0,0,", "READ on a UC QP"},
};

struct faults {
    uint64_t count, lines[64];
    char first[512];
};

static void keep(void *context, uint64_t line, const char *text)
{
    struct faults *faults = context;
    if (faults->count == 0)
        snprintf(faults->first, sizeof faults->first, "%s", text);
    if (faults->count < 64)
        faults->lines[faults->count] = line;
    faults->count++;
}

static void write_trace(const char *path, const char *records)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        abort();
    fputs("#rnicsim-trace version=1\n"
          "#qp host=0 qpn=2 type=RC peer_host=1 peer_qpn=1 sq_depth=2 max_inline=220\n"
          "#qp host=1 qpn=1 type=RC peer_host=0 peer_qpn=2 sq_depth=2 max_inline=220\n"
          "#qp host=0 qpn=3 type=UD mtu=256\n"
          "#qp host=0 qpn=4 type=UC peer_host=1 peer_qpn=4\n"
          "#qp host=1 qpn=4 type=UC peer_host=0 peer_qpn=4\n"
          "#mr host=0 key=2 base=0x10000 length=8192 access=LOCAL_WRITE\n"
          "#mr host=1 key=1 base=0x20000 length=8192 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_ATOMIC\n" TRACE_CSV_COLUMNS
          "\n",
          file);
    fputs(records, file);
    fclose(file);
}

static void test_single_faults(void)
{
    struct scratch scratch;
    scratch_open(&scratch);
    scratch_path(&scratch, "a.wqe");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct faults faults = {0};
        char line[512];
        snprintf(line, sizeof line, "%s\n", cases[i].record);
        write_trace(scratch.path, line);
        uint64_t count = trace_check(scratch.path, keep, &faults, 100);
        int good = count == (cases[i].expected != NULL) && count == faults.count;
        if (good && cases[i].expected != NULL)
            good = faults.lines[0] == 10 && strstr(faults.first, ".wqe:10: ") != NULL &&
                   strstr(faults.first, cases[i].expected) != NULL;
        if (!good)
            printf("\n%s: %llu faults, first \"%s\"\n", cases[i].record, (unsigned long long)count, faults.first);
        CU_ASSERT(good);
    }
    scratch_close(&scratch);
}

static void test_goes_on(void)
{
    static const char records[] =
        "0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,\n"
        "0,0,0,SEND,2,1,1\n"
        "0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,9,0x20000,9,0,0,0,\n" /* two faults */
        "0,0,0,JUMP,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,\n"
        "0,0,0,SEND,2,1,1,0,WRITE,,2,0,1,0x10000,2,0x20000,1,0,0,0,\n" /* the third of a list; depth is 2 */
        "0,0,0,SE";
    static const uint64_t lines[] = {11, 12, 12, 13, 14, 15};
    struct scratch scratch;
    struct faults faults = {0};
    scratch_open(&scratch);
    write_trace(scratch_path(&scratch, "a.wqe"), records);
    CU_ASSERT_EQUAL(trace_check(scratch.path, keep, &faults, 100), 6);
    CU_ASSERT_EQUAL(faults.count, 6);
    CU_ASSERT_EQUAL(memcmp(faults.lines, lines, sizeof lines), 0);
    faults.count = 0;
    CU_ASSERT_EQUAL(trace_check(scratch.path, keep, &faults, 2), 2);
    CU_ASSERT_EQUAL(faults.count, 2);
    faults.count = 0;
    CU_ASSERT_EQUAL(trace_check("/tmp/rnicsim-no-such-file", keep, &faults, 2), 1);
    CU_ASSERT_EQUAL(faults.lines[0], 0);
    scratch_close(&scratch);
}

static void test_info(void)
{
    static const char records[] = "1000000,0,0,SEND,2,1,1,0,WRITE,SIGNALED,64,0,1,0x10000,2,0x20000,1,0,0,0,\n"
                                  "1000000,0,0,SEND,2,1,1,0,WRITE,,64,0,1,0x10000,2,0x20000,1,0,0,0,\n"
                                  "3000000,0,0,SEND,2,1,2,0,WRITE,INLINE,16,1,1,0x10000,2,0x20000,1,0,0,0,\n"
                                  "0,0,0,SEND,2,1,3,0,SEND,,0,0,0,0,0,0,0,0,0,0,cqe:1&mem:2+5\n";
    static const char *const expected[] = {"QPs       5\n",
                                           "MRs       2\n",
                                           "event     SEND: 4\n",
                                           "opcode    WRITE: 3\n",
                                           "payload   144 bytes in 4 requests, 0 to 64, mean 36.0\n",
                                           "size      64..127: 2\n",
                                           "size      0..0: 1\n",
                                           "doorbells 3, 1.33 requests each\n",
                                           "signalled 25.00 %\n",
                                           "inline    25.00 %\n",
                                           "at an absolute time: 2, after cqe: 1,",
                                           "of two terms: 1\n",
                                           "duration  2.000 us"};
    struct scratch scratch;
    struct rnicsim_error error = {""};
    char *text = NULL;
    size_t length = 0;
    scratch_open(&scratch);
    write_trace(scratch_path(&scratch, "a.wqe"), records);
    FILE *out = open_memstream(&text, &length);
    CU_ASSERT_PTR_NOT_NULL_FATAL(out);
    CU_ASSERT_EQUAL(trace_info(scratch.path, out, &error), 0);
    fclose(out);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        if (strstr(text, expected[i]) == NULL)
            printf("\nno \"%s\" in\n%s", expected[i], text);
        CU_ASSERT_PTR_NOT_NULL(strstr(text, expected[i]));
    }
    free(text);
    scratch_close(&scratch);
}

void suite_traces_check(void)
{
    CU_pSuite suite = CU_add_suite("traces/check", NULL, NULL);
    CU_add_test(suite, "one fault each", test_single_faults);
    CU_add_test(suite, "goes on after a fault", test_goes_on);
    CU_add_test(suite, "info", test_info);
}
