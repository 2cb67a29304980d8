/* The importer makes perftest's loops of recorded posts, and the samples are what it made. */
#include <CUnit/CUnit.h>

#include "tests/traces/scratch.h"
#include "traces/check.h"
#include "traces/import.h"

void suite_traces_import(void);

#define RECORDED_COLUMNS "t_ps,proc,qpn,db,opcode,flags,len,inline,nsge,laddr,lkey,raddr,rkey,wr_id\n"

/* Excerpts of recordings of perftest 4.5+0.17-1 made for this project. */
static const char write_lat_client[] =
    RECORDED_COLUMNS "244456523100,1,2,1,0,10,2,1,1,0x55a0189f5000,0,0x55c05352d000,1,0\n"
                     "244458720540,1,2,2,0,10,2,1,1,0x55a0189f5000,0,0x55c05352d000,1,0\n"
                     "244460917980,1,2,3,0,10,2,1,1,0x55a0189f5000,0,0x55c05352d000,1,0\n";
static const char write_lat_server[] =
    RECORDED_COLUMNS "244436523100,0,1,1,0,10,2,1,1,0x55c05352c000,0,0x55a0189f6000,2,0\n"
                     "244457621820,0,1,2,0,10,2,1,1,0x55c05352c000,0,0x55a0189f6000,2,0\n"
                     "244459819260,0,1,3,0,10,2,1,1,0x55c05352c000,0,0x55a0189f6000,2,0\n";
static const char send_lat_client[] = RECORDED_COLUMNS "244694319922,1,2,1,2,10,2,1,1,0x55b9465f8000,0,0x0,0,0\n"
                                                       "244696592722,1,2,2,2,10,2,1,1,0x55b9465f8000,0,0x0,0,0\n";
static const char send_lat_server[] = RECORDED_COLUMNS "244695456322,0,1,1,2,10,2,1,1,0x555dbcf00000,0,0x0,0,0\n"
                                                       "244697729122,0,1,2,2,10,2,1,1,0x555dbcf00000,0,0x0,0,0\n";

static void no_fault(void *context, uint64_t line, const char *text)
{
    (void)context;
    printf("\nline %llu: %s\n", (unsigned long long)line, text);
}

static void keep_text(void *context, uint64_t line, const char *text)
{
    (void)line;
    strcpy(context, text);
}

/* The records, host, event, doorbell and dep of each, as one line each. */
static void summarise(const char *path, char *text, size_t room)
{
    struct trace_reader *reader;
    struct trace_record record;
    struct rnicsim_error error = {""};
    char line[TRACE_LINE_MAX + 2];
    text[0] = 0;
    CU_ASSERT_EQUAL(trace_check(path, no_fault, NULL, 10), 0);
    CU_ASSERT_EQUAL_FATAL(trace_open(path, &reader, &error), 0);
    while (trace_next(reader, &record, &error) > 0) {
        trace_csv_format_record(&record, line);
        snprintf(text + strlen(text), room - strlen(text), "%u %s %u:%u %s", record.host,
                 trace_event_name(record.event), record.qpn, record.db_id, strrchr(line, ',') + 1);
    }
    trace_close(reader);
}

static void expect_import(struct trace_import import, const char *client, const char *server, const char *expected)
{
    struct scratch scratch;
    struct rnicsim_error error = {""};
    char client_path[160], server_path[160];
    static char text[100000];
    scratch_open(&scratch);
    strcpy(client_path, scratch_path(&scratch, "client.csv"));
    scratch_write(client_path, client, strlen(client));
    import.client_path = client_path;
    if (server != NULL) {
        strcpy(server_path, scratch_path(&scratch, "server.csv"));
        scratch_write(server_path, server, strlen(server));
        import.server_path = server_path;
    }
    int result = trace_import_perftest(&import, scratch_path(&scratch, "out.wqe"), &error);
    if (result != 0)
        printf("\n%s\n", error.text);
    CU_ASSERT_EQUAL_FATAL(result, 0);
    summarise(scratch.path, text, sizeof text);
    if (strcmp(text, expected) != 0)
        printf("\nexpected:\n%sgot:\n%s", expected, text);
    CU_ASSERT_STRING_EQUAL(text, expected);
    scratch_close(&scratch);
}

