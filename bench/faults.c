#include "bench/faults.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"

#define STATEMENT_MAX 400
#define WORDS_MAX 32

/* A statement and where it stands. */
struct statement {
    const char *where; /* "--faults" or the file's name */
    int line;          /* 0: of no file */
    char text[STATEMENT_MAX];
    char *word[WORDS_MAX];
    int words, at;
};

static int wrong(const struct statement *statement, const char *what, const char *allowed)
{
    const char *word = statement->at < statement->words ? statement->word[statement->at] : "the end";
    if (statement->line > 0)
        return cli_fail("%s:%d: \"%s\": %s; allowed: %s", statement->where, statement->line, word, what, allowed);
    return cli_fail("%s: \"%s\": %s; allowed: %s", statement->where, word, what, allowed);
}

/* ---- words ---- */

struct name {
    const char *word;
    unsigned value;
};

#define DATA_FRAMES (RNICSIM_FRAME_SEND | RNICSIM_FRAME_WRITE)

static const struct name actions[] = {{"drop", RNICSIM_FAULT_DROP},           {"corrupt", RNICSIM_FAULT_CORRUPT},
                                      {"duplicate", RNICSIM_FAULT_DUPLICATE}, {"delay", RNICSIM_FAULT_DELAY},
                                      {"not_ready", RNICSIM_FAULT_NOT_READY}, {"bad_key", RNICSIM_FAULT_BAD_KEY},
                                      {"mark", RNICSIM_FAULT_MARK},           {0, 0}};
static const struct name frames[] = {
    {"data", DATA_FRAMES},
    {"request", DATA_FRAMES | RNICSIM_FRAME_READ_REQUEST | RNICSIM_FRAME_ATOMIC_REQUEST},
    {"send", RNICSIM_FRAME_SEND},
    {"write", RNICSIM_FRAME_WRITE},
    {"read", RNICSIM_FRAME_READ_REQUEST},
    {"atomic", RNICSIM_FRAME_ATOMIC_REQUEST},
    {"answer", RNICSIM_FRAME_ANSWER},
    {"ack", RNICSIM_FRAME_ACK},
    {"nak", RNICSIM_FRAME_NAK},
    {"cnp", RNICSIM_FRAME_CNP},
    {"any", RNICSIM_FRAME_ANY},
    {0, 0}};

static int find(const struct name *names, const char *word, unsigned *value)
{
    for (; names->word != NULL; names++)
        if (strcmp(names->word, word) == 0) {
            *value = names->value;
            return 0;
        }
    return -1;
}

/* The next word; NULL: there is none. */
static const char *peek(const struct statement *statement)
{
    return statement->at < statement->words ? statement->word[statement->at] : NULL;
}

static int is_next(struct statement *statement, const char *word)
{
    if (peek(statement) == NULL || strcmp(peek(statement), word) != 0)
        return 0;
    statement->at++;
    return 1;
}

static int whole(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
    char *end;
    errno = 0;
    if (text == NULL || text[0] < '0' || text[0] > '9')
        return -1;
    *out = strtoull(text, &end, 10);
    return errno != 0 || *end != 0 || *out < least || *out > most ? -1 : 0;
}

/* "5 us", "5us", "0.5 ms": two words or one. */
static int take_time(struct statement *statement, int64_t *ps)
{
    static const struct {
        const char *unit;
        double ps;
    } units[] = {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};
    const char *word = peek(statement);
    char *end;
    double number = word == NULL ? 0 : strtod(word, &end);
    int words = 1;
    if (word == NULL || end == word)
        return -1;
    if (*end == 0 && statement->at + 1 < statement->words) {
        end = statement->word[statement->at + 1];
        words = 2;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0 && number >= 0 && number * units[i].ps < 1e18) {
            *ps = llrint(number * units[i].ps);
            statement->at += words;
            return 0;
        }
    return -1;
}

/* ---- a statement ---- */

#define WHICH \
    "N, last, every N, p=X, times=N, request=N, qp=N, psn=N, from=a, from=b, first, again, after TIME, until TIME"

/* "qp=3": 1 when the word is of this key, and its number in *value; -1: it is, and the number is wrong. */
static int take_key(struct statement *statement, const char *key, uint64_t least, uint64_t most, uint64_t *value)
{
    size_t length = strlen(key);
    if (strncmp(peek(statement), key, length) != 0 || peek(statement)[length] != '=')
        return 0;
    if (whole(peek(statement) + length + 1, least, most, value) != 0)
        return -1;
    statement->at++;
    return 1;
}

static int take_probability(struct statement *statement, struct rnicsim_fault *fault)
{
    char *end;
    if (strncmp(peek(statement), "p=", 2) != 0)
        return 0;
    double p = strtod(peek(statement) + 2, &end);
    if (end == peek(statement) + 2 || *end != 0 || !(p >= 1e-9 && p <= 1))
        return -1;
    fault->probability_ppb = (uint32_t)lrint(p * 1e9);
    statement->at++;
    return 1;
}

