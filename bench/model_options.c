#include "bench/model_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"

enum { OPTION_HOST = 1001, OPTION_MAC };

error_t model_options_set(struct model_options *model, const char *text)
{
    if (model->set_count == model->set_room) {
        size_t room = model->set_room == 0 ? 8 : 2 * model->set_room;
        const char **larger = realloc(model->set, room * sizeof *larger);
        if (larger == NULL)
            return ENOMEM;
        model->set = larger;
        model->set_room = room;
    }
    model->set[model->set_count++] = text;
    return 0;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct model_options *model = state->input;
    switch (key) {
    case 'b':
        model->board = value;
        return 0;
    case OPTION_HOST:
        model->host = value;
        return 0;
    case OPTION_MAC:
        model->mac = value;
        return 0;
    case 's':
        return model_options_set(model, value);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp *model_options_argp(void)
{
    static const struct argp_option options[] = {
        {"board", 'b', "BOARD|FILE", 0, "the board: a name (see rnicsim boards) or a board file", 1},
        {"host", OPTION_HOST, "HOST|FILE", 0, "the host, instead of the board's own: a preset's name or a file", 1},
        {"mac", OPTION_MAC, "MAC|FILE", 0, "the MAC, instead of the board's own: a preset's name or a file", 1},
        {"set", 's', "KEY=VALUE", 0, "sets a parameter (see rnicsim params); may be repeated", 1},
        {0},
    };
    static const struct argp argp = {options, parse, NULL, NULL, NULL, NULL, NULL};
    return &argp;
}

/* All boards' names, for a message. */
static void list_boards(char *text, size_t text_bytes)
{
    char name[128], line[256];
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; used < text_bytes && rnicsim_board_at(NULL, i, name, sizeof name, line, sizeof line) == 0; i++)
        used += (size_t)snprintf(text + used, text_bytes - used, "%s%s", i == 0 ? "" : ", ", name);
}

int model_options_no_boards(void)
{
    char folder[512];
    rnicsim_data_folder("boards", folder, sizeof folder);
    return cli_fail("no board is found: %s has no .board files, nor has ../share/rnicsim/boards beside the program; "
                    "allowed is -b FILE",
                    folder);
}

int model_options_extend(struct model_options *to, const struct model_options *from, const char *const *set,
                         size_t count)
{
    error_t failed = 0;
    *to = (struct model_options){.board = from->board, .host = from->host, .mac = from->mac};
    for (size_t i = 0; i < from->set_count && !failed; i++)
        failed = model_options_set(to, from->set[i]);
    for (size_t i = 0; i < count && !failed; i++)
        failed = model_options_set(to, set[i]);
    return failed ? cli_fail("out of memory for the settings") : CLI_DONE;
}

int model_options_apply(const struct model_options *model, struct rnicsim_options *options)
{
    char boards[512];
    options->board = model->board;
    options->host = model->host;
    options->mac = model->mac;
    options->set = model->set;
    options->set_count = model->set_count;
    if (model->board != NULL)
        return 0;
    list_boards(boards, sizeof boards);
    if (boards[0] == 0)
        return model_options_no_boards();
    return cli_fail("which board? -b BOARD is needed; allowed are a board file and %s", boards);
}

int model_options_create(const struct model_options *model, struct rnicsim_options *options, struct rnicsim **sim)
{
    struct rnicsim_error error;
    if (model_options_apply(model, options) != 0)
        return CLI_INPUT;
    int result = rnicsim_create(options, sim, &error);
    return result == RNICSIM_OK ? CLI_DONE : cli_fail_result(result, &error);
}

void model_options_free(struct model_options *model)
{
    free(model->set);
    *model = (struct model_options){0};
}

int model_param(const struct rnicsim *sim, const char *key, struct rnicsim_param_info *out)
{
    for (size_t i = 0; i < rnicsim_param_count(sim); i++)
        if (rnicsim_param(sim, i, out) == RNICSIM_OK && strcmp(out->key, key) == 0)
            return 1;
    return 0;
}

int64_t model_tsc_hz(const struct rnicsim *sim)
{
    struct rnicsim_param_info param;
    struct rnicsim_error error;
    int64_t hz = 0;
    if (model_param(sim, "host.tsc", &param))
        rnicsim_parse(param.value, RNICSIM_FREQUENCY, &hz, &error);
    return hz;
}
