/* Two small rooms and temporary files for the tests of model/config. */
#ifndef TESTS_CONFIG_TEST_CONFIG_FIXTURE_H
#define TESTS_CONFIG_TEST_CONFIG_FIXTURE_H

#include <stddef.h>

#include "config/config.h"

struct link_params {
#define PARAM PARAM_FIELD
#include "tests/config/test_link.def"
#undef PARAM
};

struct demo_params {
#define PARAM PARAM_FIELD
#include "tests/config/test_demo.def"
#undef PARAM
};

extern const struct param_table test_link_table;
extern const struct param_table test_demo_table;

/* The row of a key in one of the two tables. */
const struct param_desc *fixture_desc(const char *key);

/* A config of the two rooms. */
struct config *fixture_config(void);

/* A fresh folder under /tmp; fixture_remove() takes it away with what the functions below put into it. */
struct fixture {
    char folder[64];
    char path[160]; /* of the file last written */
};

void fixture_create(struct fixture *fixture);
void fixture_remove(struct fixture *fixture);
/* `name` may hold one folder, which is made: "boards/a.board". */
void fixture_write(struct fixture *fixture, const char *name, const char *text, size_t bytes);

/* Loads `text` as a file x.nic, x.board or x.host into a fresh config, which is returned (NULL when refused); the
 * error's text is in err. */
struct config *fixture_load(enum config_kind kind, const char *text, struct config_error *err);

/* Checks that the text is refused with exactly this error after "/tmp/.../x.board:". */
void fixture_refused(enum config_kind kind, const char *text, const char *error);

/* Checks that config_set() refuses the text with exactly this error. */
void fixture_set_refused(struct config *config, const char *text, const char *error);

/* The listing's row of a key. */
int fixture_info(const struct config *config, const char *key, struct config_param_info *out);

/* A whole and correct section "[stage NAME]". */
#define FIXTURE_STAGE(name)                                                                   \
    "[stage " name "]\nclock = core\nwidth = 512 bit @assumed\ninterval = 1 cycle @assumed\n" \
    "latency = 6 cycle @documented \"PG203\"\ndepth = 64 beats @assumed\nflow = store\n"

#endif
