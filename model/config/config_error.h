/* One line of text that tells the user what is wrong and what is allowed.
 *
 * The form is "file:line: what is wrong, what is allowed", or "-s key=value: ..." for the command line. Functions that
 * fail return -1 and fill it; every `err` may be NULL. Modules below config_load() and config_set() say only the
 * reason; whoever knows the place puts it in front. */
#ifndef CONFIG_ERROR_H
#define CONFIG_ERROR_H

struct config_error {
    char text[512];
};

/* Writes the line, cut to its size; control characters become '?', so that it stays one line. Always returns -1.
 * The arguments may lie in err->text itself. */
int config_error_set(struct config_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
