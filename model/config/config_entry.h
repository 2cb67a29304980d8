/* What one line of a file says of a value: value, class, source; and where it stands. */
#ifndef CONFIG_CONFIG_ENTRY_H
#define CONFIG_CONFIG_ENTRY_H

#include "config/config.h"
#include "config/ini_file.h"

struct config_entry {
    char value[INI_FILE_LINE_CHARS + 1];
    int has_class;
    struct config_note note; /* class assumed when has_class is 0 */
};

/* Splits `value @class "source"`; note.layer, line and origin are left to the caller. */
int config_entry_split(const char *text, struct config_entry *out, struct config_error *err);

#endif
