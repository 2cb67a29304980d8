#include "traces/recorded.h"

#include <stdlib.h>
#include <string.h>

#include "traces/input.h"
#include "traces/text.h"

#define COLUMNS "t_ps,proc,qpn,db,opcode,flags,len,inline,nsge,laddr,lkey,raddr,rkey,wr_id"

enum column { T_PS, PROC, QPN, DB, OPCODE, FLAGS, LEN, INLINED, NSGE, LADDR, LKEY, RADDR, RKEY, WR_ID, COLUMN_COUNT };

static const char *const names[COLUMN_COUNT] = {"t_ps",   "proc", "qpn",   "db",   "opcode", "flags", "len",
                                                "inline", "nsge", "laddr", "lkey", "raddr",  "rkey",  "wr_id"};

static const uint64_t maxima[COLUMN_COUNT] = {
    INT64_MAX, UINT32_MAX, 0xffffff,   UINT32_MAX, 9,          15,         RNICSIM_MESSAGE_MAX_BYTES,
    1,         1,          UINT64_MAX, UINT32_MAX, UINT64_MAX, UINT32_MAX, UINT64_MAX};

/* enum ibv_wr_opcode, libibverbs 44 (verbs.h), in its order. */
static const enum trace_opcode ibv_opcodes[] = {
    TRACE_OP_WRITE,    TRACE_OP_WRITE_IMM, TRACE_OP_SEND,      TRACE_OP_SEND_IMM, TRACE_OP_READ,
    TRACE_OP_CMP_SWAP, TRACE_OP_FETCH_ADD, TRACE_OP_LOCAL_INV, TRACE_OP_BIND_MW,  TRACE_OP_SEND_INV,
};

/* enum ibv_send_flags: FENCE 1, SIGNALED 2, SOLICITED 4, INLINE 8. */
static uint32_t flags_of_ibv(uint64_t flags)
{
    return ((flags & 1) != 0 ? TRACE_FENCE : 0) | ((flags & 2) != 0 ? TRACE_SIGNALED : 0) |
           ((flags & 4) != 0 ? TRACE_SOLICITED : 0) | ((flags & 8) != 0 ? TRACE_INLINE : 0);
}

static int parse_row(char *line, struct trace_record *row, struct rnicsim_error *error)
{
    uint64_t values[COLUMN_COUNT];
    char *cell = line;
    for (unsigned i = 0; i < COLUMN_COUNT; i++) {
        char *comma = cell == NULL ? NULL : strchr(cell, ',');
        if (comma != NULL)
            *comma++ = 0;
        if (cell == NULL || (i == COLUMN_COUNT - 1 && comma != NULL))
            return trace_fail(error, "not %u columns; they are \"" COLUMNS "\"", (unsigned)COLUMN_COUNT);
        if (trace_text_number(cell, maxima[i], names[i], &values[i], error) != 0)
            return -1;
        cell = comma;
    }
    *row = (struct trace_record){
        .event = TRACE_SEND,
        .qpn = (uint32_t)values[QPN],
        .db_id = (uint32_t)values[DB],
        .opcode = ibv_opcodes[values[OPCODE]],
        .flags = flags_of_ibv(values[FLAGS]),
        .len = (uint32_t)values[LEN],
        .inlined = (uint8_t)values[INLINED],
        .nsge = (uint8_t)values[NSGE],
        .laddr = values[LADDR],
        .lkey = (uint32_t)values[LKEY],
        .raddr = values[RADDR],
        .rkey = (uint32_t)values[RKEY],
        .wr_id = values[WR_ID],
    };
    return 0;
}

static int append(struct trace_recorded *recorded, char *line, struct rnicsim_error *error)
{
    if ((recorded->count & (recorded->count - 1)) == 0) {
        size_t capacity = recorded->count == 0 ? 1 : recorded->count * 2;
        struct trace_record *larger = realloc(recorded->rows, capacity * sizeof *larger);
        if (larger == NULL)
            return trace_fail(error, "out of memory for %zu requests", capacity);
        recorded->rows = larger;
    }
    if (parse_row(line, &recorded->rows[recorded->count], error) != 0)
        return -1;
    recorded->count++;
    return 0;
}

static int read_rows(struct trace_input *input, struct trace_recorded *recorded, uint64_t *line_number,
                     struct rnicsim_error *error)
{
    char line[TRACE_LINE_MAX + 2];
    int got;
    for (*line_number = 1; (got = trace_input_line(input, line, error)) > 0; ++*line_number) {
        if (*line_number > 1 && append(recorded, line, error) != 0)
            return -1;
        if (*line_number == 1 && strcmp(line, COLUMNS) != 0)
            return trace_fail(error, "not the recorder's column line; allowed is \"" COLUMNS "\"");
    }
    if (got == 0 && recorded->count == 0)
        return trace_fail(error, "no request; at least one is needed");
    return got;
}

int trace_recorded_read(const char *path, struct trace_recorded *recorded, struct rnicsim_error *error)
{
    struct trace_input *input;
    struct rnicsim_error reason;
    uint64_t line_number;
    *recorded = (struct trace_recorded){0};
    if (trace_input_open(path, &input, &reason) != 0)
        return trace_fail(error, "%s: %s", path, reason.text);
    int result = read_rows(input, recorded, &line_number, &reason);
    trace_input_close(input);
    if (result == 0)
        return 0;
    trace_recorded_free(recorded);
    return trace_fail(error, "%.200s:%llu: %s", path, (unsigned long long)line_number, reason.text);
}

void trace_recorded_free(struct trace_recorded *recorded)
{
    free(recorded->rows);
    *recorded = (struct trace_recorded){0};
}
