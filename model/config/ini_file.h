/* Reads an ini file line by line, with line numbers and hard limits.
 *
 * Comments begin with # or ; outside of quotes. Limits: 400 characters a line, 20000 lines, 60 characters a section,
 * 48 a key. Everything else that is wrong (NUL bytes, a directory, an open quote) is one line of error too. */
#ifndef CONFIG_INI_FILE_H
#define CONFIG_INI_FILE_H

#include "config/config_error.h"

#define INI_FILE_LINE_CHARS 400
#define INI_FILE_SECTION_CHARS 60
#define INI_FILE_KEY_CHARS 48
#define INI_FILE_LINES_MAX 20000

struct ini_file_line {
    int number;          /* from 1 */
    const char *section; /* "" before the first section */
    const char *key;     /* NULL: the section begins here */
    const char *value;   /* trimmed, not empty, quotes kept; valid during the call */
};

/* Returns 0 to go on, -1 to stop with a reason in `err`, which then gets "path:line: " in front. */
typedef int (*ini_file_handler)(void *user, const struct ini_file_line *line, struct config_error *err);

int ini_file_read(const char *path, ini_file_handler handler, void *user, struct config_error *err);

#endif
