/* The forms of a trace hold the same: exact round trips of random records through all of them. */
#include <CUnit/CUnit.h>
#include <time.h>

#include "tests/traces/scratch.h"
#include "traces/convert.h"

void suite_traces_roundtrip(void);

#define RECORDS 2000u

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)(draw(state) % limit);
}

/* Numbers of every length are as likely. */
static uint64_t any_length(uint64_t *state, unsigned bits)
{
    unsigned kept = below(state, bits + 1);
    return kept == 0 ? 0 : draw(state) >> (64 - kept);
}

/* is_scheduled: with what the first binary form has no place for. */
static void fill_header(struct trace_header *header, int is_scheduled)
{
    for (uint32_t i = 0; i < 4; i++) {
        struct trace_host host = {.host = i * 1000};
        snprintf(host.name, sizeof host.name, "host%u", i);
        snprintf(host.device, sizeof host.device, i % 2 ? "" : "a device = with blanks, and name=x");
        struct trace_qp qp = {.host = i * 1000,
                              .qpn = i + 5,
                              .peer_host = (i ^ 1) * 1000,
                              .peer_qpn = (i ^ 1) + 5,
                              .mtu = 256u << i,
                              .sq_depth = 64,
                              .rq_depth = i,
                              .sig_all = i % 2,
                              .max_inline = 1024,
                              .cqn = i * 7,
                              .type = i < 2 ? TRACE_RC : TRACE_UC};
        if (is_scheduled) {
            qp.service_level = 3 * i;
            qp.weight = i + 1;
            qp.rate_bps = i * UINT64_C(5000000000);
            qp.rd_atomic = 5 * i;
        }
        struct trace_mr mr = {.host = i,
                              .key = UINT32_MAX - i,
                              .base = UINT64_MAX - 10000,
                              .length = i + 1,
                              .page_bytes = 4096,
                              .access = i};
        CU_ASSERT_EQUAL(trace_header_add_host(header, &host, NULL), 0);
        CU_ASSERT_EQUAL(trace_header_add_qp(header, &qp, NULL), 0);
        CU_ASSERT_EQUAL(trace_header_add_mr(header, &mr, NULL), 0);
    }
    CU_ASSERT_EQUAL(trace_header_add_note(header, "a note, with = # and  two blanks ", NULL), 0);
    CU_ASSERT_EQUAL(trace_header_add_note(header, "", NULL), 0);
}

/* Columns that no rule ties to the record before. */
static void draw_free_columns(uint64_t *state, struct trace_record *record)
{
    record->wr_id = any_length(state, 64);
    record->laddr = any_length(state, 64);
    record->raddr = any_length(state, 64);
    record->thread = below(state, 2) ? 0 : (uint32_t)any_length(state, 4);
    record->lkey = (uint32_t)any_length(state, 32);
    record->rkey = (uint32_t)any_length(state, 32);
    if (below(state, 4) == 0)
        record->imm = (uint32_t)any_length(state, 32);
    if (below(state, 4) == 0)
        record->cmp = any_length(state, 64);
    if (below(state, 4) == 0)
        record->swap = any_length(state, 64);
    record->flags = below(state, 16);
    record->inlined = (record->flags & TRACE_INLINE) != 0;
    record->len = record->inlined ? below(state, 1025) : (uint32_t)any_length(state, 31) + below(state, 2);
    record->nsge = (uint8_t)below(state, TRACE_SGE_MAX + 1);
}

static void draw_sges(uint64_t *state, struct trace_record *record)
{
    uint32_t left = record->len;
    if (record->nsge < 2 || below(state, 2) == 0)
        return;
    for (record->extra_count = 0; record->extra_count + 1 < record->nsge; record->extra_count++) {
        struct trace_sge *sge = &record->extra[record->extra_count];
        sge->address = any_length(state, 64);
        sge->lkey = (uint32_t)any_length(state, 32);
        sge->length_bytes = left == 0 ? 0 : below(state, left);
        left -= sge->length_bytes;
    }
}

