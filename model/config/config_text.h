/* Small helpers on text, independent of the locale. */
#ifndef CONFIG_TEXT_H
#define CONFIG_TEXT_H

#include <stddef.h>

/* Cuts blanks (space, tab, carriage return) at both ends, in place; returns the first character that stays. */
char *config_text_trim(char *text);

/* Takes the quotes off a text that is quoted as a whole, in place; returns its first character. */
char *config_text_unquote(char *text);

/* Copies all of `text`, or nothing: -1 when it does not fit into `bytes` with its end. */
int config_text_copy(char *out, size_t bytes, const char *text);

/* 1 when the text is not empty and has only letters, digits, '_' and the characters of `more`. */
int config_text_is_name(const char *text, const char *more);

#endif
