#include <string.h>

#include "traces/csv.h"
#include "traces/text.h"

/* Columns by their place; the names are those of TRACE_CSV_COLUMNS. */
enum column {
    T_PS,
    HOST,
    THREAD,
    EVENT,
    QPN,
    CQN,
    DB_ID,
    WR_ID,
    OPCODE,
    FLAGS,
    LEN,
    INLINED,
    NSGE,
    LADDR,
    LKEY,
    RADDR,
    RKEY,
    IMM,
    CMP,
    SWAP,
    DEP,
    COLUMN_COUNT
};

_Static_assert(COLUMN_COUNT == TRACE_CSV_COLUMN_COUNT, "one enumerator a column");

static int split(char *line, char **cells, struct rnicsim_error *error)
{
    size_t count = 0;
    for (char *cell = line; cell != NULL; count++) {
        char *comma = strchr(cell, ',');
        if (comma != NULL)
            *comma++ = 0;
        if (count < COLUMN_COUNT)
            cells[count] = cell;
        cell = comma;
    }
    if (count != COLUMN_COUNT)
        return trace_fail(error, "%zu columns; %u are needed", count, (unsigned)COLUMN_COUNT);
    return 0;
}

/* An empty cell is 0. */
static int number(const char *cell, uint64_t max, const char *what, uint64_t *out, struct rnicsim_error *error)
{
    *out = 0;
    return *cell == 0 ? 0 : trace_text_number(cell, max, what, out, error);
}

static int number32(const char *cell, uint32_t max, const char *what, uint32_t *out, struct rnicsim_error *error)
{
    uint64_t value;
    if (number(cell, max, what, &value, error) != 0)
        return -1;
    *out = (uint32_t)value;
    return 0;
}

static int parse_numbers(struct trace_record *record, char **cells, struct rnicsim_error *error)
{
    uint64_t t_ps = 0;
    uint32_t host = 0, nsge = 0, inlined = 0;
    if (number(cells[T_PS], (uint64_t)RNICSIM_TIME_MAX, "t_ps", &t_ps, error) != 0 ||
        number32(cells[HOST], 65535, "host", &host, error) != 0 ||
        number32(cells[THREAD], UINT32_MAX, "thread", &record->thread, error) != 0 ||
        number32(cells[QPN], 0xffffff, "qpn", &record->qpn, error) != 0 ||
        number32(cells[CQN], UINT32_MAX, "cqn", &record->cqn, error) != 0 ||
        number32(cells[DB_ID], UINT32_MAX, "db_id", &record->db_id, error) != 0 ||
        number(cells[WR_ID], UINT64_MAX, "wr_id", &record->wr_id, error) != 0 ||
        number32(cells[LEN], RNICSIM_MESSAGE_MAX_BYTES, "len", &record->len, error) != 0 ||
        number32(cells[INLINED], 1, "inline", &inlined, error) != 0 ||
        number32(cells[NSGE], TRACE_SGE_MAX, "nsge", &nsge, error) != 0 ||
        number(cells[RADDR], UINT64_MAX, "raddr", &record->raddr, error) != 0 ||
        number32(cells[RKEY], UINT32_MAX, "rkey", &record->rkey, error) != 0 ||
        number32(cells[IMM], UINT32_MAX, "imm", &record->imm, error) != 0 ||
        number(cells[CMP], UINT64_MAX, "cmp", &record->cmp, error) != 0 ||
        number(cells[SWAP], UINT64_MAX, "swap", &record->swap, error) != 0)
        return -1;
    record->t_ps = (int64_t)t_ps;
    record->host = (uint16_t)host;
    record->nsge = (uint8_t)nsge;
    record->inlined = (uint8_t)inlined;
    return 0;
}