static void draw_dep(uint64_t *state, struct trace_dep *dep)
{
    dep->term[0].kind = (enum trace_dep_kind)below(state, TRACE_DEP_KIND_COUNT);
    if (dep->term[0].kind == TRACE_DEP_NONE)
        return;
    if (below(state, 2))
        dep->think_ns = (uint32_t)any_length(state, 32);
    if (dep->term[0].kind == TRACE_DEP_POST)
        return;
    dep->term[0].count = 1 + (uint32_t)any_length(state, 31);
    enum trace_dep_kind second = (enum trace_dep_kind)below(state, TRACE_DEP_POST);
    if (second != TRACE_DEP_NONE && second != dep->term[0].kind)
        dep->term[1] = (struct trace_dep_term){second, 1 + (uint32_t)any_length(state, 31)};
}

static void draw_record(uint64_t *state, const struct trace_record *previous, uint32_t (*db_ids)[2],
                        struct trace_record *record)
{
    memset(record, 0, sizeof *record);
    draw_free_columns(state, record);
    uint32_t index = below(state, 4);
    record->event = (enum trace_event)below(state, TRACE_EVENT_COUNT);
    record->opcode = (enum trace_opcode)below(state, TRACE_OPCODE_COUNT);
    if (record->event == TRACE_SEND)
        record->opcode = (enum trace_opcode)(TRACE_OP_SEND + below(state, 10));
    if (record->event == TRACE_RECV)
        record->opcode = TRACE_OP_RECV;
    record->host = (uint16_t)(index * 1000);
    record->qpn = record->event > TRACE_DB && below(state, 2) ? 0 : index + 5;
    record->cqn = below(state, 3) ? index * 7 : (uint32_t)any_length(state, 32);
    record->t_ps = previous->t_ps + (int64_t)any_length(state, 40);
    record->db_id = (uint32_t)any_length(state, 32);
    if (record->event <= TRACE_RECV) {
        db_ids[index][record->event] += below(state, 3) ? below(state, 2) : (uint32_t)any_length(state, 18);
        record->db_id = db_ids[index][record->event];
    }
    draw_sges(state, record);
    if (!trace_same_doorbell(previous, record))
        draw_dep(state, &record->dep);
}

static int equal(const struct trace_record *a, const struct trace_record *b)
{
    if (a->extra_count != b->extra_count || a->t_ps != b->t_ps)
        return 0;
    char left[TRACE_LINE_MAX + 2], right[TRACE_LINE_MAX + 2];
    trace_csv_format_record(a, left);
    trace_csv_format_record(b, right);
    return strcmp(left, right) == 0;
}

/* Every field by itself, so that a column that the text form loses cannot hide. */
static int same_fields(const struct trace_record *a, const struct trace_record *b)
{
    return a->wr_id == b->wr_id && a->laddr == b->laddr && a->raddr == b->raddr && a->cmp == b->cmp &&
           a->swap == b->swap && a->thread == b->thread && a->qpn == b->qpn && a->cqn == b->cqn &&
           a->db_id == b->db_id && a->len == b->len && a->lkey == b->lkey && a->rkey == b->rkey && a->imm == b->imm &&
           a->event == b->event && a->opcode == b->opcode && a->flags == b->flags && a->host == b->host &&
           a->nsge == b->nsge && a->inlined == b->inlined && a->dep.think_ns == b->dep.think_ns &&
           a->dep.term[0].kind == b->dep.term[0].kind && a->dep.term[0].count == b->dep.term[0].count &&
           a->dep.term[1].kind == b->dep.term[1].kind && a->dep.term[1].count == b->dep.term[1].count;
}

static void write_random(const char *path, uint64_t seed, int is_scheduled, struct trace_record *records)
{
    struct trace_header header = {0};
    struct trace_writer *writer;
    struct rnicsim_error error = {""};
    struct trace_record previous = {.event = TRACE_DB};
    uint32_t db_ids[4][2] = {{0}};
    uint64_t state = seed;
    fill_header(&header, is_scheduled);
    CU_ASSERT_EQUAL_FATAL(trace_create(path, &header, &writer, &error), 0);
    for (uint32_t i = 0; i < RECORDS; i++) {
        draw_record(&state, &previous, db_ids, &records[i]);
        previous = records[i];
        int result = trace_put(writer, &records[i], &error);
        if (result != 0)
            printf("\nseed %llu: %s\n", (unsigned long long)seed, error.text);
        CU_ASSERT_EQUAL_FATAL(result, 0);
    }
    CU_ASSERT_EQUAL_FATAL(trace_finish(writer, &error), 0);
    trace_header_free(&header);
}