/* Of the keys with a number the one that is next, if any. */
static int take_number(struct statement *statement, struct rnicsim_fault *fault)
{
    uint64_t value;
    int taken = take_key(statement, "times", 1, UINT64_MAX, &fault->most);
    if (taken == 0)
        taken = take_key(statement, "request", 1, UINT64_MAX, &fault->request);
    if (taken == 0 && (taken = take_key(statement, "qp", 1, 0xffffff, &value)) == 1)
        fault->qpn = (uint32_t)value;
    else if (taken == 0 && (taken = take_key(statement, "psn", 0, 0xffffff, &value)) == 1)
        fault->psn = (uint32_t)value;
    return taken != 0 ? taken : take_probability(statement, fault);
}

/* The words without a number. */
static int take_word(struct statement *statement, struct rnicsim_fault *fault, unsigned char *is_last)
{
    if (is_next(statement, "last"))
        *is_last = 1;
    else if (is_next(statement, "first"))
        fault->times = RNICSIM_FIRST_TIME;
    else if (is_next(statement, "again"))
        fault->times = RNICSIM_AGAIN;
    else if (is_next(statement, "from=a"))
        fault->from_host = 0;
    else if (is_next(statement, "from=b"))
        fault->from_host = 1;
    else
        return 0;
    return 1;
}

static int take_which(struct statement *statement, struct rnicsim_fault *fault, unsigned char *is_last)
{
    if (take_word(statement, fault, is_last))
        return CLI_DONE;
    if (is_next(statement, "every"))
        return whole(peek(statement), 1, UINT64_MAX, &fault->every) == 0 && ++statement->at
                   ? CLI_DONE
                   : wrong(statement, "every needs a number", "1 and more");
    int is_after = is_next(statement, "after");
    if (is_after || is_next(statement, "until"))
        return take_time(statement, is_after ? &fault->from_ps : &fault->to_ps) == 0
                   ? CLI_DONE
                   : wrong(statement, "this is no time", "as 10 us, with ps, ns, us, ms or s");
    int taken = take_number(statement, fault);
    if (taken != 0)
        return taken == 1 ? CLI_DONE : wrong(statement, "the value is out of range", WHICH);
    if (fault->action == RNICSIM_FAULT_DELAY && fault->delay_ps == 0 && take_time(statement, &fault->delay_ps) == 0)
        return CLI_DONE;
    if (whole(peek(statement), 1, UINT64_MAX, &fault->nth) == 0) {
        statement->at++;
        return CLI_DONE;
    }
    return wrong(statement, "which frames is that?", WHICH);
}

/* "qp=3" and "qp=4", two times "every", two numbers. */
static int are_of_one_kind(const char *a, const char *b)
{
    size_t length = strcspn(a, "=");
    int is_number = a[0] >= '0' && a[0] <= '9';
    return is_number ? b[0] >= '0' && b[0] <= '9' : strncmp(a, b, length) == 0 && strcspn(b, "=") == length;
}

/* All of them, each kind once. */
static int take_all(struct statement *statement, struct rnicsim_fault *fault, unsigned char *is_last)
{
    const char *begun[WORDS_MAX];
    for (int count = 0; peek(statement) != NULL; count++) {
        begun[count] = peek(statement);
        int may_be_time = fault->action == RNICSIM_FAULT_DELAY && fault->delay_ps == 0;
        for (int i = 0; i < count; i++)
            if (are_of_one_kind(begun[i], begun[count]) && !(may_be_time && begun[i][0] <= '9'))
                return wrong(statement, "that is given twice", "each once");
        if (take_which(statement, fault, is_last) != CLI_DONE)
            return CLI_INPUT;
    }
    return CLI_DONE;
}

static int parse_link(struct statement *statement, struct rnicsim_fault *fault)
{
    int64_t for_ps;
    fault->frames = RNICSIM_FRAME_ANY;
    if (!is_next(statement, "down") || take_time(statement, &fault->from_ps) != 0 || !is_next(statement, "for") ||
        take_time(statement, &for_ps) != 0 || peek(statement) != NULL)
        return wrong(statement, "a link is down for some time", "link down TIME for TIME, as link down 10 us for 5 us");
    fault->to_ps = fault->from_ps + for_ps;
    return CLI_DONE;
}