static int parse_names(struct trace_record *record, char **cells, struct rnicsim_error *error)
{
    unsigned event = 0, opcode = 0;
    while (event < TRACE_EVENT_COUNT && strcmp(cells[EVENT], trace_event_name((enum trace_event)event)) != 0)
        event++;
    if (event == TRACE_EVENT_COUNT)
        return trace_fail(error, "event is \"%.40s\"; allowed are SEND RECV DB POLL CQE ARM MEMSPIN", cells[EVENT]);
    while (opcode < TRACE_OPCODE_COUNT && strcmp(cells[OPCODE], trace_opcode_name((enum trace_opcode)opcode)) != 0)
        opcode++;
    if (opcode == TRACE_OPCODE_COUNT)
        return trace_fail(error,
                          "opcode is \"%.40s\"; allowed are SEND SEND_IMM WRITE WRITE_IMM READ CMP_SWAP FETCH_ADD "
                          "LOCAL_INV BIND_MW "
                          "SEND_INV RECV",
                          cells[OPCODE]);
    record->event = (enum trace_event)event;
    record->opcode = (enum trace_opcode)opcode;
    return trace_text_set(cells[FLAGS], trace_flag_name, TRACE_FLAG_COUNT, "flags", &record->flags, error);
}

static char *cut(char *text, char at)
{
    char *place = text == NULL ? NULL : strchr(text, at);
    if (place != NULL)
        *place++ = 0;
    return place;
}

static int parse_sge(struct trace_sge *sge, char *address, const char *lkey, struct rnicsim_error *error)
{
    char *length = cut(address, ':');
    if (length == NULL || lkey == NULL)
        return trace_fail(error,
                          "laddr lists several SGEs; each is address:length, and lkey has as many keys, joined by '|'");
    if (trace_text_number(address, UINT64_MAX, "laddr", &sge->address, error) != 0 ||
        number32(length, RNICSIM_MESSAGE_MAX_BYTES, "an SGE's length", &sge->length_bytes, error) != 0)
        return -1;
    return number32(lkey, UINT32_MAX, "lkey", &sge->lkey, error);
}

/* One address and key; or all SGEs, "address:length|address:length" and "key|key". */
static int parse_sges(struct trace_record *record, char *addresses, char *lkeys, struct rnicsim_error *error)
{
    char *next_address = cut(addresses, '|'), *next_lkey = cut(lkeys, '|');
    struct trace_sge first = {0};
    uint64_t sum = 0;
    record->extra_count = 0;
    if (next_address == NULL && next_lkey == NULL) {
        if (number(addresses, UINT64_MAX, "laddr", &record->laddr, error) != 0)
            return -1;
        return number32(lkeys, UINT32_MAX, "lkey", &record->lkey, error);
    }
    if (parse_sge(&first, addresses, lkeys, error) != 0)
        return -1;
    for (sum = first.length_bytes; next_address != NULL; record->extra_count++) {
        char *address = next_address, *lkey = next_lkey;
        if (record->extra_count == TRACE_SGE_MAX - 1)
            return trace_fail(error, "more than %u SGEs; that many are allowed", TRACE_SGE_MAX);
        next_address = cut(address, '|');
        next_lkey = cut(lkey, '|');
        if (parse_sge(&record->extra[record->extra_count], address, lkey, error) != 0)
            return -1;
        sum += record->extra[record->extra_count].length_bytes;
    }
    if (next_lkey != NULL || sum != record->len)
        return trace_fail(error, "%u SGEs of %llu bytes, len %u; lkey must have as many keys, and the sum be len",
                          record->extra_count + 1u, (unsigned long long)sum, record->len);
    record->laddr = first.address;
    record->lkey = first.lkey;
    return 0;
}

static int parse_dep_term(struct trace_dep_term *term, char *text, struct rnicsim_error *error)
{
    char *count = cut(text, ':');
    unsigned kind = TRACE_DEP_CQE;
    while (kind < TRACE_DEP_KIND_COUNT && strcmp(text, trace_dep_kind_name((enum trace_dep_kind)kind)) != 0)
        kind++;
    if (kind == TRACE_DEP_KIND_COUNT || (kind == TRACE_DEP_POST) != (count == NULL))
        return trace_fail(
            error, "dep term \"%.40s%s\"; allowed are cqe:N, recv:N, mem:N (two joined by '&') or post, then +T in ns",
            text, count == NULL ? "" : ":...");
    term->kind = (enum trace_dep_kind)kind;
    return count == NULL ? 0 : number32(count, UINT32_MAX, "dep", &term->count, error);
}

