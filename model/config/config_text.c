#include "config/config_text.h"

#include <string.h>

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

char *config_text_trim(char *text)
{
    while (is_blank(*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && is_blank(text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

char *config_text_unquote(char *text)
{
    size_t length = strlen(text);

    if (length < 2 || text[0] != '"' || text[length - 1] != '"')
        return text;
    text[length - 1] = '\0';
    return text + 1;
}

int config_text_copy(char *out, size_t bytes, const char *text)
{
    size_t length = strlen(text);

    if (length >= bytes)
        return -1;
    memcpy(out, text, length + 1);
    return 0;
}

int config_text_is_name(const char *text, const char *more)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

    if (*text == '\0')
        return 0;
    for (; *text != '\0'; text++)
        if (strchr(letters, *text) == NULL && strchr(more, *text) == NULL)
            return 0;
    return 1;
}