static int parse_statement(struct statement *statement, struct rnicsim_fault *fault, unsigned char *is_last)
{
    unsigned value = 0;
    *is_last = 0;
    *fault = (struct rnicsim_fault){
        .from_host = RNICSIM_FAULT_ANY, .psn = RNICSIM_FAULT_ANY, .to_ps = RNICSIM_NEVER, .action = RNICSIM_FAULT_DROP};
    if (is_next(statement, "link"))
        return parse_link(statement, fault);
    if (find(actions, peek(statement), &value) != 0)
        return wrong(statement, "there is no such fault",
                     "drop, corrupt, duplicate, delay, not_ready, bad_key, mark, link down TIME for TIME");
    fault->action = (enum rnicsim_fault_action)value;
    statement->at++;
    if (peek(statement) == NULL || find(frames, peek(statement), &fault->frames) != 0)
        return wrong(statement, "this names no frames",
                     "data, request, send, write, read, atomic, answer, ack, nak, cnp, any");
    statement->at++;
    if (take_all(statement, fault, is_last) != CLI_DONE)
        return CLI_INPUT;
    if (*is_last && fault->most == 0)
        fault->most = 1; /* else it would come again for ever */
    if (fault->action == RNICSIM_FAULT_DELAY && fault->delay_ps == 0)
        return wrong(statement, "delay needs a time", "as in delay ack 5 us");
    return CLI_DONE;
}

/* ---- all of them ---- */

static int add(struct fault_plan *plan, const struct rnicsim_fault *fault, unsigned char is_last)
{
    if (plan->count == plan->room) {
        size_t room = plan->room == 0 ? 8 : 2 * plan->room;
        void *faults = realloc(plan->fault, room * sizeof *plan->fault);
        plan->fault = faults != NULL ? faults : plan->fault;
        void *lasts = faults != NULL ? realloc(plan->is_last, room) : NULL;
        if (lasts == NULL)
            return cli_fail("out of memory for the faults");
        plan->is_last = lasts;
        plan->room = room;
    }
    plan->is_last[plan->count] = is_last;
    plan->fault[plan->count++] = *fault;
    return CLI_DONE;
}

/* One statement of `length` characters; an empty one is none. */
static int take_statement(struct fault_plan *plan, const char *where, int line, const char *text, size_t length)
{
    struct statement statement = {.where = where, .line = line};
    struct rnicsim_fault fault;
    unsigned char is_last;
    char *save = NULL;
    if (length >= sizeof statement.text)
        return wrong(&statement, "a statement is too long", "399 characters");
    memcpy(statement.text, text, length);
    statement.text[strcspn(statement.text, "#")] = 0;
    for (char *word = strtok_r(statement.text, " \t\r", &save); word != NULL; word = strtok_r(NULL, " \t\r", &save)) {
        if (statement.words == WORDS_MAX)
            return wrong(&statement, "a statement has too many words", "32");
        statement.word[statement.words++] = word;
    }
    if (statement.words == 0)
        return CLI_DONE;
    int result = parse_statement(&statement, &fault, &is_last);
    return result == CLI_DONE ? add(plan, &fault, is_last) : result;
}

/* The statements of one line. */
static int take_line(struct fault_plan *plan, const char *where, int line, const char *text)
{
    int result = CLI_DONE;
    size_t end = strcspn(text, "#\n");
    for (size_t from = 0; result == CLI_DONE && from <= end;) {
        size_t length = 0;
        while (from + length < end && text[from + length] != ';')
            length++;
        result = take_statement(plan, where, line, text + from, length);
        from += length + 1;
    }
    return result;
}

static int take_file(struct fault_plan *plan, const char *path, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    int result = CLI_DONE;
    for (int number = 1; result == CLI_DONE && getline(&line, &room, file) >= 0; number++)
        result = take_line(plan, path, number, line);
    free(line);
    if (result == CLI_DONE && ferror(file))
        result = cli_fail("%s: cannot be read: %s", path, strerror(errno));
    return result;
}

int fault_plan_parse(struct fault_plan *plan, const char *text)
{
    FILE *file = fopen(text, "r");
    plan->text = text;
    int result = file != NULL ? take_file(plan, text, file) : take_line(plan, "--faults", 0, text);
    if (file != NULL)
        fclose(file);
    if (result == CLI_DONE && plan->count == 0)
        result = cli_fail(
            "--faults \"%.200s\": no statement; allowed: a file of them, or \"drop data 100; drop ack last\"", text);
    return result;
}

void fault_plan_free(struct fault_plan *plan)
{
    free(plan->fault);
    free(plan->is_last);
    *plan = (struct fault_plan){0};
}

int fault_plan_apply(const struct fault_plan *plan, struct rnicsim *sim, uint64_t requests, struct rnicsim_error *error)
{
    int result = RNICSIM_OK;
    for (size_t i = 0; result == RNICSIM_OK && i < plan->count; i++) {
        struct rnicsim_fault fault = plan->fault[i];
        if (plan->is_last[i]) {
            fault.request = requests;
            fault.is_end = 1;
            if (requests == 0) {
                snprintf(error->text, sizeof error->text,
                         "--faults: last: how many requests there will be is not known; allowed with a trace, or "
                         "perftest's -n");
                return RNICSIM_EINPUT;
            }
        }
        result = rnicsim_fault_add(sim, &fault, error);
    }
    return result;
}