static void test_write_lat(void)
{
    expect_import((struct trace_import){.tool = "write_lat", .think_ns = 20, .iterations = 4}, write_lat_client,
                  write_lat_server,
                  "1 SEND 1:1 \n0 SEND 2:1 mem:1+20\n"
                  "1 SEND 1:2 cqe:1&mem:1+20\n0 SEND 2:2 cqe:1&mem:2+20\n"
                  "1 SEND 1:3 cqe:2&mem:2+20\n0 SEND 2:3 cqe:2&mem:3+20\n"
                  "1 SEND 1:4 cqe:3&mem:3+20\n0 SEND 2:4 cqe:3&mem:4+20\n");
}

static void test_send_lat(void)
{
    expect_import((struct trace_import){.tool = "send_lat", .rx_depth = 2, .iterations = 3}, send_lat_client,
                  send_lat_server,
                  "0 RECV 2:1 \n0 RECV 2:2 \n1 RECV 1:1 \n1 RECV 1:2 \n"
                  "0 SEND 2:1 post\n"
                  "1 RECV 1:3 recv:1\n1 SEND 1:1 recv:1\n"
                  "0 RECV 2:3 recv:1\n0 SEND 2:2 cqe:1&recv:1\n"
                  "1 SEND 1:2 cqe:1&recv:2\n0 SEND 2:3 cqe:2&recv:2\n1 SEND 1:3 cqe:2&recv:3\n");
}

/* `count` posts to QPs 5 and 6 by turns of 4, two a doorbell when lists are made. */
static void make_bw(char *text, unsigned count, unsigned list, unsigned opcode)
{
    strcpy(text, RECORDED_COLUMNS);
    for (unsigned i = 0; i < count; i++)
        sprintf(text + strlen(text), "%u,1,%u,%u,%u,0,4096,0,1,0x55ca30554000,2,%s,0\n", i, 5 + i / 4 % 2, i / list + 1,
                opcode, opcode == 0 ? "0x557de4f71000,1" : "0x0,0");
}

static void test_write_bw(void)
{
    char text[4096];
    make_bw(text, 12, 1, 0);
    expect_import((struct trace_import){.tool = "write_bw", .tx_depth = 3, .cq_mod = 2}, text, NULL,
                  "0 SEND 5:1 \n0 SEND 5:2 post\n0 SEND 5:3 post\n0 SEND 5:4 cqe:1\n"
                  "0 SEND 6:5 post\n0 SEND 6:6 post\n0 SEND 6:7 post\n0 SEND 6:8 cqe:1\n"
                  "0 SEND 5:9 cqe:1\n0 SEND 5:10 cqe:2\n0 SEND 5:11 cqe:2\n0 SEND 5:12 cqe:3\n");
    make_bw(text, 8, 2, 0);
    expect_import((struct trace_import){.tool = "write_bw", .tx_depth = 2, .post_list = 2}, text, NULL,
                  "0 SEND 5:1 \n0 SEND 5:1 \n0 SEND 5:2 cqe:1\n0 SEND 5:2 \n"
                  "0 SEND 6:3 post\n0 SEND 6:3 \n0 SEND 6:4 cqe:1\n0 SEND 6:4 \n");
}

static void test_send_bw(void)
{
    char text[4096];
    make_bw(text, 8, 1, 2);
    expect_import((struct trace_import){.tool = "send_bw", .rx_depth = 3}, text, NULL,
                  "1 RECV 1:1 \n1 RECV 1:2 \n1 RECV 1:3 \n1 RECV 2:1 \n1 RECV 2:2 \n1 RECV 2:3 \n"
                  "0 SEND 5:1 \n1 RECV 1:4 recv:1\n0 SEND 5:2 post\n0 SEND 5:3 post\n0 SEND 5:4 post\n"
                  "0 SEND 6:5 post\n1 RECV 2:4 recv:1\n0 SEND 6:6 post\n0 SEND 6:7 post\n0 SEND 6:8 post\n");
}

