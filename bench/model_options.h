/* The options that say which NIC in which host: -b, --mac, --host, -s; shared by all subcommands that build one. */
#ifndef BENCH_MODEL_OPTIONS_H
#define BENCH_MODEL_OPTIONS_H

#include <argp.h>

#include "api/rnicsim.h"

struct model_options {
    const char *board; /* NULL: not given */
    const char *host;
    const char *mac;
    const char **set; /* as given, in this order */
    size_t set_count;
    size_t set_room;
};

/* A child of a subcommand's argp; its input is a struct model_options. */
const struct argp *model_options_argp(void);
/* One -s more; the text is not copied. 0, or ENOMEM. */
error_t model_options_set(struct model_options *model, const char *text);
/* The same options with more settings, "key=value"; to be freed. 0, or CLI_INPUT after one line. */
int model_options_extend(struct model_options *to, const struct model_options *from, const char *const *set,
                         size_t count);
/* Fills what these options say into `options`. Returns 0, or CLI_INPUT: no board was named. */
int model_options_apply(const struct model_options *model, struct rnicsim_options *options);
/* And creates it. Returns an exit status; when it is not CLI_DONE, one line was told. */
int model_options_create(const struct model_options *model, struct rnicsim_options *options, struct rnicsim **sim);
/* There is no board to name: one line, and CLI_INPUT. */
int model_options_no_boards(void);
void model_options_free(struct model_options *model);

/* A parameter of what was created, by its key. 0: there is none. */
int model_param(const struct rnicsim *sim, const char *key, struct rnicsim_param_info *out);
/* host.tsc, Hz. */
int64_t model_tsc_hz(const struct rnicsim *sim);

#endif