static int parse_dep(struct trace_dep *dep, char *text, struct rnicsim_error *error)
{
    *dep = (struct trace_dep){0};
    if (*text == 0)
        return 0;
    char *think = cut(text, '+');
    uint64_t think_ns = 0;
    if (think != NULL && trace_text_number(think, UINT32_MAX, "dep's think time", &think_ns, error) != 0)
        return -1;
    dep->think_ns = (uint32_t)think_ns;
    char *second = cut(text, '&');
    if (parse_dep_term(&dep->term[0], text, error) != 0)
        return -1;
    return second == NULL ? 0 : parse_dep_term(&dep->term[1], second, error);
}

int trace_csv_parse_record(struct trace_record *record, char *line, struct rnicsim_error *error)
{
    char *cells[COLUMN_COUNT];
    if (line[0] == '#')
        return trace_fail(error, "a header line after the column line; it belongs before it");
    if (split(line, cells, error) != 0 || parse_numbers(record, cells, error) != 0 ||
        parse_names(record, cells, error) != 0 || parse_sges(record, cells[LADDR], cells[LKEY], error) != 0)
        return -1;
    return parse_dep(&record->dep, cells[DEP], error);
}

static char *append_cell(char *to, uint64_t value)
{
    to = trace_text_append_number(to, value);
    *to++ = ',';
    return to;
}

static char *append_name(char *to, const char *name)
{
    to = trace_text_append(to, name);
    *to++ = ',';
    return to;
}

static char *append_sges(char *to, const struct trace_record *record)
{
    uint32_t first_bytes = record->len;
    for (uint32_t i = 0; i < record->extra_count; i++)
        first_bytes -= record->extra[i].length_bytes;
    to = trace_text_append_hex(to, record->laddr);
    if (record->extra_count != 0)
        to = trace_text_append_number(trace_text_append(to, ":"), first_bytes);
    for (uint32_t i = 0; i < record->extra_count; i++) {
        to = trace_text_append_hex(trace_text_append(to, "|"), record->extra[i].address);
        to = trace_text_append_number(trace_text_append(to, ":"), record->extra[i].length_bytes);
    }
    to = trace_text_append_number(trace_text_append(to, ","), record->lkey);
    for (uint32_t i = 0; i < record->extra_count; i++)
        to = trace_text_append_number(trace_text_append(to, "|"), record->extra[i].lkey);
    *to++ = ',';
    return to;
}

static char *append_dep(char *to, const struct trace_dep *dep)
{
    for (int i = 0; i < 2 && dep->term[i].kind != TRACE_DEP_NONE; i++) {
        to = trace_text_append(trace_text_append(to, i == 0 ? "" : "&"), trace_dep_kind_name(dep->term[i].kind));
        if (dep->term[i].kind != TRACE_DEP_POST)
            to = trace_text_append_number(trace_text_append(to, ":"), dep->term[i].count);
    }
    if (dep->think_ns != 0)
        to = trace_text_append_number(trace_text_append(to, "+"), dep->think_ns);
    return to;
}

size_t trace_csv_format_record(const struct trace_record *record, char *line)
{
    char *to = append_cell(line, (uint64_t)record->t_ps);
    to = append_cell(to, record->host);
    to = append_cell(to, record->thread);
    to = append_name(to, trace_event_name(record->event));
    to = append_cell(to, record->qpn);
    to = append_cell(to, record->cqn);
    to = append_cell(to, record->db_id);
    to = append_cell(to, record->wr_id);
    to = append_name(to, trace_opcode_name(record->opcode));
    to = trace_text_append_set(to, record->flags, trace_flag_name, TRACE_FLAG_COUNT);
    *to++ = ',';
    to = append_cell(to, record->len);
    to = append_cell(to, record->inlined);
    to = append_cell(to, record->nsge);
    to = append_sges(to, record);
    to = trace_text_append_hex(to, record->raddr);
    *to++ = ',';
    to = append_cell(to, record->rkey);
    to = append_cell(to, record->imm);
    to = append_cell(to, record->cmp);
    to = append_cell(to, record->swap);
    to = append_dep(to, &record->dep);
    *to++ = '\n';
    *to = 0;
    return (size_t)(to - line);
}