static void expect_records(const char *path, uint64_t seed, const struct trace_record *records)
{
    struct trace_reader *reader;
    struct trace_record record;
    struct rnicsim_error error = {""};
    uint32_t good = 0;
    CU_ASSERT_EQUAL_FATAL(trace_open(path, &reader, &error), 0);
    while (good < RECORDS && trace_next(reader, &record, &error) == 1 && same_fields(&record, &records[good]) &&
           equal(&record, &records[good]))
        good++;
    if (good != RECORDS)
        printf("\nseed %llu: %s differs at record %u %s\n", (unsigned long long)seed, path, good + 1, error.text);
    CU_ASSERT_EQUAL(good, RECORDS);
    CU_ASSERT_EQUAL(trace_next(reader, &record, &error), 0);
    CU_ASSERT_EQUAL(trace_next(reader, &record, &error), 0);
    trace_close(reader);
}

static void expect_same_bytes(const char *left, const char *right)
{
    size_t left_length = 0, right_length = 0;
    char *a = scratch_read(left, &left_length), *b = scratch_read(right, &right_length);
    CU_ASSERT(a != NULL && b != NULL && left_length == right_length && memcmp(a, b, left_length) == 0);
    free(a);
    free(b);
}

static void random_records(int is_scheduled)
{
    static const char *const chain[] = {"a.csv", "b.bin", "c.bin.zst", "d.wqe.zst", "e.bin", "f.wqe"};
    struct scratch scratch;
    char paths[6][160];
    struct rnicsim_error error = {""};
    uint64_t seed = (uint64_t)time(NULL);
    struct trace_record *records = calloc(RECORDS, sizeof *records);
    CU_ASSERT_PTR_NOT_NULL_FATAL(records);
    scratch_open(&scratch);
    for (int i = 0; i < 6; i++)
        strcpy(paths[i], scratch_path(&scratch, chain[i]));
    write_random(paths[0], seed, is_scheduled, records);
    expect_records(paths[0], seed, records);
    for (int i = 1; i < 6; i++) {
        CU_ASSERT_EQUAL(trace_convert(paths[i - 1], paths[i], &error), 0);
        expect_records(paths[i], seed, records);
    }
    expect_same_bytes(paths[0], paths[5]);
    expect_same_bytes(paths[1], paths[4]);
    CU_ASSERT_EQUAL(scratch_count(&scratch), 6);
    scratch_close(&scratch);
    free(records);
}

static void test_random_records(void)
{
    random_records(0);
    random_records(1);
}

static void test_other_spellings(void)
{
    static const char valid[] = "#rnicsim-trace version=1\r\n#host host=0\r\n#qp qpn=0x2 host=0 peer_host=0 "
                                "peer_qpn=2 max_inline=64\r\n" TRACE_CSV_COLUMNS "\r\n"
                                "0x10,,,SEND,2,,1,,WRITE,INLINE|SIGNALED,2,1,1,4096,,0X10,,,,,mem:0x3&cqe:4+0\r\n";
    static const char canonical[] =
        "16,0,0,SEND,2,0,1,0,WRITE,SIGNALED|INLINE,2,1,1,0x1000,0,0x10,0,0,0,0,mem:3&cqe:4\n";
    struct scratch scratch;
    char binary[160], text[160];
    struct rnicsim_error error = {""};
    size_t length = 0;
    scratch_open(&scratch);
    strcpy(binary, scratch_path(&scratch, "b.bin"));
    strcpy(text, scratch_path(&scratch, "c.wqe"));
    scratch_write(scratch_path(&scratch, "a.csv"), valid, sizeof valid - 1);
    CU_ASSERT_EQUAL(trace_convert(scratch.path, binary, &error), 0);
    CU_ASSERT_EQUAL(trace_convert(binary, text, &error), 0);
    char *bytes = scratch_read(text, &length);
    CU_ASSERT(bytes != NULL && length > strlen(canonical) &&
              strcmp(bytes + length - strlen(canonical), canonical) == 0);
    free(bytes);
    scratch_close(&scratch);
}

void suite_traces_roundtrip(void)
{
    CU_pSuite suite = CU_add_suite("traces/roundtrip", NULL, NULL);
    CU_add_test(suite, "2,000 random records through all forms", test_random_records);
    CU_add_test(suite, "valid text that is not canonical", test_other_spellings);
}