static void expect_refusal(const char *client, const char *server_path, const char *tool, const char *expected)
{
    struct scratch scratch;
    struct rnicsim_error error = {""};
    char client_path[160];
    scratch_open(&scratch);
    strcpy(client_path, scratch_path(&scratch, "client.csv"));
    scratch_write(client_path, client, strlen(client));
    struct trace_import import = {.client_path = client_path, .server_path = server_path, .tool = tool};
    CU_ASSERT_EQUAL(trace_import_perftest(&import, scratch_path(&scratch, "out.wqe"), &error), -1);
    if (strstr(error.text, expected) == NULL)
        printf("\nexpected \"%s\", got \"%s\"\n", expected, error.text);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, expected));
    CU_ASSERT_EQUAL(scratch_count(&scratch), 1);
    scratch_close(&scratch);
}

static void test_refusals(void)
{
    expect_refusal(write_lat_client, NULL, "read_lat", "tool \"read_lat\"; allowed are");
    expect_refusal(write_lat_client, NULL, "write_lat", "write_lat lacks a server's recording");
    expect_refusal(write_lat_client, "/tmp/x", "write_bw", "write_bw has a server's recording");
    expect_refusal(write_lat_client, "/tmp/rnicsim-no-such-file", "write_lat", "no-such-file: cannot be opened");
    expect_refusal(write_lat_client, NULL, "send_bw", "client.csv:2: opcode WRITE; send_bw posts SEND only");
    expect_refusal("a,b\n", NULL, "write_bw", "client.csv:1: not the recorder's column line");
    expect_refusal(RECORDED_COLUMNS, NULL, "write_bw", "client.csv:2: no request");
    expect_refusal(RECORDED_COLUMNS "1,1,2\n", NULL, "write_bw", "client.csv:2: not 14 columns");
    expect_refusal(RECORDED_COLUMNS "1,1,2,1,12,0,2,0,1,0,0,0,0,0\n", NULL, "write_bw",
                   "client.csv:2: opcode is \"12\"; allowed are 0 to 9");
    expect_refusal(RECORDED_COLUMNS "1,1,2,1,0,0x10,2,0,1,0,0,0,0,0\n", NULL, "write_bw",
                   "client.csv:2: flags is \"0x10\"; allowed are 0 to 15");
}

static void test_samples(void)
{
    static const struct {
        const char *path;
        long records;
        const char *note;
    } samples[] = {
        {RNICSIM_SOURCE_DIR "/traces/samples/write_lat_2B.wqe", 2000, "ib_write_lat"},
        {RNICSIM_SOURCE_DIR "/traces/samples/write_bw_1K_postlist16.wqe", 1600, "ib_write_bw"},
        {RNICSIM_SOURCE_DIR "/traces/samples/write_bw_4K_4qp.wqe", 2000, "ib_write_bw"},
        {RNICSIM_SOURCE_DIR "/traces/samples/write_lat_100k.wqe.zst", 100000, "ib_write_lat"},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct rnicsim_error error = {""};
        struct trace_reader *reader;
        char fault[512] = "";
        CU_ASSERT_EQUAL(trace_check(samples[i].path, keep_text, fault, 1), 0);
        CU_ASSERT_STRING_EQUAL(fault, "");
        CU_ASSERT_EQUAL(scratch_count_records(samples[i].path, &error), samples[i].records);
        CU_ASSERT_EQUAL_FATAL(trace_open(samples[i].path, &reader, &error), 0);
        const struct trace_header *header = trace_header(reader);
        CU_ASSERT_FATAL(header->note_count >= 3);
        CU_ASSERT_PTR_NOT_NULL(strstr(header->notes[0], "perftest 4.5+0.17-1"));
        CU_ASSERT_PTR_NOT_NULL(strstr(header->notes[1], samples[i].note));
        trace_close(reader);
    }
}

void suite_traces_import(void)
{
    CU_pSuite suite = CU_add_suite("traces/import", NULL, NULL);
    CU_add_test(suite, "write_lat", test_write_lat);
    CU_add_test(suite, "send_lat", test_send_lat);
    CU_add_test(suite, "write_bw: windows, lists, QPs", test_write_bw);
    CU_add_test(suite, "send_bw", test_send_bw);
    CU_add_test(suite, "refusals", test_refusals);
    CU_add_test(suite, "samples", test_samples);
}
